/*
 * aggregates.h
 *	  Built-in aggregates that sort become the extension's own.
 *
 * rewrite.c finds such calls in a query before it is planned, and marks them.  call.c knows
 * what each can become.  choose.c decides by the plan of the query as it was.  If any call
 * is taken, a copy of the query with the other calls is planned in its place.
 */
#ifndef GPUSORT_AGGREGATES_H
#define GPUSORT_AGGREGATES_H

#include "nodes/plannodes.h"

#include "nodes/plan_reason.h"

typedef struct AggregateCall
{
	Aggref	   *call;			/* one of the calls in the query; the others are equal */
	PlanReason	reason;			/* PLAN_TAKEN: it can be taken, as far as is known */
	const char *detail;
	int			value_bytes;	/* that a state holds per row */
	const Agg  *plan;			/* the first Agg of the plan that computes it, or NULL */
	const Aggref *planned;		/* the call there */
	Oid			replacement;	/* the extension's aggregate, of calls that are taken */
} AggregateCall;

struct PlanWalk;

/* rewrite.c */
extern void gpusort_aggregates_init(void);

/* call.c */
extern void gpusort_aggregate_mark(Aggref *call, int index);
extern AggregateCall *gpusort_aggregate_marked(List *calls, const Aggref *call);
extern bool gpusort_aggregate_sorts(const Aggref *call);
extern void gpusort_aggregate_describe(AggregateCall *call);
extern Oid	gpusort_aggregate_schema(void);
extern Oid	gpusort_aggregate_find(const Aggref *call);
extern void gpusort_aggregate_replace(Aggref *call, Oid replacement);

/* choose.c */
extern void gpusort_aggregates_choose(List *calls, struct PlanWalk *walk);

#endif							/* GPUSORT_AGGREGATES_H */
