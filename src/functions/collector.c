/*
 * collector.c
 *	  Collects values of one SQL type as an array stores them, see collector.h.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "arrays/array_shape.h"
#include "functions/collector.h"
#include "large_memory.h"

#define FIRST_CAPACITY 64

/* Starts a collector for values of the type. */
void
gpusort_collector_init(Collector *collector, const ElementType *element)
{
	memset(collector, 0, sizeof(Collector));
	collector->type = element->oid;
	collector->length = element->length;
	collector->by_value = element->by_value;
	collector->alignment = element->alignment;
}

/* Raises an error if no array can have this many values, or take this many bytes. */
static void
check_size(int64 count, Size bytes)
{
	if (count > MaxArraySize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("sorted set exceeds the maximum number of array elements (%d)", (int) MaxArraySize),
				 errhint("Use ORDER BY to get the values as rows.")));
	if (!AllocSizeIsValid(bytes))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("sorted set exceeds the maximum size of an array (%zu bytes)", MaxAllocSize),
				 errhint("Use ORDER BY to get the values as rows.")));
}

/*
 * Makes a buffer hold at least `wanted` bytes and returns it.  Its first `used` bytes are
 * kept.  A capacity of 0 says that the buffer is not the collector's own; it is then copied.
 */
static void *
enlarge(void *buffer, Size used, Size *capacity, Size wanted, MemoryContext context)
{
	Size		size = Max(*capacity, FIRST_CAPACITY);
	void	   *larger;

	if (wanted <= *capacity)
		return buffer;
	while (size < wanted)
		size *= 2;
	size = Min(size, MaxAllocSize);
	if (*capacity > 0)
		larger = repalloc(buffer, size);
	else
	{
		larger = MemoryContextAlloc(context, size);
		gpusort_copy_bytes(larger, buffer, used);
	}
	gpusort_advise_huge_pages(larger, size);
	*capacity = size;
	return larger;
}

/* Makes the buffer hold so many bytes of values, which are more than it can hold. */
static pg_noinline void
enlarge_data(Collector *collector, MemoryContext context, Size wanted)
{
	check_size(collector->count, wanted);
	collector->data = enlarge(collector->data, collector->bytes, &collector->capacity, wanted, context);
}

/* Makes the buffer hold `bytes` more bytes of values. */
static inline void
reserve(Collector *collector, MemoryContext context, Size bytes)
{
	if (unlikely(collector->bytes + bytes > collector->capacity))
		enlarge_data(collector, context, collector->bytes + bytes);
}

/* Makes the bitmap hold `count` more bits.  A new bitmap says that no value so far is NULL. */
static void
reserve_bits(Collector *collector, MemoryContext context, int64 count)
{
	bool		started = collector->bitmap != NULL;
	Size		used = GPUSORT_BITMAP_BYTES(collector->count);

	check_size(collector->count + count, 0);
	collector->bitmap = enlarge(collector->bitmap, started ? used : 0, &collector->bitmap_capacity,
								GPUSORT_BITMAP_BYTES(collector->count + count), context);
	if (!started)
		memset(collector->bitmap, 0xff, used);
}

/* Writes the bit of the value that comes next. */
static inline void
append_bit(Collector *collector, MemoryContext context, bool isnull)
{
	uint8		bit = 1 << collector->count % 8;

	reserve_bits(collector, context, 1);
	if (isnull)
		collector->bitmap[collector->count / 8] &= ~bit;
	else
		collector->bitmap[collector->count / 8] |= bit;
}

/* Makes place for a value of so many bytes, and fills the gap up to the next value with zeros. */
static inline char *
take_place(Collector *collector, MemoryContext context, Size bytes)
{
	Size		aligned = att_align_nominal(bytes, collector->alignment);
	char	   *place;

	reserve(collector, context, aligned);
	place = collector->data + collector->bytes;
	if (aligned > bytes)
		memset(place + bytes, 0, aligned - bytes);
	collector->bytes += aligned;
	return place;
}

/* Writes a value that is passed by reference.  A varlena is written with a header of 4 bytes. */
static void
append_reference(Collector *collector, MemoryContext context, Datum value)
{
	char	   *source = DatumGetPointer(value);
	char	   *detoasted = NULL;
	Size		bytes;

	if (collector->length == -1 && VARATT_IS_SHORT(source) && !VARATT_IS_EXTERNAL(source))
	{
		Size		length = VARSIZE_SHORT(source) - VARHDRSZ_SHORT;
		char	   *place = take_place(collector, context, VARHDRSZ + length);

		SET_VARSIZE(place, VARHDRSZ + length);
		memcpy(VARDATA(place), VARDATA_SHORT(source), length);
		return;
	}
	if (collector->length == -1 && VARATT_IS_EXTENDED(source))
		source = detoasted = (char *) PG_DETOAST_DATUM(value);
	bytes = att_addlength_pointer(0, collector->length, source);
	memcpy(take_place(collector, context, bytes), source, bytes);
	if (detoasted)
		pfree(detoasted);
}

