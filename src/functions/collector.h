/*
 * collector.h
 *	  Collects the values of one SQL type, in the order they come, as the inside
 *	  of an array: what the set aggregates keep per group.
 *
 * Values stand behind each other as an array stores them, NULLs are bits of a
 * bitmap that exists from the first NULL on.  So the array made at the end is a
 * plain copy, and nothing is kept per value.  A collector never grows beyond what
 * fits an array.
 *
 * A collector can be made of values and bits that lie elsewhere, such as in the
 * bytes of a serialized state.  No room is counted as its own then: it copies what
 * it adds to, and frees nothing.
 */
#ifndef GPUSORT_COLLECTOR_H
#define GPUSORT_COLLECTOR_H

#include "arrays/element_type.h"
#include "utils/array.h"

typedef struct Collector
{
	Oid			type;
	int16		length;			/* pg_type.typlen */
	bool		by_value;
	char		alignment;
	int64		count;			/* values collected, NULLs included */
	Size		bytes;			/* that the values which are not NULL take */
	Size		room;			/* bytes allocated at data; 0: they are not its own */
	Size		bitmap_room;	/* the same at bitmap */
	char	   *data;			/* NULL: nothing yet */
	uint8	   *bitmap;			/* as an array's; NULL: no NULL so far */
} Collector;

extern void gpusort_collector_init(Collector *collector, const ElementType *element);
extern void gpusort_collector_clear(Collector *collector);
extern void gpusort_collector_append(Collector *collector, MemoryContext context, Datum value, bool isnull);
extern void gpusort_collector_concat(Collector *collector, MemoryContext context, const Collector *more);
extern void gpusort_collector_refill(Collector *collector, MemoryContext context, ArrayType *array);
extern ArrayType *gpusort_collector_array(const Collector *collector);

#endif							/* GPUSORT_COLLECTOR_H */
