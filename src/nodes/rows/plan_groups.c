/*
 * plan_groups.c
 *	  Finds hashed grouping that sorted rows can serve, see plan_groups.h.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "executor/nodeAgg.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "keys/sort_keys.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/rows_node.h"
#include "rows/row_keys.h"

/* True if a call keeps the values of its group, and they are of a built-in type. */
static bool
collects(const Aggref *call)
{
	return call->aggtranstype == INTERNALOID && call->args != NIL &&
		exprType((Node *) linitial_node(TargetEntry, call->args)->expr) < FirstNormalObjectId &&
		gpusort_is_own_function(call->aggfnoid);
}

static bool
find_aggregates(Node *node, void *context)
{
	GroupedAggregates *found = context;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) || IsA(node, GroupingFunc))
	{
		found->count++;
		found->collect = found->collect || (IsA(node, Aggref) && collects((Aggref *) node));
		return false;
	}
	return expression_tree_walker(node, find_aggregates, context);
}

/*
 * Built-in aggregates that give the same result, to the byte, for any order of rows.  Sums of
 * floats, and of money and intervals, which may overflow, depend on it.  So does the least or greatest
 * of values that may be equal but not the same: of -0 and 0, of 1.0 and 1.00.
 */
static const Oid orderless[] = {
	F_COUNT_, F_COUNT_ANY, F_REGR_COUNT, F_BOOL_AND, F_BOOL_OR, F_EVERY,
	F_BIT_AND_INT2, F_BIT_AND_INT4, F_BIT_AND_INT8, F_BIT_OR_INT2, F_BIT_OR_INT4, F_BIT_OR_INT8,
	F_BIT_XOR_INT2, F_BIT_XOR_INT4, F_BIT_XOR_INT8,
	F_MIN_INT2, F_MIN_INT4, F_MIN_INT8, F_MIN_OID, F_MIN_MONEY, F_MIN_DATE, F_MIN_TIME, F_MIN_TIMESTAMP,
	F_MIN_TIMESTAMPTZ, F_MIN_ANYENUM, F_MIN_PG_LSN, F_MIN_XID8,
	F_MAX_INT2, F_MAX_INT4, F_MAX_INT8, F_MAX_OID, F_MAX_MONEY, F_MAX_DATE, F_MAX_TIME, F_MAX_TIMESTAMP,
	F_MAX_TIMESTAMPTZ, F_MAX_ANYENUM, F_MAX_PG_LSN, F_MAX_XID8,
	F_SUM_INT2, F_SUM_INT4, F_SUM_INT8, F_SUM_NUMERIC, F_AVG_INT2, F_AVG_INT4, F_AVG_INT8, F_AVG_NUMERIC,
	F_VARIANCE_INT2, F_VARIANCE_INT4, F_VARIANCE_INT8, F_VARIANCE_NUMERIC,
	F_VAR_SAMP_INT2, F_VAR_SAMP_INT4, F_VAR_SAMP_INT8, F_VAR_SAMP_NUMERIC,
	F_VAR_POP_INT2, F_VAR_POP_INT4, F_VAR_POP_INT8, F_VAR_POP_NUMERIC,
	F_STDDEV_INT2, F_STDDEV_INT4, F_STDDEV_INT8, F_STDDEV_NUMERIC,
	F_STDDEV_SAMP_INT2, F_STDDEV_SAMP_INT4, F_STDDEV_SAMP_INT8, F_STDDEV_SAMP_NUMERIC,
	F_STDDEV_POP_INT2, F_STDDEV_POP_INT4, F_STDDEV_POP_INT8, F_STDDEV_POP_NUMERIC
};

bool
gpusort_aggregate_ignores_order(const Aggref *call)
{
	if (GPUSORT_IS_PRESORTED(call) || gpusort_plan_keeps_evaluation((const Node *) call))
		return false;
	/* It sorts its rows, and SQL leaves the order of equal ones open. */
	if (call->aggorder != NIL || call->aggdistinct != NIL)
		return true;
	for (int i = 0; i < lengthof(orderless); i++)
		if (orderless[i] == call->aggfnoid)
			return true;
	return false;
}

bool
gpusort_aggregate_has_partial_form(Oid aggregate, bool internal)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Form_pg_aggregate form;
	bool		has;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", aggregate);
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	has = OidIsValid(form->aggcombinefn) &&
		(form->aggtranstype != INTERNALOID || (internal && OidIsValid(form->aggserialfn) && OidIsValid(form->aggdeserialfn)));
	ReleaseSysCache(tuple);
	return has;
}

