/*
 * pack.c
 *	  Packs the arrays of a row into batches, and makes results of what comes back.
 *
 * An array is packed as its flat image: the header stands in the gap before its segment
 * of keys, so that the sorted segment with its header is the result.
 *
 *	  keys		... | header | key key key | pad | header | key key ...
 *	  payload	...    header | pos pos pos | ...
 *
 * Every key slot has a payload entry.  So if the gap has enough slots, a header also fits
 * before the payload of a segment; it is written when the result is made.  Arrays that
 * are not simple (one dimension, no NULLs) are left to the function that was called, and
 * so are all calls that would raise an error.
 *
 * The median and its kin are computed by their functions, from an array in the batch.  On
 * the CPU a selection is faster than a sort, so the batch is sorted for a GPU only.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "arrays/array_items.h"
#include "arrays/array_order.h"
#include "arrays/fractions.h"
#include "keys/key_compare.h"
#include "guc.h"
#include "large_memory.h"
#include "nodes/arrays/arrays_state.h"

#define HEADER_SIZE ARR_OVERHEAD_NONULLS(1)
#define LEAST_SIZE (HEADER_SIZE + MAXIMUM_ALIGNOF)	/* bytes of the smallest array in a batch */
#define DEVICE_BATCH_MIN (1024 * 1024)	/* fewer bytes of keys do not fill a GPU */
#define DEVICE_BATCH_BYTES (2 * 1024 * 1024)	/* larger batches evict each other from the caches */
#define DEVICE_BATCH_ARRAYS 4	/* a batch holds at least this many long arrays, which are sorted together */

/* True if the values are the payload. */
static bool
carries_values(const BatchedCall *call)
{
	return call->info->narrays > 1 && call->kind != ARRAY_CALL_SORT_PAIR && call->values.width == sizeof(uint32);
}

/* Sets the spec of a call and the sizes that follow from it. */
static void
set_spec(BatchedCall *call, int64 number, bool descending)
{
	GpusortSpec *spec = &call->spec;

	memset(spec, 0, sizeof(GpusortSpec));
	spec->method = gpusort_method;
	spec->descending = descending;
	(void) gpusort_keys_form(call->keys.element, &spec->form);
	if (call->info->number == ARRAY_NUMBER_BUCKETS)
		spec->buckets = Min(Max(number, 0), PG_INT32_MAX);
	else if (call->info->number == ARRAY_NUMBER_ENTRIES)
		spec->limit = Min(Max(number, 0), PG_INT32_MAX);
	if (carries_values(call))
		spec->payload = GPUSORT_PAYLOAD_CARRIED;
	else if (call->info->narrays > 1 || call->kind == ARRAY_CALL_ARGSORT)
		spec->payload = GPUSORT_PAYLOAD_INDEX;

	call->lead = 0;
	if (spec->payload != GPUSORT_PAYLOAD_NONE)
		call->lead = Max((Size) call->keys.width * (HEADER_SIZE / sizeof(uint32)), HEADER_SIZE) - HEADER_SIZE;
}

static void
init_argument(ArraysState *state, ArrayArgument *argument, Expr *expression)
{
	argument->element = get_element_type(getBaseType(exprType((Node *) expression)));
	argument->width = get_typlen(argument->element);
	if (IsA(expression, Var))
		argument->column = ((Var *) expression)->varattno;
	else
	{
		argument->state = ExecInitExpr(expression, &state->scan.css.ss.ps);
		state->computes = true;
	}
}

/* Prepares the argument with this number.  NULL if the call has fewer. */
static ExprState *
init_option(ArraysState *state, FuncExpr *expression, int number)
{
	if (number >= list_length(expression->args))
		return NULL;
	return ExecInitExpr(list_nth(expression->args, number), &state->scan.css.ss.ps);
}

/* True if the values are copied, and results are gathered from the copies. */
static bool
gathers_values(const BatchedCall *call)
{
	return call->info->narrays > 1 && !carries_values(call);
}

/* Prepares calling the function for arrays of a batch. */
static FunctionCallInfo
init_function(FuncExpr *expression)
{
	FunctionCallInfo fcinfo = palloc0(SizeForFunctionCallInfo(list_length(expression->args)));
	FmgrInfo   *function = palloc0(sizeof(FmgrInfo));

	fmgr_info(expression->funcid, function);
	fmgr_info_set_expr((Node *) expression, function);
	InitFunctionCallInfoData(*fcinfo, function, list_length(expression->args), expression->inputcollid, NULL, NULL);
	return fcinfo;
}

