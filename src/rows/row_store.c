/*
 * row_store.c
 *	  Rows in columns, see row_store.h.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "nodes/primnodes.h"
#include "utils/expandeddatum.h"

#include "large_memory.h"
#include "rows/row_store.h"

/* Memory is reserved for few rows at first, then for some more, and only then for as many as are expected. */
#define ROWS_FIRST_CAPACITY 64
#define ROWS_SECOND_CAPACITY 512
#define ROWS_FIRST_RECORDS ((Size) 1024)
#define ROWS_SECOND_RECORDS ((Size) 8 * 1024)

/*
 * Puts values passed by value that are no keys at the front of records.  The widest come first,
 * so that none needs padding.
 */
static void
lay_out_front(RowLayout *layout, const List *keys)
{
	for (int length = sizeof(Datum); length > 0; length /= 2)
	{
		for (int i = 0; i < layout->natts; i++)
		{
			RowAttribute *attribute = &layout->attributes[i];

			if (!attribute->in_column || attribute->length != length || list_member_int(keys, i))
				continue;
			attribute->in_column = false;
			attribute->in_front = true;
			attribute->offset = layout->front_bytes;
			layout->front_bytes += length;
		}
	}
}

/* Lists the attributes passed by reference, keys first. */
static void
list_record_attributes(RowLayout *layout, const List *keys)
{
	bool	   *listed = palloc0(layout->natts * sizeof(bool));
	ListCell   *cell;

	for (int i = 0; i < layout->natts; i++)
		listed[i] = !layout->attributes[i].is_stored || layout->attributes[i].by_value;
	foreach(cell, keys)
	{
		if (!listed[lfirst_int(cell)])
			layout->record_attributes[layout->nrecord++] = lfirst_int(cell);
		listed[lfirst_int(cell)] = true;
	}
	for (int i = 0; i < layout->natts; i++)
	{
		if (!listed[i])
			layout->record_attributes[layout->nrecord++] = i;
	}
	pfree(listed);
}

/* Bytes of a row's columns, and of the place of its record. */
static Size
fixed_bytes(const RowLayout *layout)
{
	Size		bytes = layout->nrecord > 0 ? sizeof(uint32) : 0;

	for (int i = 0; i < layout->natts; i++)
	{
		if (layout->attributes[i].in_column)
			bytes += layout->attributes[i].length;
	}
	return bytes;
}

/*
 * Makes the layout of rows of a descriptor.  The target list tells which attributes are
 * constant; it is NIL if none is.  The list of sources has a RowAttribute.source for each attribute; it is NIL if no
 * attribute has the values of another.  Keys are attributes that have values of their own.  A
 * large store does not fit the caches.
 */
RowLayout *
gpusort_rows_layout(TupleDesc desc, List *tlist, const List *sources, const List *keys, bool is_large)
{
	RowLayout  *layout = palloc0(sizeof(RowLayout) + desc->natts * (sizeof(RowAttribute) + sizeof(int)));

	layout->natts = desc->natts;
	layout->attributes = (RowAttribute *) (layout + 1);
	layout->record_attributes = (int *) (layout->attributes + desc->natts);
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(desc, i);
		RowAttribute *attribute = &layout->attributes[i];
		const Const *constant = tlist == NIL ? NULL : (const Const *) list_nth_node(TargetEntry, tlist, i)->expr;

		attribute->length = form->attlen;
		attribute->by_value = form->attbyval;
		attribute->align = form->attalign;
		if (constant != NULL && IsA(constant, Const))
		{
			attribute->is_constant = true;
			attribute->constant = constant->constvalue;
			attribute->constant_is_null = constant->constisnull;
		}
		attribute->source = sources == NIL ? i : list_nth_int(sources, i);
		attribute->is_stored = !attribute->is_constant && attribute->source == i;
		attribute->in_column = attribute->is_stored && attribute->by_value;
	}
	list_record_attributes(layout, keys);
	if (layout->nrecord > 0 && is_large)
		lay_out_front(layout, keys);
	layout->fixed_bytes = fixed_bytes(layout);
	return layout;
}

RowLayout *
gpusort_rows_layout_of_some(const RowLayout *layout, const List *attributes)
{
	RowLayout  *some = palloc0(sizeof(RowLayout));

	some->natts = layout->natts;
	some->attributes = palloc0(layout->natts * sizeof(RowAttribute));
	some->record_attributes = palloc(layout->natts * sizeof(int));
	for (int i = 0; i < layout->natts; i++)
	{
		some->attributes[i] = layout->attributes[i];
		if (list_member_int(attributes, i))
			continue;
		some->attributes[i].is_stored = some->attributes[i].in_column = some->attributes[i].in_front = false;
		some->attributes[i].is_constant = some->attributes[i].constant_is_null = true;
	}
	list_record_attributes(some, attributes);
	some->fixed_bytes = fixed_bytes(some);
	return some;
}

