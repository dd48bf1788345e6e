/*
 * plan_divide.c
 *	  Divides work of a finished plan among parallel workers, see plan_divide.h.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "guc.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/parallel.h"
#include "nodes/rows/plan_divide.h"
#include "nodes/rows/plan_groups.h"

/* What a row costs that aggregates take, in operators. */
#define COST_OF_VALUE 10.0

bool
gpusort_rows_find_tables(Plan *plan, const List *rtable, ScannedTables *tables)
{
	Relation	table;
	BlockNumber pages;
	double		rows;
	double		all_visible;
	ListCell   *cell;

	/* The planner finds no scan safe if the statement may not be parallel. */
	if (!plan->parallel_safe || plan->initPlan != NIL)
		return false;
	if (IsA(plan, Append))
	{
		foreach(cell, ((const Append *) plan)->appendplans)
		{
			if (!gpusort_rows_find_tables(lfirst(cell), rtable, tables))
				return false;
		}
		return true;
	}
	if (!IsA(plan, SeqScan))
		return false;
	/* The planner has locked it. */
	table = table_open(rt_fetch(((const SeqScan *) plan)->scan.scanrelid, rtable)->relid, NoLock);
	tables->scans = lappend(tables->scans, plan);
	estimate_rel_size(table, NULL, &pages, &rows, &all_visible);
	tables->pages += pages;
	tables->rows += rows;
	tables->workers = Max(tables->workers, RelationGetParallelWorkers(table, -1));
	table_close(table, NoLock);
	return true;
}

int
gpusort_rows_count_workers(const ScannedTables *tables)
{
	RelOptInfo *rel = makeNode(RelOptInfo);

	rel->reloptkind = RELOPT_BASEREL;
	rel->rel_parallel_workers = tables->workers;
	return compute_parallel_worker(rel, tables->pages, -1, max_parallel_workers_per_gather);
}

double
gpusort_rows_divisor(int workers)
{
	return workers + (parallel_leader_participation ? Max(0, 1 - 0.3 * workers) : 0);
}

Cost
gpusort_rows_divided_cost(Cost cost, const ScannedTables *tables, int workers)
{
	Cost		pages = seq_page_cost * tables->pages;

	return pages + (cost - pages) / gpusort_rows_divisor(workers);
}

/* Adds the parameter of a Gather, which tells a plan below it that it is run again. */
static void
add_param(Plan *plan, int param)
{
	plan->extParam = bms_add_member(bms_copy(plan->extParam), param);
	plan->allParam = bms_add_member(bms_copy(plan->allParam), param);
}

/* Has each process run its part of a plan. */
static void
divide(Plan *plan, double divisor, int param)
{
	plan->plan_rows = clamp_row_est(plan->plan_rows / divisor);
	plan->total_cost = plan->startup_cost + (plan->total_cost - plan->startup_cost) / divisor;
	add_param(plan, param);
}

int
gpusort_rows_divide_tables(Plan *input, const ScannedTables *tables, int workers, PlanWalk *walk)
{
	PlannedStmt *statement = walk->statement;
	double		divisor = gpusort_rows_divisor(workers);
	int			param = list_length(statement->paramExecTypes);
	ListCell   *cell;

	statement->paramExecTypes = lappend_oid(statement->paramExecTypes, InvalidOid);
	statement->parallelModeNeeded = true;
	if (!IsA(input, SeqScan))
		divide(input, divisor, param);
	foreach(cell, tables->scans)
	{
		divide(lfirst(cell), divisor, param);
		((Plan *) lfirst(cell))->parallel_aware = true;
	}
	return param;
}

/* A node that makes something of each group of rows, which come in order. */
typedef struct Grouping
{
	Plan	   *plan;
	CustomScan *rows;			/* the rows node that sorts its input, */
	const Gather *gather;		/* above which workers are already; or NULL */
	int			keys;			/* leading keys of that which tell groups apart */
	double		input;			/* how many rows it reads, */
	double		groups;			/* of how many groups, */
	double		largest;		/* what share of them the largest one has; 1 if that is not known, */
	double		returned;		/* and how many it may return, */
	bool		any_order;		/* in any order */
} Grouping;

