/*
 * plan.c
 *	  Puts arrays nodes into finished plans.
 *
 * The planner hook walks the plan tree after the planner is done with it, children
 * first.  Wherever a target list calls our array functions, the node that has it
 * keeps only what the calls and their neighbours are made of, and an arrays node
 * above it computes the former target list.  Nested calls become a stack of
 * arrays nodes, the innermost call lowest.  Aggregates and set-returning functions
 * stay where they are; an arrays node below theirs computes their arguments.
 *
 * A plan that calls no function outside of PostgreSQL's own is not even walked:
 * the list of things that invalidate it says so.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "utils/syscache.h"

#include "compat.h"
#include "guc.h"
#include "nodes/arrays/array_call.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/arrays/plan_errors.h"
#include "nodes/arrays/plan_walk.h"
#include "nodes/arrays/target_list.h"
#include "nodes/plan_hook.h"

#define MIN_ROWS 200			/* expected rows from which a batch pays for the node, even of short arrays */

typedef struct PlanWalk
{
	PlannedStmt *statement;
	bool		cursor;			/* the rows are fetched by name */
	int			last_id;		/* largest plan_node_id in use; 0: not known yet */
} PlanWalk;

/* What the nodes above a link do with the rows that come through it. */
typedef struct Surroundings
{
	PlanWalk   *walk;
	bool		may_stop;		/* they may ask for fewer rows than there are, or than
								 * the limit below, though the executor wants all */
	bool		all_wanted;		/* they ask for all rows, or as many as the limit
								 * below, however few the executor wants */
	bool		marks;			/* the parent marks and restores positions */
	bool		parallel;		/* below a Gather */
	Node	   *limit_count;	/* rows wanted at most past the offset, or NULL */
	Node	   *limit_offset;	/* both NULL: not known */
	double		limit_rows;		/* what the planner makes of the count */
} Surroundings;

static planner_hook_type previous_planner = NULL;

static PlannedStmt *plan_query(GPUSORT_PLANNER_PARAMETERS);
static bool calls_functions(PlannedStmt *statement);
static void insert_nodes(PlannedStmt *statement, int cursor_options);
static void visit_plan(Plan **link, void *arg);
static void visit_children(Plan *plan, const Surroundings *around);
static void visit_join_children(Plan *plan, const Surroundings *around);
static Surroundings surroundings_below(Plan *plan, const Surroundings *around);
static bool stops_early_inside(Plan *plan);
static bool reads_all_at_once(Plan *plan);
static bool stops_by_itself(Plan *plan);
static bool keeps_rows(Plan *plan);
static bool can_hold_calls(Plan *plan);
static bool few_rows(Plan *plan, const Surroundings *around);
static void place_above(Plan **link, const Surroundings *around);
static bool place_once(Plan **link, const Surroundings *around);
static bool rows_may_not_be_read(Plan *child, List *columns, const Surroundings *around, bool *fallible);
static void place_below(Plan *plan, const Surroundings *around);
static Bitmapset *columns_used(Plan *plan);
static List *make_vars(List *target_list, int varno, Bitmapset *used);
static CustomScan *make_node(Plan *child, List *columns, CallSearch *search, List *calls, bool fallible,
							 const Surroundings *around);
static Node *make_zero(void);
static List *make_plain_list(List *expressions);

/* Sets up the node: its recognition of calls, its executor and its planner hook. */
void
gpusort_arrays_node_init(void)
{
	gpusort_array_call_init();
	gpusort_arrays_exec_init();
	previous_planner = planner_hook;
	planner_hook = plan_query;
}

static PlannedStmt *
plan_query(GPUSORT_PLANNER_PARAMETERS)
{
	PlannedStmt *statement = previous_planner ?
		previous_planner(GPUSORT_PLANNER_ARGUMENTS) :
		standard_planner(GPUSORT_PLANNER_ARGUMENTS);

	if (gpusort_enable_arrays_node && calls_functions(statement))
		insert_nodes(statement, cursor_options);
	return statement;
}

/* Whether the plan depends on any function that is not built in. */
static bool
calls_functions(PlannedStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->invalItems)
	{
		if (lfirst_node(PlanInvalItem, cell)->cacheId == PROCOID)
			return true;
	}
	return false;
}

