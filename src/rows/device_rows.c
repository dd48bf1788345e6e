/*
 * device_rows.c
 *	  Rows beyond work_mem in device memory, see device_rows.h.
 *
 * While rows are read, each store full of them goes to a file (row_file.h), and what their
 * code needs is noted (key_ranges.h).  When all are read, their number is known, and a code
 * that fits them.  Then the file is copied to a session, column by column, with the codes
 * as keys.  It stays until the last block is loaded: a device that fails loses nothing.
 * Writing a file in sequence and reading it once, without sorting or merging, is a small part
 * of what runs cost.
 *
 * If the code's word does not tell all rows apart, blocks begin where the word changes, and
 * the host orders the rows of each block that it loads, which are nearly in order.
 *
 * With gpusort.verify a column is known to be right once all of it has been fetched.  Rows
 * that have been returned cannot be taken back, so all columns are fetched once before the
 * first row is returned, and a checksum of each block is kept.  A block that is fetched
 * again must have the same.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_crc32c.h"
#include "utils/memutils.h"

#include "device/client/device_client.h"
#include "device/client/device_session.h"
#include "guc.h"
#include "large_memory.h"
#include "rows/device_rows.h"
#include "rows/key_ranges.h"
#include "rows/row_file.h"
#include "sort/choose.h"

#define ROWS_LOADED_MIN 256	/* rows of a block, in the middle */
#define ROWS_LOADED_MAX (128 * 1024)
#define ROWS_DEVICE_MAX (UINT32_MAX / 2)	/* the most rows in device memory */
#define ROWS_NO_BLOCK UINT32_MAX

/* A column in device memory: the values or the NULL bytes of an attribute. */
typedef struct HeldColumn
{
	int			attribute;
	bool		is_nulls;
} HeldColumn;

struct DeviceRows
{
	RowSort    *sort;
	RowFile    *file;			/* NULL once the last block is loaded */
	uint64		nrows;			/* set when all have been taken */
	KeyRanges  *ranges;
	bool	   *has_nulls;		/* by attribute */
	int			device;			/* that was chosen */
	uint64		memory_limit;	/* of that device */
	bool		giving_back;

	KeyCode    *code;
	bool		exact;			/* its word tells all rows apart that differ */
	bool		verified;		/* the session checks what is fetched once */
	GpusortSpec spec;
	DeviceSession *session;		/* NULL once the last block is loaded */
	int			ncolumns;		/* without column 0 of the session, the keys */
	HeldColumn	columns[GPUSORT_SESSION_COLUMNS];
	uint8		widths[GPUSORT_SESSION_COLUMNS];

	uint32		block_rows;		/* of each block; if not exact, about so many */
	uint32		nblocks;
	uint32	   *starts;			/* their first rows, and the end; NULL if exact */
	pg_crc32c  *checksums;		/* [column * nblocks + block], if verified */
	uint32		loaded;			/* the block in the store, or ROWS_NO_BLOCK */
};

static uint8
column_width(const DeviceRows *rows, const HeldColumn *column)
{
	return column->is_nulls ? sizeof(bool) : rows->sort->layout->attributes[column->attribute].length;
}

/* Where the store has a column. */
static char *
column_data(const DeviceRows *rows, const HeldColumn *column)
{
	RowColumn  *held = &rows->sort->store->columns[column->attribute];

	return column->is_nulls ? held->nulls.data : held->values.data;
}

/* Bytes of a row in device memory, without what the sort needs. */
static uint64
row_bytes(const DeviceRows *rows)
{
	uint64		bytes = 0;

	for (int i = 0; i <= rows->ncolumns; i++)
		bytes += rows->widths[i];
	return bytes;
}

/* Describes the session of the rows so far: 64-bit keys, and the columns. */
static void
describe(DeviceRows *rows)
{
	const RowLayout *layout = rows->sort->layout;

	rows->spec.form = GPUSORT_KEY_UINT64;
	rows->spec.payload = GPUSORT_PAYLOAD_INDEX;
	rows->spec.method = GPUSORT_METHOD_AUTO;
	rows->widths[0] = sizeof(uint64);
	rows->ncolumns = 0;
	for (int i = 0; i < layout->natts; i++)
	{
		if (layout->attributes[i].is_constant)
			continue;
		rows->columns[rows->ncolumns++] = (HeldColumn) {i, false};
		if (rows->has_nulls[i])
			rows->columns[rows->ncolumns++] = (HeldColumn) {i, true};
	}
	for (int i = 0; i < rows->ncolumns; i++)
		rows->widths[i + 1] = column_width(rows, &rows->columns[i]);
}

