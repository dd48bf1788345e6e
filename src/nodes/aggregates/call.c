/*
 * call.c
 *	  Finds calls of built-in aggregates for which an aggregate of the extension gives the
 *	  same result, and replaces them.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "keys/key_types.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/module_symbol.h"

#define SCHEMA "gpusort"
#define MAX_ARGUMENTS 4

/* An aggregate of the extension that takes the place of a built-in one. */
typedef struct Replacement
{
	Oid			builtin;
	const char *name;
	int			nargs;
	Oid			types[MAX_ARGUMENTS];	/* as they are declared */
} Replacement;

static const Replacement replacements[] = {
	{F_PERCENTILE_CONT_FLOAT8_FLOAT8, "percentile_cont", 2, {FLOAT8OID, FLOAT8OID}},
	{F_PERCENTILE_CONT_FLOAT8_INTERVAL, "percentile_cont", 2, {FLOAT8OID, INTERVALOID}},
	{F_PERCENTILE_CONT__FLOAT8_FLOAT8, "percentile_cont", 2, {FLOAT8ARRAYOID, FLOAT8OID}},
	{F_PERCENTILE_CONT__FLOAT8_INTERVAL, "percentile_cont", 2, {FLOAT8ARRAYOID, INTERVALOID}},
	{F_PERCENTILE_DISC_FLOAT8_ANYELEMENT, "percentile_disc", 2, {FLOAT8OID, ANYELEMENTOID}},
	{F_PERCENTILE_DISC__FLOAT8_ANYELEMENT, "percentile_disc", 2, {FLOAT8ARRAYOID, ANYELEMENTOID}},
	{F_MODE, "mode", 1, {ANYELEMENTOID}},
	{F_COUNT_ANY, "count_distinct", 1, {ANYELEMENTOID}}
};

static const Replacement *
replacement_of(Oid builtin)
{
	for (int i = 0; i < lengthof(replacements); i++)
		if (replacements[i].builtin == builtin)
			return &replacements[i];
	return NULL;
}

/* True for array_agg(x ORDER BY y) with one y, for which there are sorted_agg and sorted_agg_by. */
bool
gpusort_aggregate_is_ordered_array(const Aggref *call)
{
	return call->aggfnoid == F_ARRAY_AGG_ANYNONARRAY && list_length(call->aggorder) == 1 && call->aggdistinct == NIL;
}

/* True for a call of a built-in aggregate that sorts, and that the extension has too. */
bool
gpusort_aggregate_sorts(const Aggref *call)
{
	if (gpusort_aggregate_is_ordered_array(call))
		return true;
	if (call->aggfnoid >= FirstNormalObjectId || replacement_of(call->aggfnoid) == NULL)
		return false;
	return call->aggfnoid != F_COUNT_ANY || call->aggdistinct != NIL;
}

/* True if array_agg(x ORDER BY y) is ordered by x itself. */
static bool
is_by_itself(const Aggref *call)
{
	return list_length(call->args) == 1;
}

/* The clause that a call sorts by, and the expression that it sorts. */
static const SortGroupClause *
sorted_by(const Aggref *call, Node **value)
{
	bool		counts = call->aggfnoid == F_COUNT_ANY;
	const SortGroupClause *clause = linitial(counts ? call->aggdistinct : call->aggorder);

	*value = (Node *) get_sortgroupclause_tle((SortGroupClause *) clause, call->args)->expr;
	return clause;
}

/* Whether a call descends, and has NULLs elsewhere than that implies. */
static void
direction_of(const Aggref *call, bool *descending, bool *other_nulls)
{
	Node	   *value;
	const SortGroupClause *clause = sorted_by(call, &value);

	*descending = clause->sortop != lookup_type_cache(exprType(value), TYPECACHE_LT_OPR)->lt_opr;
	*other_nulls = clause->nulls_first != *descending;
}

/* What array_agg(x ORDER BY y) becomes: sorted_agg(x, ...) or sorted_agg_by(x, y, ...), with the options that it needs. */
static Replacement
replacement_of_array(const Aggref *call)
{
	Replacement replacement = {call->aggfnoid, "sorted_agg", 1, {ANYELEMENTOID}};
	bool		descending;
	bool		other_nulls;

	direction_of(call, &descending, &other_nulls);
	if (!is_by_itself(call))
	{
		replacement.name = "sorted_agg_by";
		replacement.types[replacement.nargs++] = ANYCOMPATIBLEOID;
	}
	if (descending || other_nulls)
		replacement.types[replacement.nargs++] = BOOLOID;
	if (other_nulls)
		replacement.types[replacement.nargs++] = BOOLOID;
	return replacement;
}

