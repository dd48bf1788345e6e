/*
 * array_functions.h
 *	  What the array functions do, for the aggregates that end in one of them.
 *
 * An array is overwritten, and the result may be that array, unless said.  What is
 * looked up about types stays in the cache of fcinfo.
 */
#ifndef GPUSORT_ARRAY_FUNCTIONS_H
#define GPUSORT_ARRAY_FUNCTIONS_H

#include "arrays/array_order.h"

/* An array of any number of dimensions in order. */
extern ArrayType *gpusort_sort_array(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order);

/* Values, not overwritten, in the order of their keys, as many as the limit says; frees the keys. */
extern ArrayType *gpusort_sort_array_by(FunctionCallInfo fcinfo, ArrayType *values, ArrayType *keys,
										const ArrayOrder *order, int lower_bound);

/* Values and keys, both in the order of the keys; none is overwritten. */
extern void gpusort_sort_array_pair(FunctionCallInfo fcinfo, ArrayType *values, ArrayType *keys,
									const ArrayOrder *order, ArrayType **sorted_values, ArrayType **sorted_keys);

/* The first elements in order, as many as the limit says. */
extern ArrayType *gpusort_top_of_array(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order);

/* An array in approximate order; an error for a type whose values are no keys. */
extern ArrayType *gpusort_sort_array_approx(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order);

#endif							/* GPUSORT_ARRAY_FUNCTIONS_H */
