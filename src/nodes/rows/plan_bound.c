/*
 * plan_bound.c
 *	  Finds out what bounds the rows that are wanted of a Sort.
 *
 * A LIMIT wants the first rows; the executor tells its bound to a Sort, but not to a
 * custom scan, so the node gets copies of the expressions.  A LIMIT WITH TIES wants the
 * rows that are equal to the last of these, too.  A WindowAgg whose run condition bounds
 * row_number(), rank() or dense_rank() from above wants the first rows of each partition,
 * and an Agg may want those of each group.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "nodes/plan_hook.h"
#include "nodes/rows/rows_node.h"

bool
gpusort_rows_depend_on_executor(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) ||
		(IsA(node, Param) && ((Param *) node)->paramkind != PARAM_EXTERN))
		return true;
	return expression_tree_walker(node, gpusort_rows_depend_on_executor, context);
}

/* The planner's estimate of how many rows a LIMIT asks of its input; 0 for all, or if not known. */
static double
estimate_wanted(const Limit *limit)
{
	const Const *count;
	const Const *offset;
	double		rows;

	if (limit == NULL)
		return 0;
	count = (const Const *) limit->limitCount;
	offset = (const Const *) limit->limitOffset;
	if (IsA(count, Const) && count->constisnull)
		return 0;
	rows = Max(limit->plan.plan_rows, 1);
	if (offset != NULL && IsA(offset, Const) && !offset->constisnull)
		rows += (double) DatumGetInt64(offset->constvalue);
	return rows;
}

/* True if expressions may be evaluated in a parallel worker, which would evaluate its own copy of a bound. */
static bool
are_parallel_safe(List *expressions)
{
	Query	   *query = makeNode(Query);

	query->havingQual = (Node *) expressions;
	return max_parallel_hazard(query) == PROPARALLEL_SAFE;
}

/* Count and offset of the LIMIT, if the node can evaluate them itself, else NIL. */
static List *
limit_expressions(const Limit *limit)
{
	List	   *expressions = list_make1(limit->limitCount);

	if (limit->limitOffset != NULL)
		expressions = lappend(expressions, limit->limitOffset);
	if (gpusort_rows_depend_on_executor((Node *) expressions, NULL) || contain_volatile_functions((Node *) expressions) ||
		!are_parallel_safe(expressions))
		return NIL;
	return copyObject(expressions);
}

/* True if the Sort's keys from first_key on are exactly these columns. */
static bool
sorts_by(const Sort *sort, int first_key, int ncolumns, const AttrNumber *columns)
{
	return sort->numCols == first_key + ncolumns &&
		memcmp(sort->sortColIdx + first_key, columns, ncolumns * sizeof(AttrNumber)) == 0;
}

/* True if the Sort is by a window's partition columns, then by its order. */
static bool
sorts_for_window(const Sort *sort, const WindowAgg *window)
{
	return sorts_by(sort, window->partNumCols, window->ordNumCols, window->ordColIdx) &&
		memcmp(sort->sortColIdx, window->partColIdx, window->partNumCols * sizeof(AttrNumber)) == 0;
}

/* What a window function reads of the rows behind the current one. */
typedef enum LaterRows
{
	READS_NONE,
	READS_PEERS,				/* rows that are equal to the current one */
	READS_ANY
} LaterRows;

static LaterRows
rows_read_later(const WindowAgg *window, Oid function)
{
	int			frame = window->frameOptions;

	switch (function)
	{
		case F_ROW_NUMBER:
		case F_RANK_:
		case F_DENSE_RANK_:
		case F_LAG_ANYELEMENT:
			return READS_NONE;
		case F_FIRST_VALUE:
		case F_LAST_VALUE:
		case F_NTH_VALUE:
			break;
		default:
			if (get_func_prokind(function) != PROKIND_AGGREGATE)
				return READS_ANY;
	}
	if (!(frame & FRAMEOPTION_END_CURRENT_ROW))
		return READS_ANY;
	return frame & FRAMEOPTION_ROWS ? READS_NONE : READS_PEERS;
}

typedef struct LaterRowsContext
{
	const WindowAgg *window;
	LaterRows	most;
} LaterRowsContext;

/* Finds out which later rows an expression's window functions read at most. */
static bool
find_later_rows(Node *node, void *arg)
{
	LaterRowsContext *context = arg;

	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc))
		context->most = Max(context->most, rows_read_later(context->window, ((WindowFunc *) node)->winfnoid));
	return expression_tree_walker(node, find_later_rows, arg);
}

