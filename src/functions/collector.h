/*
 * collector.h
 *	  Collects the values of one SQL type, in the order they come, as the inside
 *	  of an array: what the set aggregates keep per group.
 *
 * Values stand behind each other as an array stores them, NULLs are bits of a
 * bitmap that exists from the first NULL on.  So the array made at the end, and
 * what one process of a parallel query sends to another, are plain copies, and
 * nothing is kept per value.  A collector never grows beyond what fits an array.
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
	Size		room;			/* bytes allocated at data */
	Size		bitmap_room;	/* bytes allocated at bitmap */
	char	   *data;			/* NULL: nothing yet */
	bits8	   *bitmap;			/* as an array's; NULL: no NULL so far */
} Collector;

extern void gpusort_collector_init(Collector *collector, const ElementType *element);
extern void gpusort_collector_clear(Collector *collector);
extern void gpusort_collector_append(Collector *collector, MemoryContext context, Datum value, bool isnull);
extern void gpusort_collector_concat(Collector *collector, MemoryContext context, const Collector *more);
extern void gpusort_collector_refill(Collector *collector, MemoryContext context, ArrayType *array);
extern ArrayType *gpusort_collector_array(const Collector *collector);
extern Size gpusort_collector_flat_size(const Collector *collector);
extern char *gpusort_collector_flatten(const Collector *collector, char *place);
extern char *gpusort_collector_view(Collector *collector, char *place);

#endif							/* GPUSORT_COLLECTOR_H */
