/*
 * device_part.c
 *	  Rows in the memory of one device, see device_part.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "rows/device_part.h"

DevicePart *
gpusort_rows_part_open(RowSort *sort, const PartLayout *layout, int device, uint64 capacity, SortReason *why)
{
	DeviceSession *session = gpusort_session_open(&layout->spec, USED_FOR_ROWS, device, capacity, layout->ncolumns + 1,
												  layout->widths, why);
	DevicePart *part;

	if (session == NULL)
		return NULL;
	part = palloc0(sizeof(DevicePart));
	part->sort = sort;
	part->layout = layout;
	part->session = session;
	part->capacity = capacity;
	part->verified = gpusort_verify;
	return part;
}

/* Where the store has a column. */
static char *
column_data(const DevicePart *part, const HeldColumn *column)
{
	RowColumn  *held = &part->sort->store->columns[column->attribute];

	return column->is_nulls ? held->nulls.data : held->values.data;
}

/* Appends values of the first nrows rows, or of those that are listed, to a column of the session. */
static bool
append_column(DevicePart *part, int number, const char *values, const uint32 *rows, uint32 nrows, SortReason *why)
{
	if (rows != NULL)
	{
		gpusort_rows_copy_values(part->gathered.data, 0, values, rows, nrows, part->layout->widths[number]);
		values = part->gathered.data;
	}
	return gpusort_session_append(part->session, number, part->nrows, nrows, values, why);
}

bool
gpusort_rows_part_append(DevicePart *part, const char *keys, const uint32 *rows, uint32 nrows, SortReason *why)
{
	const PartLayout *layout = part->layout;

	if (nrows > part->capacity - part->nrows)
	{
		*why = REASON_OUT_OF_MEMORY;
		return false;
	}
	if (rows != NULL)
		gpusort_rows_buffer_reserve(part->sort->memory, &part->gathered, (Size) nrows * sizeof(Datum));
	if (!append_column(part, 0, keys, rows, nrows, why))
		return false;
	for (int i = 0; i < layout->ncolumns; i++)
	{
		const HeldColumn *column = &layout->columns[i];

		if (column->is_nulls)
			gpusort_rows_store_add_nulls(part->sort->store, column->attribute);
		if (!append_column(part, i + 1, column_data(part, column), rows, nrows, why))
			return false;
	}
	part->nrows += nrows;
	return true;
}

uint32
gpusort_rows_part_start(const DevicePart *part, uint32 block)
{
	if (part->starts != NULL)
		return part->starts[block];
	return Min((uint64) block * part->layout->block_rows, part->nrows);
}

uint32
gpusort_rows_part_block(const DevicePart *part, uint64 row)
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
} BlockCut;

/* Begins blocks where the word changes. */
static void
cut_blocks(const SessionRead *read, uint64_t done, uint64_t nrows, uint32_t width, const void *data)
{
	BlockCut   *cut = read->target;
	DevicePart *part = cut->part;
	const uint64 *words = data;

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
		else if (row - start >= 2 * part->layout->block_rows)
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

	part->starts = MemoryContextAllocHuge(part->sort->context, (2 * (Size) part->nblocks + 4) * sizeof(uint32));
	part->starts[0] = 0;
	part->nblocks = 0;
	if (!gpusort_session_read(part->session, &words, 1, cut_blocks, why))
		return false;
	part->starts[++part->nblocks] = part->nrows;
	if (cut.too_many)
		*why = REASON_TOO_MANY_TIES;
	return !cut.too_many;
}

/* Checksums of a column's blocks, and the block whose rows come next. */
typedef struct ColumnProof
{
	const DevicePart *part;
	pg_crc32c  *checksums;
	uint32		block;
} ColumnProof;

/* Adds rows to the checksums of their blocks. */
static void
add_to_proof(const SessionRead *read, uint64_t done, uint64_t nrows, uint32_t width, const void *data)
{
	ColumnProof *proof = read->target;

	while (nrows > 0)
	{
		pg_crc32c  *checksum = &proof->checksums[proof->block];
		uint64		end = gpusort_rows_part_start(proof->part, proof->block + 1);
		uint64		n = Min(nrows, end - done);

		if (done == gpusort_rows_part_start(proof->part, proof->block))
			INIT_CRC32C(*checksum);
		COMP_CRC32C(*checksum, data, n * width);
		if (done + n == end)
		{
			FIN_CRC32C(*checksum);
			proof->block++;
		}
		done += n;
		nrows -= n;
		data = (const char *) data + n * width;
	}
}

