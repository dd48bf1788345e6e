/*
 * arrays_state.h
 *	  State of a running arrays node.
 *
 * Rows are read in groups.  A group holds the columns of its rows that are needed later,
 * and a SortBatch for each call.  It goes through
 *
 *	  empty -> filled, its batches submitted -> waited for, rows returned -> empty
 *
 * There are several groups, so that some can be filled while others are being sorted.
 * Results point into the batches, so a group is emptied only when the node is called
 * again after its last row.
 */
#ifndef GPUSORT_ARRAYS_STATE_H
#define GPUSORT_ARRAYS_STATE_H

#include "commands/explain.h"
#include "nodes/execnodes.h"
#include "utils/array.h"

#include "nodes/arrays/array_call.h"
#include "toast/toast_reader.h"
#include "nodes/parallel_stats.h"
#include "sort/sort_batch.h"

#define GPUSORT_ARRAYS_GROUPS 4

/* An array argument of a call. */
typedef struct ArrayArgument
{
	AttrNumber	column;			/* column of the child; 0 if it is computed */
	ExprState  *state;
	Oid			element;
	int			width;			/* bytes of an element */
} ArrayArgument;

typedef struct BatchedCall
{
	ArrayCallKind kind;
	const ArrayCallInfo *info;
	ArrayArgument values;		/* the array that is returned in a new order */
	ArrayArgument keys;			/* the array that decides the order; often the same */
	ExprState  *number;			/* or NULL */
	ExprState  *descending;		/* or NULL */
	ExprState  *nulls_first;	/* or NULL */
	TupleDesc	record;			/* result type of array_sort_pair, else NULL */
	FunctionCallInfo of_set;	/* calls the function of a call of a set, else NULL */

	/* Set when the first row of a scan is read. */
	GpusortSpec spec;			/* before that without the values of options */
	bool		is_null;		/* an option is NULL, so every result is NULL */
	bool		by_function;	/* the options are left to the function */
	bool		on_device;		/* a GPU would sort its batches */
	Size		batch_bytes;	/* a batch is begun with this many bytes of keys */
	Size		lead;			/* extra bytes before a packed array, so that a header
								 * also fits before its payload */
} BatchedCall;

typedef enum CallState
{
	RESULT_NULL,
	RESULT_SORTED,				/* made of a segment of the batch */
	RESULT_BY_FUNCTION			/* the function itself is called when the row is returned */
} CallState;

/* The result of one call for one row. */
typedef struct CallResult
{
	CallState state;
	uint32		start;			/* of the segment, in keys */
	uint32		count;
	int			lower_bound;	/* of the array to be returned */
} CallResult;

/* Copies of arrays from which a result is gathered, if it does not lie in the batch. */
typedef struct CallSource
{
	ArrayType  *values;
	ArrayType  *keys;			/* for a pair */
} CallSource;

typedef struct RowGroup
{
	MemoryContext context;		/* copies of columns; reset when the group is emptied */
	Size		batch_memory;	/* bytes of batches in ordinary memory */
	int			row_slots;		/* rows that fit the arrays below */
	int			nrows;
	int			next_row;		/* the row to be returned next */
	Datum	   *values;			/* the child's columns, row by row */
	bool	   *nulls;
	bool	   *by_function;	/* for each row: some call is left to its function */
	CallResult *results;		/* of each call, row by row */
	CallSource *sources;		/* of each call, row by row; NULL if no call gathers */
	SortBatch **batches;		/* of each call; NULL until an array is packed */
	Size	   *used;			/* bytes of keys packed in each */
} RowGroup;

typedef struct ArraysState
{
	SortScanState scan;			/* must be first */
	int			ncolumns;		/* of the child */
	int			ncalls;
	BatchedCall *calls;
	ProjectionInfo *by_function;	/* computes a row with the calls themselves */
	ExprState  *limit_count;	/* or NULL */
	ExprState  *limit_offset;	/* or NULL */
	bool	   *kept;			/* for each column: it is needed when a row is returned */
	bool		computes;		/* some argument is not just a column */
	bool		gathers;		/* some result is gathered from copies */
	bool		at_once;		/* nodes above ask for all rows, even if the executor wants fewer */

	MemoryContext context;		/* batches and groups */
	ToastReader *toast;
	RowGroup	groups[GPUSORT_ARRAYS_GROUPS];	/* a ring */
	int			filled;			/* groups that hold rows */
	int			current;		/* the oldest group that holds rows */
	int			max_rows;		/* the most rows of a group */
	int			ramp_rows;		/* rows of the next group; grows to max_rows */
	int			ramp_factor;	/* by which ramp_rows grows */
	Size		batch_bytes;	/* keys of a batch in ordinary memory */
	Size		longest;		/* a longer array is left to the function */
	Size		row_bytes;		/* buffers of a group per row, without copies */
	Size		all_bytes;		/* work_mem: what all groups may take, without slabs */
	Size		group_bytes;	/* a group's share of it while there may be others */

	/* Position in the present scan. */
	bool		started;		/* the options were evaluated */
	bool		limit_known;
	bool		child_done;
	TupleTableSlot *pending;	/* a row that was read and did not fit its group */
	int64		limit;			/* the most rows that are wanted, or -1 */
	int64		rows_read;		/* from the child */
} ArraysState;

extern Size gpusort_arrays_row_bytes(const ArraysState *state);
extern void gpusort_arrays_init_group(ArraysState *state, RowGroup *group);
extern void gpusort_arrays_find_limit(ArraysState *state);
extern bool gpusort_arrays_next_group(ArraysState *state);
extern TupleTableSlot *gpusort_arrays_read_row(ArraysState *state);
extern void gpusort_arrays_drop_groups(ArraysState *state);
extern void gpusort_arrays_load_columns(ArraysState *state, TupleTableSlot *child);

extern void gpusort_arrays_init_call(ArraysState *state, BatchedCall *call, FuncExpr *expression);
extern void gpusort_arrays_start_call(ArraysState *state, BatchedCall *call);
extern bool gpusort_arrays_sorts(const BatchedCall *call);
extern bool gpusort_arrays_on_device(const BatchedCall *call);
extern bool gpusort_arrays_pack(ArraysState *state, RowGroup *group, int call, TupleTableSlot *slot);
extern void gpusort_arrays_take_back(ArraysState *state, RowGroup *group, int call);
extern Datum gpusort_arrays_result(ArraysState *state, RowGroup *group, int call, bool *isnull);
extern void gpusort_arrays_explain(CustomScanState *css, List *ancestors, struct ExplainState *es);

/* The result of a call for a row of the group. */
static inline CallResult *
gpusort_arrays_result_of(ArraysState *state, RowGroup *group, int row, int call)
{
	return &group->results[(Size) row * state->ncalls + call];
}

/* The arrays from which that result is gathered. */
static inline CallSource *
gpusort_arrays_source_of(ArraysState *state, RowGroup *group, int row, int call)
{
	return &group->sources[(Size) row * state->ncalls + call];
}

#endif							/* GPUSORT_ARRAYS_STATE_H */