/* True if the chosen device may have memory for a session of so many rows: columns, index, and scratch for a column. */
static bool
fits_device(const DeviceRows *rows, double nrows)
{
	return nrows <= ROWS_DEVICE_MAX &&
		nrows * (row_bytes(rows) + sizeof(uint32) + sizeof(uint64)) <= (double) rows->memory_limit;
}

/* True if all values of the rows are passed by value and the leading key has a code. */
static bool
can_be_held(const RowSort *sort)
{
	const RowKey *first = &sort->keys->keys[0];

	return sort->layout->nrecord == 0 && sort->layout->fixed_bytes > 0 &&
		2 * sort->layout->natts < GPUSORT_SESSION_COLUMNS &&
		sort->keys->ncoded > 0 &&
		(first->kind == KEY_IS_VALUE || sort->layout->attributes[first->attribute].is_constant);
}

DeviceRows *
gpusort_rows_device_begin(RowSort *sort)
{
	DeviceRows *rows;
	SortDecision decision;
	double		nrows = Max(sort->expected_rows, sort->store->nrows);
	uint64		bytes;

	if (!can_be_held(sort))
		return NULL;
	rows = palloc0(sizeof(DeviceRows));
	rows->sort = sort;
	rows->loaded = ROWS_NO_BLOCK;
	rows->has_nulls = palloc0(sort->layout->natts * sizeof(bool));
	describe(rows);
	bytes = nrows * row_bytes(rows);
	gpusort_choose(&rows->spec, nrows, bytes, bytes, ROUTE_ROWS, &decision);
	if (decision.engine == ENGINE_GPU && decision.reason == REASON_NONE)
	{
		rows->memory_limit = gpusort_device_memory_limit(decision.device);
		if (fits_device(rows, nrows))
		{
			rows->file = gpusort_rows_file_create();
			rows->ranges = gpusort_rows_ranges_create(sort->keys, sort->layout);
			return rows;
		}
	}
	pfree(rows->has_nulls);
	pfree(rows);
	return NULL;
}

bool
gpusort_rows_device_take(DeviceRows *rows)
{
	const RowStore *store = rows->sort->store;

	for (int i = 0; i < store->layout->natts; i++)
		rows->has_nulls[i] |= store->columns[i].has_nulls;
	describe(rows);
	gpusort_rows_ranges_note(rows->ranges, store);
	gpusort_rows_file_append(rows->file, store);
	return fits_device(rows, rows->file->nrows);
}

/*
 * Makes the code, and decides how many rows a block has: while one is ordered it takes no more
 * than work_mem.  The rows of an exact code need no ordering, hence no room for it.
 */
static void
make_code(DeviceRows *rows)
{
	const RowSort *sort = rows->sort;
	Size		bytes = row_bytes(rows) + sizeof(uint64);

	rows->nrows = rows->file->nrows;
	rows->code = gpusort_rows_code_of_ranges(rows->ranges);
	rows->exact = rows->code->bits <= ROWS_WORD_BITS && rows->code->nexact == sort->keys->nkeys;
	if (rows->exact && rows->code->bits <= 32)
	{
		rows->spec.form = GPUSORT_KEY_UINT32;
		rows->widths[0] = sizeof(uint32);
	}
	rows->block_rows = sort->memory_limit / ((rows->exact ? 2 : 4) * bytes);
	rows->block_rows = Min(Max(rows->block_rows, ROWS_LOADED_MIN), ROWS_LOADED_MAX);
	rows->nblocks = (rows->nrows + rows->block_rows - 1) / rows->block_rows;
}

/* Copies the file to the session, with the codes as keys. */
static bool
send(DeviceRows *rows, ShownSortId progress, SortReason *why)
{
	RowSort    *sort = rows->sort;
	uint64		sent = 0;

	gpusort_rows_file_rewind(rows->file);
	while (gpusort_rows_file_next(rows->file, sort->store))
	{
		uint32		n = sort->store->nrows;

		gpusort_progress_update(progress, SORT_PHASE_SENDING, sent, rows->nrows);
		gpusort_rows_encode_for_device(sort, rows->code, rows->spec.form);
		if (!gpusort_session_append(rows->session, 0, sent, n, sort->packed.data, why))
			return false;
		for (int i = 0; i < rows->ncolumns; i++)
		{
			const HeldColumn *column = &rows->columns[i];

			if (column->is_nulls)
				gpusort_rows_store_add_nulls(sort->store, column->attribute);
			if (!gpusort_session_append(rows->session, i + 1, sent, n, column_data(rows, column), why))
				return false;
		}
		sent += n;
	}
	return true;
}

