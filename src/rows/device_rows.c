/*
 * device_rows.c
 *	  Rows in device memory, see device_rows.h.
 *
 * While rows beyond work_mem are read, each store full of them goes to one part in files (row_part.h), and what
 * their code needs is noted (row_code.h).  When all are read, their number is known, and a code
 * that fits them is made.  Then the files are copied to a session, store by store, with the codes
 * as keys.  They stay until the last block is loaded: a device that fails loses nothing.
 *
 * Rows beyond work_mem with a record go to parts: moving records to a device and back takes longer than
 * sorting them here.  So do rows many of which have the same word, which the host would have to order anyway.
 *
 * Rows that work_mem holds stay in their store.  They are encoded by a code that is fitted to them, and
 * only columns go to the device.
 *
 * Rows that are too many for one device are divided by key (row_division.h) into a part for
 * each device (device_part.h), as large as its free memory is.  The parts come back one
 * after the other.
 */
#include "postgres.h"

#include "device/client/device_client.h"
#include "guc.h"
#include "rows/device_part.h"
#include "rows/device_rows.h"
#include "rows/row_parts.h"
#include "rows/word_sample.h"
#include "sort/choose.h"

#define ROWS_LOADED_MIN 256	/* limits of block_rows */
#define ROWS_LOADED_MAX (128 * 1024)
#define ROWS_BLOCK_MOST 2		/* a block has at most so many times block_rows, if their words are equal, */
#define ROWS_SOURCE_BLOCK 2		/* or one row in 2 of those that work_mem holds */
#define ROWS_DEVICE_MAX (UINT32_MAX / 2)	/* the most rows in the memory of one device */
#define ROWS_SAMPLED 65536		/* rows of the sample */
#define ROWS_SAMPLED_BLOCKS 512	/* blocks of the files that it comes from */
#define ROWS_BLOCK_BYTES ((Size) 64 * 1024)	/* of a block: more than these are read to get a row of each stretch */
#define ROWS_FILE_BYTES ((int64) 64 * 1024 * 1024)	/* of a file: its space is given up when it has been read */
#define ROWS_TIED_SHARE 4		/* with more than one row in 4 tied, the host sorts a store as fast */

struct DeviceRows
{
	RowSort    *sort;
	RowStore   *source;			/* all rows, if work_mem holds them; else NULL */
	RowPart		rows;			/* in the input's order; cleared once the last block is loaded */
	uint64		nrows;			/* set when all have been taken */
	KeyRange   *ranges;
	RowStore   *sample;			/* of them, once all have been taken */
	Division   *division;		/* of the rows to several devices, or NULL */
	bool	   *has_nulls;		/* by attribute */
	bool		giving_back;
	PartReader	reader;			/* of those that are given back */
	bool		sorted_again;	/* because a device failed when rows were returned */

	KeyCode    *code;
	PartLayout	layout;
	int			nparts;
	DevicePart *parts[GPUSORT_MAX_DEVICES];
	uint64		end_row;		/* the row behind the block in the store; 0: there is none */
};

/* Bytes of a row in device memory, without what the sort needs. */
static uint64
device_row_bytes(const DeviceRows *rows)
{
	uint64		bytes = 0;

	for (int i = 0; i < rows->layout.ncolumns; i++)
		bytes += rows->layout.columns[i].width;
	return bytes;
}

static void
add_column(PartLayout *part, HeldKind kind, int attribute, uint8 width)
{
	part->columns[part->ncolumns++] = (HeldColumn) {kind, attribute, width};
}

/* Describes the sessions of the rows so far: 64-bit keys, and the columns. */
static void
describe_sessions(DeviceRows *rows)
{
	const RowLayout *layout = rows->sort->layout;
	PartLayout *part = &rows->layout;

	part->spec.form = GPUSORT_KEY_UINT64;
	part->spec.payload = GPUSORT_PAYLOAD_INDEX;
	part->spec.method = GPUSORT_METHOD_AUTO;
	part->ncolumns = 0;
	add_column(part, HELD_WORDS, 0, sizeof(uint64));
	for (int i = 0; i < layout->natts; i++)
	{
		if (layout->attributes[i].in_column)
			add_column(part, HELD_VALUES, i, layout->attributes[i].length);
		if (rows->has_nulls[i])
			add_column(part, HELD_NULLS, i, sizeof(bool));
	}
	if (layout->nrecord > 0)
		add_column(part, HELD_NUMBERS, 0, sizeof(uint32));
}

