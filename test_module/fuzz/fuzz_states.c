/*
 * fuzz_states.c
 *	  Serialized states of the set aggregates: any bytes are an error, or a state whose values
 *	  can be used, and which is written and read again as the same.
 *
 * Input: the state's bytes.
 */
#include "fuzz.h"

#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "functions/aggregate_state.h"

/* A call as deserializing functions get it, with nothing in its cache. */
static FunctionCallInfo
new_call(void)
{
	FmgrInfo   *info = palloc0(sizeof(FmgrInfo));
	FunctionCallInfo fcinfo = palloc0(SizeForFunctionCallInfo(1));

	info->fn_mcxt = CurrentMemoryContext;
	info->fn_nargs = 1;
	InitFunctionCallInfoData(*fcinfo, info, 1, InvalidOid, NULL, NULL);
	return fcinfo;
}

/* The values, printed. */
static char *
print(const Collector *values)
{
	return values->type == InvalidOid || values->count == 0 ? "" :
		OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(gpusort_collector_array(values)));
}

static void
run(FuzzInput *input)
{
	bytea	   *sent = palloc(VARHDRSZ + input->size);
	bytea	   *written;
	AggregateState *state;
	AggregateState *again;

	memcpy(VARDATA(sent), input->data, input->size);
	SET_VARSIZE(sent, VARHDRSZ + input->size);
	state = gpusort_agg_state_read(new_call(), sent, CODEC_SENT, NULL);
	/* Aggregates collect only values whose type has an array type. */
	if (!OidIsValid(get_array_type(state->values.type)))
		return;
	if (state->keys.type != InvalidOid && !OidIsValid(get_array_type(state->keys.type)))
		return;
	written = gpusort_agg_state_write(new_call(), state, CODEC_SENT);
	again = gpusort_agg_state_read(new_call(), written, CODEC_SENT, NULL);
	if (strcmp(print(&state->values), print(&again->values)) != 0 || strcmp(print(&state->keys), print(&again->keys)) != 0)
		gpusort_fuzz_fail("a state is not what was written of it");
}

const FuzzTarget gpusort_fuzz_states = {.name = "states",.run = run};