bool
gpusort_aggregates_depend_on_order(Node *node, void *context)
{
	const Aggref *call = (const Aggref *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, gpusort_aggregates_depend_on_order, context);
	return !GPUSORT_IS_PRESORTED(call) && !gpusort_aggregate_ignores_order(call) &&
		!gpusort_aggregate_has_partial_form(call->aggfnoid, gpusort_is_own_function(call->aggfnoid));
}

Bitmapset *
gpusort_rows_columns_read(const Agg *agg)
{
	Bitmapset  *vars = NULL;
	Bitmapset  *columns = NULL;
	int			var = -1;

	pull_varattnos((Node *) agg->plan.targetlist, OUTER_VAR, &vars);
	pull_varattnos((Node *) agg->plan.qual, OUTER_VAR, &vars);
	while ((var = bms_next_member(vars, var)) >= 0)
		columns = bms_add_member(columns, var + FirstLowInvalidHeapAttributeNumber);
	for (int i = 0; i < agg->numCols; i++)
		columns = bms_add_member(columns, agg->grpColIdx[i]);
	return columns;
}

/* Values that are equal in a deterministic collation are so in every one, and byte order costs least. */
static Oid
cheapest_collation(Oid collation)
{
	return OidIsValid(collation) && get_collation_isdeterministic(collation) ? C_COLLATION_OID : collation;
}

/*
 * Sets the keys of a Sort that brings equal groups together.  Returns false if one of them has no code.  Unless the Agg's
 * order is wanted, values come before texts, for a text ends a code.
 */
static bool
set_keys(Sort *sort, const Agg *agg, bool in_order)
{
	for (int i = 0; i < 2 * agg->numCols; i++)
	{
		int			column = i % agg->numCols;
		const TargetEntry *entry = list_nth_node(TargetEntry, sort->plan.targetlist, agg->grpColIdx[column] - 1);
		Oid			type = exprType((Node *) entry->expr);
		bool		comes_last = !in_order && !get_typbyval(type);
		Oid			operator;
		Oid			collation;
		RowKey		key;

		if (comes_last != (i >= agg->numCols))
			continue;
		operator = get_ordering_op_for_equality_op(agg->grpOperators[column], false);
		collation = cheapest_collation(agg->grpCollations[column]);
		if (!OidIsValid(operator) || gpusort_rows_key_kind(&key, operator, collation, type) == KEY_IS_COMPARED)
			return false;
		gpusort_add_sort_key(sort, agg->grpColIdx[column], operator, collation, false);
	}
	return true;
}

Sort *
gpusort_rows_plan_input_sort(const Agg *agg)
{
	const Plan *input = agg->plan.lefttree;
	Bitmapset  *read = gpusort_rows_columns_read(agg);
	Sort	   *sort = makeNode(Sort);
	ListCell   *cell;

	sort->plan.lefttree = agg->plan.lefttree;
	sort->plan.plan_rows = input->plan_rows;
	GPUSORT_COPY_DISABLED_NODES(&sort->plan, input);
	sort->plan.parallel_safe = input->parallel_safe;
	sort->plan.extParam = bms_copy(input->extParam);
	sort->plan.allParam = bms_copy(input->allParam);
	foreach(cell, input->targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst(cell));
		Node	   *column = (Node *) entry->expr;
		Oid			type = exprType(column);

		if (bms_is_member(entry->resno, read))
		{
			entry->expr = (Expr *) makeVar(OUTER_VAR, entry->resno, type, exprTypmod(column), exprCollation(column), 0);
			sort->plan.plan_width += get_typavgwidth(type, exprTypmod(column));
		}
		else
			entry->expr = (Expr *) makeNullConst(type, exprTypmod(column), exprCollation(column));
		sort->plan.targetlist = lappend(sort->plan.targetlist, entry);
	}
	return sort;
}

/* True if rows may be sorted first.  The order within a group stays. */
static bool
may_sort_rows(const Agg *agg, GroupedAggregates *aggregates)
{
	Node	   *expressions = (Node *) list_make2(agg->plan.targetlist, agg->plan.qual);

	*aggregates = (GroupedAggregates) {0};
	if (agg->aggstrategy != AGG_HASHED || agg->aggsplit != AGGSPLIT_SIMPLE || agg->numCols == 0 ||
		agg->groupingSets != NIL || agg->chain != NIL)
		return false;
	find_aggregates(expressions, aggregates);
	return aggregates->count == 0 || !gpusort_plan_keeps_evaluation(expressions);
}

