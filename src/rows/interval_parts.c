/*
 * interval_parts.c
 *	  Rows beyond work_mem in parts by intervals of their key, see interval_parts.h.
 *
 * The range of all keys, and so the intervals, are known only when all rows have been read.  So
 * the first store is cut into intervals of its own, the bins of which parts are made: so many
 * neighbours that each part has the same share of the rows.  Values outside the first store's range
 * are in the outermost bins.  Both cuts keep the order of values, so that parts are in order
 * whatever later rows are like; only their sizes depend on that.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "large_memory.h"
#include "rows/interval_parts.h"
#include "rows/row_run.h"

#define ROWS_BINS 16384			/* their parts, 2 bytes each, lie in the first-level cache */
#define ROWS_PARTS_MIN 128		/* the planner may expect far too few rows */
#define ROWS_PARTS_MAX 256		/* each store writes a block to every part */
#define ROWS_PER_BLOCK_MIN 64	/* or to fewer, so that its block has so many rows */
#define ROWS_PART_SHARE 1.5		/* a part should take 1 / 1.5 of memory, because the first store is only a sample */
#define ROWS_DIVIDED_MIN 2048	/* fewer rows in the first store say little about others */
#define ROWS_DIVIDED_BYTES ((Size) 4 * 1024 * 1024)	/* rows that are divided at a time lie in the caches */
#define ROWS_BLOCKS_IN_MEMORY 32	/* a block takes 1/32 of work_mem at most */
#define ROWS_BLOCK_MAX ((Size) 256 * 1024)
#define ROWS_SPREAD_ALIKE 0.25	/* the share of rows that may be in other parts than the first store's rows were */

/* Which part has which intervals. */
typedef struct Division
{
	Intervals	intervals;
	uint32		least;			/* number of the first bin's first interval */
	int			shift;			/* a bin has 2^shift intervals */
	uint32		nbins;
	uint16	   *part_of;		/* by bin */
	int			nparts;
} Division;

struct IntervalParts
{
	RowSort    *sort;
	Division	division;		/* of all rows */
	List	   *runs;			/* RowRun structs, the rows of a part each, in the order of the parts */
	RowStore   *builder;		/* block being written */
	Size		block_bytes;
	int			stores;			/* how many were taken */
	double		bytes;			/* of all rows, while they are ordered */
	uint64	   *first_rows;		/* of the first store, by part */
	uint32		first_nrows;
	int			next_block;		/* of the first part.  If not 0, that is loaded piece by piece */
	uint64		loaded;			/* rows loaded .. end - 1 are in the store */
	uint64		end;
	int64		disk_bytes;
};

/* Bytes of a row in memory, while it is ordered. */
static double
bytes_per_row(const RowStore *store)
{
	return (double) gpusort_rows_store_bytes(store) / store->nrows + GPUSORT_RUN_ROW_BYTES;
}

/* How many rows of the store are divided at a time. */
static uint32
rows_at_a_time(const RowStore *store)
{
	return Max(ROWS_DIVIDED_BYTES / bytes_per_row(store), ROWS_PER_BLOCK_MIN);
}

Size
gpusort_rows_interval_parts_store_bytes(const RowSort *sort)
{
	return Min(sort->memory_limit, ROWS_DIVIDED_BYTES);
}

/* Memory for n numbers of each of so many arrays. */
static uint32 *
numbers_of(RowSort *sort, uint32 n, int arrays)
{
	gpusort_rows_buffer_reserve(sort->memory, &sort->packed, (Size) n * arrays * sizeof(uint32));
	return (uint32 *) sort->packed.data;
}

/* Counts rows of the store by bins. */
static void
count_bins(RowSort *sort, const Division *division, uint32 first, uint32 n, uint64 *counts)
{
	uint32	   *numbers = numbers_of(sort, n, 1);

	gpusort_rows_number_by_interval(sort, &division->intervals, first, n, numbers);
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		counts[(numbers[i] - division->least) >> division->shift]++;
	}
}

/* Makes parts of neighbouring bins, of so many rows where no single bin has more. */
static void
make_parts(Division *division, const uint64 *counts, double rows_per_part)
{
	uint64		rows = 0;

	division->part_of = palloc(division->nbins * sizeof(uint16));
	division->nparts = 1;
	for (uint32 bin = 0; bin < division->nbins; bin++)
	{
		if (rows > 0 && rows + counts[bin] > rows_per_part)
		{
			division->nparts++;
			rows = 0;
		}
		rows += counts[bin];
		division->part_of[bin] = division->nparts - 1;
	}
}

