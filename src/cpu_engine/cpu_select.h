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

/* With more keys it should be asked in between whether to stop, so there are none. */
#define GPUSORT_CPU_SELECT_MOST 65536

/*
 * Writes the keys at nranks ranks of the ascending order of count keys, in native form, to
 * found.  Ranks count from 0 and ascend; a rank may stand more than once.  -0 comes before
 * +0, and a NaN is the one of 'NaN'.  scratch has space for a copy of the keys, which are
 * not changed.  Returns false if another way is faster: for more than
 * GPUSORT_CPU_SELECT_MOST keys, keys of 16 bits, ranks far from each other, and where most
 * keys are alike.
 */
extern bool gpusort_cpu_select(GpusortKeyForm form, const void *keys, uint32_t count,
							   const uint32_t *ranks, uint32_t nranks, void *found, void *scratch);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSORT_CPU_SELECT_H */
