/*
 * percentile.h
 *	  Percentiles of a set of values, with the results and errors of PostgreSQL's
 *	  percentile_cont and percentile_disc.
 */
#ifndef GPUSORT_PERCENTILE_H
#define GPUSORT_PERCENTILE_H

#include "arrays/fractions.h"
#include "functions/value_store.h"

typedef enum PercentileKind
{
	PERCENTILE_DISCRETE,		/* a value of the set */
	PERCENTILE_CONTINUOUS		/* float8 or interval, interpolated between two values */
} PercentileKind;

/* Reads and checks the fraction or fractions of argument 1.  A function that has none wants the median. */
extern void gpusort_percentile_fractions(FunctionCallInfo fcinfo, bool has_fraction, Fractions *fractions);

/*
 * Returns the percentiles of a set: one value, or an array of the fractions' shape.  A set
 * without values gives NULL, and so does one fraction that is NULL.  For continuous
 * percentiles, keys that are not float8 are converted to it.
 */
extern Datum gpusort_return_percentiles(FunctionCallInfo fcinfo, const ValueStore *store, PercentileKind kind,
										const Fractions *fractions);

/* Raises an error unless the type is one of PostgreSQL's integers and floats, as continuous percentiles need. */
extern void gpusort_percentile_require_number(Oid type);

#endif							/* GPUSORT_PERCENTILE_H */
