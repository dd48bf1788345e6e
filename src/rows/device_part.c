/*
 * device_part.c
 *	  Rows in the memory of one device, see device_part.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "large_memory.h"
#include "rows/device_part.h"

/* The column of a session. */
static uint32
session_column(const PartLayout *layout, int column)
{
	return layout->columns[column].kind == HELD_NUMBERS ? GPUSORT_SESSION_INDEX : column;
}

/* Columns that are appended: numbers, which are not, come last. */
static int
appended_columns(const PartLayout *layout)
{
	return layout->ncolumns - (layout->columns[layout->ncolumns - 1].kind == HELD_NUMBERS);
}

/* The first column that is fetched: the keys only where words may be equal in rows that are not. */
static int
first_fetched(const PartLayout *layout)
{
	return layout->exact ? 1 : 0;
}

DevicePart *
gpusort_rows_device_part_open(RowSort *sort, const PartLayout *layout, int device, uint64 capacity, SortReason *why)
{
	uint8		widths[ROWS_HELD_COLUMNS];
	DeviceSession *session;
	DevicePart *part;

	for (int i = 0; i < layout->ncolumns; i++)
		widths[i] = layout->columns[i].width;
	session = gpusort_session_open(&layout->spec, USED_FOR_ROWS, device, capacity, appended_columns(layout), widths, why);
	if (session == NULL)
		return NULL;
	part = palloc0(sizeof(DevicePart));
	part->sort = sort;
	part->source = appended_columns(layout) < layout->ncolumns ? sort->store : NULL;
	part->layout = layout;
	part->session = session;
	part->capacity = capacity;
	part->verified = gpusort_verify;
	return part;
}

/* A column's rows that go to the device: those that are listed or, if rows is NULL, the first ones. */
typedef struct GivenRows
{
	const uint32 *rows;
	const char *values;
} GivenRows;

/* Writes the next rows. */
static void
give_values(const void *source, uint64_t done, uint64_t nrows, uint32_t width, void *target)
{
	const GivenRows *given = source;

	if (given->rows != NULL)
		gpusort_rows_copy_values(target, given->values, given->rows + done, nrows, width);
	else
		memcpy(target, given->values + done * width, nrows * width);
}

/* The values or NULL bytes of a column in the store. */
static char *
column_data(RowStore *store, const HeldColumn *column)
{
	RowColumn  *held = &store->columns[column->attribute];

	if (column->kind == HELD_VALUES)
		return held->values.data;
	gpusort_rows_store_add_nulls(store, column->attribute);
	return held->nulls.data;
}

bool
gpusort_rows_device_part_append(DevicePart *part, const uint64 *words, const uint32 *rows, uint32 nrows, SortReason *why)
{
	const PartLayout *layout = part->layout;
	RowStore   *store = part->sort->store;

	if (nrows > part->capacity - part->nrows)
	{
		*why = REASON_OUT_OF_MEMORY;
		return false;
	}
	for (int i = 0; i < appended_columns(layout); i++)
	{
		const HeldColumn *column = &layout->columns[i];
		GivenRows	given = {rows, column->kind == HELD_WORDS ? (const char *) words : column_data(store, column)};

		if (!gpusort_session_write(part->session, i, part->nrows, nrows, give_values, &given, why))
			return false;
	}
	part->nrows += nrows;
	return true;
}

uint32
gpusort_rows_device_part_start(const DevicePart *part, uint32 block)
{
	if (part->starts != NULL)
		return part->starts[block];
	return Min((uint64) block * part->layout->block_rows, part->nrows);
}

