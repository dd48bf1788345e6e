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
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "guc.h"
#include "keys/key_types.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/plan_walk.h"

#define SCHEMA "gpusort"
#define MAX_ARGUMENTS 5
#define ORDER_OPTIONS 2

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
	{F_PERCENTILE_CONT__FLOAT8_FLOAT8, "percentile_cont", 2, {FLOAT8ARRAYOID, FLOAT8OID}},
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

/* True for array_agg(x ORDER BY y) with one y, for which there are sorted_agg, top_n_agg and their kin. */
bool
gpusort_aggregate_is_ordered_array(const Aggref *call)
{
	return call->aggfnoid == F_ARRAY_AGG_ANYNONARRAY && list_length(call->aggorder) == 1 && call->aggdistinct == NIL;
}

/* True for a call of a built-in aggregate that sorts, and that the extension has too. */
bool
gpusort_aggregate_is_replaceable(const Aggref *call)
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

/*
 * The last arguments, descending and nulls_first, of the aggregate that takes the place of
 * array_agg(x ORDER BY y).  Returns how many of them a call must give, for not being the default.
 */
static int
options_of(const AggregateCall *call, bool *options)
{
	Node	   *value;
	const SortGroupClause *clause = sorted_by(call->call, &value);
	bool		descending = clause->sortop != lookup_type_cache(exprType(value), TYPECACHE_LT_OPR)->lt_opr;
	bool		is_top = call->first > 0;

	options[0] = descending;
	options[1] = clause->nulls_first;
	if (clause->nulls_first != (is_top ? false : descending))
		return 2;
	return descending != is_top ? 1 : 0;
}

/* What array_agg(x ORDER BY y) becomes: sorted_agg or sorted_agg_by, or for the first elements top_n_agg or top_n_agg_by. */
static Replacement
replacement_of_array(const AggregateCall *call)
{
	bool		by_itself = is_by_itself(call->call);
	Replacement replacement = {.builtin = call->call->aggfnoid,.nargs = 1,.types = {ANYELEMENTOID}};
	bool		options[ORDER_OPTIONS];

	if (call->first > 0)
		replacement.name = by_itself ? "top_n_agg" : "top_n_agg_by";
	else
		replacement.name = by_itself ? "sorted_agg" : "sorted_agg_by";
	if (!by_itself)
		replacement.types[replacement.nargs++] = ANYCOMPATIBLEOID;
	if (call->first > 0)
		replacement.types[replacement.nargs++] = INT8OID;
	for (int i = options_of(call, options); i > 0; i--)
		replacement.types[replacement.nargs++] = BOOLOID;
	return replacement;
}

/* The extension's function in the place of a built-in one; InvalidOid if there is none that everybody may call. */
static Oid
find_own(const char *schema_name, const Replacement *replacement)
{
	oidvector  *types = buildoidvector(replacement->types, replacement->nargs);
	Oid			schema = get_namespace_oid(schema_name, true);
	Oid			own;

	if (!OidIsValid(schema))
		return InvalidOid;
	own = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(replacement->name),
						  PointerGetDatum(types), ObjectIdGetDatum(schema));
	if (!gpusort_is_own_function(own))
		return InvalidOid;
	/* A plan may be kept, and run later by another role, which is asked for no right to what is not in the plan. */
	if (!GPUSORT_MAY_USE_SCHEMA(schema, ACL_ID_PUBLIC) || !GPUSORT_MAY_EXECUTE(own, ACL_ID_PUBLIC) ||
		!GPUSORT_MAY_EXECUTE(replacement->builtin, ACL_ID_PUBLIC))
		return InvalidOid;
	return own;
}

/* The extension's aggregate for a call; InvalidOid if there is none. */
static Oid
find_aggregate(const AggregateCall *call)
{
	const Replacement replacement = gpusort_aggregate_is_ordered_array(call->call) ? replacement_of_array(call)
		: *replacement_of(call->call->aggfnoid);

	return find_own(SCHEMA, &replacement);
}

/* True for built-in types whose values have a key form. */
static bool
is_key_type(Oid type)
{
	GpusortKeyForm form;

	return type < FirstNormalObjectId && gpusort_keys_form(type, &form);
}

/*
 * True if the values of array_agg(x ORDER BY y) may be of this type.  Other values than keys
 * cost less to move as rows than as an array, unless few are kept.
 */
static bool
takes_elements(const AggregateCall *call, Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case BPCHAROID:
		case BYTEAOID:
		case INTERVALOID:
		case JSONBOID:
		case NUMERICOID:
		case TEXTOID:
		case UUIDOID:
		case VARCHAROID:
			return call->first > 0;
		default:
			return is_key_type(type);
	}
}

