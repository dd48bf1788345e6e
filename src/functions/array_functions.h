/*
 * array_functions.h
 *	  The SQL functions on arrays that other functions of the module call.
 *
 * Their arguments and results are those of the SQL functions of the same names
 * (without the prefix); docs/functions.md describes them.
 */
#ifndef GPUSORT_ARRAY_FUNCTIONS_H
#define GPUSORT_ARRAY_FUNCTIONS_H

#include "fmgr.h"

extern PGDLLEXPORT Datum gpusort_array_sort(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpusort_array_sort_approx(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpusort_array_sort_by(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpusort_array_top_n(PG_FUNCTION_ARGS);

#endif							/* GPUSORT_ARRAY_FUNCTIONS_H */
