/*
 * row_runs.c
 *	  Sorted runs of rows in temporary files, see row_runs.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/datum.h"

#include "rows/row_runs.h"
#include "rows/row_sort.h"

#define ROWS_BLOCK_MIN ((Size) 8 * 1024)
#define ROWS_BLOCKS_IN_MEMORY 256	/* a block takes 1/256 of work_mem, from ROWS_BLOCK_MIN to ROWS_BLOCK_MAX */
#define ROWS_SAMPLE_ROWS 1024	/* rows of a run in the sample, until it is full */
#define ROWS_SAMPLE_BLOCKS 8	/* memory for the sample, in blocks */
#define ROWS_LARGE_KEYS 16		/* keys of a row that take over 1/16 of memory, and more than the sample, are not kept */
#define ROWS_GATHER_MAX 256		/* at least the slots of a batch */
#define ROWS_FAN_IN_MIN 6
#define ROWS_FAN_IN_MAX 512

RowRuns *
gpusort_rows_runs_create(RowSort *sort)
{
	RowRuns    *runs = palloc0(sizeof(RowRuns));
	Size		memory_limit = sort->memory_limit;
	RowLayout  *keys = gpusort_rows_layout_of_some(sort->layout, gpusort_rows_key_attributes(sort->keys));

	runs->sort = sort;
	runs->values = palloc0(keys->natts * sizeof(Datum));
	runs->nulls = palloc0(keys->natts * sizeof(bool));
	runs->sample = gpusort_rows_store_create(sort->memory, keys);
	runs->sample_rows = ROWS_SAMPLE_ROWS;
	runs->block_bytes = Min(Max(memory_limit / ROWS_BLOCKS_IN_MEMORY, ROWS_BLOCK_MIN), ROWS_BLOCK_MAX);
	runs->max_fan_in = Min(Max(memory_limit / runs->block_bytes * 3 / 4, ROWS_FAN_IN_MIN), ROWS_FAN_IN_MAX);
	runs->builder = gpusort_rows_store_create(sort->memory, sort->layout);
	runs->ends = gpusort_rows_store_create(sort->memory, keys);
	return runs;
}

/* Appends rows to the run being written. */
static void
write_rows(RowRuns *runs, RowRun *run, const RowStore *store, const uint32 *rows, uint32 nrows)
{
	runs->disk_bytes += gpusort_rows_run_append(run, runs->builder, store, rows, nrows, runs->block_bytes);
}

/* Adds the keys of a row to a store that has no other attributes, unless they are large.  Returns whether it did. */
static bool
add_keys(RowRuns *runs, RowStore *keys, const RowStore *store, uint32 row)
{
	Size		bytes = 0;

	for (int i = 0; i < runs->sort->keys->nkeys; i++)
	{
		const RowKey *key = &runs->sort->keys->keys[i];
		int			attribute = key->attribute;

		runs->values[attribute] = gpusort_rows_store_get(store, row, attribute, &runs->nulls[attribute]);
		if (!key->by_value && !runs->nulls[attribute])
			bytes += datumGetSize(runs->values[attribute], false, key->length);
	}
	if (bytes > Max(ROWS_SAMPLE_BLOCKS * runs->block_bytes, runs->sort->memory_limit / ROWS_LARGE_KEYS))
		return false;
	gpusort_rows_store_append(keys, runs->values, runs->nulls);
	return true;
}

/* Halves the sample. */
static void
halve_sample(RowRuns *runs)
{
	uint32		n = runs->sample->nrows / 2;
	uint32	   *rows = palloc(n * sizeof(uint32));

	for (uint32 i = 0; i < n; i++)
		rows[i] = 2 * i;
	gpusort_rows_store_keep(runs->sample, rows, n);
	pfree(rows);
	runs->sample_rows = Max(runs->sample_rows / 2, 1);
}

/*
 * Adds rows of a run to the sample: its ends, which may have rare characters, and the middles of
 * equal stretches.  A sample of more than ROWS_SAMPLE_BLOCKS blocks is halved, and what is to come
 * adds half as many rows.
 */
static void
add_to_sample(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows)
{
	RowStore   *sample = runs->sample;
	uint32		n = Min(nrows, runs->sample_rows);
	uint32		step = 1;

	(void) add_keys(runs, sample, store, order[0]);
	(void) add_keys(runs, sample, store, order[nrows - 1]);
	for (uint32 i = 0; i < n; i += step)
	{
		(void) add_keys(runs, sample, store, order[(2 * (uint64) i + 1) * nrows / (2 * n)]);
		while (gpusort_rows_store_bytes(sample) > ROWS_SAMPLE_BLOCKS * runs->block_bytes && sample->nrows > 1)
		{
			halve_sample(runs);
			step *= 2;
		}
	}
}

