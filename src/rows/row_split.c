/*
 * row_split.c
 *	  Divides rows by their keys into parts, see row_split.h.
 *
 * The sample tells how many rows a part has, with an error: the standard deviation of a
 * count of n rows is about the root of n.  So a part has space for four deviations more.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "rows/row_split.h"
#include "rows/word_sample.h"

#define ROWS_SAMPLE_LEAST 1024
#define ROWS_SAMPLE_MOST 65536
#define ROWS_DEVIATIONS 4
#define ROWS_TIED_DEVIATIONS 2

RowSplit *
gpusort_rows_split_create(const RowStore *like, Size bytes)
{
	RowSplit   *split = palloc0(sizeof(RowSplit));
	double		rows = (double) bytes * like->nrows / Max(gpusort_rows_store_bytes(like), 1);

	split->sample = gpusort_rows_store_create(like->memory, like->layout);
	split->most = Min(Max((uint32) Min(rows, ROWS_SAMPLE_MOST) / 2 * 2, ROWS_SAMPLE_LEAST), ROWS_SAMPLE_MOST);
	split->stretch = 1;
	pg_prng_seed(&split->random, 1);
	return split;
}

/* Halves the sample: one row of each two stays, for a stretch of twice as many rows. */
static void
halve(RowSplit *split)
{
	uint32		n = split->sample->nrows / 2;
	uint32	   *rows = palloc(n * sizeof(uint32));

	for (uint32 i = 0; i < n; i++)
		rows[i] = 2 * i + pg_prng_uint64_range(&split->random, 0, 1);
	gpusort_rows_store_keep(split->sample, rows, n);
	pfree(rows);
	split->stretch *= 2;
}

void
gpusort_rows_split_note(RowSplit *split, const RowStore *store)
{
	while (split->next < split->seen + store->nrows)
	{
		uint32		row = split->next - split->seen;

		CHECK_FOR_INTERRUPTS();
		(void) gpusort_rows_store_copy(split->sample, store, &row, 1, SIZE_MAX);
		if (split->sample->nrows == split->most)
			halve(split);
		split->next = split->sample->nrows * split->stretch + pg_prng_uint64_range(&split->random, 0, split->stretch - 1);
	}
	split->seen += store->nrows;
}

/* The estimate is low by two standard deviations: of many words one is frequent in the sample by chance. */
double
gpusort_rows_split_most_tied(RowSplit *split, const KeyCode *code)
{
	uint32		n = split->sample->nrows;
	uint64	   *words = gpusort_rows_sorted_words(code, split->sample, NULL, n);
	uint32		most = 0;
	uint32		end;

	for (uint32 start = 0; start < n; start = end)
	{
		for (end = start + 1; end < n && words[end] == words[start]; end++)
			;
		most = Max(most, end - start);
	}
	pfree(words);
	return Max(most - ROWS_TIED_DEVIATIONS * sqrt(most), 0) / n * split->seen;
}

void
gpusort_rows_split_find(RowSplit *split, const KeyCode *code, const double *shares, int nparts)
{
	uint32		n = split->sample->nrows;
	uint64	   *words = gpusort_rows_sorted_words(code, split->sample, NULL, n);
	uint32		begin = 0;
	double		share = 0;

	split->nparts = nparts;
	split->least[0] = 0;
	for (int i = 0; i < nparts; i++)
	{
		uint32		end = n;
		double		rows;

		share += shares[i];
		if (i + 1 < nparts)
		{
			split->least[i + 1] = words[Min((uint32) (share * n), n - 1)];
			end = gpusort_rows_find_word(words, 0, n, split->least[i + 1]);
		}
		rows = end - begin;
		rows += ROWS_DEVIATIONS * sqrt(rows * (1 - rows / n) + 1);
		split->most_rows[i] = Min(ceil(rows / n * split->seen), split->seen);
		begin = end;
	}
	pfree(words);
}
