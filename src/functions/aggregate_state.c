/*
 * aggregate_state.c
 *	  The states of the set aggregates as bytes; aggregate_state.h has the format.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "compat.h"
#include "functions/aggregate_state.h"
#include "functions/collector_wire.h"

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
	SetState	alike;			/* a state with this head and no values */
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

/* Sets settings so that values can be printed and read back unchanged.  Returns a level for end_lossless_settings. */
static int
begin_lossless_settings(const ValueCodec *codec)
{
	static const char *const settings[][2] = {
		{"datestyle", "ISO"}, {"intervalstyle", "postgres"}, {"extra_float_digits", "3"}
	};
	int			level;

	if (codec->way != VALUE_PRINTED)
		return 0;
	level = NewGUCNestLevel();
	for (int i = 0; i < lengthof(settings); i++)
		set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

static void
end_lossless_settings(int level)
{
	if (level != 0)
		AtEOXact_GUC(true, level);
}

static void
write_collector(StringInfo bytes, const Collector *collector, ValueCodec *codec)
{
	int			settings = begin_lossless_settings(codec);

	gpusort_collector_write(bytes, collector, codec);
	end_lossless_settings(settings);
}

static void
read_collector(StringInfo bytes, Collector *collector, ValueCodec *codec)
{
	int			settings = begin_lossless_settings(codec);

	gpusort_collector_read(bytes, collector, codec);
	end_lossless_settings(settings);
}

/* True if the state's head is the one in the cache. */
static bool
is_alike(const StateCache *cache, const SetState *state)
{
	const SetState *alike = &cache->alike;

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
write_type(StringInfo head, const StateCache *cache, const ValueCodec *codec)
{
	if (cache->form == CODEC_STORED)
		pq_sendint32(head, codec->type);
	else
		gpusort_catalog_name_write(head, &codec->type_name);
}

/* Makes the head of states like this one. */
static void
make_head(StateCache *cache, const SetState *state)
{
	const char *encoding = GetDatabaseEncodingName();
	CatalogName collation;
	StringInfoData head;

	forget_head(cache);
	gpusort_catalog_name_of_collation(&collation, state->order.collation);
	cache->values = gpusort_codec_create(state->values.type, cache->form, cache->context);
	cache->keys = gpusort_agg_has_keys(state->kind) ? gpusort_codec_create(state->keys.type, cache->form, cache->context) : NULL;
	initStringInfo(&head);
	pq_sendbyte(&head, BYTE_ORDER_MARK);
	pq_sendbyte(&head, state->kind);
	pq_sendbyte(&head, (state->order.descending ? FLAG_DESCENDING : 0) |
				(state->order.nulls_first ? FLAG_NULLS_FIRST : 0));
	pq_sendint32(&head, has_limit(state->kind) ? state->order.limit : state->order.buckets);
	pq_sendbyte(&head, strlen(encoding));
	appendBinaryStringInfo(&head, encoding, strlen(encoding));
	gpusort_catalog_name_write(&head, &collation);
	write_type(&head, cache, cache->values);
	if (cache->keys != NULL)
		write_type(&head, cache, cache->keys);
	keep_head(cache, head.data, head.len);
	pfree(head.data);
	cache->alike = (SetState)
	{
		.magic = GPUSORT_SET_STATE_MAGIC,
		.kind = state->kind,
		.order = state->order,
		.values.type = state->values.type,
		.keys.type = state->keys.type
	};
	cache->alike.order.nruns = 0;
	cache->alike.order.run_ends = NULL;
}

static bytea *
write_state(FunctionCallInfo fcinfo, const SetState *state, CodecForm form)
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
				 errhint("Use gpusort.order_by to get the values as rows, or set \"max_parallel_workers_per_gather\" to 0.")));
	bytes.data = palloc(size);
	bytes.maxlen = size;
	appendBinaryStringInfo(&bytes, MAGIC, strlen(MAGIC));
	pq_sendbyte(&bytes, VERSION_OF(form));
	pq_sendint16(&bytes, cache->length);
	appendBinaryStringInfo(&bytes, cache->head, cache->length);
	write_collector(&bytes, &state->values, cache->values);
	if (cache->keys != NULL)
		write_collector(&bytes, &state->keys, cache->keys);
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

