/*
 * row_sort.c
 *	  Sorts rows in memory or, beyond work_mem, in parts; see row_sort.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "kept_memory.h"
#include "large_memory.h"
#include "rows/device_rows.h"
#include "rows/row_parts.h"
#include "rows/row_plain.h"
#include "rows/row_strings.h"
#include "stats/sort_progress.h"

#define ROWS_EXPECTED_SLACK 1.05	/* memory is reserved for more rows than the planner expects */
#define ROWS_CACHED_BYTES (16.0 * 1024 * 1024)	/* larger stores are laid out for memory beyond the caches */
#define ROWS_SHOWN_MIN 64		/* a sort is shown from so many rows on */

/* Bytes that a row needs in memory, without its record and NULLs. */
static Size
row_bytes(const RowSort *sort)
{
	return sort->layout->fixed_bytes + gpusort_rows_sort_bytes(sort->keys);
}

/* Has the store grow to this many rows at once, as far as they fit into memory. */
static void
expect_rows(RowSort *sort, double expected_rows)
{
	Size		fixed_bytes = sort->layout->fixed_bytes;
	double		most = Min((double) sort->memory_limit / row_bytes(sort), GPUSORT_ROWS_STORE_MAX);
	double		rows = Min(expected_rows * ROWS_EXPECTED_SLACK, most);
	Size		record_bytes = 0;

	if (sort->layout->nrecord > 0 && sort->expected_width > fixed_bytes)
		record_bytes = Min(rows * (sort->expected_width - fixed_bytes + MAXIMUM_ALIGNOF), (double) sort->memory_limit);
	gpusort_rows_store_expect(sort->store, rows, record_bytes);
}

/*
 * Starts a sort of the rows that a descriptor describes, by the keys of a Sort.  The target list
 * tells which attributes are constant.  The list of sources, unless it is NIL, tells which
 * attributes have the values of another (row_store.h).  Rows that the bound does not want may
 * be missing.
 */
RowSort *
gpusort_rows_sort_begin(TupleDesc desc, List *tlist, List *sources, const Sort *keys,
						double expected_rows, int expected_width, RowBoundSpec bound,
						bool random_access, bool timed, Size memory_limit)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort rows", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	RowSort    *sort = palloc0(sizeof(RowSort));

	sort->context = context;
	sort->memory_limit = memory_limit;
	sort->random_access = random_access;
	sort->timed = timed;
	sort->keys = gpusort_rows_keys(desc, sources, keys);
	sort->layout = gpusort_rows_layout(desc, tlist, sources, gpusort_rows_key_attributes(sort->keys),
									   Min(expected_rows * expected_width, (double) sort->memory_limit) > ROWS_CACHED_BYTES);
	sort->store = gpusort_rows_store_create(sort->context, sort->layout);
	sort->expected_rows = Max(expected_rows, 0);
	sort->expected_width = expected_width;
	sort->bound = gpusort_rows_bound_create(sort->context, sort->layout, sort->keys, bound, expected_rows);
	sort->look_at = bound.kind == BOUND_DISTINCT ? GPUSORT_DISTINCT_LOOK : 0;
	expect_rows(sort, sort->bound ? Min(expected_rows, sort->bound->cut_at) : expected_rows);
	MemoryContextSwitchTo(caller);
	return sort;
}

/* How many rows were appended or rejected. */
static uint64
rows_read(const RowSort *sort)
{
	return sort->nrows + sort->store->nrows + sort->dropped + (sort->bound ? sort->bound->dropped : 0);
}

/* Shows how many rows have been read, once they are more than a few. */
void
gpusort_rows_sort_show_read(RowSort *sort)
{
	ProgressRows rows = {.read = rows_read(sort)};

	if (sort->progress == 0 && rows.read < ROWS_SHOWN_MIN)
		return;
	if (sort->progress == 0)
		sort->progress = gpusort_progress_begin_rows(sort->expected_rows);
	rows.expected = Max(sort->expected_rows, rows.read);
	rows.parts = sort->parts ? sort->parts->set.nparts : 0;
	gpusort_progress_rows(sort->progress, &rows);
	gpusort_progress_update(sort->progress, SORT_PHASE_READING, rows.read, rows.expected);
}

