/*
 * row_split.h
 *	  Divides rows by their keys into parts of wanted sizes, from a sample of them.
 *
 *	  create --> note ... --> find --> of
 *
 * A part has all rows whose word of the code lies between two words.  So equal rows are in
 * one part, and parts that are sorted are in order one after the other.
 */
#ifndef GPUSORT_ROW_SPLIT_H
#define GPUSORT_ROW_SPLIT_H

#include "common/pg_prng.h"

#include "rows/row_code.h"

#define GPUSORT_PARTS_MAX 16

typedef struct RowSplit
{
	RowStore   *sample;			/* a row of each stretch of the input, at random */
	uint32		most;			/* rows of the sample; even */
	uint64		stretch;		/* rows */
	uint64		seen;			/* rows that were noted */
	uint64		next;			/* the next of them that is taken */
	pg_prng_state random;

	int			nparts;			/* set by find */
	uint64		least[GPUSORT_PARTS_MAX];	/* word of each part */
	uint64		most_rows[GPUSORT_PARTS_MAX];	/* that it will have, all but surely */
} RowSplit;

/* Makes a split whose sample takes about so much memory. */
extern RowSplit *gpusort_rows_split_create(RowMemory *memory, const RowLayout *layout, Size bytes);

/* Notes the next rows of the input. */
extern void gpusort_rows_split_note(RowSplit *split, const RowStore *store);

/* Finds parts with these shares of all rows, which add up to 1. */
extern void gpusort_rows_split_find(RowSplit *split, const KeyCode *code, const double *shares, int nparts);

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
