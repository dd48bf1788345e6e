/*
 * order.c
 *	  Has the input of aggregates with an ORDER BY sorted below their Agg.
 *
 * PostgreSQL sorts the rows of each group inside such an aggregate; from version 16 on it may
 * put a Sort below instead.  It costs the rows node less to sort all rows once, by the columns
 * that the Agg groups by, and then by those of the ORDER BY.  That works for any aggregate,
 * keeps to work_mem, and leaves ties in the input's order.
 *
 * Where only the first elements of each array are wanted, the rows node drops other rows as
 * it reads them.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"
#include "guc.h"
#include "keys/sort_keys.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/rows_node.h"

/* What PostgreSQL's sort of a group costs, in operators, and each of its rows, without comparisons. */
#define COST_PER_GROUP 100.0
#define COST_PER_ROW 10.0

/* Dropping the other rows as they are read pays for groups of this many times as many rows. */
#define LEAST_ROWS_PER_FIRST_ROW 32.0

bool
gpusort_aggregate_is_ordered(const Aggref *call)
{
	return call->aggorder != NIL && !AGGKIND_IS_ORDERED_SET(call->aggkind) && !GPUSORT_IS_PRESORTED(call);
}

AttrNumber
gpusort_aggregate_input_column(const Expr *value)
{
	while (IsA(value, RelabelType))
		value = ((const RelabelType *) value)->arg;
	return IsA(value, Var) && ((const Var *) value)->varno == OUTER_VAR ? ((const Var *) value)->varattno : 0;
}

/* The column of the input that this clause of a call's ORDER BY names; 0 if it is another expression. */
static AttrNumber
column_of(const SortGroupClause *clause, const Aggref *call, Oid *collation)
{
	const Expr *value = get_sortgroupclause_tle(unconstify(SortGroupClause *, clause), call->args)->expr;

	*collation = exprCollation((const Node *) value);
	return gpusort_aggregate_input_column(value);
}

/* Returns why sorted input cannot give a call its order, or NULL if it can. */
static const char *
order_refused(const Aggref *call)
{
	const char *no_columns = "it is ordered by an expression, or orders other values than it distinguishes";
	ListCell   *cell;
	Oid			collation;

	/* Those of the extension that take no ORDER BY raise an error, which they are to see. */
	if (call->aggdistinct != NIL || gpusort_is_own_function(call->aggfnoid))
		return no_columns;
	/* The arguments would be computed for rows in another order. */
	if (gpusort_plan_keeps_evaluation((const Node *) call))
		return "its arguments are volatile, or have subqueries";
	foreach(cell, call->aggorder)
	{
		const SortGroupClause *clause = lfirst(cell);

		if (!OidIsValid(clause->sortop) || column_of(clause, call, &collation) == 0)
			return no_columns;
	}
	return NULL;
}

/* True if two calls are ordered by the same columns in the same way. */
bool
gpusort_aggregates_share_order(const Aggref *a, const Aggref *b)
{
	ListCell   *cell;
	ListCell   *other;

	if (list_length(a->aggorder) != list_length(b->aggorder))
		return false;
	forboth(cell, a->aggorder, other, b->aggorder)
	{
		const SortGroupClause *left = lfirst(cell);
		const SortGroupClause *right = lfirst(other);
		Oid			left_collation;
		Oid			right_collation;
		AttrNumber	column = column_of(left, a, &left_collation);

		if (left->sortop != right->sortop || left->nulls_first != right->nulls_first || column == 0 ||
			column != column_of(right, b, &right_collation) || left_collation != right_collation)
			return false;
	}
	return true;
}

/* True if an Agg may read all rows of its input, and in another order. */
static bool
may_sort_input(const AggregateCalls *calls)
{
	const Agg  *agg = calls->agg;
	ListCell   *cell;

	if (agg->aggstrategy != AGG_PLAIN && !IsA(agg->plan.lefttree, Sort) && !gpusort_place_wants_all(calls->place))
		return false;
	foreach(cell, calls->list)
	{
		const AggregateCall *call = lfirst(cell);

		if (call->treatment != AGGREGATE_SORT_INPUT && !gpusort_aggregate_ignores_order(call->call))
			return false;
	}
	return true;
}

/* True if an Agg groups by a column of its input. */
static bool
groups_by(const Agg *agg, AttrNumber column)
{
	for (int i = 0; i < agg->numCols; i++)
		if (agg->grpColIdx[i] == column)
			return true;
	return false;
}

