/*
 * row_run.c
 *	  A sorted run of rows in a temporary file, see row_run.h.
 *
 * A block in a file:
 *	  BlockHeader | per attribute: does it have NULLs, values, NULL bytes |
 *	  row starts | records
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_run.h"

typedef struct BlockHeader
{
	uint32		nrows;
	Size		record_bytes;
} BlockHeader;

/* Starts a run of no blocks.  The blocks are going to be written to the end of the file. */
RowRun *
gpusort_rows_run_create(BufFile *file)
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

/* Makes one run of count runs in one file, which follow, or precede, one another, and frees these. */
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
		result->most_rows = Max(result->most_rows, run->most_rows);
		result->most_record_bytes = Max(result->most_record_bytes, run->most_record_bytes);
		result->most_bytes = Max(result->most_bytes, run->most_bytes);
	}
	for (int i = 0; i < count; i++)
		gpusort_rows_run_free(chain[i]);
	return result;
}

/* Writes bytes to the run's file and returns how many. */
static Size
write_bytes(RowRun *run, void *data, Size bytes)
{
	if (bytes > 0)
		BufFileWrite(run->file, data, bytes);
	return bytes;
}

static void
read_bytes(BufFile *file, void *data, Size bytes)
{
	if (bytes > 0 && BufFileRead(file, data, bytes) != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read %zu bytes of sorted rows from a temporary file", bytes)));
}

/* Adds a block to the list of the run's blocks. */
static void
list_block(RowRun *run, const RowStore *store)
{
	RunBlock   *block;

	if (run->nblocks == run->block_slots)
	{
		run->block_slots *= 2;
		run->blocks = repalloc_huge(run->blocks, run->block_slots * sizeof(RunBlock));
	}
	block = &run->blocks[run->nblocks++];
	BufFileTell(run->file, &block->fileno, &block->offset);
	block->first_row = run->nrows;
	run->nrows += store->nrows;
	run->most_rows = Max(run->most_rows, store->nrows);
	run->most_record_bytes = Max(run->most_record_bytes, store->record_bytes);
	run->most_bytes = Max(run->most_bytes, gpusort_rows_store_bytes(store));
}

/* Writes the store's rows as the run's next block and empties the store.  Returns the bytes written. */
Size
gpusort_rows_run_write(RowRun *run, RowStore *store)
{
	const RowLayout *layout = store->layout;
	BlockHeader header = {store->nrows, store->record_bytes};
	Size		written = 0;

	if (store->nrows == 0)
		return 0;
	CHECK_FOR_INTERRUPTS();
	list_block(run, store);
	written += write_bytes(run, &header, sizeof(header));
	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		RowColumn  *column = &store->columns[i];

		written += write_bytes(run, &column->has_nulls, sizeof(bool));
		if (attribute->by_value && !attribute->is_constant)
			written += write_bytes(run, column->values.data, (Size) store->nrows * attribute->length);
		if (column->has_nulls)
			written += write_bytes(run, column->nulls.data, store->nrows);
	}
	if (layout->nrecord > 0)
	{
		written += write_bytes(run, store->row_starts.data, store->nrows * sizeof(uint32));
		written += write_bytes(run, store->records.data, store->record_bytes);
	}
	gpusort_rows_store_clear(store);
	return written;
}

/* Reads the values and NULLs of an attribute of a block. */
static void
read_attribute(BufFile *file, RowStore *store, int attribute, uint32 at, uint32 nrows)
{
	const RowAttribute *described = &store->layout->attributes[attribute];
	RowColumn  *column = &store->columns[attribute];
	bool		has_nulls;

	read_bytes(file, &has_nulls, sizeof(bool));
	if (described->by_value && !described->is_constant)
		read_bytes(file, column->values.data + (Size) at * described->length, (Size) nrows * described->length);
	if (has_nulls)
	{
		gpusort_rows_store_add_nulls(store, attribute);
		read_bytes(file, column->nulls.data + at, nrows);
	}
	else if (column->has_nulls)
		memset(column->nulls.data + at, false, nrows);
}

/*
 * Reads one of the run's blocks into the store's rows from number `at` on, and their
 * records behind the first *record_bytes bytes of records.  The store must have room for
 * the largest block and a row more.  Returns the number of rows, and adds to
 * *record_bytes.  The store's own counts stay as they are.
 */
uint32
gpusort_rows_run_read(const RowRun *run, int number, RowStore *store, uint32 at, Size *record_bytes)
{
	const RunBlock *block = &run->blocks[number];
	BlockHeader header;

	CHECK_FOR_INTERRUPTS();
	if (BufFileSeek(run->file, block->fileno, block->offset, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek to block %d of sorted rows in a temporary file", number)));
	read_bytes(run->file, &header, sizeof(header));
	for (int i = 0; i < store->layout->natts; i++)
		read_attribute(run->file, store, i, at, header.nrows);
	if (store->layout->nrecord > 0)
	{
		uint32	   *starts = (uint32 *) store->row_starts.data + at;
		uint32		first = *record_bytes / MAXIMUM_ALIGNOF;

		read_bytes(run->file, starts, header.nrows * sizeof(uint32));
		read_bytes(run->file, store->records.data + *record_bytes, header.record_bytes);
		for (uint32 i = 0; first > 0 && i < header.nrows; i++)
			starts[i] += first;
		*record_bytes += header.record_bytes;
		/* The next row's start tells where the last record ends. */
		starts[header.nrows] = *record_bytes / MAXIMUM_ALIGNOF;
	}
	return header.nrows;
}