/* Prepares a call of the plan for execution. */
void
gpusort_arrays_init_call(ArraysState *state, BatchedCall *call, FuncExpr *expression)
{
	int			option;

	call->info = &gpusort_array_calls[call->kind];
	option = call->info->narrays;
	init_argument(state, &call->values, linitial(expression->args));
	init_argument(state, &call->keys, list_nth(expression->args, call->info->narrays - 1));
	call->number = call->info->number != ARRAY_NUMBER_NONE ? init_option(state, expression, option++) : NULL;
	call->descending = init_option(state, expression, option++);
	call->nulls_first = init_option(state, expression, option);
	if (call->kind == ARRAY_CALL_SORT_PAIR)
		call->record = BlessTupleDesc(CreateTupleDescCopy(get_expr_result_tupdesc((Node *) expression, false)));
	if (gpusort_array_call_of_set(call->kind))
		call->of_set = init_function(expression);
	state->gathers |= gathers_values(call);
	set_spec(call, 0, call->info->descending);
}

/*
 * True if calls with this number are left to the function.  They raise an error, sort
 * nothing, or ask for more than there can be.
 */
static bool
left_to_function(const BatchedCall *call, int64 number)
{
	switch (call->info->number)
	{
		case ARRAY_NUMBER_ENTRIES:
		case ARRAY_NUMBER_BUCKETS:
			return number < 1 || number > PG_INT32_MAX;
		default:
			return false;
	}
}

/* The most bytes of keys in a batch that a GPU would sort, or 0. */
static Size
device_capacity(const BatchedCall *call)
{
	return gpusort_batch_device_capacity(&call->spec, LEAST_SIZE);
}

/* True if a GPU would now sort batches of the call. */
bool
gpusort_arrays_on_device(const BatchedCall *call)
{
	return device_capacity(call) >= DEVICE_BATCH_MIN;
}

/* The value of an option, or its default.  Sets *is_null if it is NULL, and never clears it. */
static Datum
option_value(ArraysState *state, ExprState *option, Datum otherwise, bool *is_null)
{
	bool		isnull;
	Datum		value;

	if (option == NULL)
		return otherwise;
	value = ExecEvalExprSwitchContext(option, state->scan.css.ss.ps.ps_ExprContext, &isnull);
	*is_null |= isnull;
	return isnull ? otherwise : value;
}

/* The value of a number argument that is an integer, else 0. */
static int64
number_value(ArraysState *state, BatchedCall *call)
{
	Datum		value = option_value(state, call->number, Int64GetDatum(0), &call->is_null);

	if (call->number == NULL || call->is_null || call->info->number == ARRAY_NUMBER_FRACTIONS)
		return 0;
	return DatumGetInt64(value);
}

/* True if the call has fractions that are an error of its function. */
static bool
fractions_are_wrong(ArraysState *state, const BatchedCall *call)
{
	MemoryContext caller;
	Fractions	fractions;
	bool		is_null = false;
	bool		result;

	if (call->info->number != ARRAY_NUMBER_FRACTIONS || call->is_null)
		return false;
	caller = MemoryContextSwitchTo(state->scan.css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);
	gpusort_fractions_read(&fractions, option_value(state, call->number, (Datum) 0, &is_null),
						   exprType((Node *) call->number->expr) == FLOAT8ARRAYOID);
	result = gpusort_fractions_wrong(&fractions) != NULL;
	MemoryContextSwitchTo(caller);
	return result;
}

/* Evaluates the options of a call for the scan that begins. */
void
gpusort_arrays_start_call(ArraysState *state, BatchedCall *call)
{
	int64		number;
	bool		descending;

	call->is_null = false;
	number = number_value(state, call);
	descending = DatumGetBool(option_value(state, call->descending, BoolGetDatum(call->info->descending), &call->is_null));
	(void) option_value(state, call->nulls_first, BoolGetDatum(false), &call->is_null);
	set_spec(call, number, descending);
	call->by_function = left_to_function(call, number) || fractions_are_wrong(state, call);
	call->on_device = gpusort_arrays_on_device(call);
	call->batch_bytes = call->on_device ? DEVICE_BATCH_BYTES : state->batch_bytes;
	/* A batch in ordinary memory passes through a slab, too. */
	if (device_capacity(call) > 0)
		call->batch_bytes = Min(call->batch_bytes, device_capacity(call));
	if (call->of_set != NULL)
		call->of_set->context = gpusort_arrays_sorts(call) ? gpusort_order_sorted : NULL;
}

