/*
 * value_codec.c
 *	  Writes values of any type as bytes, and reads bytes that may be forged.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "functions/value_codec.h"
#include "keys/key_types.h"

/* Raises the error for bytes that no version of this module has written. */
void
gpusort_codec_refuse(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("serialized state of a set aggregate is not valid"),
			 errdetail_internal("%s", detail)));
}

static void
write_name(StringInfo bytes, const char *name)
{
	int			length = strlen(name);

	pq_sendbyte(bytes, length);
	appendBinaryStringInfo(bytes, name, length);
}

static void
read_name(StringInfo bytes, char *name)
{
	int			length = pq_getmsgbyte(bytes);

	if (length >= NAMEDATALEN)
		gpusort_codec_refuse("A name is too long.");
	pq_copymsgbytes(bytes, name, length);
	name[length] = '\0';
	if (strlen(name) != length)
		gpusort_codec_refuse("A name holds a zero byte.");
}

void
gpusort_catalog_name_write(StringInfo bytes, const CatalogName *name)
{
	write_name(bytes, name->schema);
	write_name(bytes, name->name);
}

void
gpusort_catalog_name_read(StringInfo bytes, CatalogName *name)
{
	read_name(bytes, name->schema);
	read_name(bytes, name->name);
}

/* Fills in a name of the catalogs. */
static void
fill_catalog_name(CatalogName *target, Oid schema, const char *name)
{
	char	   *schema_name = get_namespace_name(schema);

	if (schema_name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema with OID %u does not exist", schema)));
	strlcpy(target->schema, schema_name, NAMEDATALEN);
	strlcpy(target->name, name, NAMEDATALEN);
	pfree(schema_name);
}

/* The name of a collation; empty for none. */
void
gpusort_catalog_name_of_collation(CatalogName *name, Oid collation)
{
	HeapTuple	tuple;
	Form_pg_collation form;

	memset(name, 0, sizeof(CatalogName));
	if (!OidIsValid(collation))
		return;
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("collation with OID %u does not exist", collation)));
	form = (Form_pg_collation) GETSTRUCT(tuple);
	fill_catalog_name(name, form->collnamespace, NameStr(form->collname));
	ReleaseSysCache(tuple);
}

/*
 * Schemas are looked up without a check for USAGE.  The query was allowed to use the type
 * when it was parsed; the role that runs it, through a view, may not be.
 */
static Oid
find_schema(const CatalogName *name, const char *kind)
{
	Oid			schema = GetSysCacheOid1(NAMESPACENAME, Anum_pg_namespace_oid, CStringGetDatum(name->schema));

	if (!OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema \"%s\" does not exist", name->schema),
				 errdetail("A serialized state of a set aggregate needs its %s \"%s\".", kind, name->name)));
	return schema;
}

/* The type of that name; an error if there is none. */
Oid
gpusort_catalog_find_type(const CatalogName *name)
{
	Oid			schema = find_schema(name, "type");
	Oid			type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name->name), ObjectIdGetDatum(schema));

	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type \"%s.%s\" does not exist", name->schema, name->name)));
	return type;
}

/* The collation of that name that fits the database's encoding; none for an empty name. */
Oid
gpusort_catalog_find_collation(const CatalogName *name)
{
	const int	encodings[] = {GetDatabaseEncoding(), -1};
	Oid			schema;

	if (name->name[0] == '\0')
		return InvalidOid;
	schema = find_schema(name, "collation");
	for (int i = 0; i < lengthof(encodings); i++)
	{
		Oid			collation = GetSysCacheOid3(COLLNAMEENCNSP, Anum_pg_collation_oid, CStringGetDatum(name->name),
												Int32GetDatum(encodings[i]), ObjectIdGetDatum(schema));

		if (OidIsValid(collation))
			return collation;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("collation \"%s.%s\" for encoding \"%s\" does not exist", name->schema, name->name,
					GetDatabaseEncodingName())));
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
	codec->type = type;
	codec->length = entry->typlen;
	codec->by_value = entry->typbyval;
	codec->alignment = entry->typalign;
	codec->parameter = getTypeIOParam(tuple);
	codec->way = has_image(type, form) ? VALUE_IMAGE : has_binary_form(type) ? VALUE_BINARY : VALUE_PRINTED;
	fill_catalog_name(&codec->type_name, entry->typnamespace, NameStr(entry->typname));
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

/* Appends the value's length and bytes.  Leaves garbage in the current memory context. */
void
gpusort_codec_write(StringInfo bytes, ValueCodec *codec, Datum value)
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
Datum
gpusort_codec_read(StringInfo bytes, ValueCodec *codec)
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
