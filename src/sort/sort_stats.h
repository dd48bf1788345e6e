/*
 * sort_stats.h
 *	  Counters of what was sorted, by engine and method, and of why the GPU was
 *	  passed over.
 *
 * Counting costs a few additions in the backend's own memory; the sums reach
 * shared memory at the end of the transaction, or after GPUSORT_STATS_FLUSH
 * counts.  Without shared_preload_libraries each backend sees its own sums only.
 */
#ifndef GPUSORT_SORT_STATS_H
#define GPUSORT_SORT_STATS_H

#include "keys/sort_spec.h"

#define GPUSORT_STATS_FLUSH 1000

typedef enum StatsEngine
{
	GPUSORT_STATS_CPU,
	GPUSORT_STATS_GPU,
	GPUSORT_STATS_ENGINES
} StatsEngine;

/* What one sort, or several, add to the counters. */
typedef struct SortCounts
{
	uint64_t	jobs;
	uint64_t	segments;
	uint64_t	keys;
	uint64_t	bytes;			/* of keys and payload */
	uint64_t	nanoseconds;
	uint64_t	verification_failures;
} SortCounts;

extern void gpusort_stats_count(StatsEngine engine, GpusortMethod method, const SortCounts *counts);

/* Counts a sort that the CPU did although the GPU was wanted. */
extern void gpusort_stats_fallback(GpusortMethod method, const char *reason);

/* Publishes this backend's counts now. */
extern void gpusort_stats_flush(void);

/* Called from the shared memory hooks. */
extern Size gpusort_stats_shmem_size(void);
extern void gpusort_stats_shmem_startup(void);

#endif							/* GPUSORT_SORT_STATS_H */