/* Bytes of a row's widest column, but for the keys. */
static uint64
widest_column(const DeviceRows *rows)
{
	uint64		widest = 0;

	for (int i = 1; i < rows->layout.ncolumns; i++)
		widest = Max(widest, rows->layout.columns[i].width);
	return widest;
}

/*
 * True if one device, or all together, may have memory for so many rows.  Their sessions
 * take at least the columns, the keys among them, the index, and scratch for the widest other one.
 * Whether the memory suffices shows when a session is opened.
 */
static bool
may_fit(const DeviceRows *rows, double nrows, bool one_device)
{
	ReadyDevice devices[GPUSORT_MAX_DEVICES];
	int			ndevices = gpusort_devices_ready(devices);
	uint64		scratch = Max(widest_column(rows), sizeof(uint32));
	double		memory = 0;

	for (int i = 0; i < ndevices; i++)
		memory = one_device ? Max(memory, devices[i].memory_limit) : memory + devices[i].memory_limit;
	return nrows <= (double) ROWS_DEVICE_MAX * (one_device ? 1 : ndevices) &&
		nrows * (device_row_bytes(rows) + sizeof(uint32) + scratch) <= memory;
}

/* True if devices can have columns for the rows, and the leading key has a code. */
static bool
can_be_held(const RowSort *sort)
{
	const RowLayout *layout = sort->layout;
	int			columns = 1;	/* the keys */

	for (int i = 0; i < layout->natts; i++)
		columns += layout->attributes[i].is_stored + layout->attributes[i].in_column;
	return columns <= GPUSORT_SESSION_COLUMNS && sort->keys->ncoded > 0;
}

/* True if the CPU has little more to do than to see that the rows are in order. */
static bool
are_for_cpu(const RowSort *sort)
{
	return gpusort_engine != GPUSORT_ENGINE_GPU && gpusort_rows_seem_ordered(sort);
}

static DeviceRows *
create(RowSort *sort)
{
	DeviceRows *rows = palloc0(sizeof(DeviceRows));

	rows->sort = sort;
	rows->has_nulls = palloc0(sort->layout->natts * sizeof(bool));
	return rows;
}

static void
discard(DeviceRows *rows)
{
	if (rows->code != NULL)
		gpusort_rows_code_free(rows->code);
	pfree(rows->has_nulls);
	pfree(rows);
}

DeviceRows *
gpusort_rows_device_begin(RowSort *sort)
{
	DeviceRows *rows;
	SortDecision decision;
	double		nrows = Max(sort->expected_rows, sort->store->nrows);
	uint64		bytes;

	if (sort->layout->nrecord > 0 || !can_be_held(sort))
		return NULL;
	rows = create(sort);
	describe_sessions(rows);
	bytes = nrows * device_row_bytes(rows);
	gpusort_choose_rows(&rows->layout.spec, nrows, bytes, bytes, &decision);
	if (decision.engine == ENGINE_GPU && decision.reason == REASON_NONE &&
		may_fit(rows, nrows, false) && !are_for_cpu(sort))
	{
		rows->ranges = gpusort_rows_ranges_create(sort->keys);
		return rows;
	}
	discard(rows);
	return NULL;
}

/*
 * Sets the code, and decides how many rows a block has: while one is ordered it takes no more
 * than work_mem.  With an exact code the rows of a block need not be ordered.
 */
static void
set_code(DeviceRows *rows, KeyCode *code)
{
	const RowSort *sort = rows->sort;
	PartLayout *layout = &rows->layout;
	Size		bytes = device_row_bytes(rows) + sizeof(uint64);

	rows->code = code;
	layout->nexact = rows->code->nexact;
	layout->exact = rows->code->bits <= ROWS_WORD_BITS && layout->nexact == sort->keys->nkeys;
	layout->block_rows = sort->memory_limit / ((layout->exact ? 2 : 4) * bytes);
	layout->block_rows = Min(Max(layout->block_rows, ROWS_LOADED_MIN), ROWS_LOADED_MAX);
	layout->most_rows = ROWS_BLOCK_MOST * layout->block_rows;
	if (rows->source != NULL)
		layout->most_rows = Max(layout->most_rows, rows->nrows / ROWS_SOURCE_BLOCK);
}

/*
 * The same with a code of the ranges, as a sample of the files suggests or, without a part, one of the store.  Returns true if
 * so many of nrows rows seem to have the same word that no block holds them.
 */
static bool
ties_are_too_large(DeviceRows *rows, const RowPart *part, double nrows)
{
	rows->sample = gpusort_rows_parts_sample(rows->sort, part, ROWS_SAMPLED, ROWS_SAMPLED_BLOCKS, false);
	set_code(rows, gpusort_rows_code_common(rows->sort->keys, 0, rows->ranges, rows->sample, nrows));
	return !rows->layout.exact &&
		gpusort_rows_most_tied_share(rows->code, rows->sample) * nrows > rows->layout.most_rows;
}

