/*
 * row_division.c
 *	  Which rows belong to which part, see row_division.h.
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "large_memory.h"
#include "rows/row_division.h"
#include "rows/row_scatter.h"
#include "rows/word_sample.h"

#define DIVISION_CELL_BITS 11	/* cells, 4 bytes each, lie in the first-level cache */
#define DIVISION_CELLS (1 << DIVISION_CELL_BITS)
#define DIVISION_FOUND_AT_ONCE 512	/* words whose parts are found in turns, which stay in the first-level cache */
#define SHARE_DEVIATIONS 4		/* a part of a share has space for so many standard deviations more */
#define SAMPLE_KEY_SHARE 16		/* keys that take over 1/16 of the sample are wide: */
#define SAMPLE_CUT_SHARE 64		/* they are cut to 1/64, */
#define SAMPLE_WHOLE_ROWS 11	/* or only so many rows are in it, */
#define SAMPLE_HUGE_ROWS 5		/* or so many if the former would take */
#define SAMPLE_HUGE_TIMES 256	/* so many times what the sample may */

RowStore *
gpusort_rows_sample_create(MemoryContext memory, const RowLayout *layout, const RowKeys *keys)
{
	return gpusort_rows_store_create(memory, gpusort_rows_layout_of_some(layout, gpusort_rows_key_attributes(keys)));
}

/* Cuts a value of this size to its first bytes, if these have a code.  Returns its size. */
static Size
cut_value(const RowKey *key, Datum *value, Size size, Size bytes)
{
	const struct varlena *whole = (const struct varlena *) DatumGetPointer(*value);
	ByteForm	form = key->bytes.form;
	bool		is_text = form == BYTES_TEXT || form == BYTES_BPCHAR;

	if ((!is_text && form != BYTES_BYTEA) || !VARATT_IS_4B_U(whole))
		return size;
	if (is_text)
		bytes = pg_mbcliplen(VARDATA(whole), VARSIZE(whole) - VARHDRSZ, bytes);
	*value = PointerGetDatum(cstring_to_text_with_len(VARDATA(whole), bytes));
	return bytes;
}

/*
 * Gets the keys of a row.  Those longer than `longest` are cut, or NULL if they have no code.  Returns the bytes of those that
 * are not passed by value.
 */
static Size
get_keys(const RowKeys *keys, const RowStore *store, uint32 row, Size longest, Size cut_to, Datum *values, bool *nulls)
{
	Size		bytes = 0;

	for (int i = 0; i < keys->nkeys; i++)
	{
		const RowKey *key = &keys->keys[i];
		int			attribute = key->attribute;
		Size		size;

		values[attribute] = gpusort_rows_store_get(store, row, attribute, &nulls[attribute]);
		if (key->by_value || nulls[attribute])
			continue;
		size = datumGetSize(values[attribute], false, key->length);
		nulls[attribute] = size > longest && key->kind == KEY_IS_COMPARED;
		if (!nulls[attribute])
			bytes += size > longest ? cut_value(key, &values[attribute], size, cut_to) : size;
	}
	return bytes;
}

/* How many rows of a store are sampled with whole keys, however long these are. */
static int
whole_rows(const RowStore *store, Size bytes)
{
	double		row_bytes = (double) store->record_bytes / store->nrows;

	return SAMPLE_WHOLE_ROWS * row_bytes > (double) bytes * SAMPLE_HUGE_TIMES ? SAMPLE_HUGE_ROWS : SAMPLE_WHOLE_ROWS;
}

