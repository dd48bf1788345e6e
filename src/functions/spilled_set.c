/*
 * spilled_set.c
 *	  The values of a group beyond work_mem, see spilled_set.h.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_collation.h"
#include "executor/nodeAgg.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "functions/spilled_set.h"
#include "keys/key_lists.h"
#include "large_memory.h"
#include "rows/row_sort.h"

struct SpilledSet
{
	RowSort    *sort;
	bool		finished;
	Oid			collation;
	bool		descending;
	bool		by_value;
	int16		length;
};

/* Reads the values in order. */
typedef struct Reader
{
	RowSort    *sort;
	uint64		row;			/* number of the next one */
} Reader;

/* The expected number of rows is not known; a sort takes memory as rows come. */
#define EXPECTED_ROWS 0.0

/* Memory that sorting takes per value without a key form. */
#define WORK_BYTES 36

/*
 * True if the state is for an aggregate that returns a result.  Aggregates of other extensions,
 * which call the transition function for their own, have it serialized.
 */
static bool
returns_result(FunctionCallInfo fcinfo)
{
	const AggState *agg = (const AggState *) fcinfo->context;

	return agg != NULL && IsA(agg, AggState) && agg->aggsplit == AGGSPLIT_SIMPLE &&
		agg->curpertrans != NULL && &agg->curpertrans->transfn == fcinfo->flinfo;
}

void
gpusort_set_limit_memory(FunctionCallInfo fcinfo, SetState *state)
{
	const ElementType *element = gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type);
	const AggState *agg = (const AggState *) fcinfo->context;

	state->work_bytes = element->is_key ? element->stride : WORK_BYTES;
	if (returns_result(fcinfo) && (agg->aggstrategy == AGG_PLAIN || agg->aggstrategy == AGG_SORTED))
	{
		state->spill_bytes = Min(work_mem * (Size) 1024, MaxAllocSize / 2);	/* no collector holds more */
		state->values.may_map = true;
	}
}

/* The collation to sort by: the cheapest one where only equality matters and all have the same. */
static Oid
sort_collation(const SetState *state)
{
	Oid			collation = state->order.collation;

	if (state->kind == SET_DISTINCT && OidIsValid(collation) && gpusort_keys_can_hash(state->values.type, collation))
		return C_COLLATION_OID;
	return collation;
}