uint32
gpusort_rows_device_part_block(const DevicePart *part, uint64 row)
{
	uint32		low = 0;
	uint32		high = part->nblocks - 1;

	if (part->starts == NULL)
		return row / part->layout->block_rows;
	while (low < high)
	{
		uint32		middle = low + (high - low + 1) / 2;

		if (part->starts[middle] <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Words in order, divided into blocks. */
typedef struct BlockCut
{
	DevicePart *part;
	uint64		word;			/* of the last row */
	uint32		change;			/* the last row whose word differs from that of the row before */
	bool		too_many;		/* too many rows have the same word */
	pg_crc32c	checksum;		/* of all words */
} BlockCut;

/* Begins blocks where the word changes. */
static void
cut_blocks(const SessionRead *read, uint64_t done, uint64_t nrows, uint32_t width, const void *data)
{
	BlockCut   *cut = read->target;
	DevicePart *part = cut->part;
	const uint64 *words = data;

	COMP_CRC32C(cut->checksum, data, nrows * width);
	for (uint32 i = 0; i < nrows && !cut->too_many; i++)
	{
		uint32		row = done + i;
		uint32		start = part->starts[part->nblocks];

		if (row > 0 && words[i] != cut->word)
			cut->change = row;
		cut->word = words[i];
		if (row - start < part->layout->block_rows)
			continue;
		if (cut->change > start)
			part->starts[++part->nblocks] = cut->change;
		else if (row - start >= part->layout->most_rows)
			cut->too_many = true;
	}
}

/*
 * Divides the rows into blocks that begin where the word changes.  Returns false if too many
 * rows have the same word, or if the device has failed.
 */
static bool
find_starts(DevicePart *part, SortReason *why)
{
	BlockCut	cut = {.part = part};
	const SessionRead words = {.column = 0, .nrows = part->nrows, .target = &cut};

	INIT_CRC32C(cut.checksum);
	part->starts = MemoryContextAllocHuge(part->sort->context, (2 * (Size) part->nblocks + 4) * sizeof(uint32));
	part->starts[0] = 0;
	part->nblocks = 0;
	if (!gpusort_session_read(part->session, &words, 1, cut_blocks, why))
		return false;
	part->starts[++part->nblocks] = part->nrows;
	part->all_words = cut.checksum;
	if (cut.too_many)
		*why = REASON_TOO_MANY_TIES;
	return !cut.too_many;
}

/* A column that is fetched: where its rows go, and the checksum of the block that they belong to. */
typedef struct FetchedColumn
{
	const DevicePart *part;
	char	   *target;			/* NULL if they are only to be checked */
	pg_crc32c  *checksums;		/* of blocks, that of `first_block` first; NULL if they are not wanted */
	uint32		first_block;
	uint32		block;
	pg_crc32c  *all;			/* checksum of all rows, or NULL */
} FetchedColumn;

/* Copies rows to their target, and adds them to the checksums. */
static void
take_rows(const SessionRead *read, uint64_t done, uint64_t nrows, uint32_t width, const void *data)
{
	FetchedColumn *column = read->target;
	uint64		row = read->first_row + done;

	if (column->target != NULL)
		memcpy(column->target + done * width, data, nrows * width);
	if (column->checksums == NULL)
		return;
	if (column->all != NULL)
		COMP_CRC32C(*column->all, data, nrows * width);
	while (nrows > 0)
	{
		pg_crc32c  *checksum = &column->checksums[column->block - column->first_block];
		uint64		end = gpusort_rows_device_part_start(column->part, column->block + 1);
		uint64		n = Min(nrows, end - row);

		if (row == gpusort_rows_device_part_start(column->part, column->block))
			INIT_CRC32C(*checksum);
		COMP_CRC32C(*checksum, data, n * width);
		if (row + n == end)
		{
			FIN_CRC32C(*checksum);
			column->block++;
		}
		row += n;
		nrows -= n;
		data = (const char *) data + n * width;
	}
}

/*
 * Fetches all columns once, which proves that they are right, and keeps the blocks' checksums.
 * The words were proved when they were fetched to find the blocks, so they must be the same again.
 */
static bool
prove(DevicePart *part, ShownSortId progress, SortReason *why)
{
	const PartLayout *layout = part->layout;
	pg_crc32c	all_words;

	INIT_CRC32C(all_words);
	part->checksums = MemoryContextAllocHuge(part->sort->context,
											 (Size) layout->ncolumns * part->nblocks * sizeof(pg_crc32c));
	for (int i = first_fetched(layout); i < layout->ncolumns; i++)
	{
		FetchedColumn column = {.part = part, .checksums = &part->checksums[(Size) i * part->nblocks]};
		const SessionRead read = {.column = session_column(layout, i), .nrows = part->nrows, .target = &column};

		if (layout->columns[i].kind == HELD_WORDS)
			column.all = &all_words;
		gpusort_progress_update(progress, SORT_PHASE_FETCHING, i, layout->ncolumns);
		if (!gpusort_session_read(part->session, &read, 1, take_rows, why))
			return false;
	}
	if (layout->exact || EQ_CRC32C(all_words, part->all_words))
		return true;
	*why = REASON_NOT_VERIFIED;
	return false;
}

/* Where the rows of a column go in the store, which has space for them. */
static char *
target_of(DevicePart *part, const HeldColumn *column, uint32 nrows)
{
	RowStore   *store = part->sort->store;

	if (column->kind == HELD_NUMBERS)
		return store->row_starts.data;
	if (column->kind != HELD_WORDS)
		return column_data(store, column);
	gpusort_rows_buffer_reserve(part->sort->context, &part->words, (Size) nrows * column->width);
	return part->words.data;
}

/* Replaces the numbers of the store's rows by the places of their records. */
static void
share_records(const RowStore *source, RowStore *store)
{
	uint32	   *starts = (uint32 *) store->row_starts.data;

	for (uint32 row = 0; row < store->nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		starts[row] = ((const uint32 *) source->row_starts.data)[starts[row]];
	}
	store->records = source->records;
	store->record_bytes = source->record_bytes / source->nrows * store->nrows;
}

/* Fetches the rows of a block into the store. */
static bool
fetch_block(DevicePart *part, uint32 block, SortReason *why)
{
	const PartLayout *layout = part->layout;
	RowStore   *store = part->sort->store;
	uint32		first = gpusort_rows_device_part_start(part, block);
	uint32		nrows = gpusort_rows_device_part_start(part, block + 1) - first;
	int			from = first_fetched(layout);
	SessionRead reads[ROWS_HELD_COLUMNS];
	FetchedColumn columns[ROWS_HELD_COLUMNS];
	pg_crc32c	checksums[ROWS_HELD_COLUMNS];

	gpusort_rows_store_clear(store);
	gpusort_rows_store_reserve(store, nrows);
	for (int i = from; i < layout->ncolumns; i++)
	{
		columns[i] = (FetchedColumn) {part, target_of(part, &layout->columns[i], nrows)};
		columns[i].first_block = columns[i].block = block;
		columns[i].checksums = part->verified ? &checksums[i] : NULL;
		reads[i] = (SessionRead) {session_column(layout, i), first, nrows, &columns[i]};
	}
	if (!gpusort_session_read(part->session, reads + from, layout->ncolumns - from, take_rows, why))
		return false;
	for (int i = from; part->verified && i < layout->ncolumns; i++)
	{
		if (!EQ_CRC32C(checksums[i], part->checksums[(Size) i * part->nblocks + block]))
		{
			*why = REASON_NOT_VERIFIED;
			return false;
		}
	}
	store->nrows = nrows;
	if (part->source != NULL)
		share_records(part->source, store);
	return true;
}

bool
gpusort_rows_device_part_sort(DevicePart *part, ShownSortId progress, SortReason *why)
{
	if (part->nrows == 0)
		return true;
	part->nblocks = (part->nrows + part->layout->block_rows - 1) / part->layout->block_rows;
	gpusort_progress_update(progress, SORT_PHASE_SORTING, 0, 1);
	return gpusort_session_sort(part->session, part->nrows, why) &&
		(part->layout->exact || find_starts(part, why)) &&
		(!part->verified || prove(part, progress, why));
}

/* Sets sort->order to the order of the rows in the store, of which only those of equal words may not be in order. */
static void
order_block(DevicePart *part)
{
	RowSort    *sort = part->sort;
	uint32		nrows = sort->store->nrows;
	const uint64 *words = (const uint64 *) part->words.data;
	uint32		end;

	sort->order = NULL;
	if (part->layout->exact)
		return;
	gpusort_rows_order_as_stored(sort);
	for (uint32 start = 0; start < nrows; start = end)
	{
		for (end = start + 1; end < nrows && words[end] == words[start]; end++)
			;
		if (end - start > 1)
			gpusort_rows_order_tie(sort, sort->order + start, end - start, part->layout->nexact);
	}
}

bool
gpusort_rows_device_part_load(DevicePart *part, uint32 block, SortReason *why)
{
	if (!fetch_block(part, block, why))
		return false;
	order_block(part);
	return true;
}

void
gpusort_rows_device_part_close(DevicePart *part)
{
	if (part->session != NULL)
		gpusort_session_close(part->session);
	part->session = NULL;
}

void
gpusort_rows_device_part_free(DevicePart *part)
{
	gpusort_rows_device_part_close(part);
	gpusort_rows_buffer_release(&part->words);
	if (part->starts != NULL)
		pfree(part->starts);
	if (part->checksums != NULL)
		pfree(part->checksums);
	pfree(part);
}