/* Shows how many rows, of those that are wanted, have been returned. */
static void
show_returned(RowSort *sort, uint64 returned)
{
	ProgressRows rows = {
		.expected = sort->stats.rows_read,
		.read = sort->stats.rows_read,
		.parts = sort->stats.parts,
		.returned = returned
	};

	gpusort_progress_rows(sort->progress, &rows);
	gpusort_progress_update(sort->progress, SORT_PHASE_RETURNING, returned, sort->nrows);
}

/* Memory that the rows of the store and more_rows others take now, and while they are sorted. */
static Size
bytes_held(const RowSort *sort, uint32 more_rows)
{
	return gpusort_rows_store_bytes(sort->store) +
		(sort->bound ? gpusort_rows_bound_bytes(sort->bound) : 0) +
		(Size) (sort->store->nrows + more_rows) * (gpusort_rows_sort_bytes(sort->keys) + (sort->make_words ? sizeof(uint64) : 0)) +
		(Size) more_rows * (sort->layout->fixed_bytes + sort->store->null_columns);
}

/* True if rows must be spilled before more are appended. */
static bool
memory_is_full(const RowSort *sort, uint32 more_rows)
{
	Size		limit = sort->parts != NULL ? gpusort_rows_parts_store_bytes(sort) : sort->memory_limit;

	return sort->store->nrows > 0 &&
		(bytes_held(sort, more_rows) > limit ||
		 sort->store->nrows + more_rows > GPUSORT_ROWS_STORE_MAX ||
		 sort->store->record_bytes > GPUSORT_RECORDS_MAX - MaxAllocSize);
}

static void
start_phase(const RowSort *sort, instr_time *start)
{
	INSTR_TIME_SET_ZERO(*start);
	if (sort->timed)
		INSTR_TIME_SET_CURRENT(*start);
}

static void
end_phase(const RowSort *sort, instr_time start, instr_time *phase)
{
	instr_time	now;

	if (!sort->timed)
		return;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_ACCUM_DIFF(*phase, now, start);
}

static bool
has_exact_bound(const RowSort *sort)
{
	return sort->bound != NULL && gpusort_rows_bound_is_exact(sort->bound);
}

/* How many rows of the store must be put in order. */
static uint32
ordered_rows(const RowSort *sort)
{
	return has_exact_bound(sort) ? Min(sort->bound->rows, sort->store->nrows) : sort->store->nrows;
}

/* What the rows in memory are sorted for. */
typedef enum OrderUse
{
	ORDER_CUTS,					/* to find the wanted rows, which stay in input order */
	ORDER_PART,					/* to be returned before those of other parts */
	ORDER_RUN,					/* to be written where other processes read them, */
	ORDER_RUNS,					/* together with rows of other such runs */
	ORDER_ENDS					/* to be returned as all rows: a device may sort their columns, too */
} OrderUse;

/* Counts a fallback if no device sorted the rows although one was wanted. */
static void
count_fallback(RowSort *sort)
{
	if (gpusort_reason_is_fallback(sort->failed))
		gpusort_stats_fallback(USED_FOR_ROWS, GPUSORT_METHOD_AUTO, sort->failed);
	sort->failed = REASON_NONE;
}

/* Sorts the rows in memory here. */
static void
order_here(RowSort *sort, OrderUse use)
{
	gpusort_progress_engine(sort->progress, ENGINE_CPU, GPUSORT_METHOD_AUTO);
	gpusort_progress_update(sort->progress, SORT_PHASE_SORTING, 0, 1);
	if (use == ORDER_CUTS)
		gpusort_rows_order(sort, ordered_rows(sort), !has_exact_bound(sort));
	else if (use == ORDER_RUN || use == ORDER_RUNS)
		gpusort_rows_order(sort, sort->store->nrows, true);
	else if (!gpusort_rows_order_by_parts(sort))
		gpusort_rows_order(sort, use == ORDER_ENDS ? ordered_rows(sort) : sort->store->nrows, true);
	count_fallback(sort);
}

/* Sorts few rows by comparing them.  Making codes of them would take longer. */
static void
order_few(RowSort *sort)
{
	gpusort_rows_order_as_stored(sort);
	for (uint32 row = 1; row < sort->store->nrows; row++)
	{
		uint32		place = row;

		for (; place > 0 && gpusort_rows_compare(sort->keys, 0, sort->store, sort->order[place - 1], sort->store, row) > 0; place--)
		{
			CHECK_FOR_INTERRUPTS();
			sort->order[place] = sort->order[place - 1];
		}
		sort->order[place] = row;
	}
}