/* How many leading keys of a rows node are among these columns. */
static int
count_keys(const CustomScan *rows, int ncolumns, const AttrNumber *columns)
{
	const List *keys = list_nth(rows->custom_private, KEY_COLUMNS);
	int			n = 0;
	ListCell   *cell;

	foreach(cell, keys)
	{
		int			i = 0;

		while (i < ncolumns && columns[i] != lfirst_int(cell))
			i++;
		if (i == ncolumns)
			break;
		n++;
	}
	return n;
}

/*
 * Estimates how many groups may be returned, and how large the largest one is.  The planner expects few groups by several
 * columns.
 */
static void
estimate_groups(Grouping *grouping, const List *rtable)
{
	const CustomScan *rows = grouping->rows;
	const Plan *input = rows->scan.plan.lefttree;
	double		processes = grouping->input / Max(rows->scan.plan.plan_rows, 1);
	double		most = 1;

	grouping->largest = 1;
	for (int i = 0; i < grouping->keys; i++)
	{
		int			column = list_nth_int(list_nth(rows->custom_private, KEY_COLUMNS), i);
		const Var  *var = (Var *) list_nth_node(TargetEntry, rows->custom_scan_tlist, column - 1)->expr;
		double		values;

		if (!IsA(var, Var))
			continue;
		values = gpusort_rows_distinct_values(input, var->varattno, rtable);
		most *= values > 0 ? values * processes : grouping->input;
		grouping->largest = Min(grouping->largest, gpusort_rows_largest_share(input, var->varattno, rtable));
	}
	most = grouping->keys == 1 ? grouping->groups : Min(most, grouping->input);
	grouping->returned = most * grouping->plan->plan_rows / Max(grouping->groups, grouping->plan->plan_rows);
}

/* True if nobody wants the order of rows that a plan returns. */
static bool
is_order_open(const Plan *plan, const PlanPlace *place)
{
	if (place->parent != NULL)
		return IsA(place->parent, Sort) || IsA(place->parent, Hash);
	return plan == place->walk->statement->planTree && !place->walk->ordered;
}

/* True if a LIMIT wants some groups of a plan.  Before the first one is returned, each process would compute one. */
static bool
wants_few(const Plan *plan, const PlanPlace *place)
{
	const Plan *limit = place->limit ? &place->limit->plan : place->first_rows;

	return limit != NULL && IsA(limit, Limit) && limit->plan_rows < plan->plan_rows;
}

/* Finds what a node does with groups of rows from a rows node.  Returns false if it is nothing, or another order would be seen. */
static bool
find_groups(Plan *plan, const PlanPlace *place, Grouping *found)
{
	CustomScan *rows = (CustomScan *) plan->lefttree;
	const Agg  *agg = (Agg *) plan;
	RowsRole	role;

	if (plan->initPlan != NIL || rows->scan.plan.initPlan != NIL)
		return false;
	*found = (Grouping) {.plan = plan,.rows = rows,.input = rows->scan.plan.plan_rows,.groups = plan->plan_rows};
	if (IsA(plan, Agg) && agg->aggstrategy == AGG_SORTED && list_member_ptr(place->walk->orderless, agg))
	{
		found->keys = count_keys(rows, agg->numCols, agg->grpColIdx);
		found->groups = agg->numGroups;
	}
	else if (IsA(plan, Group))
		found->keys = count_keys(rows, ((Group *) plan)->numCols, ((Group *) plan)->grpColIdx);
	else if (IsA(plan, Unique))
		found->keys = count_keys(rows, ((Unique *) plan)->numCols, ((Unique *) plan)->uniqColIdx);
	role = linitial_int(list_nth(rows->custom_private, ROWS_LIST_ROLE));
	if (role == ROWS_RETURN)
	{
		found->gather = (const Gather *) rows->scan.plan.lefttree;
		found->rows = (CustomScan *) found->gather->plan.lefttree;
	}
	estimate_groups(found, place->walk->statement->rtable);
	found->any_order = is_order_open(plan, place);
	return found->keys > 0 && role != ROWS_SHARE;
}

