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
}

#endif							/* GPUSORT_PAYLOAD_SORT_H */
