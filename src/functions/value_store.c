/*
 * value_store.c
 *	  See value_store.h.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_collation.h"
#include "executor/nodeAgg.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "functions/value_store.h"
#include "guc.h"
#include "keys/distinct_keys.h"
#include "keys/key_compare.h"
#include "keys/sort_keys.h"
#include "large_memory.h"
#include "rows/offers.h"
#include "sort/select.h"

struct ValueSort
{
	SharedSort *shared;			/* of these values, or NULL */
	RowSort    *sort;
	Oid			cast;			/* a function that the values of the sort are arguments of; or InvalidOid */
	bool		finished;
	uint32		reserved;		/* values that can be appended before memory is asked for again */
	Oid			collation;
	bool		descending;
};

/* The expected number of rows is not known; a sort takes memory as rows come. */
#define EXPECTED_ROWS 0.0

/* Values that are appended to a sort between two looks at its memory. */
#define RESERVED_VALUES 64

/* Memory that sorting takes per value without a key form. */
#define WORK_BYTES 36

/* From this many ranks on a sort costs less than selection. */
#define MANY_RANKS 64

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

/* The collation to sort by: the cheapest one where only equality matters and all have the same. */
static Oid
sort_collation(const AggregateState *state)
{
	Oid			collation = state->order.collation;

	if (state->kind == SET_DISTINCT && OidIsValid(collation) && gpusort_keys_can_hash(state->values.type, collation))
		return C_COLLATION_OID;
	return collation;
}

/* Gives a state the values that the node below its Agg has sorted.  Returns false if that returns them as rows. */
static bool
take_sorted(FunctionCallInfo fcinfo, AggregateState *state)
{
	SortOffer	offered = gpusort_offer_of(outerPlanState(fcinfo->context));
	const Expr *value;

	if (offered.sort == NULL || offered.last != NULL)
		return false;
	value = linitial_node(TargetEntry, AggGetAggref(fcinfo)->args)->expr;
	state->spilled = MemoryContextAllocZero(state->context, sizeof(ValueSort));
	state->spilled->shared = offered.shared;
	state->spilled->sort = offered.sort;
	state->spilled->cast = IsA(value, FuncExpr) ? ((const FuncExpr *) value)->funcid : InvalidOid;
	state->spilled->finished = true;
	state->spilled->collation = sort_collation(state);
	state->spilled->descending = state->order.descending;
	return true;
}

void
gpusort_agg_limit_memory(FunctionCallInfo fcinfo, AggregateState *state)
{
	const ElementType *element = gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type);
	const AggState *agg = (const AggState *) fcinfo->context;

	if (returns_result(fcinfo) && take_sorted(fcinfo, state))
		return;
	state->work_bytes = element->is_key ? element->stride : WORK_BYTES;
	if (returns_result(fcinfo) && (agg->aggstrategy == AGG_PLAIN || agg->aggstrategy == AGG_SORTED))
		state->spill_bytes = Min(work_mem * (Size) 1024, MaxAllocSize / 2);	/* no collector holds more */
}

/* A sort of the state's values by a collation. */
static RowSort *
begin_value_sort(FunctionCallInfo fcinfo, const AggregateState *state, Oid collation)
{
	const Collector *values = &state->values;
	TupleDesc	desc = CreateTemplateTupleDesc(1);
	ElementType *element = gpusort_element_type(fcinfo, FIRST_ARRAY, values->type);
	TypeCacheEntry *type = lookup_type_cache(values->type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Sort	   *keys = makeNode(Sort);

	gpusort_element_require_order(element);
	TupleDescInitEntry(desc, 1, NULL, values->type, -1, 0);
	gpusort_add_sort_key(keys, 1, state->order.descending ? type->gt_opr : type->lt_opr, collation, false);
	return gpusort_rows_sort_begin(desc, NIL, NIL, keys, EXPECTED_ROWS, 0, (RowBoundSpec) {0}, AggStateIsShared(fcinfo), false,
								   work_mem * (Size) 1024);
}

/* Called at the end of the group. */
static void
end_sort(Datum arg)
{
	gpusort_rows_sort_free(((ValueSort *) DatumGetPointer(arg))->sort);
}

void
gpusort_agg_spill(FunctionCallInfo fcinfo, AggregateState *state)
{
	MemoryContext caller = MemoryContextSwitchTo(state->context);
	const ElementType *element = gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type);
	const char *next = state->values.data;
	ValueSort  *into = palloc0(sizeof(ValueSort));

	into->collation = sort_collation(state);
	into->descending = state->order.descending;
	into->sort = begin_value_sort(fcinfo, state, into->collation);
	AggRegisterCallback(fcinfo, end_sort, PointerGetDatum(into));
	for (int64 i = 0; i < state->values.count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		gpusort_spilled_append(into, gpusort_element_read(element, &next));
	}
	gpusort_collector_free(&state->values);
	state->spilled = into;
	MemoryContextSwitchTo(caller);
}

