/*
 * interval_parts.c
 *	  Rows beyond work_mem in parts by intervals of their key, see interval_parts.h.
 *
 * The range of all keys, and so the intervals, are known only when all rows have been read.  So
 * the first store is cut into intervals of its own, the bins of which parts are made: so many
 * neighbours that each part has the same share of the rows.  Values outside the first store's range
 * are in the outermost bins.  Both cuts keep the order of values, so that parts are in order
 * whatever later rows are like; only their sizes depend on that.
 *
 * Where that guess was wrong all rows are given back, at the first sign of it: after stores 2, 4, 8
 * and so on their rows are compared with the first store's, and no part may exceed memory.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "large_memory.h"
#include "rows/interval_parts.h"
#include "rows/row_run.h"
#include "rows/row_scatter.h"

#define ROWS_BINS 16384			/* their parts, 2 bytes each, lie in the first-level cache */
#define ROWS_BIN_NUMBERS (ROWS_BINS + 1)	/* one more for NULLs */
#define ROWS_PARTS_MIN 128		/* the planner may expect far too few rows */
#define ROWS_PARTS_MAX 256		/* each store writes a block to every part */
#define ROWS_PER_BLOCK_MIN 64	/* or to fewer, so that its block has so many rows */
#define ROWS_PART_SHARE 1.5		/* a part should take 1 / 1.5 of memory, because the first store is only a sample */
#define ROWS_DIVIDED_MIN 2048	/* fewer rows in the first store say little about others */
#define ROWS_DIVIDED_BYTES ((Size) 4 * 1024 * 1024)	/* rows that are divided at a time lie in the caches */
#define PARTS_BLOCKS_IN_MEMORY 32	/* a block takes 1/32 of work_mem at most */
#define ROWS_COMPARED_MIN 16	/* rows per part of a store whose spread is compared */
#define ROWS_SPREAD_ALIKE 0.25	/* the share of rows that may be in other parts than the first store's rows were */

/* Which part has which bins. */
typedef struct Division
{
	Intervals	bins;			/* over the range of the first store */
	uint16	   *part_of;		/* by bin */
	int			nparts;
} Division;

struct IntervalParts
{
	RowSort    *sort;
	Division	division;
	SpillFile  *file;
	RowRun	  **runs;			/* the rows of each part, in the order of the parts */
	RowStore   *builder;		/* block being written */
	Size		block_bytes;
	uint32		stores;			/* how many were taken */
	uint64	   *first_rows;		/* of the first store, by part */
	uint32		first_nrows;
	uint64	   *rows_before;	/* of each part, before the store that is taken */
	int			next_part;		/* to be loaded, or given back from a block of it on */
	RunReader	reader;			/* of that part, while it is given back; without a run before */
	uint64		loaded;			/* rows loaded .. end - 1 are in the store */
	uint64		end;
	int64		disk_bytes;
};

/* Bytes of a row in memory, while it is ordered. */
static double
loaded_row_bytes(const RowStore *store)
{
	return (double) gpusort_rows_store_bytes(store) / store->nrows + GPUSORT_RUN_ROW_BYTES;
}

/* How many rows of the store are divided at a time. */
static uint32
rows_at_a_time(const RowStore *store)
{
	return Max(ROWS_DIVIDED_BYTES / loaded_row_bytes(store), ROWS_PER_BLOCK_MIN);
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

/* Counts rows first .. first + n - 1 of the store by bins. */
static void
count_bins(RowSort *sort, const Intervals *bins, uint32 first, uint32 n, uint32 *counts)
{
	uint32	   *numbers = numbers_of(sort, n, 1);

	gpusort_rows_number_by_interval(sort, bins, first, n, numbers);
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		counts[numbers[i]]++;
	}
}

/*
 * Makes parts of neighbouring bins, of so many rows where no single bin has more.  Returns how many
 * rows the largest part has.
 */
static uint32
make_parts(Division *division, const uint32 *counts, double rows_per_part)
{
	uint32		rows = 0;
	uint32		most = 0;

	division->part_of = palloc(ROWS_BIN_NUMBERS * sizeof(uint16));
	division->nparts = 1;
	for (uint32 bin = 0; bin < ROWS_BIN_NUMBERS; bin++)
	{
		if (rows > 0 && rows + counts[bin] > rows_per_part)
		{
			division->nparts++;
			rows = 0;
		}
		rows += counts[bin];
		most = Max(most, rows);
		division->part_of[bin] = division->nparts - 1;
	}
	return most;
}

