/*
 * key_intervals.h
 *	  Intervals of equal width over the range of some keys: how many keys fall
 *	  into each, as an approximate sort by that many intervals would have it.
 */
#ifndef GPUSORT_KEY_INTERVALS_H
#define GPUSORT_KEY_INTERVALS_H

#include "keys/projection.h"

extern void gpusort_keys_project(GpusortKeyForm form, const void *keys, uint32_t count,
								 uint32_t buckets, bool descending, GpusortProjection *projection);
extern void gpusort_keys_count_intervals(GpusortKeyForm form, const void *keys, uint32_t count,
										 const GpusortProjection *projection, uint32_t *counts);

#endif							/* GPUSORT_KEY_INTERVALS_H */
