/*
 * set_hashes.c
 *	  See set_hashes.h.
 */
#include "postgres.h"

#include "functions/set_hashes.h"

void
gpusort_set_begin_hashes(FunctionCallInfo fcinfo, SetState *state)
{
	const Collector *values = &state->values;
	MemoryContext caller = MemoryContextSwitchTo(state->context);

	state->hashed = gpusort_hashed_create(state->spill_bytes / (values->bytes / values->count + state->work_bytes));
	MemoryContextSwitchTo(caller);
	gpusort_set_add_hashes(fcinfo, state);
}

void
gpusort_set_add_hashes(FunctionCallInfo fcinfo, const SetState *state)
{
	StoredValues values = gpusort_set_values(fcinfo, state);

	gpusort_hashed_add(state->hashed, &values);
}

uint32
gpusort_set_count_hashes(FunctionCallInfo fcinfo, const SetState *state)
{
	StoredValues values = gpusort_set_values(fcinfo, state);

	gpusort_hashed_add(state->hashed, &values);
	return gpusort_hashed_count(state->hashed, &values);
}

uint32
gpusort_set_estimate_hashes(FunctionCallInfo fcinfo, const SetState *state)
{
	StoredValues values = gpusort_set_values(fcinfo, state);

	gpusort_hashed_add(state->hashed, &values);
	return gpusort_hashed_estimate(state->hashed, &values);
}

void
gpusort_set_forget_hashes(SetState *state)
{
	if (state->hashed != NULL)
		gpusort_hashed_free(state->hashed);
	state->hashed = NULL;
}
