/*
 * explain.c
 *	  What EXPLAIN says about an arrays node.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/ruleutils.h"

#include "guc.h"
#include "nodes/arrays/arrays_state.h"
#include "nodes/sort_explain.h"

static void
explain_calls(ArraysState *state, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) state->scan.css.ss.ps.plan;
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
	bool		cpu = false;
	bool		gpu = false;

	for (int i = 0; i < state->ncalls; i++)
	{
		if (gpusort_arrays_on_device(&state->calls[i]))
			gpu = true;
		else
			cpu = true;
	}
	gpusort_explain_plan(gpusort_method_name(gpusort_method), cpu, gpu, es);
}

static void
explain_counters(const SortCounters *counters, ExplainState *es)
{
	PhaseShown	phases[] = {
		{"read", "Read Time", INSTR_TIME_GET_MILLISEC(counters->read_time)},
		{"sort", "Sort Time", INSTR_TIME_GET_MILLISEC(counters->sort_time)},
		{"wait", "Wait Time", INSTR_TIME_GET_MILLISEC(counters->wait_time)},
		{"device", "Device Time", counters->device_ms}
	};

	gpusort_explain_sort(counters, gpusort_method_name(counters->method), false, es);
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
	gpusort_explain_phases(phases, counters->used_gpu || es->format != EXPLAIN_FORMAT_TEXT ? 4 : 2, es);
}

/* Shows the node's properties: what will run or, with ANALYZE, what did. */
void
gpusort_arrays_explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	ArraysState *state = (ArraysState *) css;

	explain_calls(state, ancestors, es);
	if (es->analyze)
		gpusort_explain_work(&state->scan, explain_counters, es);
	else
		explain_expectation(state, es);
}
