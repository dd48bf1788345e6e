/*
 * explain.c
 *	  What EXPLAIN shows of the rows node.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

#include "compat.h"
#include "nodes/explain_headers.h"
#include "nodes/rows/exec.h"
#include "nodes/rows/plan_intervals.h"
#include "nodes/rows/rows_node.h"
#include "nodes/sort_explain.h"

/* Shows the sort keys as PostgreSQL shows those of a Sort. */
static void
explain_keys(CustomScanState *node, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List	   *intervals = list_nth(scan->custom_private, ROWS_LIST_INTERVALS);
	List	   *tlist = scan->scan.plan.targetlist;
	List	   *keys = scan->custom_private;

	if (intervals != NIL)
	{
		AttrNumber	column = list_nth_int(intervals, ROWS_INTERVALS_COLUMN) + 1;

		if (!list_nth_int(intervals, ROWS_INTERVALS_RETURNED))
		{
			Var		   *interval = makeVar(INDEX_VAR, column, INT4OID, -1, InvalidOid, 0);

			tlist = lappend(list_copy(tlist), makeTargetEntry((Expr *) interval, column, NULL, true));
		}
		keys = list_copy(keys);
		lfirst(list_nth_cell(keys, KEY_COLUMNS)) = list_make1_int(column);
		lfirst(list_nth_cell(keys, KEY_OPERATORS)) = list_make1_oid((Oid) list_nth_int(intervals, ROWS_INTERVALS_OPERATOR));
	}
	gpusort_explain_sort_keys(node, tlist, keys, ancestors, es);
	if (intervals != NIL)
		ExplainPropertyInteger("Intervals", NULL, list_nth_int(intervals, ROWS_INTERVALS_BUCKETS), es);
}

/* A part of a bound: the value of a constant, or the parameter that was cast to int8. */
static char *
bound_text(Node *value, List *context, bool prefix)
{
	if (IsA(value, FuncExpr) && ((FuncExpr *) value)->funcformat == COERCE_IMPLICIT_CAST)
		value = linitial(((FuncExpr *) value)->args);
	if (IsA(value, Const) && !((Const *) value)->constisnull)
	{
		Oid			output;
		bool		is_varlena;

		getTypeOutputInfo(((Const *) value)->consttype, &output, &is_varlena);
		return OidOutputFunctionCall(output, ((Const *) value)->constvalue);
	}
	return deparse_expression(value, context, prefix, false);
}

/* Shows which rows the node keeps. */
static void
explain_bound(CustomScanState *node, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List	   *ints = list_nth(scan->custom_private, ROWS_LIST_BOUND);
	RowBoundKind kind = list_nth_int(ints, ROWS_BOUND_KIND);
	int			partition_keys = list_nth_int(ints, ROWS_BOUND_PARTITION_KEYS);
	List	   *columns = list_nth(scan->custom_private, KEY_COLUMNS);
	List	   *context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
	bool		prefix = gpusort_compat_explained_tables(es) > 1 || es->verbose;
	StringInfoData text;
	ListCell   *cell;

	if (scan->custom_exprs == NIL && kind != BOUND_DISTINCT)
		return;
	initStringInfo(&text);
	if (kind == BOUND_DISTINCT)
	{
		ExplainPropertyText("Keeps", "one of equal rows", es);
		return;
	}
	appendStringInfoString(&text, list_nth_int(ints, ROWS_BOUND_IS_LESS) ? "fewer than " : "first ");
	foreach(cell, scan->custom_exprs)
		appendStringInfo(&text, "%s%s", cell == list_head(scan->custom_exprs) ? "" : " + ",
						 bound_text(lfirst(cell), context, prefix));
	appendStringInfoString(&text, kind == BOUND_VALUES ? " distinct keys" : kind == BOUND_TIES ? " rows and ties" : " rows");
	for (int i = 0; i < partition_keys; i++)
	{
		TargetEntry *entry = list_nth(scan->scan.plan.targetlist, list_nth_int(columns, i) - 1);

		appendStringInfo(&text, "%s%s", i == 0 ? " of each " : ", ",
						 deparse_expression((Node *) entry->expr, context, prefix, true));
	}
	ExplainPropertyText("Keeps", text.data, es);
}

