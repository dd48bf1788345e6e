/*
 * comparator_sort.c
 *	  A stable merge sort of Datums through their btree comparator.
 *
 * Merge sort, for comparisons of such types are dear and it makes few, is stable,
 * and takes sorted stretches as it finds them.  Where the type has abbreviated
 * keys (text in the C collation, numeric, uuid, ...), these are compared first
 * and the comparator only decides their ties; conversion is given up, as in the
 * server's own sorts, when the opclass finds that they do not tell values apart.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "cpu_engine/comparator_sort.h"

/* Runs of this length are made by insertion before merging begins. */
#define RUN_LENGTH 8

/* Below this number abbreviated keys do not earn their conversion. */
#define MIN_ABBREVIATED 32

/* Comparisons between two checks for interrupts. */
#define CHECK_EVERY 4096

typedef struct Entry
{
	Datum		key;			/* abbreviated key, or the value again */
	Datum		value;
	uint32		position;
} Entry;

/* Set up comparison through a btree operator, with abbreviated keys if wanted. */
static void
prepare_support(SortSupport support, Oid operator, Oid collation, bool abbreviate)
{
	memset(support, 0, sizeof(SortSupportData));
	support->ssup_cxt = CurrentMemoryContext;
	support->ssup_collation = collation;
	support->ssup_nulls_first = false;
	support->abbreviate = abbreviate;
	PrepareSortSupportFromOrderingOp(operator, support);
}

ComparatorSort *
gpusort_comparator_prepare(Oid type, Oid collation, bool descending)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Oid			operator = descending ? entry->gt_opr : entry->lt_opr;
	ComparatorSort *sort;

	if (!OidIsValid(operator))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an ordering operator for type %s", format_type_be(type)),
				 errhint("Only types with a default btree operator class can be sorted.")));
	sort = palloc0(sizeof(ComparatorSort));
	sort->type = type;
	sort->collation = collation;
	sort->descending = descending;
	sort->context = CurrentMemoryContext;
	prepare_support(&sort->compare, operator, collation, false);
	prepare_support(&sort->abbreviate, operator, collation, true);
	return sort;
}

/* Compare two entries; inlined into the merge. */
static inline int
compare_entries(ComparatorSort *sort, bool abbreviated, const Entry *a, const Entry *b)
{
	if (abbreviated)
	{
		int			result = ApplySortComparator(a->key, false, b->key, false, &sort->abbreviate);

		if (result != 0)
			return result;
	}
	return ApplySortComparator(a->value, false, b->value, false, &sort->compare);
}

static void
insertion_sort(ComparatorSort *sort, bool abbreviated, Entry *entries, uint32 n)
{
	for (uint32 i = 1; i < n; i++)
	{
		Entry		entry = entries[i];
		uint32		place = i;

		while (place > 0 && compare_entries(sort, abbreviated, &entries[place - 1], &entry) > 0)
		{
			entries[place] = entries[place - 1];
			place--;
		}
		entries[place] = entry;
	}
}

/* Merge the sorted source[0 .. middle) and source[middle .. n) into target. */
static void
merge(ComparatorSort *sort, bool abbreviated, const Entry *source, uint32 middle, uint32 n, Entry *target)
{
	uint32		left = 0;
	uint32		right = middle;

	if (middle >= n || compare_entries(sort, abbreviated, &source[middle - 1], &source[middle]) <= 0)
	{
		memcpy(target, source, n * sizeof(Entry));
		return;
	}
	for (uint32 i = 0; i < n; i++)
	{
		if (i % CHECK_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
		if (left < middle && (right >= n || compare_entries(sort, abbreviated, &source[left], &source[right]) <= 0))
			target[i] = source[left++];
		else
			target[i] = source[right++];
	}
}

/* Sort entries; spare is as large.  Returns which of the two holds the result. */
static Entry *
merge_sort(ComparatorSort *sort, bool abbreviated, Entry *entries, Entry *spare, uint32 n)
{
	for (uint64 start = 0; start < n; start += RUN_LENGTH)
	{
		insertion_sort(sort, abbreviated, entries + start, Min(RUN_LENGTH, n - start));
		if (start % CHECK_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
	}
	for (uint64 length = RUN_LENGTH; length < n; length *= 2)
	{
		Entry	   *merged = spare;

		for (uint64 start = 0; start < n; start += 2 * length)
			merge(sort, abbreviated, entries + start, Min(length, n - start), Min(2 * length, n - start), merged + start);
		spare = entries;
		entries = merged;
	}
	return entries;
}

/* Give every entry its abbreviated key; false if these are of no use. */
static bool
abbreviate_entries(ComparatorSort *sort, Entry *entries, uint32 n)
{
	SortSupport support = &sort->abbreviate;
	uint32		next_check = 10;

	if (support->abbrev_converter == NULL || n < MIN_ABBREVIATED)
		return false;
	for (uint32 i = 0; i < n; i++)
	{
		entries[i].key = support->abbrev_converter(entries[i].value, support);
		if (i + 1 >= next_check)
		{
			CHECK_FOR_INTERRUPTS();
			if (support->abbrev_abort(i + 1, support))
				return false;
			next_check = next_check > PG_UINT32_MAX / 2 ? PG_UINT32_MAX : next_check * 2;
		}
	}
	return true;
}

void
gpusort_comparator_sort(ComparatorSort *sort, Datum *values, uint32 *index, uint32 n)
{
	Entry	   *entries;
	Entry	   *sorted;
	bool		abbreviated;

	if (n <= 1)
	{
		if (n == 1 && index != NULL)
			index[0] = 0;
		return;
	}
	entries = MemoryContextAllocHuge(CurrentMemoryContext, 2 * (Size) n * sizeof(Entry));
	for (uint32 i = 0; i < n; i++)
	{
		entries[i].key = values[i];
		entries[i].value = values[i];
		entries[i].position = i;
	}
	abbreviated = abbreviate_entries(sort, entries, n);
	sorted = merge_sort(sort, abbreviated, entries, entries + n, n);
	for (uint32 i = 0; i < n; i++)
	{
		values[i] = sorted[i].value;
		if (index != NULL)
			index[i] = sorted[i].position;
	}
	pfree(entries);
}
