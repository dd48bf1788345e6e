/*
 * plan.c
 *	  Puts the rows node in the place of Sort nodes of finished plans, and below hashed
 *	  grouping.
 *
 * References are already resolved in a finished plan, so the custom scan is built as
 * setrefs would leave it.  It has no scan relation.  custom_scan_tlist describes the
 * input's rows by OUTER_VAR references, and the target list refers to that by INDEX_VAR.
 * Constants stay constants in both, for EXPLAIN; the executor does not project.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "guc.h"
#include "nodes/plan_hook.h"
#include "nodes/rows/parallel.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/rows_node.h"
#include "rows/row_keys.h"

/* The state of a node, by its role. */
static Node *
create_state(CustomScan *scan)
{
	RowsRole	role = linitial_int(list_nth(scan->custom_private, ROWS_ROLE));
	RowsUse		use = GPUSORT_ROWS_USE(scan->custom_private);

	return role == ROWS_SHARE ? gpusort_rows_create_shared()
		: role == ROWS_RETURN ? gpusort_rows_create_returned(use) : gpusort_rows_create_alone(use);
}

static const CustomScanMethods rows_scan_methods = {
	.CustomName = "GpusortRows",
	.CreateCustomScanState = create_state,
};

static bool
is_rows_node(const Plan *plan)
{
	return plan != NULL && IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == &rows_scan_methods;
}

/* Returns why a Sort's first key cannot be a code, or NULL if it can. */
static const char *
first_key_refused(const Sort *sort)
{
	Node	   *expr = (Node *) list_nth_node(TargetEntry, sort->plan.targetlist, sort->sortColIdx[0] - 1)->expr;
	Oid			operator = sort->sortOperators[0];
	Oid			collation = sort->collations[0];
	TypeCacheEntry *type;
	RowKey		key;

	if (IsA(expr, Const))
		return "its first key is a constant";
	if (gpusort_rows_key_kind(&key, operator, collation, exprType(expr)) != KEY_IS_COMPARED)
		return NULL;
	if (gpusort_rows_key_kind(&key, operator, C_COLLATION_OID, exprType(expr)) != KEY_IS_COMPARED)
		return psprintf("the order of texts in %s is not known", collation == DEFAULT_COLLATION_OID ?
						"the database's collation" : psprintf("collation %s", get_collation_name(collation)));
	type = lookup_type_cache(getBaseType(exprType(expr)), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	if (OidIsValid(type->lt_opr) && operator != type->lt_opr && operator != type->gt_opr)
		return psprintf("operator %s is not of its type's default order", get_opname(operator));
	return psprintf("gpusort has no faster way to compare values of type %s", format_type_be(exprType(expr)));
}

bool
gpusort_rows_take(const Sort *sort, double wanted)
{
	return gpusort_enable_sort && first_key_refused(sort) == NULL &&
		(gpusort_force_nodes || (gpusort_rows_may_win(sort) && gpusort_rows_cost(sort, wanted, true).why_not == NULL));
}

/* A Sort's keys, its bound and its role, in the form of custom_private. */
static List *
make_private(const Sort *sort, const RowsBound *bound, const List *rtable)
{
	Sort	   *keys = makeNode(Sort);

	*keys = *sort;
	keys->plan = (Plan) {.type = T_Sort};
	return list_make3(keys,
					  list_make4_int(bound->kind, bound->partition_keys, bound->is_less, gpusort_rows_keep_whole(sort, rtable)),
					  list_make2_int(ROWS_ALONE, ROWS_FOR_ORDER));
}

/* Makes a rows node for a Sort. */
static Plan *
make_rows_node(const Sort *sort, const RowsCost *cost, const RowsBound *bound, const PlanPlace *place)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.plan = sort->plan;	/* parameters, parallel flags, node id */
	NodeSetTag(scan, T_CustomScan);
	scan->scan.plan.startup_cost = cost->startup;
	scan->scan.plan.total_cost = cost->total;
	scan->scan.plan.targetlist = gpusort_rows_columns_of(sort->plan.targetlist, INDEX_VAR, true);
	scan->scan.plan.parallel_aware = place->parallel;	/* so that parallel workers' counters are shared */
	scan->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN | CUSTOMPATH_SUPPORT_MARK_RESTORE;
	scan->custom_exprs = bound->expressions;
	scan->custom_private = make_private(sort, bound, place->walk->statement->rtable);
	scan->custom_scan_tlist = sort->plan.targetlist;
	scan->methods = &rows_scan_methods;
	return &scan->scan.plan;
}

/* Makes the rows node of a path, whose references setrefs resolves. */
static Plan *
plan_divided(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *plans)
{
	Sort	   *sort = linitial_node(Sort, plans);
	CustomScan *scan = makeNode(CustomScan);
	RowsBound	none = {0};

	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.lefttree = sort->plan.lefttree;
	scan->custom_private = make_private(sort, &none, root->parse->rtable);
	scan->custom_scan_tlist = copyObject(sort->plan.targetlist);
	scan->methods = &rows_scan_methods;
	gpusort_rows_share_groups(scan, linitial_int(path->custom_private));
	return &scan->scan.plan;
}

