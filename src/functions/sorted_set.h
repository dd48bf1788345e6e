/*
 * sorted_set.h
 *	  The SQL type sorted_set: the state of sorted_agg as a value.
 *
 * A value is the state's bytes as they are stored (aggregate_state.h), so it has the type of its elements
 * and the order that they are in.  Tables hold such values, so bytes of version 2 must stay readable.
 *
 * Elements are of a base type or an enum.  A superuser may read a value that another role has
 * written, to dump the row for example, and that must run no code of that role.  The receive
 * functions of domains and ranges could.  A domain's values are kept as its base type.
 */
#ifndef GPUSORT_SORTED_SET_H
#define GPUSORT_SORTED_SET_H

#include "functions/aggregate_state.h"

/* The set that an argument holds.  Its values may point into the argument. */
extern AggregateState *gpusort_sorted_set_read(FunctionCallInfo fcinfo, int argument);

/*
 * A set of the elements of a one-dimensional array, which is overwritten, in the order.
 * Raises an error for a type that sets do not hold.
 */
extern bytea *gpusort_sorted_set_make(FunctionCallInfo fcinfo, ArrayType *elements, const ArrayOrder *order);

#endif							/* GPUSORT_SORTED_SET_H */