/*
 * Finds out where the rows of a new run, at least one, belong beside those of the run
 * before it, and keeps its ends for the next.
 */
static RunPlace
place_beside_last(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows)
{
	RowStore   *ends = runs->ends;
	RunPlace	place = RUN_OVERLAPS;

	if (ends->nrows == 2 && gpusort_rows_compare(runs->sort->keys, 0, ends, 1, store, order[0]) <= 0)
		place = RUN_FOLLOWS;
	else if (ends->nrows == 2 && gpusort_rows_compare(runs->sort->keys, 0, store, order[nrows - 1], ends, 0) < 0)
		place = RUN_PRECEDES;
	gpusort_rows_store_clear(ends);
	if (add_keys(runs, ends, store, order[0]))
		(void) add_keys(runs, ends, store, order[nrows - 1]);
	return place;
}

/* Writes these rows of the store, in this order, as a new run. */
void
gpusort_rows_runs_add(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows)
{
	RowRun	   *run;

	if (runs->file == NULL)
		runs->file = gpusort_rows_spill_create();
	run = gpusort_rows_run_create(runs->file, runs->sort->random_access);
	run->place = place_beside_last(runs, store, order, nrows);
	write_rows(runs, run, store, order, nrows);
	runs->disk_bytes += gpusort_rows_run_write(run, runs->builder);
	add_to_sample(runs, store, order, nrows);
	runs->runs = lappend(runs->runs, run);
	runs->initial_runs++;
}

/* Frees a run, and its file if no other run is in it. */
static void
drop_run(RowRuns *runs, RowRun *run)
{
	SpillFile  *file = run->file;
	ListCell   *cell;

	gpusort_rows_run_free(run);
	foreach(cell, runs->runs)
	{
		if (((RowRun *) lfirst(cell))->file == file)
			return;
	}
	gpusort_rows_spill_close(file);
	if (file == runs->file)
		runs->file = NULL;
}

/* Starts a merge of runs first .. first + count - 1 of the list. */
static RowMerge *
begin_merge(RowRuns *runs, int first, int count)
{
	RowRun	  **some = palloc(count * sizeof(RowRun *));
	RowMerge   *merge;

	for (int i = 0; i < count; i++)
		some[i] = list_nth(runs->runs, first + i);
	merge = gpusort_rows_merge_begin(runs->sort, runs->code, some, count);
	pfree(some);
	return merge;
}

/* Merges runs first .. first + count - 1 of the list into one, which takes their place and has its own file. */
static void
merge_neighbours(RowRuns *runs, int first, int count)
{
	RowRun	   *merged = gpusort_rows_run_create(gpusort_rows_spill_create(), runs->sort->random_access);
	RowMerge   *merge = begin_merge(runs, first, count);

	while (gpusort_rows_merge_next(merge))
		write_rows(runs, merged, merge->window, merge->order, merge->nrows);
	runs->disk_bytes += gpusort_rows_run_write(merged, runs->builder);
	gpusort_rows_spill_rest(merged->file);
	gpusort_rows_merge_end(merge);
	for (int i = 0; i < count; i++)
	{
		RowRun	   *done = list_nth(runs->runs, first);

		runs->runs = list_delete_nth_cell(runs->runs, first);
		drop_run(runs, done);
	}
	runs->runs = list_insert_nth(runs->runs, first, merged);
}

/* Joins runs that come one behind the other, as they do where the input was in order, or in the reverse order. */
static void
join_neighbours(RowRuns *runs)
{
	int			nruns = list_length(runs->runs);
	RowRun	  **all = palloc(nruns * sizeof(RowRun *));
	List	   *joined = NIL;
	int			end;

	for (int i = 0; i < nruns; i++)
		all[i] = list_nth(runs->runs, i);
	for (int start = 0; start < nruns; start = end)
	{
		for (end = start + 1; end < nruns; end++)
			if (all[end]->place == RUN_OVERLAPS || all[end]->place != all[start + 1]->place)
				break;
		joined = lappend(joined, end - start > 1 ? gpusort_rows_run_chain(all + start, end - start) : all[start]);
	}
	list_free(runs->runs);
	runs->runs = joined;
	runs->joined_runs = list_length(joined);
	pfree(all);
}

/* Frees what is needed no more once all runs are written. */
static void
free_builders(RowRuns *runs)
{
	gpusort_rows_store_free(runs->builder);
	gpusort_rows_store_free(runs->ends);
	runs->builder = runs->ends = NULL;
}

