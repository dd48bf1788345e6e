/*
 * plan_reason.h
 *	  Why a Sort, an aggregate or an array call of a plan is taken, or kept as it is.
 *
 * With gpusort.explain_choices rooms note what becomes of each as the plan is walked, and
 * the notes are shown when the walk is done.  Without, nothing is noted.
 */
#ifndef GPUSORT_PLAN_REASON_H
#define GPUSORT_PLAN_REASON_H

#include "nodes/plannodes.h"

/* X(symbol, text); a %s in a text is the note's detail. */
#define GPUSORT_PLAN_REASONS(X) \
	X(TAKEN, "") \
	X(SWITCHED_OFF, "%s is off") \
	X(OWNED, "it stands below a node of another extension, which may know it") \
	/* of Sorts */ \
	X(SMALL, "so small a sort costs less than starting the node") \
	X(COST, "PostgreSQL's Sort is expected to be faster") \
	X(BOUND, "few rows are wanted, and how many is not known before the LIMIT runs") \
	X(METHOD, "gpusort.method names a method") \
	X(INCREMENTAL, "its input is partly in order, and not all rows may be wanted") \
	X(CONSTANT, "its first key is a constant") \
	X(COLLATION, "the order of texts in %s is not known") \
	X(ORDER, "operator %s is not of its type's default order") \
	X(KEY_TYPE, "values of type %s have no code that orders as they do") \
	/* of aggregates */ \
	X(VALUE_TYPE, "it is not taken of values of type %s") \
	X(GROUPING_SETS, "it is computed for several grouping sets") \
	X(MANY_GROUPS, "few rows are expected in each group") \
	X(NO_AGGREGATE, "this database has no aggregate of gpusort in its place that everybody may call") \
	X(PRESORTED, "its input comes in order") \
	X(NO_COLUMN_ORDER, "it is ordered by an expression, or orders other values than it distinguishes") \
	X(OTHER_ORDER, "another aggregate beside it has another order") \
	X(ROW_ORDER, "what is beside it, or above, may depend on the order of the rows") \
	/* of array calls */ \
	X(FEW_ROWS, "few rows are expected") \
	X(NO_INPUT, "there is no input whose rows could be sorted together") \
	X(MARKS, "a merge join returns to earlier rows") \
	X(ELEMENT_TYPE, "values of type %s cannot be sorted in batches") \
	X(ARGUMENTS, "it is not declared with the arguments that its C function has") \
	X(OPTIONS, "its options depend on the row") \
	X(NO_COLUMN, "its arguments are the same for all rows") \
	X(IN_LINE, "its arrays are not known to be stored out of line, and the CPU is to compute it") \
	X(INNER, "an array function in its arguments is kept") \
	X(UNCERTAIN, "it stands where it is not computed for each row, or in a window function") \
	X(NODE, "it stands beside a set-returning function, in RETURNING or in a scan of another extension") \
	X(CONDITION, "it stands in a condition or in FROM") \
	X(NOT_ALL, "not all rows may be asked for") \
	X(CALL_VOLATILE, "its arguments are volatile") \
	X(INPUT_VOLATILE, "reading ahead would be noticed: its input calls volatile functions, or changes or locks rows")

typedef enum PlanReason
{
#define PLAN_REASON_SYMBOL(symbol, text) PLAN_##symbol,
	GPUSORT_PLAN_REASONS(PLAN_REASON_SYMBOL)
#undef PLAN_REASON_SYMBOL
} PlanReason;

struct PlanPlace;
struct PlanWalk;

/* Begins the notes of one list of calls; of equal calls there the first note counts. */
extern void gpusort_reason_begin(const struct PlanPlace *place);

/* Notes what becomes of a Sort or an Incremental Sort at the place. */
extern void gpusort_reason_note_sort(const struct PlanPlace *place, const Sort *sort, PlanReason reason, const char *detail);

/* Notes what becomes of a call or an aggregate that the plan at the place, or its parent, computes. */
extern void gpusort_reason_note_call(const struct PlanPlace *place, const Plan *plan, const Node *call,
									 PlanReason reason, const char *detail);

/* Shows all that was noted. */
extern void gpusort_reason_show(const struct PlanWalk *walk);

#endif							/* GPUSORT_PLAN_REASON_H */
