/*
 * emulated_sort.h
 *	  The sorts of the emulated device, by the CPU engine's functions, and their checks.
 *
 * Sorts with a payload make an index, from which both the payload and the check of the
 * result follow.
 */
#ifndef GPUSORT_EMULATED_SORT_H
#define GPUSORT_EMULATED_SORT_H

#include "gpusort_cuda.h"

namespace gpusort_emulated {

/* What a fault spoils in a result, for the check to find. */
enum class Spoil { NOTHING, ORDER, KEYS };

/* Why the device would refuse the spec (static text), or nullptr. */
const char *refuses(const GpusortSpec &spec);

/* The method that a real device would name. */
GpusortMethod method_used(const GpusortSpec &spec);

double seconds_now();

/* How many entries of a segment of this many keys are wanted. */
uint64_t wanted_entries(const GpusortSpec &spec, uint64_t count);

/* Sorts one segment: keys in place, or an index that leaves the keys undefined. */
void sort_segment(const GpusortSpec &wanted, void *keys, uint32_t *index, uint32_t count);

/* True if the wanted keys are in order, and the right ones of the input. */
bool keys_right(const GpusortSpec &spec, const char *input, const char *output, uint64_t count);

/* True if the index gives the wanted keys in stable order. */
bool index_right(const GpusortSpec &spec, const char *input, const uint32_t *index, uint64_t count);

/* Exchanges the first and the last entry, or overwrites the first with the last. */
void spoil_keys(char *keys, uint32_t width, uint64_t count, Spoil spoil);
void spoil_index(uint32_t *index, uint64_t count, Spoil spoil);

}  // namespace gpusort_emulated

#endif /* GPUSORT_EMULATED_SORT_H */