RowStore *
gpusort_rows_store_create(MemoryContext memory, const RowLayout *layout)
{
	RowStore   *store = palloc0(sizeof(RowStore) + layout->natts * sizeof(RowColumn));

	store->layout = layout;
	store->memory = memory;
	store->columns = (RowColumn *) (store + 1);
	return store;
}

/* Makes the columns hold at least this many rows, and some more.  Records grow when they are added. */
void
gpusort_rows_store_reserve(RowStore *store, uint32 rows)
{
	const RowLayout *layout = store->layout;

	if (rows <= store->capacity)
		return;
	if (store->capacity >= ROWS_SECOND_CAPACITY)
		rows = Max(Max(rows, store->capacity + store->capacity / 2), store->expected_rows);
	rows = Max(rows, store->capacity == 0 ? ROWS_FIRST_CAPACITY : ROWS_SECOND_CAPACITY);
	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		RowColumn  *column = &store->columns[i];

		if (attribute->in_column)
			gpusort_rows_buffer_reserve(store->memory, &column->values, (Size) rows * attribute->length);
		if (column->nulls.data != NULL)
			gpusort_rows_buffer_reserve(store->memory, &column->nulls, rows);
	}
	if (layout->nrecord > 0)
		gpusort_rows_buffer_reserve(store->memory, &store->row_starts, (Size) rows * sizeof(uint32));
	store->capacity = rows;
}

/* Tells how many rows and bytes of records to expect.  Memory for them is reserved once more than a few have come. */
void
gpusort_rows_store_expect(RowStore *store, uint32 rows, Size record_bytes)
{
	store->expected_rows = rows;
	store->expected_record_bytes = record_bytes;
	gpusort_rows_store_reserve(store, Min(rows, ROWS_FIRST_CAPACITY));
}

/* Gives the attribute an array of NULL bytes.  Rows so far are not NULL. */
void
gpusort_rows_store_add_nulls(RowStore *store, int attribute)
{
	RowColumn  *column = &store->columns[attribute];

	if (column->has_nulls)
		return;
	gpusort_rows_buffer_reserve(store->memory, &column->nulls, store->capacity);
	memset(column->nulls.data, 0, store->capacity);
	column->has_nulls = true;
	store->null_columns++;
}

/* Makes room for records of this many bytes behind those that there are. */
void
gpusort_rows_store_reserve_records(RowStore *store, Size bytes)
{
	Size		end = store->record_bytes + bytes;

	if (end > store->records.size)
		gpusort_rows_buffer_reserve(store->memory, &store->records,
									store->records.size == 0 ? Max(end, ROWS_FIRST_RECORDS)
									: store->records.size < ROWS_SECOND_RECORDS ? Max(end, ROWS_SECOND_RECORDS)
									: Max(Max(end, store->records.size + store->records.size / 2), store->expected_record_bytes));
}

/* Adds a record of this size for the row and returns where to write it. */
static char *
add_record(RowStore *store, uint32 row, Size bytes)
{
	Size		start = store->record_bytes;
	Size		end = start + MAXALIGN(bytes);

	gpusort_rows_store_reserve_records(store, MAXALIGN(bytes));
	((uint32 *) store->row_starts.data)[row] = start / MAXIMUM_ALIGNOF;
	store->record_bytes = end;
	return store->records.data + start;
}

/* Bytes that the value takes at this offset of a record, including padding before it. */
static Size
value_size(const RowAttribute *attribute, Datum value, Size offset)
{
	char	   *data = DatumGetPointer(value);
	Size		aligned;

	if (attribute->length == -1 && VARATT_IS_EXTERNAL_EXPANDED(data))
	{
		aligned = att_align_nominal(offset, attribute->align);
		return aligned - offset + EOH_get_flat_size(DatumGetEOHP(value));
	}
	aligned = att_align_datum(offset, attribute->align, attribute->length, value);
	return aligned - offset + gpusort_rows_value_bytes(attribute, data);
}

/*
 * Pads a record for a value that must be aligned.  The padding is zeros: no value without
 * alignment begins with one, so a reader knows that it is padding.
 */
static inline char *
pad_record(const RowAttribute *attribute, char *end)
{
	while ((uintptr_t) end != att_align_nominal((uintptr_t) end, attribute->align))
		*end++ = 0;
	return end;
}

/* Writes a value that is no expanded object behind the end of a record and returns the new end. */
static inline char *
write_stored(const RowAttribute *attribute, Datum value, char *end)
{
	char	   *data = DatumGetPointer(value);
	Size		size = gpusort_rows_value_bytes(attribute, data);

	/* Values with a 1-byte header, TOAST pointers among them, need no alignment. */
	if (attribute->length != -1 || !VARATT_IS_1B(data))
		end = pad_record(attribute, end);
	memcpy(end, data, size);
	return end + size;
}

