/*
 * aggregates.h
 *	  Aggregates that sort: built-in ones become the extension's own, or get sorted input.
 *
 * PostgreSQL sorts inside such an aggregate, where no node takes part.  plan.c looks at each
 * Agg of a finished plan, before the nodes below it are offered to the modules, and decides on
 * one treatment for each call.  call.c knows which aggregate of the extension gives the same
 * result as a built-in one.  order.c has the rows sorted below the Agg,
 * parallel.c has workers compute what is replaced, or values sorted for it.
 */
#ifndef GPUSORT_AGGREGATES_H
#define GPUSORT_AGGREGATES_H

#include "guc.h"
#include "nodes/plan_hook.h"

typedef enum AggregateTreatment
{
	AGGREGATE_KEEP,
	AGGREGATE_REPLACE,			/* an aggregate of the extension computes it */
	AGGREGATE_SORT_INPUT		/* its rows come in its order, from below the Agg: all, or the first ones of each group */
} AggregateTreatment;

typedef struct AggregateCall
{
	Aggref	   *call;			/* in the target list or the condition of an Agg */
	int			first;			/* how many of the first elements of its array are wanted; 0 if all */
	AggregateTreatment treatment;
	const char *why_not;		/* why it is kept */
	Oid			replacement;	/* the extension's aggregate that gives its result */
} AggregateCall;

/* All calls of an Agg. */
typedef struct AggregateCalls
{
	Agg		   *agg;
	const PlanPlace *place;
	List	   *list;			/* AggregateCalls */
	double		rows_of_group;	/* how many rows a group is expected to have */
} AggregateCalls;

static inline void
gpusort_aggregate_keep(AggregateCall *call, const char *why_not)
{
	call->treatment = AGGREGATE_KEEP;
	call->why_not = why_not;
}

/* True if groups are expected to have fewer rows. */
static inline bool
gpusort_aggregates_have_small_groups(const AggregateCalls *calls, double rows)
{
	return !gpusort_force_nodes && calls->rows_of_group < rows;
}

/* plan.c */
extern void gpusort_aggregates_prepare(Plan *plan, const PlanPlace *place);

/* call.c */
extern bool gpusort_aggregate_is_replaceable(const Aggref *call);
extern bool gpusort_aggregate_is_ordered_array(const Aggref *call);
/* Has a call replaced if there is an aggregate for it; else says why not. */
extern void gpusort_aggregate_find_replacement(AggregateCall *call);
extern void gpusort_aggregate_replace(PlannedStmt *statement, const AggregateCall *call);
/* Has arguments of the extension's aggregates cast from numeric to float8 by its own function, which takes less time. */
extern void gpusort_aggregate_replace_casts(PlannedStmt *statement, const Aggref *call);

/* order.c */
/* The column of an Agg's input that an expression is; 0 if it is another expression. */
extern AttrNumber gpusort_aggregate_input_column(const Expr *value);
extern bool gpusort_aggregate_is_ordered(const Aggref *call);
extern bool gpusort_aggregates_share_order(const Aggref *a, const Aggref *b);
/*
 * These two return the Sort to be the input of an Agg, or NULL.  The first has only the first
 * rows of each group returned.  For that all calls must want the first elements of arrays of columns.
 */
extern Sort *gpusort_aggregates_sort_first_rows(AggregateCalls *calls);
extern Sort *gpusort_aggregates_sort_input(AggregateCalls *calls);
/* Removes the ORDER BY of a call, whose rows come sorted. */
extern void gpusort_aggregate_drop_order(Aggref *call);

/* parallel.c */
/*
 * Has parallel workers compute the calls of an Agg, once they are replaced, or the rows node sort the one column that all
 * aggregate, replaced or not, if that costs less.
 */
extern void gpusort_aggregates_share(const AggregateCalls *calls);

#endif							/* GPUSORT_AGGREGATES_H */
