/*
 * plan.c
 *	  Puts arrays nodes into finished plans.
 *
 * If a target list calls our array functions, its node keeps only the columns that the list
 * needs, and an arrays node above it computes the former target list.  Nested calls become
 * a stack of arrays nodes, the innermost call lowest.  Aggregates and set-returning
 * functions stay where they are; an arrays node below their node computes their arguments.
 *
 * The node reads rows ahead, so it stands only where all rows are read: an error in a later
 * row would be raised in any case.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/syscache.h"

#include "compat.h"
#include "guc.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/arrays/plan_effects.h"
#include "nodes/arrays/target_list.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"

#define ROWS_THAT_PAY 300			/* from this many expected rows on the node pays, even for short arrays */

/* True if the statement depends on a function that is not built in, as invalItems says. */
static bool
calls_functions(const PlannedStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->invalItems)
	{
		if (lfirst_node(PlanInvalItem, cell)->cacheId == PROCOID)
			return true;
	}
	return false;
}

/* True if so few rows are expected that a node above the plan does not pay. */
static bool
few_rows(Plan *plan, const PlanPlace *place)
{
	if (gpusort_force_nodes)
		return false;
	return plan->plan_rows < ROWS_THAT_PAY ||
		(place->limit != NULL && place->limit->limitOffset == NULL && place->limit->plan.plan_rows < ROWS_THAT_PAY);
}

/* True if all rows of a place, or all within its limit, are expected to be read. */
static bool
reads_all(const PlanPlace *place)
{
	return place->all_rows == AT_ONCE || (place->all_rows == WITH_EXECUTOR && place->walk->to_end);
}

/* True if an arrays node may read the rows of a plan, whatever is called. */
static bool
may_read(Plan *plan, const PlanPlace *place)
{
	return reads_all(place) && !(IsA(plan, Result) && plan->lefttree == NULL) && !few_rows(plan, place);
}

/* Vars for the columns of a target list, and NULLs for those that are not used. */
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

static List *
make_plain_list(List *expressions)
{
	List	   *target_list = NIL;
	ListCell   *cell;

	foreach(cell, expressions)
		target_list = lappend(target_list, makeTargetEntry(lfirst(cell), foreach_current_index(cell) + 1, NULL, false));
	return target_list;
}

/*
 * Makes an arrays node above child.  Its scan tuple is the child's columns and the calls,
 * which refer to that tuple.  The caller sets its target list.
 */
static CustomScan *
make_arrays_node(Plan *child, List *columns, List *kinds, List *calls, const PlanPlace *place)
{
	CustomScan *node = makeNode(CustomScan);
	Plan	   *plan = &node->scan.plan;
	List	   *outer;

	plan->startup_cost = child->startup_cost;
	plan->total_cost = child->total_cost;
	GPUSORT_COPY_DISABLED_NODES(plan, child);
	plan->plan_rows = child->plan_rows;
	plan->plan_width = child->plan_width;
	plan->parallel_safe = child->parallel_safe;
	plan->parallel_aware = place->parallel;	/* so that parallel workers' counters are shared */
	plan->plan_node_id = gpusort_plan_next_id(place->walk);
	plan->extParam = bms_copy(child->extParam);
	plan->allParam = bms_copy(child->allParam);
	plan->initPlan = child->initPlan;
	child->initPlan = NIL;
	plan->lefttree = child;
	outer = make_vars(make_plain_list(columns), OUTER_VAR, NULL);
	outer = list_concat(outer, (List *) gpusort_target_renumber((Node *) calls, INDEX_VAR, OUTER_VAR));
	node->custom_scan_tlist = make_plain_list(outer);
	if (place->limit != NULL)
		node->custom_exprs = list_make2(copyObject(place->limit->limitCount), copyObject(place->limit->limitOffset));
	node->custom_private = list_make2(kinds, list_make1_int(place->all_rows == AT_ONCE));
	node->methods = &gpusort_arrays_scan_methods;
	return node;
}

/* A target list taken apart: calls and list refer to the columns. */
typedef struct TakenList
{
	List	   *columns;
	List	   *calls;
	List	   *kinds;			/* ArrayCallKind of each call (integers) */
	List	   *target_list;
} TakenList;

/* Takes a plan's target list apart.  Returns false if it has no calls to be taken. */
static bool
take_list(Plan *plan, const PlanPlace *place, TakenList *taken)
{
	CallSearch	search = {.statement = place->walk->statement, .plan = plan};

	gpusort_target_find_calls(&search, (Node *) plan->targetlist);
	if (search.calls == NIL)
		return false;
	taken->columns = NIL;
	taken->kinds = search.kinds;
	taken->target_list = (List *) gpusort_target_over_columns((Node *) plan->targetlist, &taken->columns);
	taken->calls = (List *) gpusort_target_over_columns((Node *) search.calls, &taken->columns);
	return !gpusort_plan_has_effects(place->walk->statement, plan, taken->columns);
}

static Plan *
make_node_above(Plan *child, const TakenList *taken, const PlanPlace *place)
{
	CustomScan *node = make_arrays_node(child, taken->columns, taken->kinds, taken->calls, place);

	node->scan.plan.targetlist = (List *)
		gpusort_target_replace((Node *) taken->target_list, taken->calls, list_length(taken->columns) + 1);
	return (Plan *) node;
}

/* Puts arrays nodes above the plan while its target list has calls to be taken. */
static void
add_nodes_above(Plan **link, const PlanPlace *place)
{
	TakenList	taken;

	while (take_list(*link, place, &taken))
	{
		(*link)->targetlist = make_plain_list(taken.columns);
		*link = make_node_above(*link, &taken, place);
	}
}

/*
 * Takes the target list of a table's scan apart as that of another table was, which `model` shows with that table's number:
 * the list and its columns.  The model gets this table's.  Returns false if another list is computed.
 */
