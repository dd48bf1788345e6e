/*
 * collector.h
 *	  Collects values of one SQL type, in the order they come, as an array stores
 *	  them: what the set aggregates keep per group.
 *
 * Values stand one behind the other.  NULLs are bits of a bitmap that exists from the
 * first NULL on.  So making the array at the end is one copy, and nothing is kept per
 * value.  The values never take more bytes than an array can hold.  Whether there are more
 * than an array can have is checked when buffers grow, and when the array is made.
 *
 * The values and bits of a collector may lie in memory that is not its own, such as the
 * bytes of a serialized state.  Its capacities are 0 then: it copies before it adds
 * anything, and frees nothing.
 */
#ifndef GPUSORT_COLLECTOR_H
#define GPUSORT_COLLECTOR_H

#include "access/tupmacs.h"
#include "arrays/element_type.h"
#include "utils/array.h"

typedef struct Collector
{
	Oid			type;
	int16		length;			/* pg_type.typlen */
	bool		by_value;
	char		alignment;
	int64		count;			/* values collected, NULLs included */
	Size		bytes;			/* taken by the values that are not NULL */
	Size		capacity;		/* bytes allocated at data; 0 if data is not its own */
	Size		bitmap_capacity;	/* the same at bitmap */
	char	   *data;			/* NULL before the first value */
	uint8	   *bitmap;			/* as an array's; NULL before the first NULL */
} Collector;

extern void gpusort_collector_init(Collector *collector, const ElementType *element);
extern void gpusort_collector_clear(Collector *collector);
extern void gpusort_collector_free(Collector *collector);
extern void gpusort_collector_append_any(Collector *collector, MemoryContext context, Datum value, bool isnull);
extern char *gpusort_collector_extend(Collector *collector, MemoryContext context, int64 count, Size bytes);
extern Datum gpusort_collector_take(const Collector *collector, Size *place);
extern void gpusort_collector_concat(Collector *collector, MemoryContext context, const Collector *more);
extern void gpusort_collector_refill(Collector *collector, MemoryContext context, ArrayType *array);
extern void gpusort_collector_view(Collector *collector, ArrayType *array);
extern ArrayType *gpusort_collector_array(const Collector *collector);

/* Appends a value.  Buffers are allocated in the context. */
static inline void
gpusort_collector_append(Collector *collector, MemoryContext context, Datum value, bool isnull)
{
	if (likely(collector->by_value && !isnull && collector->bitmap == NULL &&
			   collector->bytes + sizeof(Datum) <= collector->capacity))
	{
		store_att_byval(collector->data + collector->bytes, value, collector->length);
		collector->bytes += att_align_nominal(collector->length, collector->alignment);
		collector->count++;
	}
	else
		gpusort_collector_append_any(collector, context, value, isnull);
}

#endif							/* GPUSORT_COLLECTOR_H */
