/*
 * row_split.h
 *	  Divides rows by their keys into parts of wanted sizes, from a sample of them.
 *
 *	  create --> note ... --> find --> part
 *
 * The rows of a part are those whose word of the code lies between two limits.  So equal rows
 * are in one part, and sorted parts follow one another in order.
 */
#ifndef GPUSORT_ROW_SPLIT_H
#define GPUSORT_ROW_SPLIT_H

#include "common/pg_prng.h"

#include "rows/row_code.h"

#define GPUSORT_PARTS_MAX 16

typedef struct RowSplit
{
	RowStore   *sample;			/* a random row of each stretch of the input */
	uint32		most;			/* rows at which the sample is halved; even */
	uint64		stretch;		/* rows of the input per row of the sample */
	uint64		seen;			/* rows noted so far */
	uint64		next;			/* number of the next row that goes to the sample */
	pg_prng_state random;

	int			nparts;			/* set by find */
	uint64		least[GPUSORT_PARTS_MAX];	/* lower limit of each part's words */
	uint64		most_rows[GPUSORT_PARTS_MAX];	/* rows that a part will almost surely not exceed */
} RowSplit;

/* Makes a split of rows such as those of a store, with a sample that takes about this many bytes. */
extern RowSplit *gpusort_rows_split_create(const RowStore *like, Size bytes);

/* Notes the next rows of the input. */
extern void gpusort_rows_split_note(RowSplit *split, const RowStore *store);

/* Finds parts with these shares of all rows, which add up to 1. */
extern void gpusort_rows_split_find(RowSplit *split, const KeyCode *code, const double *shares, int nparts);

/* Estimates how many rows have the most frequent word, at least. */
extern double gpusort_rows_split_most_tied(RowSplit *split, const KeyCode *code);

/* The part of a row with this word. */
static inline int
gpusort_rows_split_part(const RowSplit *split, uint64 word)
{
	int			part = 0;

	for (int i = 1; i < split->nparts; i++)
		part += word >= split->least[i];
	return part;
}

#endif							/* GPUSORT_ROW_SPLIT_H */