static bool
take_likewise(const Plan *plan, const PlanPlace *place, List *model, Index *table, TakenList *taken)
{
	if (!IsA(plan, SeqScan) || *table == 0)
		return false;
	ChangeVarNodes((Node *) model, *table, ((const Scan *) plan)->scanrelid, 0);
	*table = ((const Scan *) plan)->scanrelid;
	taken->columns = copyObject(lsecond(model));
	return equal(plan->targetlist, linitial(model)) &&
		!gpusort_plan_has_effects(place->walk->statement, unconstify(Plan *, plan), taken->columns);
}

/*
 * Puts one arrays node above an Append whose children compute the same list, in the place
 * of one above each of them: partitions may be many and small.  Returns false if they do not.
 */
static bool
add_node_above_append(Plan **link, const PlanPlace *place)
{
	Append	   *append = (Append *) *link;
	TakenList	first = {NIL};
	List	   *labels = append->plan.targetlist;
	List	   *columns = NIL;	/* of each child */
	List	   *model = NIL;
	Index		table = 0;		/* that of the model */
	ListCell   *cell;
	ListCell   *list;

	foreach(cell, append->appendplans)
	{
		Plan	   *child = lfirst(cell);
		TakenList	taken;

		if (!gpusort_plan_has_trait(child, PLAN_PROJECTS) || child->initPlan != NIL)
			return false;
		if (!take_likewise(child, place, model, &table, &taken))
		{
			if (!take_list(child, place, &taken))
				return false;
			if (columns == NIL)
				first = taken;
			/* Their Vars tell the columns' types. */
			else if (!equal(taken.target_list, first.target_list) || !equal(taken.calls, first.calls))
				return false;
			table = IsA(child, SeqScan) ? ((Scan *) child)->scanrelid : 0;
			model = copyObject(list_make2(child->targetlist, taken.columns));
		}
		columns = lappend(columns, taken.columns);
	}
	forboth(cell, append->appendplans, list, columns)
		((Plan *) lfirst(cell))->targetlist = make_plain_list(lfirst(list));
	append->plan.targetlist = make_plain_list(make_vars(make_plain_list(first.columns), OUTER_VAR, NULL));
	*link = make_node_above(*link, &first, place);
	apply_tlist_labeling((*link)->targetlist, labels);
	add_nodes_above(link, place);
	return true;
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

/*
 * Puts an arrays node below an Agg or ProjectSet.  It computes the arguments of aggregates
 * and set-returning functions, whole arguments, because these are often small where their
 * arrays are large, and an Agg copies rows.  The child's columns stay in their places;
 * columns that are no longer needed become NULL.
 */
static void
add_node_below(Plan *plan, const PlanPlace *place)
{
	Plan	   *child = plan->lefttree;
	CallSearch	search = {.statement = place->walk->statement, .plan = plan};
	Bitmapset  *used;
	List	   *columns;
	List	   *calls;
	List	   *fed;
	int			first_new = list_length(child->targetlist) + 1;
	CustomScan *node;

	gpusort_target_find_fed_calls(&search, plan);
	if (search.calls == NIL || gpusort_plan_has_effects(search.statement, child, child->targetlist))
		return;
	plan->targetlist = (List *) gpusort_target_replace_fed((Node *) plan->targetlist, search.fed, first_new);
	plan->qual = (List *) gpusort_target_replace_fed((Node *) plan->qual, search.fed, first_new);

	used = columns_used(plan);
	columns = make_vars(child->targetlist, OUTER_VAR, NULL);
	calls = (List *) gpusort_target_renumber((Node *) search.calls, OUTER_VAR, INDEX_VAR);
	fed = (List *) gpusort_target_renumber((Node *) search.fed, OUTER_VAR, INDEX_VAR);
	node = make_arrays_node(child, columns, search.kinds, calls, place);
	node->scan.plan.targetlist =
		make_plain_list(list_concat(make_vars(child->targetlist, INDEX_VAR, used),
									(List *) gpusort_target_replace((Node *) fed, calls, first_new)));
	plan->lefttree = (Plan *) node;
	add_nodes_above(&plan->lefttree, place);
}

/* Puts arrays nodes above a plan that computes calls. */
static void
add_nodes_to_plan(Plan **link, void *arg)
{
	const PlanPlace *place = arg;

	if (may_read(*link, place) && gpusort_plan_has_trait(*link, PLAN_PROJECTS))
		add_nodes_above(link, place);
}

/* Puts arrays nodes above a plan that computes calls, or whose parent does for each row of it. */
static void
add_arrays_nodes(Plan **link, const PlanPlace *place)
{
	Plan	   *plan = *link;
	Plan	   *parent = place->parent;

	/* What an Append reads is looked at with it. */
	if (!may_read(plan, place) || (parent != NULL && IsA(parent, Append) && !IsA(plan, Append)))
		return;
	if (!IsA(plan, Append))
		add_nodes_to_plan(link, unconstify(PlanPlace *, place));
	else if (!add_node_above_append(link, place) && place->limit == NULL)
		gpusort_plan_each_child(plan, add_nodes_to_plan, unconstify(PlanPlace *, place));
	if (parent != NULL && (IsA(parent, ProjectSet) || IsA(parent, Agg)))
		add_node_below(parent, place);
}

/* Sets up the node: executor and what the planner hook calls. */
void
gpusort_arrays_node_init(void)
{
	static const NodeModule module = {
		.methods = &gpusort_arrays_scan_methods,
		.enabled = &gpusort_enable_array_sort,
		.concerns = calls_functions,
		.rewrite = add_arrays_nodes
	};

	gpusort_arrays_exec_init();
	gpusort_plan_hook_add(&module);
}
