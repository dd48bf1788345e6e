/*
 * row_group.c
 *	  Reads rows in groups and has their arrays sorted.
 *
 * Groups begin with one row and grow, in each scan: a hash join stops after the first row if
 * it finds that the other side has none.  Only groups of full size are read ahead.  Groups grow fourfold, or faster for
 * a GPU, which takes as long for one row as for many.  A LIMIT right above is known, and
 * rows past it are never read.
 *
 * A GPU sorts while the backend goes on.  Then the next groups are read and submitted
 * before the current one is waited for, so that reading and returning rows overlap with
 * sorting, and the GPU has several batches at a time.  If many backends share the arena,
 * each has only one batch there.
 *
 * All groups together take work_mem, for buffers of rows, copies of values passed by
 * reference, and batches in ordinary memory.  A group ends when it has used its share, so
 * the wider rows are, the fewer a group has.  If there was no slab for a group's batches,
 * they are in ordinary memory: the group may then take all of work_mem, for there is no
 * other beside it.
 */
#include "postgres.h"

#include "common/int.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "portability/instr_time.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "compat.h"
#include "nodes/arrays/arrays_state.h"

#define MAX_ROWS 1024			/* per group on the CPU */
#define MAX_ROWS_ON_DEVICE 32768
#define MIN_ROWS 8				/* per group, even of the widest rows */
#define MIN_GROUP_BYTES (64 * 1024)	/* for the smallest work_mem */
#define FIRST_ROW_SLOTS 64
#define RAMP_FACTOR 4
#define RAMP_FACTOR_ON_DEVICE 64

void
gpusort_arrays_init_group(ArraysState *state, RowGroup *group)
{
	MemoryContext caller = MemoryContextSwitchTo(state->context);

	group->context = AllocSetContextCreate(state->context, "gpusort rows", ALLOCSET_SMALL_SIZES);
	group->batches = palloc0_array(SortBatch *, state->ncalls);
	group->used = palloc0_array(Size, state->ncalls);
	MemoryContextSwitchTo(caller);
}

/* The group that is `place` places behind the current one. */
static RowGroup *
group_of(ArraysState *state, int place)
{
	return &state->groups[(state->current + place) % GPUSORT_ARRAYS_GROUPS];
}

/* True if a batch of the group is still being sorted. */
static bool
is_being_sorted(ArraysState *state, RowGroup *group)
{
	for (int i = 0; i < state->ncalls; i++)
	{
		SortBatch  *batch = group->batches[i];

		if (batch != NULL && batch->nsegments > 0 && !gpusort_batch_done(batch))
			return true;
	}
	return false;
}

/*
 * True if one more group should be filled before the current one is waited for.  Batches
 * in ordinary memory are sorted when they are submitted, so they are never read ahead.
 */
static bool
may_read_ahead(ArraysState *state)
{
	return state->filled < GPUSORT_ARRAYS_GROUPS && state->ramp_rows == state->max_rows &&
		group_of(state, 0)->batch_memory == 0 &&
		is_being_sorted(state, group_of(state, 0)) && is_being_sorted(state, group_of(state, state->filled - 1)) &&
		gpusort_batch_may_take_slab();
}

#define RESIZE(group, member, entries) \
	((group)->member = (group)->row_slots == 0 ? \
	 MemoryContextAllocHuge(state->context, (entries) * sizeof(*(group)->member)) : \
	 repalloc_huge((group)->member, (entries) * sizeof(*(group)->member)))

/* Enlarges a group's buffers to this many rows, and keeps the rows in them. */
static void
resize_rows(ArraysState *state, RowGroup *group, int slots)
{
	RESIZE(group, values, (Size) slots * state->ncolumns);
	RESIZE(group, nulls, (Size) slots * state->ncolumns);
	RESIZE(group, by_function, (Size) slots);
	RESIZE(group, results, (Size) slots * state->ncalls);
	if (state->gathers)
		RESIZE(group, sources, (Size) slots * state->ncalls);
	group->row_slots = slots;
}

#undef RESIZE