/* Appends a value of any type, NULL or not, and enlarges the buffers if necessary. */
void
gpusort_collector_append_any(Collector *collector, MemoryContext context, Datum value, bool isnull)
{
	if (unlikely(isnull || collector->bitmap != NULL))
		append_bit(collector, context, isnull);
	if (!isnull)
	{
		if (collector->by_value)
		{
			reserve(collector, context, sizeof(Datum));
			store_att_byval(collector->data + collector->bytes, value, collector->length);
			collector->bytes += att_align_nominal(collector->length, collector->alignment);
		}
		else
			append_reference(collector, context, value);
	}
	collector->count++;
}

/* Makes place for values that are none of them NULL, to be stored there as in an array. */
char *
gpusort_collector_extend(Collector *collector, MemoryContext context, int64 count, Size bytes)
{
	char	   *place;

	Assert(collector->bitmap == NULL);
	reserve(collector, context, bytes);
	place = collector->data + collector->bytes;
	collector->bytes += bytes;
	collector->count += count;
	return place;
}

/*
 * Copies the value at a place of the data, which need not be aligned, to the current memory context.  Moves the place
 * to the next one.
 */
Datum
gpusort_collector_take(const Collector *collector, Size *place)
{
	const char *source = collector->data + *place;
	Size		bytes = collector->length;
	varattrib_4b header;
	char	   *copy;

	if (collector->length == -1)
	{
		memcpy(&header, source, VARHDRSZ);
		bytes = VARSIZE_4B(&header);
	}
	else if (collector->length == -2)
		bytes = strlen(source) + 1;
	copy = palloc(bytes);
	memcpy(copy, source, bytes);
	*place = att_align_nominal(*place + bytes, collector->alignment);
	return fetch_att(copy, collector->by_value, collector->length);
}

/* Appends values that are stored as in an array. */
static void
append_image(Collector *collector, MemoryContext context, int64 count, const uint8 *bitmap,
			 const char *data, Size bytes)
{
	check_size(collector->count + count, collector->bytes + bytes);
	reserve(collector, context, bytes);
	if (bitmap != NULL || collector->bitmap != NULL)
	{
		reserve_bits(collector, context, count);
		array_bitmap_copy(collector->bitmap, collector->count, bitmap, 0, count);
	}
	gpusort_copy_bytes(collector->data + collector->bytes, data, bytes);
	collector->bytes += bytes;
	collector->count += count;
}

/* Appends all values of another collector of the same type. */
void
gpusort_collector_concat(Collector *collector, MemoryContext context, const Collector *more)
{
	Assert(collector->type == more->type);
	append_image(collector, context, more->count, more->bitmap, more->data, more->bytes);
}

/* Forgets values and buffers, and frees nothing. */
void
gpusort_collector_clear(Collector *collector)
{
	collector->count = 0;
	collector->bytes = collector->capacity = collector->bitmap_capacity = 0;
	collector->data = NULL;
	collector->bitmap = NULL;
}

/* Forgets values, which have no NULLs, and frees their buffer. */
void
gpusort_collector_free(Collector *collector)
{
	if (collector->capacity > 0)
		pfree(collector->data);
	gpusort_collector_clear(collector);
}

/* Replaces the values by those of an array. */
void
gpusort_collector_refill(Collector *collector, MemoryContext context, ArrayType *array)
{
	if (collector->bitmap_capacity > 0)
		pfree(collector->bitmap);
	collector->bitmap = NULL;
	collector->bitmap_capacity = 0;
	collector->count = 0;
	collector->bytes = 0;
	append_image(collector, context, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), ARR_NULLBITMAP(array),
				 ARR_DATA_PTR(array), ARR_SIZE(array) - ARR_DATA_OFFSET(array));
}

/* Makes an empty collector have the values of an array, which stay where they are. */
void
gpusort_collector_view(Collector *collector, ArrayType *array)
{
	collector->count = gpusort_array_length(array);
	collector->data = ARR_DATA_PTR(array);
	collector->bytes = collector->count == 0 ? 0 : ARR_SIZE(array) - ARR_DATA_OFFSET(array);
	collector->bitmap = collector->count == 0 ? NULL : ARR_NULLBITMAP(array);
}

/*
 * Makes a one-dimensional array of the values, in the order they were collected, in the
 * current memory context.
 */
ArrayType *
gpusort_collector_array(const Collector *collector)
{
	bool		has_nulls = collector->bitmap != NULL;
	Size		offset = has_nulls ? ARR_OVERHEAD_WITHNULLS(1, collector->count) : ARR_OVERHEAD_NONULLS(1);
	ArrayType  *array;

	if (collector->count == 0)
		return construct_empty_array(collector->type);
	check_size(collector->count, offset + collector->bytes);
	array = gpusort_array_allocate(collector->type, collector->count, has_nulls, collector->bytes, 1);
	if (has_nulls)
		array_bitmap_copy(ARR_NULLBITMAP(array), 0, collector->bitmap, 0, collector->count);
	gpusort_copy_bytes(ARR_DATA_PTR(array), collector->data, collector->bytes);
	return array;
}