/* True if the extension's aggregate sorts, or counts, values of this type for the call. */
static bool
takes_values(const AggregateCall *call, Oid type)
{
	const Aggref *aggregate = call->call;

	if (gpusort_aggregate_is_ordered_array(aggregate) &&
		!takes_elements(call, exprType((Node *) linitial_node(TargetEntry, aggregate->args)->expr)))
		return false;
	if (is_key_type(type))
		return true;
	if (aggregate->aggfnoid == F_COUNT_ANY)
		return gpusort_keys_can_hash(type, aggregate->inputcollid);
	return type == NUMERICOID && !gpusort_aggregate_is_ordered_array(aggregate) && gpusort_engine != GPUSORT_ENGINE_GPU;
}

/*
 * A call's values must have a key form, be numeric, or only be counted and be hashed for that.  They
 * must be compared by the operators of their type's default order.
 */
void
gpusort_aggregate_find_replacement(AggregateCall *call)
{
	const Aggref *aggregate = call->call;
	bool		counts = aggregate->aggfnoid == F_COUNT_ANY;
	Node	   *value;
	const SortGroupClause *clause = sorted_by(aggregate, &value);
	Oid			type = exprType(value);
	const TypeCacheEntry *order = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	if (!takes_values(call, type))
		gpusort_aggregate_keep(call, psprintf("gpusort does not compute it for values of type %s", format_type_be(type)));
	else if (clause->eqop != order->eq_opr || (!counts && clause->sortop != order->lt_opr && clause->sortop != order->gt_opr))
		gpusort_aggregate_keep(call, psprintf("operator %s is not of its type's default order",
											  format_operator(counts ? clause->eqop : clause->sortop)));
	else
	{
		call->treatment = AGGREGATE_REPLACE;
		call->replacement = find_aggregate(call);
		if (!OidIsValid(call->replacement))
			gpusort_aggregate_keep(call, "this database has no aggregate of gpusort in its place that everybody may call");
	}
}

/* Has the plan made again when a function or an aggregate, or the rights to it, change, or it is dropped. */
static void
depend_on(PlannedStmt *statement, Oid function)
{
	PlanInvalItem *item = makeNode(PlanInvalItem);

	item->cacheId = PROCOID;
	item->hashValue = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(function));
	statement->invalItems = lappend(statement->invalItems, item);
}

static void
append_argument(Aggref *call, Node *argument)
{
	call->args = lappend(call->args, makeTargetEntry((Expr *) argument, list_length(call->args) + 1, NULL, false));
	call->aggargtypes = lappend_oid(call->aggargtypes, exprType(argument));
}

/* Gives array_agg(x ORDER BY y) the arguments of what takes its place. */
static void
set_arguments(const AggregateCall *call)
{
	Aggref	   *aggregate = call->call;
	bool		options[ORDER_OPTIONS];
	int			count = options_of(call, options);

	if (!is_by_itself(aggregate))
	{
		TargetEntry *key = lsecond_node(TargetEntry, aggregate->args);

		key->resjunk = false;
		aggregate->aggargtypes = lappend_oid(aggregate->aggargtypes, exprType((Node *) key->expr));
	}
	if (call->first > 0)
		append_argument(aggregate, (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(call->first), false,
													 FLOAT8PASSBYVAL));
	for (int i = 0; i < count; i++)
		append_argument(aggregate, makeBoolConst(options[i], false));
}

/* Turns a call of the statement's plan into one of the replacement. */
void
gpusort_aggregate_replace(PlannedStmt *statement, const AggregateCall *call)
{
	Aggref	   *aggregate = call->call;

	if (gpusort_aggregate_is_ordered_array(aggregate))
		set_arguments(call);
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
	depend_on(statement, aggregate->aggfnoid);
	depend_on(statement, call->replacement);
	aggregate->aggfnoid = call->replacement;
	gpusort_aggregate_replace_casts(statement, aggregate);
}

void
gpusort_aggregate_replace_casts(PlannedStmt *statement, const Aggref *call)
{
	static const Replacement replacement = {F_FLOAT8_NUMERIC, "numeric_float8", 1, {NUMERICOID}};
	ListCell   *cell;

	foreach(cell, call->args)
	{
		FuncExpr   *cast = (FuncExpr *) lfirst_node(TargetEntry, cell)->expr;
		Oid			own;

		if (!IsA(cast, FuncExpr) || cast->funcid != replacement.builtin || !gpusort_is_own_function(call->aggfnoid) ||
			!OidIsValid(own = find_own("gpusort_internal", &replacement)))
			continue;
		depend_on(statement, cast->funcid);
		depend_on(statement, own);
		cast->funcid = own;
	}
}
