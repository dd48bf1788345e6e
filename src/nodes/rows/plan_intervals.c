/*
 * plan_intervals.c
 *	  Makes ORDER BY gpusort.bucket(x, n) OVER () an order by x.
 *
 * The intervals of x are in order if x is, and costs no less.  So where nobody reads the intervals, a Sort by them above
 * their WindowAgg becomes a Sort of the WindowAgg's input by x.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "keys/key_types.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/rows_node.h"

static bool
is_bucket(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	const char *symbol = NULL;

	if (HeapTupleIsValid(tuple))
	{
		symbol = gpusort_module_symbol(tuple);
		ReleaseSysCache(tuple);
	}
	return symbol != NULL && strcmp(symbol, "gpusort_bucket") == 0;
}

/*
 * The column of a call of bucket() whose other arguments are constants that raise no error, and which every role
 * may make.  Returns NULL for any other expression.  Sets *descending.
 */
static const Var *
bucketed_column(const Expr *expr, bool *descending)
{
	const WindowFunc *call = (const WindowFunc *) expr;
	const Var  *x;
	GpusortKeyForm form;
	ListCell   *cell;

	if (!IsA(call, WindowFunc) || call->aggfilter != NULL || !is_bucket(call->winfnoid) ||
		!GPUSORT_MAY_EXECUTE(call->winfnoid, ACL_ID_PUBLIC))
		return NULL;
	x = linitial(call->args);
	if (!IsA(x, Var) || x->varno != OUTER_VAR || !gpusort_keys_form(x->vartype, &form))
		return NULL;
	for_each_from(cell, call->args, 1)
	{
		const Const *option = lfirst(cell);

		if (!IsA(option, Const) || option->constisnull)
			return NULL;
		if (foreach_current_index(cell) == 2)
			*descending = DatumGetBool(option->constvalue);
		else if (DatumGetInt64(option->constvalue) < 1 || DatumGetInt64(option->constvalue) > PG_INT32_MAX)
			return NULL;
	}
	return x;
}

/* True if all rows are one partition, and only columns and constants are returned beside a column. */
static bool
is_plain_window(const WindowAgg *window, int column)
{
	ListCell   *cell;

	if (window->partNumCols > 0 || window->ordNumCols > 0 || window->plan.qual != NIL ||
		window->runCondition != NIL || window->plan.initPlan != NIL || window->startOffset != NULL || window->endOffset != NULL)
		return false;
	foreach(cell, window->plan.targetlist)
	{
		const Node *expr = (const Node *) lfirst_node(TargetEntry, cell)->expr;

		if (foreach_current_index(cell) != column && !IsA(expr, Const) &&
			!(IsA(expr, Var) && ((const Var *) expr)->varno == OUTER_VAR))
			return false;
	}
	return true;
}

/*
 * True if the nodes above may read a column.  A subquery, a LIMIT and the top of a plan do not
 * read what is only there to sort by.
 */
static bool
is_seen(const Sort *sort, int column, const PlanPlace *place)
{
	const Plan *parent = place->parent;

	if (!list_nth_node(TargetEntry, sort->plan.targetlist, column)->resjunk)
		return true;
	if (parent == NULL || IsA(parent, SubqueryScan) || parent == (const Plan *) place->limit)
		return false;
	return !IsA(parent, Agg) || ((const Agg *) parent)->chain != NIL ||
		bms_is_member(column + 1, gpusort_rows_columns_read((const Agg *) parent));
}

Sort *
gpusort_rows_plan_intervals(const Sort *sort, const PlanPlace *place)
{
	const WindowAgg *window = (const WindowAgg *) sort->plan.lefttree;
	const TypeCacheEntry *interval;
	const TypeCacheEntry *order;
	int			column = sort->sortColIdx[0] - 1;
	bool		descending = false;
	bool		downwards;
	const Var  *x;
	Sort	   *result;
	ListCell   *cell;
	ListCell   *below;

	if (!IsA(window, WindowAgg) || sort->numCols != 1)
		return NULL;
	interval = lookup_type_cache(INT4OID, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	downwards = sort->sortOperators[0] == interval->gt_opr;
	if ((!downwards && sort->sortOperators[0] != interval->lt_opr) || !is_plain_window(window, column) ||
		list_length(sort->plan.targetlist) != list_length(window->plan.targetlist) || is_seen(sort, column, place) ||
		(x = bucketed_column(list_nth_node(TargetEntry, window->plan.targetlist, column)->expr, &descending)) == NULL)
		return NULL;
	result = makeNode(Sort);
	*result = *sort;
	result->plan.targetlist = NIL;
	forboth(cell, sort->plan.targetlist, below, window->plan.targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst(cell));

		/* In the place of the interval, which nobody reads, rows have x. */
		entry->expr = foreach_current_index(cell) == column ? copyObject((Expr *) x) :
			copyObject(lfirst_node(TargetEntry, below)->expr);
		result->plan.targetlist = lappend(result->plan.targetlist, entry);
	}
	order = lookup_type_cache(x->vartype, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	result->sortOperators = palloc(sizeof(Oid));
	result->sortOperators[0] = downwards != descending ? order->gt_opr : order->lt_opr;
	result->plan.lefttree = window->plan.lefttree;
	return result;
}
