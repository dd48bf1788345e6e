/*
 * arguments.h
 *	  What the SQL functions share: reading the arguments that follow the arrays,
 *	  and returning records.
 *
 * One C function serves all arities of a SQL function.  An argument that a call does not
 * have gets its default here.
 */
#ifndef GPUSORT_ARGUMENTS_H
#define GPUSORT_ARGUMENTS_H

#include <math.h>

#include "fmgr.h"

#include "arrays/array_order.h"
#include "compat.h"

/* Raises an error if an argument is NULL.  Functions that are not strict can be called with NULLs. */
extern void gpusort_argument_require(FunctionCallInfo fcinfo, int number, const char *name);

/* A boolean argument, or its default if the call has fewer. */
static inline bool
gpusort_argument_bool(FunctionCallInfo fcinfo, int number, const char *name, bool otherwise)
{
	if (PG_NARGS() <= number)
		return otherwise;
	gpusort_argument_require(fcinfo, number, name);
	return PG_GETARG_BOOL(number);
}

/*
 * Reads descending from the argument of this number, and nulls_first from the next one.
 * By default NULLs go first when the order descends.
 */
static inline void
gpusort_argument_direction(FunctionCallInfo fcinfo, int number, ArrayOrder *order)
{
	order->descending = gpusort_argument_bool(fcinfo, number, "descending", false);
	order->nulls_first = gpusort_argument_bool(fcinfo, number + 1, "nulls_first", order->descending);
}

/* The order of the whole input, with descending and nulls_first read from this number on. */
static inline ArrayOrder
gpusort_argument_order(FunctionCallInfo fcinfo, int number)
{
	ArrayOrder	order = {.collation = PG_GET_COLLATION(),.limit = PG_UINT32_MAX};

	gpusort_argument_direction(fcinfo, number, &order);
	return order;
}

/*
 * Reads limit and direction of the first n: n from the argument of this number, then
 * descending, by default true, nulls_first and with_ties, by default false.
 */
extern void gpusort_argument_top(FunctionCallInfo fcinfo, int number, ArrayOrder *order);

/* Reads the number of intervals.  Raises an error for NULL and for a number out of range. */
extern int32 gpusort_argument_buckets(FunctionCallInfo fcinfo, int number);

/* The same of a value, for a window function, which gets its arguments in another way. */
extern int32 gpusort_check_buckets(int64 buckets);

/* Raises an error for values of a type that has no intervals, as only keys have. */
pg_noreturn extern void gpusort_refuse_intervals(Oid type);

/*
 * Raises an error for an array that must be in order and is not.  The position, from 1, is that of an element
 * that should come before the one it follows; 0: not known.
 */
pg_noreturn extern void gpusort_refuse_unsorted(uint32 position);

/* How far a number may be from another one. */
typedef struct Tolerance
{
	double		amount;
	bool		ppm;			/* the amount is in millionths of the number */
} Tolerance;

/*
 * Reads a tolerance from the argument of this number, and ppm from the next one.  Raises an error if it is
 * negative or NaN.
 */
extern Tolerance gpusort_argument_tolerance(FunctionCallInfo fcinfo, int number);

/* The greatest distance from a number that is within the tolerance. */
static inline double
gpusort_tolerance_at(const Tolerance *tolerance, double number)
{
	if (!tolerance->ppm)
		return tolerance->amount;
	/* Infinity by 0 would be NaN. */
	return isinf(number) || number == 0 ? 0 : fabs(number) * tolerance->amount / 1000000;
}

/* The type below domains of integers and floats.  Raises an error, with a hint, for another type. */
extern Oid	gpusort_number_type(Oid type, const char *hint);

extern Oid	gpusort_argument_type(FunctionCallInfo fcinfo, int number);

extern Datum gpusort_return_record(FunctionCallInfo fcinfo, Datum *values);

#endif							/* GPUSORT_ARGUMENTS_H */