static void
insert_nodes(PlannedStmt *statement, int cursor_options)
{
	PlanWalk	walk = {.statement = statement, .cursor = (cursor_options & CURSOR_OPT_FAST_PLAN) != 0};
	Surroundings top = {.walk = &walk, .may_stop = walk.cursor};
	Surroundings subplan = {.walk = &walk, .may_stop = true};
	ListCell   *cell;

	visit_plan(&statement->planTree, &top);
	foreach(cell, statement->subplans)
	{
		if (lfirst(cell) != NULL)
			visit_plan((Plan **) &lfirst(cell), &subplan);
	}
}

static void
visit_plan(Plan **link, void *arg)
{
	const Surroundings *around = arg;

	check_stack_depth();
	visit_children(*link, around);
	place_above(link, around);
}

static void
visit_children(Plan *plan, const Surroundings *around)
{
	Surroundings below = surroundings_below(plan, around);

	if (IsA(plan, NestLoop) || IsA(plan, MergeJoin) || IsA(plan, HashJoin))
		visit_join_children(plan, &below);
	else if (!gpusort_plan_knows_children(plan))
		gpusort_plan_each_child(plan, visit_plan, &below);
}

/* The inner side of a join is read again and again, or only until a match. */
static void
visit_join_children(Plan *plan, const Surroundings *around)
{
	Surroundings outer = *around;
	Surroundings inner = *around;

	outer.may_stop |= IsA(plan, MergeJoin);
	outer.all_wanted &= !outer.may_stop;
	inner.may_stop = !IsA(plan, HashJoin);
	inner.all_wanted = false;
	inner.marks = IsA(plan, MergeJoin) && !((MergeJoin *) plan)->skip_mark_restore;
	visit_plan(&plan->lefttree, &outer);
	visit_plan(&plan->righttree, &inner);
}

static Surroundings
surroundings_below(Plan *plan, const Surroundings *around)
{
	Surroundings below = {
		.walk = around->walk,
		.may_stop = around->may_stop,
		.all_wanted = around->all_wanted,
		.parallel = around->parallel || IsA(plan, Gather) || IsA(plan, GatherMerge)
	};

	if (IsA(plan, Limit))
	{
		Limit	   *limit = (Limit *) plan;

		if (limit->limitOption == LIMIT_OPTION_COUNT && limit->limitCount != NULL &&
			!gpusort_expression_has_effects(around->walk->statement, (Node *) list_make2(limit->limitCount, limit->limitOffset)))
		{
			below.limit_count = limit->limitCount;
			below.limit_offset = limit->limitOffset;
			below.limit_rows = plan->plan_rows;
		}
		else
			below.may_stop = true;
	}
	else if (!stops_early_inside(plan))
		below.may_stop = false;
	else if (keeps_rows(plan))
	{
		below.limit_count = around->limit_count;
		below.limit_offset = around->limit_offset;
		below.limit_rows = around->limit_rows;
	}
	else if (around->limit_count != NULL || stops_by_itself(plan))
		below.may_stop = true;
	below.all_wanted = (below.all_wanted && !below.may_stop) || reads_all_at_once(plan);
	return below;
}

/* Whether a node stops reading its children when it is not asked for more. */
static bool
stops_early_inside(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Sort:
		case T_Hash:
		case T_ModifyTable:
			return false;
		case T_Agg:
			return ((Agg *) plan)->aggstrategy == AGG_SORTED || ((Agg *) plan)->aggstrategy == AGG_MIXED;
		default:
			return true;
	}
}

/* Whether a node reads all rows of its child when it is asked for the first row. */
static bool
reads_all_at_once(Plan *plan)
{
	return !stops_early_inside(plan) && !(IsA(plan, ModifyTable) && ((ModifyTable *) plan)->returningLists != NIL);
}

/* Whether a node may have enough of its child's rows before they end. */
static bool
stops_by_itself(Plan *plan)
{
	return IsA(plan, WindowAgg) && ((WindowAgg *) plan)->runCondition != NIL;
}

/* Whether a node returns each row that it reads, so that a limit on one is a limit on the other. */
static bool
keeps_rows(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Result:
		case T_SubqueryScan:
			return plan->qual == NIL;
		case T_Append:
		case T_MergeAppend:
			return true;
		default:
			return false;
	}
}

