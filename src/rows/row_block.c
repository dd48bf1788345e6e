/*
 * row_block.c
 *	  The rows of a store as a block of a temporary file.
 *
 *	  BlockHead | per attribute: does it have NULLs, values, NULL bytes |
 *	  row starts | records
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_block.h"

#define ROWS_SPAN_BYTES ((Size) 256 * 1024) /* bytes between two questions whether to stop */

static void
write_bytes(SpillFile *file, const void *data, Size bytes)
{
	for (Size done = 0; done < bytes; done += ROWS_SPAN_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		gpusort_rows_spill_write(file, (const char *) data + done, Min(bytes - done, ROWS_SPAN_BYTES));
	}
}

static void
read_bytes(SpillFile *file, void *data, Size bytes)
{
	for (Size done = 0; done < bytes; done += ROWS_SPAN_BYTES)
	{
		Size		n = Min(bytes - done, ROWS_SPAN_BYTES);

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_spill_read(file, (char *) data + done, n);
	}
}

/* Bytes of a store's rows in a file. */
static Size
block_bytes(const RowStore *store)
{
	const RowLayout *layout = store->layout;
	Size		bytes = sizeof(BlockHead);

	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];

		if (!attribute->is_stored)
			continue;
		bytes += sizeof(bool);
		if (attribute->in_column)
			bytes += (Size) store->nrows * attribute->length;
		if (store->columns[i].has_nulls)
			bytes += store->nrows;
	}
	if (layout->nrecord > 0)
		bytes += (Size) store->nrows * sizeof(uint32) + store->record_bytes;
	return bytes;
}

Size
gpusort_rows_block_write(SpillFile *file, const RowStore *store)
{
	const RowLayout *layout = store->layout;
	BlockHead	head = {store->nrows, store->record_bytes, block_bytes(store)};

	write_bytes(file, &head, sizeof(head));
	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		const RowColumn *column = &store->columns[i];

		if (!attribute->is_stored)
			continue;
		write_bytes(file, &column->has_nulls, sizeof(bool));
		if (attribute->in_column)
			write_bytes(file, column->values.data, (Size) store->nrows * attribute->length);
		if (column->has_nulls)
			write_bytes(file, column->nulls.data, store->nrows);
	}
	if (layout->nrecord > 0)
	{
		write_bytes(file, store->row_starts.data, (Size) store->nrows * sizeof(uint32));
		write_bytes(file, store->records.data, store->record_bytes);
	}
	return head.bytes;
}

/* Reads the values and NULLs of an attribute. */
static void
read_attribute(SpillFile *file, RowStore *store, int attribute, uint32 at, uint32 nrows)
{
	const RowAttribute *described = &store->layout->attributes[attribute];
	RowColumn  *column = &store->columns[attribute];
	bool		has_nulls;

	read_bytes(file, &has_nulls, sizeof(bool));
	if (described->in_column)
		read_bytes(file, column->values.data + (Size) at * described->length, (Size) nrows * described->length);
	if (has_nulls)
	{
		gpusort_rows_store_add_nulls(store, attribute);
		read_bytes(file, column->nulls.data + at, nrows);
	}
	else if (column->has_nulls)
		memset(column->nulls.data + at, false, nrows);
}

BlockHead
gpusort_rows_block_head(SpillFile *file)
{
	BlockHead	head;

	read_bytes(file, &head, sizeof(head));
	return head;
}

uint32
gpusort_rows_block_read(SpillFile *file, const BlockHead *head, RowStore *store, uint32 at, Size *record_bytes)
{
	for (int i = 0; i < store->layout->natts; i++)
	{
		if (store->layout->attributes[i].is_stored)
			read_attribute(file, store, i, at, head->nrows);
	}
	if (store->layout->nrecord > 0)
	{
		uint32	   *starts = (uint32 *) store->row_starts.data + at;
		uint32		first = *record_bytes / MAXIMUM_ALIGNOF;

		read_bytes(file, starts, head->nrows * sizeof(uint32));
		read_bytes(file, store->records.data + *record_bytes, head->record_bytes);
		for (uint32 i = 0; first > 0 && i < head->nrows; i++)
			starts[i] += first;
		*record_bytes += head->record_bytes;
		/* The next row's start tells where the last record ends. */
		starts[head->nrows] = *record_bytes / MAXIMUM_ALIGNOF;
	}
	return head->nrows;
}
