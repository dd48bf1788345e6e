/*
 * row_batch.c
 *	  Batches of rows as datums, gathered from a store; see row_store.h.
 */
#include "postgres.h"

#include "rows/row_store.h"

#define ROWS_BATCH_DATUMS 2048	/* a batch's datums stay in the first-level cache */
#define ROWS_BATCH_MAX 256
#define ROWS_BATCH_MIN 8
#define ROWS_CACHE_LINE 64
#define ROWS_PREFETCH_BYTES ((Size) 4 * ROWS_CACHE_LINE)	/* the most bytes of a record that are prefetched */

/* Creates a batch for a sort of nrows rows, which may be lent if each is read once.  Constants are filled in once. */
RowBatch *
gpusort_rows_batch_create(const RowLayout *layout, uint64 nrows, bool read_once)
{
	RowBatch   *batch = palloc0(sizeof(RowBatch));
	int			natts = layout->natts;

	batch->natts = natts;
	batch->is_lent = read_once;
	batch->slots = Min(Min(Max(ROWS_BATCH_DATUMS / Max(natts, 1), ROWS_BATCH_MIN), ROWS_BATCH_MAX), Max(nrows, 1));
	batch->values = palloc0((sizeof(Datum) + sizeof(bool)) * natts * batch->slots + sizeof(bool) * natts);
	batch->nulls = (bool *) (batch->values + natts * batch->slots);
	batch->has_nulls = batch->nulls + natts * batch->slots;
	for (int i = 0; i < natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];

		if (!attribute->is_constant)
			continue;
		batch->is_lent &= attribute->by_value || attribute->constant_is_null;
		for (int row = 0; row < batch->slots; row++)
		{
			batch->values[row * natts + i] = attribute->constant;
			batch->nulls[row * natts + i] = attribute->constant_is_null;
		}
	}
	return batch;
}

/* Reads a column of values passed by value into the batch. */
static void
gather_column(RowBatch *batch, const RowColumn *column, int16 length, int attribute, const uint32 *rows, int nrows)
{
	Datum	   *out = batch->values + attribute;
	int			stride = batch->natts;

#define GATHER(type, to_datum) \
	for (int i = 0; i < nrows; i++) \
		out[i * stride] = to_datum(((const type *) column->values.data)[rows[i]])

	GPUSORT_FOR_LENGTH(length, GATHER);
#undef GATHER
}

/* Reads which values of an attribute are NULL. */
static void
gather_nulls(RowBatch *batch, const RowColumn *column, int attribute, const uint32 *rows, int nrows)
{
	bool	   *out = batch->nulls + attribute;
	int			stride = batch->natts;

	if (column->has_nulls)
		for (int i = 0; i < nrows; i++)
			out[i * stride] = column->nulls.data[rows[i]];
	else if (batch->has_nulls[attribute])
		for (int i = 0; i < batch->slots; i++)
			out[i * stride] = false;
	batch->has_nulls[attribute] = column->has_nulls;
}

/* Prefetches the first bytes of a record, at least one. */
static inline void
prefetch_record(const char *record, Size bytes)
{
	for (Size done = 0; done < bytes; done += ROWS_CACHE_LINE)
		__builtin_prefetch(record + done);
	__builtin_prefetch(record + bytes - 1);
}

/* Reads an attribute at the front of records. */
static void
gather_front(RowBatch *batch, char *const *records, const RowAttribute *attribute, int number, int nrows)
{
	Datum	   *out = batch->values + number;
	int			stride = batch->natts;
	uint32		offset = attribute->offset;

#define GATHER(type, to_datum) \
	for (int i = 0; i < nrows; i++) \
		out[i * stride] = to_datum(*(const type *) (records[i] + offset))

	GPUSORT_FOR_LENGTH(attribute->length, GATHER);
#undef GATHER
}

/* Reads the records of the rows into the batch.  Its NULLs must already be set. */
static void
gather_records(RowBatch *batch, const RowStore *store, const uint32 *rows, int nrows)
{
	const RowLayout *layout = store->layout;
	/* To find a value, those before it are read for their lengths, and whoever gets the row reads them all. */
	Size		bytes = Min(Max(store->record_bytes / Max(store->nrows, 1), layout->front_bytes + 1), ROWS_PREFETCH_BYTES);
	const RowAttribute *first = &layout->attributes[layout->record_attributes[0]];
	bool		is_placed = layout->nrecord == 1 && att_align_nominal(layout->front_bytes, first->align) == layout->front_bytes;
	char	   *records[ROWS_BATCH_MAX];

	/* The places are read first, because these loads do not wait for one another. */
	for (int i = 0; i < nrows; i++)
		records[i] = gpusort_rows_record(store, rows[i]);
	for (int i = 0; i < Min(nrows, ROWS_PREFETCH); i++)
		prefetch_record(records[i], bytes);
	for (int i = 0; i < nrows; i++)
	{
		Datum	   *values = batch->values + i * batch->natts;
		const bool *nulls = batch->nulls + i * batch->natts;
		char	   *place = records[i] + layout->front_bytes;

		if (i + ROWS_PREFETCH < nrows)
			prefetch_record(records[i + ROWS_PREFETCH], bytes);
		if (is_placed)
		{
			/* The value is not read to find where another one begins. */
			if (!nulls[layout->record_attributes[0]])
				values[layout->record_attributes[0]] = PointerGetDatum(place);
			continue;
		}
		for (int r = 0; r < layout->nrecord; r++)
		{
			int			attribute = layout->record_attributes[r];

			if (!nulls[attribute])
				values[attribute] = gpusort_rows_next_in_record(&layout->attributes[attribute], &place);
		}
	}
	for (int i = 0; i < layout->natts && layout->front_bytes > 0; i++)
	{
		if (layout->attributes[i].in_front)
			gather_front(batch, records, &layout->attributes[i], i, nrows);
	}
}

/* Copies values within the rows of the batch to the attributes that share them. */
static void
copy_shared(RowBatch *batch, const RowLayout *layout, int nrows)
{
	for (int i = 0; i < layout->natts; i++)
	{
		int			source = layout->attributes[i].source;

		if (source == i || layout->attributes[i].is_constant)
			continue;
		for (int row = 0; row < nrows; row++)
		{
			batch->values[row * batch->natts + i] = batch->values[row * batch->natts + source];
			batch->nulls[row * batch->natts + i] = batch->nulls[row * batch->natts + source];
		}
	}
}

/*
 * Replaces the rows of the batch by these, which must fit, from `position` in the sorted order on.  Without a list
 * the rows are in that order.  Values passed by reference point into the store.
 */
void
gpusort_rows_batch_gather(RowBatch *batch, const RowStore *store, const uint32 *rows, uint32 position, int nrows)
{
	const RowLayout *layout = store->layout;
	uint32		positions[ROWS_BATCH_MAX];

	if (rows == NULL)
	{
		for (int row = 0; row < nrows; row++)
			positions[row] = position + row;
		rows = positions;
	}
	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		const RowColumn *column = &store->columns[i];

		if (!attribute->is_stored)
			continue;
		gather_nulls(batch, column, i, rows, nrows);
		if (attribute->in_column)
			gather_column(batch, column, attribute->length, i, rows, nrows);
	}
	if (layout->nrecord > 0)
		gather_records(batch, store, rows, nrows);
	copy_shared(batch, layout, nrows);
	batch->nrows = nrows;
}
