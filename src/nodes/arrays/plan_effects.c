/*
 * plan_effects.c
 *	  Whether it could be noticed that rows are computed before they are asked for.
 *
 * PostgreSQL has a walker for expressions but none for plans, so the expressions of each
 * kind of node are listed here.  A node that is not listed counts as having effects.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "nodes/arrays/plan_effects.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"

typedef struct EffectSearch
{
	PlannedStmt *statement;
	bool		found;
} EffectSearch;

static void search_plan(Plan **link, void *arg);
static void search_below(Plan *plan, EffectSearch *search);

static void
search_subplan(EffectSearch *search, int plan_id)
{
	search_plan((Plan **) &lfirst(list_nth_cell(search->statement->subplans, plan_id - 1)), search);
}

static bool
is_volatile(Oid function, void *arg)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE;
}

/* Searches an expression, and the plans of its subqueries.  Returns true if an effect was found. */
static bool
search_expression(Node *node, void *arg)
{
	EffectSearch *search = arg;

	if (node == NULL)
		return false;
	if (IsA(node, NextValueExpr) || check_functions_in_node(node, is_volatile, NULL))
		search->found = true;
	else if (IsA(node, SubPlan))
		search_subplan(search, ((SubPlan *) node)->plan_id);
	return search->found || expression_tree_walker(node, search_expression, search);
}

/* Searches a plan node with its target list, and the plans below it. */
static void
search_plan(Plan **link, void *arg)
{
	EffectSearch *search = arg;

	if (search->found || search_expression((Node *) (*link)->targetlist, search))
		return;
	search_below(*link, search);
}

static void
search_below(Plan *plan, EffectSearch *search)
{
	bool		known = true;
	List	   *expressions = gpusort_plan_expressions(plan, &known);

	if (!known || search_expression((Node *) plan->qual, search) ||
		search_expression((Node *) expressions, search))
		search->found = true;
	else
		gpusort_plan_each_child(plan, search_plan, search);
	if (IsA(plan, CteScan))
		search_subplan(search, ((CteScan *) plan)->ctePlanId);
}

/*
 * True if it could be noticed that the plan, with this target list, is run further than
 * asked: it changes or locks something, or calls a volatile function.
 */
bool
gpusort_plan_has_effects(PlannedStmt *statement, Plan *plan, List *target_list)
{
	EffectSearch search = {.statement = statement};

	if (search_expression((Node *) target_list, &search))
		return true;
	search_below(plan, &search);
	return search.found;
}

/* The same for an expression. */
bool
gpusort_expression_has_effects(PlannedStmt *statement, Node *expression)
{
	EffectSearch search = {.statement = statement};

	return search_expression(expression, &search);
}

/*
 * True if nodes of this kind have no expressions beside target list and qual, and no effects
 * of their own.  ModifyTable and LockRows have effects.
 */
static bool
has_no_expressions(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SubqueryScan:
		case T_SeqScan:
		case T_BitmapAnd:
		case T_BitmapOr:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_WorkTableScan:
		case T_RecursiveUnion:
		case T_Append:
		case T_MergeAppend:
		case T_Material:
		case T_Memoize:
		case T_Sort:
		case T_IncrementalSort:
		case T_Group:
		case T_Agg:
		case T_ProjectSet:
		case T_Unique:
		case T_Gather:
		case T_GatherMerge:
		case T_Hash:
		case T_SetOp:
			return true;
		default:
			return false;
	}
}

/*
 * The expressions of a plan node without target list, qual and children.  Sets *known to
 * false if there may be others, or if the node changes or locks rows.
 */
List *
gpusort_plan_expressions(Plan *plan, bool *known)
{
#define EXPRESSION(type, field) ((Node *) ((type *) plan)->field)
	switch (nodeTag(plan))
	{
		case T_Result:
			return list_make1(EXPRESSION(Result, resconstantqual));
		case T_IndexScan:
			return list_make2(EXPRESSION(IndexScan, indexqual), EXPRESSION(IndexScan, indexorderby));
		case T_IndexOnlyScan:
			return list_make2(EXPRESSION(IndexOnlyScan, indexqual), EXPRESSION(IndexOnlyScan, indexorderby));
		case T_BitmapIndexScan:
			return list_make1(EXPRESSION(BitmapIndexScan, indexqual));
		case T_BitmapHeapScan:
			return list_make1(EXPRESSION(BitmapHeapScan, bitmapqualorig));
		case T_TidScan:
			return list_make1(EXPRESSION(TidScan, tidquals));
		case T_TidRangeScan:
			return list_make1(EXPRESSION(TidRangeScan, tidrangequals));
		case T_SampleScan:
			return list_make1(EXPRESSION(SampleScan, tablesample));
		case T_FunctionScan:
			return list_make1(EXPRESSION(FunctionScan, functions));
		case T_TableFuncScan:
			return list_make1(EXPRESSION(TableFuncScan, tablefunc));
		case T_ValuesScan:
			return list_make1(EXPRESSION(ValuesScan, values_lists));
		case T_NestLoop:
			return list_make1(EXPRESSION(NestLoop, join.joinqual));
		case T_MergeJoin:
			return list_make2(EXPRESSION(MergeJoin, join.joinqual), EXPRESSION(MergeJoin, mergeclauses));
		case T_HashJoin:
			return list_make2(EXPRESSION(HashJoin, join.joinqual), EXPRESSION(HashJoin, hashclauses));
		case T_Limit:
			return list_make2(EXPRESSION(Limit, limitOffset), EXPRESSION(Limit, limitCount));
		case T_WindowAgg:
			return list_make3(EXPRESSION(WindowAgg, runCondition),
							  EXPRESSION(WindowAgg, startOffset), EXPRESSION(WindowAgg, endOffset));
		case T_ForeignScan:
			*known = ((ForeignScan *) plan)->operation == CMD_SELECT;
			return list_make1(EXPRESSION(ForeignScan, fdw_exprs));
		case T_CustomScan:
			*known = gpusort_plan_room(plan) != NULL;
			return list_make1(EXPRESSION(CustomScan, custom_scan_tlist));
		default:
			*known = has_no_expressions(plan);
			return NIL;
	}
#undef EXPRESSION
}
