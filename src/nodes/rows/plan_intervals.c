/*
 * plan_intervals.c
 *	  Takes a WindowAgg of gpusort.bucket() below a Sort by its result, see plan_intervals.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "keys/key_types.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/plan_intervals.h"

/* A call of bucket() whose intervals are known before it is run. */
typedef struct BucketCall
{
	const Var  *x;
	int32		buckets;
	bool		descending;
} BucketCall;

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
 * Reads a call of bucket() with a column and constants that raise no error, which every role
 * may make.  Returns false for any other call.
 */
static bool
read_call(const WindowFunc *call, BucketCall *bucket)
{
	int			nargs = list_length(call->args);
	const Const *count = nargs > 1 ? lsecond(call->args) : NULL;
	const Const *descending = nargs > 2 ? lthird(call->args) : NULL;
	GpusortKeyForm form;
	int64		buckets;

	if (nargs < 2 || nargs > 3 || call->aggfilter != NULL || !IsA(linitial(call->args), Var) ||
		!gpusort_keys_form(exprType(linitial(call->args)), &form) || !is_bucket(call->winfnoid) ||
		!GPUSORT_MAY_EXECUTE(call->winfnoid, ACL_ID_PUBLIC))
		return false;
	if (!IsA(count, Const) || count->constisnull ||
		(descending != NULL && (!IsA(descending, Const) || descending->constisnull)))
		return false;
	buckets = DatumGetInt64(count->constvalue);
	if (buckets < 1 || buckets > PG_INT32_MAX)
		return false;
	bucket->x = linitial(call->args);
	bucket->buckets = buckets;
	bucket->descending = descending != NULL && DatumGetBool(descending->constvalue);
	return bucket->x->varno == OUTER_VAR;
}

/* True if all rows are one partition, and only columns and constants are returned beside window functions. */
static bool
is_plain_window(const WindowAgg *window)
{
	ListCell   *cell;

	if (!IsA(window, WindowAgg) || window->partNumCols > 0 || window->ordNumCols > 0 || window->plan.qual != NIL ||
		window->runCondition != NIL || window->plan.initPlan != NIL || window->startOffset != NULL || window->endOffset != NULL)
		return false;
	foreach(cell, window->plan.targetlist)
	{
		const Node *expr = (const Node *) lfirst_node(TargetEntry, cell)->expr;

		if (!IsA(expr, Const) && !IsA(expr, WindowFunc) && !(IsA(expr, Var) && ((const Var *) expr)->varno == OUTER_VAR))
			return false;
	}
	return true;
}

/* The operator that sorts a type upwards, or downwards. */
static Oid
sort_operator(Oid type, bool downwards)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	return downwards ? cache->gt_opr : cache->lt_opr;
}

/* True if an operator sorts integers by their values. */
static bool
sorts_integers(Oid operator)
{
	return operator == sort_operator(INT4OID, false) || operator == sort_operator(INT4OID, true);
}

/*
 * True if the nodes above may read the column.  A subquery, a LIMIT and the top of a plan do
 * not read what is only there to sort by.
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

/* True if the parent is a LIMIT at the top of the statement, whose columns are those of its rows. */
static bool
is_below_top_limit(const PlanPlace *place)
{
	return place->parent == (const Plan *) place->limit && place->parent == place->walk->statement->planTree;
}

/*
 * True if rows must have the column, even if its value is not read, because a node above refers
 * to it.  Where it is at the top of a plan, the executor copies each row without it.
 */
static bool
is_returned(const Sort *sort, int column, int key, const PlanPlace *place)
{
	return is_seen(sort, column, place) || column == key || column < list_length(sort->plan.targetlist) - 1 ||
		(place->parent != NULL && !IsA(place->parent, Agg) && !is_below_top_limit(place));
}

Sort *
gpusort_rows_plan_intervals(const Sort *sort, const PlanPlace *place, List **ints)
{
	const WindowAgg *window = (const WindowAgg *) sort->plan.lefttree;
	int			column = sort->sortColIdx[0] - 1;
	int			key = column;
	bool		downwards = sort->sortOperators[0] == sort_operator(INT4OID, true);
	List	   *inputs = NIL;
	List	   *tlist = NIL;
	BucketCall	bucket;
	Sort	   *result;
	ListCell   *cell;
	ListCell   *below;

	*ints = NIL;
	if (sort->numCols != 1 || !sorts_integers(sort->sortOperators[0]) || !is_plain_window(window) ||
		column >= list_length(window->plan.targetlist) ||
		list_length(sort->plan.targetlist) != list_length(window->plan.targetlist) ||
		!IsA(list_nth_node(TargetEntry, window->plan.targetlist, column)->expr, WindowFunc) ||
		!read_call((WindowFunc *) list_nth_node(TargetEntry, window->plan.targetlist, column)->expr, &bucket))
		return NULL;
	forboth(cell, sort->plan.targetlist, below, window->plan.targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst(cell));
		Expr	   *source = lfirst_node(TargetEntry, below)->expr;
		int			input = -1;

		if (foreach_current_index(cell) == column)
		{
			WindowFunc *call = (WindowFunc *) source;

			/* EXPLAIN shows this call.  It is never run. */
			entry->expr = (Expr *) makeFuncExpr(call->winfnoid, call->wintype, copyObject(call->args), call->wincollid,
												call->inputcollid, COERCE_EXPLICIT_CALL);
			input = bucket.x->varattno - 1;
		}
		else if (IsA(source, WindowFunc))
			return NULL;
		else
		{
			entry->expr = copyObject(source);
			if (IsA(source, Var))
			{
				input = ((Var *) source)->varattno - 1;
				if (((Var *) source)->varattno == bucket.x->varattno)
					key = foreach_current_index(cell);
			}
		}
		tlist = lappend(tlist, entry);
		inputs = lappend_int(inputs, input);
	}

	result = makeNode(Sort);
	*result = *sort;
	result->plan.targetlist = tlist;
	result->plan.lefttree = window->plan.lefttree;
	result->sortColIdx = palloc(sizeof(AttrNumber));
	result->sortColIdx[0] = key + 1;
	result->sortOperators = palloc(sizeof(Oid));
	result->sortOperators[0] = sort_operator(bucket.x->vartype, downwards != bucket.descending);
	*ints = list_make5_int(column, key, bucket.buckets, bucket.descending, (int) sort->sortOperators[0]);
	*ints = lappend_int(*ints, is_seen(sort, column, place));
	*ints = lappend_int(*ints, is_returned(sort, column, key, place));
	*ints = list_concat(*ints, inputs);
	return result;
}
