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

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "arrays/array_shape.h"
#include "functions/collector_wire.h"
#include "keys/key_types.h"
#include "keys/numeric_key.h"
#include "large_memory.h"

/* The letter and the numbers take at most this many bytes. */
#define HEADER_BYTES 16

/* Raises the error for bytes that no version of this module has written. */
void
gpusort_codec_refuse(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("serialized state of a set aggregate is not valid"),
			 errdetail_internal("%s", detail)));
}

/* True if the type, and all types that its values contain, have send and receive functions. */
static bool
has_binary_form(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;
	bool		binary;
	char		kind;
	Oid			element;

	check_stack_depth();
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_type) GETSTRUCT(tuple);
	binary = OidIsValid(form->typsend) && OidIsValid(form->typreceive) && type != RECORDOID;
	kind = form->typtype;
	element = IsTrueArrayType(form) ? form->typelem : InvalidOid;
	ReleaseSysCache(tuple);

	if (binary && OidIsValid(element))
		return has_binary_form(element);
	if (binary && kind == TYPTYPE_DOMAIN)
		return has_binary_form(getBaseType(type));
	if (binary && kind == TYPTYPE_RANGE)
		return has_binary_form(get_range_subtype(type));
	if (binary && kind == TYPTYPE_MULTIRANGE)
		return has_binary_form(get_multirange_range(type));
	if (binary && kind == TYPTYPE_COMPOSITE)
	{
		TupleDesc	columns = lookup_rowtype_tupdesc(type, -1);

		for (int i = 0; binary && i < columns->natts; i++)
			binary = TupleDescAttr(columns, i)->attisdropped || has_binary_form(TupleDescAttr(columns, i)->atttypid);
		ReleaseTupleDesc(columns);
	}
	return binary;
}

/* True if the values are written as an image.  A domain's values are not: they are checked one by one. */
static bool
has_image(Oid type, CodecForm form)
{
	GpusortKeyForm key_form;

	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case NUMERICOID:
		case BYTEAOID:
		case UUIDOID:
			return true;
		default:
			return (type < FirstNormalObjectId && gpusort_keys_form(type, &key_form)) ||
				(form == CODEC_STORED && type_is_enum(type));
	}
}

/* Makes a codec for the type.  Raises an error for a type that has no values. */
ValueCodec *
gpusort_codec_create(Oid type, CodecForm form, MemoryContext context)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	ValueCodec *codec = MemoryContextAllocZero(context, sizeof(ValueCodec));
	Form_pg_type entry;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type with OID %u does not exist", type)));
	entry = (Form_pg_type) GETSTRUCT(tuple);
	if (!entry->typisdefined || (entry->typtype == TYPTYPE_PSEUDO && type != CSTRINGOID))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values of type %s cannot be sent to another process", format_type_be(type)),
				 type == RECORDOID || type == RECORDARRAYOID ?
				 errhint("Cast rows to a composite type, or set \"max_parallel_workers_per_gather\" to 0.") : 0));
	codec->none = (Collector) {.type = type,.length = entry->typlen,.by_value = entry->typbyval,.alignment = entry->typalign};
	codec->parameter = getTypeIOParam(tuple);
	codec->way = has_image(type, form) ? VALUE_IMAGE : has_binary_form(type) ? VALUE_BINARY : VALUE_PRINTED;
	if (codec->way == VALUE_BINARY)
	{
		fmgr_info_cxt(entry->typsend, &codec->writer, context);
		fmgr_info_cxt(entry->typreceive, &codec->reader, context);
		codec->is_array = OidIsValid(get_base_element_type(type));
	}
	else if (codec->way == VALUE_PRINTED)
	{
		fmgr_info_cxt(entry->typoutput, &codec->writer, context);
		fmgr_info_cxt(entry->typinput, &codec->reader, context);
	}
	ReleaseSysCache(tuple);
	return codec;
}

/* Bytes that the collector takes when written.  A guess where values are written one by one. */
Size
gpusort_collector_wire_size(const Collector *collector)
{
	return HEADER_BYTES + collector->bytes + GPUSORT_BITMAP_BYTES(collector->count);
}

/* Appends a bitmap.  The bits behind that of the last value become 0. */
static void
append_bitmap(StringInfo bytes, const uint8 *bitmap, uint32 count)
{
	appendBinaryStringInfo(bytes, (const char *) bitmap, GPUSORT_BITMAP_BYTES(count));
	if (count % 8 != 0)
		bytes->data[bytes->len - 1] &= (1 << count % 8) - 1;
}

/* Appends the value's length and bytes.  Leaves garbage in the current memory context. */
static void
write_value(StringInfo bytes, ValueCodec *codec, Datum value)
{
	int			start = bytes->len;
	uint32		length;

	pq_sendint32(bytes, 0);
	if (codec->way == VALUE_PRINTED)
		appendStringInfoString(bytes, OutputFunctionCall(&codec->writer, value));
	else
	{
		bytea	   *sent = SendFunctionCall(&codec->writer, value);

		appendBinaryStringInfo(bytes, VARDATA(sent), VARSIZE(sent) - VARHDRSZ);
	}
	length = pg_hton32(bytes->len - start - sizeof(length));
	memcpy(bytes->data + start, &length, sizeof(length));
}

/*
 * Refuses an array that claims more elements than its bytes can hold; each has a length of
 * 4 bytes.  array_recv would allocate memory for all of them before it reads any.
 */
