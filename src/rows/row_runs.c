/*
 * row_runs.c
 *	  Sorted runs of rows in temporary files, see row_runs.h.
 *
 * A block in a file:
 *	  BlockHeader | per attribute: does it have NULLs, values, NULL bytes |
 *	  row starts | records
 */
#include "postgres.h"

#include "commands/tablespace.h"
#include "miscadmin.h"

#include "large_memory.h"
#include "rows/row_runs.h"

#define ROWS_BLOCK_MIN ((Size) 8 * 1024)
#define ROWS_BLOCK_MAX ((Size) 256 * 1024)
#define ROWS_BLOCKS_IN_MEMORY 128	/* a block takes 1/128 of work_mem, within the limits above */
#define ROWS_BLOCK_ROWS 8192
#define ROWS_COPY_SPAN 64		/* rows that are copied at a time */
#define ROWS_SAMPLE_ROWS 1024	/* rows of a run in the sample, until it is full */
#define ROWS_SAMPLE_BLOCKS 4	/* memory for the sample, in blocks */
#define ROWS_GATHER_MAX 256		/* at least the slots of a batch */
#define ROWS_FAN_IN_MIN 6
#define ROWS_FAN_IN_MAX 512

typedef struct BlockHeader
{
	uint32		nrows;
	Size		record_bytes;
} BlockHeader;

typedef struct BlockPlace
{
	int			fileno;
	off_t		offset;
	uint64		first_row;
} BlockPlace;

/* Where the rows of a run belong beside those of the run before it. */
typedef enum RunPlace
{
	RUN_OVERLAPS,
	RUN_FOLLOWS,				/* none comes before the last of those */
	RUN_PRECEDES				/* all come before the first of those */
} RunPlace;

struct RowRun
{
	int			number;			/* runs of earlier rows have lesser numbers */
	RunPlace	place;
	BufFile    *file;
	BlockPlace *blocks;
	int			nblocks;
	int			block_slots;
	uint64		nrows;

	/* While it is read. */
	RowStore   *block;
	int			next_block;
	uint64		block_first_row;
	uint64	   *words;			/* leading code bits of the block's rows */
	uint32		word_slots;
	uint32		row;			/* next row of the block */
};

RowRuns *
gpusort_rows_runs_create(RowMemory *memory, const RowLayout *layout, RowKeys *keys, Size memory_limit)
{
	RowRuns    *runs = palloc0(sizeof(RowRuns));

	runs->memory = memory;
	runs->layout = layout;
	runs->keys = keys;
	runs->sample = gpusort_rows_store_create(memory, layout);
	runs->sample_rows = ROWS_SAMPLE_ROWS;
	runs->block_bytes = Min(Max(memory_limit / ROWS_BLOCKS_IN_MEMORY, ROWS_BLOCK_MIN), ROWS_BLOCK_MAX);
	runs->block_rows = ROWS_BLOCK_ROWS;
	runs->max_fan_in = Min(Max(memory_limit / runs->block_bytes * 3 / 4, ROWS_FAN_IN_MIN), ROWS_FAN_IN_MAX);
	runs->heap = palloc(runs->max_fan_in * sizeof(RowRun *));
	runs->builder = gpusort_rows_store_create(memory, layout);
	runs->ends = gpusort_rows_store_create(memory, layout);
	return runs;
}

static BufFile *
create_file(void)
{
	PrepareTempTablespaces();
	return BufFileCreateTemp(false);
}

static RowRun *
create_run(int number, BufFile *file)
{
	RowRun	   *run = palloc0(sizeof(RowRun));

	run->number = number;
	run->file = file;
	run->block_slots = 8;
	run->blocks = palloc(run->block_slots * sizeof(BlockPlace));
	return run;
}

static void
free_run(RowRun *run)
{
	if (run->block != NULL)
		gpusort_rows_store_free(run->block);
	if (run->words != NULL)
		pfree(run->words);
	pfree(run->blocks);
	pfree(run);
}