/* The same for any value, also an expanded object. */
static char *
write_value(const RowAttribute *attribute, Datum value, char *end)
{
	ExpandedObjectHeader *object;
	Size		size;

	if (attribute->length != -1 || !VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return write_stored(attribute, value, end);
	object = DatumGetEOHP(value);
	size = EOH_get_flat_size(object);
	end = pad_record(attribute, end);
	EOH_flatten_into(object, end, size);
	return end + size;
}

static inline void
put_value(RowColumn *column, int16 length, uint32 row, Datum value)
{
#define PUT(type, to_datum) ((type *) column->values.data)[row] = (type) value
	GPUSORT_FOR_LENGTH(length, PUT);
#undef PUT
}

static inline Datum
get_value(const RowColumn *column, int16 length, uint32 row)
{
#define GET(type, to_datum) return to_datum(((const type *) column->values.data)[row])
	GPUSORT_FOR_LENGTH(length, GET);
#undef GET
}

/* Sets an attribute passed by value.  The row must be less than the capacity, and its record be there. */
void
gpusort_rows_store_put(RowStore *store, uint32 row, int attribute, Datum value)
{
	const RowAttribute *described = &store->layout->attributes[attribute];

	if (described->in_front)
		store_att_byval(gpusort_rows_record(store, row) + described->offset, value, described->length);
	else
		put_value(&store->columns[attribute], described->length, row, value);
}

/* Writes the record of a row from its values by attribute. */
static void
put_record(RowStore *store, uint32 row, const Datum *values, const bool *nulls)
{
	const RowLayout *layout = store->layout;
	Size		bytes = layout->front_bytes;
	char	   *end;

	for (int r = 0; r < layout->nrecord; r++)
	{
		int			i = layout->record_attributes[r];

		if (!nulls[i])
			bytes += value_size(&layout->attributes[i], values[i], bytes);
	}
	end = add_record(store, row, bytes);
	for (int i = 0; i < layout->natts && layout->front_bytes > 0; i++)
	{
		if (layout->attributes[i].in_front)
			gpusort_rows_store_put(store, row, i, nulls[i] ? (Datum) 0 : values[i]);
	}
	end += layout->front_bytes;
	for (int r = 0; r < layout->nrecord; r++)
	{
		int			i = layout->record_attributes[r];

		if (!nulls[i])
			end = write_value(&layout->attributes[i], values[i], end);
	}
}

/*
 * Writes the record of a row, except for its front, from its values in the order of the record.
 * None of them is NULL or an expanded object.  The records must have space for the front, for the
 * bytes of the values, and for MAXIMUM_ALIGNOF more for each value and for the record.
 */
void
gpusort_rows_store_put_stored(RowStore *store, uint32 row, const Datum *values)
{
	const RowLayout *layout = store->layout;
	char	   *end = store->records.data + store->record_bytes + layout->front_bytes;

	((uint32 *) store->row_starts.data)[row] = store->record_bytes / MAXIMUM_ALIGNOF;
	for (int r = 0; r < layout->nrecord; r++)
		end = write_stored(&layout->attributes[layout->record_attributes[r]], values[r], end);
	store->record_bytes = MAXALIGN(end - store->records.data);
}

/* Appends a row, unless a required value is NULL.  Values of attributes that are not stored are ignored. */
void
gpusort_rows_store_append(RowStore *store, const Datum *values, const bool *nulls)
{
	const RowLayout *layout = store->layout;
	uint32		row = store->nrows;

	if (store->required > 0 && nulls[store->required - 1])
		return;
	gpusort_rows_store_reserve(store, row + 1);
	for (int i = 0; i < layout->natts; i++)
	{
		const RowAttribute *attribute = &layout->attributes[i];
		RowColumn  *column = &store->columns[i];

		if (!attribute->is_stored)
			continue;
		if (nulls[i])
			gpusort_rows_store_add_nulls(store, i);
		if (column->has_nulls)
			column->nulls.data[row] = nulls[i];
		if (attribute->in_column)
			put_value(column, attribute->length, row, nulls[i] ? (Datum) 0 : values[i]);
	}
	if (layout->nrecord > 0)
		put_record(store, row, values, nulls);
	store->nrows++;
}

/* One value of one row.  The attribute must have values of its own. */
Datum
gpusort_rows_store_get(const RowStore *store, uint32 row, int attribute, bool *is_null)
{
	const RowLayout *layout = store->layout;
	const RowAttribute *wanted = &layout->attributes[attribute];
	char	   *place;

	if (wanted->is_constant)
	{
		*is_null = wanted->constant_is_null;
		return wanted->constant;
	}
	*is_null = gpusort_rows_is_null(store, row, attribute);
	if (*is_null)
		return (Datum) 0;
	if (wanted->in_column)
		return get_value(&store->columns[attribute], wanted->length, row);

	place = gpusort_rows_record(store, row);
	if (wanted->in_front)
		return fetch_att(place + wanted->offset, true, wanted->length);
	place += layout->front_bytes;
	for (int r = 0;; r++)
	{
		int			i = layout->record_attributes[r];
		Datum		value;

		if (gpusort_rows_is_null(store, row, i))
			continue;
		value = gpusort_rows_next_in_record(&layout->attributes[i], &place);
		if (i == attribute)
			return value;
	}
}

/* Bytes of a row's record, which ends where the next row's begins: rows that were scattered are not copied. */
Size
gpusort_rows_store_record_size(const RowStore *store, uint32 row)
{
	const char *end = row + 1 < store->nrows ? gpusort_rows_record(store, row + 1)
		: store->records.data + store->record_bytes;

	return end - gpusort_rows_record(store, row);
}

/* Copies values of a width: to[i] becomes from[rows[i]]. */
static void
copy_some_values(char *to, const char *from, const uint32 *rows, uint32 nrows, int16 length)
{
#define COPY(type, to_datum) \
	for (uint32 i = 0; i < nrows; i++) \
		((type *) to)[i] = ((const type *) from)[rows[i]]

	GPUSORT_FOR_LENGTH(length, COPY);
#undef COPY
}

/* The same, but interrupts are heeded in between. */
void
gpusort_rows_copy_values(char *to, const char *from, const uint32 *rows, uint32 nrows, int16 length)
{
	for (uint32 done = 0; done < nrows; done += GPUSORT_INTERRUPT_INTERVAL)
	{
		if (done > 0)
			CHECK_FOR_INTERRUPTS();
		copy_some_values(to + (Size) done * length, from, rows + done, Min(GPUSORT_INTERRUPT_INTERVAL, nrows - done), length);
	}
}

/* Puts a list of n rows of a store in ascending order. */
static void
ascending(const RowStore *store, uint32 *rows, uint32 n)
{
	uint8	   *listed = palloc0(store->nrows / 8 + 1);
	uint32		done = 0;

	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		listed[rows[i] / 8] |= 1 << rows[i] % 8;
	}
	for (uint32 row = 0; done < n; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		if (listed[row / 8] & 1 << row % 8)
			rows[done++] = row;
	}
	pfree(listed);
}

