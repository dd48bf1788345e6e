/*
 * aggregate_combine.c
 *	  Puts states of one aggregate together.
 *
 * A combined state remembers where the values of each part end, if they were sorted.  The
 * result is then made by merging these runs, not by sorting.
 */
#include "postgres.h"

#include "access/tupmacs.h"

#include "functions/aggregate_call.h"
#include "functions/distinct_store.h"
#include "functions/top_store.h"

/* A copy of a state without its values, in the context. */
static AggregateState *
copy_empty(const AggregateState *state, MemoryContext context)
{
	AggregateState *copy = MemoryContextAlloc(context, sizeof(AggregateState));

	*copy = *state;
	copy->context = context;
	copy->cut_bytes = 0;
	copy->spilled = NULL;
	copy->parts = NULL;
	copy->bounded = false;
	copy->handed_over = false;
	copy->nruns = 0;
	copy->run_ends = NULL;
	gpusort_collector_clear(&copy->values);
	gpusort_collector_clear(&copy->keys);
	return copy;
}

/* Notes that a sorted run ends here.  Only runs of values of a fixed length are merged. */
static void
end_run(AggregateState *state)
{
	const Collector *collector = gpusort_agg_is_by_key(state->kind) ? &state->keys : &state->values;
	Size		bytes = (state->nruns + 1) * sizeof(uint32);

	if (collector->length < 0 || state->no_runs)
		return;
	if (state->run_ends == NULL)
		state->run_ends = MemoryContextAlloc(state->context, bytes);
	else
		state->run_ends = repalloc(state->run_ends, bytes);
	state->run_ends[state->nruns++] = collector->bytes / att_align_nominal(collector->length, collector->alignment);
}

/*
 * Raises an error if two states cannot come from the same aggregate.  Options that vary from
 * row to row may differ between them.  If one state descends and the other does not, the
 * values are not merged as runs.
 */
static void
check_alike(AggregateState *state, const AggregateState *more)
{
	if (state->kind != more->kind || state->values.type != more->values.type ||
		state->keys.type != more->keys.type || state->order.collation != more->order.collation)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("states of set aggregates of different kinds or types cannot be combined")));
	if (state->order.descending != more->order.descending)
		state->no_runs = true;
}

AggregateState *
gpusort_agg_combine(FunctionCallInfo fcinfo, MemoryContext context, AggregateState *state, const AggregateState *more)
{
	if (state == NULL)
		state = copy_empty(more, context);
	check_alike(state, more);
	gpusort_collector_concat(&state->values, context, &more->values);
	if (gpusort_agg_is_by_key(state->kind) || state->keys.count == 0)
		gpusort_collector_concat(&state->keys, context, &more->keys);
	if (state->kind == SET_SORTED || state->kind == SET_SORTED_BY || state->kind == SET_MODE)
		end_run(state);
	else if (state->kind == SET_TOP_N || state->kind == SET_TOP_N_BY)
		gpusort_top_limit(fcinfo, state);
	else if (state->kind == SET_DISTINCT && gpusort_distinct_has_grown(state))
		gpusort_distinct_limit(fcinfo, state);
	return state;
}
