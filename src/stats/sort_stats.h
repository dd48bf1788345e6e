/*
 * sort_stats.h
 *	  Counters of sorts by engine, method and use, and of fallbacks by reason.
 *
 * Counting is a few additions in the backend's own memory.  The sums are added to shared
 * memory at the end of the transaction, or after GPUSORT_STATS_FLUSH counts.  Without
 * shared_preload_libraries each backend sees only its own sums.
 */
#ifndef GPUSORT_SORT_STATS_H
#define GPUSORT_SORT_STATS_H

#include "keys/engine_names.h"
#include "stats/sort_reason.h"

#define GPUSORT_STATS_FLUSH 1000

/* What a sort is for. */
#define GPUSORT_SORT_USES(X) \
	X(FUNCTIONS, "functions")	/* on arrays */ \
	X(AGGREGATES, "aggregates") \
	X(ARRAYS, "arrays")			/* the node that sorts the arrays of many rows */ \
	X(ROWS, "rows")				/* the node in the place of Sort */

typedef enum SortUse
{
#define SORT_USE(symbol, name) USED_FOR_##symbol,
	GPUSORT_SORT_USES(SORT_USE)
#undef SORT_USE
	SORT_USES
} SortUse;

/* Numbers to be added to the counters. */
typedef struct SortCounts
{
	uint64_t	jobs;
	uint64_t	segments;
	uint64_t	keys;
	uint64_t	bytes;			/* of keys and payload */
	uint64_t	nanoseconds;
	uint64_t	device_sorts;	/* by devices: each piece counts, and each abandoned job */
	uint64_t	verification_failures;
} SortCounts;

extern void gpusort_stats_count(EngineId engine, SortUse use, GpusortMethod method, const SortCounts *counts);

/* Adds what a device worker counts, which has no transactions.  Needs shared memory. */
extern void gpusort_stats_count_now(SortUse use, GpusortMethod method, const SortCounts *counts);

/* Counts a sort that the CPU does although a GPU was wanted. */
extern void gpusort_stats_fallback(SortUse use, GpusortMethod method, SortReason reason);

extern const char *gpusort_use_name(SortUse use);

/* Called from the shared memory hooks. */
extern Size gpusort_stats_shmem_size(void);
extern void gpusort_stats_shmem_startup(void);

#endif							/* GPUSORT_SORT_STATS_H */