void
gpusort_spilled_append(ValueSort *into, Datum value)
{
	bool		is_null = false;

	if (into->reserved == 0)
	{
		/* Values in records may be long. */
		into->reserved = into->sort->layout->nrecord > 0 ? 1 : RESERVED_VALUES;
		gpusort_rows_sort_reserve(into->sort, into->reserved);
	}
	into->reserved--;
	gpusort_rows_store_append(into->sort->store, &value, &is_null);
}

ValueStore
gpusort_agg_values(FunctionCallInfo fcinfo, const AggregateState *state)
{
	return (ValueStore)
	{
		.values.element = gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type),
		.values.data = state->values.data,
		.values.count = state->values.count,
		.order = state->order,
		.sort = state->spilled,
		.ordered = state->ordered
	};
}

ValueStore
gpusort_array_values(FunctionCallInfo fcinfo, ArrayType *array, Oid collation)
{
	uint32		length = gpusort_array_length(array);

	gpusort_array_require_one_dimension(array);
	return (ValueStore)
	{
		.values.element = gpusort_element_type(fcinfo, FIRST_ARRAY, ARR_ELEMTYPE(array)),
		.values.data = ARR_DATA_PTR(array),
		.values.count = length - gpusort_array_count_nulls(array, length),
		.order.collation = collation,
		.order.limit = PG_UINT32_MAX,
		.order.is_sorted = fcinfo->context == gpusort_order_sorted
	};
}

uint64
gpusort_values_count(const ValueStore *store)
{
	const ValueSort *sort = store->sort;

	if (store->ordered != NULL)
		return gpusort_ordered_count(store->ordered);
	if (sort == NULL)
		return store->values.count;
	if (sort->shared != NULL)
		return gpusort_shared_sort_rows(sort->shared);
	return sort->finished ? sort->sort->nrows : sort->sort->nrows + sort->sort->store->nrows;
}

/* False if a setting asks for the GPU or for a method by name: then the values are sorted. */
static bool
selection_allowed(void)
{
	return gpusort_engine != GPUSORT_ENGINE_GPU && gpusort_method == GPUSORT_METHOD_AUTO;
}

/* The values as Datums, which point to where they stand. */
static Datum *
take_out(const StoredValues *values)
{
	Datum	   *datums = gpusort_alloc_large(CurrentMemoryContext, (Size) values->count * sizeof(Datum));
	const char *next = values->data;

	for (uint32 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		datums[i] = gpusort_element_read(values->element, &next);
	}
	return datums;
}

/* True if the keys need no sort.  What a setting asks for by name is asked of keys in order, too. */
static bool
are_in_order(const StoredValues *values, const ArrayOrder *order, const char *keys)
{
	return order->is_sorted ||
		(selection_allowed() && !order->descending &&
		 gpusort_select_in_order(values->element->form, keys, values->count));
}

/* A copy of the values, which are keys, in order. */
static char *
sorted_keys(const StoredValues *values, const ArrayOrder *order)
{
	Size		bytes = (Size) values->count * values->element->stride;
	char	   *keys = gpusort_alloc_large(CurrentMemoryContext, bytes);

	gpusort_copy_bytes(keys, values->data, bytes);
	if (are_in_order(values, order, keys))
		gpusort_keys_one_nan(values->element->form, keys, values->count, order->descending);
	else
		gpusort_order_keys(keys, values->count, values->element->form, order);
	return keys;
}

/* Turns ascending ranks of an order into ascending ranks of the ascending order. */
static void
ascending_ranks(const uint64 *ranks, uint32 nranks, uint32 count, bool descending, uint32 *ascending)
{
	for (uint32 i = 0; i < nranks; i++)
		ascending[i] = descending ? count - 1 - ranks[nranks - 1 - i] : ranks[i];
}

/* Finds keys at fewer than MANY_RANKS ranks without sorting all of them.  Returns false if it is better to sort. */
static bool
select_keys(const StoredValues *values, const ArrayOrder *order, const uint64 *ranks, uint32 nranks, Datum *found)
{
	const ElementType *element = values->element;
	uint32		ascending[MANY_RANKS];
	uint64		local[MANY_RANKS];
	/* Results that are passed by reference point to the keys, so these must outlive this call. */
	char	   *keys = element->by_value ? (char *) local : palloc(nranks * element->stride);

	ascending_ranks(ranks, nranks, values->count, order->descending, ascending);
	if (!gpusort_select(element->form, values->data, values->count, ascending, nranks, keys))
		return false;
	for (uint32 i = 0; i < nranks; i++)
		found[i] = fetch_att(keys + (order->descending ? nranks - 1 - i : i) * element->stride, element->by_value, element->length);
	return true;
}