/* True if workers may compute the expressions of a node. */
static bool
is_safe(const Plan *plan)
{
	Query	   *query = makeNode(Query);

	query->targetList = plan->targetlist;
	query->havingQual = (Node *) plan->qual;
	return max_parallel_hazard(query) == PROPARALLEL_SAFE &&
		!gpusort_plan_keeps_evaluation((Node *) list_make2(plan->targetlist, plan->qual));
}

/* True if tables are read by expressions with subqueries, which were planned for one process. */
static bool
have_subplans(const ScannedTables *tables)
{
	ListCell   *cell;

	foreach(cell, tables->scans)
	{
		const Plan *scan = lfirst(cell);

		if (contain_subplans((Node *) list_make2(scan->targetlist, scan->qual)))
			return true;
	}
	return false;
}

/* How many processes groups are divided among.  One of them has the largest group. */
static double
group_divisor(const Grouping *grouping, int workers)
{
	double		divisor = Min(gpusort_rows_divisor(workers), grouping->groups);

	return grouping->largest < 1 ? Min(divisor, 1 / grouping->largest) : divisor;
}

/*
 * True if workers are expected to compute groups in less time than one process, where reading and sorting costs so much
 * more or less.
 */
static bool
pays(const Grouping *grouping, int workers, Cost more)
{
	double		value = IsA(grouping->plan, Agg) ? COST_OF_VALUE : grouping->keys;
	double		divisor = group_divisor(grouping, workers);
	double		saved = cpu_operator_cost * value * grouping->input * (1 - 1 / divisor);

	return gpusort_force_nodes ||
		more + parallel_tuple_cost * (grouping->any_order ? ROWS_GATHER_SHARE : 1) * grouping->returned < saved;
}

/*
 * What it costs more, or less, that each of the processes that sort rows together sorts parts of its own groups, and no
 * rows are returned to one of them.
 */
static Cost
keeping_cost(const Grouping *grouping, int workers)
{
	const Plan *rows = &grouping->rows->scan.plan;
	double		divisor = gpusort_rows_divisor(workers);

	return (rows->startup_cost - rows->lefttree->total_cost) * (divisor / Min(divisor, 1 / grouping->largest) - 1) -
		gpusort_rows_return_cost(grouping->input);
}

/* What it costs more, or less, that workers read and sort rows that one process was to sort. */
static Cost
sharing_cost(const Grouping *grouping, const ScannedTables *tables, int workers)
{
	const Plan *rows = &grouping->rows->scan.plan;
	Cost		input = rows->lefttree->total_cost;
	double		divisor = group_divisor(grouping, workers);

	return parallel_setup_cost + gpusort_rows_divided_cost(input, tables, workers) - input +
		(rows->startup_cost - input) * (ROWS_SHARED_PASSES / divisor - 1);
}

/* The column of a plan that shows a column of its input, which it gets if it has none. */
static AttrNumber
find_column(Plan *plan, AttrNumber input)
{
	const TargetEntry *shown = list_nth_node(TargetEntry, plan->lefttree->targetlist, input - 1);
	ListCell   *cell;

	foreach(cell, plan->targetlist)
	{
		const TargetEntry *entry = lfirst(cell);
		const Var  *var = (Var *) entry->expr;

		if (IsA(var, Var) && var->varno == OUTER_VAR && var->varattno == input)
			return entry->resno;
	}
	plan->targetlist = lappend(list_copy(plan->targetlist),
							   makeTargetEntry((Expr *) makeVarFromTargetEntry(OUTER_VAR, unconstify(TargetEntry *, shown)),
											   list_length(plan->targetlist) + 1, NULL, true));
	return list_length(plan->targetlist);
}

