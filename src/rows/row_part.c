/*
 * row_part.c
 *	  The rows of a part in temporary files, see row_part.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_part.h"

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
		part->extent_slots += part->extent_slots / 2 + 1;
		part->extents = part->extents == NULL ? palloc(sizeof(PartExtent))
			: repalloc_huge(part->extents, part->extent_slots * sizeof(PartExtent));
	}
	part->extents[part->nextents++] = extent;
	gpusort_rows_spill_hold(extent.file);
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

/* How many of the rows a block has, at least one, so that it takes about so many bytes. */
static uint32
block_rows(const RowStore *store, const uint32 *rows, uint32 first, uint32 nrows, Size block_bytes)
{
	Size		fixed = store->layout->fixed_bytes + store->null_columns;
	Size		bytes = 0;
	uint32		n = 0;

	if (store->layout->nrecord == 0)
		return Min(nrows, Max(block_bytes / Max(fixed, 1), 1));
	while (n < nrows && bytes < block_bytes)
	{
		bytes += fixed + gpusort_rows_store_record_size(store, rows ? rows[n] : first + n);
		n++;
	}
	return n;
}

void
gpusort_rows_part_append(RowPart *part, SpillFile *file, const RowStore *store, const uint32 *rows, uint32 first,
						 uint32 nrows, Size block_bytes)
{
	while (nrows > 0)
	{
		uint32		n = block_rows(store, rows, first, nrows, block_bytes);
		int64		place = gpusort_rows_spill_size(file);
		Size		record_bytes = gpusort_stored_rows_append(file, store, rows, first, n);

		CHECK_FOR_INTERRUPTS();
		add_extent(part, (PartExtent) {file, place, gpusort_rows_spill_size(file)});
		note_block(part, n, record_bytes, n * (store->layout->fixed_bytes + store->null_columns) + record_bytes);
		rows = rows ? rows + n : NULL;
		first += n;
		nrows -= n;
	}
}

PartReader
gpusort_rows_part_read(const RowPart *part)
{
	return (PartReader) {part, 0, part->nextents > 0 ? part->extents[0].start : 0};
}

void
gpusort_rows_part_skip(PartReader *reader, const StoredRows *head)
{
	const RowPart *part = reader->part;

	reader->place += head->bytes;
	if (reader->place == part->extents[reader->extent].end && ++reader->extent < part->nextents)
		reader->place = part->extents[reader->extent].start;
}

void
gpusort_rows_part_head(const PartReader *reader, bool alone, StoredRows *head)
{
	const PartExtent *extent = &reader->part->extents[reader->extent];

	gpusort_stored_rows_head(extent->file, reader->place, alone ? reader->place + sizeof(StoredRows) : extent->end, head);
}

void
gpusort_rows_part_next(PartReader *reader, const StoredRows *head, RowStore *store)
{
	const PartExtent *extent = &reader->part->extents[reader->extent];

	gpusort_stored_rows_load(extent->file, reader->place, extent->end, store);
	gpusort_rows_part_skip(reader, head);
}

void
gpusort_rows_part_cut(PartReader *reader, const StoredRows *head, RowPart *piece)
{
	SpillFile  *file = reader->part->extents[reader->extent].file;

	add_extent(piece, (PartExtent) {file, reader->place, reader->place + head->bytes});
	note_block(piece, head->nrows, head->record_bytes, head->bytes);
	gpusort_rows_part_skip(reader, head);
}

bool
gpusort_rows_part_fill(PartReader *reader, RowStore *store, Size per_row, Size limit)
{
	while (!gpusort_rows_part_done(reader))
	{
		StoredRows	head;
		Size		bytes;

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_part_head(reader, false, &head);
		bytes = gpusort_rows_store_bytes(store) + head.bytes + (store->nrows + head.nrows) * per_row;
		if (store->nrows > 0 && bytes > limit)
			break;
		gpusort_rows_part_next(reader, &head, store);
	}
	return store->nrows > 0;
}

void
gpusort_rows_part_give_up(RowPart *part, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		if (part->extents[i].file != NULL)
			gpusort_rows_spill_close(part->extents[i].file);
		part->extents[i].file = NULL;
	}
}

void
gpusort_rows_part_clear(RowPart *part)
{
	gpusort_rows_part_give_up(part, part->nextents);
	if (part->extents != NULL)
		pfree(part->extents);
	part->extents = NULL;
	part->nextents = part->extent_slots = 0;
}
