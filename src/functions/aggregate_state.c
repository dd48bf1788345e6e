/*
 * aggregate_state.c
 *	  The states of the set aggregates as bytes; aggregate_state.h has the format.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "functions/aggregate_state.h"
#include "functions/arguments.h"

#define MAGIC "GSS"
#define FLAG_DESCENDING 1
#define FLAG_NULLS_FIRST 2
#define FLAGS_KNOWN 3

#ifdef WORDS_BIGENDIAN
#define BYTE_ORDER_MARK 'b'
#else
#define BYTE_ORDER_MARK 'l'
#endif

/* Bytes before the head: "GSS", version and length. */
#define BEFORE_HEAD 6

/* The version of each form. */
#define VERSION_OF(form) ((form) == CODEC_STORED ? 2 : 1)

/*
 * The last head of a form that a call site wrote or read.  The states of a query are mostly alike:
 * their heads are then written or compared as bytes, and no type is looked up again.
 */
typedef struct StateCache
{
	CodecForm	form;
	MemoryContext context;		/* holds the head and the codecs, and nothing of another head */
	char	   *head;			/* NULL before the first */
	int			length;
	AggregateState alike;	/* a state with this head and no values */
	ValueCodec *values;
	ValueCodec *keys;			/* NULL for kinds without keys */
} StateCache;

static StateCache *
state_cache(FunctionCallInfo fcinfo, CodecForm form)
{
	CallCache  *cache = gpusort_call_cache(fcinfo);
	StateCache *states = cache->of_function;

	if (states == NULL)
	{
		MemoryContext call_site = fcinfo->flinfo->fn_mcxt;

		states = MemoryContextAllocZero(call_site, (CODEC_STORED + 1) * sizeof(StateCache));
		for (int i = CODEC_SENT; i <= CODEC_STORED; i++)
		{
			states[i].form = i;
			states[i].context = AllocSetContextCreate(call_site, "gpusort set head", ALLOCSET_SMALL_SIZES);
		}
		cache->of_function = states;
	}
	return &states[form];
}

/* Frees the last head and its codecs. */
static void
forget_head(StateCache *cache)
{
	cache->head = NULL;
	MemoryContextReset(cache->context);
}

/* Remembers the bytes of a head. */
static void
keep_head(StateCache *cache, const char *head, int length)
{
	cache->head = MemoryContextAlloc(cache->context, length);
	memcpy(cache->head, head, length);
	cache->length = length;
}

/* True if the state's head is the one in the cache. */
static bool
is_alike(const StateCache *cache, const AggregateState *state)
{
	const AggregateState *alike = &cache->alike;

	return cache->head != NULL && alike->kind == state->kind &&
		alike->values.type == state->values.type && alike->keys.type == state->keys.type &&
		alike->order.collation == state->order.collation && alike->order.descending == state->order.descending &&
		alike->order.nulls_first == state->order.nulls_first && alike->order.limit == state->order.limit &&
		alike->order.buckets == state->order.buckets;
}

/* True if the number in the head is a limit. */
static bool
has_limit(SetKind kind)
{
	return kind == SET_TOP_N || kind == SET_TOP_N_BY;
}

static void
write_name(StringInfo head, const char *name)
{
	int			length = strlen(name);

	pq_sendbyte(head, length);
	appendBinaryStringInfo(head, name, length);
}

/* Writes the names of a schema and of an object in it. */
static void
write_qualified(StringInfo head, Oid schema, const char *name)
{
	char	   *schema_name = get_namespace_name(schema);

	if (schema_name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema with OID %u does not exist", schema)));
	write_name(head, schema_name);
	write_name(head, name);
}

static void
write_collation(StringInfo head, Oid collation)
{
	HeapTuple	tuple;
	Form_pg_collation form;

	if (!OidIsValid(collation))
	{
		write_name(head, "");
		write_name(head, "");
		return;
	}
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("collation with OID %u does not exist", collation)));
	form = (Form_pg_collation) GETSTRUCT(tuple);
	write_qualified(head, form->collnamespace, NameStr(form->collname));
	ReleaseSysCache(tuple);
}

/* Writes a type that a codec was found for. */
static void
write_type(StringInfo head, CodecForm form, Oid type)
{
	HeapTuple	tuple;
	Form_pg_type entry;

	if (form == CODEC_STORED)
	{
		pq_sendint32(head, type);
		return;
	}
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	entry = (Form_pg_type) GETSTRUCT(tuple);
	write_qualified(head, entry->typnamespace, NameStr(entry->typname));
	ReleaseSysCache(tuple);
}

