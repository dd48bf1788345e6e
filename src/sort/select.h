/*
 * select.h
 *	  The keys at some ranks of their order, by the way that is fastest.
 */
#ifndef GPUSORT_SELECT_H
#define GPUSORT_SELECT_H

#include "keys/key_encoding.h"

/* True if count keys are in ascending order, -0 before +0.  Checks for interrupts. */
extern bool gpusort_select_in_order(GpusortKeyForm form, const void *keys, uint32_t count);

/*
 * Writes the keys at nranks ranks of the ascending order of count keys, in native form, to
 * found.  Ranks count from 0 and ascend; a rank may occur more than once.  -0 comes before
 * +0, and every NaN has the bits of 'NaN'.  The keys are not changed.  Checks for interrupts.
 * Returns false, with found undefined, if it is better to sort a copy of the keys.
 */
extern bool gpusort_select(GpusortKeyForm form, const void *keys, uint32_t count,
						   const uint32_t *ranks, uint32_t nranks, void *found);

#endif							/* GPUSORT_SELECT_H */