static uint32
block_start(const DeviceRows *rows, uint32 block)
{
	if (rows->starts != NULL)
		return rows->starts[block];
	return Min((uint64) block * rows->block_rows, rows->nrows);
}

/* The block that holds a row. */
static uint32
block_of(const DeviceRows *rows, uint64 row)
{
	uint32		low = 0;
	uint32		high = rows->nblocks - 1;

	if (rows->starts == NULL)
		return row / rows->block_rows;
	while (low < high)
	{
		uint32		middle = low + (high - low + 1) / 2;

		if (rows->starts[middle] <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Words in order, divided into blocks. */
typedef struct BlockCut
{
	DeviceRows *rows;
	uint64		word;			/* the last one */
	uint32		change;			/* the last row whose word is another than the one before */
	bool		too_many;		/* rows have the same word */
} BlockCut;

/* Begins blocks where the word changes. */
static void
cut_blocks(const SessionRead *read, uint64_t done, uint64_t nrows, uint32_t width, const void *data)
{
	BlockCut   *cut = read->target;
	DeviceRows *rows = cut->rows;
	const uint64 *words = data;

	for (uint32 i = 0; i < nrows && !cut->too_many; i++)
	{
		uint32		row = done + i;
		uint32		start = rows->starts[rows->nblocks];

		if (row > 0 && words[i] != cut->word)
			cut->change = row;
		cut->word = words[i];
		if (row - start < rows->block_rows)
			continue;
		if (cut->change > start)
			rows->starts[++rows->nblocks] = cut->change;
		else if (row - start >= 2 * rows->block_rows)
			cut->too_many = true;
	}
}

/* Divides the rows into blocks that begin where the word changes.  Returns false if too many rows have the same word. */
static bool
find_starts(DeviceRows *rows, SortReason *why)
{
	BlockCut	cut = {.rows = rows};
	const SessionRead words = {.column = 0, .nrows = rows->nrows, .target = &cut};

	rows->starts = MemoryContextAllocHuge(rows->sort->context, (2 * (Size) rows->nblocks + 4) * sizeof(uint32));
	rows->starts[0] = 0;
	rows->nblocks = 0;
	if (!gpusort_session_read(rows->session, &words, 1, cut_blocks, why))
		return false;
	rows->starts[++rows->nblocks] = rows->nrows;
	if (cut.too_many)
		*why = REASON_TOO_MANY_TIES;
	return !cut.too_many;
}

/* Checksums of a column's blocks, and the block whose rows come next. */
typedef struct ColumnProof
{
	const DeviceRows *rows;
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
		uint64		end = block_start(proof->rows, proof->block + 1);
		uint64		n = Min(nrows, end - done);

		if (done == block_start(proof->rows, proof->block))
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
prove(DeviceRows *rows, ShownSortId progress, SortReason *why)
{
	rows->checksums = MemoryContextAllocHuge(rows->sort->context,
											 (Size) rows->ncolumns * rows->nblocks * sizeof(pg_crc32c));
	for (int i = 0; i < rows->ncolumns; i++)
	{
		ColumnProof proof = {rows, &rows->checksums[(Size) i * rows->nblocks]};
		const SessionRead read = {.column = i + 1, .nrows = rows->nrows, .target = &proof};

		gpusort_progress_update(progress, SORT_PHASE_FETCHING, i, rows->ncolumns);
		if (!gpusort_session_read(rows->session, &read, 1, add_to_proof, why))
			return false;
	}
	return true;
}

/* True if a block's column is what it was when it was proved. */
static bool
is_proved(const DeviceRows *rows, int column, uint32 block)
{
	Size		nrows = block_start(rows, block + 1) - block_start(rows, block);
	pg_crc32c	checksum;

	INIT_CRC32C(checksum);
	COMP_CRC32C(checksum, column_data(rows, &rows->columns[column]), nrows * rows->widths[column + 1]);
	FIN_CRC32C(checksum);
	return EQ_CRC32C(checksum, rows->checksums[(Size) column * rows->nblocks + block]);
}

/* Fetches the rows of a block into the store. */
static bool
fetch_block(DeviceRows *rows, uint32 block, SortReason *why)
{
	RowStore   *store = rows->sort->store;
	uint32		first = block_start(rows, block);
	uint32		nrows = block_start(rows, block + 1) - first;
	SessionRead reads[GPUSORT_SESSION_COLUMNS];

	gpusort_rows_store_clear(store);
	gpusort_rows_store_reserve(store, nrows);
	for (int i = 0; i < rows->ncolumns; i++)
	{
		const HeldColumn *column = &rows->columns[i];

		if (column->is_nulls)
			gpusort_rows_store_add_nulls(store, column->attribute);
		reads[i] = (SessionRead) {i + 1, first, nrows, column_data(rows, column)};
	}
	if (!gpusort_session_read(rows->session, reads, rows->ncolumns, gpusort_session_copy, why))
		return false;
	for (int i = 0; rows->verified && i < rows->ncolumns; i++)
	{
		if (!is_proved(rows, i, block))
		{
			*why = REASON_NOT_VERIFIED;
			return false;
		}
	}
	store->nrows = nrows;
	return true;
}

/* Opens the session, and has it sort the rows. */
static bool
sort_session(DeviceRows *rows, ShownSortId progress, SortReason *why)
{
	uint64		nrows = rows->nrows;

	rows->verified = gpusort_verify;
	rows->session = gpusort_session_open(&rows->spec, USED_FOR_ROWS, nrows, rows->ncolumns + 1, rows->widths, why);
	if (rows->session == NULL || !send(rows, progress, why))
		return false;
	gpusort_progress_update(progress, SORT_PHASE_SORTING, 0, 1);
	return gpusort_session_sort(rows->session, nrows, why) &&
		(rows->exact || find_starts(rows, why)) &&
		(!rows->verified || prove(rows, progress, why));
}

SortReason
gpusort_rows_device_sort(DeviceRows *rows)
{
	RowSort    *sort = rows->sort;
	SortAttempt attempt;
	SortReason	why = REASON_NONE;
	uint64		nrows;

	make_code(rows);
	nrows = rows->nrows;
	gpusort_attempt_begin(&attempt, ENGINE_GPU, USED_FOR_ROWS, rows->spec.method, nrows, sort->progress);
	if (!sort_session(rows, attempt.progress, &why))
	{
		gpusort_attempt_fail(&attempt, why);
		return why;
	}
	gpusort_attempt_succeed(&attempt, gpusort_session_method(rows->session), 1, nrows, nrows * row_bytes(rows));
	sort->stats.used_gpu = true;
	sort->stats.moved_bytes += nrows * (2 * row_bytes(rows) - rows->widths[0]);
	return REASON_NONE;
}

/* Sets sort->order to the order of the rows in the store. */
static void
order_block(DeviceRows *rows)
{
	RowSort    *sort = rows->sort;
	uint32		nrows = sort->store->nrows;

	if (!rows->exact)
	{
		gpusort_rows_order(sort, nrows, true);
		return;
	}
	gpusort_rows_buffer_reserve(sort->memory, &sort->packed, nrows * sizeof(uint32));
	sort->order = (uint32 *) sort->packed.data;
	for (uint32 i = 0; i < nrows; i++)
		sort->order[i] = i;
}

static void
close_session(DeviceRows *rows)
{
	if (rows->session != NULL)
		gpusort_session_close(rows->session);
	rows->session = NULL;
}

bool
gpusort_rows_device_load(DeviceRows *rows, uint64 row, SortReason *why)
{
	RowSort    *sort = rows->sort;
	uint32		block = block_of(rows, row);

	if (block == rows->loaded)
		return true;
	rows->loaded = ROWS_NO_BLOCK;
	if (!fetch_block(rows, block, why))
		return false;
	order_block(rows);
	rows->loaded = block;
	if (block == rows->nblocks - 1 && !sort->random_access)
		gpusort_rows_device_free(rows);
	return true;
}

uint64
gpusort_rows_device_loaded(const DeviceRows *rows)
{
	return block_start(rows, rows->loaded);
}

bool
gpusort_rows_device_give_back(DeviceRows *rows)
{
	if (!rows->giving_back)
	{
		close_session(rows);
		gpusort_rows_file_rewind(rows->file);
		rows->giving_back = true;
	}
	if (!gpusort_rows_file_next(rows->file, rows->sort->store))
		return false;
	gpusort_rows_file_drop_read(rows->file);
	return true;
}

int64
gpusort_rows_device_bytes(const DeviceRows *rows)
{
	return rows->nrows * row_bytes(rows);
}

int64
gpusort_rows_device_disk_bytes(const DeviceRows *rows)
{
	return rows->file->bytes;
}

void
gpusort_rows_device_free(DeviceRows *rows)
{
	close_session(rows);
	if (rows->file != NULL)
		gpusort_rows_file_close(rows->file);
	rows->file = NULL;
}