/* How rows were sorted, and where they were. */
static const char *
method_text(const RowSortStats *stats)
{
	if (stats->initial_runs > 0)
		return "external merge";
	if (stats->parts > 0)
		return "external distribution";
	if (stats->device_bytes > 0)
		return "in device memory";
	return stats->bounded ? "top-N in memory" : "in memory";
}

/* Shows what sorts did. */
static void
explain_stats(const RowSortStats *stats, ExplainState *es)
{
	SortShown	shown = {
		.method = method_text(stats),
		.cpu = stats->used_cpu,
		.gpu = stats->used_gpu,
		.peak_bytes = stats->peak_bytes,
		.moved_bytes = stats->moved_bytes,
		.may_spill = true,
		.device_bytes = stats->device_bytes,
		.devices = stats->devices,
		.disk_bytes = stats->disk_bytes,
		.parts = stats->parts,
		.runs = stats->initial_runs,
		.joined_runs = stats->joined_runs,
		.merge_passes = stats->merge_passes
	};
	PhaseShown	phases[] = {
		{"read", "Read Time", INSTR_TIME_GET_MILLISEC(stats->read_time)},
		{"sort", "Sort Time", INSTR_TIME_GET_MILLISEC(stats->sort_time)},
		{"spill", "Spill Time", INSTR_TIME_GET_MILLISEC(stats->spill_time)},
		{"gather", "Gather Time", INSTR_TIME_GET_MILLISEC(stats->gather_time)}
	};

	gpusort_explain_sort(&shown, es);
	ExplainPropertyText("Input", stats->read_directly ? "read directly" : "row by row", es);
	gpusort_explain_phases(phases, lengthof(phases), es);
}

/* Adds the counters of another process. */
static void
add_stats(RowSortStats *total, const RowSortStats *part)
{
	if (!part->sorted)
		return;
	total->sorted = true;
	total->used_cpu |= part->used_cpu;
	total->used_gpu |= part->used_gpu;
	total->read_directly |= part->read_directly;
	total->bounded |= part->bounded;
	total->peak_bytes += part->peak_bytes;
	total->device_bytes += part->device_bytes;
	total->devices |= part->devices;
	total->disk_bytes += part->disk_bytes;
	total->moved_bytes += part->moved_bytes;
	total->parts += part->parts;
	total->initial_runs += part->initial_runs;
	total->joined_runs += part->joined_runs;
	total->merge_passes += part->merge_passes;
	INSTR_TIME_ADD(total->read_time, part->read_time);
	INSTR_TIME_ADD(total->sort_time, part->sort_time);
	INSTR_TIME_ADD(total->spill_time, part->spill_time);
	INSTR_TIME_ADD(total->gather_time, part->gather_time);
}

/* Shows what all processes did together, and with VERBOSE also each parallel worker. */
static void
explain_work(const RowsNodeState *state, ExplainState *es)
{
	int			nworkers = state->workers ? state->workers->nworkers : 0;
	RowSortStats total = state->stats;

	for (int i = 0; i < nworkers; i++)
		add_stats(&total, gpusort_parallel_stats_kept(state->workers, i));
	if (!total.sorted)
		return;
	explain_stats(&total, es);
	if (!es->verbose || nworkers == 0)
		return;
	ExplainOpenGroup("Sort Workers", "Sort Workers", false, es);
	for (int i = 0; i < nworkers; i++)
	{
		const RowSortStats *stats = gpusort_parallel_stats_kept(state->workers, i);

		if (!stats->sorted)
			continue;
		gpusort_parallel_stats_open(i, es);
		explain_stats(stats, es);
		gpusort_parallel_stats_close(es);
	}
	ExplainCloseGroup("Sort Workers", "Sort Workers", false, es);
}

void
gpusort_rows_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	explain_keys(node, ancestors, es);
	explain_bound(node, ancestors, es);
	if (es->analyze)
		explain_work((const RowsNodeState *) node, es);
}
