/*
 * plan_effects.c
 *	  Whether it could be noticed that rows are computed before they are asked for.
 *
 * A node of a kind whose expressions are not known counts as having effects.
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
	bool		known = gpusort_plan_has_trait(plan, PLAN_KNOWN) || gpusort_plan_module(plan) != NULL;

	if (!known || search_expression((Node *) gpusort_plan_expressions(plan), search))
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
