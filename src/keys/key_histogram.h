/*
 * key_histogram.h
 *	  How many keys fall into each interval of their range.
 */
#ifndef GPUSORT_KEY_HISTOGRAM_H
#define GPUSORT_KEY_HISTOGRAM_H

#include "keys/key_encoding.h"

/* Adds the keys to the counts of the intervals that projection.h puts them into.  Checks for interrupts. */
extern void gpusort_keys_histogram(GpusortKeyForm form, const void *keys, uint32_t count,
								   uint32_t buckets, int64_t *counts);

#endif							/* GPUSORT_KEY_HISTOGRAM_H */
