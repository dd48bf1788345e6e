/*
 * exec.c
 *	  Runs the merge node: starts all inputs, then merges their rows as MergeAppend does.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "utils/sortsupport.h"

#include "compat.h"
#include "nodes/explain_headers.h"
#include "nodes/merge/merge_input.h"
#include "nodes/merge/merge_node.h"
#include "nodes/sort_explain.h"

typedef struct MergeNodeState
{
	CustomScanState custom;		/* must be first */
	int			ninputs;
	MergeInput *inputs;
	TupleTableSlot **slots;		/* the next row of each input */
	NullableDatum *leading;		/* the first key's value there */
	int			nkeys;
	SortSupport keys;
	binaryheap *heap;			/* inputs by their next row; those that have ended are not there */
	bool		started;
} MergeNodeState;

/* The entry of a list in custom_private. */
static List *
private_list(const MergeNodeState *state, int list)
{
	return list_nth(((CustomScan *) state->custom.ss.ps.plan)->custom_private, list);
}

/* Compares rows with equal values of the first key by the other keys. */
static pg_noinline int
compare_ties(const MergeNodeState *state, TupleTableSlot *first, TupleTableSlot *second)
{
	int			order = 0;

	for (int key = 1; key < state->nkeys && order == 0; key++)
	{
		SortSupport by = &state->keys[key];
		bool		first_is_null;
		bool		second_is_null;
		Datum		first_value = slot_getattr(first, by->ssup_attno, &first_is_null);
		Datum		second_value = slot_getattr(second, by->ssup_attno, &second_is_null);

		order = ApplySortComparator(first_value, first_is_null, second_value, second_is_null, by);
	}
	return order;
}

/* Positive if the first input's row comes before the second's: the heap has the largest on top. */
static int
compare_inputs(Datum a, Datum b, void *arg)
{
	const MergeNodeState *state = arg;
	int			first = DatumGetInt32(a);
	int			second = DatumGetInt32(b);
	int			order = ApplySortComparator(state->leading[first].value, state->leading[first].isnull,
											state->leading[second].value, state->leading[second].isnull, state->keys);

	if (order == 0)
		order = compare_ties(state, state->slots[first], state->slots[second]);
	INVERT_COMPARE_RESULT(order);
	return order;
}

static void
begin_keys(MergeNodeState *state)
{
	List	   *columns = private_list(state, KEY_COLUMNS);

	state->nkeys = list_length(columns);
	state->keys = palloc0(state->nkeys * sizeof(SortSupportData));
	for (int i = 0; i < state->nkeys; i++)
	{
		SortSupport key = &state->keys[i];

		key->ssup_cxt = CurrentMemoryContext;
		key->ssup_collation = list_nth_oid(private_list(state, KEY_COLLATIONS), i);
		key->ssup_nulls_first = list_nth_int(private_list(state, KEY_NULLS_FIRST), i);
		key->ssup_attno = list_nth_int(columns, i);
		PrepareSortSupportFromOrderingOp(list_nth_oid(private_list(state, KEY_OPERATORS), i), key);
	}
}

