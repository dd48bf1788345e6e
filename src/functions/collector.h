/*
 * collector.h
 *	  Collects the values of one SQL type compactly, in the order they come.
 *
 * By-value types are kept in their native width (4 bytes for an int4, not a
 * Datum), others as copies. NULLs are a bitmap that exists from the first NULL
 * on. Used by the set aggregates, whose result is an array of these values.
 */
#ifndef GPUSORT_COLLECTOR_H
#define GPUSORT_COLLECTOR_H

#include "lib/stringinfo.h"
#include "utils/array.h"

typedef struct Collector
{
	MemoryContext context;		/* holds everything below */
	Oid			type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	uint8		width;			/* bytes of one entry of values */
	int64		count;			/* values collected, NULLs included */
	int64		capacity;
	char	   *values;			/* native values, or Datums of a by-reference type */
	bits8	   *valid;			/* as an array's null bitmap; NULL: no NULL so far */
} Collector;

extern Collector *gpusort_collector_create(Oid type, MemoryContext context);
extern void gpusort_collector_append(Collector *collector, Datum value, bool isnull);
extern void gpusort_collector_concat(Collector *collector, const Collector *more);
extern void gpusort_collector_reset(Collector *collector);
extern ArrayType *gpusort_collector_array(const Collector *collector);
extern void gpusort_collector_refill(Collector *collector, ArrayType *array);
extern void gpusort_collector_send(const Collector *collector, StringInfo buf);
extern Collector *gpusort_collector_receive(StringInfo buf, MemoryContext context);

static inline bool
gpusort_collector_isnull(const Collector *collector, int64 i)
{
	return collector->valid != NULL && (collector->valid[i / 8] & (1 << (i % 8))) == 0;
}

#endif							/* GPUSORT_COLLECTOR_H */
