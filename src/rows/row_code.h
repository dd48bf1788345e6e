/*
 * row_code.h
 *	  The leading keys of rows as one word that orders as an unsigned number.
 *
 * A code is a string of fields: per key a bit for NULL, then the code of the key, inverted
 * when descending.  A fitted code is made for certain rows of one store and holds only
 * what tells them apart: values relative to the least one, and bytes without the prefix
 * that all have, packed by the characters that occur.  Bits that do not fit a word are
 * left out: for rows of equal words another code is made, for them alone.
 *
 * A common code, for rows of many stores, is made of a sample of them.
 */
#ifndef GPUSORT_ROW_CODE_H
#define GPUSORT_ROW_CODE_H

#include "rows/characters.h"
#include "rows/row_keys.h"

typedef enum KeyFieldKind
{
	FIELD_NULL,					/* one bit */
	FIELD_VALUE,				/* a code from low to high, less low */
	FIELD_BYTES,				/* bytes from number `skip` on */
	FIELD_CHARACTERS			/* packed bytes */
} KeyFieldKind;

typedef struct KeyField
{
	KeyFieldKind kind;
	const RowKey *key;
	int			bits;
	uint64		low;
	uint64		high;
	Size		skip;
	Characters *characters;
} KeyField;

typedef struct KeyCode
{
	int			nfields;
	int			bits;			/* of all fields */
	int			nexact;			/* leading keys in which rows of one word are surely equal */
	bool		spent;			/* another code would not tell rows of one word apart */
	KeyField   *fields;
} KeyCode;

/* Rows of a store: their numbers are packed[i] & row_mask or, if packed is NULL, 0 to count - 1. */
typedef struct RowList
{
	const uint64 *packed;
	uint64		row_mask;
	uint32		count;
} RowList;

/* Bits of the largest word. */
#define ROWS_WORD_BITS 64

/* Bits that a number takes; none for 0. */
static inline int
gpusort_rows_bit_length(uint64 value)
{
	return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

extern KeyCode *gpusort_rows_code_common(const RowKeys *keys, const RowStore *sample, double nrows);
extern KeyCode *gpusort_rows_code_fitted(const RowKeys *keys, int first_key, const RowStore *store,
										 const RowList *list, int word_bits, int enough_bits);
extern void gpusort_rows_keep_words(RowKeys *keys, const RowStore *store);
extern void gpusort_rows_forget_words(RowKeys *keys);
extern void gpusort_rows_code_free(KeyCode *code);
extern void gpusort_rows_encode(const KeyCode *code, const RowStore *store, const uint32 *rows,
								uint32 first, uint32 nrows, int nbits, uint64 *out);

#define ROWS_PREFETCH 16		/* records fetched ahead of the one being read */

/* Prefetches the record of a row of the list that will soon be read, and the place of a later record. */
static inline void
gpusort_rows_prefetch(const RowStore *store, const RowList *list, uint32 i, uint32 step)
{
	if (list->packed == NULL || step > 1)
		return;
	if (i + 2 * ROWS_PREFETCH < list->count)
		__builtin_prefetch((const uint32 *) store->row_starts.data + (list->packed[i + 2 * ROWS_PREFETCH] & list->row_mask));
	if (i + ROWS_PREFETCH < list->count)
		__builtin_prefetch(gpusort_rows_record(store, list->packed[i + ROWS_PREFETCH] & list->row_mask));
}

#endif							/* GPUSORT_ROW_CODE_H */
