/*
 * group_rows.c
 *	  See group_rows.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "executor/nodeAgg.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"

#include "arrays/element_type.h"
#include "functions/group_rows.h"
#include "rows/offers.h"

/* Functions that ask for more rows. */
#define TRANSITIONS(DO) DO(values) DO(percentile) DO(count_distinct) DO(sorted_agg) DO(sorted_agg_by)

#define DECLARE(name) extern PGDLLEXPORT Datum gpusort_##name##_transition(PG_FUNCTION_ARGS);
#define LIST(name) gpusort_##name##_transition,

TRANSITIONS(DECLARE)

struct GroupRows
{
	AggState   *agg;			/* NULL: each row comes by a call */
	List	   *arguments;		/* ExprStates */
	ExprContext *context;
	TupleTableSlot *slot;
	bool		is_last;		/* of the aggregate whose function is called last */
	SortOffer	offer;			/* its sort is NULL if no row is read */
	uint32		first;			/* in the batch: the row that came by the call, */
	uint32		row;			/* the one that was taken last, */
	uint32		end;			/* and the first that is not taken */
};

/* True if the rows of an aggregate can be taken. */
static bool
can_take(AggStatePerTrans trans)
{
	static const PGFunction transitions[] = {TRANSITIONS(LIST)};
	Node	   *arguments = (Node *) trans->aggref->args;
	int			i = 0;

	while (i < lengthof(transitions) && transitions[i] != trans->transfn.fn_addr)
		i++;
	return i < lengthof(transitions) && trans->aggref->aggfilter == NULL && trans->numSortCols == 0 &&
		list_length(trans->aggref->args) == trans->numTransInputs &&
		!contain_volatile_functions(arguments) && !contain_subplans(arguments);
}

/* Finds out whether rows can be taken for all aggregates of an Agg, and prepares that for a function. */
static void
prepare(GroupRows *rows, AggState *agg, const FmgrInfo *function)
{
	const Agg  *plan = (const Agg *) agg->ss.ps.plan;
	EState	   *state = agg->ss.ps.state;
	const Aggref *call = NULL;
	MemoryContext caller;

	if ((plan->aggstrategy != AGG_SORTED && plan->aggstrategy != AGG_PLAIN) || plan->chain != NIL || plan->groupingSets != NIL ||
		gpusort_offer_of(outerPlanState(agg)).last == NULL)
		return;
	for (int i = 0; i < agg->numtrans; i++)
	{
		if (!can_take(&agg->pertrans[i]))
			return;
		rows->is_last = &agg->pertrans[i].transfn == function;
		if (rows->is_last)
			call = agg->pertrans[i].aggref;
	}
	if (call == NULL)
		return;
	caller = MemoryContextSwitchTo(state->es_query_cxt);
	for (int i = 0; i < list_length(call->args); i++)
		rows->arguments = lappend(rows->arguments, ExecInitExpr(list_nth_node(TargetEntry, call->args, i)->expr, &agg->ss.ps));
	rows->context = CreateExprContext(state);
	rows->slot = ExecInitExtraTupleSlot(state, outerPlanState(agg)->ps_ResultTupleDesc, &TTSOpsVirtual);
	rows->context->ecxt_outertuple = rows->slot;
	rows->agg = agg;
	MemoryContextSwitchTo(caller);
}

GroupRows *
gpusort_group_rows(FunctionCallInfo fcinfo)
{
	CallCache  *cache = gpusort_call_cache(fcinfo);
	GroupRows  *rows = cache->of_function;

	if (rows == NULL)
	{
		cache->of_function = rows = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(GroupRows));
		if (fcinfo->context != NULL && IsA(fcinfo->context, AggState))
			prepare(rows, (AggState *) fcinfo->context, fcinfo->flinfo);
	}
	return rows->agg != NULL ? rows : NULL;
}

/* The first row behind one, or where the batch ends, that has other bytes in the columns that the Agg groups by. */
static uint32
find_end(const Agg *plan, TupleDesc desc, const RowBatch *batch, uint32 first)
{
	uint32		end = batch->nrows;

	for (int i = 0; i < plan->numCols; i++)
	{
		int			column = plan->grpColIdx[i] - 1;
		bool		by_value = TupleDescAttr(desc, column)->attbyval;
		int			length = TupleDescAttr(desc, column)->attlen;
		const Datum *values = batch->values + column;
		const bool *nulls = batch->nulls + column;
		Datum		value = values[first * batch->natts];
		bool		is_null = nulls[first * batch->natts];

		for (uint32 row = first + 1; row < end; row++)
		{
			int			place = row * batch->natts;

			if (nulls[place] != is_null || (!is_null && !datumIsEqual(values[place], value, by_value, length)))
				end = row;
		}
	}
	return end;
}

/* Begins to take the rows behind the one that the node has returned. */
static void
begin(GroupRows *rows)
{
	PlanState  *node = outerPlanState(rows->agg);
	const RowBatch *batch;

	rows->offer = gpusort_offer_of(node);
	batch = rows->offer.sort->batch;
	rows->first = rows->row = *rows->offer.last - batch->first;
	rows->end = find_end((const Agg *) rows->agg->ss.ps.plan, node->ps_ResultTupleDesc, batch, rows->first);
	ExecClearTuple(rows->slot);
	rows->slot->tts_values = batch->values + rows->first * batch->natts;
	rows->slot->tts_isnull = batch->nulls + rows->first * batch->natts;
	ExecStoreVirtualTuple(rows->slot);
}

/* Has the node return the row behind those that were taken. */
static void
skip(const GroupRows *rows)
{
	PlanState  *node = outerPlanState(rows->agg);
	uint32		taken = rows->end - 1 - rows->first;

	*rows->offer.last += taken;
	*rows->offer.ahead = 0;
	if (node->instrument != NULL)
		InstrUpdateTupleCount(node->instrument, taken);
}

bool
gpusort_group_rows_next(FunctionCallInfo fcinfo, GroupRows *rows)
{
	if (rows->offer.sort == NULL)
		begin(rows);
	if (++rows->row == rows->end)
	{
		if (rows->is_last && rows->end > rows->first + 1)
			skip(rows);
		rows->offer.sort = NULL;
		return false;
	}
	rows->slot->tts_values += rows->slot->tts_nvalid;
	rows->slot->tts_isnull += rows->slot->tts_nvalid;
	ResetExprContext(rows->context);
	for (int i = 0; i < list_length(rows->arguments); i++)
	{
		NullableDatum *argument = &fcinfo->args[i + 1];

		argument->value = ExecEvalExprSwitchContext(list_nth(rows->arguments, i), rows->context, &argument->isnull);
	}
	return true;
}
