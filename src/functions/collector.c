/*
 * collector.c
 *	  Collects the values of one SQL type compactly.
 *
 * Buffers double as they grow and may pass 1 GB; only the array made of them at
 * the end is bound by PostgreSQL's limits on a value. On the wire (parallel
 * aggregation) by-value types go as they are, others through their own send and
 * receive functions.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "functions/collector.h"

#define FIRST_CAPACITY 8
#define BITMAP_BYTES(n) (((n) + 7) / 8)

/* Makes an empty collector for the type in the context. */
Collector *
gpusort_collector_create(Oid type, MemoryContext context)
{
	Collector  *collector = MemoryContextAllocZero(context, sizeof(Collector));

	collector->context = context;
	collector->type = type;
	get_typlenbyvalalign(type, &collector->typlen, &collector->typbyval, &collector->typalign);
	collector->width = collector->typbyval ? collector->typlen : sizeof(Datum);
	return collector;
}

/* Makes room for at least `wanted` values. */
static void
reserve(Collector *collector, int64 wanted)
{
	int64		capacity = Max(collector->capacity, FIRST_CAPACITY);

	if (wanted <= collector->capacity)
		return;
	while (capacity < wanted)
		capacity *= 2;
	if (collector->values == NULL)
		collector->values = MemoryContextAllocHuge(collector->context, capacity * collector->width);
	else
		collector->values = repalloc_huge(collector->values, capacity * collector->width);
	if (collector->valid != NULL)
		collector->valid = repalloc_huge(collector->valid, BITMAP_BYTES(capacity));
	collector->capacity = capacity;
}

/* Starts the bitmap: everything collected so far is not NULL. */
static void
start_bitmap(Collector *collector)
{
	collector->valid = MemoryContextAllocHuge(collector->context, BITMAP_BYTES(collector->capacity));
	memset(collector->valid, 0xff, BITMAP_BYTES(collector->count));
}

static inline void
set_valid(Collector *collector, int64 i, bool isvalid)
{
	bits8		bit = 1 << (i % 8);

	if (isvalid)
		collector->valid[i / 8] |= bit;
	else
		collector->valid[i / 8] &= ~bit;
}

/* Stores a value that is known not to be NULL. */
static inline void
store_value(Collector *collector, Datum value)
{
	char	   *slot = collector->values + collector->count * collector->width;

	if (collector->typbyval)
		store_att_byval(slot, value, collector->typlen);
	else
	{
		MemoryContext before = MemoryContextSwitchTo(collector->context);

		if (collector->typlen == -1)
			value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
		else
			value = datumCopy(value, false, collector->typlen);
		MemoryContextSwitchTo(before);
		*(Datum *) slot = value;
	}
}

void
gpusort_collector_append(Collector *collector, Datum value, bool isnull)
{
	if (collector->count == collector->capacity)
		reserve(collector, collector->count + 1);
	if (isnull && collector->valid == NULL)
		start_bitmap(collector);
	if (collector->valid != NULL)
		set_valid(collector, collector->count, !isnull);
	if (!isnull)
		store_value(collector, value);
	else
		memset(collector->values + collector->count * collector->width, 0, collector->width);
	collector->count++;
}

/* The i-th value, which must not be NULL. */
static inline Datum
value_at(const Collector *collector, int64 i)
{
	const char *slot = collector->values + i * collector->width;

	return collector->typbyval ? fetch_att(slot, true, collector->typlen) : *(const Datum *) slot;
}

/* Appends all values of another collector of the same type. */
void
gpusort_collector_concat(Collector *collector, const Collector *more)
{
	Assert(collector->type == more->type);
	reserve(collector, collector->count + more->count);
	if (collector->typbyval && collector->valid == NULL && more->valid == NULL)
	{
		memcpy(collector->values + collector->count * collector->width, more->values,
			   more->count * more->width);
		collector->count += more->count;
		return;
	}
	for (int64 i = 0; i < more->count; i++)
	{
		bool		isnull = gpusort_collector_isnull(more, i);

		gpusort_collector_append(collector, isnull ? (Datum) 0 : value_at(more, i), isnull);
	}
}

/* Forgets all values but keeps the room. */
void
gpusort_collector_reset(Collector *collector)
{
	if (!collector->typbyval)
		for (int64 i = 0; i < collector->count; i++)
			if (!gpusort_collector_isnull(collector, i))
				pfree(DatumGetPointer(value_at(collector, i)));
	if (collector->valid != NULL)
		pfree(collector->valid);
	collector->valid = NULL;
	collector->count = 0;
}

/* Raises an error if so many values or bytes do not fit one array. */
static void
check_array_size(int64 count, int64 bytes)
{
	if (count > MaxArraySize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("sorted set of " INT64_FORMAT " values exceeds the maximum of %d array elements",
						count, (int) MaxArraySize),
				 errhint("Use gpusort.order_by to get the values as rows.")));
	if (!AllocSizeIsValid(bytes))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("sorted set of " INT64_FORMAT " bytes exceeds the maximum of %zu bytes for an array",
						bytes, (Size) MaxAllocSize),
				 errhint("Use gpusort.order_by to get the values as rows.")));
}

/* Bytes that the values take in an array, alignment included. */
static int64
data_bytes(const Collector *collector)
{
	int64		bytes = 0;

	if (collector->typbyval && collector->valid == NULL)
		return collector->count * collector->typlen;
	for (int64 i = 0; i < collector->count; i++)
	{
		if (gpusort_collector_isnull(collector, i))
			continue;
		bytes += datumGetSize(value_at(collector, i), collector->typbyval, collector->typlen);
		bytes = att_align_nominal(bytes, collector->typalign);
	}
	return bytes;
}

