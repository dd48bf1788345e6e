/*
 * set_distinct.h
 *	  How many different values a state has, wherever they are.
 */
#ifndef GPUSORT_SET_DISTINCT_H
#define GPUSORT_SET_DISTINCT_H

#include "functions/set_state.h"

extern int64 gpusort_set_count_distinct(FunctionCallInfo fcinfo, const SetState *state);

#endif							/* GPUSORT_SET_DISTINCT_H */
