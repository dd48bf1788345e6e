/*
 * row_bound.c
 *	  Drops rows beyond a bound, see row_bound.h.
 */
#include "postgres.h"

#include "large_memory.h"
#include "rows/row_bound.h"

#define ROWS_BOUND_MAX (UINT32_MAX / 8)

/* Makes a bound that keeps the first `rows` rows.  Returns NULL for 0, and for a bound too great to help. */
RowBound *
gpusort_rows_bound_create(RowMemory *memory, const RowLayout *layout, const RowKeys *keys, uint64 rows)
{
	RowBound   *bound;

	if (rows == 0 || rows > ROWS_BOUND_MAX)
		return NULL;
	bound = palloc0(sizeof(RowBound));
	bound->rows = rows;
	bound->cut_at = rows + Max(rows, GPUSORT_BOUND_SURPLUS);
	bound->keys = keys;
	bound->threshold = gpusort_rows_store_create(memory, layout);
	bound->values = palloc(keys->nkeys * sizeof(Datum));
	bound->nulls = palloc(keys->nkeys * sizeof(bool));
	return bound;
}

/* True if a row comes after all those that are wanted. */
static bool
is_beyond(const RowBound *bound, RowValueGetter get, void *row)
{
	const RowKeys *keys = bound->keys;

	if (bound->threshold->nrows == 0)
		return false;
	for (int i = 0; i < keys->nkeys; i++)
	{
		RowKey	   *key = &keys->keys[i];
		bool		is_null;
		Datum		value;
		int			order;

		if (bound->threshold->layout->attributes[key->attribute].is_constant)
			continue;
		value = get(row, key->attribute, &is_null);
		order = ApplySortComparator(value, is_null, bound->values[i], bound->nulls[i], &key->compare);
		if (order != 0)
			return order > 0;
	}
	return true;
}

/* True if a row that is read after all stored ones is not wanted.  Counts it then. */
bool
gpusort_rows_bound_rejects(RowBound *bound, RowValueGetter get, void *row)
{
	bool		beyond = is_beyond(bound, get, row);

	bound->dropped += beyond;
	return beyond;
}

/* Cuts the store, whose sorted order is given, to the wanted rows.  Overwrites the order. */
void
gpusort_rows_bound_cut(RowBound *bound, RowStore *store, uint32 *order)
{
	RowStore   *threshold = bound->threshold;
	uint8	   *best = palloc0(store->nrows / 8 + 1);
	uint32		nkept = 0;

	gpusort_rows_store_clear(threshold);
	gpusort_rows_store_copy(threshold, store, &order[bound->rows - 1], 1, 0);
	for (int i = 0; i < bound->keys->nkeys; i++)
		bound->values[i] = gpusort_rows_store_get(threshold, 0, bound->keys->keys[i].attribute, &bound->nulls[i]);

	for (uint32 i = 0; i < bound->rows; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		best[order[i] / 8] |= 1 << order[i] % 8;
	}
	for (uint32 row = 0; nkept < bound->rows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		if (best[row / 8] & 1 << row % 8)
			order[nkept++] = row;
	}
	pfree(best);
	bound->dropped += store->nrows - nkept;
	gpusort_rows_store_keep(store, order, nkept);
}