/* Drops all rows that are not listed, and puts the list in ascending order. */
void
gpusort_rows_store_keep(RowStore *store, uint32 *rows, uint32 nrows)
{
	const RowLayout *layout = store->layout;

	ascending(store, rows, nrows);
	for (int i = 0; i < layout->natts; i++)
	{
		RowColumn  *column = &store->columns[i];

		if (column->has_nulls)
			gpusort_rows_copy_values(column->nulls.data, column->nulls.data, rows, nrows, sizeof(bool));
		if (layout->attributes[i].in_column)
			gpusort_rows_copy_values(column->values.data, column->values.data, rows, nrows,
									 layout->attributes[i].length);
	}
	if (layout->nrecord > 0)
	{
		uint32	   *starts = (uint32 *) store->row_starts.data;
		Size		end = 0;

		for (uint32 i = 0; i < nrows; i++)
		{
			Size		size = gpusort_rows_store_record_size(store, rows[i]);

			GPUSORT_CHECK_VALUES(i);
			memmove(store->records.data + end, gpusort_rows_record(store, rows[i]), size);
			starts[i] = end / MAXIMUM_ALIGNOF;
			end += size;
		}
		store->record_bytes = end;
	}
	store->nrows = nrows;
}

/* Removes all rows.  The buffers are kept. */
void
gpusort_rows_store_clear(RowStore *store)
{
	for (int i = 0; i < store->layout->natts; i++)
		store->columns[i].has_nulls = false;
	store->null_columns = 0;
	store->word_kind = 0;
	store->nrows = 0;
	store->record_bytes = 0;
}

/* Frees the store and its buffers. */
void
gpusort_rows_store_free(RowStore *store)
{
	for (int i = 0; i < store->layout->natts; i++)
	{
		gpusort_rows_buffer_release(&store->columns[i].values);
		gpusort_rows_buffer_release(&store->columns[i].nulls);
	}
	gpusort_rows_buffer_release(&store->row_starts);
	gpusort_rows_buffer_release(&store->records);
	gpusort_rows_buffer_release(&store->words);
	pfree(store);
}

/* Bytes of the rows held. */
Size
gpusort_rows_store_bytes(const RowStore *store)
{
	return (Size) store->nrows * (store->layout->fixed_bytes + store->null_columns) + store->record_bytes;
}