/* How many parts there may be at most, by the full first store. */
static double
most_parts(const RowSort *sort)
{
	return Min(Min(rows_at_a_time(sort->store), sort->store->nrows) / ROWS_PER_BLOCK_MIN, ROWS_PARTS_MAX);
}

/* Divides the range of the rows in the store.  Returns false if it seems that some part will not fit memory. */
static bool
divide_range(RowSort *sort, Division *division)
{
	const RowStore *store = sort->store;
	double		stores = Max(sort->expected_rows, store->nrows) / store->nrows;
	double		filled = stores * store->nrows * loaded_row_bytes(store) / sort->memory_limit;
	double		wanted = Min(Max(filled * ROWS_PART_SHARE, ROWS_PARTS_MIN), most_parts(sort));
	uint32		step = rows_at_a_time(store);
	uint32	   *counts;
	uint32		most;

	if (filled > most_parts(sort))
		return false;
	gpusort_rows_widen_intervals(sort);
	division->bins = gpusort_rows_intervals_in_order(sort, ROWS_BINS);
	counts = palloc0(ROWS_BIN_NUMBERS * sizeof(uint32));
	for (uint32 first = 0; first < store->nrows; first += step)
		count_bins(sort, &division->bins, first, Min(step, store->nrows - first), counts);
	most = make_parts(division, counts, store->nrows / wanted);
	pfree(counts);
	return most * stores * loaded_row_bytes(store) <= sort->memory_limit;
}

/* Empty runs in the file, one for each part. */
static RowRun **
make_runs(const Division *division, SpillFile *file)
{
	RowRun	  **runs = palloc(division->nparts * sizeof(RowRun *));

	for (int part = 0; part < division->nparts; part++)
		runs[part] = gpusort_rows_run_create(file, false);
	return runs;
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
	parts->file = gpusort_rows_spill_create();
	parts->runs = make_runs(&division, parts->file);
	parts->builder = gpusort_rows_store_create(sort->memory, sort->layout);
	parts->block_bytes = Min(sort->memory_limit / PARTS_BLOCKS_IN_MEMORY, ROWS_BLOCK_MAX);
	parts->rows_before = palloc0(division.nparts * sizeof(uint64));
	return parts;
}

/* Lists rows first .. first + n - 1 of the store part by part.  Returns where the rows of each part end. */
static RowParts
list_by_part(const IntervalParts *parts, uint32 first, uint32 n, uint32 *numbers, uint32 *rows)
{
	const Division *division = &parts->division;
	RowParts	listed = {.count = division->nparts,.ends = palloc0(division->nparts * sizeof(uint32))};

	gpusort_rows_number_by_interval(parts->sort, &division->bins, first, n, numbers);
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		numbers[i] = division->part_of[numbers[i]];
		listed.ends[numbers[i]]++;
	}
	gpusort_rows_find_places(&listed, numbers, n);
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		rows[numbers[i]] = first + i;
	}
	return listed;
}

/* Writes rows first .. first + n - 1 of the store to the runs of their parts. */
static void
divide(IntervalParts *parts, uint32 first, uint32 n)
{
	uint32	   *numbers = numbers_of(parts->sort, n, 2);
	uint32	   *rows = numbers + n;
	RowParts	listed = list_by_part(parts, first, n, numbers, rows);

	for (uint32 part = 0; part < listed.count; part++)
	{
		RowRun	   *run = parts->runs[part];
		uint32		start = gpusort_rows_part_start(&listed, part);

		parts->disk_bytes += gpusort_rows_run_append(run, parts->builder, parts->sort->store, rows + start,
													 listed.ends[part] - start, parts->block_bytes);
		parts->disk_bytes += gpusort_rows_run_write(run, parts->builder);
	}
	pfree(listed.ends);
}

