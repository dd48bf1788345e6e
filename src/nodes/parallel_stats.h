/*
 * parallel_stats.h
 *	  Counters of a plan node in parallel workers, for EXPLAIN ANALYZE.
 *
 * Counters are a struct without pointers.  Each parallel worker copies its own to an entry
 * in the memory that its Gather shares, when the node is shut down there.  Workers that
 * run again for a rescan continue with their entries.  Before that memory is freed, which
 * is after the last worker has ended, the leader copies all entries.
 *
 * The executor calls a custom scan's methods for shared memory only if the plan says that
 * the node is parallel-aware.
 */
#ifndef GPUSORT_PARALLEL_STATS_H
#define GPUSORT_PARALLEL_STATS_H

#include "access/parallel.h"

struct ExplainState;

typedef struct ParallelStats
{
	int			nworkers;
	Size		size;			/* of an entry */
	char	   *shared;			/* the entries while they are shared, or NULL */
	char	   *entries;		/* kept by the leader */
} ParallelStats;

/* Bytes of shared memory for entries of the given size. */
extern Size gpusort_parallel_stats_bytes(ParallelContext *context, Size size);

/* In the leader: prepares shared memory.  *stats keeps the entries; it is made if NULL. */
extern void gpusort_parallel_stats_share(ParallelStats **stats, ParallelContext *context, Size size, void *shared);

/* In a parallel worker: its entry. */
extern void *gpusort_parallel_stats_entry(void *shared, Size size);

/* In the leader: the counters of a parallel worker over all its runs. */
extern const void *gpusort_parallel_stats_kept(const ParallelStats *stats, int worker);

/* What EXPLAIN shows between these two calls stands below the name of a parallel worker. */
extern void gpusort_parallel_stats_open(int worker, struct ExplainState *es);
extern void gpusort_parallel_stats_close(struct ExplainState *es);

#endif							/* GPUSORT_PARALLEL_STATS_H */
