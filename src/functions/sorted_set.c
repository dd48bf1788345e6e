/*
 * sorted_set.c
 *	  Values of the type sorted_set: making and reading them, and their text and binary
 *	  forms.
 *
 * Text:	 integer DESC NULLS LAST {3,2,1,NULL}
 *			 text COLLATE "C" {a,b}
 * Binary:	 the bytes of the state as it is sent.
 *
 * What comes from outside is put in order again.  So a set can move to a database where the
 * collation of that name orders otherwise.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "arrays/array_shape.h"
#include "compat.h"
#include "functions/array_functions.h"
#include "functions/sorted_set.h"

/* Elements are written so many at a time, or as many as take so many bytes. */
#define ELEMENTS_AT_ONCE 1024
#define BYTES_AT_ONCE (64 * 1024)

PG_FUNCTION_INFO_V1(gpusort_sorted_set_in);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_out);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_recv);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_send);

/* Raises an error for a type that sorted sets do not hold. */
static void
check_element_type(FunctionCallInfo fcinfo, Oid type)
{
	char		kind = get_typtype(type);

	if ((kind != TYPTYPE_BASE && kind != TYPTYPE_ENUM) || !OidIsValid(get_array_type(type)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("sorted sets cannot hold values of type %s", format_type_be(type)),
				 errhint("They hold values of base types and enums.")));
	gpusort_element_require_order(gpusort_element_type(fcinfo, FIRST_ARRAY, type));
}

/* The collation of a set's elements: none of those that have none.  Raises an error if it is needed and not known. */
static Oid
collation_of_elements(Oid type, Oid collation)
{
	if (!OidIsValid(get_typcollation(type)))
		return InvalidOid;
	if (!OidIsValid(collation))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_COLLATION),
				 errmsg("could not determine which collation to use for a sorted set"),
				 errhint("Use the COLLATE clause to set the collation explicitly.")));
	return collation;
}

bytea *
gpusort_sorted_set_make(FunctionCallInfo fcinfo, ArrayType *elements, const ArrayOrder *order)
{
	AggregateState state = {.magic = GPUSORT_AGGREGATE_STATE_MAGIC,.kind = SET_SORTED,.order = *order};
	ArrayType  *sorted;
	bytea	   *bytes;

	elements->elemtype = getBaseType(ARR_ELEMTYPE(elements));
	check_element_type(fcinfo, ARR_ELEMTYPE(elements));
	gpusort_array_require_one_dimension(elements);
	state.order.collation = collation_of_elements(ARR_ELEMTYPE(elements), order->collation);
	state.context = CurrentMemoryContext;
	gpusort_collector_init(&state.values, gpusort_element_type(fcinfo, FIRST_ARRAY, ARR_ELEMTYPE(elements)));
	sorted = gpusort_array_in_order(fcinfo, elements, order);
	if (sorted != elements)
		pfree(elements);
	gpusort_collector_view(&state.values, sorted);
	bytes = gpusort_agg_state_write(fcinfo, &state, CODEC_STORED);
	pfree(sorted);
	return bytes;
}

/* Raises an error for a state that is no sorted set. */
static void
check_state(FunctionCallInfo fcinfo, const AggregateState *state)
{
	if (state->kind != SET_SORTED)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("state of another set aggregate is no sorted set")));
	check_element_type(fcinfo, state->values.type);
}

AggregateState *
gpusort_sorted_set_read(FunctionCallInfo fcinfo, int argument)
{
	return gpusort_agg_state_read(fcinfo, PG_GETARG_BYTEA_PP(argument), CODEC_STORED, check_state);
}

/*
 * Appends the elements as array_out writes them, some at a time: it holds the text of each in memory, beside that of
 * all, and does not stop before it has ended.
 */
static void
append_elements(StringInfo text, const Collector *elements)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int			lower_bounds[1] = {1};
	Datum		values[ELEMENTS_AT_ONCE];
	bool		nulls[ELEMENTS_AT_ONCE];
	Size		place = 0;
	FmgrInfo	function;

	fmgr_info_cxt(F_ARRAY_OUT, &function, caller);
	enlargeStringInfo(text, elements->bytes);
	appendStringInfoChar(text, '{');
	for (int64 next = 0; next < elements->count;)
	{
		Size		end = place + BYTES_AT_ONCE;
		bool		first = next == 0;
		int			count = 0;
		char	   *written;

		CHECK_FOR_INTERRUPTS();
		for (; count < ELEMENTS_AT_ONCE && next < elements->count && place < end; count++, next++)
		{
			nulls[count] = elements->bitmap != NULL && !(elements->bitmap[next / 8] & (1 << next % 8));
			values[count] = nulls[count] ? (Datum) 0 : gpusort_collector_take(elements, &place);
		}
		written = OutputFunctionCall(&function, PointerGetDatum(construct_md_array(values, nulls, 1, &count, lower_bounds,
																				  elements->type, elements->length,
																				  elements->by_value, elements->alignment)));
		if (!first)
			appendStringInfoChar(text, ((const ArrayMetaState *) function.fn_extra)->typdelim);
		/* Without the braces. */
		appendBinaryStringInfo(text, written + 1, strlen(written) - 2);
		MemoryContextReset(scratch);
	}
	appendStringInfoChar(text, '}');
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/* sorted_set_out(sorted_set) */
Datum
gpusort_sorted_set_out(PG_FUNCTION_ARGS)
{
	const AggregateState *state = gpusort_sorted_set_read(fcinfo, 0);
	const ArrayOrder *order = &state->order;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, format_type_be(state->values.type));
	if (OidIsValid(order->collation) && order->collation != get_typcollation(state->values.type))
		appendStringInfo(&text, " COLLATE %s",
						 DatumGetCString(DirectFunctionCall1(regcollationout, ObjectIdGetDatum(order->collation))));
	if (order->descending)
		appendStringInfoString(&text, " DESC");
	if (order->nulls_first != order->descending)
		appendStringInfo(&text, " NULLS %s", order->nulls_first ? "FIRST" : "LAST");
	appendStringInfoChar(&text, ' ');
	append_elements(&text, &state->values);
	PG_RETURN_CSTRING(text.data);
}