/* The same, as far as the first rows tell. */
static bool
first_rows_are_tied(DeviceRows *rows)
{
	bool		tied = ties_are_too_large(rows, NULL, Max(rows->sort->expected_rows, rows->sort->store->nrows));

	gpusort_rows_code_free(rows->code);
	rows->code = NULL;
	gpusort_rows_store_free(rows->sample);
	rows->sample = NULL;
	return tied;
}

/* Appends the rows of the store to the files. */
static void
write_store(DeviceRows *rows)
{
	const PartExtent *last = rows->rows.nextents == 0 ? NULL : &rows->rows.extents[rows->rows.nextents - 1];
	bool		is_new = last == NULL || last->end >= ROWS_FILE_BYTES;
	SpillFile  *file = is_new ? gpusort_rows_spill_create() : last->file;

	if (is_new && last != NULL)
		gpusort_rows_spill_rest(last->file);
	gpusort_rows_part_append(&rows->rows, file, rows->sort->store, NULL, 0, rows->sort->store->nrows, ROWS_BLOCK_BYTES);
	if (is_new)
		gpusort_rows_spill_close(file);
}

SortReason
gpusort_rows_device_take(DeviceRows *rows)
{
	const RowStore *store = rows->sort->store;
	bool		is_first = rows->rows.nrows == 0;

	for (int i = 0; i < store->layout->natts; i++)
		rows->has_nulls[i] |= store->columns[i].has_nulls;
	gpusort_rows_ranges_note(rows->ranges, rows->sort->keys, store);
	write_store(rows);
	describe_sessions(rows);
	if (!may_fit(rows, rows->rows.nrows, false))
		return REASON_OUT_OF_MEMORY;
	return is_first && first_rows_are_tied(rows) ? REASON_TOO_MANY_TIES : REASON_NONE;
}

static void
free_parts(DeviceRows *rows)
{
	while (rows->nparts > 0)
		gpusort_rows_device_part_free(rows->parts[--rows->nparts]);
	if (rows->division != NULL)
		gpusort_rows_division_free(rows->division);
	rows->division = NULL;
	rows->end_row = 0;
}

/* Opens a part on a device, or on GPUSORT_ANY_DEVICE. */
static bool
open_part(DeviceRows *rows, int device, uint64 capacity, SortReason *why)
{
	DevicePart *part = gpusort_rows_device_part_open(rows->sort, &rows->layout, device, capacity, why);

	if (part != NULL)
		rows->parts[rows->nparts++] = part;
	return part != NULL;
}

/* Opens a part on each device, as large as its share of all free device memory. */
static bool
open_everywhere(DeviceRows *rows, SortReason *why)
{
	ReadyDevice devices[GPUSORT_MAX_DEVICES];
	double		shares[GPUSORT_MAX_DEVICES];
	uint64		most_rows[GPUSORT_MAX_DEVICES];
	int			ndevices = gpusort_devices_ready(devices);
	double		memory = 0;

	*why = REASON_OUT_OF_MEMORY;
	for (int i = 0; i < ndevices; i++)
		memory += devices[i].memory_free;
	if (memory == 0)
		return false;
	for (int i = 0; i < ndevices; i++)
		shares[i] = devices[i].memory_free / memory;
	rows->division = gpusort_rows_division_by_shares(rows->code, rows->sample, rows->nrows, shares, ndevices, most_rows);
	for (int i = 0; i < ndevices; i++)
		if (!open_part(rows, devices[i].device, most_rows[i], why))
			return false;
	return true;
}

/* Appends n rows of the store to the parts where they belong.  Behind their words are as many bytes of space. */
static bool
append_to_parts(DeviceRows *rows, uint64 *words, uint32 n, SortReason *why)
{
	uint32		ends[GPUSORT_MAX_DEVICES] = {0};
	uint32	   *numbers = (uint32 *) (words + n);

	gpusort_rows_division_find(rows->division, words, n, numbers, ends);
	gpusort_rows_division_list(rows->division, numbers, 0, n, ends, numbers + n);
	for (int i = 0; i < rows->nparts; i++)
	{
		uint32		begin = i == 0 ? 0 : ends[i - 1];

		if (ends[i] > begin &&
			!gpusort_rows_device_part_append(rows->parts[i], words, numbers + n + begin, ends[i] - begin, why))
			return false;
	}
	return true;
}

