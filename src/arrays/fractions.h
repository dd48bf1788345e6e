/*
 * fractions.h
 *	  The fractions at which percentiles are asked for.
 */
#ifndef GPUSORT_FRACTIONS_H
#define GPUSORT_FRACTIONS_H

#include "utils/array.h"

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

/* The fractions in an argument of type float8 or, with is_array, float8[]. */
extern void gpusort_fractions_read(Fractions *fractions, Datum argument, bool is_array);

/* The first fraction that is neither NULL nor between 0 and 1, or else NULL. */
extern const Datum *gpusort_fractions_wrong(const Fractions *fractions);

/* Raises an error, with a hint unless that is NULL, if a fraction is wrong. */
extern void gpusort_fractions_check(const Fractions *fractions, const char *hint);

#endif							/* GPUSORT_FRACTIONS_H */