/* How many rows are put in order in all, as far as that is known.  Those of a shared sort are so twice. */
static double
rows_to_order(const RowSort *sort)
{
	double		rows = Max(sort->expected_rows, sort->nrows);

	return sort->take_run != NULL ? 2 * rows : sort->parts != NULL ? rows : sort->store->nrows;
}

/* Sorts the rows in memory by words that they have in all processes, if they get some that are of use. */
static bool
order_run_by_words(RowSort *sort)
{
	if (sort->make_words == NULL)
		return false;
	sort->make_words(sort->taker);
	if (gpusort_rows_order_by_words(sort))
		return true;
	if (sort->store->word_kind != 0)
		sort->make_words = NULL;
	sort->store->word_kind = 0;
	return false;
}

/* Sorts the rows in memory. */
static void
order_store(RowSort *sort, OrderUse use)
{
	instr_time	start;

	start_phase(sort, &start);
	sort->stats.peak_bytes = Max(sort->stats.peak_bytes, bytes_held(sort, 0));
	if (sort->store->nrows <= GPUSORT_ROWS_COMPARED && use != ORDER_CUTS && gpusort_engine != GPUSORT_ENGINE_GPU)
	{
		order_few(sort);
		end_phase(sort, start, &sort->stats.sort_time);
		return;
	}
	if (!gpusort_rows_order_by_words(sort))
	{
		gpusort_rows_find_plain(sort->keys, sort->store, rows_to_order(sort), use == ORDER_PART);
		if (use != ORDER_RUN || !order_run_by_words(sort))
		{
			gpusort_rows_keep_words(sort->keys, sort->store);
			if (use != ORDER_ENDS || !gpusort_rows_device_order(sort))
				order_here(sort, use);
		}
		if (use != ORDER_RUN)
			gpusort_rows_forget_words(sort->keys);
	}
	end_phase(sort, start, &sort->stats.sort_time);
}

/* How many of the sorted rows in memory are wanted.  These come first. */
static uint32
select_wanted(RowSort *sort)
{
	uint32		nrows;

	if (sort->bound == NULL)
		return sort->store->nrows;
	nrows = gpusort_rows_bound_select(sort->bound, sort->store, sort->order);
	gpusort_rows_bound_forget_rows(sort->bound);
	sort->bound->dropped += sort->store->nrows - nrows;
	sort->stats.bounded |= nrows < sort->store->nrows;
	return nrows;
}

/* Copies the rows in memory to parts.  Returns how many are wanted. */
static uint32
take_for_parts(RowSort *sort)
{
	uint64		dropped = gpusort_rows_parts_take(sort->parts, has_exact_bound(sort) ? sort->bound->rows : 0);

	if (sort->bound != NULL)
	{
		gpusort_rows_bound_forget_rows(sort->bound);
		sort->bound->dropped += dropped;
		sort->stats.bounded |= dropped > 0;
	}
	return sort->store->nrows - dropped;
}

static void spill(RowSort *sort);

/* Moves the rows that a device was to sort to parts, and counts the fallback. */
static void
take_from_device(RowSort *sort, SortReason why)
{
	DeviceRows *rows = sort->device_rows;

	sort->device_rows = NULL;
	sort->nrows = 0;
	sort->failed = why;
	count_fallback(sort);
	sort->stats.device_bytes = 0;
	sort->stats.devices = 0;
	sort->parts = gpusort_rows_parts_create(sort);
	while (gpusort_rows_device_give_back(rows))
		spill(sort);
	gpusort_rows_device_free(rows);
}

/* True if the rows beyond work_mem are sorted by a device. */
static bool
uses_device(RowSort *sort)
{
	if (sort->device_rows == NULL && sort->parts == NULL && sort->bound == NULL)
		sort->device_rows = gpusort_rows_device_begin(sort);
	return sort->device_rows != NULL;
}

/* Moves the rows in memory to those that a device will sort, or to parts; or has them taken, in order. */
static void
spill(RowSort *sort)
{
	uint32		nrows = sort->store->nrows;
	SortReason	why = REASON_NONE;
	instr_time	start;

	if (sort->take_run != NULL)
	{
		order_store(sort, ORDER_RUN);
		nrows = select_wanted(sort);
	}
	else if (!uses_device(sort) && sort->parts == NULL)
		sort->parts = gpusort_rows_parts_create(sort);
	start_phase(sort, &start);
	sort->stats.peak_bytes = Max(sort->stats.peak_bytes, bytes_held(sort, 0));
	gpusort_progress_update(sort->progress, SORT_PHASE_WRITING, 0, 1);
	if (sort->take_run != NULL)
	{
		sort->take_run(sort->taker, sort->order, nrows);
		gpusort_rows_forget_words(sort->keys);
	}
	else if (sort->device_rows != NULL)
		why = gpusort_rows_device_take(sort->device_rows);
	else
		nrows = take_for_parts(sort);
	sort->nrows += nrows;
	gpusort_rows_store_clear(sort->store);
	end_phase(sort, start, &sort->stats.spill_time);
	if (why != REASON_NONE)
		take_from_device(sort, why);
}

