/*
 * row_part.c
 *	  The rows of a part in temporary files, see row_part.h.
 *
 * A block: BlockHead | per attribute: does it have NULLs, values, NULL bytes | row starts | records
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_part.h"

#define ROWS_COPY_SPAN 64		/* rows that are copied at a time */
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

/* Writes the rows of a store to the end of a file.  Returns how many bytes these take there. */
static Size
write_rows(SpillFile *file, const RowStore *store)
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

/* Reads the values and NULLs of an attribute of rows that are appended to a store. */
static void
read_attribute(SpillFile *file, RowStore *store, int attribute, uint32 nrows)
{
	uint32		at = store->nrows;
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

/* Reads what is behind the head of a block, and appends its rows to a store. */
static void
read_rows(SpillFile *file, const BlockHead *head, RowStore *store)
{
	gpusort_rows_store_reserve(store, store->nrows + head->nrows + 1);
	gpusort_rows_store_reserve_records(store, head->record_bytes);
	for (int i = 0; i < store->layout->natts; i++)
	{
		if (store->layout->attributes[i].is_stored)
			read_attribute(file, store, i, head->nrows);
	}
	if (store->layout->nrecord > 0)
	{
		uint32	   *starts = (uint32 *) store->row_starts.data + store->nrows;
		uint32		first = store->record_bytes / MAXIMUM_ALIGNOF;

		read_bytes(file, starts, head->nrows * sizeof(uint32));
		read_bytes(file, store->records.data + store->record_bytes, head->record_bytes);
		for (uint32 i = 0; first > 0 && i < head->nrows; i++)
			starts[i] += first;
		store->record_bytes += head->record_bytes;
	}
	store->nrows += head->nrows;
}

/* Adds blocks of a file to those that the part has. */
static void
add_extent(RowPart *part, PartExtent extent)
{
	PartExtent *last = part->nextents > 0 ? &part->extents[part->nextents - 1] : NULL;

	if (last != NULL && last->file == extent.file && last->end == extent.start)
	{
		last->end = extent.end;
		return;
	}
	if (part->nextents == part->extent_slots)
	{
		part->extent_slots = Max(2 * part->extent_slots, 1);
		part->extents = part->extents == NULL ? palloc(sizeof(PartExtent))
			: repalloc_huge(part->extents, part->extent_slots * sizeof(PartExtent));
	}
	part->extents[part->nextents++] = extent;
}

/* Notes a block of rows that is added. */
static void
note_block(RowPart *part, uint32 nrows, Size record_bytes, Size bytes)
{
	part->nblocks++;
	part->nrows += nrows;
	part->record_bytes += record_bytes;
	part->bytes += bytes;
}

/* Writes the store's rows as the part's next block. */
static void
write_block(RowPart *part, SpillFile *file, const RowStore *store)
{
	int64		place = gpusort_rows_spill_size(file);
	Size		written = write_rows(file, store);

	add_extent(part, (PartExtent) {file, place, place + written});
	note_block(part, store->nrows, store->record_bytes, gpusort_rows_store_bytes(store));
}

/* The same for the builder, which is emptied. */
static void
write_builder(RowPart *part, SpillFile *file, RowStore *builder)
{
	if (builder->nrows > 0)
		write_block(part, file, builder);
	gpusort_rows_store_clear(builder);
}

/* Rows first .. first + nrows - 1 of a store as a store, without a copy of their values. */
static RowStore
slice(const RowStore *store, uint32 first, uint32 nrows)
{
	RowStore	some = *store;
	uint32	   *starts;

	some.columns = palloc(store->layout->natts * sizeof(RowColumn));
	for (int i = 0; i < store->layout->natts; i++)
	{
		some.columns[i] = store->columns[i];
		if (store->layout->attributes[i].in_column)
			some.columns[i].values.data += (Size) first * store->layout->attributes[i].length;
		if (store->columns[i].has_nulls)
			some.columns[i].nulls.data += first;
	}
	some.nrows = nrows;
	if (store->layout->nrecord == 0)
		return some;
	starts = palloc(nrows * sizeof(uint32));
	for (uint32 i = 0; i < nrows; i++)
		starts[i] = ((const uint32 *) store->row_starts.data)[first + i] - ((const uint32 *) store->row_starts.data)[first];
	some.row_starts.data = (char *) starts;
	some.records.data = gpusort_rows_record(store, first);
	some.record_bytes = gpusort_rows_record(store, first + nrows - 1) - some.records.data +
		gpusort_rows_store_record_size(store, first + nrows - 1);
	return some;
}

/* Writes rows of a store that lie one behind the other as the part's next block. */
static void
write_slice(RowPart *part, SpillFile *file, RowStore some)
{
	write_block(part, file, &some);
	pfree(some.columns);
	if (some.layout->nrecord > 0)
		pfree(some.row_starts.data);
}

/*
 * The builder is written as a block whenever its rows take so many bytes.  A row whose record alone has
 * as many is a block of its own.
 */
void
gpusort_rows_part_append(RowPart *part, SpillFile *file, RowStore *builder, const RowStore *store,
						 const uint32 *rows, uint32 nrows, Size block_bytes)
{
	while (nrows > 0)
	{
		uint32		n = gpusort_rows_store_copy(builder, store, rows, Min(nrows, ROWS_COPY_SPAN), block_bytes);

		if (n == 0 || gpusort_rows_store_bytes(builder) >= block_bytes)
			write_builder(part, file, builder);
		if (n == 0)
			write_slice(part, file, slice(store, rows[n++], 1));
		rows += n;
		nrows -= n;
	}
	write_builder(part, file, builder);
}

/* A block has as many rows as take so many bytes if their records have the average length. */
void
gpusort_rows_part_append_slice(RowPart *part, SpillFile *file, const RowStore *store, uint32 first, uint32 nrows,
							   Size block_bytes)
{
	uint32		most = Max((double) block_bytes * store->nrows / gpusort_rows_store_bytes(store), 1);

	for (uint32 end = first + nrows; first < end; first += most)
		write_slice(part, file, slice(store, first, Min(most, end - first)));
}

PartReader
gpusort_rows_part_read(const RowPart *part)
{
	return (PartReader) {part, 0, part->nextents > 0 ? part->extents[0].start : 0};
}

/* Moves behind a block. */
static void
move(PartReader *reader, Size bytes)
{
	const RowPart *part = reader->part;

	reader->place += bytes;
	if (reader->place == part->extents[reader->extent].end && ++reader->extent < part->nextents)
		reader->place = part->extents[reader->extent].start;
}

BlockHead
gpusort_rows_part_head(const PartReader *reader, bool alone)
{
	const PartExtent *extent = &reader->part->extents[reader->extent];
	BlockHead	head;

	gpusort_rows_spill_seek(extent->file, reader->place, alone ? reader->place + sizeof(BlockHead) : extent->end);
	read_bytes(extent->file, &head, sizeof(head));
	return head;
}

void
gpusort_rows_part_next(PartReader *reader, const BlockHead *head, RowStore *store)
{
	read_rows(reader->part->extents[reader->extent].file, head, store);
	move(reader, head->bytes);
}

void
gpusort_rows_part_cut(PartReader *reader, const BlockHead *head, RowPart *piece)
{
	SpillFile  *file = reader->part->extents[reader->extent].file;

	add_extent(piece, (PartExtent) {file, reader->place, reader->place + head->bytes});
	note_block(piece, head->nrows, head->record_bytes, head->bytes);
	move(reader, head->bytes);
}

void
gpusort_rows_part_skip(PartReader *reader, const BlockHead *head)
{
	move(reader, head->bytes);
}

bool
gpusort_rows_part_fill(PartReader *reader, RowStore *store, Size per_row, Size limit)
{
	while (!gpusort_rows_part_done(reader))
	{
		BlockHead	head = gpusort_rows_part_head(reader, false);
		Size		bytes = gpusort_rows_store_bytes(store) + head.bytes + (store->nrows + head.nrows) * per_row;

		CHECK_FOR_INTERRUPTS();
		if (store->nrows > 0 && bytes > limit)
			break;
		gpusort_rows_part_next(reader, &head, store);
	}
	return store->nrows > 0;
}

void
gpusort_rows_part_clear(RowPart *part)
{
	if (part->extents != NULL)
		pfree(part->extents);
	part->extents = NULL;
	part->nextents = part->extent_slots = 0;
}
