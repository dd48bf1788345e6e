/*
 * aggregates.h
 *	  Aggregates that sort: built-in ones become the extension's own, or get sorted input.
 *
 * PostgreSQL sorts inside such an aggregate, where no node takes part.  plan.c looks at each
 * Agg of a finished plan, before the nodes below it are offered to the rooms.  call.c puts the
 * extension's percentile_cont, percentile_disc, mode and count_distinct in the place of the
 * built-in ones, and sorted_agg and its kin in that of array_agg(x ORDER BY y).  For other
 * aggregates with ORDER BY, for small groups, and where only the first rows of large groups are
 * wanted, order.c puts a Sort below the Agg.  Above sorted rows array_agg is replaced, too:
 * PostgreSQL's allocates memory for each value.
 */
#ifndef GPUSORT_AGGREGATES_H
#define GPUSORT_AGGREGATES_H

#include "nodes/plan_hook.h"

typedef struct AggregateCall
{
	Aggref	   *call;			/* in the target list or the condition of an Agg */
	PlanReason	reason;			/* PLAN_TAKEN: it is replaced, or gets sorted input */
	const char *detail;
	bool		replaceable;	/* call.c may replace it */
	bool		ordered;		/* order.c may sort its input */
	int			first;			/* how many of the first elements of its array are wanted; 0 if all */
	Oid			replacement;	/* the extension's aggregate, if it is replaced */
} AggregateCall;

/* plan.c */
extern void gpusort_aggregates_init(void);

/* call.c */
extern bool gpusort_aggregate_sorts(const Aggref *call);
extern bool gpusort_aggregate_is_ordered_array(const Aggref *call);
extern void gpusort_aggregate_describe(AggregateCall *call);
extern void gpusort_aggregate_replace(PlannedStmt *statement, const AggregateCall *call);

/* Turns a call of array_agg, whose rows come sorted, into one that keeps its values as the array has them. */
extern void gpusort_aggregate_collect(PlannedStmt *statement, Aggref *call);

/* order.c */
extern bool gpusort_aggregate_is_ordered(const Aggref *call);
extern bool gpusort_aggregates_share_order(const Aggref *a, const Aggref *b);
extern bool gpusort_aggregate_hides_order(const AggregateCall *call);
extern Sort *gpusort_aggregates_order(Agg *agg, List *calls, const PlanPlace *place);

/*
 * Returns a Sort of which an Agg wants the first rows of each group only, or NULL.  For that all
 * calls must want the first elements of arrays of columns, in the same order.
 */
extern Sort *gpusort_aggregates_order_first(Agg *agg, List *calls, const PlanPlace *place);

/* Removes the ORDER BY of a call, whose rows come sorted. */
extern void gpusort_aggregate_take_order(Aggref *call);

#endif							/* GPUSORT_AGGREGATES_H */
