/*
 * array_call.c
 *	  Recognizes calls that the arrays node can take over.
 *
 * A function is taken if pg_proc says that it is written in C, lies in this module and has
 * one of the listed entry points.  Its schema and name do not matter.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "guc.h"
#include "keys/key_types.h"
#include "nodes/arrays/array_call.h"
#include "nodes/plan_walk.h"
#include "sort/sort_batch.h"

#define SYMBOL_PREFIX "gpusort_"
#define MAX_OPTIONS 2			/* descending, nulls_first */
#define OUT_OF_LINE_WIDTH (VARHDRSZ_EXTERNAL + (int32) sizeof(struct varatt_external))
#define SHORT_WIDTH 256			/* bytes of arrays whose median a GPU finds no sooner than the CPU */

const ArrayCallInfo gpusort_array_calls[] = {
#define ARRAY_CALL_INFO(symbol, name, arrays, number, descending) {name, arrays, ARRAY_NUMBER_##number, descending},
	GPUSORT_ARRAY_CALLS(ARRAY_CALL_INFO)
#undef ARRAY_CALL_INFO
};

static ArrayCallKind
kind_of_symbol(const char *symbol)
{
	if (strncmp(symbol, SYMBOL_PREFIX, strlen(SYMBOL_PREFIX)) == 0)
		symbol += strlen(SYMBOL_PREFIX);
	for (int kind = 0; kind < ARRAY_CALL_NONE; kind++)
		if (strcmp(symbol, gpusort_array_calls[kind].name) == 0)
			return kind;
	return ARRAY_CALL_NONE;
}

/* The kind of calls of this function, or ARRAY_CALL_NONE if it is not taken. */
ArrayCallKind
gpusort_array_call_kind(Oid function)
{
	ArrayCallKind kind = ARRAY_CALL_NONE;
	HeapTuple	tuple;
	Form_pg_proc proc;
	const char *symbol;

	if (function < FirstNormalObjectId)
		return ARRAY_CALL_NONE;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return ARRAY_CALL_NONE;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	if (proc->prokind == PROKIND_FUNCTION && proc->proisstrict && proc->provolatile == PROVOLATILE_IMMUTABLE &&
		(symbol = gpusort_module_symbol(tuple)) != NULL)
		kind = kind_of_symbol(symbol);
	ReleaseSysCache(tuple);
	return kind;
}

/* True if the argument does not depend on the row: a constant, a parameter, or an integer parameter made a bigint. */
static bool
is_option(Node *argument)
{
	if (IsA(argument, FuncExpr) &&
		(((FuncExpr *) argument)->funcid == F_INT8_INT4 || ((FuncExpr *) argument)->funcid == F_INT8_INT2))
		argument = linitial(((FuncExpr *) argument)->args);
	return IsA(argument, Const) || IsA(argument, Param);
}

/* True if the argument is the constant false. */
static bool
is_false(Node *argument)
{
	const Const *value = (const Const *) argument;

	return IsA(argument, Const) && !value->constisnull && !DatumGetBool(value->constvalue);
}

/* The average width, as the plan's table stores it, of the array that a call is of; 0 if that is not known. */
static int32
stored_width(const FuncExpr *call, const Plan *plan, List *rtable)
{
	const Var  *var = linitial(call->args);
	Index		scanned = 0;

	if (IsA(plan, SeqScan) || IsA(plan, IndexScan) || IsA(plan, BitmapHeapScan) || IsA(plan, SampleScan) ||
		IsA(plan, TidScan) || IsA(plan, TidRangeScan))
		scanned = ((const Scan *) plan)->scanrelid;
	if (scanned == 0 || !IsA(var, Var) || var->varno != scanned || var->varattno <= 0)
		return 0;
	return get_attavgwidth(rt_fetch(scanned, rtable)->relid, var->varattno);
}

/*
 * True if a batch saves time.  To make an array of a few values takes as long in either.  On the CPU, which selects
 * in either, the call of a set pays where the node reads arrays stored out of line.
 */
bool
gpusort_array_call_pays(const FuncExpr *call, ArrayCallKind kind, const Plan *plan, List *rtable)
{
	GpusortSpec spec = {.method = gpusort_method};
	int32		width;

	if (!gpusort_array_call_of_set(kind) || gpusort_force_nodes)
		return gpusort_force_nodes || !IsA(linitial(call->args), ArrayExpr);
	width = stored_width(call, plan, rtable);
	if (width == OUT_OF_LINE_WIDTH)
		return true;
	(void) gpusort_keys_form(get_element_type(getBaseType(exprType(linitial(call->args)))), &spec.form);
	return (width == 0 || width >= SHORT_WIDTH) && gpusort_batch_device_capacity(&spec, SHORT_WIDTH) > 0;
}

/* True if the engines can sort what the call asks for in batches, whatever the arrays hold. */
bool
gpusort_array_call_fits(const FuncExpr *call, ArrayCallKind kind)
{
	const ArrayCallInfo *info = &gpusort_array_calls[kind];
	int			required = info->narrays + (info->number != ARRAY_NUMBER_NONE ? 1 : 0);
	int			most = required + MAX_OPTIONS + (info->number == ARRAY_NUMBER_ENTRIES ? 1 : 0);
	int			nargs = list_length(call->args);

	if (nargs < required || nargs > most || call->funcretset)
		return false;
	for (int i = 0; i < nargs; i++)
	{
		Node	   *argument = list_nth(call->args, i);
		Oid			element = get_element_type(getBaseType(exprType(argument)));
		GpusortKeyForm form;

		if (i >= info->narrays)
		{
			/* One batch has one order, so the options may not depend on the row.  Ties are left to the function. */
			if (!is_option(argument) || (i == required + MAX_OPTIONS && !is_false(argument)))
				return false;
		}
		else if (!gpusort_keys_form(element, &form) && (i == info->narrays - 1 || get_typlen(element) <= 0))
			return false;		/* of two arrays only the second must be of a key type */
	}
	return true;
}