/* The window function that an operand of a run condition stands for, or InvalidOid. */
static Oid
ranking_function(const WindowAgg *window, const Node *operand)
{
	const Var  *var = (const Var *) operand;
	const TargetEntry *entry;

	if (IsA(operand, WindowFunc))
		return ((const WindowFunc *) operand)->winfnoid;
	if (!IsA(var, Var) || var->varattno < 1 || var->varattno > list_length(window->plan.targetlist))
		return InvalidOid;
	entry = list_nth_node(TargetEntry, window->plan.targetlist, var->varattno - 1);
	return IsA(entry->expr, WindowFunc) ? ((const WindowFunc *) entry->expr)->winfnoid : InvalidOid;
}

/* The value as an expression of type int8, if evaluating it ahead has no effects, else NULL. */
static Expr *
bound_value(Node *value)
{
	Oid			type = exprType(value);

	if (!(IsA(value, Const) || (IsA(value, Param) && ((Param *) value)->paramkind == PARAM_EXTERN)))
		return NULL;
	if (type == INT8OID)
		return copyObject((Expr *) value);
	if (type != INT4OID && type != INT2OID)
		return NULL;
	return (Expr *) makeFuncExpr(type == INT4OID ? F_INT8_INT4 : F_INT8_INT2, INT8OID, list_make1(copyObject(value)),
								 InvalidOid, InvalidOid, COERCE_IMPLICIT_CAST);
}

bool
gpusort_rows_read_condition(const WindowAgg *window, const OpExpr *condition, RowsBound *bound)
{
	Oid			function;
	int			strategy;
	bool		flipped;
	Expr	   *value;

	if (!IsA(condition, OpExpr) || list_length(condition->args) != 2)
		return false;
	function = ranking_function(window, linitial(condition->args));
	flipped = !OidIsValid(function);
	if (flipped)
		function = ranking_function(window, lsecond(condition->args));
	strategy = get_op_opfamily_strategy(condition->opno, INTEGER_BTREE_FAM_OID);
	if (strategy == (flipped ? BTGreaterStrategyNumber : BTLessStrategyNumber))
		bound->is_less = true;
	else if (strategy == (flipped ? BTGreaterEqualStrategyNumber : BTLessEqualStrategyNumber))
		bound->is_less = false;
	else
		return false;
	if (function != F_ROW_NUMBER && function != F_RANK_ && function != F_DENSE_RANK_)
		return false;
	bound->kind = function == F_ROW_NUMBER ? BOUND_ROWS : function == F_RANK_ ? BOUND_TIES : BOUND_VALUES;
	value = bound_value(flipped ? linitial(condition->args) : lsecond(condition->args));
	bound->expressions = value ? list_make1(value) : NIL;
	return value != NULL;
}

/* The bound of a window's run condition on each partition, if there is one. */
static RowsBound
window_bound(const Sort *sort, const WindowAgg *window)
{
	LaterRowsContext later = {window};
	RowsBound	bound = {.partition_keys = window->partNumCols};
	ListCell   *cell;

	find_later_rows((Node *) window->plan.targetlist, &later);
	find_later_rows((Node *) window->plan.qual, &later);
	if (later.most == READS_ANY || !sorts_for_window(sort, window))
		return (RowsBound) {0};
	foreach(cell, window->runCondition)
	{
		if (!gpusort_rows_read_condition(window, lfirst(cell), &bound))
			continue;
		if (bound.kind == BOUND_ROWS && later.most == READS_PEERS)
			bound.kind = BOUND_TIES;
		return bound;
	}
	return (RowsBound) {0};
}

/* The bound of an Agg that wants the first rows of each group. */
static RowsBound
groups_bound(const FirstOfGroups *first)
{
	Const	   *rows = makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(first->rows), false, FLOAT8PASSBYVAL);

	return (RowsBound)
	{
		.kind = BOUND_ROWS,
		.partition_keys = first->group_keys,
		.expressions = list_make1(rows),
		.wanted = first->wanted
	};
}

/* What bounds the rows wanted of a Sort at a place. */
RowsBound
gpusort_rows_plan_bound(const Sort *sort, const PlanPlace *place)
{
	RowsBound	bound = {0};
	const Limit *limit = place->limit;
	ListCell   *cell;

	foreach(cell, place->walk->first_of_groups)
	{
		const FirstOfGroups *first = lfirst(cell);

		if (first->sort == sort)
			return groups_bound(first);
	}
	if (place->first_rows != NULL && IsA(place->first_rows, WindowAgg))
		return window_bound(sort, (const WindowAgg *) place->first_rows);
	if (place->first_rows != NULL)
	{
		limit = (const Limit *) place->first_rows;
		if (!sorts_by(sort, 0, limit->uniqNumCols, limit->uniqColIdx))
			return bound;
		bound.kind = BOUND_TIES;
	}
	bound.wanted = estimate_wanted(limit);
	if (bound.wanted > 0)
		bound.expressions = limit_expressions(limit);
	/* The executor does not bound a Sort for ties. */
	if (bound.kind == BOUND_TIES && bound.expressions == NIL)
		bound.wanted = 0;
	return bound;
}
