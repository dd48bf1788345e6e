/*
 * row_distinct.c
 *	  Drops rows that are equal to earlier ones, where one row of all that are equal is enough.
 *
 * Where groups are few, the store stays small so, as a hash table would.  Where they are many,
 * looking for equal rows would cost more than sorting them, so it is given up.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_code.h"
#include "rows/row_sort.h"
#include "rows/word_sample.h"

#define DISTINCT_SPAN 256		/* rows whose keys are compared at a time */
#define DISTINCT_TIED 0.5		/* equal rows are dropped where at least this share of all is equal to others */

/* Sets changes[i] for each of n rows, at least one, that differs from the row before it in a key. */
static void
find_changes(RowKey *key, const RowStore *store, const uint32 *rows, uint32 n, bool *changes)
{
	const bool *nulls = store->columns[key->attribute].has_nulls ? (const bool *) store->columns[key->attribute].nulls.data : NULL;
	uint64		codes[DISTINCT_SPAN];
	Datum		last;
	bool		last_is_null;

	if (key->kind == KEY_IS_VALUE)
	{
		gpusort_rows_load_codes(key, store, rows, 0, n, codes);
		for (uint32 i = 1; i < n; i++)
			changes[i] |= codes[i] != codes[i - 1];
		for (uint32 i = 1; nulls != NULL && i < n; i++)
			changes[i] |= nulls[rows[i]] != nulls[rows[i - 1]];
		return;
	}
	last = gpusort_rows_store_get(store, rows[0], key->attribute, &last_is_null);
	for (uint32 i = 1; i < n; i++)
	{
		bool		is_null;
		Datum		value = gpusort_rows_store_get(store, rows[i], key->attribute, &is_null);

		changes[i] = changes[i] || ApplySortComparator(last, last_is_null, value, is_null, &key->compare) != 0;
		last = value;
		last_is_null = is_null;
	}
}

/* Sets changes[i] for each of n rows, at least one, that differs from the row before it. */
static void
find_all_changes(const RowKeys *keys, const RowStore *store, const uint32 *rows, uint32 n, bool *changes)
{
	for (int k = 0; k < keys->nkeys; k++)
	{
		if (!store->layout->attributes[keys->keys[k].attribute].is_constant)
			find_changes(&keys->keys[k], store, rows, n, changes);
	}
}

/* Keeps the first one of rows that are equal, in a list of n rows in sorted order.  Returns how many are left. */
static uint32
keep_first(const RowKeys *keys, const RowStore *store, uint32 *rows, uint32 n)
{
	uint32		kept = Min(n, 1);

	/* Each span begins with the last row of the one before. */
	for (uint32 first = 0; first + 1 < n; first += DISTINCT_SPAN - 1)
	{
		uint32		span = Min(DISTINCT_SPAN, n - first);
		bool		changes[DISTINCT_SPAN] = {false};

		CHECK_FOR_INTERRUPTS();
		find_all_changes(keys, store, rows + first, span, changes);
		for (uint32 i = 1; i < span; i++)
		{
			rows[kept] = rows[first + i];
			kept += changes[i];
		}
	}
	return kept;
}

/* Notes that the last run reaches from one row to the one before another. */
static void
end_run(RowRuns *runs, uint32 begin, uint32 end)
{
	runs->last = end - begin;
	if (runs->runs++ == 0)
		runs->first = runs->last;
	if (runs->last > runs->longest)
	{
		runs->longest = runs->last;
		runs->longest_row = begin;
	}
}

RowRuns
gpusort_rows_find_runs(const RowSort *sort)
{
	RowRuns		runs = {.rows = sort->store->nrows};
	uint32		begin = 0;

	for (uint32 first = 0; first + 1 < runs.rows; first += DISTINCT_SPAN - 1)
	{
		uint32		span = Min(DISTINCT_SPAN, runs.rows - first);
		bool		changes[DISTINCT_SPAN] = {false};
		uint32		rows[DISTINCT_SPAN];

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < span; i++)
			rows[i] = sort->order ? sort->order[first + i] : first + i;
		find_all_changes(sort->keys, sort->store, rows, span, changes);
		for (uint32 i = 1; i < span; i++)
		{
			if (!changes[i])
				continue;
			end_run(&runs, begin, first + i);
			begin = first + i;
		}
	}
	if (runs.rows > 0)
		end_run(&runs, begin, runs.rows);
	return runs;
}

/* Estimates which share of the rows in the store is equal to others. */
static double
tied_share(const RowSort *sort)
{
	RowList		list = {.count = sort->store->nrows};
	KeyCode    *code = gpusort_rows_code_fitted(sort->keys, 0, sort->store, &list, ROWS_WORD_BITS, ROWS_WORD_BITS);
	double		share = gpusort_rows_tied_share(code, sort->store);

	gpusort_rows_code_free(code);
	return share;
}

bool
gpusort_rows_distinct_pays(RowSort *sort, bool is_full)
{
	bool		pays = sort->drops || tied_share(sort) >= DISTINCT_TIED;

	/* Of the first rows few are equal: those of a full store may still be. */
	if (!pays)
		sort->look_at = is_full ? 0 : PG_UINT32_MAX;
	return pays;
}

void
gpusort_rows_distinct_keep(RowSort *sort, bool is_full)
{
	RowStore   *store = sort->store;
	uint32		before = store->nrows;
	uint32		kept = keep_first(sort->keys, store, sort->order, before);

	gpusort_rows_store_keep(store, sort->order, kept);
	sort->dropped += before - kept;
	sort->drops = kept <= before / 2;
	if (sort->drops)
		sort->look_at = kept + Max(2 * kept, GPUSORT_DISTINCT_LOOK);
	else
		sort->look_at = is_full ? 0 : PG_UINT32_MAX;
}