/* Makes the head of states like this one. */
static void
make_head(StateCache *cache, const AggregateState *state)
{
	StringInfoData head;

	forget_head(cache);
	cache->values = gpusort_codec_create(state->values.type, cache->form, cache->context);
	cache->keys = gpusort_agg_has_keys(state->kind) ? gpusort_codec_create(state->keys.type, cache->form, cache->context) : NULL;
	initStringInfo(&head);
	pq_sendbyte(&head, BYTE_ORDER_MARK);
	pq_sendbyte(&head, state->kind);
	pq_sendbyte(&head, (state->order.descending ? FLAG_DESCENDING : 0) |
				(state->order.nulls_first ? FLAG_NULLS_FIRST : 0));
	pq_sendint32(&head, has_limit(state->kind) ? state->order.limit : state->order.buckets);
	write_name(&head, GetDatabaseEncodingName());
	write_collation(&head, state->order.collation);
	write_type(&head, cache->form, state->values.type);
	if (cache->keys != NULL)
		write_type(&head, cache->form, state->keys.type);
	keep_head(cache, head.data, head.len);
	pfree(head.data);
	cache->alike = (AggregateState)
	{
		.magic = GPUSORT_AGGREGATE_STATE_MAGIC,
		.kind = state->kind,
		.order = state->order,
		.values.type = state->values.type,
		.keys.type = state->keys.type
	};
}

bytea *
gpusort_agg_state_write(FunctionCallInfo fcinfo, const AggregateState *state, CodecForm form)
{
	StateCache *cache = state_cache(fcinfo, form);
	StringInfoData bytes = {.len = VARHDRSZ};
	Size		size;

	if (!is_alike(cache, state))
		make_head(cache, state);
	size = VARHDRSZ + BEFORE_HEAD + cache->length + gpusort_collector_wire_size(&state->values) +
		gpusort_collector_wire_size(&state->keys);
	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("sorted set of a parallel worker exceeds the maximum size of a value (%zu bytes)", MaxAllocSize),
				 errhint("Use ORDER BY to get the values as rows, or set \"max_parallel_workers_per_gather\" to 0.")));
	bytes.data = palloc(size);
	bytes.maxlen = size;
	appendBinaryStringInfo(&bytes, MAGIC, strlen(MAGIC));
	pq_sendbyte(&bytes, VERSION_OF(form));
	pq_sendint16(&bytes, cache->length);
	appendBinaryStringInfo(&bytes, cache->head, cache->length);
	gpusort_collector_write(&bytes, &state->values, cache->values);
	if (cache->keys != NULL)
		gpusort_collector_write(&bytes, &state->keys, cache->keys);
	SET_VARSIZE(bytes.data, bytes.len);
	return (bytea *) bytes.data;
}

/* Refuses bytes that are not a state, or that another version has written. */
static void
read_version(StringInfo bytes, CodecForm form)
{
	int			version;

	if (memcmp(pq_getmsgbytes(bytes, strlen(MAGIC)), MAGIC, strlen(MAGIC)) != 0)
		gpusort_codec_refuse("It does not begin as one.");
	version = pq_getmsgbyte(bytes);
	if (version != VERSION_OF(form))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("serialized state of a set aggregate has version %d, not %d", version, VERSION_OF(form))));
}

static void
read_byte_order(StringInfo head)
{
	if (pq_getmsgbyte(head) != BYTE_ORDER_MARK)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("serialized state of a set aggregate comes from a machine of another byte order")));
}

static const char *
read_name(StringInfo head)
{
	int			length = pq_getmsgbyte(head);
	char	   *name = pnstrdup(pq_getmsgbytes(head, length), length);

	if (length >= NAMEDATALEN || strlen(name) != length)
		gpusort_codec_refuse("A name is too long, or holds a zero byte.");
	return name;
}

static void
read_encoding(StringInfo head)
{
	if (strcmp(read_name(head), GetDatabaseEncodingName()) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("serialized state of a set aggregate is not in the encoding of this database, %s",
						GetDatabaseEncodingName())));
}

/*
 * Schemas are looked up without a check for USAGE.  The query was allowed to use the type
 * when it was parsed; the role that runs it, through a view, may not be.
 */
static Oid
find_type(const char *schema, const char *name)
{
	Oid			type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
									   ObjectIdGetDatum(get_namespace_oid(schema, false)));

	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type \"%s.%s\" does not exist", schema, name)));
	return type;
}

/* The collation of that name that fits the database's encoding. */
static Oid
find_collation(const char *schema, const char *name)
{
	const int	encodings[] = {GetDatabaseEncoding(), -1};
	Oid			schema_oid = get_namespace_oid(schema, false);

	for (int i = 0; i < lengthof(encodings); i++)
	{
		Oid			collation = GetSysCacheOid3(COLLNAMEENCNSP, Anum_pg_collation_oid, CStringGetDatum(name),
												Int32GetDatum(encodings[i]), ObjectIdGetDatum(schema_oid));

		if (OidIsValid(collation))
			return collation;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("collation \"%s.%s\" for encoding \"%s\" does not exist", schema, name, GetDatabaseEncodingName())));
}

