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
	bool		asked;			/* the request has been made, and its row has not been taken */
	bool		ended;
	AsyncRequest request;
	AppendState requestor;		/* the Append that the executor answers to; it is never run */
	TupleTableSlot *answer;		/* where the executor puts a row, which is also the request's result */
	Bitmapset  *needs_request;	/* what the executor then notes in the requestor */

	/* Rows that were read ahead. */
	MemoryContext context;		/* of values passed by reference */
	Size		memory;			/* bytes they may take */
	int			ncolumns;
	int			nreferences;
	int		   *references;		/* columns of values passed by reference, from 0 */
	Datum	   *values;			/* row by row */
	bool	   *nulls;
	int			capacity;
	int			nrows;
	int			next;			/* the first that has not been returned */
	TupleTableSlot *slot;
} MergeInput;

/*
 * Sets up an input, whose plan has begun.  Rows that are read ahead take up to this many
 * bytes; with 0 none are.
 */
extern void gpusort_merge_input_begin(MergeInput *input, PlanState *plan, Size memory);

/* Lets an input work, if it can do so by itself. */
extern void gpusort_merge_input_start(MergeInput *input);

/* Returns the next row in a slot that is valid until the next call; an empty slot or NULL at the end. */
extern TupleTableSlot *gpusort_merge_input_next(MergeInput *input);

/* Forgets all rows, because the plan will be scanned again. */
extern void gpusort_merge_input_rescan(MergeInput *input);

#endif							/* GPUSORT_MERGE_INPUT_H */
