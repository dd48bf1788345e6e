/*
 * merge_input.h
 *	  Reads the rows of one input of a merge.
 *
 * An input that can be asked asynchronously is asked when it is started, and works while
 * others are read.  If it reads ahead, the rows that one answer brought are copied, and
 * the next answer is asked for before they are merged.
 */
#ifndef GPUSORT_MERGE_INPUT_H
#define GPUSORT_MERGE_INPUT_H

#include "nodes/execnodes.h"

typedef struct MergeInput
{
	PlanState  *plan;
	bool		asynchronous;
	bool		reads_ahead;
	bool		asked;			/* the request has been made and its row not been taken */
	bool		ended;
	AsyncRequest request;
	AppendState requestor;		/* the executor answers to an Append; it is never run */
	TupleTableSlot *answer;		/* where it puts its answer, which is the request's result too */
	Bitmapset  *needs_request;	/* what it then notes in the requestor */

	/* Rows that were read ahead. */
	MemoryContext context;
	Size		memory;			/* bytes they may take */
	MinimalTuple *rows;
	int			capacity;
	int			nrows;
	int			next;			/* the first that was not returned */
	TupleTableSlot *slot;
} MergeInput;

/*
 * Sets up an input, of a plan that has begun.  Rows are read ahead up to this much memory,
 * in bytes; 0: they are not.
 */
extern void gpusort_merge_input_begin(MergeInput *input, PlanState *plan, Size memory);

/* Lets an input work, if it can do so by itself. */
extern void gpusort_merge_input_start(MergeInput *input);

/* Returns the next row in a slot that is valid until the next call; an empty slot or NULL at the end. */
extern TupleTableSlot *gpusort_merge_input_next(MergeInput *input);

/* Forgets all rows, because the plan will be scanned again. */
extern void gpusort_merge_input_rescan(MergeInput *input);

#endif							/* GPUSORT_MERGE_INPUT_H */