const CustomPathMethods gpusort_rows_divided_methods = {
	.CustomName = "GpusortRows",
	.PlanCustomPath = plan_divided
};

void
gpusort_rows_prepare(Plan *plan, const PlanPlace *place)
{
	CustomScan *scan = (CustomScan *) plan->lefttree;
	Sort	   *sort;

	if (place->owned || !is_rows_node(plan->lefttree) || !(IsA(plan, Agg) || IsA(plan, Unique) || IsA(plan, WindowAgg)))
		return;
	sort = GPUSORT_ROWS_KEYS(scan->custom_private);
	sort->plan = scan->scan.plan;
	NodeSetTag(sort, T_Sort);
	sort->plan.targetlist = gpusort_rows_columns_of(sort->plan.lefttree->targetlist, OUTER_VAR, false);
	place->walk->divided = lappend(place->walk->divided,
								   list_make2_int(sort->plan.plan_node_id, lthird_int(list_nth(scan->custom_private, ROWS_ROLE))));
	plan->lefttree = &sort->plan;
}

/* How many leading keys of a Sort tell the groups apart by which processes divide its rows; 0 if they do not. */
static int
group_keys(const Sort *sort, const PlanPlace *place)
{
	ListCell   *cell;

	foreach(cell, place->walk->divided)
	{
		const List *divided = lfirst(cell);

		if (linitial_int(divided) == sort->plan.plan_node_id)
			return lsecond_int(divided);
	}
	return 0;
}

/* Makes a rows node for a Sort of rows that processes divide. */
static Plan *
make_divided(const Sort *sort, int keys, const PlanPlace *place)
{
	RowsCost	cost = {.startup = sort->plan.startup_cost,.total = sort->plan.total_cost};
	RowsBound	bound = gpusort_rows_plan_bound(sort, place);
	Plan	   *plan;

	if (IsA(place->parent, Unique) && list_length(sort->plan.targetlist) == keys)
		bound.kind = BOUND_DISTINCT;
	plan = make_rows_node(sort, &cost, &bound, place);
	gpusort_reason_tell_sort(place, sort, NULL);
	gpusort_rows_share_groups((CustomScan *) plan, keys);
	return plan;
}

/*
 * True if a Sort's input groups rows that a rows node sorts, and so returns the groups in the Sort's order.  Such an
 * Agg cannot go back.
 */
static bool
groups_are_sorted(const Sort *sort, const PlanPlace *place)
{
	const Agg  *agg = (Agg *) sort->plan.lefttree;
	const Sort *keys;

	if (!IsA(agg, Agg) || !is_rows_node(agg->plan.lefttree) || agg->aggstrategy != AGG_SORTED ||
		agg->groupingSets != NIL || sort->plan.initPlan != NIL || place->rescanned ||
		!gpusort_place_wants_all(place) || !place->walk->to_end || (place->parent != NULL && IsA(place->parent, MergeJoin)))
		return false;
	keys = GPUSORT_ROWS_KEYS(((CustomScan *) agg->plan.lefttree)->custom_private);
	/* Columns by which an Agg groups need no key where they are constant. */
	if (sort->numCols > keys->numCols)
		return false;
	for (int i = 0; i < sort->numCols; i++)
	{
		const Var  *column = (Var *) list_nth_node(TargetEntry, agg->plan.targetlist, sort->sortColIdx[i] - 1)->expr;

		if (!IsA(column, Var) || column->varattno != keys->sortColIdx[i] || sort->sortOperators[i] != keys->sortOperators[i] ||
			sort->collations[i] != keys->collations[i] || sort->nullsFirst[i] != keys->nullsFirst[i])
			return false;
	}
	return true;
}

/* Returns what takes the place of a Sort or an Incremental Sort, or NULL. */
static Plan *
replace_sort(Sort *sort, const PlanPlace *place)
{
	const char *why_not = "so small a sort costs less than starting the node";
	RowsCost	cost = {0};
	RowsBound	bound = {0};
	Sort	   *by_value = gpusort_rows_plan_intervals(sort, place);
	Sort	   *taken = by_value ? by_value : sort;
	bool		force = gpusort_force_nodes && IsA(sort, Sort);
	int			keys = group_keys(sort, place);

	if (keys > 0)
		return make_divided(sort, keys, place);
	if (groups_are_sorted(sort, place))
	{
		gpusort_reason_tell_sort(place, sort, NULL);
		gpusort_rows_name_columns(sort->plan.lefttree, &sort->plan);
		return sort->plan.lefttree;
	}
	if (force || gpusort_rows_may_win(taken))
		why_not = by_value ? NULL : first_key_refused(sort);
	if (why_not == NULL)
	{
		bound = gpusort_rows_plan_bound(taken, place);
		cost = gpusort_rows_cost(taken, bound.wanted, bound.expressions != NIL);
		if (cost.why_not == NULL)
			gpusort_rows_leave_nulls(&cost, taken, bound.wanted, place->walk->statement->rtable);
		why_not = force ? NULL : cost.why_not;
	}
	gpusort_reason_tell_sort(place, sort, why_not);
	if (why_not != NULL)
		return NULL;
	return make_rows_node(taken, &cost, &bound, place);
}

