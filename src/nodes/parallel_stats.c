/*
 * parallel_stats.c
 *	  Counters of a plan node in parallel workers, see parallel_stats.h.
 */
#include "postgres.h"

#include "storage/dsm.h"

#include "nodes/parallel_stats.h"

Size
gpusort_parallel_stats_estimate(CustomScanState *node, ParallelContext *context)
{
	return mul_size(context->nworkers, sizeof(SortCounters));
}

/* Copies the entries, before the leader gives the shared memory back. */
static void
keep_entries(dsm_segment *segment, Datum arg)
{
	SortScanState *scan = (SortScanState *) DatumGetPointer(arg);

	memcpy(scan->entries, scan->shared, scan->nworkers * sizeof(SortCounters));
	scan->shared = NULL;
}

void
gpusort_parallel_stats_share(CustomScanState *node, ParallelContext *context, void *shared)
{
	SortScanState *scan = (SortScanState *) node;
	Size		bytes = gpusort_parallel_stats_estimate(node, context);

	if (scan->entries == NULL)
	{
		scan->nworkers = context->nworkers;
		scan->entries = palloc0(bytes);
	}
	if (context->seg == NULL || context->nworkers != scan->nworkers)
	{
		memset(shared, 0, bytes);
		return;
	}
	memcpy(shared, scan->entries, bytes);
	scan->shared = shared;
	on_dsm_detach(context->seg, keep_entries, PointerGetDatum(scan));
}

void
gpusort_parallel_stats_attach(CustomScanState *node, shm_toc *toc, void *shared)
{
	SortScanState *scan = (SortScanState *) node;

	scan->entry = (SortCounters *) shared + ParallelWorkerNumber;
	scan->counters = *scan->entry;
}

void
gpusort_parallel_stats_publish(const SortScanState *scan)
{
	if (scan->entry != NULL)
		*scan->entry = scan->counters;
}

const SortCounters *
gpusort_parallel_stats_of(const SortScanState *scan, int worker)
{
	return (scan->shared ? scan->shared : scan->entries) + worker;
}
