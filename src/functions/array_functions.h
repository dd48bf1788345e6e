/*
 * array_functions.h
 *	  The array functions, as the aggregates call them.
 *
 * Unless said otherwise the array is overwritten, and the result may be that array.
 * Element types are kept in the cache of fcinfo.
 */
#ifndef GPUSORT_ARRAY_FUNCTIONS_H
#define GPUSORT_ARRAY_FUNCTIONS_H

#include "arrays/array_order.h"

/* array_sort and array_top_n: an array in order.  It may have more than one dimension if the order has no limit. */
extern ArrayType *gpusort_array_in_order(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order);

/*
 * array_sort_by and array_sort_pair: values in the order of their keys, up to the limit.  The values are not
 * overwritten.  Sets *sorted_keys to the keys in that order; if it is NULL, the keys are overwritten and freed.
 */
extern ArrayType *gpusort_array_in_order_of(FunctionCallInfo fcinfo, ArrayType *values, ArrayType *keys,
											const ArrayOrder *order, ArrayType **sorted_keys);

/* array_sort_distinct: the elements in order, each value once. */
extern ArrayType *gpusort_distinct_of_array(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order);

/* array_sort_approx: an array in approximate order.  Raises an error if its elements are not keys. */
extern ArrayType *gpusort_array_in_intervals(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order);

#endif							/* GPUSORT_ARRAY_FUNCTIONS_H */