/* Drops rows beyond the bound, or gives the bound up if it does not pay. */
static void
apply_bound(RowSort *sort)
{
	RowBound   *bound = sort->bound;

	if (gpusort_rows_bound_is_vain(bound, sort->memory_limit))
	{
		sort->dropped += bound->dropped;
		gpusort_rows_bound_free(bound);
		sort->bound = NULL;
		expect_rows(sort, sort->expected_rows);
	}
	else if (gpusort_rows_bound_may_cut(bound, sort->store->nrows))
	{
		order_store(sort, ORDER_CUTS);
		gpusort_rows_bound_cut(bound, sort->store, sort->order);
		sort->stats.bounded = true;
	}
}

/* Must be called before each few rows are appended: drops rows beyond the bound, and spills rows if memory is full. */
void
gpusort_rows_sort_reserve(RowSort *sort, uint32 more_rows)
{
	MemoryContext caller = MemoryContextSwitchTo(sort->context);
	bool		is_full = memory_is_full(sort, more_rows);

	if (sort->bound != NULL && (sort->store->nrows >= sort->bound->cut_at || is_full))
	{
		apply_bound(sort);
		is_full = memory_is_full(sort, more_rows);
	}
	if (sort->look_at > 0 && (sort->store->nrows >= sort->look_at || is_full) && gpusort_rows_distinct_pays(sort, is_full))
	{
		order_store(sort, ORDER_CUTS);
		gpusort_rows_distinct_keep(sort, is_full);
		is_full = memory_is_full(sort, more_rows);
	}
	if (is_full)
		spill(sort);
	MemoryContextSwitchTo(caller);
}

/* Stops showing the sort. */
static void
end_progress(RowSort *sort)
{
	gpusort_progress_end(sort->progress);
	sort->progress = 0;
}

/* Prepares reading the parts. */
static void
finish_parts(RowSort *sort)
{
	gpusort_memory_trim();
	gpusort_rows_parts_finish(sort->parts);
	if (has_exact_bound(sort))
		sort->nrows = Min(sort->nrows, sort->bound->rows);
	sort->stats.parts = sort->parts->count;
	sort->stats.disk_bytes += sort->parts->disk_bytes;
}

/* Has the device sort the rows that were taken for it.  If it does not, they go to parts. */
static void
finish_on_device(RowSort *sort)
{
	instr_time	start;
	SortReason	why;

	start_phase(sort, &start);
	sort->stats.disk_bytes = gpusort_rows_device_disk_bytes(sort->device_rows);
	why = gpusort_rows_device_sort(sort->device_rows);
	end_phase(sort, start, &sort->stats.sort_time);
	if (why != REASON_NONE)
		take_from_device(sort, why);
	else
		sort->stats.device_bytes = gpusort_rows_device_bytes(sort->device_rows);
}

/* Sorts the rows that were appended.  Batches can be read afterwards. */
void
gpusort_rows_sort_finish(RowSort *sort)
{
	MemoryContext caller = MemoryContextSwitchTo(sort->context);

	sort->expected_rows = sort->stats.rows_read = rows_read(sort);
	gpusort_rows_sort_show_read(sort);
	if (sort->device_rows == NULL && sort->parts == NULL)
	{
		sort->nrows = ordered_rows(sort);
		if (sort->nrows > 0)
			order_store(sort, ORDER_ENDS);
	}
	else
	{
		if (sort->store->nrows > 0)
			spill(sort);
		if (sort->device_rows != NULL)
			finish_on_device(sort);
	}
	if (sort->parts != NULL)
		finish_parts(sort);
	if (sort->batch == NULL || sort->batch->slots < sort->nrows)
		sort->batch = gpusort_rows_batch_create(sort->layout, sort->nrows, !sort->random_access);
	sort->batch->nrows = 0;
	sort->stats.sorted = true;
	show_returned(sort, 0);
	if (sort->nrows == 0)
		end_progress(sort);
	MemoryContextSwitchTo(caller);
}