static void
write_bytes(RowRuns *runs, RowRun *run, void *data, Size bytes)
{
	if (bytes == 0)
		return;
	BufFileWrite(run->file, data, bytes);
	runs->disk_bytes += bytes;
}

static void
read_bytes(BufFile *file, void *data, Size bytes)
{
	if (bytes > 0 && BufFileRead(file, data, bytes) != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read %zu bytes of sorted rows from a temporary file", bytes)));
}

/* Writes the builder's rows as the run's next block and empties the builder. */
static void
write_block(RowRuns *runs, RowRun *run)
{
	RowStore   *store = runs->builder;
	BlockHeader header = {store->nrows, store->record_bytes};
	BlockPlace *place;

	if (store->nrows == 0)
		return;
	if (run->nblocks == run->block_slots)
	{
		run->block_slots *= 2;
		run->blocks = repalloc_huge(run->blocks, run->block_slots * sizeof(BlockPlace));
	}
	place = &run->blocks[run->nblocks++];
	BufFileTell(run->file, &place->fileno, &place->offset);
	place->first_row = run->nrows;
	run->nrows += store->nrows;

	write_bytes(runs, run, &header, sizeof(header));
	for (int i = 0; i < runs->layout->natts; i++)
	{
		const RowAttribute *attribute = &runs->layout->attributes[i];
		RowColumn  *column = &store->columns[i];

		write_bytes(runs, run, &column->has_nulls, sizeof(bool));
		if (attribute->by_value && !attribute->is_constant)
			write_bytes(runs, run, column->values.data, (Size) store->nrows * attribute->length);
		if (column->has_nulls)
			write_bytes(runs, run, column->nulls.data, store->nrows);
	}
	if (runs->layout->nrecord > 0)
	{
		write_bytes(runs, run, store->row_starts.data, store->nrows * sizeof(uint32));
		write_bytes(runs, run, store->records.data, store->record_bytes);
	}
	gpusort_rows_store_clear(store);
}

/* Reads one of the run's blocks into its store. */
static void
read_block(RowRuns *runs, RowRun *run, int number)
{
	BlockPlace *place = &run->blocks[number];
	BlockHeader header;
	RowStore   *store;

	CHECK_FOR_INTERRUPTS();
	if (run->block == NULL)
		run->block = gpusort_rows_store_create(runs->memory, runs->layout);
	store = run->block;
	if (BufFileSeek(run->file, place->fileno, place->offset, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek to block %d of sorted rows in a temporary file", number)));
	read_bytes(run->file, &header, sizeof(header));
	gpusort_rows_store_clear(store);
	gpusort_rows_store_reserve(store, header.nrows);
	for (int i = 0; i < runs->layout->natts; i++)
	{
		const RowAttribute *attribute = &runs->layout->attributes[i];
		RowColumn  *column = &store->columns[i];
		bool		has_nulls;

		read_bytes(run->file, &has_nulls, sizeof(bool));
		if (attribute->by_value && !attribute->is_constant)
			read_bytes(run->file, column->values.data, (Size) header.nrows * attribute->length);
		if (has_nulls)
		{
			gpusort_rows_store_add_nulls(store, i);
			read_bytes(run->file, column->nulls.data, header.nrows);
		}
	}
	if (runs->layout->nrecord > 0)
	{
		read_bytes(run->file, store->row_starts.data, header.nrows * sizeof(uint32));
		gpusort_rows_buffer_reserve(runs->memory, &store->records, header.record_bytes);
		read_bytes(run->file, store->records.data, header.record_bytes);
		store->record_bytes = header.record_bytes;
	}
	store->nrows = header.nrows;
	run->block_first_row = place->first_row;
	run->next_block = number + 1;
	run->row = 0;
}

/* Appends rows to the run being written. */
static void
write_rows(RowRuns *runs, RowRun *run, const RowStore *store, const uint32 *rows, uint32 nrows)
{
	RowStore   *builder = runs->builder;

	while (nrows > 0)
	{
		uint32		n = Min(Min(nrows, ROWS_COPY_SPAN), runs->block_rows - builder->nrows);

		n = gpusort_rows_store_copy(builder, store, rows, n, runs->block_bytes);
		rows += n;
		nrows -= n;
		if (builder->nrows >= runs->block_rows || gpusort_rows_store_bytes(builder) >= runs->block_bytes)
			write_block(runs, run);
	}
}

/*
 * Adds rows of a run to the sample: the middles of equal stretches.  A sample of more than
 * ROWS_SAMPLE_BLOCKS blocks is halved, and runs to come add half as many rows.
 */
static void
add_to_sample(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows)
{
	RowStore   *sample = runs->sample;
	uint32		n = Min(nrows, runs->sample_rows);
	uint32	   *rows;

	for (uint32 i = 0; i < n; i++)
		(void) gpusort_rows_store_copy(sample, store, &order[(2 * (uint64) i + 1) * nrows / (2 * n)], 1, 0);
	while (gpusort_rows_store_bytes(sample) > ROWS_SAMPLE_BLOCKS * runs->block_bytes && sample->nrows > 1)
	{
		n = sample->nrows / 2;
		rows = palloc(n * sizeof(uint32));
		for (uint32 i = 0; i < n; i++)
			rows[i] = 2 * i;
		gpusort_rows_store_keep(sample, rows, n);
		pfree(rows);
		runs->sample_rows = Max(runs->sample_rows / 2, 1);
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

	if (ends->nrows == 2 && gpusort_rows_compare(runs->keys, 0, ends, 1, store, order[0]) <= 0)
		place = RUN_FOLLOWS;
	else if (ends->nrows == 2 && gpusort_rows_compare(runs->keys, 0, store, order[nrows - 1], ends, 0) < 0)
		place = RUN_PRECEDES;
	gpusort_rows_store_clear(ends);
	(void) gpusort_rows_store_copy(ends, store, &order[0], 1, 0);
	(void) gpusort_rows_store_copy(ends, store, &order[nrows - 1], 1, 0);
	return place;
}

/* Writes these rows of the store, in this order, as a new run. */
void
gpusort_rows_runs_add(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows)
{
	RowRun	   *run;

	if (runs->file == NULL)
		runs->file = create_file();
	run = create_run(list_length(runs->runs), runs->file);
	run->place = place_beside_last(runs, store, order, nrows);
	for (uint32 first = 0; first < nrows; first += GPUSORT_INTERRUPT_VALUES)
	{
		CHECK_FOR_INTERRUPTS();
		write_rows(runs, run, store, order + first, Min(GPUSORT_INTERRUPT_VALUES, nrows - first));
	}
	write_block(runs, run);
	add_to_sample(runs, store, order, nrows);
	runs->runs = lappend(runs->runs, run);
	runs->initial_runs++;
}

/* Reads the run's next block and encodes its rows, unless it is the only run.  Returns false if there is no further block. */
static bool
load_next_block(RowRuns *runs, RowRun *run)
{
	if (run->next_block >= run->nblocks)
		return false;
	read_block(runs, run, run->next_block);
	if (list_length(runs->runs) == 1)
		return true;
	if (run->block->nrows > run->word_slots)
	{
		if (run->words != NULL)
			pfree(run->words);
		run->word_slots = run->block->nrows;
		run->words = palloc(run->word_slots * sizeof(uint64));
	}
	gpusort_rows_encode(runs->code, run->block, NULL, 0, run->block->nrows, 64, run->words);
	return true;
}

/* True if the next row of run a comes before that of run b. */
static inline bool
comes_before(const RowRuns *runs, const RowRun *a, const RowRun *b)
{
	int			order;

	if (a->words[a->row] != b->words[b->row])
		return a->words[a->row] < b->words[b->row];
	order = gpusort_rows_compare(runs->keys, runs->code->nexact, a->block, a->row, b->block, b->row);
	return order != 0 ? order < 0 : a->number < b->number;
}

/* Moves the entry at a place of the heap down to where it belongs. */
static void
sift_down(RowRuns *runs, int place)
{
	RowRun	   *moving = runs->heap[place];

	for (;;)
	{
		int			child = 2 * place + 1;

		if (child >= runs->nheap)
			break;
		if (child + 1 < runs->nheap && comes_before(runs, runs->heap[child + 1], runs->heap[child]))
			child++;
		if (!comes_before(runs, runs->heap[child], moving))
			break;
		runs->heap[place] = runs->heap[child];
		place = child;
	}
	runs->heap[place] = moving;
}

/* Starts a merge of runs first .. first + count - 1 of the list. */
static void
start_merge(RowRuns *runs, int first, int count)
{
	runs->nheap = 0;
	for (int i = first; i < first + count; i++)
	{
		RowRun	   *run = list_nth(runs->runs, i);

		if (load_next_block(runs, run))
			runs->heap[runs->nheap++] = run;
	}
	for (int place = runs->nheap / 2 - 1; place >= 0; place--)
		sift_down(runs, place);
}

/* Reads the next block of the run on top of the heap, or removes the run if there is none. */
static void
refill_top(RowRuns *runs)
{
	if (!load_next_block(runs, runs->heap[0]))
		runs->heap[0] = runs->heap[--runs->nheap];
	if (runs->nheap > 0)
		sift_down(runs, 0);
}

/* Frees a run, and its file if no other run is in it. */
static void
drop_run(RowRuns *runs, RowRun *run)
{
	BufFile    *file = run->file;
	ListCell   *cell;

	free_run(run);
	foreach(cell, runs->runs)
	{
		if (((RowRun *) lfirst(cell))->file == file)
			return;
	}
	BufFileClose(file);
	if (file == runs->file)
		runs->file = NULL;
}

/* Merges runs first .. first + count - 1 of the list into one, which takes their place and has its own file. */
static void
merge_neighbours(RowRuns *runs, int first, int count)
{
	RowRun	   *merged = create_run(((RowRun *) list_nth(runs->runs, first))->number, create_file());

	start_merge(runs, first, count);
	while (runs->nheap > 0)
	{
		RowRun	   *top = runs->heap[0];

		write_rows(runs, merged, top->block, &top->row, 1);
		if (++top->row < top->block->nrows)
			sift_down(runs, 0);
		else
			refill_top(runs);
	}
	write_block(runs, merged);
	for (int i = 0; i < count; i++)
	{
		RowRun	   *done = list_nth(runs->runs, first);

		runs->runs = list_delete_nth_cell(runs->runs, first);
		drop_run(runs, done);
	}
	runs->runs = list_insert_nth(runs->runs, first, merged);
}

/* Makes one run of count runs in one file, which follow, or precede, one another.  It takes the number of the first. */
static RowRun *
chain_runs(RowRun **chain, int count)
{
	RowRun	   *result = create_run(chain[0]->number, chain[0]->file);
	bool		forward = chain[count - 1]->place == RUN_FOLLOWS;
	int			nblocks = 0;

	for (int i = 0; i < count; i++)
		nblocks += chain[i]->nblocks;
	result->blocks = repalloc_huge(result->blocks, Max(nblocks, 1) * sizeof(BlockPlace));
	result->block_slots = Max(nblocks, 1);
	for (int i = 0; i < count; i++)
	{
		RowRun	   *run = chain[forward ? i : count - 1 - i];

		for (int b = 0; b < run->nblocks; b++)
		{
			BlockPlace *place = &result->blocks[result->nblocks++];

			*place = run->blocks[b];
			place->first_row += result->nrows;
		}
		result->nrows += run->nrows;
	}
	for (int i = 0; i < count; i++)
		free_run(chain[i]);
	return result;
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
		end = start + 1;
		if (end < nruns && all[end]->place != RUN_OVERLAPS)
		{
			RunPlace	place = all[end]->place;

			while (end < nruns && all[end]->place == place)
				end++;
		}
		joined = lappend(joined, end - start > 1 ? chain_runs(all + start, end - start) : all[start]);
	}
	list_free(runs->runs);
	runs->runs = joined;
	runs->joined_runs = list_length(joined);
	pfree(all);
}

/* Prepares reading: with random access by gpusort_rows_runs_seek, else by gpusort_rows_runs_next. */
void
gpusort_rows_runs_prepare(RowRuns *runs, bool random_access)
{
	int			wanted = random_access ? 1 : runs->max_fan_in;
	int			first = 0;
	double		nrows = 0;
	ListCell   *cell;

	foreach(cell, runs->runs)
		nrows += ((RowRun *) lfirst(cell))->nrows;
	join_neighbours(runs);
	runs->code = gpusort_rows_code_common(runs->keys, runs->sample, nrows);
	gpusort_rows_store_free(runs->sample);
	runs->sample = NULL;

	/* Group after group of neighbours becomes one run.  The last group is no larger than necessary. */
	while (list_length(runs->runs) > wanted)
	{
		int			count = Min(runs->max_fan_in, list_length(runs->runs) - wanted + 1);

		if (first + count > list_length(runs->runs))
			first = 0;
		if (first == 0)
			runs->merge_passes++;
		merge_neighbours(runs, first, count);
		first++;
	}
	if (!random_access)
		start_merge(runs, 0, list_length(runs->runs));
}

/* Appends rows of a run's block, one behind the other, to the batch. */
static void
gather_rows(RowBatch *batch, const RowRun *run, uint32 first, uint32 nrows)
{
	uint32		rows[ROWS_GATHER_MAX];

	for (uint32 i = 0; i < nrows; i++)
		rows[i] = first + i;
	gpusort_rows_batch_gather(batch, run->block, rows, first, nrows);
}

/* Fills the batch with the next rows of the only run left. */
static void
next_of_last_run(RowRuns *runs, RowBatch *batch)
{
	RowRun	   *run = runs->heap[0];
	uint32		nrows = Min(batch->slots, run->block->nrows - run->row);

	gather_rows(batch, run, run->row, nrows);
	run->row += nrows;
	if (run->row == run->block->nrows)
		runs->waiting = run;
}

/*
 * Fills the batch with the next rows of the merge.  The batch ends early where a block is
 * used up, because its values point into the block.
 */
void
gpusort_rows_runs_next(RowRuns *runs, RowBatch *batch)
{
	if (runs->waiting != NULL)
		refill_top(runs);
	runs->waiting = NULL;
	if (runs->nheap == 1)
		next_of_last_run(runs, batch);
	while (batch->nrows < batch->slots && runs->nheap > 1)
	{
		RowRun	   *top = runs->heap[0];

		gpusort_rows_batch_gather(batch, top->block, &top->row, 0, 1);
		if (++top->row == top->block->nrows)
		{
			runs->waiting = top;
			break;
		}
		sift_down(runs, 0);
	}
}

/* Fills the batch with rows of the only run, among them the given one. */
void
gpusort_rows_runs_seek(RowRuns *runs, RowBatch *batch, uint64 row)
{
	RowRun	   *run = linitial(runs->runs);
	uint32		first;

	if (run->block == NULL || row < run->block_first_row ||
		row >= run->block_first_row + run->block->nrows)
	{
		int			low = 0;
		int			high = run->nblocks - 1;

		while (low < high)
		{
			int			middle = (low + high + 1) / 2;

			if (run->blocks[middle].first_row <= row)
				low = middle;
			else
				high = middle - 1;
		}
		read_block(runs, run, low);
	}
	first = row - run->block_first_row;
	first -= first % batch->slots;
	batch->first = run->block_first_row + first;
	gather_rows(batch, run, first, Min(batch->slots, run->block->nrows - first));
}

/* Closes the temporary files. */
void
gpusort_rows_runs_close(RowRuns *runs)
{
	while (runs->runs != NIL)
	{
		RowRun	   *run = linitial(runs->runs);

		runs->runs = list_delete_first(runs->runs);
		drop_run(runs, run);
	}
}