/* Finds keys in a sorted copy. */
static void
sort_and_find_keys(const StoredValues *values, const ArrayOrder *order, const uint64 *ranks, uint32 nranks, Datum *found)
{
	const ElementType *element = values->element;
	char	   *keys = sorted_keys(values, order);

	for (uint32 i = 0; i < nranks; i++)
		found[i] = fetch_att(keys + ranks[i] * element->stride, element->by_value, element->length);
	if (element->by_value)
		pfree(keys);
}

/* Reads values in order, from a sort, or in memory if they are not keys. */
typedef struct ValueReader
{
	RowSort    *sort;			/* NULL in memory */
	Datum	   *datums;
	uint32	   *positions;		/* of the values in order */
	ComparatorSort *comparator;
	const ElementType *element;
	Oid			cast;			/* of values of the sort; or InvalidOid */
	uint64		row;			/* number of the next one */
	uint64		nrows;
} ValueReader;

static void
begin_reading(const ValueStore *store, ValueReader *reader)
{
	const StoredValues *values = &store->values;
	ValueSort  *sort = store->sort;

	*reader = (ValueReader) {.element = values->element};
	if (sort != NULL)
	{
		if (!sort->finished)
			gpusort_rows_sort_finish(sort->sort);
		sort->finished = true;
		reader->sort = sort->sort;
		reader->cast = sort->cast;
		reader->nrows = sort->sort->nrows;
		reader->comparator = gpusort_element_comparator(values->element, sort->collation, sort->descending);
		return;
	}
	reader->nrows = values->count;
	reader->datums = take_out(values);
	reader->positions = gpusort_alloc_large(CurrentMemoryContext, (Size) values->count * sizeof(uint32));
	gpusort_order_values(values->element, &store->order, reader->datums, values->count, reader->positions);
	reader->comparator = gpusort_element_comparator(values->element, store->order.collation, store->order.descending);
}

static void
end_reading(ValueReader *reader)
{
	if (reader->sort != NULL)
		return;
	pfree(reader->positions);
	pfree(reader->datums);
}

/* True if the next value is read with others that follow it, in the place of those before it. */
static inline bool
begins_batch(const ValueReader *reader)
{
	const RowBatch *batch;

	if (reader->sort == NULL)
		return false;
	batch = reader->sort->batch;
	return reader->row < batch->first || reader->row >= batch->first + batch->nrows;
}

/* Reads the next value, which must be there.  It is valid until one is read that begins a batch. */
static inline Datum
read_next(ValueReader *reader)
{
	const RowBatch *batch;

	if (reader->sort == NULL)
	{
		GPUSORT_CHECK_VALUES(reader->row);
		return reader->datums[reader->positions[reader->row++]];
	}
	batch = reader->sort->batch;
	if (unlikely(begins_batch(reader)))
	{
		CHECK_FOR_INTERRUPTS();
		batch = gpusort_rows_sort_read(reader->sort, reader->row);
	}
	return batch->values[(reader->row++ - batch->first) * batch->natts + reader->sort->keys->keys[0].attribute];
}

/* A copy of a value of a sort, or the result of its cast. */
static Datum
copy_value(const ElementType *element, Oid cast, Datum value)
{
	return OidIsValid(cast) ? OidFunctionCall1(cast, value) : datumCopy(value, element->by_value, element->length);
}

/*
 * Reads the value at a rank, which lies behind those read before.  Parts of a sort between them are not put in
 * order.  The value stays valid.
 */
static Datum
read_rank(ValueReader *reader, uint64 rank)
{
	if (reader->sort == NULL)
		return reader->datums[reader->positions[rank]];
	reader->row = rank;
	return copy_value(reader->element, reader->cast, read_next(reader));
}

/* The value at a rank among those that parallel workers have sorted. */
static Datum
find_shared(const ValueStore *store, uint64 rank)
{
	return copy_value(store->values.element, store->sort->cast, gpusort_shared_sort_key(store->sort->shared, rank));
}

void
gpusort_values_at_ranks(const ValueStore *store, const uint64 *ranks, uint32 nranks, Datum *found)
{
	ValueReader reader;

	if (store->ordered != NULL)
	{
		for (uint32 i = 0; i < nranks; i++)
			found[i] = gpusort_ordered_at(store->ordered, ranks[i]);
		return;
	}
	if (store->sort != NULL && store->sort->shared != NULL)
	{
		for (uint32 i = 0; i < nranks; i++)
			found[i] = find_shared(store, ranks[i]);
		return;
	}
	if (store->sort == NULL && store->values.element->is_key)
	{
		if (nranks >= MANY_RANKS || !selection_allowed() || !select_keys(&store->values, &store->order, ranks, nranks, found))
			sort_and_find_keys(&store->values, &store->order, ranks, nranks, found);
		return;
	}
	begin_reading(store, &reader);
	for (uint32 i = 0; i < nranks; i++)
		found[i] = read_rank(&reader, ranks[i]);
	end_reading(&reader);
}

