/*
 * explain.c
 *	  What EXPLAIN says about an arrays node.
 */
#include "postgres.h"

#include "compat.h"

#include "executor/executor.h"
#include "utils/ruleutils.h"

#include "guc.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/arrays/arrays_state.h"
#include "nodes/explain_headers.h"
#include "nodes/sort_explain.h"

static void
explain_calls(ArraysState *state, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, &plan->scan.plan, ancestors);
	bool		prefix = gpusort_compat_explained_tables(es) > 1 || es->verbose;
	List	   *calls = NIL;

	for (int i = 0; i < state->ncalls; i++)
	{
		TargetEntry *entry = list_nth(plan->custom_scan_tlist, state->ncolumns + i);

		calls = lappend(calls, deparse_expression((Node *) entry->expr, context, prefix, false));
	}
	ExplainPropertyList("Batched", calls, es);
}

/* Shows the engine that would sort now, and the setting gpusort.method. */
static void
explain_expectation(ArraysState *state, ExplainState *es)
{
	SortShown	shown = {.method = gpusort_method_name(gpusort_method)};

	for (int i = 0; i < state->ncalls; i++)
	{
		if (gpusort_arrays_on_device(&state->calls[i]))
			shown.gpu = true;
		else
			shown.cpu = true;
	}
	gpusort_explain_plan(&shown, es);
}

static void
add_counters(ArraysCounters *total, const ArraysCounters *part)
{
	if (part->batches > 0)
		total->method = part->method;
	total->rows_by_function += part->rows_by_function;
	total->batches += part->batches;
	total->batches_by_gpu += part->batches_by_gpu;
	total->segments += part->segments;
	total->keys += part->keys;
	total->moved_bytes += part->moved_bytes;
	total->peak_bytes += part->peak_bytes;
	total->read_ms += part->read_ms;
	total->sort_ms += part->sort_ms;
	total->wait_ms += part->wait_ms;
	total->device_ms += part->device_ms;
}

static void
explain_counters(const ArraysCounters *counters, ExplainState *es)
{
	SortShown	shown = {
		.method = gpusort_method_name(counters->method),
		.cpu = counters->batches > counters->batches_by_gpu,
		.gpu = counters->batches_by_gpu > 0,
		.peak_bytes = counters->peak_bytes,
		.moved_bytes = counters->moved_bytes
	};
	PhaseShown	phases[] = {
		{"read", "Read Time", counters->read_ms},
		{"sort", "Sort Time", counters->sort_ms},
		{"wait", "Wait Time", counters->wait_ms},
		{"device", "Device Time", counters->device_ms}
	};

	gpusort_explain_sort(&shown, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Batches: " UINT64_FORMAT "  Segments: " UINT64_FORMAT "  Keys: " UINT64_FORMAT,
						 counters->batches, counters->segments, counters->keys);
		if (counters->rows_by_function > 0)
			appendStringInfo(es->str, "  Rows by Function: " UINT64_FORMAT, counters->rows_by_function);
		appendStringInfoChar(es->str, '\n');
	}
	else
	{
		ExplainPropertyUInteger("Batches", NULL, counters->batches, es);
		ExplainPropertyUInteger("Segments", NULL, counters->segments, es);
		ExplainPropertyUInteger("Keys", NULL, counters->keys, es);
		ExplainPropertyUInteger("Rows by Function", NULL, counters->rows_by_function, es);
	}
	gpusort_explain_phases(phases, shown.gpu || es->format != EXPLAIN_FORMAT_TEXT ? 4 : 2, es);
}

/* Shows what all processes did together, and with VERBOSE also each parallel worker. */
static void
explain_work(ArraysState *state, ExplainState *es)
{
	const ParallelStats *workers = state->workers;
	int			nworkers = workers ? workers->nworkers : 0;
	ArraysCounters total = state->counters;

	for (int i = 0; i < nworkers; i++)
		add_counters(&total, gpusort_parallel_stats_kept(workers, i));
	explain_counters(&total, es);
	if (!es->verbose || nworkers == 0)
		return;
	ExplainOpenGroup("Sort Workers", "Sort Workers", false, es);
	for (int i = 0; i < nworkers; i++)
	{
		gpusort_parallel_stats_open(i, es);
		explain_counters(gpusort_parallel_stats_kept(workers, i), es);
		gpusort_parallel_stats_close(es);
	}
	ExplainCloseGroup("Sort Workers", "Sort Workers", false, es);
}

/* Shows the node's properties: what will run or, with ANALYZE, what did. */
void
gpusort_arrays_explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	ArraysState *state = (ArraysState *) css;

	explain_calls(state, ancestors, es);
	if (es->analyze)
		explain_work(state, es);
	else
		explain_expectation(state, es);
}
