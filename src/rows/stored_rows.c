/*
 * stored_rows.c
 *	  Rows outside a store, see stored_rows.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "large_memory.h"
#include "rows/stored_rows.h"

#define STORED_SPAN 1024		/* values that are gathered for a file at a time */

/* Where rows are written. */
typedef struct RowSink
{
	char	   *memory;			/* the next byte; NULL: the end of the file */
	SpillFile  *file;
} RowSink;

/* Some rows of a store: those that are listed or, without a list, nrows from `first` on. */
typedef struct WrittenRows
{
	const RowStore *store;
	const uint32 *rows;
	uint32		first;
	uint32		nrows;
	uint32	   *starts;			/* where their records will begin, and where the last one ends; NULL without records */
} WrittenRows;

/* Bytes of n values, so that what lies behind them is aligned. */
static Size
array_bytes(Size n, Size width)
{
	return MAXALIGN(n * width);
}

static Size
head_bytes(const RowLayout *layout)
{
	return offsetof(StoredRows, has_nulls) + layout->natts * sizeof(bool);
}

/* The number of a row that is written. */
static inline uint32
listed(const WrittenRows *written, uint32 i)
{
	return written->rows != NULL ? written->rows[i] : written->first + i;
}

/* Finds where the records will begin. */
static uint32 *
find_starts(const WrittenRows *written)
{
	uint32	   *starts = MemoryContextAllocHuge(CurrentMemoryContext, (written->nrows + (Size) 1) * sizeof(uint32));

	starts[0] = 0;
	for (uint32 i = 0; i < written->nrows; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		starts[i + 1] = starts[i] + gpusort_rows_store_record_size(written->store, listed(written, i)) / MAXIMUM_ALIGNOF;
	}
	return starts;
}

/* Describes rows that will be written. */
static void
describe(StoredRows *stored, WrittenRows *written)
{
	const RowStore *store = written->store;
	const RowLayout *layout = store->layout;

	memset(stored, 0, head_bytes(layout));
	stored->nrows = written->nrows;
	stored->word_kind = store->word_kind;
	if (stored->word_kind != 0)
		stored->bytes = array_bytes(stored->nrows, sizeof(uint64));
	for (int i = 0; i < layout->natts; i++)
	{
		stored->has_nulls[i] = store->columns[i].has_nulls;
		if (layout->attributes[i].in_column)
			stored->bytes += array_bytes(stored->nrows, layout->attributes[i].length);
		if (stored->has_nulls[i])
			stored->bytes += array_bytes(stored->nrows, sizeof(bool));
	}
	if (layout->nrecord == 0)
		return;
	written->starts = find_starts(written);
	stored->record_bytes = (Size) written->starts[written->nrows] * MAXIMUM_ALIGNOF;
	stored->bytes += array_bytes(stored->nrows + (Size) 1, sizeof(uint32)) + stored->record_bytes;
}

static void
write_bytes(RowSink *sink, const void *data, Size bytes)
{
	if (sink->memory == NULL)
		gpusort_rows_spill_write(sink->file, data, bytes);
	else
	{
		memcpy(sink->memory, data, bytes);
		sink->memory += bytes;
	}
}

/* Ends an array of so many bytes. */
static void
pad(RowSink *sink, Size bytes)
{
	write_bytes(sink, (const char[MAXIMUM_ALIGNOF]) {0}, MAXALIGN(bytes) - bytes);
}

static void
write_column(RowSink *sink, const char *values, int16 length, const WrittenRows *written)
{
	uint32		nrows = written->nrows;
	uint64		gathered[STORED_SPAN];

	if (written->rows == NULL)
		write_bytes(sink, values + (Size) written->first * length, (Size) nrows * length);
	else if (sink->memory != NULL)
	{
		gpusort_rows_copy_values(sink->memory, values, written->rows, nrows, length);
		sink->memory += (Size) nrows * length;
	}
	else
		for (uint32 done = 0; done < nrows; done += STORED_SPAN)
		{
			uint32		n = Min(STORED_SPAN, nrows - done);

			gpusort_rows_copy_values((char *) gathered, values, written->rows + done, n, length);
			write_bytes(sink, gathered, (Size) n * length);
		}
	pad(sink, (Size) nrows * length);
}