/*
 * A Sort by the leading keys by which an Agg groups, of one that brings its groups together.  Sets *all if there are
 * no others, such as the order of presorted calls.
 */
static Sort *
copy_sort_of_groups(const Agg *agg, const Sort *below, bool *all)
{
	Sort	   *sort = makeNode(Sort);
	int			i = 0;

	*sort = *below;
	sort->numCols = 0;
	for (; i < below->numCols && groups_by(agg, below->sortColIdx[i]); i++)
		gpusort_add_sort_key(sort, below->sortColIdx[i], below->sortOperators[i], below->collations[i], below->nullsFirst[i]);
	*all = i == below->numCols;
	return sort;
}

/* The column of a scan that a column of its index is, by which an Agg groups; 0 if there is none. */
static AttrNumber
grouping_column(const Agg *agg, Relation index, int column)
{
	const Plan *scan = agg->plan.lefttree;
	AttrNumber	wanted = IsA(scan, IndexOnlyScan) ? column + 1 : index->rd_index->indkey.values[column];

	for (int i = 0; i < agg->numCols; i++)
	{
		const Var  *var = (const Var *) list_nth_node(TargetEntry, scan->targetlist, agg->grpColIdx[i] - 1)->expr;

		if (IsA(var, Var) && wanted != 0 && var->varattno == wanted)
			return agg->grpColIdx[i];
	}
	return 0;
}

/* Appends a column of an index to a Sort's keys, in its order.  Returns false if that is not the default one of its type. */
static bool
add_index_key(Sort *sort, const Agg *agg, Relation index, int column, bool backward)
{
	int			option = index->rd_indoption[column];
	AttrNumber	place = grouping_column(agg, index, column);
	Node	   *value;
	TypeCacheEntry *type;
	Oid			operator;

	if (place == 0)
		return false;
	value = (Node *) list_nth_node(TargetEntry, agg->plan.lefttree->targetlist, place - 1)->expr;
	type = lookup_type_cache(exprType(value), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR | TYPECACHE_BTREE_OPFAMILY);
	operator = ((option & INDOPTION_DESC) != 0) != backward ? type->gt_opr : type->lt_opr;
	if (!OidIsValid(operator) || type->btree_opf != index->rd_opfamily[column] ||
		index->rd_indcollation[column] != exprCollation(value))
		return false;
	gpusort_add_sort_key(sort, place, operator, index->rd_indcollation[column],
							  ((option & INDOPTION_NULLS_FIRST) != 0) != backward);
	return true;
}

/*
 * A scan in sequence of the rows that the scan of an index returns, for a Sort above, which needs no order; NULL if the
 * index also finds rows, the order of rows may be seen, or the scan of the index costs less than 1.5 times as much:
 * its costs do not say that it skips pages without rows.
 */
static Plan *
scan_in_sequence(const IndexScan *scan, Relation index)
{
	Relation	table;
	BlockNumber pages;
	double		rows;
	double		all_visible;
	QualCost	filter;
	SeqScan    *result;

	if (!IsA(scan, IndexScan) || scan->indexqual != NIL || scan->indexorderby != NIL || !enable_seqscan ||
		RelationGetIndexPredicate(index) != NIL ||
		gpusort_plan_keeps_evaluation((Node *) list_make2(scan->scan.plan.targetlist, scan->scan.plan.qual)))
		return NULL;
	result = makeNode(SeqScan);
	result->scan = scan->scan;
	NodeSetTag(result, T_SeqScan);
	table = table_open(index->rd_index->indrelid, NoLock);
	estimate_rel_size(table, NULL, &pages, &rows, &all_visible);
	table_close(table, NoLock);
	cost_qual_eval(&filter, scan->scan.plan.qual, NULL);
	result->scan.plan.startup_cost = filter.startup;
	result->scan.plan.total_cost = filter.startup + seq_page_cost * pages + (cpu_tuple_cost + filter.per_tuple) * rows;
	return 1.5 * result->scan.plan.total_cost < scan->scan.plan.total_cost ? &result->scan.plan : NULL;
}

