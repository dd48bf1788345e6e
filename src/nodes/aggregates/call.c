/*
 * call.c
 *	  Finds calls of built-in aggregates for which an aggregate of the extension gives the
 *	  same result, and replaces them.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
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
#define MAX_ARGUMENTS 2

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

/* True for a call of a built-in aggregate that sorts, and that the extension has too. */
bool
gpusort_aggregate_sorts(const Aggref *call)
{
	if (call->aggfnoid >= FirstNormalObjectId || replacement_of(call->aggfnoid) == NULL)
		return false;
	return call->aggfnoid != F_COUNT_ANY || call->aggdistinct != NIL;
}

/* The extension's aggregate for a call; InvalidOid if there is none that everybody may call. */
static Oid
find_aggregate(const Aggref *call)
{
	const Replacement *replacement = replacement_of(call->aggfnoid);
	oidvector  *types = buildoidvector(replacement->types, replacement->nargs);
	Oid			schema = get_namespace_oid(SCHEMA, true);
	Oid			aggregate;

	if (!OidIsValid(schema))
		return InvalidOid;
	aggregate = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(replacement->name),
								PointerGetDatum(types), ObjectIdGetDatum(schema));
	if (!gpusort_is_own_function(aggregate))
		return InvalidOid;
	/* A plan may be kept, and run later by another role, which is asked for no right to what is not in the plan. */
	if (!GPUSORT_MAY_USE_SCHEMA(schema, ACL_ID_PUBLIC) || !GPUSORT_MAY_EXECUTE(aggregate, ACL_ID_PUBLIC) ||
		!GPUSORT_MAY_EXECUTE(replacement->builtin, ACL_ID_PUBLIC))
		return InvalidOid;
	return aggregate;
}

/* True if the extension's aggregate takes the values of a call. */
static bool
takes_values(const Aggref *call, Oid type)
{
	GpusortKeyForm form;

	if (type >= FirstNormalObjectId)
		return false;
	return gpusort_keys_form(type, &form) ||
		(call->aggfnoid == F_COUNT_ANY && gpusort_keys_equal_by_bytes(type, call->inputcollid));
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
	Oid			type = exprType((Node *) linitial_node(TargetEntry, aggregate->args)->expr);
	bool		counts = aggregate->aggfnoid == F_COUNT_ANY;
	const SortGroupClause *clause = linitial(counts ? aggregate->aggdistinct : aggregate->aggorder);
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

/* Turns a call of the statement's plan into one of the replacement. */
void
gpusort_aggregate_replace(PlannedStmt *statement, const AggregateCall *call)
{
	Aggref	   *aggregate = call->call;

	depend_on(statement, aggregate->aggfnoid);
	depend_on(statement, call->replacement);
	if (aggregate->aggfnoid == F_COUNT_ANY)
	{
		aggregate->aggdistinct = NIL;
		aggregate->aggorder = NIL;
		linitial_node(TargetEntry, aggregate->args)->ressortgroupref = 0;
		aggregate->aggtranstype = INTERNALOID;
	}
	GPUSORT_SET_PRESORTED(aggregate, false);
	aggregate->aggfnoid = call->replacement;
}