/* True if two values are equal in their type's order. */
static inline bool
are_equal(const ValueReader *reader, Datum a, Datum b)
{
	return (reader->element->by_value && a == b) || gpusort_comparator_compare(reader->comparator, a, b) == 0;
}

/* Keeps a copy of a value in the place of another. */
static Datum
keep_value(const ValueReader *reader, Datum *kept, Datum value)
{
	if (!reader->element->by_value && DatumGetPointer(*kept) != NULL)
		pfree(DatumGetPointer(*kept));
	*kept = datumCopy(value, reader->element->by_value, reader->element->length);
	return *kept;
}

/* Returns how many different values there are.  Sets *mode to a copy of the most frequent one, unless it is NULL. */
static int64
read_runs(const ValueStore *store, Datum *mode)
{
	ValueReader reader;
	Datum		last = (Datum) 0;
	Datum		kept = (Datum) 0;
	Datum		best = (Datum) 0;
	uint64		length = 0;
	uint64		best_length = 0;
	bool		is_best = false;	/* the run of the last value is the longest */
	int64		runs = 0;

	begin_reading(store, &reader);
	while (reader.row < reader.nrows)
	{
		Datum		value;

		if (runs > 0 && unlikely(begins_batch(&reader)))
			last = keep_value(&reader, &kept, last);
		value = read_next(&reader);
		if (runs > 0 && are_equal(&reader, last, value))
			length++;
		else
		{
			runs++;
			length = 1;
			is_best = false;
		}
		last = value;
		if (mode == NULL || length <= best_length)
			continue;
		if (!is_best)
			keep_value(&reader, &best, value);
		is_best = true;
		best_length = length;
	}
	end_reading(&reader);
	if (mode != NULL)
		*mode = best;
	return runs;
}

Datum
gpusort_values_mode(const ValueStore *store)
{
	const StoredValues *values = &store->values;
	const ElementType *element = values->element;
	char	   *keys;
	Datum		mode;
	uint64		rank;

	if (store->ordered != NULL)
		return datumCopy(gpusort_ordered_mode(store->ordered), element->by_value, element->length);
	if (store->sort != NULL && store->sort->shared != NULL)
	{
		(void) gpusort_shared_sort_runs(store->sort->shared, &rank);
		return find_shared(store, rank);
	}
	if (store->sort != NULL || !element->is_key)
	{
		read_runs(store, &mode);
		return mode;
	}
	keys = sorted_keys(values, &store->order);
	mode = fetch_att(keys + (Size) gpusort_keys_longest_run(element->form, keys, values->count) * element->stride,
					 element->by_value, element->length);
	mode = datumCopy(mode, element->by_value, element->length);
	pfree(keys);
	return mode;
}

/* How many different keys there are, each of which is written to kept once, unless that is NULL.  0 if they are to be sorted. */
static uint32
distinct_keys(const StoredValues *values, void *kept)
{
	return selection_allowed() ? gpusort_distinct_keys(values->element->form, values->data, values->count, kept) : 0;
}

uint32
gpusort_values_make_distinct(const StoredValues *values, char *data, Size *bytes)
{
	const ElementType *element = values->element;
	ArrayOrder	order = {.limit = PG_UINT32_MAX,.use = USED_FOR_AGGREGATES};
	uint32		distinct;

	if (!element->is_key)
		return gpusort_distinct_values(values, data, bytes);
	distinct = distinct_keys(values, data);
	if (distinct == 0)
	{
		gpusort_order_keys(data, values->count, element->form, &order);
		distinct = gpusort_keys_distinct(element->form, data, values->count);
	}
	*bytes = (Size) distinct * element->stride;
	return distinct;
}

int64
gpusort_values_count_distinct(const ValueStore *store)
{
	const StoredValues *values = &store->values;
	char	   *keys;
	uint32		distinct;
	uint64		mode;

	if (store->ordered != NULL)
		return gpusort_ordered_count_distinct(store->ordered);
	if (store->sort != NULL && store->sort->shared != NULL)
		return gpusort_shared_sort_runs(store->sort->shared, &mode);
	if (store->sort == NULL && values->count == 0)
		return 0;
	if (store->sort == NULL && !values->element->is_key && gpusort_keys_can_hash(values->element->oid, store->order.collation))
		return gpusort_distinct_values(values, NULL, NULL);
	if (store->sort != NULL || !values->element->is_key)
		return read_runs(store, NULL);
	distinct = distinct_keys(values, NULL);
	if (distinct > 0)
		return distinct;
	keys = sorted_keys(values, &store->order);
	distinct = gpusort_keys_distinct(values->element->form, keys, values->count);
	pfree(keys);
	return distinct;
}
