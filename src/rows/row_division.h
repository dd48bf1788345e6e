/*
 * row_division.h
 *	  Which rows belong to which part: those whose word of a code lies between two limits.
 *
 * Code and limits are made of a sample of the rows, and of nothing else.  So whoever has the same
 * sample makes the same division.  A word that is frequent in the sample has a part of its own.
 *
 * Rows that no code tells apart are compared with rows of the sample: every second part
 * has the rows that are equal to one of these.
 */
#ifndef GPUSORT_ROW_DIVISION_H
#define GPUSORT_ROW_DIVISION_H

#include "rows/row_code.h"

typedef struct Division
{
	const RowKeys *keys;
	int			first_key;		/* rows are equal in all keys before this one */
	int			nparts;
	int			slots;
	uint64	   *least;			/* the least word of each part, 0 for the first */
	uint32	   *cells;			/* the part of the least word of each of equal cells of words; NULL until made */
	uint64		first_cell;		/* where cells begin, */
	int			cell_bits;		/* and the bits of a word within a cell */
	uint32		first_step;		/* of the search for a part behind that of its cell: a power of 2, or 0 */
	KeyCode    *code;			/* NULL if rows are compared */
	const PlainKey *plain;		/* what plain texts are, as the code has them; NULL if it has none */
	bool		vain;			/* the code tells no rows of the sample apart, nor that they are equal in more keys */
	bool		missed;			/* some row had a string that is not all in its word */
	RowStore   *splitters;		/* the sample of which rows are compared, */
	uint32	   *splitter_rows;	/* and these rows, in order */
} Division;

/* An empty store for the keys of a sample of rows. */
extern RowStore *gpusort_rows_sample_create(MemoryContext memory, const RowLayout *layout, const RowKeys *keys);

/*
 * Adds this many random rows of a store, or fewer so that the sample has at most its share of so many bytes, but one
 * at least.  Wide texts are cut short, which suffices for codes; or they are whole, and few rows have such.
 */
extern void gpusort_rows_sample_add(RowStore *sample, const RowKeys *keys, const RowStore *store, uint32 nrows, Size bytes,
									double share, bool whole);

/* Divides words into at most nparts parts with equal shares of these, which are sorted. */
extern Division *gpusort_rows_division_of_words(const uint64 *words, uint32 n, int nparts);

/*
 * Divides rows, nrows in all, into at most nparts parts, three or more, with equal shares of a sample, by
 * the keys from first_key on.
 */
extern Division *gpusort_rows_division_make(const RowKeys *keys, int first_key, const RowStore *sample, double nrows, int nparts);

/* The same by comparing rows.  The sample, of one row or more, belongs to the division then. */
extern Division *gpusort_rows_division_compared(const RowKeys *keys, int first_key, RowStore *sample, int nparts);

/*
 * Divides rows, nrows in all, by their code into parts of these shares, which add up to 1.  Writes how many rows each
 * part will almost surely not exceed.
 */
extern Division *gpusort_rows_division_by_shares(const KeyCode *code, const RowStore *sample, double nrows,
												 const double *shares, int nparts, uint64 *most_rows);

/* True if plain texts no longer have the codes that the division has of them. */
extern bool gpusort_rows_division_is_outdated(const Division *division);

/* Writes the words of rows first .. first + n - 1 of a store. */
extern void gpusort_rows_division_encode(Division *division, const RowStore *store, uint32 first, uint32 n, uint64 *words);

/* Writes the part of each word, and adds to the counts of rows by part. */
extern void gpusort_rows_division_find(Division *division, const uint64 *words, uint32 n, uint32 *numbers, uint32 *counts);

/* The same for words that come in ascending or in descending order: writes where those of each part end. */
extern void gpusort_rows_division_find_sorted(const Division *division, const uint64 *words, uint32 n, bool descending,
											  uint32 *ends);

/* Writes the part of rows first .. first + n - 1 of a store, which are compared, and adds to the counts. */
extern void gpusort_rows_division_compare(const Division *division, const RowStore *store, uint32 first, uint32 n,
										  uint32 *numbers, uint32 *counts);

/* Lists rows first .. first + n - 1 part by part.  Replaces the number of rows of each part by the place behind them. */
extern void gpusort_rows_division_list(const Division *division, const uint32 *numbers, uint32 first, uint32 n,
									   uint32 *ends, uint32 *rows);

/*
 * Cuts sorted words into at most nparts parts of equal shares.  The first begins with `last`: writes the least
 * words of the others, and returns how many these are.
 */
extern int	gpusort_rows_division_cut(const uint64 *words, uint32 n, int nparts, uint64 last, uint64 *least);

/* Makes count parts more before part `at`, which begin at these words. */
extern void gpusort_rows_division_insert(Division *division, int at, const uint64 *least, int count);

/* How many leading keys are surely equal in the rows of a part. */
extern int	gpusort_rows_division_equal_keys(const Division *division, int part);

/* True if rows of equal words are equal in all keys, but for the words of the end of a range. */
extern bool gpusort_rows_division_decides(const Division *division);

extern void gpusort_rows_division_free(Division *division);

#endif							/* GPUSORT_ROW_DIVISION_H */