/* Fetches all columns once, which proves that they are right, and keeps the blocks' checksums. */
static bool
prove(DevicePart *part, ShownSortId progress, SortReason *why)
{
	part->checksums = MemoryContextAllocHuge(part->sort->context,
											 (Size) part->layout->ncolumns * part->nblocks * sizeof(pg_crc32c));
	for (int i = 0; i < part->layout->ncolumns; i++)
	{
		ColumnProof proof = {part, &part->checksums[(Size) i * part->nblocks]};
		const SessionRead read = {.column = i + 1, .nrows = part->nrows, .target = &proof};

		gpusort_progress_update(progress, SORT_PHASE_FETCHING, i, part->layout->ncolumns);
		if (!gpusort_session_read(part->session, &read, 1, add_to_proof, why))
			return false;
	}
	return true;
}

/* True if a block's column is what it was when it was proved. */
static bool
is_proved(const DevicePart *part, int column, uint32 block)
{
	Size		nrows = gpusort_rows_part_start(part, block + 1) - gpusort_rows_part_start(part, block);
	pg_crc32c	checksum;

	INIT_CRC32C(checksum);
	COMP_CRC32C(checksum, column_data(part, &part->layout->columns[column]), nrows * part->layout->widths[column + 1]);
	FIN_CRC32C(checksum);
	return EQ_CRC32C(checksum, part->checksums[(Size) column * part->nblocks + block]);
}

/* Fetches the rows of a block into the store. */
static bool
fetch_block(DevicePart *part, uint32 block, SortReason *why)
{
	RowStore   *store = part->sort->store;
	uint32		first = gpusort_rows_part_start(part, block);
	uint32		nrows = gpusort_rows_part_start(part, block + 1) - first;
	SessionRead reads[GPUSORT_SESSION_COLUMNS];

	gpusort_rows_store_clear(store);
	gpusort_rows_store_reserve(store, nrows);
	for (int i = 0; i < part->layout->ncolumns; i++)
	{
		const HeldColumn *column = &part->layout->columns[i];

		if (column->is_nulls)
			gpusort_rows_store_add_nulls(store, column->attribute);
		reads[i] = (SessionRead) {i + 1, first, nrows, column_data(part, column)};
	}
	if (!gpusort_session_read(part->session, reads, part->layout->ncolumns, gpusort_session_copy, why))
		return false;
	for (int i = 0; part->verified && i < part->layout->ncolumns; i++)
	{
		if (!is_proved(part, i, block))
		{
			*why = REASON_NOT_VERIFIED;
			return false;
		}
	}
	store->nrows = nrows;
	return true;
}

bool
gpusort_rows_part_sort(DevicePart *part, ShownSortId progress, SortReason *why)
{
	gpusort_rows_buffer_release(part->sort->memory, &part->gathered);
	if (part->nrows == 0)
		return true;
	part->nblocks = (part->nrows + part->layout->block_rows - 1) / part->layout->block_rows;
	gpusort_progress_update(progress, SORT_PHASE_SORTING, 0, 1);
	return gpusort_session_sort(part->session, part->nrows, why) &&
		(part->layout->exact || find_starts(part, why)) &&
		(!part->verified || prove(part, progress, why));
}

/* Sets sort->order to the order of the rows in the store. */
static void
order_block(DevicePart *part)
{
	RowSort    *sort = part->sort;
	uint32		nrows = sort->store->nrows;

	if (!part->layout->exact)
	{
		gpusort_rows_order(sort, nrows, true);
		return;
	}
	gpusort_rows_buffer_reserve(sort->memory, &sort->packed, nrows * sizeof(uint32));
	sort->order = (uint32 *) sort->packed.data;
	for (uint32 i = 0; i < nrows; i++)
		sort->order[i] = i;
}

bool
gpusort_rows_part_load(DevicePart *part, uint32 block, SortReason *why)
{
	if (!fetch_block(part, block, why))
		return false;
	order_block(part);
	return true;
}

void
gpusort_rows_part_close(DevicePart *part)
{
	if (part->session != NULL)
		gpusort_session_close(part->session);
	part->session = NULL;
}

void
gpusort_rows_part_free(DevicePart *part)
{
	gpusort_rows_part_close(part);
	gpusort_rows_buffer_release(part->sort->memory, &part->gathered);
	if (part->starts != NULL)
		pfree(part->starts);
	if (part->checksums != NULL)
		pfree(part->checksums);
	pfree(part);
}
