/*
 * row_run.c
 *	  A sorted run of rows in a temporary file, see row_run.h.
 */
#include "postgres.h"

#include "rows/row_block.h"
#include "rows/row_run.h"

#define ROWS_COPY_SPAN 64		/* rows that are copied at a time */

/* Starts a run of no blocks.  The blocks are going to be written to the end of the file. */
RowRun *
gpusort_rows_run_create(SpillFile *file)
{
	RowRun	   *run = palloc0(sizeof(RowRun));

	run->file = file;
	run->block_slots = 8;
	run->blocks = palloc(run->block_slots * sizeof(RunBlock));
	return run;
}

/* Frees the run.  The file stays open. */
void
gpusort_rows_run_free(RowRun *run)
{
	pfree(run->blocks);
	pfree(run);
}

/*
 * Makes one run of count runs, and frees these.  All are in one file.  Either each follows the
 * one before it, or each precedes it.
 */
RowRun *
gpusort_rows_run_chain(RowRun **chain, int count)
{
	RowRun	   *result = gpusort_rows_run_create(chain[0]->file);
	bool		forward = chain[count - 1]->place == RUN_FOLLOWS;
	int			nblocks = 0;

	for (int i = 0; i < count; i++)
		nblocks += chain[i]->nblocks;
	result->block_slots = Max(nblocks, 1);
	result->blocks = repalloc_huge(result->blocks, result->block_slots * sizeof(RunBlock));
	for (int i = 0; i < count; i++)
	{
		RowRun	   *run = chain[forward ? i : count - 1 - i];

		for (int b = 0; b < run->nblocks; b++)
		{
			RunBlock   *block = &result->blocks[result->nblocks++];

			*block = run->blocks[b];
			block->first_row += result->nrows;
		}
		result->nrows += run->nrows;
		result->record_bytes += run->record_bytes;
		result->bytes += run->bytes;
		result->most_rows = Max(result->most_rows, run->most_rows);
		result->most_record_bytes = Max(result->most_record_bytes, run->most_record_bytes);
		result->most_bytes = Max(result->most_bytes, run->most_bytes);
	}
	for (int i = 0; i < count; i++)
		gpusort_rows_run_free(chain[i]);
	return result;
}

/* Adds a block, which was written to a place of the file, to the list of the run's blocks. */
static void
list_block(RowRun *run, const RowStore *store, int64 place)
{
	RunBlock   *block;

	if (run->nblocks == run->block_slots)
	{
		run->block_slots *= 2;
		run->blocks = repalloc_huge(run->blocks, run->block_slots * sizeof(RunBlock));
	}
	block = &run->blocks[run->nblocks++];
	block->place = place;
	block->end = gpusort_rows_spill_size(run->file);
	block->first_row = run->nrows;
	run->nrows += store->nrows;
	run->record_bytes += store->record_bytes;
	run->bytes += gpusort_rows_store_bytes(store);
	run->most_rows = Max(run->most_rows, store->nrows);
	run->most_record_bytes = Max(run->most_record_bytes, store->record_bytes);
	run->most_bytes = Max(run->most_bytes, gpusort_rows_store_bytes(store));
}

/* Writes the store's rows as the run's next block and empties the store.  Returns the bytes written. */
Size
gpusort_rows_run_write(RowRun *run, RowStore *store)
{
	int64		place = gpusort_rows_spill_size(run->file);
	Size		written;

	if (store->nrows == 0)
		return 0;
	written = gpusort_rows_block_write(run->file, store);
	list_block(run, store, place);
	gpusort_rows_store_clear(store);
	return written;
}

/*
 * Appends rows of a store to the run.  The builder collects them, and is written as a block whenever
 * its rows would take so many bytes in memory.  Returns the bytes written.
 */
Size
gpusort_rows_run_append(RowRun *run, RowStore *builder, const RowStore *store, const uint32 *rows, uint32 nrows,
						Size block_bytes)
{
	Size		written = 0;

	while (nrows > 0)
	{
		uint32		n = gpusort_rows_store_copy(builder, store, rows, Min(nrows, ROWS_COPY_SPAN), block_bytes);

		rows += n;
		nrows -= n;
		if (gpusort_rows_store_bytes(builder) + builder->nrows * GPUSORT_RUN_ROW_BYTES >= block_bytes)
			written += gpusort_rows_run_write(run, builder);
	}
	return written;
}

/*
 * Reads one of the run's blocks into the store's rows from number `at` on, as
 * gpusort_rows_block_read does.  Blocks up to number `last` will be read next.  The store must
 * have space for the largest block and a row more.
 */
uint32
gpusort_rows_run_read(const RowRun *run, int number, int last, RowStore *store, uint32 at, Size *record_bytes)
{
	const RunBlock *block = &run->blocks[number];

	gpusort_rows_spill_seek(run->file, block->place, Max(block->end, run->blocks[last].end));
	return gpusort_rows_block_read(run->file, store, at, record_bytes);
}
