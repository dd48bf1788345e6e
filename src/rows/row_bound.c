/*
 * row_bound.c
 *	  Drops rows beyond a bound, see row_bound.h.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "large_memory.h"
#include "rows/row_bound.h"

#define ROWS_BOUND_MAX (UINT32_MAX / 8)
#define BOUND_PARTITIONED_SURPLUS 8192	/* the least number of surplus rows for a cut with partitions */
#define BOUND_FIRST_CAPACITY 512	/* partitions that fit the buffers at first */
#define BOUND_PARTITIONS_SHARE 3	/* partitions take at most 1/3 of the memory limit */
#define BOUND_VAIN_CUTS 2		/* a bound is given up after this many cuts in sequence that dropped little */

static Size
surplus(const RowBound *bound)
{
	return bound->partitions ? BOUND_PARTITIONED_SURPLUS : GPUSORT_BOUND_SURPLUS;
}

/* Keys behind those that make partitions. */
static inline int
threshold_keys(const RowBound *bound)
{
	return bound->keys->nkeys - bound->partition_keys;
}

/* Enlarges the buffers to thresholds of this many partitions. */
static void
reserve_partitions(RowBound *bound, uint32 capacity)
{
	Size		values = (Size) capacity * threshold_keys(bound);

	bound->stored = repalloc_huge(bound->stored, capacity * sizeof(uint32));
	bound->full = repalloc_huge(bound->full, capacity * sizeof(bool));
	bound->values = repalloc_huge(bound->values, Max(values, 1) * sizeof(Datum));
	bound->nulls = repalloc_huge(bound->nulls, Max(values, 1) * sizeof(bool));
	memset(bound->stored + bound->capacity, 0, (capacity - bound->capacity) * sizeof(uint32));
	memset(bound->full + bound->capacity, 0, (capacity - bound->capacity) * sizeof(bool));
	bound->capacity = capacity;
}

/*
 * Makes a bound in the current memory context.  Returns NULL if all rows are wanted, and
 * for a bound too great to help.
 */
RowBound *
gpusort_rows_bound_create(MemoryContext memory, const RowLayout *layout, const RowKeys *keys,
						  RowBoundSpec spec, double expected_rows)
{
	RowBound   *bound;

	if (spec.rows == 0 || spec.rows > ROWS_BOUND_MAX)
		return NULL;
	bound = palloc0(sizeof(RowBound));
	bound->kind = spec.kind;
	bound->rows = spec.rows;
	bound->partition_keys = spec.partition_keys;
	bound->keys = keys;
	bound->layout = layout;
	bound->memory = memory;
	bound->expected_rows = expected_rows;
	if (spec.partition_keys > 0)
		bound->partitions = gpusort_rows_partitions_create(layout, keys, spec.partition_keys);
	bound->cut_at = bound->rows + Max(bound->rows, surplus(bound));
	bound->stored = palloc(sizeof(uint32));
	bound->full = palloc(sizeof(bool));
	bound->values = palloc(sizeof(Datum));
	bound->nulls = palloc(sizeof(bool));
	reserve_partitions(bound, bound->partitions ? BOUND_FIRST_CAPACITY : 1);
	return bound;
}

/* True if the wanted rows of a sorted store are just its first ones, so that more of its order does not matter. */
bool
gpusort_rows_bound_is_exact(const RowBound *bound)
{
	return bound->kind == BOUND_ROWS && bound->partitions == NULL;
}

/* True if a row comes after all those that are wanted of its partition. */
static bool
is_beyond(const RowBound *bound, uint32 partition, RowValueGetter get, void *row)
{
	Size		place = (Size) partition * threshold_keys(bound);

	for (int i = bound->partition_keys; i < bound->keys->nkeys; i++, place++)
	{
		RowKey	   *key = &bound->keys->keys[i];
		bool		is_null;
		Datum		value;
		int			order;

		if (bound->layout->attributes[key->attribute].is_constant)
			continue;
		value = get(row, key->attribute, &is_null);
		order = ApplySortComparator(value, is_null, bound->values[place], bound->nulls[place], &key->compare);
		if (order != 0)
			return order > 0;
	}
	return bound->kind == BOUND_ROWS;
}

