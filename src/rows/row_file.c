/*
 * row_file.c
 *	  Rows in the input's order in temporary files, see row_file.h.
 */
#include "postgres.h"

#include "rows/row_block.h"
#include "rows/row_file.h"

#define FILE_PART_BYTES ((int64) 64 * 1024 * 1024)	/* a part is ended when it has this many bytes */

typedef struct FilePart
{
	SpillFile  *file;			/* NULL once dropped */
	int			nblocks;
	int64		bytes;
} FilePart;

RowFile *
gpusort_rows_file_create(void)
{
	return palloc0(sizeof(RowFile));
}

/* The part to which the next block is written. */
static FilePart *
part_to_write(RowFile *file)
{
	FilePart   *part = file->parts == NIL ? NULL : llast(file->parts);

	if (part != NULL && part->bytes < FILE_PART_BYTES)
		return part;
	part = palloc0(sizeof(FilePart));
	part->file = gpusort_rows_spill_create();
	file->parts = lappend(file->parts, part);
	return part;
}

/* Writes the rows of a store as a block. */
void
gpusort_rows_file_append(RowFile *file, const RowStore *store)
{
	FilePart   *part = part_to_write(file);
	Size		bytes = gpusort_rows_block_write(part->file, store);

	part->bytes += bytes;
	part->nblocks++;
	file->bytes += bytes;
	file->nrows += store->nrows;
	file->most_rows = Max(file->most_rows, store->nrows);
	file->most_record_bytes = Max(file->most_record_bytes, store->record_bytes);
}

void
gpusort_rows_file_rewind(RowFile *file)
{
	ListCell   *cell;

	file->part = 0;
	file->block = 0;
	foreach(cell, file->parts)
	{
		FilePart   *part = lfirst(cell);

		gpusort_rows_spill_seek(part->file, 0, gpusort_rows_spill_size(part->file));
	}
}

bool
gpusort_rows_file_next(RowFile *file, RowStore *store)
{
	FilePart   *part;
	BlockHead	head;
	Size		record_bytes = 0;

	if (file->part == list_length(file->parts))
		return false;
	part = list_nth(file->parts, file->part);
	gpusort_rows_store_clear(store);
	gpusort_rows_store_reserve(store, file->most_rows + 1);
	gpusort_rows_store_reserve_records(store, file->most_record_bytes);
	head = gpusort_rows_block_head(part->file);
	store->nrows = gpusort_rows_block_read(part->file, &head, store, 0, &record_bytes);
	store->record_bytes = record_bytes;
	if (++file->block == part->nblocks)
	{
		file->part++;
		file->block = 0;
	}
	return true;
}

/* Closes a part's file, unless it is closed. */
static void
close_part(FilePart *part)
{
	if (part->file != NULL)
		gpusort_rows_spill_close(part->file);
	part->file = NULL;
}

void
gpusort_rows_file_drop_read(RowFile *file)
{
	for (int i = 0; i < file->part; i++)
		close_part(list_nth(file->parts, i));
}

/* Closes all parts. */
void
gpusort_rows_file_close(RowFile *file)
{
	ListCell   *cell;

	foreach(cell, file->parts)
		close_part(lfirst(cell));
	list_free_deep(file->parts);
	pfree(file);
}