/* One row of each stretch is taken.  Stretches are visited in steps of the golden section, so that fewer are spread, too. */
void
gpusort_rows_sample_add(RowStore *sample, const RowKeys *keys, const RowStore *store, uint32 nrows, Size bytes, double share,
						bool whole)
{
	Size		held = gpusort_rows_store_bytes(sample);
	Size		end = bytes * share;
	Size		most = end > held ? (end - held) / Max(sample->layout->fixed_bytes, 1) : 0;
	Size		longest = whole ? SIZE_MAX : bytes / SAMPLE_KEY_SHARE;
	uint32		n = Max(Min(Min(nrows, store->nrows), most), 1);
	uint32		step = n * 0.618;
	Datum	   *values;
	bool	   *nulls;
	uint32		stretch = 0;
	pg_prng_state random;
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "gpusort sample", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);

	values = palloc0(store->layout->natts * sizeof(Datum));
	nulls = palloc0(store->layout->natts * sizeof(bool));
	while (step > 1 && n % step == 0)
		step--;
	pg_prng_seed(&random, sample->nrows + 1);	/* other rows of each store, in case the input repeats itself */
	for (uint32 i = 0; i < n && gpusort_rows_store_bytes(sample) < end; i++)
	{
		uint32		first = (uint64) stretch * store->nrows / n;
		uint32		last = (uint64) (stretch + 1) * store->nrows / n - 1;

		CHECK_FOR_INTERRUPTS();
		if (get_keys(keys, store, pg_prng_uint64_range(&random, first, last), longest, bytes / SAMPLE_CUT_SHARE,
					 values, nulls) <= bytes / SAMPLE_KEY_SHARE)
			gpusort_rows_store_append(sample, values, nulls);
		stretch = (stretch + Max(step, 1)) % n;
	}
	n = Max(whole ? whole_rows(store, bytes) * share : 0, 1);
	n = n > sample->nrows ? Min(n - sample->nrows, store->nrows) : 0;	/* each row but once */
	for (uint32 i = 0; i < n; i++)
	{
		uint32		first = (uint64) i * store->nrows / n;
		uint32		last = (uint64) (i + 1) * store->nrows / n - 1;

		(void) get_keys(keys, store, pg_prng_uint64_range(&random, first, last), longest, bytes / SAMPLE_CUT_SHARE, values, nulls);
		gpusort_rows_store_append(sample, values, nulls);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
}

static Division *
create(const RowKeys *keys, int first_key, int slots)
{
	Division   *division = palloc0(sizeof(Division));

	division->keys = keys;
	division->first_key = first_key;
	division->slots = slots;
	division->least = palloc0(slots * sizeof(uint64));
	return division;
}

/* A word that fills a share has a part of its own, so that it is known that others are not in it. */
int
gpusort_rows_division_cut(const uint64 *words, uint32 n, int nparts, uint64 last, uint64 *least)
{
	int			count = 0;

	for (int i = 1; i < nparts; i++)
	{
		uint64		word = words[(uint64) i * n / nparts];

		if (word < last || last == PG_UINT64_MAX)
			continue;
		last = word > last ? word : word + 1;
		least[count++] = last;
	}
	return count;
}

/* What plain texts are for the last key of a code, or NULL if it has no plain texts. */
static const PlainKey *
plain_of(const KeyCode *code)
{
	return code->nfields == 0 ? NULL : code->fields[code->nfields - 1].key->bytes.plain;
}

Division *
gpusort_rows_division_of_words(const uint64 *words, uint32 n, int nparts)
{
	Division   *division = create(NULL, 0, nparts);

	division->nparts = 1 + gpusort_rows_division_cut(words, n, nparts, 0, division->least + 1);
	return division;
}

Division *
gpusort_rows_division_make(const RowKeys *keys, int first_key, const RowStore *sample, double nrows, int nparts)
{
	Division   *division = create(keys, first_key, nparts);
	uint32		n = sample->nrows;
	uint64	   *words;

	division->code = gpusort_rows_code_common(keys, first_key, NULL, sample, nrows);
	division->plain = plain_of(division->code);
	words = gpusort_rows_sorted_words(division->code, sample, NULL, n);
	division->vain = gpusort_rows_code_missed(division->code) && words[0] == words[n - 1] && division->code->nexact == first_key;
	division->nparts = 1 + gpusort_rows_division_cut(words, n, nparts, 0, division->least + 1);
	pfree(words);
	return division;
}

/*
 * The sample tells how many rows a part has, with an error: the standard deviation of a count of n rows
 * is about the root of n.
 */
Division *
gpusort_rows_division_by_shares(const KeyCode *code, const RowStore *sample, double nrows, const double *shares,
								int nparts, uint64 *most_rows)
{
	Division   *division = create(NULL, 0, nparts);
	uint32		n = sample->nrows;
	uint64	   *words = gpusort_rows_sorted_words(code, sample, NULL, n);
	uint32		begin = 0;
	double		share = 0;

	division->nparts = nparts;
	for (int i = 0; i < nparts; i++)
	{
		uint32		end = n;
		double		rows;

		share += shares[i];
		if (i + 1 < nparts)
		{
			end = Min((uint32) (share * n), n - 1);
			division->least[i + 1] = words[end];
			while (end > begin && words[end - 1] == words[end])
				end--;
		}
		rows = end - begin;
		rows += SHARE_DEVIATIONS * sqrt(rows * (1 - rows / n) + 1);
		most_rows[i] = Min(ceil(rows / n * nrows), nrows);
		begin = end;
	}
	pfree(words);
	return division;
}

