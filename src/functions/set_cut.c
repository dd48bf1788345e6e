/*
 * set_cut.c
 *	  Cuts states to what their result needs.
 *
 * The first n are cut when four times as many have been gathered, so the cost of cutting
 * per row does not grow with the number of rows.  A set of distinct values is cut at four
 * times the bytes that it had after the last cut, at eight times if that found hardly any
 * value twice, or when its memory is used up.  If no value comes twice, all earlier cuts
 * together read a seventh of the values that the last one reads.  Beyond the caches a cut
 * costs more than counting all values by their hashes in the end.  So the values of a large set that
 * hardly got smaller are hashed as they come, if memory is bounded, and it is only cut again if some of
 * the hashes show that it gets smaller.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "arrays/distinct_values.h"
#include "functions/array_functions.h"
#include "functions/set_cut.h"
#include "functions/set_hashes.h"
#include "functions/spilled_set.h"
#include "guc.h"
#include "keys/key_compare.h"

/* The first n are cut at this many values, or at TOP_N_BYTES bytes if these come first. */
#define TOP_N_VALUES(n, least) Min(Max(4 * (int64) (n), (least)), ((int64) (n) + MaxArraySize) / 2)
#define TOP_N_LEAST 4096
#define TOP_N_BY_LEAST 64		/* fewer, because after a cut most rows are turned away at once */
#define TOP_N_BYTES ((Size) 16 * 1024 * 1024)

/* Distinct values are cut at this many bytes for the first time, and then by these factors. */
#define DISTINCT_BYTES ((Size) 64 * 1024)
#define DISTINCT_FACTOR(before, after) (HARDLY_CUT(before, after) ? 8 : 4)
#define HARDLY_CUT(before, after) ((after) > (before) / 8 * 7)

/* A set of this many values is large. */
#define LARGE_SET 16384

/* Values are hashed when so many bytes of them have come, which are in a cache then. */
#define HASH_BYTES ((Size) 16 * 1024)

/* Whether memory is used up is asked after so many bytes at the soonest. */
#define LOOK_BYTES ((Size) 1024)

/* Different values of this many bytes, if they take so many in all, cost less to sort by their beginnings than to hash. */
#define LONG_VALUE 1024
#define LONG_VALUES_BYTES (8 * DISTINCT_BYTES)

/* Values of more bytes cost less to sort in a file than to hash twice. */
#define SHORT_VALUE 192

/* The bytes at which a state is cut next, if it has this many after a cut. */
static Size
next_cut(Size bytes, Size factor, Size least)
{
	return Max(least, Min(factor * bytes, (bytes + MaxAllocSize) / 2));
}

/* The code that a key has in the state's order, where the first key has the least, from its code in ascending order. */
static uint64
code_in_order(const SetState *state, uint64 code)
{
	return state->order.descending ? ~code : code;
}

/* Remembers the last of the first n keys, if later keys can be turned away by it. */
static void
remember_bound(FunctionCallInfo fcinfo, SetState *state)
{
	const Collector *keys = &state->keys;
	const ElementType *element = gpusort_element_type(fcinfo, SECOND_ARRAY, keys->type);

	state->bounded = element->is_key && keys->bitmap == NULL && keys->count > 0 && keys->count == state->order.limit;
	if (state->bounded)
		state->bound = code_in_order(state, gpusort_key_code(element->form, keys->data + keys->bytes - element->stride, 0));
}

static void
cut_top_n_by(FunctionCallInfo fcinfo, SetState *state)
{
	ArrayType  *values;
	ArrayType  *keys;

	gpusort_arrays_in_order(fcinfo, gpusort_collector_array(&state->values), gpusort_collector_array(&state->keys),
							&state->order, &values, &keys);
	gpusort_collector_refill(&state->values, state->context, values);
	gpusort_collector_refill(&state->keys, state->context, keys);
	state->cut_bytes = next_cut(state->values.bytes + state->keys.bytes, 2, TOP_N_BYTES);
	remember_bound(fcinfo, state);
}

/*
 * Keys are sorted in place, unless each of them has a bit.  Values that can be hashed are hashed in
 * place.  Others are sorted in a copy.
 */
static void
cut_distinct(FunctionCallInfo fcinfo, SetState *state)
{
	Collector  *values = &state->values;
	Size		before = values->bytes;
	StoredValues stored = gpusort_set_values(fcinfo, state);
	bool		is_hashed = values->capacity > 0 && !stored.element->is_key &&
		gpusort_keys_can_hash(stored.element->oid, state->order.collation);

	gpusort_set_forget_hashes(state);
	if (values->capacity > 0 && stored.element->is_key)
	{
		values->count = gpusort_values_distinct_keys(&stored, values->data);
		if (values->count == 0)
		{
			gpusort_order_keys(values->data, stored.count, stored.element->form, &state->order);
			values->count = gpusort_keys_distinct(stored.element->form, values->data, stored.count);
		}
		values->bytes = values->count * stored.element->stride;
	}
	else if (is_hashed)
		values->count = gpusort_distinct_values(&stored, values->data, &values->bytes);
	else
		gpusort_collector_refill(values, state->context,
								 gpusort_distinct_of_array(fcinfo, gpusort_collector_array(values), &state->order));
	state->cut_bytes = next_cut(values->bytes, DISTINCT_FACTOR(before, values->bytes), DISTINCT_BYTES);
	if (is_hashed && state->spill_bytes > 0 && values->count >= LARGE_SET && HARDLY_CUT(before, values->bytes))
		gpusort_set_begin_hashes(fcinfo, state);
}

