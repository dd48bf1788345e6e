/*
 * set_distinct.c
 *	  See set_distinct.h.
 *
 * A part of spilled values becomes a state of its own.  It is cut when it exceeds memory, and
 * what is left spills again, a level deeper.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "arrays/stored_values.h"
#include "functions/set_cut.h"
#include "functions/set_distinct.h"
#include "functions/set_hashes.h"
#include "functions/spilled_set.h"

/* Fills an empty state with the values of a part. */
static void
read_part(FunctionCallInfo fcinfo, ValueParts *parts, uint32 number, SetState *state)
{
	Size		more;

	gpusort_parts_open(parts, number);
	while ((more = gpusort_parts_next_bytes(parts)) > 0)
	{
		/* A collector has no room for so many bytes. */
		if (state->values.bytes > 0 && !AllocSizeIsValid(state->values.bytes + more))
			gpusort_set_spill(fcinfo, state, false);
		gpusort_parts_read(parts, &state->values, state->context);
		if (state->spilled != NULL)
			gpusort_spilled_append_all(state->spilled, &state->values);
		else if (gpusort_set_exceeds(state, 1))
			gpusort_set_cut(fcinfo, state);
	}
}

/* Empties a state, but keeps its memory for the next part. */
static void
empty_state(SetState *state)
{
	if (state->spilled != NULL)
		gpusort_spilled_free(state->spilled);
	state->spilled = NULL;
	gpusort_set_forget_hashes(state);
	state->values.count = 0;
	state->values.bytes = 0;
}

/* The different values of all parts of a state. */
static int64
count_in_parts(FunctionCallInfo fcinfo, const SetState *whole, ValueParts *parts, const ElementType *element)
{
	uint32		nparts = gpusort_parts_finish(parts);
	int64		distinct = 0;
	SetState	state = {
		.magic = GPUSORT_SET_STATE_MAGIC,
		.kind = SET_DISTINCT,
		.order = whole->order,
		.context = AllocSetContextCreate(CurrentMemoryContext, "gpusort part", ALLOCSET_DEFAULT_SIZES),
		.spill_bytes = whole->spill_bytes,
		.work_bytes = whole->work_bytes,
		.level = whole->level + 1
	};

	gpusort_collector_init(&state.values, element);
	state.values.may_map = true;
	for (uint32 i = 0; i < nparts; i++)
	{
		read_part(fcinfo, parts, i, &state);
		distinct += gpusort_set_count_distinct(fcinfo, &state);
		empty_state(&state);
	}
	MemoryContextDelete(state.context);
	return distinct;
}

int64
gpusort_set_count_distinct(FunctionCallInfo fcinfo, const SetState *state)
{
	StoredValues values = gpusort_set_values(fcinfo, state);
	ValueParts *parts;

	if (state->hashed != NULL)
		return gpusort_set_count_hashes(fcinfo, state);
	if (state->spilled == NULL)
		return gpusort_values_count_distinct(&values, &state->order);
	parts = gpusort_spilled_parts(state->spilled);
	if (parts != NULL)
		return count_in_parts(fcinfo, state, parts, values.element);
	return gpusort_spilled_count_distinct(state->spilled, values.element);
}