/* True if rows of the store that was taken last are spread over the parts as those of the first store. */
static bool
are_spread_alike(const IntervalParts *parts, uint32 nrows)
{
	double		elsewhere = 0;

	for (int part = 0; part < parts->division.nparts; part++)
		elsewhere += fabs((double) (parts->runs[part]->nrows - parts->rows_before[part]) / nrows -
						  (double) parts->first_rows[part] / parts->first_nrows) / 2;
	return elsewhere <= ROWS_SPREAD_ALIKE;
}

/* Bytes of a part in memory, while it is ordered. */
static Size
part_bytes(const RowRun *run)
{
	return run->bytes + run->nrows * GPUSORT_RUN_ROW_BYTES;
}

bool
gpusort_rows_interval_parts_take(IntervalParts *parts)
{
	RowSort    *sort = parts->sort;
	uint32		nrows = sort->store->nrows;
	uint32		step = rows_at_a_time(sort->store);
	int			nparts = parts->division.nparts;
	bool		good = true;

	if (parts->stores > 0)		/* that of the first store is known */
		gpusort_rows_widen_intervals(sort);
	for (uint32 first = 0; first < nrows; first += step)
		divide(parts, first, Min(step, nrows - first));
	parts->stores++;
	if (parts->stores == 1)
	{
		parts->first_nrows = nrows;
		parts->first_rows = palloc(nparts * sizeof(uint64));
		for (int part = 0; part < nparts; part++)
			parts->first_rows[part] = parts->runs[part]->nrows;
	}
	else if ((parts->stores & (parts->stores - 1)) == 0 && nrows >= nparts * ROWS_COMPARED_MIN)
		good = are_spread_alike(parts, nrows);
	for (int part = 0; part < nparts; part++)
	{
		parts->rows_before[part] = parts->runs[part]->nrows;
		good &= part_bytes(parts->runs[part]) <= sort->memory_limit;
	}
	return good;
}

/* Appends all blocks of a part, which must fit, to the store. */
static void
load(IntervalParts *parts, const RowRun *run)
{
	RowStore   *store = parts->sort->store;
	RunReader	reader = gpusort_rows_reader_begin(run);

	gpusort_rows_store_reserve(store, store->nrows + run->nrows + 1);
	gpusort_rows_store_reserve_records(store, run->record_bytes);
	while (!gpusort_rows_reader_done(&reader))
	{
		BlockHead	head = gpusort_rows_reader_head(&reader, 1);

		store->nrows += gpusort_rows_reader_read(&reader, &head, store, store->nrows, &store->record_bytes);
	}
}

void
gpusort_rows_interval_parts_load(IntervalParts *parts)
{
	RowSort    *sort = parts->sort;
	Intervals	intervals = gpusort_rows_intervals_in_order(sort, sort->intervals->buckets);

	while (parts->runs[parts->next_part]->nrows == 0)
		parts->next_part++;
	gpusort_rows_store_clear(sort->store);
	load(parts, parts->runs[parts->next_part++]);
	if (!gpusort_rows_order_by_interval(sort, &intervals))
		gpusort_rows_order(sort, sort->store->nrows, true);
	parts->loaded = parts->end;
	parts->end += sort->store->nrows;
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
	RowSort    *sort = parts->sort;
	RowStore   *store = sort->store;

	for (; parts->next_part < parts->division.nparts; parts->next_part++, parts->reader.run = NULL)
	{
		const RowRun *run = parts->runs[parts->next_part];

		if (parts->reader.run == NULL)
			parts->reader = gpusort_rows_reader_begin(run);
		while (!gpusort_rows_reader_done(&parts->reader))
		{
			BlockHead	head;

			if (store->nrows > 0 && gpusort_rows_store_bytes(store) + run->most_bytes +
				(store->nrows + run->most_rows) * GPUSORT_RUN_ROW_BYTES > sort->memory_limit)
				return true;
			gpusort_rows_store_reserve(store, store->nrows + run->most_rows + 1);
			head = gpusort_rows_reader_head(&parts->reader, 1);
			gpusort_rows_store_reserve_records(store, head.record_bytes);
			store->nrows += gpusort_rows_reader_read(&parts->reader, &head, store, store->nrows, &store->record_bytes);
		}
	}
	if (store->nrows == 0)
		gpusort_rows_interval_parts_free(parts);
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
	if (parts->file != NULL)
		gpusort_rows_spill_close(parts->file);
	parts->file = NULL;
}
