/*
 * array_call.h
 *	  The functions whose calls the arrays node sorts in batches.
 */
#ifndef GPUSORT_ARRAY_CALL_H
#define GPUSORT_ARRAY_CALL_H

#include "nodes/plannodes.h"

/*
 * X(symbol, C function, arrays, number argument, descending by default)
 *
 * Arguments come in this order: the array to be returned, the array of keys if there are
 * two arrays, a number, descending, nulls_first; of the first entries also with_ties.
 */
#define GPUSORT_ARRAY_CALLS(X) \
	X(SORT, "array_sort", 1, NONE, false) \
	X(ARGSORT, "array_argsort", 1, NONE, false) \
	X(SORT_BY, "array_sort_by", 2, NONE, false) \
	X(SORT_PAIR, "array_sort_pair", 2, NONE, false) \
	X(TOP_N, "array_top_n", 1, ENTRIES, true) \
	X(TOP_N_BY, "array_top_n_by", 2, ENTRIES, true) \
	X(DISTINCT, "array_sort_distinct", 1, NONE, false) \
	X(APPROXIMATE, "array_sort_approx", 1, BUCKETS, false) \
	X(MEDIAN, "array_median", 1, NONE, false) \
	X(PERCENTILE_CONT, "array_percentile_cont", 1, FRACTIONS, false) \
	X(PERCENTILE_DISC, "array_percentile_disc", 1, FRACTIONS, false) \
	X(MODE, "array_mode", 1, NONE, false)

typedef enum ArrayCallKind
{
#define ARRAY_CALL_SYMBOL(symbol, name, arrays, number, descending) ARRAY_CALL_##symbol,
	GPUSORT_ARRAY_CALLS(ARRAY_CALL_SYMBOL)
#undef ARRAY_CALL_SYMBOL
	ARRAY_CALL_NONE
} ArrayCallKind;

/* The meaning of the number argument. */
typedef enum ArrayCallNumber
{
	ARRAY_NUMBER_NONE,			/* there is none */
	ARRAY_NUMBER_ENTRIES,		/* how many of the first entries are wanted */
	ARRAY_NUMBER_BUCKETS,		/* number of intervals */
	ARRAY_NUMBER_FRACTIONS		/* one, or an array of them, at which percentiles are wanted */
} ArrayCallNumber;

typedef struct ArrayCallInfo
{
	const char *name;			/* of the C function */
	int			narrays;
	ArrayCallNumber number;
	bool		descending;		/* the default */
} ArrayCallInfo;

extern const ArrayCallInfo gpusort_array_calls[];

/* True if the result depends on the elements and not on their order, so that the function may have them sorted. */
static inline bool
gpusort_array_call_of_set(ArrayCallKind kind)
{
	return kind == ARRAY_CALL_MEDIAN || kind == ARRAY_CALL_PERCENTILE_CONT || kind == ARRAY_CALL_PERCENTILE_DISC ||
		kind == ARRAY_CALL_MODE;
}

extern ArrayCallKind gpusort_array_call_kind(Oid function);
extern bool gpusort_array_call_pays(const FuncExpr *call, ArrayCallKind kind, const Plan *plan, List *rtable);
extern bool gpusort_array_call_fits(const FuncExpr *call, ArrayCallKind kind);

#endif							/* GPUSORT_ARRAY_CALL_H */