/* A Sort in the order in which the scan of a btree index delivers the groups of an Agg.  NULL if that is not known. */
static Sort *
make_sort_of_groups(const Agg *agg)
{
	const Plan *scan = agg->plan.lefttree;
	bool		index_only = IsA(scan, IndexOnlyScan);
	ScanDirection direction;
	Relation	index;
	Sort	   *sort;
	Plan	   *in_sequence;
	int			column = 0;

	if (!index_only && !IsA(scan, IndexScan))
		return NULL;
	direction = index_only ? ((const IndexOnlyScan *) scan)->indexorderdir : ((const IndexScan *) scan)->indexorderdir;
	sort = gpusort_rows_plan_input_sort(agg);
	/* The planner has locked the index. */
	index = index_open(index_only ? ((const IndexOnlyScan *) scan)->indexid : ((const IndexScan *) scan)->indexid, NoLock);
	if (index->rd_rel->relam == BTREE_AM_OID)
	{
		while (column < IndexRelationGetNumberOfKeyAttributes(index) &&
			   add_index_key(sort, agg, index, column, ScanDirectionIsBackward(direction)))
			column++;
	}
	if (sort->numCols < agg->numCols)
		sort = NULL;
	else if ((in_sequence = scan_in_sequence((const IndexScan *) scan, index)) != NULL)
		sort->plan.lefttree = in_sequence;
	index_close(index, NoLock);
	return sort;
}

/*
 * Sets a Sort's costs to what the rows node must better: the costs of PostgreSQL's sorts of
 * the groups, and of the Sort that is below the Agg already.
 */
static void
set_cost(Sort *sort, const Agg *agg)
{
	const Plan *input = agg->plan.lefttree;
	double		rows = Max(input->plan_rows, 2);
	double		groups = agg->aggstrategy == AGG_PLAIN ? 1 : Max(agg->numGroups, 1);
	double		rows_per_group = Max(rows / groups, 2);

	sort->plan.startup_cost = input->total_cost +
		cpu_operator_cost * (rows * (COST_PER_ROW + 2 * log2(rows_per_group)) + groups * COST_PER_GROUP);
	if (rows_per_group * sort->plan.plan_width > work_mem * 1024.0)
		sort->plan.startup_cost += gpusort_rows_disk_cost(rows * sort->plan.plan_width);
	sort->plan.total_cost = sort->plan.startup_cost + cpu_operator_cost * rows;
}

/* Adds the order of a call to a Sort by an Agg's groups, and sets its costs. */
static void
add_order(Sort *sort, const Agg *agg, const Aggref *call)
{
	ListCell   *cell;

	foreach(cell, call->aggorder)
	{
		const SortGroupClause *clause = lfirst(cell);
		Oid			collation;
		AttrNumber	column = column_of(clause, call, &collation);

		gpusort_add_sort_key(sort, column, clause->sortop, collation, clause->nulls_first);
	}
	set_cost(sort, agg);
}

/* The Sort by an Agg's groups and the order of a call, or NULL. */
static Sort *
make_sort(const Agg *agg, const Aggref *call)
{
	const Plan *input = agg->plan.lefttree;
	bool		only_groups = true;
	Sort	   *sort;

	if (agg->aggstrategy == AGG_PLAIN)
		sort = gpusort_rows_plan_input_sort(agg);
	else if (IsA(input, Sort))
		sort = copy_sort_of_groups(agg, (const Sort *) input, &only_groups);
	else
		sort = make_sort_of_groups(agg);
	if (sort == NULL || !only_groups)
		return NULL;
	add_order(sort, agg, call);
	return sort;
}

void
gpusort_aggregate_drop_order(Aggref *call)
{
	ListCell   *cell;

	foreach(cell, call->args)
	{
		TargetEntry *entry = lfirst(cell);

		entry->ressortgroupref = 0;
		if (entry->resjunk)
			call->args = foreach_delete_current(call->args, cell);
	}
	call->aggorder = NIL;
	GPUSORT_SET_PRESORTED(call, false);
}

/*
 * Finds the calls whose order one Sort can give, and returns the first of them, or NULL.  PostgreSQL sorts
 * no more rows than pass a call's FILTER, and how many these are is not known here, so a call with one is only
 * taken beside a call without.
 */