/* Appends the rows of the store to the parts. */
static bool
send_store(DeviceRows *rows, SortReason *why)
{
	RowSort    *sort = rows->sort;
	uint32		nrows = sort->store->nrows;
	uint64	   *words;

	gpusort_rows_buffer_reserve(sort->context, &sort->packed, (Size) nrows * (rows->nparts == 1 ? 1 : 2) * sizeof(uint64));
	words = (uint64 *) sort->packed.data;
	gpusort_rows_encode(rows->code, sort->store, NULL, 0, nrows, ROWS_WORD_BITS, words);
	if (rows->nparts == 1)
		return gpusort_rows_device_part_append(rows->parts[0], words, NULL, nrows, why);
	return append_to_parts(rows, words, nrows, why);
}

/* Replaces the rows of the store by the next ones of the input, as many as work_mem holds.  Returns false behind the last. */
static bool
read_store(DeviceRows *rows)
{
	RowSort    *sort = rows->sort;

	gpusort_rows_store_clear(sort->store);
	return gpusort_rows_part_fill(&rows->reader, sort->store, gpusort_rows_sort_bytes(sort->keys), sort->memory_limit);
}

/* Copies the files to the parts, with the codes as keys. */
static bool
send(DeviceRows *rows, ShownSortId progress, SortReason *why)
{
	uint64		sent = 0;
	bool		ok = true;

	if (rows->source != NULL)
		return send_store(rows, why);
	rows->reader = gpusort_rows_part_read(&rows->rows);
	while (ok && read_store(rows))
	{
		gpusort_progress_update(progress, SORT_PHASE_SENDING, sent, rows->nrows);
		ok = send_store(rows, why);
		sent += rows->sort->store->nrows;
	}
	return ok;
}

static bool
sort_parts(DeviceRows *rows, ShownSortId progress, SortReason *why)
{
	uint64		first = 0;

	for (int i = 0; i < rows->nparts; i++)
	{
		DevicePart *part = rows->parts[i];

		if (!gpusort_rows_device_part_sort(part, progress, why))
			return false;
		part->first_row = first;
		first += part->nrows;
	}
	return true;
}

/* Has one device sort the rows, or all devices.  Returns REASON_NONE, or why they did not. */
static SortReason
attempt(DeviceRows *rows, bool everywhere)
{
	RowSort    *sort = rows->sort;
	SortAttempt attempt;
	SortReason	why = REASON_NONE;
	uint64		nrows = rows->nrows;

	gpusort_attempt_begin(&attempt, ENGINE_GPU, USED_FOR_ROWS, rows->layout.spec.method, nrows, sort->progress);
	if (!(everywhere ? open_everywhere(rows, &why) : open_part(rows, GPUSORT_ANY_DEVICE, nrows, &why)) ||
		!send(rows, attempt.progress, &why) ||
		!sort_parts(rows, attempt.progress, &why))
	{
		gpusort_attempt_fail(&attempt, why);
		free_parts(rows);
		return why;
	}
	gpusort_attempt_succeed(&attempt, gpusort_session_method(rows->parts[0]->session), 1, nrows, nrows * device_row_bytes(rows));
	sort->stats.used_gpu = true;
	sort->stats.moved_bytes += nrows * (2 * device_row_bytes(rows) - (rows->layout.exact ? rows->layout.columns[0].width : 0));
	for (int i = 0; i < rows->nparts; i++)
		sort->stats.devices |= 1u << gpusort_session_device(rows->parts[i]->session);
	return REASON_NONE;
}

/* Has one device sort the rows; else another one, and if none has memory for all rows, all devices. */
static SortReason
sort_on_devices(DeviceRows *rows)
{
	ReadyDevice devices[GPUSORT_MAX_DEVICES];
	SortReason	why = REASON_OUT_OF_MEMORY;

	if (may_fit(rows, rows->nrows, true))
	{
		why = attempt(rows, false);
		if (gpusort_reason_is_of_one_device(why) && gpusort_device_spare())
			why = attempt(rows, false);
	}
	if (why == REASON_OUT_OF_MEMORY && rows->source == NULL && gpusort_devices_ready(devices) > 1)
		why = attempt(rows, true);
	return why;
}

SortReason
gpusort_rows_device_sort(DeviceRows *rows)
{
	rows->nrows = rows->rows.nrows;
	return ties_are_too_large(rows, &rows->rows, rows->nrows) ? REASON_TOO_MANY_TIES : sort_on_devices(rows);
}

