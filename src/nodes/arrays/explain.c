/*
 * explain.c
 *	  What EXPLAIN says about an arrays node.
 */
#include "postgres.h"

#include "compat.h"

#include "commands/explain.h"
#ifdef GPUSORT_SPLIT_EXPLAIN
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "executor/executor.h"
#include "utils/ruleutils.h"

#include "guc.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/arrays/arrays_state.h"

static void explain_calls(ArraysState *state, List *ancestors, struct ExplainState *es);
static void explain_expectation(ArraysState *state, struct ExplainState *es);
static void explain_work(ArraysState *state, struct ExplainState *es);
static void add_counters(ArraysCounters *total, const ArraysCounters *part);
static void explain_counters(const ArraysCounters *counters, struct ExplainState *es);
static void explain_engine(bool cpu, bool gpu, GpusortMethod method, struct ExplainState *es);

/* Shows the node's properties: what will run or, with ANALYZE, what did. */
void
gpusort_arrays_explain(CustomScanState *css, List *ancestors, struct ExplainState *es)
{
	ArraysState *state = (ArraysState *) css;

	explain_calls(state, ancestors, es);
	if (es->analyze)
		explain_work(state, es);
	else
		explain_expectation(state, es);
}

static void
explain_calls(ArraysState *state, List *ancestors, struct ExplainState *es)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, &plan->scan.plan, ancestors);
	bool		prefix = list_length(es->rtable) > 1 || es->verbose;
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
explain_expectation(ArraysState *state, struct ExplainState *es)
{
	bool		cpu = false;
	bool		gpu = false;

	for (int i = 0; i < state->ncalls; i++)
	{
		if (gpusort_arrays_on_device(&state->calls[i]))
			gpu = true;
		else
			cpu = true;
	}
	explain_engine(cpu, gpu, gpusort_method, es);
}

/* Shows what all processes did together, and with VERBOSE also each parallel worker. */
static void
explain_work(ArraysState *state, struct ExplainState *es)
{
	const ParallelStats *workers = state->workers;
	int			nworkers = workers ? workers->nworkers : 0;
	ArraysCounters total = state->counters;

	for (int i = 0; i < nworkers; i++)
		add_counters(&total, gpusort_parallel_stats_kept(workers, i));
	explain_counters(&total, es);
	if (!es->verbose || nworkers == 0)
		return;
	ExplainOpenGroup("Array Workers", "Array Workers", false, es);
	for (int i = 0; i < nworkers; i++)
	{
		gpusort_parallel_stats_open(i, es);
		explain_counters(gpusort_parallel_stats_kept(workers, i), es);
		gpusort_parallel_stats_close(es);
	}
	ExplainCloseGroup("Array Workers", "Array Workers", false, es);
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
	total->bytes += part->bytes;
	total->read_ms += part->read_ms;
	total->sort_ms += part->sort_ms;
	total->wait_ms += part->wait_ms;
	total->device_ms += part->device_ms;
}

static void
explain_counters(const ArraysCounters *counters, struct ExplainState *es)
{
	bool		cpu = counters->batches > counters->batches_by_gpu;
	bool		gpu = counters->batches_by_gpu > 0;

	if (cpu || gpu)
		explain_engine(cpu, gpu, counters->method, es);
	ExplainPropertyUInteger("Batches", NULL, counters->batches, es);
	ExplainPropertyUInteger("Segments", NULL, counters->segments, es);
	ExplainPropertyUInteger("Keys", NULL, counters->keys, es);
	ExplainPropertyUInteger("Bytes", NULL, counters->bytes, es);
	if (counters->rows_by_function > 0)
		ExplainPropertyUInteger("Rows by Function", NULL, counters->rows_by_function, es);
	if (!es->timing)
		return;
	ExplainPropertyFloat("Read Time", "ms", counters->read_ms, 3, es);
	if (cpu)
		ExplainPropertyFloat("Sort Time", "ms", counters->sort_ms, 3, es);
	if (gpu)
	{
		ExplainPropertyFloat("Wait Time", "ms", counters->wait_ms, 3, es);
		ExplainPropertyFloat("Device Time", "ms", counters->device_ms, 3, es);
	}
}

static void
explain_engine(bool cpu, bool gpu, GpusortMethod method, struct ExplainState *es)
{
	ExplainPropertyText("Engine", cpu && gpu ? "gpu, cpu" : gpu ? "gpu" : "cpu", es);
	ExplainPropertyText("Method", gpusort_method_name(method), es);
}
