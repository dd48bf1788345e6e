/*
 * word_sample.h
 *	  What the first words of the codes of some rows tell about all rows.
 */
#ifndef GPUSORT_WORD_SAMPLE_H
#define GPUSORT_WORD_SAMPLE_H

#include "rows/row_code.h"

/* The words of n rows of a store, rows[0..n) or, if rows is NULL, the first ones, in ascending order. */
extern uint64 *gpusort_rows_sorted_words(const KeyCode *code, const RowStore *store, const uint32 *rows, uint32 n);

/* The same of n random rows of a store, which has as many or more. */
extern uint64 *gpusort_rows_sample_words(const KeyCode *code, const RowStore *store, uint32 n);

/* Estimates which share of a store's rows have a word in common with another row. */
extern double gpusort_rows_tied_share(const KeyCode *code, const RowStore *store);

/* Estimates which share of rows have the most frequent word, at least, by a sample of one row or more. */
extern double gpusort_rows_most_tied_share(const KeyCode *code, const RowStore *sample);

#endif							/* GPUSORT_WORD_SAMPLE_H */
