/*
 * worker_stats.h
 *	  What a plan node counted in parallel workers, for EXPLAIN ANALYZE.
 *
 * Counters are plain memory without pointers.  Each worker copies its own to an
 * entry in the memory that its Gather shares, when the node is shut down there;
 * workers that run again for a rescan go on from their entries.  The leader keeps
 * a copy of all entries when that memory goes, which is after the last worker has
 * ended.
 *
 * The executor calls a custom scan's methods for shared memory only where the plan
 * says that the node is parallel-aware.
 */
#ifndef GPUSORT_WORKER_STATS_H
#define GPUSORT_WORKER_STATS_H

#include "access/parallel.h"

struct ExplainState;

typedef struct WorkerStats
{
	int			nworkers;
	Size		size;			/* of an entry */
	char	   *shared;			/* the entries while they are shared, or NULL */
	char	   *entries;		/* kept by the leader */
} WorkerStats;

/* Bytes of shared memory for entries of the given size. */
extern Size gpusort_worker_stats_room(ParallelContext *context, Size size);

/* In the leader: prepares shared memory, and keeps stats beside it, made if NULL. */
extern void gpusort_worker_stats_share(WorkerStats **stats, ParallelContext *context, Size size, void *shared);

/* In a worker: its entry. */
extern void *gpusort_worker_stats_entry(void *shared, Size size);

/* In the leader: what a worker counted in all its runs. */
extern const void *gpusort_worker_stats_kept(const WorkerStats *stats, int worker);

/* Puts what EXPLAIN shows between the two below the name of a worker. */
extern void gpusort_worker_stats_open(int worker, struct ExplainState *es);
extern void gpusort_worker_stats_close(struct ExplainState *es);

#endif							/* GPUSORT_WORKER_STATS_H */