static void
read_encoding(StringInfo head)
{
	const char *encoding = GetDatabaseEncodingName();
	int			length = pq_getmsgbyte(head);
	const char *sent = pq_getmsgbytes(head, length);

	if (length != strlen(encoding) || memcmp(sent, encoding, length) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("serialized state of a set aggregate is not in the encoding of this database, %s", encoding)));
}

/* Reads the kind and the order, without the collation. */
static void
read_order(StringInfo head, SetState *state)
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
		case SET_MODE:
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
	CatalogName name;

	if (cache->form == CODEC_STORED)
		return gpusort_codec_create(pq_getmsgint(head, 4), cache->form, cache->context);
	gpusort_catalog_name_read(head, &name);
	return gpusort_codec_create(gpusort_catalog_find_type(&name), cache->form, cache->context);
}

/* Reads a head that differs from the one in the cache. */
static void
read_head(StateCache *cache, const char *sent, int length)
{
	StringInfoData head = {.data = (char *) sent,.len = length,.maxlen = length};
	SetState	alike = {.magic = GPUSORT_SET_STATE_MAGIC};
	CatalogName collation;

	forget_head(cache);
	read_byte_order(&head);
	read_order(&head, &alike);
	read_encoding(&head);
	gpusort_catalog_name_read(&head, &collation);
	alike.order.collation = gpusort_catalog_find_collation(&collation);
	cache->values = read_codec(&head, cache);
	alike.values.type = cache->values->type;
	cache->keys = gpusort_agg_has_keys(alike.kind) ? read_codec(&head, cache) : NULL;
	if (cache->keys != NULL)
		alike.keys.type = cache->keys->type;
	pq_getmsgend(&head);
	keep_head(cache, sent, length);
	cache->alike = alike;
}

/* Refuses a state that has other numbers of keys or NULLs than states of its kind. */
static void
check_counts(const SetState *state)
{
	if (gpusort_agg_is_by_key(state->kind) && state->keys.count != state->values.count)
		gpusort_codec_refuse("There are more values than keys, or fewer.");
	if (state->kind == SET_PERCENTILE &&
		((state->keys.type != FLOAT8OID && state->keys.type != FLOAT8ARRAYOID) || state->keys.count != 1))
		gpusort_codec_refuse("Its fraction is not one.");
	if (gpusort_agg_leaves_nulls_out(state->kind) && state->values.bitmap != NULL)
		gpusort_codec_refuse("There are NULLs among its values.");
}

static SetState *
read_state(FunctionCallInfo fcinfo, bytea *sent, CodecForm form, SetStateCheck check)
{
	StateCache *cache = state_cache(fcinfo, form);
	SetState   *state = palloc(sizeof(SetState));
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
	read_collector(&bytes, &state->values, cache->values);
	if (cache->keys != NULL)
		read_collector(&bytes, &state->keys, cache->keys);
	check_counts(state);
	pq_getmsgend(&bytes);
	return state;
}

/*
 * Send and receive functions of texts convert to and from the client's encoding, which
 * may differ from process to process.  Between processes the database's is used.
 */
#define IN_DATABASE_ENCODING(statement) \
	do { \
		int			client_encoding = pg_get_client_encoding(); \
		if (client_encoding == GetDatabaseEncoding()) \
		{ \
			statement; \
			break; \
		} \
		SetClientEncoding(GetDatabaseEncoding()); \
		PG_TRY(); \
		{ \
			statement; \
		} \
		PG_FINALLY(); \
		{ \
			SetClientEncoding(client_encoding); \
		} \
		PG_END_TRY(); \
	} while (0)

/* The state as bytes. */
bytea *
gpusort_agg_state_write(FunctionCallInfo fcinfo, const SetState *state, CodecForm form)
{
	bytea	   *volatile sent = NULL;

	IN_DATABASE_ENCODING(sent = write_state(fcinfo, state, form));
	return sent;
}

/* The state in the bytes.  Its values may point into them. */
SetState *
gpusort_agg_state_read(FunctionCallInfo fcinfo, bytea *bytes, CodecForm form, SetStateCheck check)
{
	SetState   *volatile state = NULL;

	IN_DATABASE_ENCODING(state = read_state(fcinfo, bytes, form, check));
	return state;
}