bool
gpusort_rows_bound_rejects(RowBound *bound, RowValueGetter get, void *row, uint32 *partition)
{
	*partition = 0;
	bound->read++;
	if (bound->partitions != NULL)
	{
		*partition = gpusort_rows_partitions_find(bound->partitions, get, row);
		if (*partition == bound->capacity)
			reserve_partitions(bound, 2 * bound->capacity);
	}
	if (!bound->full[*partition] || !is_beyond(bound, *partition, get, row))
		return false;
	bound->dropped++;
	return true;
}

void
gpusort_rows_bound_count(RowBound *bound, uint32 partition)
{
	if (bound->partitions != NULL)
	{
		if ((bound->nstored + 1) * sizeof(uint32) > bound->partition_of.size)
			gpusort_rows_buffer_reserve(bound->memory, &bound->partition_of,
										Max(bound->cut_at, 2 * (Size) bound->nstored) * sizeof(uint32));
		((uint32 *) bound->partition_of.data)[bound->nstored] = partition;
	}
	bound->nstored++;
	if (bound->stored[partition]++ < bound->rows)
		bound->surely_kept++;
}

/* True if partitions are so many that the rows wanted of them would be most of all rows. */
static bool
partitions_are_too_many(const RowBound *bound)
{
	double		read = bound->read;
	double		count = gpusort_rows_partitions_count(bound->partitions);

	/* Of many partitions of equal size few are met twice: the birthday problem tells how many there are. */
	if (count > read / 2)
		count = read * read / (2 * Max(read - count, 1));
	return count * bound->rows > Max(bound->expected_rows, 4 * read) / 2;
}

/* True if the bound does not pay.  Only asked when a cut may be due. */
bool
gpusort_rows_bound_is_vain(const RowBound *bound, Size memory_limit)
{
	if (bound->vain_cuts >= BOUND_VAIN_CUTS)
		return true;
	return bound->partitions != NULL &&
		(gpusort_rows_bound_bytes(bound) > memory_limit / BOUND_PARTITIONS_SHARE || partitions_are_too_many(bound));
}

/* True if a cut of the store may drop at least half of its rows.  If it cannot, the next cut is put off. */
bool
gpusort_rows_bound_may_cut(RowBound *bound, uint32 nrows)
{
	if (bound->surely_kept <= nrows / 2)
		return true;
	bound->cut_at = 2 * nrows;
	return false;
}

