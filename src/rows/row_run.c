/*
 * row_run.c
 *	  A sorted run of rows in a temporary file, see row_run.h.
 */
#include "postgres.h"

#include "rows/row_run.h"

#define ROWS_COPY_SPAN 64		/* rows that are copied at a time */
#define ROWS_BLOCKS_PER_MARK 64	/* 16 bytes of memory for half a megabyte or more of rows */

/* Starts a run of no blocks.  The blocks are going to be written to the end of the file. */
RowRun *
gpusort_rows_run_create(SpillFile *file, bool random_access)
{
	RowRun	   *run = palloc0(sizeof(RowRun));

	run->file = file;
	run->extent_slots = 1;
	run->extents = palloc(sizeof(RunExtent));
	if (random_access)
	{
		run->mark_slots = 1;
		run->marks = palloc(sizeof(RunMark));
	}
	return run;
}

/* Frees the run.  The file stays open. */
void
gpusort_rows_run_free(RowRun *run)
{
	pfree(run->extents);
	if (run->marks != NULL)
		pfree(run->marks);
	pfree(run);
}

/* Adds bytes of the file behind those that the run has. */
static void
add_extent(RowRun *run, RunExtent extent)
{
	if (run->nextents > 0 && run->extents[run->nextents - 1].end == extent.start)
	{
		run->extents[run->nextents - 1].end = extent.end;
		return;
	}
	if (run->nextents == run->extent_slots)
	{
		run->extent_slots *= 2;
		run->extents = repalloc_huge(run->extents, run->extent_slots * sizeof(RunExtent));
	}
	run->extents[run->nextents++] = extent;
}

static void
add_mark(RowRun *run, RunMark mark)
{
	if (run->nmarks == run->mark_slots)
	{
		run->mark_slots *= 2;
		run->marks = repalloc_huge(run->marks, run->mark_slots * sizeof(RunMark));
	}
	run->marks[run->nmarks++] = mark;
}

/*
 * Makes one run of count runs, and frees these.  All are in one file.  Either each follows the
 * one before it, or each precedes it.
 */
RowRun *
gpusort_rows_run_chain(RowRun **chain, int count)
{
	RowRun	   *result = gpusort_rows_run_create(chain[0]->file, chain[0]->marks != NULL);
	bool		forward = chain[count - 1]->place == RUN_FOLLOWS;

	for (int i = 0; i < count; i++)
	{
		RowRun	   *run = chain[forward ? i : count - 1 - i];

		for (int e = 0; e < run->nextents; e++)
			add_extent(result, run->extents[e]);
		for (int m = 0; m < run->nmarks; m++)
			add_mark(result, (RunMark) {run->marks[m].place, run->marks[m].first_row + result->nrows});
		result->nblocks += run->nblocks;
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

/* Writes the store's rows as the run's next block and empties the store.  Returns the bytes written. */
Size
gpusort_rows_run_write(RowRun *run, RowStore *store)
{
	int64		place = gpusort_rows_spill_size(run->file);
	Size		written;

	if (store->nrows == 0)
		return 0;
	written = gpusort_rows_block_write(run->file, store);
	add_extent(run, (RunExtent) {place, place + written});
	if (run->marks != NULL && run->nblocks % ROWS_BLOCKS_PER_MARK == 0)
		add_mark(run, (RunMark) {place, run->nrows});
	run->nblocks++;
	run->nrows += store->nrows;
	run->record_bytes += store->record_bytes;
	run->bytes += gpusort_rows_store_bytes(store);
	run->most_rows = Max(run->most_rows, store->nrows);
	run->most_record_bytes = Max(run->most_record_bytes, store->record_bytes);
	run->most_bytes = Max(run->most_bytes, written);
	gpusort_rows_store_clear(store);
	return written;
}

/* Writes one row of a store as the run's next block, without a copy of it.  Returns the bytes written. */
static Size
write_row(RowRun *run, const RowStore *store, uint32 row)
{
	RowStore	one = *store;
	uint32		start = 0;
	Size		written;

	one.columns = palloc(store->layout->natts * sizeof(RowColumn));
	for (int i = 0; i < store->layout->natts; i++)
	{
		one.columns[i] = store->columns[i];
		if (store->layout->attributes[i].in_column)
			one.columns[i].values.data += (Size) row * store->layout->attributes[i].length;
		if (store->columns[i].has_nulls)
			one.columns[i].nulls.data += row;
	}
	one.row_starts.data = (char *) &start;
	one.records.data = gpusort_rows_record(store, row);
	one.record_bytes = gpusort_rows_store_record_size(store, row);
	one.nrows = 1;
	written = gpusort_rows_run_write(run, &one);
	pfree(one.columns);
	return written;
}

/*
 * Appends rows of a store to the run.  The builder collects them, and is written as a block whenever
 * its rows would take so many bytes in memory.  A row whose record alone has as many is a block of its
 * own.  Returns the bytes written.
 */
Size
gpusort_rows_run_append(RowRun *run, RowStore *builder, const RowStore *store, const uint32 *rows, uint32 nrows,
						Size block_bytes)
{
	Size		written = 0;

	while (nrows > 0)
	{
		uint32		n = gpusort_rows_store_copy(builder, store, rows, Min(nrows, ROWS_COPY_SPAN), block_bytes);

		if (n == 0 || gpusort_rows_store_bytes(builder) + builder->nrows * GPUSORT_RUN_ROW_BYTES >= block_bytes)
			written += gpusort_rows_run_write(run, builder);
		if (n == 0)
			written += write_row(run, store, rows[n++]);
		rows += n;
		nrows -= n;
	}
	return written;
}

/* The last marked block that begins with the row or before it.  The row is in it, or in one that follows it in the file. */
const RunMark *
gpusort_rows_run_find(const RowRun *run, uint64 row)
{
	int			low = 0;
	int			high = run->nmarks - 1;

	while (low < high)
	{
		int			middle = (low + high + 1) / 2;

		if (run->marks[middle].first_row <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return &run->marks[low];
}

RunReader
gpusort_rows_reader_begin(const RowRun *run)
{
	return (RunReader) {run, 0, run->nextents > 0 ? run->extents[0].start : 0};
}

BlockHead
gpusort_rows_reader_head(const RunReader *reader, int blocks)
{
	const RowRun *run = reader->run;

	gpusort_rows_spill_seek(run->file, reader->place,
							Min(run->extents[reader->extent].end, reader->place + (int64) (blocks * run->most_bytes)));
	return gpusort_rows_block_head(run->file);
}

uint32
gpusort_rows_reader_read(RunReader *reader, const BlockHead *head, RowStore *store, uint32 at, Size *record_bytes)
{
	const RowRun *run = reader->run;
	uint32		nrows = gpusort_rows_block_read(run->file, head, store, at, record_bytes);

	reader->place += head->bytes;
	if (reader->place == run->extents[reader->extent].end && ++reader->extent < run->nextents)
		reader->place = run->extents[reader->extent].start;
	return nrows;
}
