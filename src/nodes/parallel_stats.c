/*
 * parallel_stats.c
 *	  Counters of a plan node in parallel workers, see parallel_stats.h.
 */
#include "postgres.h"

#include "storage/dsm.h"

#include "compat.h"
#include "nodes/explain_headers.h"
#include "nodes/parallel_stats.h"

Size
gpusort_parallel_stats_bytes(ParallelContext *context, Size size)
{
	return mul_size(context->nworkers, MAXALIGN(size));
}

/* Copies the entries, before the leader gives the shared memory back. */
static void
keep_entries(dsm_segment *segment, Datum arg)
{
	ParallelStats *stats = (ParallelStats *) DatumGetPointer(arg);

	memcpy(stats->entries, stats->shared, stats->nworkers * MAXALIGN(stats->size));
	stats->shared = NULL;
}

void
gpusort_parallel_stats_share(ParallelStats **stats, ParallelContext *context, Size size, void *shared)
{
	Size		bytes = gpusort_parallel_stats_bytes(context, size);

	if (*stats == NULL)
	{
		*stats = palloc(sizeof(ParallelStats));
		**stats = (ParallelStats)
		{
			.nworkers = context->nworkers,
			.size = size,
			.entries = palloc0(bytes)
		};
	}
	if (context->seg == NULL || context->nworkers != (*stats)->nworkers)
	{
		memset(shared, 0, bytes);
		return;
	}
	memcpy(shared, (*stats)->entries, bytes);
	(*stats)->shared = shared;
	on_dsm_detach(context->seg, keep_entries, PointerGetDatum(*stats));
}

void *
gpusort_parallel_stats_entry(void *shared, Size size)
{
	return (char *) shared + ParallelWorkerNumber * MAXALIGN(size);
}

const void *
gpusort_parallel_stats_kept(const ParallelStats *stats, int worker)
{
	return (stats->shared ? stats->shared : stats->entries) + worker * MAXALIGN(stats->size);
}

void
gpusort_parallel_stats_open(int worker, struct ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Worker %d:\n", worker);
		es->indent++;
		return;
	}
	ExplainOpenGroup("Worker", NULL, true, es);
	ExplainPropertyInteger("Worker Number", NULL, worker, es);
}

void
gpusort_parallel_stats_close(struct ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent--;
	else
		ExplainCloseGroup("Worker", NULL, true, es);
}
