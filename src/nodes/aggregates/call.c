/*
 * call.c
 *	  Which calls of built-in aggregates the extension's give the same result as, and how
 *	  they are replaced.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
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

#define EXTENSION "gpusort"
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

/*
 * The planner keeps of an Aggref what it does not use, among that the place in the query's
 * text.  A mark in its stead finds a call again in the plan, and in copies of the query.  A
 * place below zero means that none is known.
 */
#define MARK_OF(index) (-2 - (index))
#define INDEX_OF(mark) (-2 - (mark))

/* Marks a call as the one that stands in a list of calls at the index. */
void
gpusort_aggregate_mark(Aggref *call, int index)
{
	call->location = MARK_OF(index);
}

/* The call of the list that a mark is of, or NULL. */
AggregateCall *
gpusort_aggregate_marked(List *calls, const Aggref *call)
{
	return call->location <= MARK_OF(0) ? list_nth(calls, INDEX_OF(call->location)) : NULL;
}

static const Replacement *
replacement_of(Oid builtin)
{
	for (int i = 0; i < lengthof(replacements); i++)
		if (replacements[i].builtin == builtin)
			return &replacements[i];
	return NULL;
}

/* True if the call is one of a built-in aggregate that the extension has too, and sorts. */
bool
gpusort_aggregate_sorts(const Aggref *call)
{
	if (call->aggfnoid >= FirstNormalObjectId || replacement_of(call->aggfnoid) == NULL)
		return false;
	return call->aggfnoid != F_COUNT_ANY || call->aggdistinct != NIL;
}

/*
 * Says whether the call can be replaced.  Its values must have a key form, and be compared
 * by the operators of their type's default order.
 */
void
gpusort_aggregate_describe(AggregateCall *call)
{
	const Aggref *aggregate = call->call;
	Oid			type = exprType((Node *) linitial_node(TargetEntry, aggregate->args)->expr);
	bool		counts = aggregate->aggfnoid == F_COUNT_ANY;
	const SortGroupClause *clause = linitial(counts ? aggregate->aggdistinct : aggregate->aggorder);
	const TypeCacheEntry *order;
	GpusortKeyForm form;

	if (type >= FirstNormalObjectId || !gpusort_keys_form(type, &form))
	{
		call->reason = PLAN_KEY_TYPE;
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
	call->value_bytes = get_typlen(type);
}

/* The schema of the extension's aggregates; InvalidOid where this database does not have them. */
Oid
gpusort_aggregate_schema(void)
{
	return get_namespace_oid(SCHEMA, true);
}

/* The extension's aggregate for a call; InvalidOid if it is not there or not for everybody. */
Oid
gpusort_aggregate_find(const Aggref *call)
{
	const Replacement *replacement = replacement_of(call->aggfnoid);
	oidvector  *types = buildoidvector(replacement->types, replacement->nargs);
	Oid			schema = gpusort_aggregate_schema();
	Oid			extension = get_extension_oid(EXTENSION, true);
	Oid			aggregate;

	if (!OidIsValid(schema) || !OidIsValid(extension))
		return InvalidOid;
	aggregate = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(replacement->name),
								PointerGetDatum(types), ObjectIdGetDatum(schema));
	if (!OidIsValid(aggregate) || getExtensionOfObject(ProcedureRelationId, aggregate) != extension)
		return InvalidOid;
	/* A plan may be kept, and run later by another role. */
	if (!GPUSORT_MAY_USE_SCHEMA(schema, ACL_ID_PUBLIC) || !GPUSORT_MAY_EXECUTE(aggregate, ACL_ID_PUBLIC))
		return InvalidOid;
	return aggregate;
}

/* Turns a call that has not been planned into one of the replacement. */
void
gpusort_aggregate_replace(Aggref *call, Oid replacement)
{
	if (call->aggfnoid == F_COUNT_ANY)
	{
		call->aggdistinct = NIL;
		call->aggorder = NIL;
		linitial_node(TargetEntry, call->args)->ressortgroupref = 0;
	}
	call->aggfnoid = replacement;
	call->location = -1;
}