static void
write_records(RowSink *sink, const WrittenRows *written)
{
	const RowStore *store = written->store;
	const uint32 *starts = written->starts;
	uint32		nrows = written->nrows;

	if (written->rows == NULL && starts[nrows] > 0)
		write_bytes(sink, gpusort_rows_record(store, written->first), (Size) starts[nrows] * MAXIMUM_ALIGNOF);
	for (uint32 i = 0; written->rows != NULL && i < nrows; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (i + ROWS_PREFETCH < nrows)
			__builtin_prefetch(gpusort_rows_record(store, written->rows[i + ROWS_PREFETCH]));
		if (starts[i + 1] > starts[i])
			write_bytes(sink, gpusort_rows_record(store, written->rows[i]), (Size) (starts[i + 1] - starts[i]) * MAXIMUM_ALIGNOF);
	}
}

static void
write_rows(RowSink *sink, const StoredRows *stored, const WrittenRows *written)
{
	const RowLayout *layout = written->store->layout;

	if (stored->word_kind != 0)
		write_column(sink, written->store->words.data, sizeof(uint64), written);
	for (int i = 0; i < layout->natts; i++)
	{
		const RowColumn *column = &written->store->columns[i];

		if (layout->attributes[i].in_column)
			write_column(sink, column->values.data, layout->attributes[i].length, written);
		if (stored->has_nulls[i])
			write_column(sink, column->nulls.data, sizeof(bool), written);
	}
	if (layout->nrecord > 0)
	{
		write_bytes(sink, written->starts, (written->nrows + (Size) 1) * sizeof(uint32));
		pad(sink, (written->nrows + (Size) 1) * sizeof(uint32));
		write_records(sink, written);
		pfree(written->starts);
	}
}

dsa_pointer
gpusort_stored_rows_write(dsa_area *area, SpillFile *file, int participant, const RowStore *store, const uint32 *rows,
						  uint32 nrows)
{
	dsa_pointer pointer = dsa_allocate(area, head_bytes(store->layout));
	StoredRows *stored = dsa_get_address(area, pointer);
	WrittenRows written = {store, rows, 0, nrows};
	RowSink		sink = {.file = file};

	describe(stored, &written);
	stored->participant = file ? participant : -1;
	if (file != NULL)
		stored->place = gpusort_rows_spill_size(file);
	else
	{
		stored->memory = dsa_allocate_extended(area, Max(stored->bytes, 1), DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);
		if (!DsaPointerIsValid(stored->memory))
		{
			dsa_free(area, pointer);
			if (written.starts != NULL)
				pfree(written.starts);
			return InvalidDsaPointer;
		}
		sink.memory = dsa_get_address(area, stored->memory);
		gpusort_map_pages(sink.memory, stored->bytes);
	}
	write_rows(&sink, stored, &written);
	return pointer;
}

Size
gpusort_stored_rows_append(SpillFile *file, const RowStore *store, const uint32 *rows, uint32 first, uint32 nrows)
{
	StoredRows *stored = palloc(head_bytes(store->layout));
	WrittenRows written = {store, rows, first, nrows};
	RowSink		sink = {.file = file};
	Size		bytes;

	describe(stored, &written);
	stored->bytes += head_bytes(store->layout);
	bytes = stored->record_bytes;
	write_bytes(&sink, stored, head_bytes(store->layout));
	write_rows(&sink, stored, &written);
	pfree(stored);
	return bytes;
}

/* Where rows are read. */
typedef struct RowSource
{
	const StoredRows *stored;
	dsa_area   *area;			/* NULL if they are in the file */
	SpillFile  *file;
	int64		end;			/* of what will be read of the file soon */
} RowSource;

/* Reads bytes from an offset on. */
static void
read_bytes(const RowSource *source, Size offset, void *data, Size bytes)
{
	int64		place = source->stored->place + offset;

	if (source->file == NULL)
	{
		memcpy(data, (char *) dsa_get_address(source->area, source->stored->memory) + offset, bytes);
		return;
	}
	gpusort_rows_spill_seek(source->file, place, Max(source->end, place + (int64) bytes));
	gpusort_rows_spill_read(source->file, data, bytes);
}