/* Memory that the group being filled may take. */
static Size
share_of(const ArraysState *state, const RowGroup *group)
{
	return group->batch_memory > 0 && state->filled == 0 ? state->all_bytes : state->group_bytes;
}

/*
 * Makes the group's buffers hold one more of the wanted rows.  Returns false if the group
 * has used its share of memory.
 */
static bool
reserve_row(ArraysState *state, RowGroup *group, int wanted)
{
	Size		other = MemoryContextMemAllocated(group->context, false) + group->batch_memory;
	Size		share = share_of(state, group);
	Size		slots = Max(Min(wanted, FIRST_ROW_SLOTS), MIN_ROWS);

	if (group->nrows >= MIN_ROWS && other + group->row_slots * state->row_bytes > share)
		return false;
	if (group->nrows < group->row_slots)
		return true;
	if (group->row_slots > 0)
		slots = Min(wanted, 2 * (Size) group->row_slots);
	slots = Min(slots, (share - Min(other, share)) / state->row_bytes);
	slots = Max(slots, MIN_ROWS);
	if (slots <= group->row_slots)
		return false;
	resize_rows(state, group, slots);
	return true;
}

/*
 * Evaluates the expressions of the LIMIT above, as that did before it asked for a row.  A
 * LIMIT tells nodes below it how many rows it wants, but not custom scans and what is below
 * them.  So the child is told here.
 */
void
gpusort_arrays_find_limit(ArraysState *state)
{
	bool		no_count;
	bool		no_offset = true;
	Datum		count;
	Datum		offset = (Datum) 0;

	state->limit_known = true;
	state->limit = -1;
	if (state->limit_count == NULL)
		return;
	count = ExecEvalExprSwitchContext(state->limit_count, state->scan.css.ss.ps.ps_ExprContext, &no_count);
	if (state->limit_offset != NULL)
		offset = ExecEvalExprSwitchContext(state->limit_offset, state->scan.css.ss.ps.ps_ExprContext, &no_offset);
	if (!no_count && pg_add_s64_overflow(DatumGetInt64(count), no_offset ? 0 : DatumGetInt64(offset), &state->limit))
		state->limit = -1;
	ExecSetTupleBound(state->limit, outerPlanState(&state->scan.css));
}

/* How many rows the next group should have. */
static int
rows_wanted(ArraysState *state)
{
	int64		left;

	if (!state->limit_known)
		gpusort_arrays_find_limit(state);
	if (state->limit < 0)
		return state->ramp_rows;
	left = state->limit - state->rows_read + (state->pending ? 1 : 0);
	return Max(Min(left, state->max_rows), 1);
}

/* Evaluates options, which are the same for all rows of a scan.  Called only if there is a first row. */
static void
start_scan(ArraysState *state)
{
	bool		on_device = false;

	state->started = true;
	for (int i = 0; i < state->ncalls; i++)
	{
		gpusort_arrays_start_call(state, &state->calls[i]);
		on_device |= state->calls[i].on_device;
	}
	state->max_rows = on_device ? MAX_ROWS_ON_DEVICE : MAX_ROWS;
	state->ramp_factor = on_device ? RAMP_FACTOR_ON_DEVICE : RAMP_FACTOR;
	state->group_bytes = Max(state->all_bytes / (on_device ? GPUSORT_ARRAYS_GROUPS : 1), MIN_GROUP_BYTES);
}

/* Packs the arrays of the group's next row.  Returns false if they do not fit. */
static bool
pack_row(ArraysState *state, RowGroup *group, TupleTableSlot *slot)
{
	ExprContext *econtext = state->scan.css.ss.ps.ps_ExprContext;
	MemoryContext caller;
	int			call = 0;

	ResetExprContext(econtext);
	caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	if (state->computes)
	{
		gpusort_arrays_load_columns(state, slot);
		econtext->ecxt_scantuple = state->scan.css.ss.ss_ScanTupleSlot;
	}
	group->by_function[group->nrows] = false;
	while (call < state->ncalls && gpusort_arrays_pack(state, group, call, slot))
	{
		if (gpusort_arrays_result_of(state, group, group->nrows, call)->state == RESULT_BY_FUNCTION)
			group->by_function[group->nrows] = true;
		call++;
	}
	MemoryContextSwitchTo(caller);
	if (call == state->ncalls)
		return true;
	while (--call >= 0)
		gpusort_arrays_take_back(state, group, call);
	return false;
}

