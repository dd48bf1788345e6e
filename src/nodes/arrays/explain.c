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
#include "sort/sort.h"

static void explain_calls(ArraysState *state, List *ancestors, struct ExplainState *es);
static void explain_expectation(ArraysState *state, struct ExplainState *es);
static void explain_work(ArraysState *state, struct ExplainState *es);

/* Adds the node's properties: what will run, and after ANALYZE what did. */
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

/* Which engine would sort now, and by which method if one is chosen. */
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
	ExplainPropertyText("Engine", cpu && gpu ? "gpu, cpu" : gpu ? "gpu" : "cpu", es);
	ExplainPropertyText("Method", gpusort_sort_method_name(gpusort_method), es);
}

static void
explain_work(ArraysState *state, struct ExplainState *es)
{
	const ArraysCounters *counters = &state->counters;

	if (state->engine)
	{
		ExplainPropertyText("Engine", state->engine, es);
		ExplainPropertyText("Method", gpusort_sort_method_name(state->method), es);
	}
	ExplainPropertyInteger("Batches", NULL, counters->batches, es);
	ExplainPropertyInteger("Segments", NULL, counters->segments, es);
	ExplainPropertyInteger("Keys", NULL, counters->keys, es);
	ExplainPropertyInteger("Bytes", NULL, counters->bytes, es);
	if (counters->rows_by_function > 0)
		ExplainPropertyInteger("Rows by Function", NULL, counters->rows_by_function, es);
	if (!es->timing)
		return;
	ExplainPropertyFloat("Read Time", "ms", counters->read_ms, 3, es);
	ExplainPropertyFloat("Wait Time", "ms", counters->wait_ms, 3, es);
	if (counters->device_ms > 0)
		ExplainPropertyFloat("Device Time", "ms", counters->device_ms, 3, es);
}
