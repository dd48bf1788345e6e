/*
 * sort_stats.h
 *	  Counters of what was sorted, by engine, method and for whom, and of why a GPU
 *	  was passed over.
 *
 * Counting costs a few additions in the backend's own memory; the sums reach
 * shared memory at the end of the transaction, or after GPUSORT_STATS_FLUSH
 * counts.  Without shared_preload_libraries each backend sees its own sums only.
 */
#ifndef GPUSORT_SORT_STATS_H
#define GPUSORT_SORT_STATS_H

#include "keys/engine_names.h"
#include "stats/sort_reason.h"

#define GPUSORT_STATS_FLUSH 1000

/* For whom a sort is. */
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

/* What one sort, or several, add to the counters. */
typedef struct SortCounts
{
	uint64_t	jobs;
	uint64_t	segments;
	uint64_t	keys;
	uint64_t	bytes;			/* of keys and payload */
	uint64_t	nanoseconds;
	uint64_t	device_sorts;	/* that devices did for them: of pieces, or of what was given up */
	uint64_t	verification_failures;
} SortCounts;

extern void gpusort_stats_count(EngineId engine, SortUse use, GpusortMethod method, const SortCounts *counts);

/* The same for whoever ends no transactions: a device worker.  It needs shared memory. */
extern void gpusort_stats_count_now(EngineId engine, SortUse use, GpusortMethod method, const SortCounts *counts);

/* Counts a sort that the CPU does although a GPU was wanted. */
extern void gpusort_stats_fallback(SortUse use, GpusortMethod method, SortReason reason);

extern const char *gpusort_use_name(SortUse use);

/* Called from the shared memory hooks. */
extern Size gpusort_stats_shmem_size(void);
extern void gpusort_stats_shmem_startup(void);

#endif							/* GPUSORT_SORT_STATS_H */
