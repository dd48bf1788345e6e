/*
 * datum_sort.c
 *	  See datum_sort.h.
 */
#include "postgres.h"

#include "keys/datum_sort.h"
#include "large_memory.h"

/* Runs of this length are made by insertion before merging begins. */
#define RUN_LENGTH 4

typedef struct Datums
{
	SortSupport support;
	const Datum *datums;
} Datums;

static inline int
compare(const Datums *datums, uint32 a, uint32 b)
{
	return ApplySortComparator(datums->datums[a], false, datums->datums[b], false, datums->support);
}

static void
insertion_sort(const Datums *datums, uint32 *positions, uint32 n)
{
	for (uint32 i = 1; i < n; i++)
	{
		uint32		position = positions[i];
		uint32		place = i;

		while (place > 0 && compare(datums, positions[place - 1], position) > 0)
		{
			positions[place] = positions[place - 1];
			place--;
		}
		positions[place] = position;
	}
}

/* Merges the sorted source[0 .. middle) and source[middle .. n) into target. */
static void
merge(const Datums *datums, const uint32 *source, uint32 middle, uint32 n, uint32 *target)
{
	uint32		left = 0;
	uint32		right = middle;
	uint32		next = 0;

	if (middle >= n || compare(datums, source[middle - 1], source[middle]) <= 0)
	{
		memcpy(target, source, n * sizeof(uint32));
		return;
	}
	while (left < middle && right < n)
	{
		GPUSORT_CHECK_VALUES(next);
		if (compare(datums, source[left], source[right]) <= 0)
			target[next++] = source[left++];
		else
			target[next++] = source[right++];
	}
	memcpy(target + next, source + left, (middle - left) * sizeof(uint32));
	next += middle - left;
	memcpy(target + next, source + right, (n - right) * sizeof(uint32));
}

void
gpusort_datums_sort(SortSupport support, const Datum *values, uint32 *positions, uint32 n)
{
	Datums		datums = {support, values};
	uint32	   *spare = gpusort_alloc_large(CurrentMemoryContext, (Size) n * sizeof(uint32));
	uint32	   *from = positions;
	uint32	   *to = spare;

	for (uint64 start = 0; start < n; start += RUN_LENGTH)
	{
		insertion_sort(&datums, positions + start, Min(RUN_LENGTH, n - start));
		GPUSORT_CHECK_VALUES(start);
	}
	for (uint64 length = RUN_LENGTH; length < n; length *= 2)
	{
		uint32	   *merged = to;

		for (uint64 start = 0; start < n; start += 2 * length)
			merge(&datums, from + start, Min(length, n - start), Min(2 * length, n - start), to + start);
		to = from;
		from = merged;
	}
	if (from != positions)
		memcpy(positions, from, n * sizeof(uint32));
	pfree(spare);
}