/* True if the hashes of a state show that a cut would leave nearly all values.  Then it waits until there are more. */
static bool
put_off_cut(FunctionCallInfo fcinfo, SetState *state)
{
	Size		bytes = state->values.bytes;
	Size		after;

	if (state->hashed == NULL)
		return false;
	after = (double) bytes / state->values.count * gpusort_set_estimate_hashes(fcinfo, state);
	state->cut_bytes = next_cut(after, DISTINCT_FACTOR(bytes, after), DISTINCT_BYTES);
	return HARDLY_CUT(bytes, after);
}

void
gpusort_set_cut_now(FunctionCallInfo fcinfo, SetState *state)
{
	Collector  *values = &state->values;

	switch (state->kind)
	{
		case SET_TOP_N:
			gpusort_collector_refill(values, state->context,
									 gpusort_top_of_array(fcinfo, gpusort_collector_array(values), &state->order));
			state->cut_bytes = next_cut(values->bytes, 2, TOP_N_BYTES);
			break;
		case SET_TOP_N_BY:
			cut_top_n_by(fcinfo, state);
			break;
		case SET_DISTINCT:
			cut_distinct(fcinfo, state);
			break;
		default:
			break;
	}
}

/* True if a state of the first n has gathered this many values, or more than n with many bytes. */
static bool
top_n_has_grown(const SetState *state, int64 least)
{
	return state->values.count >= TOP_N_VALUES(state->order.limit, least) ||
		(state->values.bytes + state->keys.bytes >= Max(state->cut_bytes, TOP_N_BYTES) &&
		 state->values.count > state->order.limit);
}

/* Spills distinct values, of which there were so many bytes before a cut, if they exceed a share of memory or are better sorted. */
static void
spill_distinct(FunctionCallInfo fcinfo, SetState *state, Size before, uint32 share)
{
	const Collector *values = &state->values;

	/* No GPU sorts long values, so they are hashed where all sorts are to be a GPU's. */
	bool		are_long = values->bytes > Max(LONG_VALUE * values->count, LONG_VALUES_BYTES) &&
		HARDLY_CUT(before, values->bytes) && gpusort_engine != GPUSORT_ENGINE_GPU;

	if (gpusort_set_exceeds(state, share) || (state->spill_bytes > 0 && are_long))
		gpusort_set_spill(fcinfo, state, values->bytes > SHORT_VALUE * values->count);
}

/* The bytes at which a state of distinct values is looked at next: before it exceeds its memory, even if values become shorter. */
static Size
next_look(const SetState *state)
{
	const Collector *values = &state->values;
	Size		used = values->bytes + values->count * state->work_bytes;
	Size		left = state->spill_bytes - Min(used, state->spill_bytes);
	Size		look = Max(state->cut_bytes, DISTINCT_BYTES);

	if (state->hashed != NULL)
		look = Min(look, values->bytes + HASH_BYTES);
	if (state->spill_bytes > 0)
		look = Min(look, values->bytes + Max(left / (1 + state->work_bytes), LOOK_BYTES));
	return look;
}

/* Cuts distinct values that have grown enough, and spills what is left if that is too much. */
static void
look_at_distinct(FunctionCallInfo fcinfo, SetState *state)
{
	Size		before = state->values.bytes;

	if (state->hashed != NULL)
		gpusort_set_add_hashes(fcinfo, state);
	if (before >= Max(state->cut_bytes, DISTINCT_BYTES) || gpusort_set_exceeds(state, 1))
	{
		bool		put_off = put_off_cut(fcinfo, state);

		if (!put_off)
			gpusort_set_cut_now(fcinfo, state);
		spill_distinct(fcinfo, state, before, put_off ? 1 : 2);
	}
	state->look_bytes = next_look(state);
}

void
gpusort_set_cut(FunctionCallInfo fcinfo, SetState *state)
{
	bool		grown = false;

	if (state->kind == SET_DISTINCT)
		look_at_distinct(fcinfo, state);
	else if (state->kind == SET_TOP_N)
		grown = top_n_has_grown(state, TOP_N_LEAST);
	else if (state->kind == SET_TOP_N_BY)
		grown = top_n_has_grown(state, TOP_N_BY_LEAST);
	if (grown)
		gpusort_set_cut_now(fcinfo, state);
}

bool
gpusort_set_key_may_enter(FunctionCallInfo fcinfo, const SetState *state, Datum key, bool isnull)
{
	const ElementType *element;

	if (!state->bounded)
		return true;
	if (isnull)
		return state->order.nulls_first;
	element = gpusort_element_type(fcinfo, SECOND_ARRAY, state->keys.type);
	return code_in_order(state, gpusort_element_code(element, key)) < state->bound;
}
