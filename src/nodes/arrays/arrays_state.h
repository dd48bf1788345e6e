/*
 * arrays_state.h
 *	  State of a running arrays node.
 *
 * Rows are read in groups.  A group holds what has to be kept of each row, and one
 * SortBatch per call; it goes through
 *
 *	  empty -> filled, its batches submitted -> waited for, rows emitted -> empty
 *
 * and there are several of them, so that some can be filled while others are being
 * sorted.  Results point into the batches, so a group is emptied only when the node
 * is called again after its last row.
 */
#ifndef GPUSORT_ARRAYS_STATE_H
#define GPUSORT_ARRAYS_STATE_H

#include "commands/explain.h"
#include "nodes/execnodes.h"
#include "storage/itemptr.h"
#include "utils/array.h"

#include "nodes/arrays/array_call.h"
#include "toast/toast_reader.h"
#include "nodes/worker_stats.h"
#include "sort/sort_batch.h"

#define GPUSORT_ARRAYS_GROUPS 4

/* An array argument of a call. */
typedef struct ArrayArgument
{
	AttrNumber	column;			/* of the child, or 0: to be computed */
	ExprState  *state;
	Oid			element;
	int			width;			/* bytes of an element */
} ArrayArgument;

typedef struct BatchedCall
{
	ArrayCallKind kind;
	const ArrayCallInfo *info;
	bool		fallible;		/* not to be computed for rows nobody asks for */
	ArrayArgument values;		/* what is returned, in its new order */
	ArrayArgument keys;			/* what the order is made from; often the same */
	ExprState  *number;			/* or NULL */
	ExprState  *descending;		/* or NULL */
	ExprState  *nulls_first;	/* or NULL */
	Oid			result_element;
	TupleDesc	record;			/* that a pair is returned as, or NULL */

	/* Set when the first row of a scan is read. */
	GpusortSpec spec;			/* before that, without its options */
	bool		is_null;		/* an option is NULL, and so is every result */
	bool		by_function;	/* the options are left to the function */
	bool		on_device;		/* a GPU would sort its batches */
	Size		batch_bytes;	/* of keys that a batch is begun with */
	Size		lead;			/* bytes of keys before a packed array, so that the
								 * payload has room for a header as well */
} BatchedCall;

typedef enum CallState
{
	RESULT_NULL,
	RESULT_SORTED,				/* a segment of the batch */
	RESULT_BY_FUNCTION			/* to be computed by the expression itself */
} CallState;

/* The result of one call for one row. */
typedef struct CallResult
{
	CallState state;
	uint32		start;			/* of the segment, in keys */
	uint32		count;
	int			lower_bound;	/* of the array to be returned */
} CallResult;

/* What the result is gathered from where it does not lie in the batch. */
typedef struct CallSource
{
	ArrayType  *values;
	ArrayType  *keys;			/* for a pair */
} CallSource;

typedef struct RowGroup
{
	MemoryContext context;		/* copies of columns; reset when emptied */
	Size		batch_memory;	/* bytes of batches that are in no slab */
	int			row_slots;		/* that the arrays below have room for */
	int			nrows;
	int			next_row;		/* to be emitted */
	Datum	   *values;			/* the child's columns, row by row */
	bool	   *nulls;
	bool	   *by_function;	/* of each row: some call is left to its function */
	CallResult *results;		/* of each call, row by row */
	CallSource *sources;		/* the same; NULL if no call gathers */
	ItemPointerData *tids;		/* of the child's rows, for cursors, or NULL */
	SortBatch **batches;		/* of each call; NULL until a segment is packed */
	Size	   *used;			/* bytes of keys packed in each */
} RowGroup;

/* What EXPLAIN ANALYZE shows; plain memory, for it is copied between processes. */
typedef struct ArraysCounters
{
	uint64		rows_by_function;
	uint64		batches;
	uint64		batches_by_gpu;
	uint64		segments;
	uint64		keys;
	uint64		bytes;			/* of keys, headers included */
	double		read_ms;
	double		sort_ms;		/* on the CPU */
	double		wait_ms;		/* for the GPU */
	double		device_ms;
	GpusortMethod method;		/* of the batch sorted last */
} ArraysCounters;

