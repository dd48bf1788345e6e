/*
 * distinct_parts.h
 *	  Values beyond memory of which the different ones are counted, in parts of a temporary file
 *	  by a hash: values that are equal are in one part.
 *
 *	  create --> append ... --> count (as often as wanted) --> free
 *
 * How many values differ needs no order.  So they are written once, and each part is counted by
 * itself.  A part that exceeds memory in its turn is divided again, with another hash at each level.
 * For keys, and for types where gpusort_keys_can_hash.
 */
#ifndef GPUSORT_DISTINCT_PARTS_H
#define GPUSORT_DISTINCT_PARTS_H

#include "functions/collector.h"

typedef struct DistinctParts DistinctParts;

/* Creates parts in the current memory context.  They, and what counting one of them takes, fit so many bytes of memory. */
extern DistinctParts *gpusort_parts_create(ElementType *element, Size memory);

/* Appends the values of a collector, which has no NULLs. */
extern void gpusort_parts_append(DistinctParts *parts, const Collector *values);

/* Returns how many different values there are. */
extern int64 gpusort_parts_count(DistinctParts *parts);

extern void gpusort_parts_free(DistinctParts *parts);

#endif							/* GPUSORT_DISTINCT_PARTS_H */