bool
gpusort_rows_only_sort_needs_files(double rows, int width, double hashed)
{
	return gpusort_rows_bytes(rows, width) > work_mem * 1024.0 && hashed <= get_hash_memory_limit();
}

bool
gpusort_rows_distinct_by_hash(const List *targets, double rows, int width, double groups)
{
	bool		by_value = true;
	ListCell   *cell;

	foreach(cell, targets)
		by_value &= get_typbyval(exprType((Node *) lfirst_node(TargetEntry, cell)->expr));
	/* A row that is not passed by value takes its place, too. */
	return GPUSORT_HASHING_IS_FAST && !by_value &&
		gpusort_rows_only_sort_needs_files(rows, width + sizeof(uint64), groups * hash_agg_entry_size(0, width, 0));
}

Sort *
gpusort_rows_plan_groups(const Agg *agg, bool in_order, GroupedAggregates *aggregates)
{
	int			width = agg->plan.lefttree->plan_width;
	Sort	   *sort;

	if (!may_sort_rows(agg, aggregates))
		return NULL;
	sort = gpusort_rows_plan_input_sort(agg);
	if (aggregates->count > 0)
		sort->plan.plan_width = Max(sort->plan.plan_width, width);
	if (aggregates->count > 0 && !aggregates->collect &&
		gpusort_rows_only_sort_needs_files(sort->plan.plan_rows, sort->plan.plan_width, (double) agg->numGroups *
										   hash_agg_entry_size(aggregates->count, width, agg->transitionSpace)))
		return NULL;
	if (aggregates->count == 0 &&
		gpusort_rows_distinct_by_hash(sort->plan.targetlist, sort->plan.plan_rows, sort->plan.plan_width, agg->numGroups))
		return NULL;
	return set_keys(sort, agg, in_order) ? sort : NULL;
}

double
gpusort_rows_distinct_values(const Plan *plan, AttrNumber resno, const List *rtable)
{
	HeapTuple	tuple = gpusort_plan_column_statistics(plan, resno, rtable);
	double		distinct;

	if (!HeapTupleIsValid(tuple))
		return 0;
	distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
	ReleaseSysCache(tuple);
	return distinct < 0 ? -distinct * plan->plan_rows : distinct;
}

double
gpusort_rows_most_frequent(HeapTuple statistics, double distinct)
{
	double		share = Max(((Form_pg_statistic) GETSTRUCT(statistics))->stanullfrac, 1 / Max(distinct, 1));
	AttStatsSlot common;

	if (get_attstatsslot(&common, statistics, STATISTIC_KIND_MCV, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		share = Max(share, common.numbers[0]);
		free_attstatsslot(&common);
	}
	return share;
}

double
gpusort_rows_least_groups(const Agg *agg, const List *rtable)
{
	double		least = 1;

	for (int i = 0; i < agg->numCols; i++)
		least = Max(least, gpusort_rows_distinct_values(agg->plan.lefttree, agg->grpColIdx[i], rtable));
	return Min(least, Max(agg->numGroups, 1));
}

/* Changes references to an Agg's input.  The place of its column i is places[i - 1]. */
static Node *
move_references(Node *node, void *places)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == OUTER_VAR)
	{
		Var		   *var = copyObject((Var *) node);

		var->varattno = ((const AttrNumber *) places)[var->varattno - 1];
		return (Node *) var;
	}
	return expression_tree_mutator(node, move_references, places);
}

void
gpusort_rows_plan_drop_columns(Agg *agg, Sort *sort)
{
	AttrNumber *places = palloc0(list_length(sort->plan.targetlist) * sizeof(AttrNumber));
	List	   *kept = NIL;
	ListCell   *cell;

	foreach(cell, sort->plan.targetlist)
	{
		TargetEntry *entry = lfirst(cell);

		if (IsA(entry->expr, Const))
			continue;
		kept = lappend(kept, entry);
		places[entry->resno - 1] = list_length(kept);
		entry->resno = list_length(kept);
	}
	sort->plan.targetlist = kept;
	for (int i = 0; i < agg->numCols; i++)
		agg->grpColIdx[i] = places[agg->grpColIdx[i] - 1];
	for (int i = 0; i < sort->numCols; i++)
		sort->sortColIdx[i] = places[sort->sortColIdx[i] - 1];
	agg->plan.targetlist = (List *) move_references((Node *) agg->plan.targetlist, places);
	agg->plan.qual = (List *) move_references((Node *) agg->plan.qual, places);
}
