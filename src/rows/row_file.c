/*
 * row_file.c
 *	  Rows in the input's order in temporary files, see row_file.h.
 *
 * A block in a file:
 *	  number of rows | per attribute: does it have NULLs, values, NULL bytes
 */
#include "postgres.h"

#include "commands/tablespace.h"
#include "miscadmin.h"
#include "storage/buffile.h"

#include "rows/row_file.h"

#define ROWS_PART_BYTES ((int64) 64 * 1024 * 1024)	/* a part is ended when it has this many bytes */
#define ROWS_SPAN_BYTES ((Size) 256 * 1024) /* bytes between two questions whether to stop */

typedef struct FilePart
{
	BufFile    *file;			/* NULL once dropped */
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

	if (part != NULL && part->bytes < ROWS_PART_BYTES)
		return part;
	part = palloc0(sizeof(FilePart));
	PrepareTempTablespaces();
	part->file = BufFileCreateTemp(false);
	file->parts = lappend(file->parts, part);
	return part;
}

static void
write_bytes(RowFile *file, FilePart *part, char *data, Size bytes)
{
	for (Size done = 0; done < bytes; done += ROWS_SPAN_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		BufFileWrite(part->file, data + done, Min(bytes - done, ROWS_SPAN_BYTES));
	}
	part->bytes += bytes;
	file->bytes += bytes;
}

static void
read_bytes(FilePart *part, char *data, Size bytes)
{
	for (Size done = 0; done < bytes; done += ROWS_SPAN_BYTES)
	{
		Size		n = Min(bytes - done, ROWS_SPAN_BYTES);

		CHECK_FOR_INTERRUPTS();
		if (BufFileRead(part->file, data + done, n) != n)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read %zu bytes of unsorted rows from a temporary file", n)));
	}
}

/* Writes the rows of a store as a block. */
void
gpusort_rows_file_append(RowFile *file, const RowStore *store)
{
	const RowLayout *layout = store->layout;
	FilePart   *part = part_to_write(file);
	uint32		nrows = store->nrows;

	Assert(layout->nrecord == 0);
	write_bytes(file, part, (char *) &nrows, sizeof(nrows));
	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		RowColumn  *column = &store->columns[i];

		if (attribute->is_constant)
			continue;
		write_bytes(file, part, (char *) &column->has_nulls, sizeof(bool));
		write_bytes(file, part, column->values.data, (Size) nrows * attribute->length);
		if (column->has_nulls)
			write_bytes(file, part, column->nulls.data, nrows);
	}
	part->nblocks++;
	file->nrows += nrows;
	file->longest = Max(file->longest, nrows);
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

		if (BufFileSeek(part->file, 0, 0, SEEK_SET) != 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not rewind a temporary file of unsorted rows")));
	}
}

bool
gpusort_rows_file_next(RowFile *file, RowStore *store)
{
	const RowLayout *layout = store->layout;
	FilePart   *part;
	uint32		nrows;

	if (file->part == list_length(file->parts))
		return false;
	part = list_nth(file->parts, file->part);
	read_bytes(part, (char *) &nrows, sizeof(nrows));
	gpusort_rows_store_clear(store);
	gpusort_rows_store_reserve(store, nrows);
	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		RowColumn  *column = &store->columns[i];
		bool		has_nulls;

		if (attribute->is_constant)
			continue;
		read_bytes(part, (char *) &has_nulls, sizeof(bool));
		read_bytes(part, column->values.data, (Size) nrows * attribute->length);
		if (has_nulls)
		{
			gpusort_rows_store_add_nulls(store, i);
			read_bytes(part, column->nulls.data, nrows);
		}
	}
	store->nrows = nrows;
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
		BufFileClose(part->file);
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
