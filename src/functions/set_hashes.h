/*
 * set_hashes.h
 *	  The hashes of a state's distinct values, made while the values are collected.
 *
 * Cut sets have none, see set_cut.c.  Hashing values while they are in a processor's cache saves
 * reading all of them again in the end.
 */
#ifndef GPUSORT_SET_HASHES_H
#define GPUSORT_SET_HASHES_H

#include "functions/set_state.h"

/* Hashes the values of a state whose memory is bounded, and those that come if they are added. */
extern void gpusort_set_begin_hashes(FunctionCallInfo fcinfo, SetState *state);

/* Hashes the values that came since the last time. */
extern void gpusort_set_add_hashes(FunctionCallInfo fcinfo, const SetState *state);

/* How many of the values are different.  Adds those that came since the last time. */
extern uint32 gpusort_set_count_hashes(FunctionCallInfo fcinfo, const SetState *state);

/* About how many.  Adds them, too. */
extern uint32 gpusort_set_estimate_hashes(FunctionCallInfo fcinfo, const SetState *state);

/* Frees the hashes, if there are some. */
extern void gpusort_set_forget_hashes(SetState *state);

#endif							/* GPUSORT_SET_HASHES_H */