/* Copies the columns of the child's row that are needed when the row is returned. */
static void
keep_columns(ArraysState *state, RowGroup *group, TupleTableSlot *slot)
{
	Datum	   *values = &group->values[(Size) group->nrows * state->ncolumns];
	bool	   *nulls = &group->nulls[(Size) group->nrows * state->ncolumns];
	bool		by_function = group->by_function[group->nrows];
	MemoryContext caller = MemoryContextSwitchTo(group->context);

	for (int i = 0; i < state->ncolumns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(slot->tts_tupleDescriptor, i);

		if (!state->kept[i] && !by_function)
		{
			values[i] = (Datum) 0;
			nulls[i] = true;
			continue;
		}
		values[i] = slot_getattr(slot, i + 1, &nulls[i]);
		if (!nulls[i] && !column->attbyval)
			values[i] = datumCopy(values[i], false, column->attlen);
	}
	MemoryContextSwitchTo(caller);
}

/* The time if EXPLAIN ANALYZE asks for it, else zero. */
static instr_time
time_now(const ArraysState *state)
{
	instr_time	now;

	INSTR_TIME_SET_ZERO(now);
	if (state->scan.css.ss.ps.instrument && GPUSORT_NEEDS_TIMER(state->scan.css.ss.ps.instrument))
		INSTR_TIME_SET_CURRENT(now);
	return now;
}

static void
add_time(const ArraysState *state, instr_time *phase, instr_time start)
{
	instr_time	now = time_now(state);

	INSTR_TIME_ACCUM_DIFF(*phase, now, start);
}

static void
submit_group(ArraysState *state, RowGroup *group)
{
	instr_time	start = time_now(state);

	for (int i = 0; i < state->ncalls; i++)
	{
		SortBatch  *batch = group->batches[i];

		if (batch == NULL || batch->nsegments == 0)
			continue;
		state->scan.counters.batches++;
		state->scan.counters.segments += batch->nsegments;
		if (!gpusort_arrays_sorts(&state->calls[i]))
		{
			state->scan.counters.used_cpu = true;
			continue;
		}
		batch->nslots = group->used[i] / state->calls[i].keys.width;
		state->scan.counters.moved_bytes += 2 * group->used[i];
		gpusort_batch_submit(batch);
	}
	add_time(state, &state->scan.counters.sort_time, start);
}

/* Memory of all groups. */
static uint64
memory_used(const ArraysState *state)
{
	uint64		bytes = 0;

	for (int i = 0; i < GPUSORT_ARRAYS_GROUPS; i++)
	{
		const RowGroup *group = &state->groups[i];

		bytes += MemoryContextMemAllocated(group->context, false) + group->batch_memory + group->row_slots * state->row_bytes;
	}
	return bytes;
}

/* Reads rows into an empty group and submits its batches.  Returns false if there are no rows. */
static bool
fill_group(ArraysState *state, RowGroup *group)
{
	int			wanted = rows_wanted(state);
	instr_time	start = time_now(state);
	TupleTableSlot *slot;

	while (group->nrows < wanted && reserve_row(state, group, wanted) && (slot = gpusort_arrays_read_row(state)) != NULL)
	{
		if (!state->started)
			start_scan(state);
		if (!pack_row(state, group, slot))
		{
			state->pending = slot;
			state->ramp_rows = state->max_rows; /* larger groups would not fit */
			break;
		}
		keep_columns(state, group, slot);
		group->nrows++;
	}
	gpusort_toast_pause(state->toast);
	add_time(state, &state->scan.counters.read_time, start);
	if (group->nrows == 0)
		return false;
	state->ramp_rows = Min(state->ramp_rows * state->ramp_factor, state->max_rows);
	state->filled++;
	state->scan.counters.peak_bytes = Max(state->scan.counters.peak_bytes, memory_used(state));
	submit_group(state, group);
	return true;
}