/* True if the call's batches are sorted.  Else results are computed from the arrays as they were packed. */
bool
gpusort_arrays_sorts(const BatchedCall *call)
{
	return call->of_set == NULL || call->on_device;
}

static Datum
argument_value(ArraysState *state, const ArrayArgument *argument, TupleTableSlot *slot, bool *isnull)
{
	if (argument->column > 0)
		return slot_getattr(slot, argument->column, isnull);
	return ExecEvalExprSwitchContext(argument->state, state->scan.css.ss.ps.ps_ExprContext, isnull);
}

/*
 * The most bytes of keys in a batch that lies in ordinary memory and that a GPU sorts.  With
 * its payload it takes the call's part of half of work_mem.
 */
static Size
device_memory_capacity(const ArraysState *state, const BatchedCall *call)
{
	Size		entry = call->keys.width + (call->spec.payload == GPUSORT_PAYLOAD_NONE ? 0 : sizeof(uint32));

	return state->all_bytes / 2 / state->ncalls / entry * call->keys.width;
}

/* Begins the call's batch if necessary.  Returns false if `bytes` more bytes of keys do not fit it. */
static bool
begin_batch(ArraysState *state, RowGroup *group, int call, Size bytes)
{
	SortBatch  *batch = group->batches[call];
	Size		capacity = state->calls[call].batch_bytes;
	Size		memory_capacity;
	MemoryContext caller;

	if (batch != NULL)
		return group->used[call] + bytes <= (Size) batch->key_slots * state->calls[call].keys.width &&
			batch->nsegments < batch->segment_slots;
	if (state->calls[call].on_device)
		capacity = Max(capacity, Min(bytes * DEVICE_BATCH_ARRAYS, device_capacity(&state->calls[call])));
	if (bytes > capacity && group->nrows > 0)
		return false;			/* it begins the next group */
	capacity = Max(bytes, capacity);
	memory_capacity = Min(state->batch_bytes, capacity);
	/* A batch in ordinary memory costs the worker as much as one in a slab, so for a GPU it is as large. */
	if (state->calls[call].on_device && state->filled == 0)
		memory_capacity = Max(memory_capacity, Min(capacity, device_memory_capacity(state, &state->calls[call])));
	memory_capacity = Max(memory_capacity, bytes);
	caller = MemoryContextSwitchTo(state->context);
	batch = gpusort_batch_begin(&state->calls[call].spec, capacity, memory_capacity, Min(capacity / LEAST_SIZE, state->max_rows));
	MemoryContextSwitchTo(caller);
	batch->use = USED_FOR_ARRAYS;
	group->batches[call] = batch;
	group->batch_memory += batch->memory_bytes;
	return true;
}

/* True if the array has one dimension and no NULLs. */
static bool
is_simple(const ArrayType *array, Oid element, int width, Size size)
{
	return ARR_NDIM(array) == 1 && !ARR_HASNULL(array) && ARR_ELEMTYPE(array) == element &&
		(Size) ARR_DIMS(array)[0] * width + HEADER_SIZE == size;
}

/*
 * Packs the values of the keys that were just packed.  Copies the keys of array_sort_pair,
 * which a batch with a payload does not return.  Returns false if the values must be left
 * to the function.
 */
static bool
pack_values(ArraysState *state, RowGroup *group, int call_number, CallResult *result, Datum values)
{
	const BatchedCall *call = &state->calls[call_number];
	const SortBatch *batch = group->batches[call_number];
	CallSource *source = state->gathers ? gpusort_arrays_source_of(state, group, group->nrows, call_number) : NULL;
	Size		size = toast_raw_datum_size(values);
	ArrayType  *place;

	if (call->values.width <= 0 || size != HEADER_SIZE + (Size) result->count * call->values.width)
		return false;
	if (carries_values(call))
		place = (ArrayType *) ((char *) (batch->payload + result->start) - HEADER_SIZE);
	else
		place = source->values = gpusort_alloc_large(group->context, size);
	gpusort_toast_flatten(state->toast, values, size, (char *) place);
	if (!is_simple(place, call->values.element, call->values.width, size))
		return false;
	result->lower_bound = ARR_LBOUND(place)[0];
	if (call->kind == ARRAY_CALL_SORT_PAIR)
	{
		const char *keys = batch->keys + (Size) result->start * call->keys.width - HEADER_SIZE;

		source->keys = gpusort_alloc_large(group->context, VARSIZE(keys));
		memcpy(source->keys, keys, VARSIZE(keys));
	}
	return true;
}

