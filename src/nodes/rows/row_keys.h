/*
 * row_keys.h
 *	  Sort keys of rows: their code bits, and the comparison of two rows.
 *
 * The leading keys of engine types ("radix keys") make up a string of bits that
 * orders as an unsigned number: per key a bit for NULL if the key may be NULL,
 * then the key's encoding (keys/key_encoding.h), inverted when descending.  Where
 * all rows are at hand the encoding is taken relative to the range of the values,
 * which often lets several keys share one word.  The keys behind them, from the
 * first of another type on, are compared.
 */
#ifndef GPUSORT_ROW_KEYS_H
#define GPUSORT_ROW_KEYS_H

#include "nodes/pg_list.h"
#include "utils/sortsupport.h"

#include "keys/key_types.h"
#include "nodes/rows/row_store.h"

typedef struct RowKey
{
	int			attribute;
	bool		is_radix;
	bool		descending;
	bool		nulls_first;
	GpusortKeyForm form;		/* of a radix key */
	SortSupportData compare;	/* of another key */
} RowKey;

typedef struct RowKeys
{
	int			nkeys;
	int			nradix;			/* leading keys that are radix keys */
	RowKey	   *keys;
} RowKeys;

/* A field of the bit string: a key's NULL bit, or its code from low to high. */
typedef struct KeyField
{
	const RowKey *key;
	bool		is_null_bit;
	int			bits;
	uint64		low;
	uint64		high;
} KeyField;

typedef struct KeyCode
{
	int			nfields;
	int			bits;			/* of all fields */
	KeyField   *fields;
} KeyCode;

extern bool gpusort_rows_key_form(Oid operator, Oid type, GpusortKeyForm *form, bool *descending);
extern RowKeys *gpusort_rows_keys(TupleDesc desc, List *columns, List *operators, List *collations,
								  List *nulls_first);
extern KeyCode *gpusort_rows_code_common(const RowKeys *keys, const RowLayout *layout);
extern KeyCode *gpusort_rows_code_fitted(const RowKeys *keys, const RowStore *store, int wanted_bits);
extern void gpusort_rows_code_free(KeyCode *code);
extern void gpusort_rows_encode(const KeyCode *code, const RowStore *store, const uint32 *rows,
								uint32 first, uint32 nrows, int from_bit, int nbits, uint64 *out);
extern int	gpusort_rows_compare(const RowKeys *keys, int first_key, const RowStore *a, uint32 row_a,
								 const RowStore *b, uint32 row_b);

#endif							/* GPUSORT_ROW_KEYS_H */
