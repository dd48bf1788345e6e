/*
 * shared_parts.c
 *	  Tells who sorts which part of a sort by several processes, and returns them in order; see shared_state.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/shared_state.h"

#define SHARED_PARTS_AHEAD 2	/* sorted parts for each participant that the leader has not returned yet, */
#define SHARED_FILE_PARTS_AHEAD 1	/* or of rows in files, whose parts may be as large as memory allows */
#define SHARED_HELPERS_MIN 2	/* more workers end when they would wait for the leader, which then is the slowest */

void
gpusort_shared_sort_stop(SharedSortState *shared)
{
	SpinLockAcquire(&shared->mutex);
	shared->stopped = true;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->claimable);
	ConditionVariableBroadcast(&shared->freed);
}

/* How many parts may be begun before the first one is returned. */
static uint32
parts_ahead(const SharedSortState *shared)
{
	return (shared->part_bytes > 0 ? SHARED_FILE_PARTS_AHEAD : SHARED_PARTS_AHEAD) * shared->participants;
}

/*
 * Begins the next part that nobody has begun, if it is not too far ahead.  Returns false if there will be none, or
 * if enough others sort parts.
 */
static bool
claim_part(SharedSort *part, uint32 ahead, uint32 *number)
{
	SharedSortState *shared = part->shared;
	bool		claimed = false;
	bool		ended = false;

	ConditionVariablePrepareToSleep(&shared->claimable);
	for (;;)
	{
		SpinLockAcquire(&shared->mutex);
		ended = shared->stopped || shared->next_part == shared->nparts;
		claimed = !ended && shared->next_part < shared->returned + ahead;
		if (!claimed && !ended && shared->returned >= ahead && shared->helpers > SHARED_HELPERS_MIN)
		{
			shared->helpers--;
			ended = true;
		}
		if (claimed)
		{
			*number = shared->next_part++;
			part->parts[*number].state = PART_IS_SORTED_NOW;
		}
		SpinLockRelease(&shared->mutex);
		if (claimed || ended)
			break;
		ConditionVariableSleep(&shared->claimable, gpusort_shared_wait_event());
	}
	ConditionVariableCancelSleep();
	if (claimed && *number + 1 == shared->nparts)
		ConditionVariableBroadcast(&shared->claimable);
	return claimed;
}

/* Waits for memory for a sorted part.  Returns false if there is none before the leader wants the part. */
static bool
take_space(SharedSort *part, uint32 number, Size bytes)
{
	SharedSortState *shared = part->shared;
	bool		fits;
	bool		ended;

	ConditionVariablePrepareToSleep(&shared->freed);
	for (;;)
	{
		bool		free = gpusort_shared_has_space(shared, bytes, SHARED_FREE_FOR_PARTS);

		SpinLockAcquire(&shared->mutex);
		fits = free || shared->sorted_bytes + bytes <= shared->sorted_most;
		ended = shared->stopped || shared->returned == number;
		if (fits)
		{
			part->parts[number].bytes = bytes;
			shared->sorted_bytes += bytes;
			shared->sorted_most = Max(shared->sorted_most, shared->sorted_bytes);
		}
		SpinLockRelease(&shared->mutex);
		if (fits || ended)
			break;
		ConditionVariableSleep(&shared->freed, gpusort_shared_wait_event());
	}
	ConditionVariableCancelSleep();
	return fits;
}

void
gpusort_shared_sort_help(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	RowStore   *store = part->sort->store;
	uint32		number;
	bool		has_memory = shared->nparts > 0;

	if (has_memory)
		gpusort_shared_open_parts(part);
	SpinLockAcquire(&shared->mutex);
	shared->helpers += has_memory;
	SpinLockRelease(&shared->mutex);
	while (has_memory && claim_part(part, parts_ahead(shared), &number))
	{
		SharedPart *sorted = &part->parts[number];
		dsa_pointer rows = InvalidDsaPointer;

		gpusort_shared_sort_part(part, number);
		if (store->nrows > 0 && take_space(part, number, gpusort_rows_store_bytes(store)))
			rows = gpusort_stored_rows_write(part->area, NULL, 0, store, part->sort->order, store->nrows);
		has_memory = store->nrows == 0 || DsaPointerIsValid(rows);
		SpinLockAcquire(&shared->mutex);
		sorted->rows = rows;
		sorted->state = has_memory ? PART_IS_SORTED : PART_IS_LEFT;
		shared->helpers -= !has_memory;
		SpinLockRelease(&shared->mutex);
		ConditionVariableSignal(&shared->sorted);
	}
	MemoryContextSwitchTo(caller);
}

