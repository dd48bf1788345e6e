/*
 * stored_rows.c
 *	  Rows in their order where other processes read them, see stored_rows.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "large_memory.h"
#include "rows/stored_rows.h"

#define STORED_SPAN ((Size) 64 * 1024)	/* bytes of a column that are gathered for a file at a time */

/* Where rows are written. */
typedef struct RowSink
{
	char	   *memory;			/* the next byte; NULL: the end of the file */
	SpillFile  *file;
	char	   *buffer;			/* STORED_SPAN bytes, for the file */
} RowSink;

/* Bytes of n values, so that what lies behind them is aligned. */
static Size
array_bytes(Size n, Size width)
{
	return MAXALIGN(n * width);
}

static Size
listed_record_bytes(const RowStore *store, const uint32 *rows, uint32 nrows)
{
	Size		bytes = 0;

	if (nrows == store->nrows)
		return store->record_bytes;
	for (uint32 i = 0; i < nrows; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		bytes += gpusort_rows_store_record_size(store, rows[i]);
	}
	return bytes;
}

static Size
stored_bytes(const StoredRows *stored, const RowLayout *layout)
{
	Size		bytes = 0;

	for (int i = 0; i < layout->natts; i++)
	{
		if (layout->attributes[i].in_column)
			bytes += array_bytes(stored->nrows, layout->attributes[i].length);
		if (stored->has_nulls[i])
			bytes += array_bytes(stored->nrows, sizeof(bool));
	}
	if (layout->nrecord > 0)
		bytes += array_bytes(stored->nrows + 1, sizeof(uint32)) + stored->record_bytes;
	return bytes;
}

static void
write_bytes(RowSink *sink, const void *data, Size bytes)
{
	if (sink->memory != NULL)
	{
		memcpy(sink->memory, data, bytes);
		sink->memory += bytes;
	}
	else
		gpusort_rows_spill_write(sink->file, data, bytes);
}

/* Ends an array of so many bytes. */
static void
pad(RowSink *sink, Size bytes)
{
	write_bytes(sink, (const char[MAXIMUM_ALIGNOF]) {0}, MAXALIGN(bytes) - bytes);
}

static void
write_column(RowSink *sink, const char *values, int16 length, const uint32 *rows, uint32 nrows)
{
	uint32		span = sink->memory != NULL ? nrows : STORED_SPAN / length;

	if (rows == NULL)
		write_bytes(sink, values, (Size) nrows * length);
	for (uint32 done = 0; rows != NULL && done < nrows; done += span)
	{
		uint32		n = Min(span, nrows - done);

		gpusort_rows_copy_values(sink->memory != NULL ? sink->memory : sink->buffer, 0, values, rows + done, n, length);
		if (sink->memory != NULL)
			sink->memory += (Size) n * length;
		else
			gpusort_rows_spill_write(sink->file, sink->buffer, (Size) n * length);
	}
	pad(sink, (Size) nrows * length);
}

/* The number of a row that is written. */
static inline uint32
listed(const uint32 *rows, uint32 i)
{
	return rows != NULL ? rows[i] : i;
}

/* Writes where the records will begin, and where the last one ends. */
static void
write_starts(RowSink *sink, const RowStore *store, const uint32 *rows, uint32 nrows)
{
	uint32		start = 0;

	for (uint32 i = 0; i < nrows; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		write_bytes(sink, &start, sizeof(start));
		start += gpusort_rows_store_record_size(store, listed(rows, i)) / MAXIMUM_ALIGNOF;
	}
	write_bytes(sink, &start, sizeof(start));
	pad(sink, (nrows + (Size) 1) * sizeof(start));
}

static void
write_records(RowSink *sink, const RowStore *store, const uint32 *rows, uint32 nrows)
{
	for (uint32 i = 0; i < nrows; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (i + ROWS_PREFETCH < nrows)
			__builtin_prefetch(gpusort_rows_record(store, listed(rows, i + ROWS_PREFETCH)));
		write_bytes(sink, gpusort_rows_record(store, listed(rows, i)), gpusort_rows_store_record_size(store, listed(rows, i)));
	}
}

static void
write_rows(RowSink *sink, const StoredRows *stored, const RowStore *store, const uint32 *rows)
{
	const RowLayout *layout = store->layout;

	for (int i = 0; i < layout->natts; i++)
	{
		if (layout->attributes[i].in_column)
			write_column(sink, store->columns[i].values.data, layout->attributes[i].length, rows, stored->nrows);
		if (stored->has_nulls[i])
			write_column(sink, store->columns[i].nulls.data, sizeof(bool), rows, stored->nrows);
	}
	if (layout->nrecord > 0)
	{
		write_starts(sink, store, rows, stored->nrows);
		write_records(sink, store, rows, stored->nrows);
	}
}

