/*
 * percentile.h
 *	  Percentiles of a set of values, with the results and errors of PostgreSQL's
 *	  percentile_cont and percentile_disc.
 */
#ifndef GPUSORT_PERCENTILE_H
#define GPUSORT_PERCENTILE_H

#include "arrays/stored_values.h"
#include "functions/spilled_set.h"

/* The fractions asked for: one, or an array of any shape. */
typedef struct Fractions
{
	ArrayType  *array;			/* NULL for one fraction */
	uint32		count;
	Datum	   *values;			/* float8 */
	bool	   *nulls;
	Datum		value;			/* one fraction lies here, so a Fractions must not be moved */
	bool		isnull;
} Fractions;

typedef enum PercentileKind
{
	PERCENTILE_DISCRETE,		/* a value of the set */
	PERCENTILE_CONTINUOUS		/* float8 or interval, interpolated between two values */
} PercentileKind;

/* The fractions in an argument of type float8 or, with is_array, float8[]. */
extern void gpusort_fractions_read(Fractions *fractions, Datum argument, bool is_array);

/* Raises an error unless each fraction is NULL or between 0 and 1. */
extern void gpusort_fractions_check(const Fractions *fractions);

/*
 * Returns the percentiles of a set: one value, or an array of the fractions' shape.  A set
 * without values gives NULL, and so does one fraction that is NULL.  For continuous
 * percentiles, keys that are not float8 are converted to it.  If spilled is not NULL, the
 * values are there, and `values` only tells their type.
 */
extern Datum gpusort_return_percentiles(FunctionCallInfo fcinfo, const StoredValues *values, const ArrayOrder *order,
										SpilledSet *spilled, PercentileKind kind, const Fractions *fractions);

#endif							/* GPUSORT_PERCENTILE_H */
