/*
 * sort_explain.h
 *	  What EXPLAIN shows of a sort, in the same words for all nodes.
 */
#ifndef GPUSORT_SORT_EXPLAIN_H
#define GPUSORT_SORT_EXPLAIN_H

#include "commands/explain.h"
#include "nodes/execnodes.h"

#include "compat.h"
#include "nodes/parallel_stats.h"

#ifdef GPUSORT_SPLIT_EXPLAIN
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

typedef struct PhaseShown
{
	const char *name;			/* "read" in a line of phases */
	const char *property;		/* "Read Time" as a property of its own */
	double		ms;
} PhaseShown;

/* Shows which engines sorted, and in which memory: one line of text, or properties. */
extern void gpusort_explain_sort(const SortCounters *counters, const char *method, bool may_spill, ExplainState *es);

/* Shows what will sort, before it runs. */
extern void gpusort_explain_plan(const char *method, bool cpu, bool gpu, ExplainState *es);

/* Shows where the time went: one line of text, or properties.  Nothing with TIMING off. */
extern void gpusort_explain_phases(const PhaseShown *phases, int count, ExplainState *es);

/* Shows the counters of one process, or of all together. */
typedef void (*SortExplainer) (const SortCounters *counters, ExplainState *es);

/* Shows what all processes did together, and with VERBOSE also each parallel worker.  Nothing if nothing was sorted. */
extern void gpusort_explain_work(const SortScanState *scan, SortExplainer show, ExplainState *es);

#endif							/* GPUSORT_SORT_EXPLAIN_H */