dsa_pointer
gpusort_stored_rows_write(dsa_area *area, SpillFile *file, int participant, const RowStore *store, const uint32 *rows,
						  uint32 nrows)
{
	const RowLayout *layout = store->layout;
	dsa_pointer pointer = dsa_allocate0(area, offsetof(StoredRows, has_nulls) + layout->natts * sizeof(bool));
	StoredRows *stored = dsa_get_address(area, pointer);
	RowSink		sink = {.file = file};

	stored->nrows = nrows;
	stored->participant = file ? participant : -1;
	for (int i = 0; i < layout->natts; i++)
		stored->has_nulls[i] = store->columns[i].has_nulls;
	if (layout->nrecord > 0)
		stored->record_bytes = listed_record_bytes(store, rows, nrows);
	stored->bytes = stored_bytes(stored, layout);
	if (file != NULL)
	{
		sink.buffer = palloc(STORED_SPAN);
		stored->place = gpusort_rows_spill_size(file);
	}
	else
	{
		stored->memory = dsa_allocate_extended(area, Max(stored->bytes, 1), DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);
		if (!DsaPointerIsValid(stored->memory))
		{
			dsa_free(area, pointer);
			return InvalidDsaPointer;
		}
		sink.memory = dsa_get_address(area, stored->memory);
	}
	write_rows(&sink, stored, store, rows);
	if (sink.buffer != NULL)
		pfree(sink.buffer);
	return pointer;
}

/* Reads bytes from an offset on. */
static void
read_bytes(dsa_area *area, SpillFile *file, const StoredRows *stored, Size offset, void *data, Size bytes)
{
	if (bytes == 0)
		return;
	if (stored->participant < 0)
	{
		memcpy(data, (char *) dsa_get_address(area, stored->memory) + offset, bytes);
		return;
	}
	CHECK_FOR_INTERRUPTS();
	gpusort_rows_spill_seek(file, stored->place + offset, stored->place + offset + bytes);
	gpusort_rows_spill_read(file, data, bytes);
}

/* Reads the records of n rows and has the store's rows from number `at` on begin with them. */
static void
read_records(dsa_area *area, SpillFile *file, const StoredRows *stored, Size offset, uint32 first, uint32 n, RowStore *store)
{
	uint32	   *starts = (uint32 *) store->row_starts.data + store->nrows;
	uint32		moved;
	Size		place;
	Size		bytes;

	read_bytes(area, file, stored, offset + first * sizeof(uint32), starts, (n + (Size) 1) * sizeof(uint32));
	place = (Size) starts[0] * MAXIMUM_ALIGNOF;
	bytes = (Size) starts[n] * MAXIMUM_ALIGNOF - place;
	gpusort_rows_store_reserve_records(store, bytes);
	read_bytes(area, file, stored, offset + array_bytes(stored->nrows + 1, sizeof(uint32)) + place,
			   store->records.data + store->record_bytes, bytes);
	moved = store->record_bytes / MAXIMUM_ALIGNOF - starts[0];
	for (uint32 i = 0; i <= n; i++)
		starts[i] += moved;
	store->record_bytes += bytes;
}

void
gpusort_stored_rows_read(dsa_area *area, SpillFile *file, const StoredRows *stored, uint32 first, uint32 n, RowStore *store)
{
	const RowLayout *layout = store->layout;
	Size		offset = 0;

	gpusort_rows_store_reserve(store, store->nrows + n + 1);
	for (int i = 0; i < layout->natts; i++)
	{
		RowColumn  *column = &store->columns[i];
		Size		length = layout->attributes[i].length;

		if (layout->attributes[i].in_column)
		{
			read_bytes(area, file, stored, offset + first * length, column->values.data + store->nrows * length, n * length);
			offset += array_bytes(stored->nrows, length);
		}
		if (stored->has_nulls[i])
		{
			gpusort_rows_store_add_nulls(store, i);
			read_bytes(area, file, stored, offset + first, column->nulls.data + store->nrows, n);
			offset += array_bytes(stored->nrows, sizeof(bool));
		}
		else if (column->has_nulls)
			memset(column->nulls.data + store->nrows, false, n);
	}
	if (layout->nrecord > 0)
		read_records(area, file, stored, offset, first, n, store);
	store->nrows += n;
}

RowStore *
gpusort_stored_rows_view(dsa_area *area, const StoredRows *stored, const RowLayout *layout)
{
	RowStore   *view = gpusort_rows_store_create(NULL, layout);
	char	   *next = dsa_get_address(area, stored->memory);

	Assert(stored->participant < 0);
	for (int i = 0; i < layout->natts; i++)
	{
		RowColumn  *column = &view->columns[i];

		if (layout->attributes[i].in_column)
		{
			column->values.data = next;
			next += array_bytes(stored->nrows, layout->attributes[i].length);
		}
		column->has_nulls = stored->has_nulls[i];
		if (column->has_nulls)
		{
			column->nulls.data = next;
			next += array_bytes(stored->nrows, sizeof(bool));
		}
	}
	if (layout->nrecord > 0)
	{
		view->row_starts.data = next;
		view->records.data = next + array_bytes(stored->nrows + 1, sizeof(uint32));
		view->record_bytes = stored->record_bytes;
	}
	view->nrows = stored->nrows;
	return view;
}

void
gpusort_stored_rows_free(dsa_area *area, dsa_pointer pointer)
{
	StoredRows *stored = dsa_get_address(area, pointer);

	if (DsaPointerIsValid(stored->memory))
		dsa_free(area, stored->memory);
	dsa_free(area, pointer);
}
