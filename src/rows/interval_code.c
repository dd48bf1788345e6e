/*
 * interval_code.c
 *	  The code of rows that are ordered by the intervals of their key alone: a bit for NULL,
 *	  then the number of the interval.
 */
#include "postgres.h"

#include "rows/row_code.h"

/* Makes the code.  The range is that of all rows. */
KeyCode *
gpusort_rows_code_intervals(const RowKeys *keys, const ValueRange *range, uint32 buckets)
{
	KeyCode    *code = palloc0(sizeof(KeyCode));
	const RowKey *key = &keys->keys[0];

	code->nfields = 2;
	code->fields = palloc0(code->nfields * sizeof(KeyField));
	code->fields[0] = (KeyField) {.kind = FIELD_NULL, .key = key, .bits = 1};
	code->fields[1] = (KeyField) {.kind = FIELD_INTERVAL, .key = key, .bits = gpusort_rows_bit_length(buckets - 1)};
	code->fields[1].intervals = palloc(sizeof(Intervals));
	*code->fields[1].intervals = gpusort_intervals_make(range, buckets, key->descending);
	code->bits = code->fields[0].bits + code->fields[1].bits;
	code->nexact = keys->nkeys;
	code->spent = true;
	return code;
}

/* Loads the numbers of the intervals for a block of rows, and 0 for NULL. */
void
gpusort_rows_load_intervals(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const RowColumn *column = &store->columns[field->key->attribute];

#define LOAD(type, to_datum) \
	for (uint32 i = 0; i < n; i++) \
		out[i] = gpusort_interval_of(field->intervals, to_datum(((const type *) column->values.data)[rows ? rows[i] : first + i]))

	GPUSORT_FOR_LENGTH(field->key->length, LOAD);
#undef LOAD
	if (column->has_nulls)
		for (uint32 i = 0; i < n; i++)
			out[i] = column->nulls.data[rows ? rows[i] : first + i] ? 0 : out[i];
}