void
gpusort_rows_sort_share(RowSort *sort)
{
	MemoryContext caller = MemoryContextSwitchTo(sort->context);

	sort->stats.rows_read = rows_read(sort);
	gpusort_rows_sort_show_read(sort);
	if (sort->store->nrows > 0)
		spill(sort);
	if (sort->bound != NULL)
		gpusort_rows_bound_free(sort->bound);
	sort->bound = NULL;
	MemoryContextSwitchTo(caller);
}

/* Has the rows of the store read. */
static void
return_store(RowSort *sort)
{
	sort->nrows = sort->store->nrows;
	if (sort->batch == NULL)
		sort->batch = gpusort_rows_batch_create(sort->layout, UINT32_MAX, true);
	sort->batch->nrows = 0;
}

void
gpusort_rows_sort_order_store(RowSort *sort)
{
	if (sort->store->nrows > 0)
		order_store(sort, ORDER_RUNS);
	return_store(sort);
}

void
gpusort_rows_sort_keep_order(RowSort *sort)
{
	sort->order = NULL;
	return_store(sort);
}

/* Loads parts, among them that of the row, and puts their rows in order. */
static void
load_parts(RowSort *sort, uint64 row)
{
	RowParts   *parts = sort->parts;
	int64		disk_bytes = parts->disk_bytes;
	instr_time	start;
	bool		ordered;

	if (row >= sort->first_row && row < parts->end_row)
		return;
	start_phase(sort, &start);
	ordered = gpusort_rows_parts_load(parts, row);
	sort->stats.disk_bytes += parts->disk_bytes - disk_bytes;
	end_phase(sort, start, &sort->stats.spill_time);
	if (!ordered)
		order_store(sort, ORDER_PART);
}

/* Goes on without the device.  Rows come in the same order from the store or from parts. */
static void
load_without_device(RowSort *sort, uint64 row, SortReason why)
{
	RowStore   *source = gpusort_rows_device_source(sort->device_rows);

	if (source != NULL)
	{
		gpusort_rows_device_free(sort->device_rows);
		sort->device_rows = NULL;
		sort->store = source;
		sort->first_row = 0;
		/* With gpusort.engine = 'gpu' a device tries again. */
		sort->failed = gpusort_engine == GPUSORT_ENGINE_GPU ? REASON_NONE : why;
		order_store(sort, ORDER_PART);
		return;
	}
	take_from_device(sort, why);
	finish_parts(sort);
	load_parts(sort, row);
}

/* Reads a batch that holds the row from the rows in memory. */
static void
read_store(RowSort *sort, uint64 row)
{
	RowBatch   *batch = sort->batch;
	uint32		nrows = Min(sort->store->nrows, sort->nrows - sort->first_row);
	uint32		first = row - sort->first_row;

	first -= first % batch->slots;
	batch->first = sort->first_row + first;
	gpusort_rows_batch_gather(batch, sort->store, sort->order ? sort->order + first : NULL, first,
							  Min(batch->slots, nrows - first));
}

/* Returns a batch that holds the row of this number, which must be less than nrows. */
RowBatch *
gpusort_rows_sort_read(RowSort *sort, uint64 row)
{
	MemoryContext caller;
	RowBatch   *batch = sort->batch;
	instr_time	start;
	SortReason	why;

	if (row >= batch->first && row < batch->first + batch->nrows)
		return batch;
	caller = MemoryContextSwitchTo(sort->context);
	if (sort->parts != NULL)
		load_parts(sort, row);
	start_phase(sort, &start);
	batch->nrows = 0;
	batch->first = row;
	if (sort->device_rows != NULL && !gpusort_rows_device_load(sort->device_rows, row, &why))
		load_without_device(sort, row, why);
	read_store(sort, row);
	end_phase(sort, start, &sort->stats.gather_time);
	MemoryContextSwitchTo(caller);
	if (batch->first + batch->nrows == sort->nrows)
		end_progress(sort);
	else if (sort->progress != 0)
		show_returned(sort, batch->first);
	return batch;
}

/* Frees the sort, its files and its memory. */
void
gpusort_rows_sort_free(RowSort *sort)
{
	end_progress(sort);
	if (sort->device_rows != NULL)
		gpusort_rows_device_free(sort->device_rows);
	if (sort->parts != NULL)
		gpusort_rows_parts_free(sort->parts);
	MemoryContextDelete(sort->context);
}
