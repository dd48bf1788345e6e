/*
 * shared_state.h
 *	  What the files of a sort by several processes share, see shared_sort.h.
 *
 *	  shared_sort.c      memory, and who takes part
 *	  shared_runs.c      runs, which participants write while they read rows
 *	  shared_division.c  parts, into which all runs together are divided
 *	  shared_parts.c     who sorts which part, and in which order they are returned
 *
 * The mutex protects what changes below it in SharedSortState.  Runs are listed before their writer
 * arrives at the barrier, and parts are made between its first phase and its last one, so
 * both are read without it.
 */
#ifndef GPUSORT_SHARED_STATE_H
#define GPUSORT_SHARED_STATE_H

#include "storage/barrier.h"
#include "storage/condition_variable.h"
#include "storage/sharedfileset.h"
#include "storage/spin.h"

#include "rows/shared_sort.h"
#include "rows/stored_rows.h"

#define SHARED_FREE_FOR_RUNS 6	/* so many eighths of /dev/shm stay free when a run goes there, */
#define SHARED_FREE_FOR_PARTS 5	/* a sorted part, */
#define SHARED_FREE_FOR_FENCES 2	/* or fences; */
#define SHARED_FREE_TO_BEGIN 3	/* and when a sort begins, so that several may do so at once */

/* The phases of the barrier. */
typedef enum SharedPhase
{
	PHASE_COLLECT,
	PHASE_DIVIDE,
	PHASE_PARTS
} SharedPhase;

typedef struct SharedRun
{
	dsa_pointer next;
	uint32		number;
	uint32		first;			/* fence i is row first + i * step */
	uint32		step;
	int			area;			/* the number of that which has its rows */
	dsa_pointer rows;			/* StoredRows */
	dsa_pointer fences;			/* the same, in memory; invalid without fences */
	dsa_pointer fence_bytes;	/* Size: of the rows from each fence on to the next */
} SharedRun;

/* A part begins with the row of this fence, or with its group. */
typedef struct Splitter
{
	uint32		run;
	uint32		fence;
	bool		is_group;
} Splitter;

/* A fence, where splitters are chosen. */
typedef struct Fence
{
	Splitter	place;
	Size		bytes;
} Fence;

typedef enum PartState
{
	PART_WAITS,
	PART_IS_SORTED_NOW,			/* by a worker */
	PART_IS_SORTED,
	PART_IS_LEFT				/* to the leader, because there is no memory for the sorted rows */
} PartState;

typedef struct SharedPart
{
	PartState	state;
	dsa_pointer rows;			/* StoredRows in memory, once they are sorted */
	Size		bytes;			/* of these */
	RowRuns		runs;			/* once they are counted */
	bool		goes_on;		/* the last run goes on in the next part */
} SharedPart;

struct SharedSortState
{
	int			participants;
	int			nareas;			/* for their runs in memory */
	Size		memory;			/* that a participant may take */
	Size		memory_limit;	/* of all runs in shared memory */
	dsm_handle	segment;
	SharedFileSet files;
	Barrier		barrier;
	ConditionVariable sorted;	/* a part was sorted: the leader waits for it */
	ConditionVariable claimable;	/* a part was returned, so one worker may begin another; or none will have to */
	ConditionVariable freed;	/* a part was returned: memory is free for sorted ones, or all ends */
	slock_t		mutex;
	dsa_pointer runs;			/* the list of SharedRun structs */
	uint32		nruns;
	uint64		nrows;
	Size		bytes;
	Size		memory_used;
	Size		fences_size;	/* bytes of the fences of all runs */
	Size		part_bytes;
	dsa_pointer sample;			/* fences of a run, of which all make the code of words; or invalid */
	double		sample_rows;	/* for so many rows */
	dsa_pointer splitters;		/* Splitter structs, in order; one fewer than parts */
	dsa_pointer parts;			/* SharedPart structs */
	uint32		nparts;
	uint32		next_part;		/* the first one that nobody has begun */
	uint32		returned;		/* parts that the leader has read */
	Size		sorted_bytes;	/* of sorted parts that the leader has not returned yet */
	Size		sorted_most;	/* the most that these took so far: what the area has for them */
	uint32		helpers;		/* workers that sort parts */
	bool		stopped;
};

/* A run, as a participant reads it. */
typedef struct SharedReader
{
	const SharedRun *run;
	const StoredRows *rows;
	const RowStore *view;		/* of these; NULL if they are in a file */
	const RowStore *fences;		/* keys alone; NULL without fences */
	uint32		from;			/* rows of the part that is read */
	uint32		to;
} SharedReader;

struct SharedSort
{
	SharedSortState *shared;
	dsa_area  **areas;			/* for runs in memory, of one participant each if may be: then nobody waits while they grow */
	dsa_area   *area;			/* the leader's, for all else */
	RowSort    *sort;
	RowLayout  *key_layout;		/* of fences and splitters */
	int			number;
	KeyCode    *code;			/* of words, or NULL */
	uint32		code_kind;
	SpillFile **files;			/* of all participants: its own one once there is one, others when they are read */
	SharedReader  *runs;			/* by number */
	uint32		nruns;
	const Splitter *splitters;
	SharedPart *parts;
	RowStore   *window;			/* rows of a file's run between two fences */
	RowStore   *store;			/* rows of a part that this process sorts */
	RowStore   *view;			/* rows of one that another process has sorted, or NULL */
	uint32		cut_before;		/* each run's `to` is where this part begins; 0: no part has been found */
	RowKeys		groups;			/* leading keys that tell groups apart; none: parts begin with any row */
	uint32		next;			/* the part behind the one that was taken last */
	uint64		first_row;		/* of the part whose keys are asked for, among all rows */
	uint64		end_row;
};

/* shared_sort.c */
extern uint32 gpusort_shared_wait_event(void);
/*
 * True if so many eighths of /dev/shm stay free when each participant takes so many bytes.  Where it is full, the
 * server raises an error.  And a new segment of an area may take half of what the area has.
 */
extern bool gpusort_shared_has_space(const SharedSortState *shared, Size bytes, int eighths);
/* Bytes of a run in memory, and of what orders it. */
extern Size gpusort_shared_run_bytes(const SharedSortState *shared);
/* Frees a part that is sorted. */
extern void gpusort_shared_free_part(dsa_area *area, SharedPart *part);

/* shared_runs.c: the file of a participant. */
extern SpillFile *gpusort_shared_file(SharedSort *part, int participant, bool create);

/* shared_division.c */
/* Prepares reading parts, which exist. */
extern void gpusort_shared_open_parts(SharedSort *part);
/* The first row of a run that does not come before a splitter.  Rows before `low` are known to come before it. */
extern uint32 gpusort_shared_cut(SharedSort *part, uint32 run, const Splitter *splitter, uint32 low);
/* Loads a part into the sort's store and puts it in order. */
extern void gpusort_shared_sort_part(SharedSort *part, uint32 number);

#endif							/* GPUSORT_SHARED_STATE_H */