/* Reads the kind and the order, without the collation. */
static void
read_order(StringInfo head, AggregateState *state)
{
	int			kind = pq_getmsgbyte(head);
	int			flags = pq_getmsgbyte(head);
	uint32		number = pq_getmsgint(head, 4);
	bool		valid;

	switch (kind)
	{
		case SET_SORTED:
		case SET_SORTED_BY:
		case SET_VALUES:
		case SET_PERCENTILE:
		case SET_DISTINCT:
			valid = number == 0;
			break;
		case SET_TOP_N:
		case SET_TOP_N_BY:
			valid = number <= PG_INT32_MAX;
			break;
		case SET_APPROXIMATE:
		case SET_HISTOGRAM:
			valid = number >= 1 && number <= PG_INT32_MAX;
			break;
		default:
			valid = false;
	}
	if (!valid || (flags & ~FLAGS_KNOWN) != 0)
		gpusort_codec_refuse("Its kind or order is unknown.");
	state->kind = kind;
	state->order.descending = (flags & FLAG_DESCENDING) != 0;
	state->order.nulls_first = (flags & FLAG_NULLS_FIRST) != 0;
	state->order.limit = has_limit(kind) ? number : PG_UINT32_MAX;
	state->order.buckets = has_limit(kind) ? 0 : number;
}

/* The codec of the type that comes next. */
static ValueCodec *
read_codec(StringInfo head, const StateCache *cache)
{
	const char *schema;
	Oid			type;

	if (cache->form == CODEC_STORED)
		type = pq_getmsgint(head, 4);
	else
	{
		schema = read_name(head);
		type = find_type(schema, read_name(head));
	}
	return gpusort_codec_create(type, cache->form, cache->context);
}

/* Reads a head that differs from the one in the cache. */
static void
read_head(StateCache *cache, const char *sent, int length)
{
	StringInfoData head = {.data = (char *) sent,.len = length,.maxlen = length};
	AggregateState alike = {.magic = GPUSORT_AGGREGATE_STATE_MAGIC};
	const char *schema;
	const char *collation;
	GpusortKeyForm form;

	forget_head(cache);
	read_byte_order(&head);
	read_order(&head, &alike);
	read_encoding(&head);
	schema = read_name(&head);
	collation = read_name(&head);
	if (collation[0] != '\0')
		alike.order.collation = find_collation(schema, collation);
	cache->values = read_codec(&head, cache);
	alike.values = cache->values->none;
	if (alike.order.buckets > 0 && !gpusort_keys_form(alike.values.type, &form))
		gpusort_refuse_intervals(alike.values.type);
	cache->keys = gpusort_agg_has_keys(alike.kind) ? read_codec(&head, cache) : NULL;
	if (cache->keys != NULL)
		alike.keys = cache->keys->none;
	pq_getmsgend(&head);
	keep_head(cache, sent, length);
	cache->alike = alike;
}

/* Refuses a state that has other numbers of keys or NULLs than states of its kind. */
static void
check_counts(const AggregateState *state)
{
	if (gpusort_agg_is_by_key(state->kind) && state->keys.count != state->values.count)
		gpusort_codec_refuse("There are more values than keys, or fewer.");
	if (state->kind == SET_PERCENTILE &&
		((state->keys.type != FLOAT8OID && state->keys.type != FLOAT8ARRAYOID) || state->keys.count != 1))
		gpusort_codec_refuse("Its fraction is not one.");
	if (gpusort_agg_leaves_nulls_out(state->kind) && state->values.bitmap != NULL)
		gpusort_codec_refuse("There are NULLs among its values.");
}

AggregateState *
gpusort_agg_state_read(FunctionCallInfo fcinfo, bytea *sent, CodecForm form, AggregateStateCheck check)
{
	StateCache *cache = state_cache(fcinfo, form);
	AggregateState *state = palloc(sizeof(AggregateState));
	StringInfoData bytes = {
		.data = VARDATA_ANY(sent),
		.len = VARSIZE_ANY_EXHDR(sent),
		.maxlen = VARSIZE_ANY_EXHDR(sent)
	};
	int			length;
	const char *head;

	read_version(&bytes, form);
	length = pq_getmsgint(&bytes, 2);
	head = pq_getmsgbytes(&bytes, length);
	if (cache->head == NULL || cache->length != length || memcmp(cache->head, head, length) != 0)
		read_head(cache, head, length);
	*state = cache->alike;
	if (check != NULL)
		check(fcinfo, state);
	state->context = CurrentMemoryContext;
	gpusort_collector_read(&bytes, &state->values, cache->values);
	if (cache->keys != NULL)
		gpusort_collector_read(&bytes, &state->keys, cache->keys);
	check_counts(state);
	pq_getmsgend(&bytes);
	return state;
}
