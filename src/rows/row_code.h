/*
 * row_code.h
 *	  The leading keys of rows as one word that orders as an unsigned number.
 *
 * A code is a string of fields: per key a bit for NULL, then its code, inverted when
 * descending.  It is made for the rows at hand and holds what tells them apart:
 * values relative to their range, bytes without those that all begin with, and
 * packed by the characters that occur.  No code holds more than fits a word: for
 * rows of equal words another one is made, for them alone.
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
	FIELD_VALUE,				/* from low to high */
	FIELD_BYTES,				/* as they are, from skip on */
	FIELD_CHARACTERS			/* bytes, packed */
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
	int			nexact;			/* leading keys in which rows of one word are equal */
	bool		spent;			/* another code would not tell such rows apart */
	KeyField   *fields;
} KeyCode;

/* Rows of a store: those in row_mask of packed, or without packed the first ones. */
typedef struct RowList
{
	const uint64 *packed;
	uint64		row_mask;
	uint32		count;
} RowList;

extern KeyCode *gpusort_rows_code_common(const RowKeys *keys, const RowStore *sample, double nrows);
extern KeyCode *gpusort_rows_code_fitted(const RowKeys *keys, int first_key, const RowStore *store,
										 const RowList *list, int word_bits, int enough_bits);
extern void gpusort_rows_code_free(KeyCode *code);
extern void gpusort_rows_encode(const KeyCode *code, const RowStore *store, const uint32 *rows,
								uint32 first, uint32 nrows, int nbits, uint64 *out);

#endif							/* GPUSORT_ROW_CODE_H */