/* Whether the node computes a target list of its own, one that may be changed. */
static bool
can_hold_calls(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Result:
			return plan->lefttree != NULL;
		case T_ForeignScan:
			return ((ForeignScan *) plan)->operation == CMD_SELECT && !plan->async_capable;
		case T_CustomScan:
			return gpusort_is_arrays_node(plan);
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_SubqueryScan:
		case T_FunctionScan:
		case T_ValuesScan:
		case T_TableFuncScan:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_WorkTableScan:
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
		case T_Group:
		case T_Agg:
		case T_WindowAgg:
		case T_Gather:
		case T_GatherMerge:
			return true;
		default:
			return false;
	}
}

/* Whether so few rows will be asked of a plan that a node above it does not pay. */
static bool
few_rows(Plan *plan, const Surroundings *around)
{
	if (gpusort_force_nodes)
		return false;
	return plan->plan_rows < MIN_ROWS ||
		(around->limit_count != NULL && around->limit_offset == NULL && around->limit_rows < MIN_ROWS);
}

static void
place_above(Plan **link, const Surroundings *around)
{
	if (IsA(*link, ProjectSet) || IsA(*link, Agg))
		place_below(*link, around);
	if (around->marks || few_rows(*link, around))
		return;
	if (can_hold_calls(*link))
	{
		while (place_once(link, around))
			continue;
	}
}

/* Puts an arrays node above the plan if its target list has calls to be taken. */
static bool
place_once(Plan **link, const Surroundings *around)
{
	Plan	   *plan = *link;
	CallSearch	search = {
		.statement = around->walk->statement,
		.may_stop = around->may_stop,
		.stacked = gpusort_is_arrays_node(plan)
	};
	List	   *columns = NIL;
	List	   *calls;
	List	   *target_list;
	CustomScan *node;
	bool		fallible;

	gpusort_target_find_calls(&search, (Node *) plan->targetlist);
	if (search.calls == NIL)
		return false;
	target_list = (List *) gpusort_target_over_columns((Node *) plan->targetlist, &columns);
	calls = (List *) gpusort_target_over_columns((Node *) search.calls, &columns);
	if (rows_may_not_be_read(plan, columns, around, &fallible))
		return false;

	node = make_node(plan, columns, &search, calls, fallible, around);
	node->scan.plan.targetlist = (List *)
		gpusort_target_replace((Node *) target_list, calls, INDEX_VAR, list_length(columns) + 1);
	plan->targetlist = make_plain_list(columns);
	*link = (Plan *) node;
	return true;
}

/*
 * Whether it would or might be noticed that rows of the child, with the columns in place
 * of its target list, are read before they are asked for.  *fallible: it would be if not
 * all of them are asked for in the end, so that is for the node to see to.
 */
static bool
rows_may_not_be_read(Plan *child, List *columns, const Surroundings *around, bool *fallible)
{
	if (gpusort_plan_has_effects(around->walk->statement, child, columns))
		return true;
	*fallible = gpusort_plan_may_fail(around->walk->statement, child, columns);
	return *fallible && around->may_stop;
}

/*
 * Puts an arrays node below an Agg or ProjectSet that computes what aggregates and
 * set-returning functions are fed with: whole arguments, for these are often small
 * where the arrays are not, and an Agg copies rows.  The child's columns stay in
 * their places; those that nobody needs any more become NULL.
 */
static void
place_below(Plan *plan, const Surroundings *around)
{
	Surroundings below = surroundings_below(plan, around);
	Plan	   *child = plan->lefttree;
	CallSearch	search = {
		.statement = around->walk->statement,
		.may_stop = below.may_stop,
		.stacked = gpusort_is_arrays_node(child)
	};
	Bitmapset  *used;
	List	   *columns;
	List	   *calls;
	List	   *fed;
	int			first_new = list_length(child->targetlist) + 1;
	CustomScan *node;
	bool		fallible;

	if ((IsA(child, Result) && child->lefttree == NULL) || few_rows(child, &below))
		return;
	gpusort_target_find_fed_calls(&search, plan);
	if (search.calls == NIL || rows_may_not_be_read(child, child->targetlist, &below, &fallible))
		return;
	plan->targetlist = (List *)
		gpusort_target_replace_fed((Node *) plan->targetlist, search.fed, OUTER_VAR, first_new);
	plan->qual = (List *)
		gpusort_target_replace_fed((Node *) plan->qual, search.fed, OUTER_VAR, first_new);

	used = columns_used(plan);
	columns = make_vars(child->targetlist, OUTER_VAR, NULL);
	calls = (List *) gpusort_target_renumber((Node *) search.calls, OUTER_VAR, INDEX_VAR);
	fed = (List *) gpusort_target_renumber((Node *) search.fed, OUTER_VAR, INDEX_VAR);
	node = make_node(child, columns, &search, calls, fallible, &below);
	node->scan.plan.targetlist =
		make_plain_list(list_concat(make_vars(child->targetlist, INDEX_VAR, used),
									(List *) gpusort_target_replace((Node *) fed, calls, INDEX_VAR, first_new)));
	plan->lefttree = (Plan *) node;
	while (place_once(&plan->lefttree, &below))
		continue;
}

