/*
 * payload_sort.h
 *	  Stable sorts of keys with a payload.
 *
 * n counts keys; scratch sizes are in bytes.  Keys are not changed.
 */
#ifndef GPUSORT_PAYLOAD_SORT_H
#define GPUSORT_PAYLOAD_SORT_H

#include "cpu_engine/forms.h"
#include "cpu_engine/work.h"

namespace gpusort
{
/* Scratch bytes for n keys of the given width. */
size_t sort_with_payload_scratch(uint64_t n, size_t width, GpusortPayload payload, int threads);

/* Sorts one segment into payload.  Returns false if told to stop; the payload is undefined then. */
template <GpusortKeyForm F>
bool sort_with_payload(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n);

/* Puts n values in the order of sorted words, whose low bits are positions.  They are first collected in the words. */
template <typename Word, typename Value>
static inline bool
gather(Work &work, Word *words, Word mask, Value *values, uint32_t n)
{
	return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
			words[i] = (Word) values[words[i] & mask];
	}) && in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
			values[i] = (Value) words[i];
	});
}

/* Puts a carried payload in the order of sorted words, or writes the positions. */
template <typename Word>
static inline bool
unpack(Work &work, Word *words, Word mask, uint32_t *payload, uint32_t n)
{
	if (work.spec->payload == GPUSORT_PAYLOAD_CARRIED)
		return gather(work, words, mask, payload, n);
	return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
			payload[i] = (uint32_t) (words[i] & mask);
	});
}
}

#endif							/* GPUSORT_PAYLOAD_SORT_H */
