/*
 * row_keys.h
 *	  Sort keys of rows: their code bits, and the comparison of two rows.
 *
 * The leading keys make up a string of bits that orders as an unsigned number:
 * per key a bit for NULL if the key may be NULL, then its code, inverted when
 * descending.  The code of a value passed by value is that of keys/key_encoding.h;
 * of others, the bytes of key_bytes.h.  Where all rows are at hand the code is
 * taken relative to the range of the values, and without the bytes that all begin
 * with, which often lets several keys share one word.
 *
 * Keys from the first one on that has no code, and a key whose code does not hold
 * all of its order with those behind it, are compared.
 */
#ifndef GPUSORT_ROW_KEYS_H
#define GPUSORT_ROW_KEYS_H

#include "nodes/pg_list.h"
#include "utils/sortsupport.h"

#include "keys/key_types.h"
#include "nodes/rows/key_bytes.h"
#include "nodes/rows/row_store.h"

typedef enum RowKeyKind
{
	KEY_IS_COMPARED,			/* it has no code */
	KEY_IS_VALUE,				/* passed by value */
	KEY_IS_BYTES
} RowKeyKind;

typedef struct RowKey
{
	int			attribute;
	RowKeyKind	kind;
	bool		descending;
	bool		nulls_first;
	uint8		width;			/* bytes of a KEY_IS_VALUE */
	GpusortKeyForm form;		/* of one wider than a byte */
	ByteForm	bytes;			/* of a KEY_IS_BYTES */
	SortSupportData abbreviate; /* of these, where they are an abbreviation */
	SortSupportData compare;	/* of all keys */
} RowKey;

typedef struct RowKeys
{
	int			nkeys;
	int			ncoded;			/* leading keys that have a code */
	RowKey	   *keys;
} RowKeys;

/* A field of the bit string: a key's NULL bit, or its code from low to high, or its bytes from skip on. */
typedef struct KeyField
{
	const RowKey *key;
	bool		is_null_bit;
	int			bits;
	uint64		low;
	uint64		high;
	Size		skip;
} KeyField;

typedef struct KeyCode
{
	int			nfields;
	int			bits;			/* of all fields */
	int			nexact;			/* leading keys in which rows of one code are equal */
	KeyField   *fields;
} KeyCode;

extern RowKeyKind gpusort_rows_key_kind(RowKey *key, Oid operator, Oid collation, Oid type);
extern RowKeys *gpusort_rows_keys(TupleDesc desc, List *columns, List *operators, List *collations,
								  List *nulls_first);
extern KeyCode *gpusort_rows_code_common(const RowKeys *keys, const RowLayout *layout);
extern KeyCode *gpusort_rows_code_fitted(const RowKeys *keys, const RowStore *store, int wanted_bits);
extern void gpusort_rows_code_free(KeyCode *code);
extern void gpusort_rows_encode(const KeyCode *code, const RowStore *store, const uint32 *rows,
								uint32 first, uint32 nrows, int from_bit, int nbits, uint64 *out);
extern int	gpusort_rows_skip_equal(const KeyCode *code, const RowStore *store, const uint64 *packed,
									uint64 row_mask, uint32 nrows, int from_bit);
extern int	gpusort_rows_compare(const RowKeys *keys, int first_key, const RowStore *a, uint32 row_a,
								 const RowStore *b, uint32 row_b);

#endif							/* GPUSORT_ROW_KEYS_H */