/* Empty runs in a file of their own, one for each part. */
static List *
make_runs(const Division *division)
{
	SpillFile  *file = gpusort_rows_spill_create();
	List	   *runs = NIL;

	for (int i = 0; i < division->nparts; i++)
		runs = lappend(runs, gpusort_rows_run_create(file));
	return runs;
}

/* Replaces numbers of rows first .. first + n - 1 by those of their parts, and counts the rows of each part. */
static void
find_parts(const RowSort *sort, const Division *division, uint32 first, uint32 n, uint32 *numbers, uint32 *counts)
{
	memset(counts, 0, division->nparts * sizeof(uint32));
	gpusort_rows_number_by_interval(sort, &division->intervals, first, n, numbers);
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		numbers[i] = division->part_of[(numbers[i] - division->least) >> division->shift];
		counts[numbers[i]]++;
	}
}

/* Writes rows first .. first + n - 1 of the store to the runs of their parts. */
static void
divide(IntervalParts *parts, const Division *division, List *runs, uint32 first, uint32 n)
{
	RowSort    *sort = parts->sort;
	uint32	   *numbers = numbers_of(sort, n, 2);
	uint32	   *rows = numbers + n;
	uint32	   *ends = palloc(division->nparts * sizeof(uint32));
	uint32		start = 0;

	find_parts(sort, division, first, n, numbers, ends);
	for (int part = 0; part < division->nparts; part++)
	{
		uint32		count = ends[part];

		ends[part] = start;
		start += count;
	}
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		rows[ends[numbers[i]]++] = first + i;
	}
	start = 0;
	for (int part = 0; part < division->nparts; part++)
	{
		RowRun	   *run = list_nth(runs, part);

		parts->disk_bytes += gpusort_rows_run_append(run, parts->builder, sort->store, rows + start, ends[part] - start,
													 parts->block_bytes);
		parts->disk_bytes += gpusort_rows_run_write(run, parts->builder);
		start = ends[part];
	}
	pfree(ends);
}

/* How many parts there may be at most, by the full first store. */
static double
most_parts(const RowSort *sort)
{
	return Min(Min(rows_at_a_time(sort->store), sort->store->nrows) / ROWS_PER_BLOCK_MIN, ROWS_PARTS_MAX);
}

/*
 * Divides the range of the rows in the store.  Returns false if they are all in one part, or if so
 * many rows are expected that parts would not fit memory.
 */
static bool
divide_range(RowSort *sort, Division *division)
{
	double		filled = Max(sort->expected_rows, sort->store->nrows) * bytes_per_row(sort->store) / sort->memory_limit;
	double		wanted = Min(Max(filled * ROWS_PART_SHARE, ROWS_PARTS_MIN), most_parts(sort));
	const RowStore *store = sort->store;
	uint32		step = rows_at_a_time(store);
	uint64	   *counts;

	if (filled > most_parts(sort))
		return false;
	gpusort_rows_widen_intervals(sort);
	*division = (Division) {.intervals = gpusort_rows_intervals_in_order(sort, ROWS_BINS), .nbins = ROWS_BINS + 1};
	counts = palloc0(division->nbins * sizeof(uint64));
	for (uint32 first = 0; first < store->nrows; first += step)
		count_bins(sort, division, first, Min(step, store->nrows - first), counts);
	make_parts(division, counts, store->nrows / wanted);
	pfree(counts);
	return division->nparts > 1;
}

IntervalParts *
gpusort_rows_interval_parts_begin(RowSort *sort)
{
	IntervalParts *parts;
	Division	division;

	if (!gpusort_rows_may_order_by_interval(sort) || sort->random_access || sort->store->nrows < ROWS_DIVIDED_MIN ||
		gpusort_rows_seem_ordered(sort) || !divide_range(sort, &division))
		return NULL;
	parts = palloc0(sizeof(IntervalParts));
	parts->sort = sort;
	parts->division = division;
	parts->builder = gpusort_rows_store_create(sort->memory, sort->layout);
	parts->block_bytes = Min(sort->memory_limit / ROWS_BLOCKS_IN_MEMORY, ROWS_BLOCK_MAX);
	parts->first_rows = palloc(division.nparts * sizeof(uint64));
	parts->first_nrows = sort->store->nrows;
	parts->runs = make_runs(&parts->division);
	return parts;
}