/* The next part that nobody has begun and that begins with a group, or the number of parts. */
static uint32
claim_groups(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	uint32		number;

	do
	{
		SpinLockAcquire(&shared->mutex);
		number = shared->stopped ? shared->nparts : shared->next_part;
		shared->next_part = Min(number + 1, shared->nparts);
		SpinLockRelease(&shared->mutex);
	} while (number > 0 && number < shared->nparts && !part->splitters[number - 1].is_group);
	return number;
}

bool
gpusort_shared_sort_take(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	uint32		number = part->next;

	if (shared->nparts > 0)
		gpusort_shared_open_parts(part);
	if (number == 0 || number == shared->nparts || part->splitters[number - 1].is_group)
		number = claim_groups(part);
	part->next = Min(number + 1, shared->nparts);
	if (number < shared->nparts)
		gpusort_shared_sort_part(part, number);
	MemoryContextSwitchTo(caller);
	return number < shared->nparts;
}

uint64
gpusort_shared_sort_rows(const SharedSort *part)
{
	return part->shared->nrows;
}

/* True if the last row of a part that is loaded is equal to the first one of the next part. */
static bool
goes_on(const SharedSort *part, uint32 number)
{
	const RowSort *sort = part->sort;
	uint32		last = sort->store->nrows - 1;
	const Splitter *next = &part->splitters[number];

	return sort->store->nrows > 0 && number + 1 < part->shared->nparts &&
		gpusort_rows_compare(sort->keys, 0, sort->store, sort->order ? sort->order[last] : last,
							 part->runs[next->run].fences, next->fence) == 0;
}

void
gpusort_shared_sort_count(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	uint32		number;

	if (shared->nparts > 0)
		gpusort_shared_open_parts(part);
	while (shared->nparts > 0 && claim_part(part, shared->nparts, &number))
	{
		gpusort_shared_sort_part(part, number);
		part->parts[number].runs = gpusort_rows_find_runs(part->sort);
		part->parts[number].goes_on = goes_on(part, number);
	}
	MemoryContextSwitchTo(caller);
}

uint64
gpusort_shared_sort_runs(SharedSort *part, uint64 *mode)
{
	uint64		runs = 0;
	uint64		longest = 0;
	uint64		begun = 0;		/* rows of a run that goes on, */
	uint64		begin = 0;		/* and its first one */
	uint64		before = 0;		/* rows of former parts */

	for (uint32 i = 0; i < part->shared->nparts; i++)
	{
		const SharedPart *counted = &part->parts[i];
		uint64		first = begun + counted->runs.first;
		uint64		first_row = begun > 0 ? begin : before;

		runs += counted->runs.runs - counted->goes_on;
		if (first > longest)
		{
			longest = first;
			*mode = first_row;
		}
		if (counted->runs.longest > longest)
		{
			longest = counted->runs.longest;
			*mode = before + counted->runs.longest_row;
		}
		before += counted->runs.rows;
		begin = counted->runs.runs == 1 ? first_row : before - counted->runs.last;
		begun = !counted->goes_on ? 0 : counted->runs.runs == 1 ? first : counted->runs.last;
	}
	return runs;
}

/* How many rows come before a part. */
static uint64
rows_before_part(SharedSort *part, uint32 number)
{
	uint64		rows = 0;

	if (number == 0 || number == part->shared->nparts)
		return number == 0 ? 0 : part->shared->nrows;
	for (uint32 run = 0; run < part->nruns; run++)
	{
		CHECK_FOR_INTERRUPTS();
		rows += gpusort_shared_cut(part, run, &part->splitters[number - 1], 0);
	}
	return rows;
}