static void
begin_merge(CustomScanState *node, EState *estate, int eflags)
{
	MergeNodeState *state = (MergeNodeState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	bool		reads_ahead = linitial_int(private_list(state, MERGE_READS_AHEAD));
	Size		memory;
	int			i = 0;
	ListCell   *cell;

	outerPlanState(node) = ExecInitNode(outerPlan(scan), estate, eflags);
	foreach(cell, scan->custom_plans)
		node->custom_ps = lappend(node->custom_ps, ExecInitNode(lfirst(cell), estate, eflags));

	state->ninputs = 1 + list_length(node->custom_ps);
	state->inputs = palloc(state->ninputs * sizeof(MergeInput));
	state->slots = palloc0(state->ninputs * sizeof(TupleTableSlot *));
	state->leading = palloc0(state->ninputs * sizeof(NullableDatum));
	state->heap = binaryheap_allocate(state->ninputs, compare_inputs, state);
	memory = reads_ahead ? work_mem * (Size) 1024 / state->ninputs : 0;
	gpusort_merge_input_begin(&state->inputs[i++], outerPlanState(node), memory);
	foreach(cell, node->custom_ps)
		gpusort_merge_input_begin(&state->inputs[i++], lfirst(cell), memory);
	begin_keys(state);

	/* Rows are returned in the inputs' slots, which may be of different kinds. */
	node->ss.ps.ps_ProjInfo = NULL;
	node->ss.ps.resultopsset = true;
	node->ss.ps.resultopsfixed = false;
}

/* Takes an input's next row.  Returns false if it has none. */
static inline bool
take_next(MergeNodeState *state, int input)
{
	TupleTableSlot *slot = gpusort_merge_input_next(&state->inputs[input]);

	state->slots[input] = slot;
	if (TupIsNull(slot))
		return false;
	state->leading[input].value = slot_getattr(slot, state->keys->ssup_attno, &state->leading[input].isnull);
	return true;
}

/* Starts all inputs before the first is waited for. */
static void
start_merge(MergeNodeState *state)
{
	for (int i = 0; i < state->ninputs; i++)
		gpusort_merge_input_start(&state->inputs[i]);
	for (int i = 0; i < state->ninputs; i++)
	{
		if (take_next(state, i))
			binaryheap_add_unordered(state->heap, Int32GetDatum(i));
	}
	binaryheap_build(state->heap);
	state->started = true;
}

static TupleTableSlot *
exec_merge(CustomScanState *node)
{
	MergeNodeState *state = (MergeNodeState *) node;

	CHECK_FOR_INTERRUPTS();
	if (!state->started)
		start_merge(state);
	else if (!binaryheap_empty(state->heap))
	{
		/* The row last returned is needed no more. */
		int			last = DatumGetInt32(binaryheap_first(state->heap));

		if (take_next(state, last))
			binaryheap_replace_first(state->heap, Int32GetDatum(last));
		else
			(void) binaryheap_remove_first(state->heap);
	}
	if (binaryheap_empty(state->heap))
		return ExecClearTuple(node->ss.ss_ScanTupleSlot);
	return state->slots[DatumGetInt32(binaryheap_first(state->heap))];
}

static void
end_merge(CustomScanState *node)
{
	ListCell   *cell;

	ExecEndNode(outerPlanState(node));
	foreach(cell, node->custom_ps)
		ExecEndNode(lfirst(cell));
}

static void
rescan_merge(CustomScanState *node)
{
	MergeNodeState *state = (MergeNodeState *) node;

	for (int i = 0; i < state->ninputs; i++)
	{
		PlanState  *input = state->inputs[i].plan;

		if (node->ss.ps.chgParam != NULL)
			UpdateChangedParamSet(input, node->ss.ps.chgParam);
		/* With changed parameters it is rescanned when it is asked. */
		if (input->chgParam == NULL)
			ExecReScan(input);
		gpusort_merge_input_rescan(&state->inputs[i]);
	}
	binaryheap_reset(state->heap);
	state->started = false;
}

static void
explain_merge(CustomScanState *node, List *ancestors, ExplainState *es)
{
	MergeNodeState *state = (MergeNodeState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	gpusort_explain_sort_keys(node, scan->scan.plan.targetlist, scan->custom_private, ancestors, es);
	ExplainPropertyBool("Reads Ahead", linitial_int(private_list(state, MERGE_READS_AHEAD)), es);
}

static const CustomExecMethods merge_exec_methods = {
	.CustomName = "GpusortMerge",
	.BeginCustomScan = begin_merge,
	.ExecCustomScan = exec_merge,
	.EndCustomScan = end_merge,
	.ReScanCustomScan = rescan_merge,
	.ExplainCustomScan = explain_merge,
};

Node *
gpusort_merge_create_state(CustomScan *scan)
{
	MergeNodeState *state = palloc0(sizeof(MergeNodeState));

	NodeSetTag(state, T_CustomScanState);
	state->custom.methods = &merge_exec_methods;
	return (Node *) state;
}