/* Has a Gather Merge return groups in the order of a rows node. */
static void
set_order(GatherMerge *merge, const Grouping *grouping)
{
	const List *lists = grouping->rows->custom_private;
	int			keys = grouping->keys;

	merge->numCols = keys;
	merge->sortColIdx = palloc(keys * sizeof(AttrNumber));
	merge->sortOperators = palloc(keys * sizeof(Oid));
	merge->collations = palloc(keys * sizeof(Oid));
	merge->nullsFirst = palloc(keys * sizeof(bool));
	for (int i = 0; i < keys; i++)
	{
		merge->sortColIdx[i] = find_column(grouping->plan, list_nth_int(list_nth(lists, KEY_COLUMNS), i));
		merge->sortOperators[i] = list_nth_oid(list_nth(lists, KEY_OPERATORS), i);
		merge->collations[i] = list_nth_oid(list_nth(lists, KEY_COLLATIONS), i);
		merge->nullsFirst[i] = list_nth_int(list_nth(lists, KEY_NULLS_FIRST), i) != 0;
	}
}

/* A Gather or Gather Merge of the groups that processes return, with the columns that their plan has now. */
static Plan *
gather_groups(const Grouping *grouping, int workers, int param, PlanWalk *walk)
{
	Plan	   *plan = grouping->plan;
	Gather	   *gather = makeNode(Gather);
	GatherMerge *merge = makeNode(GatherMerge);
	Plan	   *top = grouping->any_order ? &gather->plan : &merge->plan;
	NodeTag		tag = nodeTag(top);

	*top = *plan;
	NodeSetTag(top, tag);
	top->plan_node_id = gpusort_plan_next_id(walk);
	top->targetlist = gpusort_rows_columns_of(plan->targetlist, OUTER_VAR, false);
	top->qual = NIL;
	top->lefttree = plan;
	gather->num_workers = merge->num_workers = workers;
	gather->rescan_param = merge->rescan_param = param;
	if (grouping->gather != NULL)
		gather->initParam = merge->initParam = grouping->gather->initParam;
	if (!grouping->any_order)
		set_order(merge, grouping);
	return top;
}

Plan *
gpusort_rows_divide_groups(Plan *plan, const PlanPlace *place)
{
	ScannedTables tables = {.workers = -1};
	Grouping	grouping;
	Plan	   *rows;
	Plan	   *top;
	int			workers;
	int			param;

	if (place->parallel || place->rescanned || max_parallel_workers_per_gather == 0 ||
		gpusort_engine == GPUSORT_ENGINE_GPU || wants_few(plan, place) || !find_groups(plan, place, &grouping) || !is_safe(plan))
		return plan;
	rows = &grouping.rows->scan.plan;
	if (grouping.gather != NULL)
	{
		workers = grouping.gather->num_workers;
		param = grouping.gather->rescan_param;
		if (!pays(&grouping, workers, keeping_cost(&grouping, workers)))
			return plan;
	}
	else
	{
		if (!bms_is_empty(plan->allParam) || !gpusort_rows_find_tables(rows->lefttree, place->walk->statement->rtable, &tables) ||
			have_subplans(&tables))
			return plan;
		workers = gpusort_rows_count_workers(&tables);
		if (workers == 0 || !pays(&grouping, workers, sharing_cost(&grouping, &tables, workers)))
			return plan;
		param = gpusort_rows_divide_tables(rows->lefttree, &tables, workers, place->walk);
		add_param(rows, param);
		rows->plan_rows = clamp_row_est(rows->plan_rows / gpusort_rows_divisor(workers));
		rows->parallel_aware = true;
	}
	top = gather_groups(&grouping, workers, param, place->walk);
	gpusort_rows_share_groups(grouping.rows, grouping.keys);
	plan->lefttree = rows;
	plan->parallel_safe = true;
	plan->plan_rows = clamp_row_est(plan->plan_rows / gpusort_rows_divisor(workers));
	add_param(plan, param);
	return top;
}
