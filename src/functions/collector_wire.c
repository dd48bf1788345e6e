/*
 * collector_wire.c
 *	  Writes a collector's values as bytes, and reads bytes that may be forged.
 *
 * Images are read where they lie: the collector that was read points into the bytes.
 * The checks that a type's receive function makes of each value are made of the image
 * in one pass.  Dates and times must lie within their ranges.  Texts must be
 * uncompressed, inside the image and in the database's encoding.  Numerics must be as
 * numeric_recv makes them.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/date.h"
#include "utils/memutils.h"

#include "arrays/array_shape.h"
#include "functions/collector_wire.h"
#include "large_memory.h"

/* Bytes that the collector takes when written.  A guess where values are written one by one. */
Size
gpusort_collector_wire_size(const Collector *collector)
{
	return GPUSORT_COLLECTOR_HEADER + collector->bytes + GPUSORT_BITMAP_BYTES(collector->count);
}

/* Appends a bitmap.  The bits behind that of the last value become 0. */
static void
append_bitmap(StringInfo bytes, const uint8 *bitmap, uint32 count)
{
	appendBinaryStringInfo(bytes, (const char *) bitmap, GPUSORT_BITMAP_BYTES(count));
	if (count % 8 != 0)
		bytes->data[bytes->len - 1] &= (1 << count % 8) - 1;
}

/* Writes the values that are not NULL one by one.  Those of a collector that was read are not aligned in memory. */
static void
write_values(StringInfo bytes, const Collector *collector, ValueCodec *codec)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	uint32		present = collector->count - gpusort_bitmap_count_nulls(collector->bitmap, collector->count);
	Size		place = 0;

	for (uint32 i = 0; i < present; i++)
	{
		const char *next = collector->data + place;
		int64		stored;

		CHECK_FOR_INTERRUPTS();
		if (codec->by_value)
			next = memcpy(&stored, next, codec->length);
		gpusort_codec_write(bytes, codec, fetch_att(next, codec->by_value, codec->length));
		place = att_align_nominal(att_addlength_pointer(place, codec->length, next), codec->alignment);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/* Appends the collector's values to the bytes. */
void
gpusort_collector_write(StringInfo bytes, const Collector *collector, ValueCodec *codec)
{
	pq_sendbyte(bytes, codec->way);
	pq_sendint32(bytes, collector->count);
	pq_sendbyte(bytes, collector->bitmap != NULL);
	if (collector->bitmap != NULL)
		append_bitmap(bytes, collector->bitmap, collector->count);
	if (codec->way != VALUE_IMAGE)
	{
		write_values(bytes, collector, codec);
		return;
	}
	pq_sendint32(bytes, collector->bytes);
	enlargeStringInfo(bytes, collector->bytes);
	gpusort_copy_bytes(bytes->data + bytes->len, collector->data, collector->bytes);
	bytes->len += collector->bytes;
}

/* Refuses dates and times that their receive functions would refuse. */
static void
check_dates(Oid type, const char *data, uint32 count)
{
	bool		valid = true;

	for (uint32 i = 0; i < count; i++)
	{
		DateADT		date;
		int64		time;

		GPUSORT_CHECK_EVERY(i);
		if (type == DATEOID)
		{
			memcpy(&date, data + (Size) i * sizeof(date), sizeof(date));
			valid &= DATE_NOT_FINITE(date) | IS_VALID_DATE(date);
			continue;
		}
		memcpy(&time, data + (Size) i * sizeof(time), sizeof(time));
		if (type == TIMEOID)
			valid &= (time >= 0) & (time <= USECS_PER_DAY);
		else
			valid &= TIMESTAMP_NOT_FINITE(time) | IS_VALID_TIMESTAMP(time);
	}
	if (!valid)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("date or time in the serialized state of a set aggregate is out of range")));
}

/*
 * Refuses bytes that numeric_recv would not have made of any input, but for one thing: the
 * longer header is taken also where the shorter would do.  The stored form of numeric is
 * private to numeric.c, but the same in all versions, as it is on disk: 16 bits of header,
 * or 32 with a weight, and digits of base 10000.  A header that begins with the bits 10 has
 * sign, scale and weight in 16 bits.
 */
