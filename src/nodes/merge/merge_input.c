/*
 * merge_input.c
 *	  See merge_input.h.
 *
 * The executor's requests for asynchronous rows (execAsync.c) are made for Append, and foreign
 * data wrappers know the fields of its state that they need.  So each input has such a state
 * of its own as its requestor: it is asked and waited for without regard to the others.
 * postgres_fdw lets two of them share a connection: it finishes one answer before it asks for
 * the other.
 *
 * A request costs more than the row.  Of an answer that has come, only the first row is
 * requested; the others are read as a scan's without requests, of which postgres_fdw says that
 * it has ended when a row would have to be asked for.
 */
#include "postgres.h"

#include "executor/execAsync.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "nodes/merge/merge_input.h"

#define FIRST_ROWS 64			/* read ahead at first without more memory */

/* The values of a row that was read ahead, and which of them are NULL. */
static Datum *
row_values(const MergeInput *input, int row)
{
	return input->values + (Size) row * input->ncolumns;
}

static bool *
row_nulls(const MergeInput *input, int row)
{
	return input->nulls + (Size) row * input->ncolumns;
}

/* Sets up an input to read ahead. */
static void
begin_rows(MergeInput *input, Size memory)
{
	TupleDesc	columns = ExecGetResultType(input->plan);

	input->reads_ahead = true;
	input->memory = memory;
	input->context = AllocSetContextCreate(CurrentMemoryContext, "gpusort rows read ahead", ALLOCSET_DEFAULT_SIZES);
	input->slot = ExecInitExtraTupleSlot(input->plan->state, columns, &TTSOpsVirtual);
	input->ncolumns = columns->natts;
	input->capacity = FIRST_ROWS;
	input->values = palloc(input->capacity * input->ncolumns * sizeof(Datum));
	input->nulls = palloc(input->capacity * input->ncolumns * sizeof(bool));
	input->references = palloc(input->ncolumns * sizeof(int));
	for (int column = 0; column < input->ncolumns; column++)
		if (!TupleDescAttr(columns, column)->attbyval)
			input->references[input->nreferences++] = column;
}

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
	input->requestor.as_nasyncplans = 1;
	input->needs_request = bms_make_singleton(0);
	input->request.requestor = &input->requestor.ps;
	input->request.requestee = plan;
	if (memory > 0)
		begin_rows(input, memory);
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

/* Waits for the row that was asked for, and asks first if that was not done.  Returns it; it may be the end. */
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

/* The next row of the answer that has come.  An empty slot says that a row must be asked for. */
static TupleTableSlot *
next_of_answer(MergeInput *input)
{
	return ExecProcNode(input->plan);
}

/* The next row, whether it has come or not. */
static TupleTableSlot *
next_row(MergeInput *input)
{
	TupleTableSlot *slot = input->asked ? NULL : next_of_answer(input);

	return TupIsNull(slot) ? receive(input) : slot;
}

/* Makes space for twice as many rows. */
static void
grow(MergeInput *input)
{
	input->capacity *= 2;
	input->values = repalloc_huge(input->values, (Size) input->capacity * input->ncolumns * sizeof(Datum));
	input->nulls = repalloc_huge(input->nulls, (Size) input->capacity * input->ncolumns * sizeof(bool));
}

/* Copies a row to those read ahead.  Returns how many bytes it takes. */
static Size
keep_row(MergeInput *input, TupleTableSlot *slot)
{
	Size		bytes = input->ncolumns * (sizeof(Datum) + sizeof(bool));
	MemoryContext caller = MemoryContextSwitchTo(input->context);
	TupleDesc	columns = slot->tts_tupleDescriptor;
	Datum	   *values;
	bool	   *nulls;

	if (input->nrows == input->capacity)
		grow(input);
	values = row_values(input, input->nrows);
	nulls = row_nulls(input, input->nrows);
	slot_getallattrs(slot);
	/* Of a few columns memcpy would take longer. */
	for (int column = 0; column < input->ncolumns; column++)
	{
		values[column] = slot->tts_values[column];
		nulls[column] = slot->tts_isnull[column];
	}
	for (int i = 0; i < input->nreferences; i++)
	{
		int			column = input->references[i];

		if (nulls[column])
			continue;
		values[column] = datumCopy(values[column], false, TupleDescAttr(columns, column)->attlen);
		bytes += GetMemoryChunkSpace(DatumGetPointer(values[column]));
	}
	input->nrows++;
	MemoryContextSwitchTo(caller);
	return bytes;
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
	slot = next_row(input);
	while (!input->ended)
	{
		CHECK_FOR_INTERRUPTS();
		bytes += keep_row(input, slot);
		if (bytes >= input->memory)
			return;
		slot = next_of_answer(input);
		if (!TupIsNull(slot))
			continue;
		ask(input);
		if (!input->request.request_complete)
			return;
		slot = receive(input);
	}
}

/* The next row that was read ahead. */
static TupleTableSlot *
take_row(MergeInput *input)
{
	TupleTableSlot *slot = ExecClearTuple(input->slot);
	int			row = input->next++;

	/* The slot shows the row where it lies.  Its own arrays are part of the slot and are freed with it. */
	slot->tts_values = row_values(input, row);
	slot->tts_isnull = row_nulls(input, row);
	return ExecStoreVirtualTuple(slot);
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
		return input->ended ? NULL : next_row(input);
	if (input->next == input->nrows && !input->ended)
		read_ahead(input);
	if (input->next == input->nrows)
		return ExecClearTuple(input->slot);
	return take_row(input);
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
