/*
 * explain.c
 *	  What EXPLAIN shows of the rows node.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

#include "nodes/rows/rows_node.h"
#include "nodes/sort_explain.h"

/* Appends collation, direction and NULLs of a sort key where they are not the default. */
static void
append_key_options(StringInfo key, Node *expr, Oid operator, Oid collation, bool nulls_first)
{
	Oid			type = exprType(expr);
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	bool		descending = false;

	if (OidIsValid(collation) && collation != get_typcollation(type))
		appendStringInfo(key, " COLLATE %s", quote_identifier(get_collation_name(collation)));
	if (operator == cache->gt_opr)
	{
		appendStringInfoString(key, " DESC");
		descending = true;
	}
	else if (operator != cache->lt_opr)
	{
		char	   *name = get_opname(operator);

		if (name == NULL)
			elog(ERROR, "cache lookup failed for operator %u", operator);
		appendStringInfo(key, " USING %s", name);
		(void) get_equality_op_for_ordering_op(operator, &descending);
	}
	if (nulls_first != descending)
		appendStringInfo(key, " NULLS %s", nulls_first ? "FIRST" : "LAST");
}

/* Shows the sort keys as PostgreSQL shows those of a Sort. */
void
gpusort_rows_explain_keys(CustomScanState *node, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	const Sort *keys = GPUSORT_ROWS_KEYS(scan->custom_private);
	List	   *context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
	bool		prefix = gpusort_compat_explained_tables(es) > 1 || es->verbose;
	List	   *shown = NIL;

	for (int i = 0; i < keys->numCols; i++)
	{
		TargetEntry *entry = list_nth(scan->scan.plan.targetlist, keys->sortColIdx[i] - 1);
		StringInfoData key;

		initStringInfo(&key);
		appendStringInfoString(&key, deparse_expression((Node *) entry->expr, context, prefix, true));
		append_key_options(&key, (Node *) entry->expr, keys->sortOperators[i], keys->collations[i], keys->nullsFirst[i]);
		shown = lappend(shown, key.data);
	}
	ExplainPropertyList("Sort Key", shown, es);
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
	List	   *ints = list_nth(scan->custom_private, ROWS_KEPT);
	RowBoundKind kind = list_nth_int(ints, ROWS_KEPT_KIND);
	int			partition_keys = list_nth_int(ints, ROWS_KEPT_PARTITION_KEYS);
	const Sort *keys = GPUSORT_ROWS_KEYS(scan->custom_private);
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
	appendStringInfoString(&text, list_nth_int(ints, ROWS_KEPT_IS_LESS) ? "fewer than " : "first ");
	foreach(cell, scan->custom_exprs)
		appendStringInfo(&text, "%s%s", cell == list_head(scan->custom_exprs) ? "" : " + ",
						 bound_text(lfirst(cell), context, prefix));
	appendStringInfoString(&text, kind == BOUND_VALUES ? " distinct keys" : kind == BOUND_TIES ? " rows and ties" : " rows");
	for (int i = 0; i < partition_keys; i++)
	{
		TargetEntry *entry = list_nth(scan->scan.plan.targetlist, keys->sortColIdx[i] - 1);

		appendStringInfo(&text, "%s%s", i == 0 ? " of each " : ", ",
						 deparse_expression((Node *) entry->expr, context, prefix, true));
	}
	ExplainPropertyText("Keeps", text.data, es);
}

/* How rows were sorted, and where they were. */
static const char *
method_text(const SortCounters *stats)
{
	if (stats->shared)
		return stats->disk_bytes > 0 ? "parallel, external" : "parallel, in memory";
	if (stats->parts > 0)
		return "external distribution";
	if (stats->device_bytes > 0)
		return "in device memory";
	return stats->bounded ? "top-N in memory" : "in memory";
}

/* Shows what sorts did. */
static void
explain_stats(const SortCounters *stats, ExplainState *es)
{
	PhaseShown	phases[] = {
		{"read", "Read Time", INSTR_TIME_GET_MILLISEC(stats->read_time)},
		{"sort", "Sort Time", INSTR_TIME_GET_MILLISEC(stats->sort_time)},
		{"spill", "Spill Time", INSTR_TIME_GET_MILLISEC(stats->spill_time)},
		{"gather", "Gather Time", INSTR_TIME_GET_MILLISEC(stats->gather_time)}
	};

	gpusort_explain_sort(stats, method_text(stats), true, es);
	ExplainPropertyText("Input", stats->read_directly ? "read directly" : "row by row", es);
	gpusort_explain_phases(phases, lengthof(phases), es);
}

void
gpusort_rows_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	gpusort_rows_explain_keys(node, ancestors, es);
	explain_bound(node, ancestors, es);
	if (es->analyze)
		gpusort_explain_work((const SortScanState *) node, explain_stats, es);
}