/* True if first rows of the second store are divided among the parts as the first store was. */
static bool
is_spread_alike(const IntervalParts *parts)
{
	RowSort    *sort = parts->sort;
	uint32		n = Min(sort->store->nrows, rows_at_a_time(sort->store));
	uint32	   *counts = palloc(parts->division.nparts * sizeof(uint32));
	double		elsewhere = 0;

	find_parts(sort, &parts->division, 0, n, numbers_of(sort, n, 1), counts);
	for (int part = 0; part < parts->division.nparts; part++)
		elsewhere += fabs((double) counts[part] / n - (double) parts->first_rows[part] / parts->first_nrows) / 2;
	pfree(counts);
	return elsewhere <= ROWS_SPREAD_ALIKE;
}

bool
gpusort_rows_interval_parts_take(IntervalParts *parts)
{
	RowSort    *sort = parts->sort;
	uint32		nrows = sort->store->nrows;
	uint32		step = rows_at_a_time(sort->store);

	parts->bytes += nrows * bytes_per_row(sort->store);
	if (parts->bytes > (double) parts->division.nparts * sort->memory_limit || (parts->stores == 1 && !is_spread_alike(parts)))
		return false;
	gpusort_rows_widen_intervals(sort);
	for (uint32 first = 0; first < nrows; first += step)
		divide(parts, &parts->division, parts->runs, first, Min(step, nrows - first));
	for (int part = 0; part < parts->division.nparts && parts->stores == 0; part++)
		parts->first_rows[part] = ((RowRun *) list_nth(parts->runs, part))->nrows;
	parts->stores++;
	return true;
}

/* Appends blocks of a run, which must fit, to the store. */
static void
load_blocks(IntervalParts *parts, const RowRun *run, int first, int count)
{
	RowStore   *store = parts->sort->store;
	uint64		end_row = first + count < run->nblocks ? run->blocks[first + count].first_row : run->nrows;

	gpusort_rows_store_reserve(store, store->nrows + (end_row - run->blocks[first].first_row) + 1);
	gpusort_rows_store_reserve_records(store, Min(run->record_bytes, count * run->most_record_bytes));
	for (int block = first; block < first + count; block++)
		store->nrows += gpusort_rows_run_read(run, block, block, store, store->nrows, &store->record_bytes);
}

/* Replaces the rows of the store by a block. */
static void
load_block(IntervalParts *parts, const RowRun *run, int block)
{
	gpusort_rows_store_clear(parts->sort->store);
	load_blocks(parts, run, block, 1);
}

/* Frees the first part, and its file if no other part is in it. */
static void
drop_first(IntervalParts *parts)
{
	RowRun	   *run = linitial(parts->runs);
	SpillFile  *file = run->file;
	ListCell   *cell;

	parts->runs = list_delete_first(parts->runs);
	parts->next_block = 0;
	gpusort_rows_run_free(run);
	foreach(cell, parts->runs)
		if (((RowRun *) lfirst(cell))->file == file)
			return;
	gpusort_rows_spill_close(file);
}

/* Bytes of a part in memory, while it is ordered. */
static Size
part_bytes(const RowRun *run)
{
	return run->bytes + run->nrows * GPUSORT_RUN_ROW_BYTES;
}

/* Finds the first and the last interval of a part's rows. */
static void
find_ends(IntervalParts *parts, const RowRun *run, const Intervals *intervals, uint32 *least, uint32 *greatest)
{
	RowSort    *sort = parts->sort;

	*least = PG_UINT32_MAX;
	*greatest = 0;
	for (int block = 0; block < run->nblocks; block++)
	{
		uint32	   *numbers;

		load_block(parts, run, block);
		numbers = numbers_of(sort, sort->store->nrows, 1);
		gpusort_rows_number_by_interval(sort, intervals, 0, sort->store->nrows, numbers);
		for (uint32 i = 0; i < sort->store->nrows; i++)
		{
			*least = Min(*least, numbers[i]);
			*greatest = Max(*greatest, numbers[i]);
		}
	}
}

