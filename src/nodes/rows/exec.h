/*
 * exec.h
 *	  Run-time state of the rows node.
 */
#ifndef GPUSORT_ROWS_EXEC_H
#define GPUSORT_ROWS_EXEC_H

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "nodes/rows/heap_source.h"
#include "nodes/rows/rows_node.h"
#include "rows/offers.h"
#include "nodes/parallel_stats.h"

typedef struct RowsNodeState
{
	SortScanState scan;			/* must be first; its counters are of the last sort */
	RowsUse		use;
	bool		random_access;
	List	   *limit;			/* ExprStates whose sum bounds the rows wanted: count and offset of a
								 * LIMIT, or the value in a run condition */
	TupleDesc	desc;			/* of the rows that are sorted */
	List	   *tlist;			/* which of their attributes are constant, */
	List	   *sources;		/* and which have the values of another */
	const Sort *keys;			/* of the plan */
	int		   *columns;		/* the input's column of each attribute; -1: a constant; or GPUSORT_WHOLE_ROW */
	int			input_columns;	/* leading columns of the input that are read */
	bool		whole;			/* rows are kept as their table has them */
	bool		moved;			/* columns change places, or are not all kept */
	Datum	   *values;			/* of a row of the input, by attribute, if they do */
	bool	   *nulls;
	RowSort    *spare;			/* a former sort, which can be used again; or NULL */
	RowSort    *sort;			/* NULL until the first row is asked for */
	HeapSource *source;			/* NULL if rows come through ExecProcNode */
	int64		current;		/* the row last returned; -1 before the first, nrows behind the last, unless rows are shared */
	int			ahead;			/* rows behind it to which the slot is only moved */
	int64		mark;
} RowsNodeState;

extern void gpusort_rows_return_in(ScanState *node, const TupleTableSlotOps *ops);
extern void gpusort_rows_begin(CustomScanState *node, EState *estate, int eflags);
extern void gpusort_rows_begin_sort(RowsNodeState *state, Size memory_limit);
extern void gpusort_rows_read_input(RowsNodeState *state);

/* Reads and sorts the input. */
extern void gpusort_rows_sort_input(RowsNodeState *state);

/*
 * Has a slot show the current row in the sorted order.  One for minimal tuples shows a whole row.  Sets how many rows
 * behind it the slot can be moved to.
 */
extern TupleTableSlot *gpusort_rows_fill_slot(RowsNodeState *state, TupleTableSlot *slot);

/* What the node offers of the rows behind the current one. */
extern SortOffer gpusort_rows_offered(CustomScanState *node);

/*
 * Moves a slot to the next row of a batch that is lent.  Returns false if it must be filled.  To copy the row, and to empty
 * the slot before, would take half of the time in which a plan returns it.
 */
static inline bool
gpusort_rows_move_slot(RowsNodeState *state, TupleTableSlot *slot)
{
	if (state->ahead == 0 || (slot->tts_flags & (TTS_FLAG_EMPTY | TTS_FLAG_SHOULDFREE)) != 0)
		return false;
	state->ahead--;
	state->current++;
	slot->tts_values += slot->tts_nvalid;
	slot->tts_isnull += slot->tts_nvalid;
	return true;
}

#endif							/* GPUSORT_ROWS_EXEC_H */