static int
compare_sampled(const void *a, const void *b, void *arg)
{
	const Division *division = arg;

	CHECK_FOR_INTERRUPTS();
	return gpusort_rows_compare(division->keys, division->first_key, division->splitters, *(const uint32 *) a,
								division->splitters, *(const uint32 *) b);
}

Division *
gpusort_rows_division_compared(const RowKeys *keys, int first_key, RowStore *sample, int nparts)
{
	Division   *division = create(keys, first_key, 1);
	uint32		n = sample->nrows;
	uint32		most = Min(Max(nparts / 2, 1), n);
	uint32		count = 0;
	uint32	   *rows = palloc(n * sizeof(uint32));

	division->splitters = sample;
	division->splitter_rows = palloc(most * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		rows[i] = i;
	qsort_arg(rows, n, sizeof(uint32), compare_sampled, division);
	for (uint32 i = 0; i < most; i++)
	{
		uint32		row = rows[(2 * (uint64) i + 1) * n / (2 * most)];

		if (count == 0 || compare_sampled(&row, &division->splitter_rows[count - 1], division) != 0)
			division->splitter_rows[count++] = row;
	}
	pfree(rows);
	division->nparts = 2 * count + 1;
	return division;
}

bool
gpusort_rows_division_is_outdated(const Division *division)
{
	const KeyCode *code = division->code;
	const RowKey *key;

	if (division->plain == NULL)
		return false;
	key = code->fields[code->nfields - 1].key;
	for (int i = 0; i < division->keys->nkeys; i++)
	{
		if (division->keys->keys[i].plain == key)
			return !division->keys->keys[i].ever_plain || key->bytes.plain != division->plain;
	}
	return false;
}

void
gpusort_rows_division_encode(Division *division, const RowStore *store, uint32 first, uint32 n, uint64 *words)
{
	gpusort_rows_encode(division->code, store, NULL, first, n, ROWS_WORD_BITS, words);
	division->missed |= gpusort_rows_code_missed(division->code);
}

/* Cuts the range from below the second part's least word to the last one's into cells. */
static void
make_cells(Division *division)
{
	const uint64 *least = division->least;
	uint32		last = division->nparts - 1;
	uint32		part = 0;
	uint32		most = 0;		/* parts that begin in one cell */

	division->first_cell = Max(least[Min(last, 1)], 1) - 1;
	division->cell_bits = Max(gpusort_rows_bit_length(least[last] - division->first_cell) - DIVISION_CELL_BITS, 0);
	division->cells = palloc(DIVISION_CELLS * sizeof(uint32));
	for (uint32 cell = 0; cell < DIVISION_CELLS; cell++)
	{
		uint32		before = part;

		while (part < last && least[part + 1] - division->first_cell <= (uint64) cell << division->cell_bits)
			part++;
		division->cells[cell] = part;
		most = Max(most, part - before);
	}
	most = Max(most, last - part);
	division->first_step = most == 0 ? 0 : 1 << (gpusort_rows_bit_length(most) - 1);
}

/*
 * Finds the parts of some words, step by step for all of them.  Each search takes the same number of steps,
 * because other branches would be unpredictable.
 */
static void
find_parts(const Division *division, const uint64 *words, uint32 n, uint32 *numbers)
{
	uint32		last = division->nparts - 1;

	for (uint32 i = 0; i < n; i++)
	{
		uint64		cell = (Max(words[i], division->first_cell) - division->first_cell) >> division->cell_bits;

		numbers[i] = division->cells[Min(cell, DIVISION_CELLS - 1)];
	}
	for (uint32 step = division->first_step; step > 0; step /= 2)
	{
		for (uint32 i = 0; i < n; i++)
		{
			uint32		next = Min(numbers[i] + step, last);

			numbers[i] += (next - numbers[i]) & -(uint32) (division->least[next] <= words[i]);
		}
	}
}

void
gpusort_rows_division_find(Division *division, const uint64 *words, uint32 n, uint32 *numbers, uint32 *counts)
{
	if (division->cells == NULL)
		make_cells(division);
	for (uint32 done = 0; done < n; done += DIVISION_FOUND_AT_ONCE)
	{
		uint32		count = Min(DIVISION_FOUND_AT_ONCE, n - done);

		GPUSORT_CHECK_EVERY(done);
		find_parts(division, words + done, count, numbers + done);
		for (uint32 i = done; i < done + count; i++)
			counts[numbers[i]]++;
	}
}

void
gpusort_rows_division_list(const Division *division, const uint32 *numbers, uint32 first, uint32 n, uint32 *ends, uint32 *rows)
{
	gpusort_rows_sum_up(ends, division->nparts);
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		rows[ends[numbers[i]]++] = first + i;
	}
}

