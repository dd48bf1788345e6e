/*
 * arguments.h
 *	  What the SQL functions share: reading the arguments that follow the arrays,
 *	  and returning records.
 *
 * All arities of a function have one C entry point; an argument that a call does
 * not have takes its default here.
 */
#ifndef GPUSORT_ARGUMENTS_H
#define GPUSORT_ARGUMENTS_H

#include "fmgr.h"

#include "arrays/array_order.h"

/* A boolean argument, or its default if the call has fewer. */
static inline bool
gpusort_argument_bool(FunctionCallInfo fcinfo, int number, bool otherwise)
{
	return PG_NARGS() > number ? PG_GETARG_BOOL(number) : otherwise;
}

/*
 * The order asked for by the arguments descending and nulls_first, of which the
 * first is the given one.  NULLs go first by default when the order descends.
 */
static inline ArrayOrder
gpusort_argument_order(FunctionCallInfo fcinfo, int number)
{
	ArrayOrder	order = {.collation = PG_GET_COLLATION(),.limit = PG_UINT32_MAX};

	order.descending = gpusort_argument_bool(fcinfo, number, false);
	order.nulls_first = gpusort_argument_bool(fcinfo, number + 1, order.descending);
	return order;
}

/*
 * The order of a top-n function: the n of the given argument, then descending
 * (the default) and nulls_first (by default never: NULLs are no top values).
 */
extern ArrayOrder gpusort_argument_top(FunctionCallInfo fcinfo, int number);

extern Datum gpusort_return_record(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

#endif							/* GPUSORT_ARGUMENTS_H */
