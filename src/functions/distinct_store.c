/*
 * distinct_store.c
 *	  See distinct_store.h.
 */
#include "postgres.h"


#include "functions/array_functions.h"
#include "functions/distinct_store.h"
#include "guc.h"

/* Different values of this many bytes, if they take so many in all, cost less to sort by their beginnings than to hash. */
#define LONG_VALUE 1024
#define LONG_VALUES_BYTES (8 * GPUSORT_DISTINCT_BYTES)

/* Values of more bytes cost less to sort in a file than to hash twice. */
#define SHORT_VALUE 512

/* True if equal values of a state have equal hashes. */
static bool
can_hash(const AggregateState *state, const ElementType *element)
{
	return element->is_key || gpusort_keys_can_hash(element->oid, state->order.collation);
}

/*
 * Keys and values that can be hashed are cut in place.  Others are sorted in a copy, and so are values that
 * lie in the bytes of a serialized state.
 */
void
gpusort_distinct_cut(FunctionCallInfo fcinfo, AggregateState *state)
{
	Collector  *values = &state->values;
	StoredValues stored = gpusort_agg_values(fcinfo, state).values;

	if (values->capacity > 0 && can_hash(state, stored.element))
		values->count = gpusort_values_make_distinct(&stored, values->data, &values->bytes);
	else
		gpusort_collector_refill(values, state->context,
								 gpusort_distinct_of_array(fcinfo, gpusort_collector_array(values), &state->order));
}

/* Called at the end of the group. */
static void
end_parts(Datum arg)
{
	gpusort_parts_free((DistinctParts *) DatumGetPointer(arg));
}

/* Creates parts for the values of a state, which are emptied into them from then on. */
static void
create_parts(FunctionCallInfo fcinfo, AggregateState *state, ElementType *element)
{
	MemoryContext caller = MemoryContextSwitchTo(state->context);

	state->parts = gpusort_parts_create(element, state->spill_bytes);
	AggRegisterCallback(fcinfo, end_parts, PointerGetDatum(state->parts));
	gpusort_parts_append(state->parts, &state->values);
	gpusort_collector_free(&state->values);
	state->cut_bytes = 0;
	MemoryContextSwitchTo(caller);
}

void
gpusort_distinct_limit(FunctionCallInfo fcinfo, AggregateState *state)
{
	Collector  *values = &state->values;
	ElementType *element = gpusort_element_type(fcinfo, FIRST_ARRAY, values->type);
	Size		before = values->bytes;
	bool		hardly_cut;
	bool		are_long;

	if (state->parts != NULL)
	{
		gpusort_parts_append(state->parts, values);
		if (values->capacity > 4 * GPUSORT_DISTINCT_BYTES)
			gpusort_collector_free(values); /* a long value has enlarged it */
		values->count = 0;
		values->bytes = 0;
		return;
	}
	gpusort_distinct_cut(fcinfo, state);
	hardly_cut = values->bytes > before / 8 * 7;
	state->cut_bytes = gpusort_next_cut(values->bytes, hardly_cut ? 8 : 4, GPUSORT_DISTINCT_BYTES);
	if (state->spill_bytes == 0)
		return;
	/* No GPU sorts long values, so they are hashed where all sorts are to be a GPU's. */
	are_long = hardly_cut && values->bytes > Max(LONG_VALUE * values->count, LONG_VALUES_BYTES) &&
		gpusort_engine != GPUSORT_ENGINE_GPU;
	if (!are_long && !gpusort_agg_exceeds(state, 2))
		return;
	/* A GPU that is asked for by name sorts keys. */
	if (can_hash(state, element) && values->bytes <= SHORT_VALUE * values->count &&
		!(element->is_key && gpusort_engine == GPUSORT_ENGINE_GPU))
		create_parts(fcinfo, state, element);
	else
		gpusort_agg_spill(fcinfo, state);
}

int64
gpusort_distinct_count(FunctionCallInfo fcinfo, const AggregateState *state)
{
	ValueStore	store = gpusort_agg_values(fcinfo, state);

	if (state->parts == NULL)
		return gpusort_values_count_distinct(&store);
	gpusort_parts_append(state->parts, &state->values);
	return gpusort_parts_count(state->parts);
}