void
gpusort_rows_division_find_sorted(const Division *division, const uint64 *words, uint32 n, bool descending, uint32 *ends)
{
	uint32		end = 0;

	for (int i = 0; i < division->nparts; i++)
	{
		int			part = descending ? division->nparts - 1 - i : i;
		uint32		high = n;

		while (end < high)
		{
			uint32		middle = end + (high - end) / 2;

			if (descending ? words[middle] >= division->least[part]
				: part + 1 == division->nparts || words[middle] < division->least[part + 1])
				end = middle + 1;
			else
				high = middle;
		}
		ends[part] = end;
	}
}

void
gpusort_rows_division_compare(const Division *division, const RowStore *store, uint32 first, uint32 n,
							  uint32 *numbers, uint32 *counts)
{
	for (uint32 i = 0; i < n; i++)
	{
		uint32		low = 0;
		uint32		high = division->nparts / 2;
		int			order = 1;

		CHECK_FOR_INTERRUPTS();
		while (low < high && order != 0)
		{
			uint32		middle = (low + high) / 2;

			order = gpusort_rows_compare(division->keys, division->first_key, store, first + i,
										 division->splitters, division->splitter_rows[middle]);
			if (order > 0)
				low = middle + 1;
			else
				high = middle;
		}
		numbers[i] = order == 0 ? 2 * high + 1 : 2 * low;
		counts[numbers[i]]++;
	}
}

static void
forget_cells(Division *division)
{
	if (division->cells != NULL)
		pfree(division->cells);
	division->cells = NULL;
}

void
gpusort_rows_division_insert(Division *division, int at, const uint64 *least, int count)
{
	if (division->nparts + count > division->slots)
	{
		division->slots = 2 * (division->nparts + count);
		division->least = repalloc_huge(division->least, division->slots * sizeof(uint64));
	}
	memmove(division->least + at + count, division->least + at, (division->nparts - at) * sizeof(uint64));
	memcpy(division->least + at, least, count * sizeof(uint64));
	division->nparts += count;
	forget_cells(division);
}

/* Leading keys in which rows of one word are surely equal. */
static int
decided_keys(const Division *division)
{
	return division->code->nexact + !division->missed;
}

bool
gpusort_rows_division_decides(const Division *division)
{
	return decided_keys(division) == division->keys->nkeys && !gpusort_rows_code_folds(division->code);
}

int
gpusort_rows_division_equal_keys(const Division *division, int part)
{
	uint64		word;

	if (division->code == NULL)
		return part % 2 == 1 ? division->keys->nkeys : division->first_key;
	word = division->least[part];
	if (division->code->bits > 0 && (part + 1 < division->nparts ? division->least[part + 1] - 1 : PG_UINT64_MAX) != word)
		return division->first_key;
	/* Where NULLs are folded into values, the two values at an end have one word. */
	if (gpusort_rows_code_folds(division->code) && (word == 1 || word == PG_UINT64_MAX - 1))
		return division->first_key;
	return Max(decided_keys(division), division->first_key);
}

void
gpusort_rows_division_free(Division *division)
{
	if (division->code != NULL)
		gpusort_rows_code_free(division->code);
	if (division->splitters != NULL)
	{
		gpusort_rows_store_free(division->splitters);
		pfree(division->splitter_rows);
	}
	forget_cells(division);
	pfree(division->least);
	pfree(division);
}