/* The child's columns that a plan node refers to, or NULL for all of them. */
static Bitmapset *
columns_used(Plan *plan)
{
	Bitmapset  *used = NULL;
	List	   *vars = pull_var_clause((Node *) list_make2(plan->targetlist, plan->qual),
									   PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
	ListCell   *cell;

	foreach(cell, vars)
		used = bms_add_member(used, lfirst_node(Var, cell)->varattno);
	if (IsA(plan, Agg))
	{
		Agg		   *agg = (Agg *) plan;

		if (agg->chain != NIL)
			return NULL;
		for (int i = 0; i < agg->numCols; i++)
			used = bms_add_member(used, agg->grpColIdx[i]);
	}
	return used;
}

/* Vars for the columns of a target list; a NULL for each that is not among the used. */
static List *
make_vars(List *target_list, int varno, Bitmapset *used)
{
	List	   *vars = NIL;
	ListCell   *cell;

	foreach(cell, target_list)
	{
		Node	   *column = (Node *) lfirst_node(TargetEntry, cell)->expr;
		int			number = foreach_current_index(cell) + 1;

		if (used == NULL || bms_is_member(number, used))
			vars = lappend(vars, makeVar(varno, number, exprType(column), exprTypmod(column), exprCollation(column), 0));
		else
			vars = lappend(vars, makeNullConst(exprType(column), exprTypmod(column), exprCollation(column)));
	}
	return vars;
}

/*
 * An arrays node above child whose scan tuple is the child's columns and the calls,
 * which are over that tuple.  The caller sets its target list.
 */
static CustomScan *
make_node(Plan *child, List *columns, CallSearch *search, List *calls, bool fallible, const Surroundings *around)
{
	PlanWalk   *walk = around->walk;
	CustomScan *node = makeNode(CustomScan);
	Plan	   *plan = &node->scan.plan;
	List	   *outer;

	if (walk->last_id == 0)
		walk->last_id = gpusort_plan_largest_id(walk->statement);
	plan->startup_cost = child->startup_cost;
	plan->total_cost = child->total_cost;
	plan->plan_rows = child->plan_rows;
	plan->plan_width = child->plan_width;
	plan->parallel_safe = child->parallel_safe;
	plan->parallel_aware = around->parallel;	/* so that workers' counters are shared */
	plan->plan_node_id = ++walk->last_id;
	plan->extParam = bms_copy(child->extParam);
	plan->allParam = bms_copy(child->allParam);
	plan->initPlan = child->initPlan;
	child->initPlan = NIL;
	plan->lefttree = child;
	if (ExecSupportsBackwardScan(child))
		node->flags |= CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	outer = make_vars(make_plain_list(columns), OUTER_VAR, NULL);
	outer = list_concat(outer, (List *) gpusort_target_renumber((Node *) calls, INDEX_VAR, OUTER_VAR));
	node->custom_scan_tlist = make_plain_list(outer);
	if (around->limit_count)
		node->custom_exprs = list_make2(copyObject(around->limit_count), around->limit_offset ?
										copyObject(around->limit_offset) : make_zero());
	node->custom_private = list_make5(list_copy(search->kinds), list_copy(search->fallible), list_make1_int(walk->cursor),
									  list_make1_int(fallible), list_make1_int(around->all_wanted));
	node->methods = &gpusort_arrays_scan_methods;
	return node;
}

static Node *
make_zero(void)
{
	return (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false, FLOAT8PASSBYVAL);
}

static List *
make_plain_list(List *expressions)
{
	List	   *target_list = NIL;
	ListCell   *cell;

	foreach(cell, expressions)
		target_list = lappend(target_list, makeTargetEntry(lfirst(cell), foreach_current_index(cell) + 1, NULL, false));
	return target_list;
}
