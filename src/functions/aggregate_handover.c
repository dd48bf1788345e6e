/*
 * aggregate_handover.c
 *	  See aggregate_handover.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/nodeAgg.h"
#include "lib/ilist.h"
#include "nodes/execnodes.h"

#include "functions/aggregate_handover.h"

#define HANDED_OVER "GSH"

/* The bytes of a state that is handed over. */
typedef struct StateNumber
{
	char		mark[4];
	uint32		number;
} StateNumber;

/* A state that this process hands over, in the state's context. */
typedef struct HandedState
{
	dlist_node	node;
	uint32		number;
	AggregateState *state;		/* NULL once it was taken */
	MemoryContextCallback forget;
} HandedState;

static dlist_head handed_states = DLIST_STATIC_INIT(handed_states);
static uint32 last_number = 0;

bool
gpusort_agg_stays_here(FunctionCallInfo fcinfo)
{
	const AggState *agg = (const AggState *) fcinfo->context;

	/* Groups end before their states are read.  Aggregates of other extensions write states for other places. */
	if (agg == NULL || !IsA(agg, AggState) || agg->aggstrategy != AGG_PLAIN ||
		agg->aggsplit != AGGSPLIT_INITIAL_SERIAL || IsParallelWorker())
		return false;
	for (int i = 0; i < agg->numtrans; i++)
		if (&agg->pertrans[i].transfn == fcinfo->flinfo || &agg->pertrans[i].serialfn == fcinfo->flinfo)
			return true;
	return false;
}

static void
forget_state(void *arg)
{
	dlist_delete(&((HandedState *) arg)->node);
}

bytea *
gpusort_agg_hand_over(AggregateState *state)
{
	HandedState *handed = MemoryContextAlloc(state->context, sizeof(HandedState));
	StateNumber number = {.mark = HANDED_OVER,.number = ++last_number};
	bytea	   *bytes = palloc(VARHDRSZ + sizeof(number));

	handed->number = number.number;
	handed->state = state;
	handed->forget.func = forget_state;
	handed->forget.arg = handed;
	dlist_push_head(&handed_states, &handed->node);
	MemoryContextRegisterResetCallback(state->context, &handed->forget);
	SET_VARSIZE(bytes, VARHDRSZ + sizeof(number));
	memcpy(VARDATA(bytes), &number, sizeof(number));
	return bytes;
}

AggregateState *
gpusort_agg_take_over(const bytea *bytes)
{
	StateNumber number;
	dlist_iter	iter;

	if (VARSIZE_ANY_EXHDR(bytes) != sizeof(number))
		return NULL;
	memcpy(&number, VARDATA_ANY(bytes), sizeof(number));
	if (memcmp(number.mark, HANDED_OVER, sizeof(number.mark)) != 0)
		return NULL;
	dlist_foreach(iter, &handed_states)
	{
		HandedState *handed = dlist_container(HandedState, node, iter.cur);
		AggregateState *state = handed->state;

		if (state == NULL || handed->number != number.number)
			continue;
		/* It is taken once: forged bytes do not make two of it. */
		handed->state = NULL;
		state->handed_over = true;
		return state;
	}
	return NULL;
}