static void
wait_for_group(ArraysState *state, RowGroup *group)
{
	instr_time	start = time_now(state);

	for (int i = 0; i < state->ncalls; i++)
	{
		SortBatch  *batch = group->batches[i];

		if (batch == NULL || batch->nsegments == 0 || !gpusort_arrays_sorts(&state->calls[i]))
			continue;
		gpusort_batch_wait(batch);
		if (batch->engine == ENGINE_GPU)
			state->scan.counters.used_gpu = true;
		else
			state->scan.counters.used_cpu = true;
		state->scan.counters.method = batch->method;
		state->scan.counters.device_ms += batch->device_ms;
	}
	add_time(state, &state->scan.counters.wait_time, start);
}

static void
free_rows(RowGroup *group)
{
	pfree(group->values);
	pfree(group->nulls);
	pfree(group->by_function);
	pfree(group->results);
	if (group->sources)
		pfree(group->sources);
	group->row_slots = 0;
}

/* Ends a group's batches and removes its rows. */
static void
empty_group(ArraysState *state, RowGroup *group)
{
	for (int i = 0; i < state->ncalls; i++)
	{
		if (group->batches[i])
			gpusort_batch_end(group->batches[i]);
		group->batches[i] = NULL;
		group->used[i] = 0;
	}
	MemoryContextReset(group->context);
	group->batch_memory = 0;
	/* Large buffers leave no memory for copies.  If there were few rows, they are freed. */
	if (group->nrows < group->row_slots / 2 && group->row_slots * state->row_bytes > state->group_bytes / 2)
		free_rows(group);
	group->nrows = 0;
	group->next_row = 0;
}

/*
 * Makes the next group the current one, filled and sorted.  Returns false if there are no
 * more rows.
 */
bool
gpusort_arrays_next_group(ArraysState *state)
{
	RowGroup   *group;

	if (state->filled > 0)
	{
		empty_group(state, &state->groups[state->current]);
		state->filled--;
		/* If no other group is filled, this one is used again, because it has its buffers. */
		if (state->filled > 0)
			state->current = (state->current + 1) % GPUSORT_ARRAYS_GROUPS;
	}
	group = &state->groups[state->current];
	if (state->filled == 0 && !fill_group(state, group))
		return false;
	while (may_read_ahead(state))
	{
		if (!fill_group(state, group_of(state, state->filled)))
			break;
	}
	wait_for_group(state, group);
	return true;
}

void
gpusort_arrays_drop_groups(ArraysState *state)
{
	for (int i = 0; i < GPUSORT_ARRAYS_GROUPS; i++)
		empty_group(state, &state->groups[i]);
	state->filled = 0;
	state->current = 0;
}

/* Bytes that a row takes in a group's buffers. */
Size
gpusort_arrays_row_bytes(const ArraysState *state)
{
	Size		column = sizeof(Datum) + sizeof(bool);
	Size		call = sizeof(CallResult) + (state->gathers ? sizeof(CallSource) : 0);

	return state->ncolumns * column + state->ncalls * call + sizeof(bool);
}

/* The child's next row, or NULL. */
TupleTableSlot *
gpusort_arrays_read_row(ArraysState *state)
{
	TupleTableSlot *slot = state->pending;

	state->pending = NULL;
	if (slot != NULL || state->child_done)
		return slot;
	slot = ExecProcNode(outerPlanState(&state->scan.css));
	if (TupIsNull(slot))
	{
		state->child_done = true;
		return NULL;
	}
	state->rows_read++;
	return slot;
}

/* Makes the child's row the scan tuple, with NULLs for the calls. */
void
gpusort_arrays_load_columns(ArraysState *state, TupleTableSlot *child)
{
	TupleTableSlot *slot = state->scan.css.ss.ss_ScanTupleSlot;

	slot_getallattrs(child);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, child->tts_values, state->ncolumns * sizeof(Datum));
	memcpy(slot->tts_isnull, child->tts_isnull, state->ncolumns * sizeof(bool));
	memset(slot->tts_isnull + state->ncolumns, true, state->ncalls * sizeof(bool));
	ExecStoreVirtualTuple(slot);
}
