/*
 * key_histogram.c
 *	  Counts keys by interval: two passes, one for the range, one to count.
 */
#include "postgres.h"

#include "keys/intervals.h"
#include "keys/key_histogram.h"

#define BLOCK 1024				/* keys whose intervals are found at a time */

void
gpusort_keys_histogram(GpusortKeyForm form, const void *keys, uint32 count, uint32 buckets, int64 *counts)
{
	const char *next = keys;
	ValueRange	range = gpusort_range_of_none(form);
	Intervals	intervals;
	uint32		numbers[BLOCK];

	gpusort_range_widen_by_keys(&range, keys, NULL, count);
	intervals = gpusort_intervals_make(&range, buckets, false);
	for (uint32 start = 0; start < count; start += BLOCK)
	{
		uint32		n = Min(count - start, BLOCK);

		gpusort_intervals_of_keys(&intervals, next, n, numbers);
		next += n * gpusort_key_width(form);
		for (uint32 i = 0; i < n; i++)
			counts[numbers[i]]++;
	}
}
