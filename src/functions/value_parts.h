/*
 * value_parts.h
 *	  Values in a temporary file, in parts by a hash: values that are equal are in one part.
 *
 *	  create --> append ... --> read each part --> free
 *
 * How often a value occurs needs no order.  So values beyond memory are written once, and what
 * is asked of all is asked of one part after the other.  A part that exceeds memory in its
 * turn is divided again, with another hash at each level.
 */
#ifndef GPUSORT_VALUE_PARTS_H
#define GPUSORT_VALUE_PARTS_H

#include "functions/collector.h"

/* How often values are divided.  What exceeds memory then is to be sorted: only hashes that are equal are not told apart. */
#define GPUSORT_PARTS_LEVELS 4

typedef struct ValueParts ValueParts;

/* True if equal values of the type have equal hashes. */
extern bool gpusort_parts_can_hold(const ElementType *element, Oid collation);

extern ValueParts *gpusort_parts_create(const ElementType *element, int level);

/* Appends a value that is not NULL. */
extern void gpusort_parts_append(ValueParts *parts, Datum value);

/* How many parts there are.  Nothing is appended afterwards. */
extern uint32 gpusort_parts_finish(ValueParts *parts);

/* Begins to read a part. */
extern void gpusort_parts_open(ValueParts *parts, uint32 number);

/* How many bytes the next values of the part take at most; 0 behind the last ones. */
extern Size gpusort_parts_next_bytes(const ValueParts *parts);

/* Appends the next values of the part to a collector, whose buffer is allocated in the context. */
extern void gpusort_parts_read(ValueParts *parts, Collector *collector, MemoryContext context);

extern void gpusort_parts_free(ValueParts *parts);

#endif							/* GPUSORT_VALUE_PARTS_H */
