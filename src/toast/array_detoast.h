/*
 * array_detoast.h
 *	  Array arguments in memory, however they come: TOASTed, compressed, expanded.
 */
#ifndef GPUSORT_ARRAY_DETOAST_H
#define GPUSORT_ARRAY_DETOAST_H

#include "utils/array.h"

extern ArrayType *gpusort_array_detoast(Datum value);
extern ArrayType *gpusort_array_detoast_copy(Datum value);

#endif							/* GPUSORT_ARRAY_DETOAST_H */
