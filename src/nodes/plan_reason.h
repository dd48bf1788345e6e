/*
 * plan_reason.h
 *	  Tells why a Sort or an aggregate of a plan is taken, or kept as it is.
 *
 * A function that refuses one returns why not, as text; NULL means that it is taken.  With
 * gpusort.explain_choices that is told in a NOTICE as the plan is walked.
 */
#ifndef GPUSORT_PLAN_REASON_H
#define GPUSORT_PLAN_REASON_H

#include "nodes/plannodes.h"

struct PlanPlace;

/* Tells what becomes of a Sort or an Incremental Sort at the place. */
extern void gpusort_reason_tell_sort(const struct PlanPlace *place, const Sort *sort, const char *why_not);

/* Tells what becomes of an aggregate that the plan at the place computes. */
extern void gpusort_reason_tell_aggregate(const struct PlanPlace *place, const Plan *plan, const Aggref *call,
										  const char *why_not);

#endif							/* GPUSORT_PLAN_REASON_H */