/* The extension's aggregate for a call; InvalidOid if there is none that everybody may call. */
static Oid
find_aggregate(const Aggref *call)
{
	const Replacement replacement = gpusort_aggregate_is_ordered_array(call) ? replacement_of_array(call)
		: *replacement_of(call->aggfnoid);
	oidvector  *types = buildoidvector(replacement.types, replacement.nargs);
	Oid			schema = get_namespace_oid(SCHEMA, true);
	Oid			aggregate;

	if (!OidIsValid(schema))
		return InvalidOid;
	aggregate = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(replacement.name),
								PointerGetDatum(types), ObjectIdGetDatum(schema));
	if (!gpusort_is_own_function(aggregate))
		return InvalidOid;
	/* A plan may be kept, and run later by another role, which is asked for no right to what is not in the plan. */
	if (!GPUSORT_MAY_USE_SCHEMA(schema, ACL_ID_PUBLIC) || !GPUSORT_MAY_EXECUTE(aggregate, ACL_ID_PUBLIC) ||
		!GPUSORT_MAY_EXECUTE(replacement.builtin, ACL_ID_PUBLIC))
		return InvalidOid;
	return aggregate;
}

/* True for built-in types whose values have a key form. */
static bool
is_key_type(Oid type)
{
	GpusortKeyForm form;

	return type < FirstNormalObjectId && gpusort_keys_form(type, &form);
}

/*
 * True if the extension's aggregate sorts, or counts, values of this type for the call.  Other
 * values than keys cost less to move as rows than as an array.
 */
static bool
takes_values(const Aggref *call, Oid type)
{
	if (gpusort_aggregate_is_ordered_array(call) && !is_key_type(exprType((Node *) linitial_node(TargetEntry, call->args)->expr)))
		return false;
	return is_key_type(type) || (call->aggfnoid == F_COUNT_ANY && gpusort_keys_equal_by_bytes(type, call->inputcollid));
}

/*
 * Says whether the call can be replaced, and by what.  Its values must have a key form, or
 * only be counted and be equal by bytes.  They must be compared by the operators of their
 * type's default order.
 */
void
gpusort_aggregate_describe(AggregateCall *call)
{
	const Aggref *aggregate = call->call;
	bool		counts = aggregate->aggfnoid == F_COUNT_ANY;
	Node	   *value;
	const SortGroupClause *clause = sorted_by(aggregate, &value);
	Oid			type = exprType(value);
	const TypeCacheEntry *order;

	if (!takes_values(aggregate, type))
	{
		call->reason = PLAN_VALUE_TYPE;
		call->detail = format_type_be(type);
		return;
	}
	order = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	if (clause->eqop != order->eq_opr || (!counts && clause->sortop != order->lt_opr && clause->sortop != order->gt_opr))
	{
		call->reason = PLAN_ORDER;
		call->detail = format_operator(counts ? clause->eqop : clause->sortop);
		return;
	}
	call->replacement = find_aggregate(aggregate);
	if (!OidIsValid(call->replacement))
		call->reason = PLAN_NO_AGGREGATE;
}

/* Has the plan made again when an aggregate or the rights to it change, or it is dropped. */
static void
depend_on(PlannedStmt *statement, Oid aggregate)
{
	PlanInvalItem *item = makeNode(PlanInvalItem);

	item->cacheId = PROCOID;
	item->hashValue = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(aggregate));
	statement->invalItems = lappend(statement->invalItems, item);
}

/* Appends an option to the arguments of a call. */
static void
append_option(Aggref *call, bool value)
{
	Expr	   *option = (Expr *) makeBoolConst(value, false);

	call->args = lappend(call->args, makeTargetEntry(option, list_length(call->args) + 1, NULL, false));
	call->aggargtypes = lappend_oid(call->aggargtypes, BOOLOID);
}

/* Gives array_agg(x ORDER BY y) the arguments of sorted_agg or sorted_agg_by. */
static void
set_arguments(Aggref *call)
{
	bool		descending;
	bool		other_nulls;

	direction_of(call, &descending, &other_nulls);
	if (!is_by_itself(call))
	{
		TargetEntry *key = lsecond_node(TargetEntry, call->args);

		key->resjunk = false;
		call->aggargtypes = lappend_oid(call->aggargtypes, exprType((Node *) key->expr));
	}
	if (descending || other_nulls)
		append_option(call, descending);
	if (other_nulls)
		append_option(call, !descending);
}

/* Turns a call of the statement's plan into one of the replacement. */
void
gpusort_aggregate_replace(PlannedStmt *statement, const AggregateCall *call)
{
	Aggref	   *aggregate = call->call;

	depend_on(statement, aggregate->aggfnoid);
	depend_on(statement, call->replacement);
	if (gpusort_aggregate_is_ordered_array(aggregate))
		set_arguments(aggregate);
	if (!AGGKIND_IS_ORDERED_SET(aggregate->aggkind))
	{
		ListCell   *cell;

		aggregate->aggdistinct = NIL;
		aggregate->aggorder = NIL;
		foreach(cell, aggregate->args)
			lfirst_node(TargetEntry, cell)->ressortgroupref = 0;
		aggregate->aggtranstype = INTERNALOID;
	}
	GPUSORT_SET_PRESORTED(aggregate, false);
	aggregate->aggfnoid = call->replacement;
}