/*
 * Packs the arrays of one call for the row in slot, the group's next row, and sets its
 * result.  Returns false if they do not fit the batch; the group then has other rows.
 */
bool
gpusort_arrays_pack(ArraysState *state, RowGroup *group, int call_number, TupleTableSlot *slot)
{
	BatchedCall *call = &state->calls[call_number];
	CallResult *result = gpusort_arrays_result_of(state, group, group->nrows, call_number);
	SortBatch  *batch;
	Datum		keys;
	Datum		values;
	Size		size;
	char	   *place;
	bool		isnull;

	result->state = RESULT_BY_FUNCTION;
	if (call->by_function)
		return true;
	keys = argument_value(state, &call->keys, slot, &isnull);
	values = keys;
	if (call->info->narrays > 1 && !isnull)
		values = argument_value(state, &call->values, slot, &isnull);
	if (isnull || call->is_null)
	{
		result->state = RESULT_NULL;
		return true;
	}

	size = toast_raw_datum_size(keys);
	if (size <= HEADER_SIZE)
		return true;
	if (call->lead + MAXALIGN(size) > Max(state->longest, call->batch_bytes))
		return true;
	if (!begin_batch(state, group, call_number, call->lead + MAXALIGN(size)))
		return false;
	batch = group->batches[call_number];
	place = batch->keys + group->used[call_number] + call->lead;
	gpusort_toast_flatten(state->toast, keys, size, place);
	if (!is_simple((ArrayType *) place, call->keys.element, call->keys.width, size))
		return true;

	result->start = (place + HEADER_SIZE - batch->keys) / call->keys.width;
	result->count = ARR_DIMS((ArrayType *) place)[0];
	result->lower_bound = ARR_LBOUND((ArrayType *) place)[0];
	if (call->info->narrays > 1 && !pack_values(state, group, call_number, result, values))
		return true;
	result->state = RESULT_SORTED;
	group->used[call_number] += call->lead + MAXALIGN(size);
	if (result->count > 1)
	{
		batch->segments[batch->nsegments].start = result->start;
		batch->segments[batch->nsegments].count = result->count;
		batch->nsegments++;
		state->scan.counters.keys += result->count;
	}
	return true;
}

/* Undoes gpusort_arrays_pack of one call for the group's next row. */
void
gpusort_arrays_take_back(ArraysState *state, RowGroup *group, int call_number)
{
	BatchedCall *call = &state->calls[call_number];
	CallResult *result = gpusort_arrays_result_of(state, group, group->nrows, call_number);
	SortBatch  *batch = group->batches[call_number];

	if (result->state != RESULT_SORTED)
		return;
	group->used[call_number] = (Size) result->start * call->keys.width - HEADER_SIZE - call->lead;
	if (result->count > 1)
	{
		batch->nsegments--;
		state->scan.counters.keys -= result->count;
	}
}

/* Writes the header of an array whose elements lie behind it, and returns the array. */
static Datum
finish_array(char *place, Oid element, int width, uint32 count, int lower_bound)
{
	ArrayType  *array = (ArrayType *) place;

	SET_VARSIZE(array, HEADER_SIZE + (Size) count * width);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = element;
	ARR_DIMS(array)[0] = count;
	ARR_LBOUND(array)[0] = lower_bound;
	return PointerGetDatum(array);
}

/* The sorted payload of a segment.  A segment of a single key was not submitted, so its payload is set here. */
static uint32 *
payload_of(const BatchedCall *call, const SortBatch *batch, const CallResult *result)
{
	uint32	   *payload = batch->payload_out ? batch->payload_out : batch->payload;

	if (result->count == 1)
		payload[result->start] = carries_values(call) ? batch->payload[result->start] : 0;
	return payload + result->start;
}

static Datum
positions_result(const BatchedCall *call, const SortBatch *batch, const CallResult *result)
{
	uint32	   *positions = payload_of(call, batch, result);

	for (uint32 i = 0; i < result->count; i++)
		positions[i]++;
	return finish_array((char *) positions - HEADER_SIZE, INT4OID, sizeof(int32), result->count, 1);
}

