/*
 * row_block.c
 *	  The rows of a store as a block of a temporary file.
 *
 *	  BlockHeader | per attribute: does it have NULLs, values, NULL bytes |
 *	  row starts | records
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_block.h"

#define ROWS_SPAN_BYTES ((Size) 256 * 1024) /* bytes between two questions whether to stop */

typedef struct BlockHeader
{
	Size		nrows;
	Size		record_bytes;
} BlockHeader;

/* Writes bytes and returns how many. */
static Size
write_bytes(SpillFile *file, const void *data, Size bytes)
{
	for (Size done = 0; done < bytes; done += ROWS_SPAN_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		gpusort_rows_spill_write(file, (const char *) data + done, Min(bytes - done, ROWS_SPAN_BYTES));
	}
	return bytes;
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

Size
gpusort_rows_block_write(SpillFile *file, const RowStore *store)
{
	const RowLayout *layout = store->layout;
	BlockHeader header = {store->nrows, store->record_bytes};
	Size		written = write_bytes(file, &header, sizeof(header));

	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		const RowColumn *column = &store->columns[i];

		if (!attribute->is_stored)
			continue;
		written += write_bytes(file, &column->has_nulls, sizeof(bool));
		if (attribute->in_column)
			written += write_bytes(file, column->values.data, (Size) store->nrows * attribute->length);
		if (column->has_nulls)
			written += write_bytes(file, column->nulls.data, store->nrows);
	}
	if (layout->nrecord > 0)
	{
		written += write_bytes(file, store->row_starts.data, (Size) store->nrows * sizeof(uint32));
		written += write_bytes(file, store->records.data, store->record_bytes);
	}
	return written;
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

uint32
gpusort_rows_block_read(SpillFile *file, RowStore *store, uint32 at, Size *record_bytes)
{
	BlockHeader header;

	read_bytes(file, &header, sizeof(header));
	for (int i = 0; i < store->layout->natts; i++)
	{
		if (store->layout->attributes[i].is_stored)
			read_attribute(file, store, i, at, header.nrows);
	}
	if (store->layout->nrecord > 0)
	{
		uint32	   *starts = (uint32 *) store->row_starts.data + at;
		uint32		first = *record_bytes / MAXIMUM_ALIGNOF;

		read_bytes(file, starts, header.nrows * sizeof(uint32));
		read_bytes(file, store->records.data + *record_bytes, header.record_bytes);
		for (uint32 i = 0; first > 0 && i < header.nrows; i++)
			starts[i] += first;
		*record_bytes += header.record_bytes;
		/* The next row's start tells where the last record ends. */
		starts[header.nrows] = *record_bytes / MAXIMUM_ALIGNOF;
	}
	return header.nrows;
}