static void
check_numeric(const char *data, Size bytes)
{
	static const int16 powers[] = {1, 10, 100, 1000, 10000};
	uint16		header = 0;
	int16		weight = 0;
	int16		digit = 0;
	int			scale;
	int			fraction;
	Size		place = sizeof(header);
	Size		ndigits;
	bool		negative;

	if (bytes < sizeof(header) || bytes % sizeof(digit) != 0)
		gpusort_codec_refuse("A numeric has a wrong length.");
	memcpy(&header, data, sizeof(header));
	if ((header & 0xC000) == 0xC000)
	{
		/* NaN, infinity and minus infinity. */
		if (bytes != sizeof(header) || (header != 0xC000 && header != 0xD000 && header != 0xF000))
			gpusort_codec_refuse("A special numeric is unknown.");
		return;
	}
	if ((header & 0x8000) != 0)
	{
		negative = (header & 0x2000) != 0;
		scale = (header & 0x1F80) >> 7;
		weight = (header & 0x0040) != 0 ? (int16) (header | ~0x3F) : (header & 0x3F);
	}
	else
	{
		negative = (header & 0x4000) != 0;
		scale = header & 0x3FFF;
		place += sizeof(weight);
		if (bytes < place)
			gpusort_codec_refuse("A numeric has a wrong length.");
		memcpy(&weight, data + sizeof(header), sizeof(weight));
	}

	ndigits = (bytes - place) / sizeof(digit);
	if (ndigits == 0 && (weight != 0 || negative))
		gpusort_codec_refuse("A numeric is a zero with a sign.");
	for (Size i = 0; i < ndigits; i++)
	{
		memcpy(&digit, data + place + i * sizeof(digit), sizeof(digit));
		if (digit < 0 || digit >= 10000 || (digit == 0 && (i == 0 || i == ndigits - 1)))
			gpusort_codec_refuse("A numeric has a digit out of place.");
	}
	if (ndigits > (Size) PG_INT16_MAX * 2)
		gpusort_codec_refuse("A numeric has too many digits.");
	fraction = 4 * ((int) ndigits - weight - 1);
	if (ndigits > 0 && fraction > scale && (fraction - scale >= 4 || digit % powers[fraction - scale] != 0))
		gpusort_codec_refuse("A numeric has digits beyond its scale.");
}

/* Refuses content of a varlena that the receive function of its type would not have made. */
static void
check_content(Oid type, const char *data, Size bytes)
{
	if (type == NUMERICOID)
		check_numeric(data, bytes);
	else if (type != BYTEAOID)
		pg_verifymbstr(data, bytes, false);
}

/* Refuses an image unless it is uncompressed varlenas one behind the other, each valid for its type. */
static void
check_varlenas(const char *data, Size bytes, uint32 count, Oid type)
{
	Size		place = 0;

	for (uint32 i = 0; i < count; i++)
	{
		varattrib_4b header;
		Size		size;

		GPUSORT_CHECK_EVERY(i);
		if (bytes - place < VARHDRSZ)
			gpusort_codec_refuse("There are fewer values than it says.");
		memcpy(&header, data + place, VARHDRSZ);
		if (!VARATT_IS_4B_U(&header))
			gpusort_codec_refuse("A value has a header that is not plain.");
		size = VARSIZE_4B(&header);
		if (size < VARHDRSZ || size > bytes - place)
			gpusort_codec_refuse("A value is longer than all of them.");
		check_content(type, data + place + VARHDRSZ, size - VARHDRSZ);
		place = INTALIGN(place + size);
		if (place > bytes)
			gpusort_codec_refuse("The last value is not filled up.");
	}
	if (place != bytes)
		gpusort_codec_refuse("There are more values than it says.");
}

/* Makes the next image the values of the collector, without copying it. */
static void
read_image(StringInfo bytes, Collector *collector, const ValueCodec *codec, uint32 present)
{
	uint32		size = pq_getmsgint(bytes, 4);
	const char *data = pq_getmsgbytes(bytes, size);

	if (codec->length < 0)
		check_varlenas(data, size, present, codec->type);
	else if (size != (Size) present * att_align_nominal(codec->length, codec->alignment))
		gpusort_codec_refuse("Numbers take more or less space than it says.");
	if (codec->type == DATEOID || codec->type == TIMEOID || codec->type == TIMESTAMPOID || codec->type == TIMESTAMPTZOID)
		check_dates(codec->type, data, present);
	collector->data = (char *) data;
	collector->bytes = size;
}

/* Reads the next values one by one and appends them to the collector, in the current memory context. */
static void
read_values(StringInfo bytes, Collector *collector, ValueCodec *codec, const uint8 *bitmap, uint32 count)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(caller, "gpusort values", ALLOCSET_DEFAULT_SIZES);

	MemoryContextSwitchTo(scratch);
	for (uint32 i = 0; i < count; i++)
	{
		bool		isnull = bitmap != NULL && !(bitmap[i / 8] & (1 << i % 8));

		CHECK_FOR_INTERRUPTS();
		gpusort_collector_append(collector, caller, isnull ? (Datum) 0 : gpusort_codec_read(bytes, codec), isnull);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/* Reads the next values, of the codec's type.  The collector may point into the bytes afterwards. */
void
gpusort_collector_read(StringInfo bytes, Collector *collector, ValueCodec *codec)
{
	int			way = pq_getmsgbyte(bytes);
	uint32		count = pq_getmsgint(bytes, 4);
	bool		has_bitmap = pq_getmsgbyte(bytes) != 0;
	const uint8 *bitmap = NULL;

	if (way != codec->way)
		gpusort_codec_refuse("Values of its type travel in another way.");
	if (count > MaxArraySize)
		gpusort_codec_refuse("There are more values than an array can hold.");
	if (has_bitmap)
		bitmap = (const uint8 *) pq_getmsgbytes(bytes, GPUSORT_BITMAP_BYTES(count));
	memset(collector, 0, sizeof(Collector));
	collector->type = codec->type;
	collector->length = codec->length;
	collector->by_value = codec->by_value;
	collector->alignment = codec->alignment;
	if (codec->way == VALUE_IMAGE)
	{
		read_image(bytes, collector, codec, count - gpusort_bitmap_count_nulls(bitmap, count));
		collector->count = count;
		collector->bitmap = (uint8 *) bitmap;
	}
	else
		read_values(bytes, collector, codec, bitmap, count);
}