/* A new array of the source's elements at count positions. */
static Datum
gathered(const ArrayType *source, int width, const uint32 *positions, uint32 count, int lower_bound)
{
	char	   *place = gpusort_alloc_large(CurrentMemoryContext, HEADER_SIZE + (Size) count * width);

	gpusort_elements_gather(place + HEADER_SIZE, ARR_DATA_PTR(source), width, positions, count);
	return finish_array(place, ARR_ELEMTYPE(source), width, count, lower_bound);
}

/* The values in the order of the keys: carried as the payload, or gathered by position. */
static Datum
values_result(const BatchedCall *call, const SortBatch *batch, const CallResult *result, const CallSource *source)
{
	bool		top = call->kind == ARRAY_CALL_TOP_N_BY;
	int			lower_bound = top ? 1 : result->lower_bound;
	uint32		count = top ? Min(call->spec.limit, result->count) : result->count;
	uint32	   *payload = payload_of(call, batch, result);

	if (carries_values(call))
		return finish_array((char *) payload - HEADER_SIZE, call->values.element, call->values.width, count, lower_bound);
	return gathered(source->values, call->values.width, payload, count, lower_bound);
}

/* The record of values and keys, both gathered by position. */
static Datum
pair_result(const BatchedCall *call, const SortBatch *batch, const CallResult *result, const CallSource *source)
{
	const uint32 *positions = payload_of(call, batch, result);
	bool		nulls[2] = {false, false};
	Datum		arrays[2];

	arrays[0] = gathered(source->values, call->values.width, positions, result->count, result->lower_bound);
	arrays[1] = gathered(source->keys, call->keys.width, positions, result->count, ARR_LBOUND(source->keys)[0]);
	return HeapTupleGetDatum(heap_form_tuple(call->record, arrays, nulls));
}

/* What the function returns for an array of the batch. */
static Datum
set_result(ArraysState *state, const BatchedCall *call, char *array, bool *isnull)
{
	FunctionCallInfo fcinfo = call->of_set;
	Datum		result;

	fcinfo->args[0] = (NullableDatum) {.value = PointerGetDatum(array)};
	if (call->number != NULL)
		fcinfo->args[1] = (NullableDatum) {.value = option_value(state, call->number, (Datum) 0, isnull)};
	fcinfo->isnull = false;
	result = FunctionCallInvoke(fcinfo);
	*isnull = fcinfo->isnull;
	return result;
}

static char *
result_place(const BatchedCall *call, const SortBatch *batch, const CallResult *result)
{
	char	   *keys = batch->keys_out ? batch->keys_out : batch->keys;

	return keys + (Size) result->start * call->keys.width - HEADER_SIZE;
}

/*
 * The result of a call for the group's row that is to be returned.  The batch must have
 * been waited for.
 */
Datum
gpusort_arrays_result(ArraysState *state, RowGroup *group, int call_number, bool *isnull)
{
	const BatchedCall *call = &state->calls[call_number];
	const SortBatch *batch = group->batches[call_number];
	CallResult *result = gpusort_arrays_result_of(state, group, group->next_row, call_number);
	CallSource *source = state->gathers ? gpusort_arrays_source_of(state, group, group->next_row, call_number) : NULL;
	char	   *place;
	uint32		count;

	*isnull = result->state != RESULT_SORTED;
	if (*isnull)
		return (Datum) 0;
	if (call->kind == ARRAY_CALL_ARGSORT)
		return positions_result(call, batch, result);
	if (call->kind == ARRAY_CALL_SORT_PAIR)
		return pair_result(call, batch, result, source);
	if (call->info->narrays > 1)
		return values_result(call, batch, result, source);

	place = result_place(call, batch, result);
	if (call->of_set != NULL)
		return set_result(state, call, place, isnull);
	count = call->kind == ARRAY_CALL_TOP_N ? Min(call->spec.limit, result->count) : result->count;
	if (call->spec.buckets == 0)
		gpusort_keys_one_nan(call->spec.form, place + HEADER_SIZE, count, call->spec.descending);
	if (call->kind != ARRAY_CALL_TOP_N && call->kind != ARRAY_CALL_DISTINCT)
		return PointerGetDatum(place);
	if (call->kind == ARRAY_CALL_DISTINCT && count > 1)
		count = gpusort_keys_distinct(call->spec.form, place + HEADER_SIZE, count);
	return finish_array(place, call->keys.element, call->keys.width, count,
						call->kind == ARRAY_CALL_TOP_N ? 1 : result->lower_bound);
}