/* Loads the part that has a row. */
static void
find_row(SharedSort *part, uint64 row)
{
	uint32		low = 0;
	uint32		high = part->shared->nparts;

	gpusort_shared_open_parts(part);
	part->first_row = 0;
	part->end_row = part->shared->nrows;
	while (high - low > 1)
	{
		uint32		middle = low + (high - low) / 2;
		uint64		rows = rows_before_part(part, middle);

		if (rows <= row)
		{
			low = middle;
			part->first_row = rows;
		}
		else
		{
			high = middle;
			part->end_row = rows;
		}
	}
	gpusort_shared_sort_part(part, low);
}

Datum
gpusort_shared_sort_key(SharedSort *part, uint64 row)
{
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	const RowBatch *batch;

	if (row < part->first_row || row >= part->end_row)
		find_row(part, row);
	row -= part->first_row;
	batch = gpusort_rows_sort_read(part->sort, row);
	MemoryContextSwitchTo(caller);
	return batch->values[(row - batch->first) * batch->natts + part->sort->keys->keys[0].attribute];
}

/* Begins the part itself if nobody has, else waits until it is sorted. */
static PartState
take_part(SharedSort *part, uint32 number)
{
	SharedSortState *shared = part->shared;
	PartState	state;

	ConditionVariablePrepareToSleep(&shared->sorted);
	for (;;)
	{
		SpinLockAcquire(&shared->mutex);
		state = part->parts[number].state;
		if (state == PART_WAITS)
			shared->next_part = number + 1;
		SpinLockRelease(&shared->mutex);
		if (state != PART_IS_SORTED_NOW)
			break;
		ConditionVariableSleep(&shared->sorted, gpusort_shared_wait_event());
	}
	ConditionVariableCancelSleep();
	if (state == PART_WAITS && number + 1 == shared->nparts)
		ConditionVariableBroadcast(&shared->claimable);
	return state;
}

/* Has the rows of a sorted part read where they are.  They stay there until the next part is wanted. */
static void
read_sorted(SharedSort *part, const SharedPart *sorted)
{
	RowSort    *sort = part->sort;

	if (DsaPointerIsValid(sorted->rows))
		sort->store = part->view = gpusort_stored_rows_view(part->area, dsa_get_address(part->area, sorted->rows), sort->layout);
	else
		gpusort_rows_store_clear(sort->store);
	gpusort_rows_sort_keep_order(sort);
}

static void
load_part(SharedSort *part, uint32 number)
{
	if (take_part(part, number) == PART_IS_SORTED)
		read_sorted(part, &part->parts[number]);
	else
		gpusort_shared_sort_part(part, number);
}

/* Frees a part that has been returned, so that workers begin with another one. */
static void
end_part(SharedSort *part, uint32 number)
{
	SharedSortState *shared = part->shared;

	part->sort->store = part->store;
	if (part->view != NULL)
		pfree(part->view);
	part->view = NULL;
	gpusort_shared_free_part(part->area, &part->parts[number]);
	SpinLockAcquire(&shared->mutex);
	shared->sorted_bytes -= part->parts[number].bytes;
	shared->returned = number + 1;
	SpinLockRelease(&shared->mutex);
	ConditionVariableSignal(&shared->claimable);
	ConditionVariableBroadcast(&shared->freed);
}

bool
gpusort_shared_sort_next(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller;

	if (shared->returned == shared->nparts)
		return false;
	caller = MemoryContextSwitchTo(part->sort->context);
	if (part->parts == NULL)
		gpusort_shared_open_parts(part);
	else
		end_part(part, shared->returned);
	if (shared->returned < shared->nparts)
		load_part(part, shared->returned);
	MemoryContextSwitchTo(caller);
	return shared->returned < shared->nparts;
}

void
gpusort_shared_sort_leave(SharedSort *part)
{
	for (int i = 0; i < part->shared->participants; i++)
		if (part->files[i] != NULL)
			gpusort_rows_spill_close(part->files[i]);
}