/* Makes a row of the store the threshold of its partition. */
static void
set_threshold(RowBound *bound, uint32 partition, const RowStore *store, uint32 row)
{
	Size		place = (Size) partition * threshold_keys(bound);
	MemoryContext caller;

	if (bound->referenced == NULL)
		bound->referenced = AllocSetContextCreate(CurrentMemoryContext, "gpusort row thresholds", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(bound->referenced);
	for (int i = bound->partition_keys; i < bound->keys->nkeys; i++, place++)
	{
		const RowKey *key = &bound->keys->keys[i];
		Datum		former = bound->values[place];
		bool		is_held = bound->full[partition] && !key->by_value && !bound->nulls[place];
		Datum		value = gpusort_rows_store_get(store, row, key->attribute, &bound->nulls[place]);

		if (is_held)
			pfree(DatumGetPointer(former));
		bound->values[place] = bound->nulls[place] ? (Datum) 0 : datumCopy(value, key->by_value, key->length);
	}
	bound->full[partition] = true;
	MemoryContextSwitchTo(caller);
}

/* True if two rows of the store, of one partition, are equal. */
static bool
rows_tie(const RowBound *bound, const RowStore *store, uint32 a, uint32 b)
{
	return gpusort_rows_compare(bound->keys, bound->partition_keys, store, a, store, b) == 0;
}

/* True if two rows of the store are equal in the keys that make partitions.  They may have several numbers. */
static bool
same_partition(const RowBound *bound, const RowStore *store, uint32 a, uint32 b)
{
	RowKeys		keys = *bound->keys;

	keys.nkeys = bound->partition_keys;
	return gpusort_rows_compare(&keys, 0, store, a, store, b) == 0;
}

uint32
gpusort_rows_bound_select(RowBound *bound, const RowStore *store, uint32 *order)
{
	const uint32 *partition_of = bound->partitions ? (const uint32 *) bound->partition_of.data : NULL;
	uint32		nrows = store->nrows;
	uint32		kept = 0;
	uint32		partition = 0;
	uint32		place = 0;		/* of the row, or the distinct key, in its partition, from 1 */
	uint32		last = 0;		/* the last wanted row of the partition so far */
	bool		beyond = false; /* no more rows of the partition are wanted */
	bool		is_next;

	if (gpusort_rows_bound_is_exact(bound))
	{
		if (nrows < bound->rows)
			return nrows;
		set_threshold(bound, 0, store, order[bound->rows - 1]);
		return bound->rows;
	}
	for (uint32 i = 0; i < nrows; i++)
	{
		uint32		row = order[i];

		GPUSORT_CHECK_VALUES(i);
		if (partition_of && (i == 0 || partition_of[row] != partition))
		{
			partition = partition_of[row];
			if (i > 0 && !same_partition(bound, store, last, row))
			{
				place = 0;
				beyond = false;
			}
			else if (beyond)
				set_threshold(bound, partition, store, last);
		}
		if (beyond)
			continue;
		is_next = bound->kind != BOUND_VALUES || place == 0 || !rows_tie(bound, store, last, row);
		if (is_next)
			place++;
		beyond = place > bound->rows && (bound->kind != BOUND_TIES || !rows_tie(bound, store, last, row));
		if (beyond)
			continue;
		last = row;
		order[kept++] = row;
		if (is_next && place == bound->rows)
			set_threshold(bound, partition, store, row);
	}
	return kept;
}

/* Tells the bound which rows the store still holds, in ascending order. */
static void
note_kept(RowBound *bound, const uint32 *rows, uint32 nrows)
{
	uint32	   *partition_of = (uint32 *) bound->partition_of.data;

	gpusort_rows_bound_forget_rows(bound);
	bound->nstored = bound->surely_kept = nrows;
	if (bound->partitions == NULL)
		bound->stored[0] = nrows;
	else
		for (uint32 i = 0; i < nrows; i++)
		{
			partition_of[i] = partition_of[rows[i]];
			bound->stored[partition_of[i]]++;
		}
}

void
gpusort_rows_bound_cut(RowBound *bound, RowStore *store, uint32 *order)
{
	uint32		nkept = gpusort_rows_bound_select(bound, store, order);
	uint32		before = store->nrows;

	bound->dropped += before - nkept;
	gpusort_rows_store_keep(store, order, nkept);
	note_kept(bound, order, nkept);
	bound->vain_cuts = nkept > before / 2 ? bound->vain_cuts + 1 : 0;
	bound->cut_at = bound->vain_cuts > 0 ? Min(4 * (uint64) before, PG_UINT32_MAX) : nkept + Max(nkept, surplus(bound));
}

/* Tells the bound that the store is empty.  Thresholds stay. */
void
gpusort_rows_bound_forget_rows(RowBound *bound)
{
	memset(bound->stored, 0, bound->capacity * sizeof(uint32));
	bound->nstored = bound->surely_kept = 0;
}

/* Memory that partitions and thresholds take. */
Size
gpusort_rows_bound_bytes(const RowBound *bound)
{
	Size		bytes = 0;

	if (bound->partitions == NULL)
		return 0;
	bytes += gpusort_rows_partitions_bytes(bound->partitions) + bound->nstored * sizeof(uint32);
	bytes += bound->capacity * (sizeof(uint32) + sizeof(bool) + threshold_keys(bound) * (sizeof(Datum) + sizeof(bool)));
	return bytes + (bound->referenced ? MemoryContextMemAllocated(bound->referenced, false) : 0);
}

void
gpusort_rows_bound_free(RowBound *bound)
{
	if (bound->partitions != NULL)
		gpusort_rows_partitions_free(bound->partitions);
	if (bound->referenced != NULL)
		MemoryContextDelete(bound->referenced);
	gpusort_rows_buffer_release(&bound->partition_of);
	pfree(bound->stored);
	pfree(bound->full);
	pfree(bound->values);
	pfree(bound->nulls);
	pfree(bound);
}