/* Writes the values that are not NULL behind each other. */
static void
fill_data(const Collector *collector, char *to)
{
	if (collector->typbyval && collector->valid == NULL)
	{
		memcpy(to, collector->values, collector->count * collector->typlen);
		return;
	}
	for (int64 i = 0; i < collector->count; i++)
	{
		Datum		value;

		if (gpusort_collector_isnull(collector, i))
			continue;
		value = value_at(collector, i);
		if (collector->typbyval)
		{
			store_att_byval(to, value, collector->typlen);
			to += att_align_nominal(collector->typlen, collector->typalign);
		}
		else
		{
			Size		length = datumGetSize(value, false, collector->typlen);

			memcpy(to, DatumGetPointer(value), length);
			to += att_align_nominal(length, collector->typalign);
		}
	}
}

/*
 * The values as a one-dimensional array in the current memory context, in the
 * order collected. PROGRAM_LIMIT_EXCEEDED beyond PostgreSQL's size of a value.
 */
ArrayType *
gpusort_collector_array(const Collector *collector)
{
	int64		bytes = data_bytes(collector);
	int64		header;
	ArrayType  *array;
	bits8	   *bitmap;

	if (collector->count == 0)
		return construct_empty_array(collector->type);
	header = collector->valid ? ARR_OVERHEAD_WITHNULLS(1, collector->count) : ARR_OVERHEAD_NONULLS(1);
	check_array_size(collector->count, header + bytes);
	array = palloc(header + bytes);
	memset(array, 0, collector->typbyval ? header : header + bytes);	/* no stray padding */
	SET_VARSIZE(array, header + bytes);
	array->ndim = 1;
	array->dataoffset = collector->valid ? header : 0;
	array->elemtype = collector->type;
	ARR_DIMS(array)[0] = collector->count;
	ARR_LBOUND(array)[0] = 1;
	bitmap = ARR_NULLBITMAP(array);
	if (bitmap != NULL)
	{
		memcpy(bitmap, collector->valid, BITMAP_BYTES(collector->count));
		if (collector->count % 8 != 0)	/* no stray bits past the end */
			bitmap[collector->count / 8] &= (1 << (collector->count % 8)) - 1;
	}
	fill_data(collector, ARR_DATA_PTR(array));
	return array;
}

/* Replaces the values by those of an array. */
void
gpusort_collector_refill(Collector *collector, ArrayType *array)
{
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Datum		value;
	bool		isnull;

	gpusort_collector_reset(collector);
	while (array_iterate(iterator, &value, &isnull))
		gpusort_collector_append(collector, value, isnull);
	array_free_iterator(iterator);
}

/* Writes the collector for gpusort_collector_receive of another process. */
void
gpusort_collector_send(const Collector *collector, StringInfo buf)
{
	Oid			send;
	bool		isvarlena;
	FmgrInfo	send_info;

	pq_sendint32(buf, collector->type);
	pq_sendint64(buf, collector->count);
	pq_sendbyte(buf, collector->valid != NULL);
	if (collector->valid != NULL)
		pq_sendbytes(buf, (char *) collector->valid, BITMAP_BYTES(collector->count));
	if (collector->typbyval)
	{
		pq_sendbytes(buf, collector->values, collector->count * collector->width);
		return;
	}
	getTypeBinaryOutputInfo(collector->type, &send, &isvarlena);
	fmgr_info(send, &send_info);
	for (int64 i = 0; i < collector->count; i++)
	{
		bytea	   *sent;

		if (gpusort_collector_isnull(collector, i))
			continue;
		CHECK_FOR_INTERRUPTS();
		sent = SendFunctionCall(&send_info, value_at(collector, i));
		pq_sendint32(buf, VARSIZE(sent) - VARHDRSZ);
		pq_sendbytes(buf, VARDATA(sent), VARSIZE(sent) - VARHDRSZ);
		pfree(sent);
	}
}

/* Reads the by-reference values that gpusort_collector_send wrote. */
static void
receive_values(Collector *collector, StringInfo buf)
{
	Oid			receive;
	Oid			typioparam;
	FmgrInfo	receive_info;
	MemoryContext before = MemoryContextSwitchTo(collector->context);

	getTypeBinaryInputInfo(collector->type, &receive, &typioparam);
	fmgr_info(receive, &receive_info);
	for (int64 i = 0; i < collector->count; i++)
	{
		StringInfoData value;
		int			length;

		if (gpusort_collector_isnull(collector, i))
			continue;
		CHECK_FOR_INTERRUPTS();
		length = pq_getmsgint(buf, 4);
		initStringInfo(&value);
		appendBinaryStringInfo(&value, pq_getmsgbytes(buf, length), length);
		((Datum *) collector->values)[i] = ReceiveFunctionCall(&receive_info, &value, typioparam, -1);
		pfree(value.data);
	}
	MemoryContextSwitchTo(before);
}

Collector *
gpusort_collector_receive(StringInfo buf, MemoryContext context)
{
	Collector  *collector = gpusort_collector_create(pq_getmsgint(buf, 4), context);
	int64		count = pq_getmsgint64(buf);
	bool		has_nulls = pq_getmsgbyte(buf) != 0;

	reserve(collector, count);
	if (has_nulls)
	{
		start_bitmap(collector);
		memcpy(collector->valid, pq_getmsgbytes(buf, BITMAP_BYTES(count)), BITMAP_BYTES(count));
	}
	collector->count = count;
	if (collector->typbyval)
		memcpy(collector->values, pq_getmsgbytes(buf, count * collector->width), count * collector->width);
	else
		receive_values(collector, buf);
	return collector;
}
