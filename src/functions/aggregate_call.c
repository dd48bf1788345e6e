/*
 * aggregate_call.c
 *	  What the functions of all set aggregates share.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/typcache.h"

#include "functions/aggregate_call.h"
#include "functions/arguments.h"
#include "functions/array_functions.h"

MemoryContext
gpusort_agg_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set aggregate functions cannot be called on their own")));
	return context;
}

void
gpusort_agg_check_result(FunctionCallInfo fcinfo, const AggregateState *state, Oid type)
{
	Oid			expected = get_fn_expr_rettype(fcinfo->flinfo);

	if (!OidIsValid(expected) && OidIsValid(fcinfo->flinfo->fn_oid))
		expected = get_func_rettype(fcinfo->flinfo->fn_oid);
	if (!OidIsValid(expected) || IsPolymorphicType(expected) || expected == type)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("set holds values of type %s, which do not make a %s",
					format_type_be(state->values.type), format_type_be(expected))));
}

/*
 * Raises an error for an ORDER BY inside a call whose result is an array: the rows would
 * come in that order, and the result would have another.  DISTINCT alone does not count as
 * ORDER BY.  Aggregates whose result has no order allow it, as PostgreSQL's do.
 */
static void
check_no_order_by(const Aggref *call, SetKind kind)
{
	if (call->aggorder != NIL && !gpusort_agg_leaves_nulls_out(kind))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("aggregate %s does not take ORDER BY", get_func_name(call->aggfnoid)),
				 errdetail("The order of its result is that of its arguments alone."),
				 errhint("Write descending and nulls_first as its last arguments, or array_agg(x ORDER BY ...) for an order by anything else.")));
}

/*
 * The order of an ordered-set aggregate: that of WITHIN GROUP.  NULLs are left out, so
 * only direction and collation matter.
 */
static void
take_order_within_group(const Aggref *call, ArrayOrder *order)
{
	const SortGroupClause *clause = linitial_node(SortGroupClause, call->aggorder);
	const Node *value = (Node *) get_sortgroupclause_tle((SortGroupClause *) clause, call->args)->expr;
	const TypeCacheEntry *type = lookup_type_cache(exprType(value), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	if (clause->sortop != type->lt_opr && clause->sortop != type->gt_opr)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("operator %s does not order type %s by its default btree operator class",
						format_operator(clause->sortop), format_type_be(type->type_id)),
				 errhint("Use the aggregate of the same name in schema pg_catalog.")));
	order->descending = clause->sortop == type->gt_opr;
	order->collation = exprCollation(value);
}

/*
 * The collation of a call that has none.  Citus passes several arguments as one row, which
 * has no collation, but its fields may.  Returns none if theirs differ, because it is not
 * known which one the call has.
 */
static Oid
collation_of_fields(const Aggref *call)
{
	Oid			collation = InvalidOid;
	ListCell   *argument;

	foreach(argument, call->args)
	{
		const Expr *row = lfirst_node(TargetEntry, argument)->expr;
		ListCell   *field;

		if (!IsA(row, RowExpr))
			continue;
		foreach(field, ((const RowExpr *) row)->args)
		{
			Oid			of_field = exprCollation(lfirst(field));

			if (OidIsValid(of_field) && OidIsValid(collation) && of_field != collation)
				return InvalidOid;
			if (OidIsValid(of_field))
				collation = of_field;
		}
	}
	return collation;
}

void
gpusort_agg_collect(FunctionCallInfo fcinfo, Collector *collector, CachedArgument slot, int argument)
{
	gpusort_collector_init(collector, gpusort_element_type(fcinfo, slot, gpusort_argument_type(fcinfo, argument)));
}

void
gpusort_agg_take_buckets(FunctionCallInfo fcinfo, AggregateState *state)
{
	if (!gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type)->is_key)
		gpusort_refuse_intervals(state->values.type);
	state->order.buckets = gpusort_argument_buckets(fcinfo, 2);
}

AggregateState *
gpusort_agg_get(FunctionCallInfo fcinfo, int argument)
{
	AggregateState *state = PG_ARGISNULL(argument) ? NULL : (AggregateState *) PG_GETARG_POINTER(argument);

	if (unlikely(state != NULL && state->magic != GPUSORT_AGGREGATE_STATE_MAGIC))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("argument is not the state of a set aggregate")));
	return state;
}

void
gpusort_agg_refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument is the state of another set aggregate")));
}

/* Notes whether a state is of a window frame, and whether rows leave that. */
static void
note_window(FunctionCallInfo fcinfo, AggregateState *state)
{
	const WindowAggState *window = (const WindowAggState *) fcinfo->context;

	if (window == NULL || !IsA(window, WindowAggState))
		return;
	state->in_window = state->kind == SET_VALUES || state->kind == SET_PERCENTILE ||
		state->kind == SET_DISTINCT;
	state->rows_leave = state->in_window && !(window->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING);
}

AggregateState *
gpusort_agg_create(FunctionCallInfo fcinfo, SetKind kind)
{
	MemoryContext context = gpusort_agg_context(fcinfo);
	AggregateState *state = MemoryContextAllocZero(context, sizeof(AggregateState));
	const Aggref *call = AggGetAggref(fcinfo);

	state->magic = GPUSORT_AGGREGATE_STATE_MAGIC;
	state->kind = kind;
	state->context = context;
	state->order.collation = PG_GET_COLLATION();
	state->order.limit = PG_UINT32_MAX;
	state->order.use = USED_FOR_AGGREGATES;
	if (call != NULL && AGGKIND_IS_ORDERED_SET(call->aggkind))
		take_order_within_group(call, &state->order);
	else if (call != NULL)
		check_no_order_by(call, kind);
	if (call != NULL && !OidIsValid(state->order.collation))
		state->order.collation = collation_of_fields(call);
	gpusort_agg_collect(fcinfo, &state->values, FIRST_ARRAY, 1);
	gpusort_agg_limit_memory(fcinfo, state);
	note_window(fcinfo, state);
	state->rows = gpusort_group_rows(fcinfo);
	return state;
}

const Collector *
gpusort_agg_deciding(FunctionCallInfo fcinfo, const AggregateState *state, ElementType **element)
{
	bool		by_key = gpusort_agg_is_by_key(state->kind);
	const Collector *deciding = by_key ? &state->keys : &state->values;

	*element = gpusort_element_type(fcinfo, by_key ? SECOND_ARRAY : FIRST_ARRAY, deciding->type);
	return deciding;
}

ArrayType *
gpusort_agg_in_order(FunctionCallInfo fcinfo, const AggregateState *state, ArrayType **keys)
{
	ArrayType  *values = gpusort_collector_array(&state->values);

	if (gpusort_agg_is_by_key(state->kind))
		return gpusort_array_in_order_of(fcinfo, values, gpusort_collector_array(&state->keys), &state->order, keys);
	if (state->kind == SET_APPROXIMATE)
		return gpusort_array_in_intervals(fcinfo, values, &state->order);
	return gpusort_array_in_order(fcinfo, values, &state->order);
}

void
gpusort_agg_order(FunctionCallInfo fcinfo, AggregateState *state)
{
	ArrayType  *keys = NULL;

	gpusort_collector_refill(&state->values, state->context, gpusort_agg_in_order(fcinfo, state, &keys));
	if (keys != NULL)
		gpusort_collector_refill(&state->keys, state->context, keys);
}