/* Replaces the first part by several, in a file of their own, none of which has all of its intervals. */
static void
divide_first(IntervalParts *parts, Division *division, uint32 greatest)
{
	RowSort    *sort = parts->sort;
	RowRun	   *run = linitial(parts->runs);
	double		share = Max(ROWS_PART_SHARE * part_bytes(run) / sort->memory_limit, 2);
	uint64	   *counts;
	List	   *runs;

	while ((greatest - division->least) >> division->shift >= ROWS_BINS)
		division->shift++;
	division->nbins = ((greatest - division->least) >> division->shift) + 1;
	counts = palloc0(division->nbins * sizeof(uint64));
	for (int block = 0; block < run->nblocks; block++)
	{
		load_block(parts, run, block);
		count_bins(sort, division, 0, sort->store->nrows, counts);
	}
	make_parts(division, counts, run->nrows / Min(share, ROWS_PARTS_MAX));
	runs = make_runs(division);
	for (int block = 0; block < run->nblocks; block++)
	{
		load_block(parts, run, block);
		divide(parts, division, runs, 0, sort->store->nrows);
	}
	drop_first(parts);
	parts->runs = list_concat(runs, parts->runs);
	pfree(counts);
	pfree(division->part_of);
}

/* Loads the next blocks of the first part, whose rows need no order, as far as they fit. */
static void
load_piece(IntervalParts *parts)
{
	RowSort    *sort = parts->sort;
	const RowRun *run = linitial(parts->runs);
	Size		block_bytes = run->most_bytes + run->most_rows * GPUSORT_RUN_ROW_BYTES;
	int			count = Min(Max(sort->memory_limit / block_bytes, 1), run->nblocks - parts->next_block);

	gpusort_rows_store_clear(sort->store);
	load_blocks(parts, run, parts->next_block, count);
	sort->order = numbers_of(sort, sort->store->nrows, 1);
	for (uint32 row = 0; row < sort->store->nrows; row++)
		sort->order[row] = row;
	parts->next_block += count;
	if (parts->next_block == run->nblocks)
		drop_first(parts);
}

/* Loads the first part, all of which fits, and orders it. */
static void
load_part(IntervalParts *parts, const Intervals *intervals)
{
	RowSort    *sort = parts->sort;
	const RowRun *run = linitial(parts->runs);

	gpusort_rows_store_clear(sort->store);
	load_blocks(parts, run, 0, run->nblocks);
	drop_first(parts);
	if (!gpusort_rows_order_by_interval(sort, intervals))
		gpusort_rows_order(sort, sort->store->nrows, true);
}

/* Divides the first part as long as it does not fit and has rows of several intervals. */
static void
divide_large(IntervalParts *parts, const Intervals *intervals)
{
	while (part_bytes(linitial(parts->runs)) > parts->sort->memory_limit)
	{
		Division	division = {.intervals = *intervals};
		uint32		greatest;

		find_ends(parts, linitial(parts->runs), intervals, &division.least, &greatest);
		if (division.least == greatest)
			return;
		divide_first(parts, &division, greatest);
	}
}

void
gpusort_rows_interval_parts_load(IntervalParts *parts)
{
	Intervals	intervals = gpusort_rows_intervals_in_order(parts->sort, parts->sort->intervals->buckets);

	while (((RowRun *) linitial(parts->runs))->nrows == 0)
		drop_first(parts);
	if (parts->next_block == 0)
		divide_large(parts, &intervals);
	if (parts->next_block == 0 && part_bytes(linitial(parts->runs)) <= parts->sort->memory_limit)
		load_part(parts, &intervals);
	else
		load_piece(parts);
	parts->loaded = parts->end;
	parts->end += parts->sort->store->nrows;
}

uint64
gpusort_rows_interval_parts_loaded(const IntervalParts *parts)
{
	return parts->loaded;
}

uint64
gpusort_rows_interval_parts_end(const IntervalParts *parts)
{
	return parts->end;
}

bool
gpusort_rows_interval_parts_give_back(IntervalParts *parts)
{
	RowStore   *store = parts->sort->store;

	while (parts->runs != NIL)
	{
		const RowRun *run = linitial(parts->runs);

		if (parts->next_block == run->nblocks)
			drop_first(parts);
		else if (store->nrows > 0 && gpusort_rows_store_bytes(store) + run->most_bytes +
				 (store->nrows + run->most_rows) * GPUSORT_RUN_ROW_BYTES > parts->sort->memory_limit)
			break;
		else
			load_blocks(parts, run, parts->next_block++, 1);
	}
	return store->nrows > 0;
}

int64
gpusort_rows_interval_parts_disk_bytes(const IntervalParts *parts)
{
	return parts->disk_bytes;
}

int
gpusort_rows_interval_parts_count(const IntervalParts *parts)
{
	return parts->division.nparts;
}

void
gpusort_rows_interval_parts_free(IntervalParts *parts)
{
	while (parts->runs != NIL)
		drop_first(parts);
}
