/*
 * cpu_select.h
 *	  The keys at a few ranks of their order, found with vector instructions.
 *
 * Like cpu_sort.h it uses no PostgreSQL headers, allocates nothing and never throws.
 */
#ifndef GPUSORT_CPU_SELECT_H
#define GPUSORT_CPU_SELECT_H

#include "keys/key_encoding.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Writes the keys at nranks ranks of the ascending order of count keys, in native form, to
 * found.  Ranks count from 0 and ascend; a rank may occur more than once.  -0 comes before
 * +0, and every NaN has the bits of 'NaN'.  scratch has space for a copy of the keys.  The keys
 * are not changed.  Asks should_stop before each pass over the keys.  Returns false, with found
 * undefined, if it is told to stop, or if a sort is faster: of keys of 16 bits, for many ranks
 * far from each other, and where most keys are equal.
 */
extern bool gpusort_cpu_select(GpusortKeyForm form, const void *keys, uint32_t count,
							   const uint32_t *ranks, uint32_t nranks, void *found, void *scratch,
							   bool (*should_stop) (void *arg));

/* True if count keys are in ascending order, -0 before +0. */
extern bool gpusort_cpu_in_order(GpusortKeyForm form, const void *keys, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSORT_CPU_SELECT_H */