static const Aggref *
choose_order(const AggregateCalls *calls)
{
	const Aggref *chosen = NULL;
	ListCell   *cell;

	foreach(cell, calls->list)
	{
		AggregateCall *call = lfirst(cell);
		const char *why_not;

		if (call->treatment != AGGREGATE_KEEP || !gpusort_aggregate_is_ordered(call->call))
			continue;
		why_not = order_refused(call->call);
		if (why_not != NULL)
			gpusort_aggregate_keep(call, why_not);
		else
			call->treatment = AGGREGATE_SORT_INPUT;
		if (why_not == NULL && chosen == NULL && (call->call->aggfilter == NULL || gpusort_force_nodes))
			chosen = call->call;
	}
	foreach(cell, calls->list)
	{
		AggregateCall *call = lfirst(cell);

		if (call->treatment == AGGREGATE_SORT_INPUT && chosen != NULL && !gpusort_aggregates_share_order(chosen, call->call))
			gpusort_aggregate_keep(call, "another aggregate beside it has another order");
	}
	return chosen;
}

/* Makes the Sort that gives the chosen order.  Returns why there is none, or NULL. */
static const char *
try_sort(const AggregateCalls *calls, const Aggref *chosen, Sort **sort)
{
	if (chosen != NULL && !may_sort_input(calls))
		return "what is beside it, or above, may depend on the order of the rows";
	if (chosen != NULL && (*sort = make_sort(calls->agg, chosen)) == NULL)
		return "its input comes in order";
	return chosen != NULL && gpusort_rows_take(*sort, 0) ? NULL : "PostgreSQL's Sort is expected to be faster";
}

/* The Sort takes the place of one below the Agg that brings the groups together. */
Sort *
gpusort_aggregates_sort_input(AggregateCalls *calls)
{
	const Agg  *agg = calls->agg;
	Sort	   *sort = NULL;
	const char *why_not = try_sort(calls, choose_order(calls), &sort);
	ListCell   *cell;

	if (why_not == NULL)
	{
		if (!IsA(agg->plan.lefttree, Sort) || agg->aggstrategy == AGG_PLAIN)
			sort->plan.plan_node_id = gpusort_plan_next_id(calls->place->walk);
		return sort;
	}
	foreach(cell, calls->list)
	{
		AggregateCall *call = lfirst(cell);

		if (call->treatment == AGGREGATE_SORT_INPUT)
			gpusort_aggregate_keep(call, why_not);
	}
	return NULL;
}

/* True if a call wants the first elements of an array of columns in an order of columns. */
static bool
wants_first_rows(const AggregateCall *call)
{
	const Aggref *aggregate = call->call;
	ListCell   *cell;

	if (call->first == 0 || aggregate->aggfnoid != F_ARRAY_AGG_ANYNONARRAY || aggregate->aggorder == NIL ||
		aggregate->aggfilter != NULL || order_refused(aggregate) != NULL)
		return false;
	/* Another expression may raise an error for a row that is not among the first. */
	foreach(cell, aggregate->args)
	{
		if (gpusort_aggregate_input_column(lfirst_node(TargetEntry, cell)->expr) == 0)
			return false;
	}
	return true;
}

/* Where the groups are small, the rows node drops too few rows as it reads them. */
Sort *
gpusort_aggregates_sort_first_rows(AggregateCalls *calls)
{
	const Agg  *agg = calls->agg;
	const Sort *below = (const Sort *) agg->plan.lefttree;
	const Aggref *order = ((const AggregateCall *) linitial(calls->list))->call;
	FirstOfGroups *wanted = palloc0(sizeof(FirstOfGroups));
	bool		only_groups;
	Sort	   *sort;
	ListCell   *cell;

	if (!IsA(below, Sort) || agg->aggstrategy != AGG_SORTED)
		return NULL;
	foreach(cell, calls->list)
	{
		const AggregateCall *call = lfirst(cell);

		if (!wants_first_rows(call) || !gpusort_aggregates_share_order(order, call->call))
			return NULL;
		wanted->rows = Max(wanted->rows, call->first);
	}
	if (gpusort_aggregates_have_small_groups(calls, LEAST_ROWS_PER_FIRST_ROW * wanted->rows))
		return NULL;
	sort = copy_sort_of_groups(agg, below, &only_groups);
	wanted->sort = sort;
	wanted->group_keys = sort->numCols;
	wanted->wanted = wanted->rows * Max(agg->numGroups, 1);
	add_order(sort, agg, order);
	if (!gpusort_rows_take(sort, wanted->wanted))
		return NULL;
	foreach(cell, calls->list)
		((AggregateCall *) lfirst(cell))->treatment = AGGREGATE_SORT_INPUT;
	calls->place->walk->first_of_groups = lappend(calls->place->walk->first_of_groups, wanted);
	return sort;
}