/*
 * Puts the node below an Agg that hashes, where that costs less.  The Agg then groups sorted
 * rows.  Where it is run again it would sort again, but an Agg that hashes keeps its table.
 */
static void
sort_for_groups(Agg *agg, const PlanPlace *place)
{
	GroupedAggregates aggregates = {0};
	bool		in_order = place->parent != NULL && IsA(place->parent, Sort);	/* which may be left out then */
	bool		may_win = !place->rescanned && gpusort_rows_may_group(agg);
	Sort	   *sort = may_win ? gpusort_rows_plan_groups(agg, in_order, &aggregates) : NULL;
	RowsBound	bound = {.kind = aggregates.count > 0 ? BOUND_ROWS : BOUND_DISTINCT};
	RowsCost	cost;

	if (sort == NULL)
		return;
	cost = gpusort_rows_cost_groups(sort, aggregates.count > 0 ? gpusort_rows_least_groups(agg, place->walk->statement->rtable) :
									Max(agg->plan.plan_rows, 1), aggregates.collect);
	if (cost.why_not != NULL)
		return;
	gpusort_rows_plan_drop_columns(agg, sort);
	sort->plan.plan_node_id = gpusort_plan_next_id(place->walk);
	agg->plan.lefttree = make_rows_node(sort, &cost, &bound, place);
	agg->aggstrategy = AGG_SORTED;
	agg->plan.startup_cost = cost.startup;
	agg->plan.total_cost = cost.total + cpu_operator_cost * agg->numCols * sort->plan.plan_rows;
}

/* Has parallel workers share what they sort, instead of a Gather Merge, unless that reads few of the rows. */
static Plan *
replace_gather_merge(const GatherMerge *merge, const PlanPlace *place)
{
	CustomScan *rows = (CustomScan *) merge->plan.lefttree;

	if (!is_rows_node(&rows->scan.plan) || rows->scan.plan.initPlan != NIL ||
		linitial_int(list_nth(rows->custom_private, ROWS_ROLE)) != ROWS_ALONE ||
		!(gpusort_force_nodes || rows->custom_exprs != NIL || gpusort_rows_sharing_wins(merge, place->share)))
		return NULL;
	return gpusort_rows_plan_parallel(merge, rows, place);
}

Plan *
gpusort_rows_plan_values(const Gather *gather, Sort *sort, RowsUse use, bool distinct, const PlanPlace *place)
{
	RowsBound	bound = {.kind = distinct ? BOUND_DISTINCT : BOUND_ROWS};
	RowsCost	cost = gpusort_rows_cost(sort, 0, false);
	PlanPlace	below = *place;
	CustomScan *rows;

	below.parallel |= gather != NULL;
	sort->plan.plan_node_id = gpusort_plan_next_id(place->walk);
	rows = (CustomScan *) make_rows_node(sort, &cost, &bound, &below);
	if (gather != NULL)
		return gpusort_rows_plan_shared(gather, rows, use, place);
	lsecond_int(list_nth(rows->custom_private, ROWS_ROLE)) = use;
	rows->scan.plan.total_cost = rows->scan.plan.startup_cost;
	rows->scan.plan.plan_rows = 1;
	return &rows->scan.plan;
}

static void
keep_plan(Plan *plan, const PlanPlace *place)
{
	if (IsA(plan, Sort) || IsA(plan, IncrementalSort))
		gpusort_reason_tell_sort(place, (Sort *) plan, place->owned ?
								 "it stands below a node of another extension, which may know it" : "gpusort.enable_sort is off");
}

/*
 * Puts the rows node in the place of a Sort, of an Incremental Sort whose rows are all
 * wanted, or of a Gather Merge above one, and below hashed grouping.
 */
static void
add_rows_nodes(Plan **link, const PlanPlace *place)
{
	Plan	   *plan = *link;

	if (IsA(plan, Sort))
		plan = replace_sort((Sort *) plan, place);
	else if (IsA(plan, Agg))
		sort_for_groups((Agg *) plan, place);
	else if (IsA(plan, GatherMerge))
		plan = replace_gather_merge((GatherMerge *) plan, place);
	else if (IsA(plan, IncrementalSort) && !gpusort_place_wants_all(place))
		gpusort_reason_tell_sort(place, (Sort *) plan, "its input is partly in order, and not all rows may be wanted");
	else if (IsA(plan, IncrementalSort))
		plan = replace_sort((Sort *) plan, place);
	if (plan != NULL)
		*link = plan;
}

/* Sets up the node, and has it put into plans. */
void
gpusort_rows_node_init(void)
{
	static const NodeModule module = {
		.methods = &rows_scan_methods,
		.enabled = &gpusort_enable_sort,
		.keep = keep_plan,
		.rewrite = add_rows_nodes
	};

	gpusort_plan_hook_add(&module);
}