/* A sort of the state's values by a collation. */
static RowSort *
begin_sort(FunctionCallInfo fcinfo, const SetState *state, Oid collation)
{
	const Collector *values = &state->values;
	TupleDesc	desc = CreateTemplateTupleDesc(1);
	ElementType *element = gpusort_element_type(fcinfo, FIRST_ARRAY, values->type);
	TypeCacheEntry *type = lookup_type_cache(values->type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Var		   *column = makeVar(OUTER_VAR, 1, values->type, -1, collation, 0);
	AttrNumber	number = 1;
	Oid			operator = state->order.descending ? type->gt_opr : type->lt_opr;
	bool		nulls_first = false;

	gpusort_element_require_order(element);
	TupleDescInitEntry(desc, 1, NULL, values->type, -1, 0);
	return gpusort_rows_sort_begin(desc, list_make1(makeTargetEntry((Expr *) column, 1, NULL, false)), NIL,
								   gpusort_key_lists(1, &number, &operator, &collation, &nulls_first),
								   EXPECTED_ROWS, 0, (RowBoundSpec) {0}, AggStateIsShared(fcinfo), false);
}

/* Called at the end of the group. */
static void
end_set(Datum arg)
{
	gpusort_rows_sort_free(((SpilledSet *) DatumGetPointer(arg))->sort);
}

/* Moves all values of a collector to a sort. */
static void
append_all(SpilledSet *set, Collector *values)
{
	const char *next = values->data;

	for (int64 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		gpusort_spilled_append(set, fetch_att(next, values->by_value, values->length));
		next = att_addlength_pointer(next, values->length, next);
		next = (const char *) att_align_nominal(next, values->alignment);
	}
	gpusort_collector_free(values);
}

void
gpusort_set_spill(FunctionCallInfo fcinfo, SetState *state)
{
	MemoryContext caller = MemoryContextSwitchTo(state->context);
	SpilledSet *set = palloc0(sizeof(SpilledSet));

	set->collation = sort_collation(state);
	set->descending = state->order.descending;
	set->by_value = state->values.by_value;
	set->length = state->values.length;
	set->sort = begin_sort(fcinfo, state, set->collation);
	AggRegisterCallback(fcinfo, end_set, PointerGetDatum(set));
	append_all(set, &state->values);
	state->spilled = set;
	MemoryContextSwitchTo(caller);
}

void
gpusort_spilled_append(SpilledSet *set, Datum value)
{
	bool		is_null = false;

	gpusort_rows_sort_reserve(set->sort, 1);
	gpusort_rows_store_append(set->sort->store, &value, &is_null);
}

uint64
gpusort_spilled_count(const SpilledSet *set)
{
	return set->finished ? set->sort->nrows : set->sort->nrows + set->sort->store->nrows;
}

static Reader
begin_reading(SpilledSet *set)
{
	if (!set->finished)
		gpusort_rows_sort_finish(set->sort);
	set->finished = true;
	return (Reader) {.sort = set->sort};
}

/* True if the next value is read with others that follow it, in the place of those before it. */
static inline bool
begins_batch(const Reader *reader)
{
	const RowBatch *batch = reader->sort->batch;

	return reader->row < batch->first || reader->row >= batch->first + batch->nrows;
}

/* Takes the next value, which must be there.  It is valid until one is taken that begins a batch. */
static inline Datum
read_next(Reader *reader)
{
	const RowBatch *batch = reader->sort->batch;

	if (unlikely(begins_batch(reader)))
	{
		CHECK_FOR_INTERRUPTS();
		batch = gpusort_rows_sort_read(reader->sort, reader->row);
	}
	return batch->values[reader->row++ - batch->first];
}

void
gpusort_spilled_at_ranks(SpilledSet *set, const uint64 *ranks, uint32 nranks, Datum *found)
{
	Reader		reader = begin_reading(set);
	Datum		value = (Datum) 0;

	for (uint32 i = 0; i < nranks; i++)
	{
		while (reader.row <= ranks[i])
			value = read_next(&reader);
		found[i] = datumCopy(value, set->by_value, set->length);
	}
}

/* True if two values are equal in their type's order. */
static inline bool
are_equal(SpilledSet *set, ElementType *element, Datum a, Datum b)
{
	if (set->by_value && a == b)
		return true;
	return gpusort_comparator_compare(gpusort_element_comparator(element, set->collation, set->descending), a, b) == 0;
}

/* Keeps a value beyond the next one that is read. */
static void
keep_value(SpilledSet *set, Datum *kept, Datum value)
{
	if (!set->by_value && DatumGetPointer(*kept) != NULL)
		pfree(DatumGetPointer(*kept));
	*kept = datumCopy(value, set->by_value, set->length);
}

Datum
gpusort_spilled_mode(SpilledSet *set, ElementType *element)
{
	Reader		reader = begin_reading(set);
	uint64		best_length = 0;
	uint64		length = 0;
	Datum		best = (Datum) 0;
	Datum		last = (Datum) 0;

	while (reader.row < set->sort->nrows)
	{
		Datum		value = read_next(&reader);

		if (length > 0 && are_equal(set, element, last, value))
			length++;
		else
		{
			keep_value(set, &last, value);
			length = 1;
		}
		if (length <= best_length)
			continue;
		best_length = length;
		if (best_length == 1 || !are_equal(set, element, best, last))
			keep_value(set, &best, last);
	}
	return best;
}

int64
gpusort_spilled_count_distinct(SpilledSet *set, ElementType *element)
{
	Reader		reader = begin_reading(set);
	Datum		last = (Datum) 0;
	Datum		kept = (Datum) 0;
	int64		distinct = 0;

	while (reader.row < set->sort->nrows)
	{
		Datum		value;

		if (distinct > 0 && unlikely(begins_batch(&reader)))
		{
			keep_value(set, &kept, last);
			last = kept;
		}
		value = read_next(&reader);
		if (distinct == 0 || !are_equal(set, element, last, value))
			distinct++;
		last = value;
	}
	return distinct;
}
