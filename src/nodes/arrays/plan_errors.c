/*
 * plan_errors.c
 *	  Whether a plan may raise an error between its rows.
 *
 * If such a plan is asked for a row too many, it may raise an error that the query would
 * not have met.  So only these count as safe: functions that are leakproof, whose errors do
 * not depend on their arguments; expressions that call nothing else; plan nodes that call
 * nothing else, of the kinds that plan_effects.c knows; and three aggregates.  Hash
 * functions of a type count as safe if its equality is.
 *
 * Errors before the first row make no difference, because the first row is asked for
 * anyway.  So everything below a Sort or a hashed aggregate is safe, and so are the
 * functions of a FunctionScan.  But that holds only for a part that runs once: one of
 * several children may begin only after other rows.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "nodes/arrays/plan_effects.h"
#include "nodes/arrays/plan_errors.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"

typedef struct ErrorSearch
{
	PlanWalk   *walk;
	bool		once;			/* the part being searched runs once, before the first row */
	bool		found;
} ErrorSearch;

static void search_child(Plan **link, void *arg);
static void search_node(Plan *plan, ErrorSearch *search);

static void
add_init_params(Plan **link, void *arg)
{
	PlanWalk   *walk = arg;
	ListCell   *cell;
	ListCell   *param;

	foreach(cell, (*link)->initPlan)
	{
		foreach(param, lfirst_node(SubPlan, cell)->setParam)
			walk->init_params = bms_add_member(walk->init_params, lfirst_int(param));
	}
	gpusort_plan_each_child(*link, add_init_params, walk);
}

/* True if a parameter is the result of a subquery that runs when it is first asked for.  Finds all of them once. */
static bool
is_init_param(PlanWalk *walk, int param)
{
	if (!walk->init_params_known)
		gpusort_plan_each_tree(walk->statement, add_init_params, walk);
	walk->init_params_known = true;
	return bms_is_member(param, walk->init_params);
}

static bool
function_may_fail(Oid function, void *arg)
{
	return !OidIsValid(function) || !get_func_leakproof(function);
}

static bool
operators_in_list_may_fail(List *operators)
{
	ListCell   *cell;

	foreach(cell, operators)
	{
		if (function_may_fail(get_opcode(lfirst_oid(cell)), NULL))
			return true;
	}
	return false;
}

static bool
aggregate_may_fail(const Aggref *aggregate)
{
	return aggregate->aggorder != NIL || aggregate->aggdistinct != NIL ||
		(aggregate->aggfnoid != F_COUNT_ && aggregate->aggfnoid != F_COUNT_ANY &&
		 aggregate->aggfnoid != F_ARRAY_AGG_ANYNONARRAY);
}

/* True if the plan of a subquery may raise errors.  It runs when it is needed, maybe often. */
static bool
search_subquery(ErrorSearch *search, int plan_id)
{
	ErrorSearch inside = *search;

	inside.once = false;
	inside.found = false;
	search_child((Plan **) &lfirst(list_nth_cell(search->walk->statement->subplans, plan_id - 1)), &inside);
	return inside.found;
}

/* True if a subquery may raise errors.  A scalar subquery raises one if it has two rows. */
static bool
subplan_may_fail(const SubPlan *subplan, ErrorSearch *search)
{
	if (subplan->subLinkType != EXISTS_SUBLINK && subplan->subLinkType != ANY_SUBLINK &&
		subplan->subLinkType != ALL_SUBLINK && subplan->subLinkType != ARRAY_SUBLINK)
		return true;
	return search_subquery(search, subplan->plan_id);
}

/* Whether an expression may raise an error; also in the plans of its subqueries. */
static bool
expression_may_fail(Node *node, void *arg)
{
	ErrorSearch *search = arg;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_List:
		case T_TargetEntry:
		case T_RelabelType:
		case T_CollateExpr:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_RowExpr:
		case T_GroupingFunc:
		case T_SQLValueFunction:
		case T_RangeTblFunction:
		case T_TableSampleClause:
			break;
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
			if (check_functions_in_node(node, function_may_fail, NULL))
				return true;
			break;
		case T_Param:
			return ((Param *) node)->paramkind == PARAM_EXEC &&
				is_init_param(search->walk, ((Param *) node)->paramid);
		case T_ArrayExpr:
			/* Arrays inside may have different lengths. */
			if (((ArrayExpr *) node)->multidims)
				return true;
			break;
		case T_MinMaxExpr:
			if (function_may_fail(lookup_type_cache(((MinMaxExpr *) node)->minmaxtype, TYPECACHE_CMP_PROC)->cmp_proc, NULL))
				return true;
			break;
		case T_RowCompareExpr:
			if (operators_in_list_may_fail(((RowCompareExpr *) node)->opnos))
				return true;
			break;
		case T_Aggref:
			if (aggregate_may_fail((Aggref *) node))
				return true;
			break;
		case T_SubPlan:
			if (subplan_may_fail((SubPlan *) node, search))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, expression_may_fail, search);
}

