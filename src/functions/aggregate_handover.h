/*
 * aggregate_handover.h
 *	  States that a partial Agg hands over to the Agg above it in the same process.
 *
 * The leader of parallel workers computes a part itself; all of it, where no worker is free.  That state is not
 * written as bytes and read again: the bytes are a number by which this process finds the state.
 */
#ifndef GPUSORT_AGGREGATE_HANDOVER_H
#define GPUSORT_AGGREGATE_HANDOVER_H

#include "fmgr.h"
#include "functions/aggregate_state.h"

/* True if the state of a partial Agg is combined in this process, before the Agg ends. */
extern bool gpusort_agg_stays_here(FunctionCallInfo fcinfo);

/* Bytes by which this process finds a state again, while its context lasts. */
extern bytea *gpusort_agg_hand_over(AggregateState *state);

/* The state that is handed over by bytes; NULL if they are others. */
extern AggregateState *gpusort_agg_take_over(const bytea *bytes);

#endif							/* GPUSORT_AGGREGATE_HANDOVER_H */
