/*
 * row_store.h
 *	  Rows in columns: the rows that a row sort holds in memory, or a block of a run.
 *
 * Values of an attribute passed by value lie in an array.  The other values of a row
 * lie one behind the other in a record, aligned as their types ask.  A record starts at
 * a multiple of MAXIMUM_ALIGNOF, and row_starts holds its place in these units.  In a
 * store much larger than the caches each array costs a cache miss per row when rows are
 * read in their new order.  So where such rows have records, values passed by value are
 * at the front of these, each at the same offset in all records, and only sort keys have
 * arrays.  Of the other values sort keys come first, so that they are found at once.
 *
 * NULLs are a byte per row, in an array that exists from the first NULL of the attribute
 * on.  Attributes that the plan knows to be constant are not stored, and values that two
 * attributes share are stored once.
 */
#ifndef GPUSORT_ROW_STORE_H
#define GPUSORT_ROW_STORE_H

#include "access/htup_details.h"
#include "access/tupdesc.h"

#include "rows/row_memory.h"

/* The most bytes of records in one store: row_starts have 32 bits. */
#define GPUSORT_RECORDS_MAX ((Size) MAXIMUM_ALIGNOF * (UINT32_MAX - 1))

#define GPUSORT_MINIMAL_TUPLE (-3)	/* the length of an attribute that is a row by itself */

#define ROWS_PREFETCH 16		/* records fetched ahead of the one being read */

typedef struct RowAttribute
{
	int16		length;			/* as pg_attribute.attlen, or GPUSORT_MINIMAL_TUPLE */
	bool		by_value;
	char		align;
	bool		is_stored;		/* false if it is constant, or has another's values */
	bool		in_column;		/* stored in an array */
	bool		in_front;		/* stored at an offset of each record */
	uint32		offset;
	int			source;			/* the attribute whose values these are: itself, or an earlier one */
	bool		is_constant;
	bool		constant_is_null;
	Datum		constant;
} RowAttribute;

typedef struct RowLayout
{
	int			natts;
	RowAttribute *attributes;
	int			nrecord;		/* attributes passed by reference; without any there are no records */
	int		   *record_attributes;	/* their numbers, in record order */
	Size		front_bytes;	/* bytes of a record before the first of these */
	Size		fixed_bytes;	/* bytes of a row, without its record and NULLs */
} RowLayout;

typedef struct RowColumn
{
	RowBuffer	values;			/* empty unless in_column */
	RowBuffer	nulls;			/* valid if has_nulls */
	bool		has_nulls;
} RowColumn;

typedef struct RowStore
{
	const RowLayout *layout;
	MemoryContext memory;
	RowColumn  *columns;		/* one per attribute */
	RowBuffer	row_starts;		/* uint32, in units of MAXIMUM_ALIGNOF */
	RowBuffer	records;
	RowBuffer	words;			/* uint64: codes of rows that are comparable with those of other stores; */
	uint32		word_kind;		/* if these have the same kind.  0: there are none */
	Size		record_bytes;	/* bytes used in records */
	int			null_columns;	/* columns with has_nulls */
	uint32		nrows;
	uint32		capacity;		/* rows that fit the columns */
	int			required;		/* 1 + the attribute without which no row is appended; 0: there is none */
	uint32		expected_rows;	/* when the columns grow, they grow to this many rows */
	Size		expected_record_bytes;
} RowStore;

/* Rows as datums, row by row: values[row * natts + attribute]. */
typedef struct RowBatch
{
	int			natts;
	int			slots;			/* rows that fit the batch */
	int			nrows;
	uint64		first;			/* number of the first row in the sorted order */
	Datum	   *values;
	bool	   *nulls;
	bool	   *has_nulls;		/* by attribute: some of these may be true, and no constant's */
	bool		is_lent;		/* a reader may change the values of a row: none is used again */
} RowBatch;

/*
 * Expands DO(type, to_datum).  The type holds values of the length: 1, 2, 4 or 8 bytes.
 * to_datum makes a Datum of such a value.
 */
#define GPUSORT_FOR_LENGTH(length, DO) \
	switch (length) \
	{ \
		case 1: \
			DO(char, CharGetDatum); \
			break; \
		case 2: \
			DO(int16, Int16GetDatum); \
			break; \
		case 4: \
			DO(int32, Int32GetDatum); \
			break; \
		default: \
			DO(Datum, (Datum)); \
			break; \
	}

extern RowLayout *gpusort_rows_layout(TupleDesc desc, List *tlist, const List *sources, const List *keys, bool is_large);

/* A layout of the same rows, in which all other attributes are NULL. */
extern RowLayout *gpusort_rows_layout_of_some(const RowLayout *layout, const List *attributes);

extern RowStore *gpusort_rows_store_create(MemoryContext memory, const RowLayout *layout);
extern void gpusort_rows_store_reserve(RowStore *store, uint32 rows);
extern void gpusort_rows_store_expect(RowStore *store, uint32 rows, Size record_bytes);
extern void gpusort_rows_store_put(RowStore *store, uint32 row, int attribute, Datum value);
extern void gpusort_rows_store_append(RowStore *store, const Datum *values, const bool *nulls);
extern void gpusort_rows_copy_values(char *to, const char *from, const uint32 *rows,
									 uint32 nrows, int16 length);
extern void gpusort_rows_store_keep(RowStore *store, uint32 *rows, uint32 nrows);
extern void gpusort_rows_store_add_nulls(RowStore *store, int attribute);
extern void gpusort_rows_store_reserve_records(RowStore *store, Size bytes);
extern void gpusort_rows_store_put_stored(RowStore *store, uint32 row, const Datum *values);
extern void gpusort_rows_store_clear(RowStore *store);

extern Size gpusort_rows_store_record_size(const RowStore *store, uint32 row);

extern void gpusort_rows_store_free(RowStore *store);
extern Datum gpusort_rows_store_get(const RowStore *store, uint32 row, int attribute, bool *is_null);
extern Size gpusort_rows_store_bytes(const RowStore *store);

extern RowBatch *gpusort_rows_batch_create(const RowLayout *layout, uint64 nrows, bool read_once);
extern void gpusort_rows_batch_gather(RowBatch *batch, const RowStore *store, const uint32 *rows,
									  uint32 position, int nrows);

static inline bool
gpusort_rows_is_null(const RowStore *store, uint32 row, int attribute)
{
	const RowColumn *column = &store->columns[attribute];

	return column->has_nulls && column->nulls.data[row];
}

static inline char *
gpusort_rows_record(const RowStore *store, uint32 row)
{
	return store->records.data + (Size) ((const uint32 *) store->row_starts.data)[row] * MAXIMUM_ALIGNOF;
}

/* Bytes of a value passed by reference that is no expanded object. */
static inline Size
gpusort_rows_value_bytes(const RowAttribute *attribute, const char *data)
{
	return attribute->length == GPUSORT_MINIMAL_TUPLE ? ((const MinimalTupleData *) data)->t_len
		: att_addlength_pointer(0, attribute->length, data);
}

/* Returns the value passed by reference at a place of a record and moves the place behind it. */
static inline Datum
gpusort_rows_next_in_record(const RowAttribute *attribute, char **place)
{
	char	   *data = (char *) att_align_pointer((uintptr_t) *place, attribute->align, attribute->length, *place);

	*place = data + gpusort_rows_value_bytes(attribute, data);
	return PointerGetDatum(data);
}

#endif							/* GPUSORT_ROW_STORE_H */