/* Reads the records of n rows and has the store's rows from number `at` on begin with them. */
static void
read_records(const RowSource *source, Size offset, uint32 first, uint32 n, RowStore *store)
{
	uint32	   *starts = (uint32 *) store->row_starts.data + store->nrows;
	uint32		moved;
	Size		place;
	Size		bytes;

	read_bytes(source, offset + first * sizeof(uint32), starts, (n + (Size) 1) * sizeof(uint32));
	place = (Size) starts[0] * MAXIMUM_ALIGNOF;
	bytes = (Size) starts[n] * MAXIMUM_ALIGNOF - place;
	gpusort_rows_store_reserve_records(store, bytes);
	read_bytes(source, offset + array_bytes(source->stored->nrows + (Size) 1, sizeof(uint32)) + place,
			   store->records.data + store->record_bytes, bytes);
	moved = store->record_bytes / MAXIMUM_ALIGNOF - starts[0];
	for (uint32 i = 0; i <= n; i++)
		starts[i] += moved;
	store->record_bytes += bytes;
}

/* Reads the words of n rows, as long as all rows of the store have words of one kind.  Returns the bytes of all. */
static Size
read_words(const RowSource *source, uint32 first, uint32 n, RowStore *store)
{
	const StoredRows *stored = source->stored;

	store->word_kind = store->nrows == 0 || store->word_kind == stored->word_kind ? stored->word_kind : 0;
	if (store->word_kind != 0)
	{
		gpusort_rows_buffer_reserve(store->memory, &store->words, store->capacity * sizeof(uint64));
		read_bytes(source, first * sizeof(uint64), store->words.data + store->nrows * sizeof(uint64), n * sizeof(uint64));
	}
	return stored->word_kind != 0 ? array_bytes(stored->nrows, sizeof(uint64)) : 0;
}

/* Appends rows first .. first + n - 1 to a store. */
static void
read_rows(const RowSource *source, uint32 first, uint32 n, RowStore *store)
{
	const StoredRows *stored = source->stored;
	const RowLayout *layout = store->layout;
	Size		offset;

	gpusort_rows_store_reserve(store, store->nrows + n + 1);
	offset = read_words(source, first, n, store);
	for (int i = 0; i < layout->natts; i++)
	{
		RowColumn  *column = &store->columns[i];
		Size		length = layout->attributes[i].length;

		if (layout->attributes[i].in_column)
		{
			read_bytes(source, offset + first * length, column->values.data + store->nrows * length, n * length);
			offset += array_bytes(stored->nrows, length);
		}
		if (stored->has_nulls[i])
		{
			gpusort_rows_store_add_nulls(store, i);
			read_bytes(source, offset + first, column->nulls.data + store->nrows, n);
			offset += array_bytes(stored->nrows, sizeof(bool));
		}
		else if (column->has_nulls)
			memset(column->nulls.data + store->nrows, false, n);
	}
	if (layout->nrecord > 0)
		read_records(source, offset, first, n, store);
	store->nrows += n;
}

void
gpusort_stored_rows_read(dsa_area *area, SpillFile *file, const StoredRows *stored, uint32 first, uint32 n, RowStore *store)
{
	RowSource	source = {stored, area, file};

	read_rows(&source, first, n, store);
}

void
gpusort_stored_rows_head(SpillFile *file, int64 place, int64 end, StoredRows *head)
{
	gpusort_rows_spill_seek(file, place, end);
	gpusort_rows_spill_read(file, head, offsetof(StoredRows, has_nulls));
}

void
gpusort_stored_rows_load(SpillFile *file, int64 place, int64 end, RowStore *store)
{
	StoredRows *stored = palloc(head_bytes(store->layout));
	RowSource	source = {stored, NULL, file, end};

	gpusort_rows_spill_seek(file, place, end);
	gpusort_rows_spill_read(file, stored, head_bytes(store->layout));
	stored->place = place + head_bytes(store->layout);
	read_rows(&source, 0, stored->nrows, store);
	pfree(stored);
}

RowStore *
gpusort_stored_rows_view(dsa_area *area, const StoredRows *stored, const RowLayout *layout)
{
	RowStore   *view = gpusort_rows_store_create(NULL, layout);
	char	   *next = dsa_get_address(area, stored->memory);

	Assert(stored->participant < 0);
	view->word_kind = stored->word_kind;
	if (view->word_kind != 0)
	{
		view->words.data = next;
		next += array_bytes(stored->nrows, sizeof(uint64));
	}
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
		view->records.data = next + array_bytes(stored->nrows + (Size) 1, sizeof(uint32));
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
