/*
 * word_sample.c
 *	  See word_sample.h.
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "miscadmin.h"

#include "keys/key_compare.h"
#include "rows/word_sample.h"

/*
 * A sample to find ties in has so many times the root of all rows.  A quarter of the rows,
 * tied two by two, shows itself by about eight pairs then, whatever their number is.
 */
#define ROWS_TIES_SAMPLED 8
#define ROWS_TIED_DEVIATIONS 2

uint64 *
gpusort_rows_sorted_words(const KeyCode *code, const RowStore *store, const uint32 *rows, uint32 n)
{
	uint64	   *words = palloc(n * sizeof(uint64));

	gpusort_rows_encode(code, store, rows, 0, n, ROWS_WORD_BITS, words);
	qsort(words, n, sizeof(uint64), gpusort_compare_codes);
	return words;
}

/* One row of each stretch is taken. */
uint64 *
gpusort_rows_sample_words(const KeyCode *code, const RowStore *store, uint32 n)
{
	uint32	   *rows = palloc(n * sizeof(uint32));
	uint64	   *words;
	pg_prng_state random;

	pg_prng_seed(&random, 1);
	for (uint64 i = 0; i < n; i++)
		rows[i] = pg_prng_uint64_range(&random, i * store->nrows / n, (i + 1) * store->nrows / n - 1);
	words = gpusort_rows_sorted_words(code, store, rows, n);
	pfree(rows);
	return words;
}

/*
 * A word that the sample has three times or more is frequent: its share of the sample is
 * its share of all rows.  Of the others, a row of the sample has nrows / n times as many
 * partners among all rows as in the sample of n rows.
 */
double
gpusort_rows_tied_share(const KeyCode *code, const RowStore *store)
{
	uint32		n = Min(Max(sqrt(store->nrows) * ROWS_TIES_SAMPLED, 1), store->nrows);
	double		partners = (double) store->nrows / n;
	double		tied = 0;
	uint64	   *words = gpusort_rows_sample_words(code, store, n);
	uint32		end;

	for (uint32 start = 0; start < n; start = end)
	{
		for (end = start + 1; end < n && words[end] == words[start]; end++)
			;
		if (end - start > 1)
			tied += (end - start) * (end - start > 2 ? 1 : partners);
	}
	pfree(words);
	return Min(tied / n, 1);
}

/* The estimate is low by two standard deviations: of many words one is frequent in the sample by chance. */
double
gpusort_rows_most_tied_share(const KeyCode *code, const RowStore *sample)
{
	uint32		n = sample->nrows;
	uint64	   *words = gpusort_rows_sorted_words(code, sample, NULL, n);
	uint32		most = 0;
	uint32		end;

	for (uint32 start = 0; start < n; start = end)
	{
		for (end = start + 1; end < n && words[end] == words[start]; end++)
			;
		most = Max(most, end - start);
	}
	pfree(words);
	return Max(most - ROWS_TIED_DEVIATIONS * sqrt(most), 0) / n;
}