/* Searches a plan node with its target list, and what is below it. */
static void
search_child(Plan **link, void *arg)
{
	ErrorSearch *search = arg;

	if (search->found)
		return;
	if (expression_may_fail((Node *) (*link)->targetlist, search))
		search->found = true;
	else
		search_node(*link, search);
}

static bool
has_single_child(Plan *plan)
{
	return IsA(plan, SubqueryScan) || (plan->lefttree != NULL && plan->righttree == NULL);
}

/* True if a node of ours does what a Sort does. */
static bool
sorts_as_custom_scan(Plan *plan)
{
	const NodeRoom *room = gpusort_plan_room(plan);

	return room != NULL && room->sort_operators != NULL;
}

/* True if a node reads all of its child before it returns a row. */
static bool
reads_all_first(Plan *plan)
{
	return IsA(plan, Sort) || sorts_as_custom_scan(plan) ||
		(IsA(plan, Agg) && (((Agg *) plan)->aggstrategy == AGG_HASHED || ((Agg *) plan)->aggstrategy == AGG_PLAIN));
}

static bool
any_may_fail(const Oid *operators, int noperators)
{
	for (int i = 0; i < noperators; i++)
	{
		if (function_may_fail(get_opcode(operators[i]), NULL))
			return true;
	}
	return false;
}

/* True if what a node of a known kind calls outside of its expressions may raise errors. */
static bool
operators_may_fail(Plan *plan)
{
#define ANY_MAY_FAIL(type, operators, count) any_may_fail(((type *) plan)->operators, ((type *) plan)->count)
	switch (nodeTag(plan))
	{
		case T_TableFuncScan:
		case T_ForeignScan:
		case T_ProjectSet:
		case T_WindowAgg:
		case T_SetOp:
			return true;
		case T_Sort:
			return ANY_MAY_FAIL(Sort, sortOperators, numCols);
		case T_IncrementalSort:
			return ANY_MAY_FAIL(IncrementalSort, sort.sortOperators, sort.numCols);
		case T_MergeAppend:
			return ANY_MAY_FAIL(MergeAppend, sortOperators, numCols);
		case T_GatherMerge:
			return ANY_MAY_FAIL(GatherMerge, sortOperators, numCols);
		case T_Unique:
			return ANY_MAY_FAIL(Unique, uniqOperators, numCols);
		case T_Group:
			return ANY_MAY_FAIL(Group, grpOperators, numCols);
		case T_RecursiveUnion:
			return ANY_MAY_FAIL(RecursiveUnion, dupOperators, numCols);
		case T_Memoize:
			return ANY_MAY_FAIL(Memoize, hashOperators, numKeys);
		case T_Agg:
			return ((Agg *) plan)->chain != NIL || ANY_MAY_FAIL(Agg, grpOperators, numCols);
		case T_CustomScan:
			return !sorts_as_custom_scan(plan) ||
				operators_in_list_may_fail(gpusort_plan_room(plan)->sort_operators((CustomScan *) plan));
		default:
			return false;
	}
#undef ANY_MAY_FAIL
}

static void
search_node(Plan *plan, ErrorSearch *search)
{
	bool		known = true;
	bool		once = search->once;
	List	   *expressions = gpusort_plan_expressions(plan, &known);

	if (once && IsA(plan, FunctionScan))
		expressions = NIL;
	search->found = !known || operators_may_fail(plan) ||
		expression_may_fail((Node *) plan->qual, search) ||
		expression_may_fail((Node *) expressions, search) ||
		(IsA(plan, CteScan) && search_subquery(search, ((CteScan *) plan)->ctePlanId));
	if (search->found || (once && reads_all_first(plan)))
		return;
	search->once = once && has_single_child(plan);
	gpusort_plan_each_child(plan, search_child, search);
	search->once = once;
}

/* Whether the plan, with the target list in place of its own, may raise an error after its first row. */
bool
gpusort_plan_may_fail(PlanWalk *walk, Plan *plan, List *target_list)
{
	ErrorSearch search = {.walk = walk, .once = true};

	if (expression_may_fail((Node *) target_list, &search))
		return true;
	search_node(plan, &search);
	return search.found;
}
