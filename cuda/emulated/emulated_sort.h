/*
 * emulated_sort.h
 *	  The sorts of the emulated device, by the CPU engine's functions.
 *
 * Sorts with a payload make an index, from which the payload follows.
 */
#ifndef GPUSORT_EMULATED_SORT_H
#define GPUSORT_EMULATED_SORT_H

#include "gpusort_cuda.h"

namespace gpusort_emulated {

/* The method that a real device would name. */
GpusortMethod method_used(const GpusortSpec &spec);

double seconds_now();

/* How many entries of a segment of this many keys are wanted. */
uint64_t wanted_entries(const GpusortSpec &spec, uint64_t count);

/* Sorts one segment: keys in place, or an index that leaves the keys undefined. */
void sort_segment(const GpusortSpec &wanted, void *keys, uint32_t *index, uint32_t count);

/* Exchanges the first and the last entry. */
void spoil(char *entries, uint32_t width, uint64_t count);

}  // namespace gpusort_emulated

#endif /* GPUSORT_EMULATED_SORT_H */
