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

#include "large_memory.h"
#include "rows/characters.h"
#include "rows/row_list.h"

typedef enum KeyFieldKind
{
	FIELD_NULL,					/* one bit */
	FIELD_VALUE,				/* distance of a code from the end of low .. high that comes first */
	FIELD_BYTES,				/* bytes behind the first `skip` ones */
	FIELD_WORD,					/* bits behind the first `skip` ones of the words that are kept of the store's rows */
	FIELD_RANK,					/* rank of a value */
	FIELD_CHARACTERS			/* packed bytes */
} KeyFieldKind;

typedef struct TextNumbers TextNumbers;

typedef struct KeyField
{
	KeyFieldKind kind;
	const RowKey *key;
	int			bits;
	uint64		low;
	uint64		high;
	Size		skip;
	Characters *characters;
	TextNumbers *numbers;		/* of texts in a field of strings; or NULL */
	ValueRanks *ranks;
	bool		folds;			/* FIELD_VALUE of 64 bits: NULL is its first or last word, whose value has the word beside it */
	bool	   *missed;			/* set once a string is encoded that does not fit the field; NULL if that is not noted */
} KeyField;

typedef struct KeyCode
{
	int			nfields;
	int			bits;			/* of all fields */
	int			nexact;			/* leading keys in which rows of one word are surely equal */
	bool		spent;			/* bytes of the first key behind these would not tell rows of one word apart */
	KeyField   *fields;
} KeyCode;

/* Bits of the largest word, and of the largest packed integer. */
#define ROWS_WORD_BITS 64
#define ROWS_PACKED_BITS 63

#define ROWS_ENCODE_SPAN GPUSORT_INTERRUPT_VALUES	/* rows that are encoded at a time */

/* Bits that a number takes; none for 0. */
static inline int
gpusort_rows_bit_length(uint64 value)
{
	return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

/* True if the code is one field that folds. */
static inline bool
gpusort_rows_code_folds(const KeyCode *code)
{
	return code->nfields > 0 && code->fields[0].folds;
}

/* What is noted of a leading key of rows of many stores. */
typedef struct KeyRange
{
	bool		some_null;
	bool		some_value;
	uint64		low;			/* of the codes of values */
	uint64		high;
} KeyRange;

extern KeyRange *gpusort_rows_ranges_create(const RowKeys *keys);
extern void gpusort_rows_ranges_note(KeyRange *ranges, const RowKeys *keys, const RowStore *store);
extern KeyCode *gpusort_rows_code_common(const RowKeys *keys, int first_key, const KeyRange *ranges, const RowStore *sample,
										 double nrows);
extern KeyCode *gpusort_rows_code_fitted(const RowKeys *keys, int first_key, const RowStore *store,
										 const RowList *list, int word_bits, int enough_bits);
extern bool gpusort_rows_code_missed(const KeyCode *code);
extern void gpusort_rows_code_free(KeyCode *code);
extern void gpusort_rows_encode(const KeyCode *code, const RowStore *store, const uint32 *rows,
								uint32 first, uint32 nrows, int nbits, uint64 *out);

#endif							/* GPUSORT_ROW_CODE_H */
