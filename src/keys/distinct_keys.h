/*
 * distinct_keys.h
 *	  The different keys of a set, found by a bit for each possible code instead of sorting.
 */
#ifndef GPUSORT_DISTINCT_KEYS_H
#define GPUSORT_DISTINCT_KEYS_H

#include "keys/key_encoding.h"

/*
 * Returns how many different keys there are, or 0, with nothing written, where sorting them
 * costs less.  Unless kept is NULL, writes each of them there once, in any order; kept may be
 * the keys themselves.  Keys that PostgreSQL calls equal are one.  Checks for interrupts.
 */
extern uint32 gpusort_distinct_keys(GpusortKeyForm form, const void *keys, uint32 count, void *kept);

#endif							/* GPUSORT_DISTINCT_KEYS_H */
