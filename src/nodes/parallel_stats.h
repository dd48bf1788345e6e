/*
 * parallel_stats.h
 *	  Counters of a plan node in all processes that run it, for EXPLAIN ANALYZE.
 *
 * Each parallel worker copies its counters to an entry in the memory that its Gather shares,
 * when the node is shut down there.  Workers that run again for a rescan continue with their
 * entries.  Before that memory is freed, which is after the last worker has ended, the leader
 * copies all entries.
 *
 * The executor calls a custom scan's methods for shared memory only if the plan says that
 * the node is parallel-aware.
 */
#ifndef GPUSORT_PARALLEL_STATS_H
#define GPUSORT_PARALLEL_STATS_H

#include "access/parallel.h"
#include "nodes/execnodes.h"

#include "stats/sort_counters.h"

/* The state of a node that counts begins with this. */
typedef struct SortScanState
{
	CustomScanState css;		/* must be first */
	SortCounters counters;		/* of this process */
	SortCounters *entry;		/* in a parallel worker: where its counters are shared, else NULL */
	int			nworkers;		/* in the leader: entries of parallel workers */
	SortCounters *entries;		/* the leader's copies */
	SortCounters *shared;		/* the entries while they are shared, or NULL */
} SortScanState;

/* Methods of custom scans. */
extern Size gpusort_parallel_stats_estimate(CustomScanState *node, ParallelContext *context);
extern void gpusort_parallel_stats_share(CustomScanState *node, ParallelContext *context, void *shared);
extern void gpusort_parallel_stats_attach(CustomScanState *node, shm_toc *toc, void *shared);

/* To be called when the node is shut down: in a parallel worker, copies the counters to its entry. */
extern void gpusort_parallel_stats_publish(const SortScanState *scan);

/* In the leader: the counters of a parallel worker over all its runs. */
extern const SortCounters *gpusort_parallel_stats_of(const SortScanState *scan, int worker);

#endif							/* GPUSORT_PARALLEL_STATS_H */
