/*
 * array_detoast.h
 *	  Makes array arguments flat, whether they are toasted, compressed or expanded.
 */
#ifndef GPUSORT_ARRAY_DETOAST_H
#define GPUSORT_ARRAY_DETOAST_H

#include "utils/array.h"

extern ArrayType *gpusort_array_detoast(Datum value);
extern ArrayType *gpusort_array_detoast_copy(Datum value);

#endif							/* GPUSORT_ARRAY_DETOAST_H */