/* Finds a character of the text that is not between double quotes. */
static char *
find_unquoted(char *text, char wanted)
{
	bool		quoted = false;

	for (; *text != '\0'; text++)
	{
		if (*text == wanted && !quoted)
			return text;
		if (*text == '"')
			quoted = !quoted;
	}
	return NULL;
}

/* Cuts a word off the end of the text.  Returns false if the text ends otherwise. */
static bool
cut_word(char *text, const char *word)
{
	int			length = strlen(text);
	int			before;

	while (length > 0 && scanner_isspace(text[length - 1]))
		length--;
	before = length - (int) strlen(word);
	if (before <= 0 || !scanner_isspace(text[before - 1]) || pg_strncasecmp(text + before, word, strlen(word)) != 0)
		return false;
	text[before] = '\0';
	return true;
}

/* Cuts COLLATE and what follows it off the text.  Returns the collation's name, or NULL if there is none. */
static char *
cut_collation(char *text)
{
	static const char word[] = "COLLATE";

	for (char *next = text; (next = find_unquoted(next, ' ')) != NULL; next++)
	{
		if (pg_strncasecmp(next + 1, word, strlen(word)) != 0 || next[1 + strlen(word)] != ' ')
			continue;
		*next = '\0';
		return next + 1 + strlen(word);
	}
	return NULL;
}

/* The elements' type, and their order, as they stand before the elements in a set's text. */
static Oid
read_head(FunctionCallInfo fcinfo, char *head, ArrayOrder *order)
{
	bool		first = cut_word(head, "FIRST");
	bool		last = !first && cut_word(head, "LAST");
	char	   *collation;
	Oid			type;

	if ((first || last) && !cut_word(head, "NULLS"))
		return InvalidOid;
	order->descending = cut_word(head, "DESC");
	if (!order->descending)
		cut_word(head, "ASC");
	order->nulls_first = first || (order->descending && !last);
	collation = cut_collation(head);
	type = DatumGetObjectId(DirectFunctionCall1(regtypein, CStringGetDatum(head)));
	if (!OidIsValid(type))
		return InvalidOid;
	/* regtype takes a number for an OID, which may not be that of a type. */
	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type with OID %u does not exist", type)));
	type = getBaseType(type);
	check_element_type(fcinfo, type);
	order->collation = get_typcollation(type);
	if (collation != NULL)
	{
		if (!OidIsValid(order->collation))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("collations are not supported by type %s", format_type_be(type))));
		order->collation = DatumGetObjectId(DirectFunctionCall1(regcollationin, CStringGetDatum(collation)));
	}
	return type;
}

/* sorted_set_in(cstring): elements may come in any order. */
Datum
gpusort_sorted_set_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	char	   *head = pstrdup(text);
	char	   *elements = find_unquoted(head, '{');
	ArrayOrder	order = {.limit = PG_UINT32_MAX};
	Oid			type = InvalidOid;
	Datum		array;

	if (elements != NULL)
	{
		*elements = '\0';
		type = read_head(fcinfo, head, &order);
	}
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("malformed sorted set literal: \"%s\"", text),
				 errdetail("It is written as type [COLLATE collation] [DESC] [NULLS FIRST | NULLS LAST] {elements}.")));
	array = OidInputFunctionCall(F_ARRAY_IN, pstrdup(text + (elements - head)), type, -1);
	PG_RETURN_BYTEA_P(gpusort_sorted_set_make(fcinfo, DatumGetArrayTypeP(array), &order));
}

/* sorted_set_recv(internal) */
Datum
gpusort_sorted_set_recv(PG_FUNCTION_ARGS)
{
	StringInfo	sent = (StringInfo) PG_GETARG_POINTER(0);
	int			length = sent->len - sent->cursor;
	bytea	   *bytes = palloc(VARHDRSZ + length);
	const AggregateState *state;

	SET_VARSIZE(bytes, VARHDRSZ + length);
	pq_copymsgbytes(sent, VARDATA(bytes), length);
	state = gpusort_agg_state_read(fcinfo, bytes, CODEC_SENT, check_state);
	PG_RETURN_BYTEA_P(gpusort_sorted_set_make(fcinfo, gpusort_collector_array(&state->values), &state->order));
}

/* sorted_set_send(sorted_set) */
Datum
gpusort_sorted_set_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(gpusort_agg_state_write(fcinfo, gpusort_sorted_set_read(fcinfo, 0), CODEC_SENT));
}