typedef struct ArraysState
{
	CustomScanState css;		/* must be first */
	int			ncolumns;		/* of the child */
	int			ncalls;
	BatchedCall *calls;
	ProjectionInfo *by_function;	/* computes a row with the calls themselves */
	ExprState  *limit_count;	/* or NULL */
	ExprState  *limit_offset;
	bool	   *kept;			/* columns that every row needs when it is emitted */
	int16	   *column_length;	/* typlen and typbyval of the columns */
	bool	   *column_by_value;
	bool		cursor;			/* remember where rows came from */
	bool		computes;		/* some argument is more than a column */
	bool		gathers;		/* some result is gathered from copies */
	bool		fallible;		/* some call is */
	bool		child_fallible; /* the child may raise errors between rows */
	bool		all_wanted;		/* all rows are asked for, also by a run that wants some */

	MemoryContext context;		/* batches and groups */
	ToastReader *toast;
	RowGroup	groups[GPUSORT_ARRAYS_GROUPS];	/* a ring */
	int			filled;			/* groups that hold rows, */
	int			current;		/* of which this is the oldest */
	int			max_rows;		/* per group */
	int			ramp_rows;		/* per group at present */
	int			ramp_factor;	/* by which that grows */
	Size		batch_bytes;	/* of keys in a batch that is in no slab */
	Size		longest;		/* bytes of an array that gets a batch of its own */
	Size		row_bytes;		/* that a group keeps of each row, beside copies */
	Size		group_bytes;	/* of memory that a group may take, slabs not counted */

	/* Position in the present scan. */
	bool		started;		/* options are known */
	bool		limit_known;
	bool		may_read;		/* rows that nobody has asked for */
	bool		may_compute;	/* also what could raise errors, for rows read ahead */
	bool		child_done;
	bool		backward;		/* rows are computed one by one since a step back */
	TupleTableSlot *pending;	/* a row read that did not fit its group */
	int64		limit;			/* rows wanted at most, or -1 */
	int64		position;		/* rows emitted; one more after the end */
	int64		child_position; /* the same for the child */

	ArraysCounters counters;
	ArraysCounters *shared;		/* where a parallel worker leaves them, or NULL */
	WorkerStats *workers;		/* those of parallel workers, or NULL */
} ArraysState;

extern Size gpusort_arrays_row_bytes(const ArraysState *state);
extern void gpusort_arrays_init_group(ArraysState *state, RowGroup *group);
extern bool gpusort_arrays_next_group(ArraysState *state);
extern TupleTableSlot *gpusort_arrays_read_row(ArraysState *state);
extern void gpusort_arrays_drop_groups(ArraysState *state);
extern void gpusort_arrays_load_columns(ArraysState *state, TupleTableSlot *child);
extern ScanState *gpusort_arrays_positioned_child(ArraysState *state);

extern void gpusort_arrays_init_call(ArraysState *state, BatchedCall *call, FuncExpr *expression);
extern void gpusort_arrays_start_call(ArraysState *state, BatchedCall *call);
extern bool gpusort_arrays_on_device(const BatchedCall *call);
extern bool gpusort_arrays_pack(ArraysState *state, RowGroup *group, int call, TupleTableSlot *slot);
extern void gpusort_arrays_unpack(ArraysState *state, RowGroup *group, int call);
extern Datum gpusort_arrays_result(ArraysState *state, RowGroup *group, int call, bool *isnull);
extern void gpusort_arrays_explain(CustomScanState *css, List *ancestors, struct ExplainState *es);

/* The place of a call's result for the row that is being packed or emitted. */
static inline CallResult *
gpusort_arrays_result_of(ArraysState *state, RowGroup *group, int row, int call)
{
	return &group->results[(Size) row * state->ncalls + call];
}

/* The same for what it is gathered from. */
static inline CallSource *
gpusort_arrays_source_of(ArraysState *state, RowGroup *group, int row, int call)
{
	return &group->sources[(Size) row * state->ncalls + call];
}

#endif							/* GPUSORT_ARRAYS_STATE_H */
