/*
 * merge_input.c
 *	  See merge_input.h.
 *
 * The executor's requests for asynchronous rows (execAsync.c) are made for Append, and foreign
 * data wrappers know the fields of its state that they need.  So each input has such a state
 * of its own as its requestor: it is asked and waited for without regard to the others.
 * postgres_fdw lets two of them share a connection: it finishes one answer before it asks for
 * the other.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/execAsync.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "nodes/merge/merge_input.h"

#define FIRST_ROWS 64			/* rows that the list of those read ahead has space for at first */

void
gpusort_merge_input_begin(MergeInput *input, PlanState *plan, Size memory)
{
	memset(input, 0, sizeof(MergeInput));
	input->plan = plan;
	input->asynchronous = plan->async_capable;
	if (!input->asynchronous)
		return;
	NodeSetTag(&input->requestor, T_AppendState);
	input->requestor.as_asyncresults = &input->answer;
	input->needs_request = bms_make_singleton(0);
	input->request.requestor = &input->requestor.ps;
	input->request.requestee = plan;
	if (memory == 0)
		return;
	input->reads_ahead = true;
	input->memory = memory;
	input->context = AllocSetContextCreate(CurrentMemoryContext, "gpusort rows read ahead", ALLOCSET_DEFAULT_SIZES);
	input->capacity = FIRST_ROWS;
	input->rows = palloc(input->capacity * sizeof(MinimalTuple));
	input->slot = ExecInitExtraTupleSlot(plan->state, ExecGetResultType(plan), &TTSOpsMinimalTuple);
}

/* Removes from the requestor what the executor noted there with the last answer. */
static void
prepare_requestor(MergeInput *input, Bitmapset *needs_request)
{
	AppendState *requestor = &input->requestor;

	if (requestor->as_needrequest != input->needs_request)
		bms_free(requestor->as_needrequest);
	requestor->as_needrequest = needs_request;
	requestor->as_nasyncresults = 0;
}

static void
ask(MergeInput *input)
{
	prepare_requestor(input, input->needs_request);
	input->request.callback_pending = false;
	input->request.request_complete = false;
	input->request.result = NULL;
	input->asked = true;
	ExecAsyncRequest(&input->request);
}

/* Waits until something of the answer has come, or a signal. */
static void
wait_for_answer(MergeInput *input)
{
	WaitEventSet *set = GPUSORT_CREATE_WAIT_EVENT_SET(CurrentMemoryContext, CurrentResourceOwner, 3);
	AsyncRequest *request = &input->request;
	WaitEvent	event = {0};

	PG_TRY();
	{
		input->requestor.as_eventset = set;
		AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
		/* postgres_fdw does not wait while it finds a request noted as needed. */
		prepare_requestor(input, NULL);
		ExecAsyncConfigureWait(request);
		if (!request->request_complete)
		{
			/* postgres_fdw looks whether there is an event beside the first. */
			AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
			WaitEventSetWait(set, -1, &event, 1, WAIT_EVENT_APPEND_READY);
		}
	}
	PG_FINALLY();
	{
		input->requestor.as_eventset = NULL;
		FreeWaitEventSet(set);
	}
	PG_END_TRY();

	if (event.events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	if (event.events & WL_SOCKET_READABLE)
	{
		prepare_requestor(input, input->needs_request);
		request->callback_pending = false;
		ExecAsyncNotify(request);
	}
}

/* Waits for the row that was asked for, and asks first if that was not done.  Returns it. */
static TupleTableSlot *
receive(MergeInput *input)
{
	if (!input->asked)
		ask(input);
	while (!input->request.request_complete)
		wait_for_answer(input);
	input->asked = false;
	input->ended = TupIsNull(input->request.result);
	return input->request.result;
}

/* Copies a row to those read ahead.  Returns how many bytes it takes. */
static Size
keep_row(MergeInput *input, TupleTableSlot *slot)
{
	MemoryContext caller = MemoryContextSwitchTo(input->context);
	MinimalTuple row = ExecCopySlotMinimalTuple(slot);

	MemoryContextSwitchTo(caller);
	if (input->nrows == input->capacity)
	{
		input->capacity *= 2;
		input->rows = repalloc_huge(input->rows, input->capacity * sizeof(MinimalTuple));
	}
	input->rows[input->nrows++] = row;
	return row->t_len + sizeof(MinimalTuple);
}

/* Reads what an answer brought, as far as memory allows, and asks for the next. */
static void
read_ahead(MergeInput *input)
{
	TupleTableSlot *slot;
	Size		bytes = 0;

	ExecClearTuple(input->slot);
	MemoryContextReset(input->context);
	input->nrows = 0;
	input->next = 0;
	slot = receive(input);
	while (!input->ended)
	{
		CHECK_FOR_INTERRUPTS();
		bytes += keep_row(input, slot);
		if (bytes >= input->memory)
			return;
		ask(input);
		if (!input->request.request_complete)
			return;
		slot = receive(input);
	}
}

void
gpusort_merge_input_start(MergeInput *input)
{
	if (input->asynchronous && !input->asked && !input->ended)
		ask(input);
}

TupleTableSlot *
gpusort_merge_input_next(MergeInput *input)
{
	if (!input->asynchronous)
		return ExecProcNode(input->plan);
	if (!input->reads_ahead)
		return input->ended ? NULL : receive(input);
	if (input->next == input->nrows && !input->ended)
		read_ahead(input);
	if (input->next == input->nrows)
		return ExecClearTuple(input->slot);
	return ExecStoreMinimalTuple(input->rows[input->next++], input->slot, false);
}

void
gpusort_merge_input_rescan(MergeInput *input)
{
	input->asked = false;
	input->ended = false;
	input->request.callback_pending = false;
	input->request.request_complete = false;
	input->request.result = NULL;
	input->nrows = 0;
	input->next = 0;
	if (input->slot != NULL)
		ExecClearTuple(input->slot);
}
