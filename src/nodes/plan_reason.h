/*
 * plan_reason.h
 *	  Why a Sort or an aggregate of a plan is taken, or kept as it is.
 *
 * With gpusort.explain_choices it is noted what becomes of each as the plan is walked, and
 * the notes are shown when the walk is done.  Without, nothing is noted.  A function that
 * refuses a Sort returns why not, as text; NULL means that it is taken.
 */
#ifndef GPUSORT_PLAN_REASON_H
#define GPUSORT_PLAN_REASON_H

#include "nodes/plannodes.h"

/* Of aggregates: X(symbol, text); a %s in a text is the note's detail. */
#define GPUSORT_PLAN_REASONS(X) \
	X(TAKEN, "") \
	X(SWITCHED_OFF, "%s is off") \
	X(OWNED, "it stands below a node of another extension, which may know it") \
	X(METHOD, "gpusort.method names a method") \
	X(VALUE_TYPE, "it is not taken of values of type %s") \
	X(ORDER, "operator %s is not of its type's default order") \
	X(CALL_VOLATILE, "its arguments are volatile") \
	X(COST, "PostgreSQL's Sort is expected to be faster") \
	X(FEW_ROWS, "few rows are expected") \
	X(GROUPING_SETS, "it is computed for several grouping sets") \
	X(MANY_GROUPS, "few rows are expected in each group") \
	X(NO_AGGREGATE, "this database has no aggregate of gpusort in its place that everybody may call") \
	X(PRESORTED, "its input comes in order") \
	X(NO_COLUMN_ORDER, "it is ordered by an expression, or orders other values than it distinguishes") \
	X(OTHER_ORDER, "another aggregate beside it has another order") \
	X(ROW_ORDER, "what is beside it, or above, may depend on the order of the rows")

typedef enum PlanReason
{
#define PLAN_REASON_SYMBOL(symbol, text) PLAN_##symbol,
	GPUSORT_PLAN_REASONS(PLAN_REASON_SYMBOL)
#undef PLAN_REASON_SYMBOL
} PlanReason;

struct PlanPlace;
struct PlanWalk;

/* Starts a list of calls.  Within it only the first note about equal calls is kept. */
extern void gpusort_reason_begin(const struct PlanPlace *place);

/* Notes what becomes of a Sort or an Incremental Sort at the place. */
extern void gpusort_reason_note_sort(const struct PlanPlace *place, const Sort *sort, const char *why_not);

/* Notes what becomes of an aggregate that the plan at the place computes. */
extern void gpusort_reason_note_call(const struct PlanPlace *place, const Plan *plan, const Node *call,
									 PlanReason reason, const char *detail);

/* Shows all that was noted. */
extern void gpusort_reason_show(const struct PlanWalk *walk);

#endif							/* GPUSORT_PLAN_REASON_H */