static void
check_array(const StringInfoData *array)
{
	StringInfoData bytes = *array;
	uint32		ndim = pq_getmsgint(&bytes, 4);
	uint64		elements = 1;

	pq_getmsgbytes(&bytes, 8);	/* flags, and the elements' type */
	for (uint32 i = 0; i < Min(ndim, MAXDIM); i++)
	{
		elements *= (uint32) pq_getmsgint(&bytes, 4);
		pq_getmsgbytes(&bytes, 4);	/* lower bound */
		if (elements > bytes.len / 4)
			gpusort_codec_refuse("An array is longer than its bytes.");
	}
}

/* Reads a value.  The value and garbage lie in the current memory context. */
static Datum
read_value(StringInfo bytes, ValueCodec *codec)
{
	int			length = pq_getmsgint(bytes, 4);
	const char *sent = pq_getmsgbytes(bytes, length);
	StringInfoData copy = {.data = palloc(length + 1),.len = length,.maxlen = length + 1};
	Datum		value;

	/* Receive functions may rely on a zero byte behind what they read. */
	memcpy(copy.data, sent, length);
	copy.data[length] = '\0';
	if (codec->way == VALUE_PRINTED)
	{
		pg_verifymbstr(copy.data, length, false);
		return InputFunctionCall(&codec->reader, copy.data, codec->parameter, -1);
	}
	if (codec->is_array)
		check_array(&copy);
	value = ReceiveFunctionCall(&codec->reader, &copy, codec->parameter, -1);
	if (copy.cursor != copy.len)
		gpusort_codec_refuse("A value is shorter than it says.");
	return value;
}

/* Sets settings so that values can be printed and read back unchanged. */
static void
set_lossless(void)
{
	static const char *const settings[][2] = {
		{"datestyle", "ISO"}, {"intervalstyle", "postgres"}, {"extra_float_digits", "3"}
	};

	for (int i = 0; i < lengthof(settings); i++)
		set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * Writes the values of a collector one by one, or reads as many and appends them, in the current memory context.
 *
 * Send and receive functions of texts convert to and from the client's encoding, which may differ from process to
 * process.  Between processes the database's is used.
 */
static void
convert_values(StringInfo bytes, Collector *collector, ValueCodec *codec, uint32 count, bool is_written)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(caller, "gpusort values", ALLOCSET_DEFAULT_SIZES);
	int			client_encoding = pg_get_client_encoding();
	int			level = codec->way == VALUE_PRINTED ? NewGUCNestLevel() : 0;
	Size		place = 0;

	if (level > 0)
		set_lossless();
	SetClientEncoding(GetDatabaseEncoding());
	MemoryContextSwitchTo(scratch);
	PG_TRY();
	{
		for (uint32 i = 0; i < count; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (is_written)
				write_value(bytes, codec, gpusort_collector_take(collector, &place));
			else
				gpusort_collector_append(collector, caller, read_value(bytes, codec), false);
			MemoryContextReset(scratch);
		}
	}
	PG_FINALLY();
	{
		SetClientEncoding(client_encoding);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	if (level > 0)
		AtEOXact_GUC(true, level);
}

/* Appends the collector's values to the bytes. */
void
gpusort_collector_write(StringInfo bytes, const Collector *collector, ValueCodec *codec)
{
	Collector	written = *collector;
	uint32		present = collector->count - gpusort_bitmap_count_nulls(collector->bitmap, collector->count);

	pq_sendbyte(bytes, codec->way);
	pq_sendint32(bytes, collector->count);
	pq_sendbyte(bytes, collector->bitmap != NULL);
	if (collector->bitmap != NULL)
		append_bitmap(bytes, collector->bitmap, collector->count);
	if (codec->way != VALUE_IMAGE)
	{
		convert_values(bytes, &written, codec, present, true);
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

/* Refuses content of a varlena that the receive function of its type would not have made. */
static void
check_content(Oid type, const char *data, Size bytes)
{
	if (type == NUMERICOID)
	{
		if (!gpusort_numeric_is_valid((const uint8 *) data, bytes))
			gpusort_codec_refuse("A numeric is none that numeric_recv makes.");
	}
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
read_image(StringInfo bytes, Collector *collector, uint32 present)
{
	uint32		size = pq_getmsgint(bytes, 4);
	const char *data = pq_getmsgbytes(bytes, size);
	Oid			type = collector->type;

	if (collector->length < 0)
		check_varlenas(data, size, present, type);
	else if (size != (Size) present * att_align_nominal(collector->length, collector->alignment))
		gpusort_codec_refuse("Numbers take more or less space than it says.");
	if (type == DATEOID || type == TIMEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		check_dates(type, data, present);
	collector->data = (char *) data;
	collector->bytes = size;
}

/* Reads the next values, of the codec's type.  The collector may point into the bytes afterwards. */
void
gpusort_collector_read(StringInfo bytes, Collector *collector, ValueCodec *codec)
{
	int			way = pq_getmsgbyte(bytes);
	uint32		count = pq_getmsgint(bytes, 4);
	bool		has_bitmap = pq_getmsgbyte(bytes) != 0;
	const uint8 *bitmap = NULL;
	uint32		present;

	if (way != codec->way)
		gpusort_codec_refuse("Values of its type travel in another way.");
	if (count > MaxArraySize)
		gpusort_codec_refuse("There are more values than an array can hold.");
	if (has_bitmap)
		bitmap = (const uint8 *) pq_getmsgbytes(bytes, GPUSORT_BITMAP_BYTES(count));
	present = count - gpusort_bitmap_count_nulls(bitmap, count);
	*collector = codec->none;
	if (codec->way == VALUE_IMAGE)
		read_image(bytes, collector, present);
	else
		convert_values(bytes, collector, codec, present, false);
	collector->count = count;
	collector->bitmap = (uint8 *) bitmap;
}