/* Has a device sort the rows of the store. */
static SortReason
sort_source(DeviceRows *rows)
{
	RowSort    *sort = rows->sort;
	RowList		all_rows = {.count = sort->store->nrows};

	set_code(rows, gpusort_rows_code_fitted(sort->keys, 0, sort->store, &all_rows, ROWS_WORD_BITS, 32));
	if (!rows->layout.exact && gpusort_rows_tied_share(rows->code, sort->store) > 1.0 / ROWS_TIED_SHARE)
		return REASON_TOO_MANY_TIES;
	return sort_on_devices(rows);
}

bool
gpusort_rows_device_order(RowSort *sort)
{
	DeviceRows *rows;
	SortDecision decision;
	uint64		bytes;

	if (!can_be_held(sort))
		return false;
	rows = create(sort);
	rows->source = sort->store;
	rows->nrows = sort->store->nrows;
	for (int i = 0; i < sort->layout->natts; i++)
		rows->has_nulls[i] = sort->store->columns[i].has_nulls;
	describe_sessions(rows);
	bytes = gpusort_rows_device_bytes(rows);
	gpusort_choose_rows(&rows->layout.spec, rows->nrows, bytes, bytes + rows->nrows * sizeof(uint32), &decision);
	if (decision.engine == ENGINE_GPU &&
		(decision.reason == REASON_NONE || gpusort_reason_kind(decision.reason) == REASON_KIND_WAIT) &&
		gpusort_sessions_plentiful() && !are_for_cpu(sort))
	{
		decision.reason = sort_source(rows);
		if (decision.reason == REASON_NONE)
		{
			sort->device_rows = rows;
			sort->store = gpusort_rows_store_create(sort->context, sort->layout);
			return true;
		}
	}
	if (gpusort_reason_is_fallback(decision.reason))
		sort->failed = decision.reason;
	discard(rows);
	return false;
}

RowStore *
gpusort_rows_device_source(const DeviceRows *rows)
{
	return rows->source;
}

/* The part that holds a row. */
static DevicePart *
part_of(const DeviceRows *rows, uint64 row)
{
	int			number = 0;

	while (row >= rows->parts[number]->first_row + rows->parts[number]->nrows)
		number++;
	return rows->parts[number];
}

/* Loads the block of a row.  Without random access the part is given up when its last block has been loaded. */
static bool
load_block(DeviceRows *rows, uint64 row, SortReason *why)
{
	RowSort    *sort = rows->sort;
	DevicePart *part = part_of(rows, row);
	uint32		block;

	if (row >= sort->first_row && row < rows->end_row)
		return true;
	rows->end_row = 0;
	block = gpusort_rows_device_part_block(part, row - part->first_row);
	if (!gpusort_rows_device_part_load(part, block, why))
		return false;
	sort->first_row = part->first_row + gpusort_rows_device_part_start(part, block);
	rows->end_row = part->first_row + gpusort_rows_device_part_start(part, block + 1);
	if (block == part->nblocks - 1 && !sort->random_access)
	{
		gpusort_rows_device_part_close(part);
		if (rows->end_row == rows->nrows)
			gpusort_rows_device_free(rows);
	}
	return true;
}

bool
gpusort_rows_device_load(DeviceRows *rows, uint64 row, SortReason *why)
{
	if (load_block(rows, row, why))
		return true;
	if (rows->source != NULL || rows->sorted_again || !gpusort_reason_is_of_one_device(*why) || !gpusort_device_spare())
		return false;
	rows->sorted_again = true;
	free_parts(rows);
	*why = sort_on_devices(rows);
	return *why == REASON_NONE && load_block(rows, row, why);
}

bool
gpusort_rows_device_give_back(DeviceRows *rows)
{
	if (!rows->giving_back)
	{
		free_parts(rows);
		rows->reader = gpusort_rows_part_read(&rows->rows);
		rows->giving_back = true;
	}
	if (!read_store(rows))
		return false;
	gpusort_rows_part_give_up(&rows->rows, rows->reader.extent);
	return true;
}

int64
gpusort_rows_device_bytes(const DeviceRows *rows)
{
	return rows->nrows * device_row_bytes(rows);
}

int64
gpusort_rows_device_disk_bytes(const DeviceRows *rows)
{
	int64		bytes = 0;

	for (uint32 i = 0; i < rows->rows.nextents; i++)
		bytes += rows->rows.extents[i].end;
	return bytes;
}

void
gpusort_rows_device_free(DeviceRows *rows)
{
	for (int i = 0; i < rows->nparts; i++)
		gpusort_rows_device_part_close(rows->parts[i]);
	gpusort_rows_part_clear(&rows->rows);
}