/* How many runs may be merged at once so that the window's places of records do not exceed 32 bits. */
static int
fan_in(const RowRuns *runs)
{
	Size		most = 1;
	ListCell   *cell;

	foreach(cell, runs->runs)
		most = Max(most, ((RowRun *) lfirst(cell))->most_record_bytes);
	return Max(Min(runs->max_fan_in, GPUSORT_RECORDS_MAX / 2 / most), 2);
}

/* Prepares reading: with random access by gpusort_rows_runs_seek, else by gpusort_rows_runs_next. */
void
gpusort_rows_runs_prepare(RowRuns *runs, bool random_access)
{
	int			most = fan_in(runs);
	int			wanted = random_access ? 1 : most;
	int			first = 0;
	double		nrows = 0;
	ListCell   *cell;

	foreach(cell, runs->runs)
		nrows += ((RowRun *) lfirst(cell))->nrows;
	join_neighbours(runs);
	runs->code = gpusort_rows_code_common(runs->sort->keys, runs->sample, nrows);
	gpusort_rows_store_free(runs->sample);
	runs->sample = NULL;

	/* Group after group of neighbours becomes one run.  The last group is no larger than necessary. */
	while (list_length(runs->runs) > wanted)
	{
		int			count = Min(most, list_length(runs->runs) - wanted + 1);

		if (first + count > list_length(runs->runs))
			first = 0;
		if (first == 0)
			runs->merge_passes++;
		merge_neighbours(runs, first, count);
		first++;
	}
	free_builders(runs);
	if (random_access)
		runs->block = gpusort_rows_store_create(runs->sort->memory, runs->sort->layout);
	else
		runs->merge = begin_merge(runs, 0, list_length(runs->runs));
}

/* Fills the batch with the next rows of the merge.  Its values point into the merge's window. */
void
gpusort_rows_runs_next(RowRuns *runs, RowBatch *batch)
{
	RowMerge   *merge = runs->merge;
	int			nrows;

	if (runs->position == merge->nrows)
	{
		(void) gpusort_rows_merge_next(merge);
		runs->position = 0;
	}
	nrows = Min(batch->slots, merge->nrows - runs->position);
	gpusort_rows_batch_gather(batch, merge->window, merge->order + runs->position, runs->position, nrows);
	runs->position += nrows;
}

/* Reads the block of a row of the only run. */
static void
read_block(RowRuns *runs, uint64 row)
{
	const RowRun *run = linitial(runs->runs);
	RowStore   *block = runs->block;
	RunMark		next = *gpusort_rows_run_find(run, row);
	BlockHead	head;
	Size		ahead = sizeof(head);

	if (block->nrows > 0 && runs->block_first_row >= next.first_row && row >= runs->block_first_row + block->nrows)
	{
		next = (RunMark) {runs->block_end, runs->block_first_row + block->nrows};
		ahead = run->most_bytes;
	}
	for (;; next = (RunMark) {next.place + head.bytes, next.first_row + head.nrows})
	{
		CHECK_FOR_INTERRUPTS();
		gpusort_rows_spill_seek(run->file, next.place, next.place + ahead);
		head = gpusort_rows_block_head(run->file);
		if (row < next.first_row + head.nrows)
			break;
	}
	gpusort_rows_spill_seek(run->file, next.place + sizeof(head), next.place + head.bytes);
	gpusort_rows_store_clear(block);
	gpusort_rows_store_reserve(block, run->most_rows + 1);
	gpusort_rows_buffer_reserve(runs->sort->memory, &block->records, head.record_bytes);
	block->nrows = gpusort_rows_block_read(run->file, &head, block, 0, &block->record_bytes);
	runs->block_first_row = next.first_row;
	runs->block_end = next.place + head.bytes;
}

/* Fills the batch with rows of the only run, among them the given one. */
void
gpusort_rows_runs_seek(RowRuns *runs, RowBatch *batch, uint64 row)
{
	RowStore   *block = runs->block;
	uint32		rows[ROWS_GATHER_MAX];
	uint32		first;
	uint32		nrows;

	if (row < runs->block_first_row || row >= runs->block_first_row + block->nrows)
		read_block(runs, row);
	first = row - runs->block_first_row;
	first -= first % batch->slots;
	nrows = Min(batch->slots, block->nrows - first);
	for (uint32 i = 0; i < nrows; i++)
		rows[i] = first + i;
	batch->first = runs->block_first_row + first;
	gpusort_rows_batch_gather(batch, block, rows, first, nrows);
}

/* Closes the temporary files. */
void
gpusort_rows_runs_close(RowRuns *runs)
{
	while (runs->runs != NIL)
	{
		RowRun	   *run = llast(runs->runs);

		runs->runs = list_delete_last(runs->runs);
		drop_run(runs, run);
	}
}
