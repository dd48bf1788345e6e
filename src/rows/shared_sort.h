/*
 * shared_sort.h
 *	  A sort of rows by several processes: the leader and parallel workers.
 *
 *	  leader:       init --> [reset] --> join, collect ... --> next ... --> stop
 *	  participant:  join --> collect ... --> help, or take ...
 *
 * 1. Each participant sorts what it reads, as much as lies in the caches or fits its memory, into
 *	  runs, in shared memory as long as that lasts and then in a file of its own.
 * 2. When all that take part have read their rows, one of them chooses splitters from samples of
 *	  all runs.  Cut at these, all runs together make parts of nearly the same size.
 * 3. Each part is sorted by itself, by whoever has time.  The leader returns one after the other.  It
 *	  sorts a part itself if nobody has begun to.  Workers are at most a few parts ahead of it, and
 *	  those that are not needed for that end.
 *
 * A place in the order is a key and, among equal ones, the number of the run and of the row.  So
 * parts are even whatever the rows are, and cuts are exact without codes that all
 * processes share.  The sort is not stable, as the input of parallel workers has no order.
 *
 * If the first key is bytes, rows have words, too: codes that all processes make alike, of one sample, the fences of
 * the first run that has enough.  A part whose rows all have such words is sorted by them, so that no text is encoded again.
 * Words that tie too many rows are given up.
 *
 * Where only numbers and few values are asked for, no rows are returned: each participant counts the runs of
 * equal rows in parts that it sorts, and the leader sorts the parts that hold those values.
 *
 * Where rows are divided by groups, those that are equal in some leading keys, no rows are returned to the leader, either: each
 * participant takes parts in ascending order and reads their rows.  A part then begins with a group.  Parts in which a
 * group of more rows goes on are taken by the same participant.
 *
 * Nobody waits for a process that may never start.  A worker that comes late skips step 1.
 */
#ifndef GPUSORT_SHARED_SORT_H
#define GPUSORT_SHARED_SORT_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "storage/dsm.h"

#include "rows/row_sort.h"
#include "utils/dsa.h"

/* What all participants share, in the memory of a parallel query. */
typedef struct SharedSortState SharedSortState;

/* One participant.  It ends with the memory context of its sort. */
typedef struct SharedSort SharedSort;

/* Bytes for so many participants, with the beginning of an area of memory for each. */
extern Size gpusort_shared_sort_size(int participants);

extern int	gpusort_shared_sort_participants(const SharedSortState *shared);

/*
 * Called by the leader, for so many participants, each of which may take so much memory.  Returns their areas; NULL if there is
 * no memory for these: then the leader must be alone.
 */
extern dsa_area **gpusort_shared_sort_init(SharedSortState *shared, dsm_segment *segment, int participants, Size memory);

/* Called by the leader before all start again.  The areas have what the former run allocated. */
extern void gpusort_shared_sort_reset(SharedSortState *shared, dsa_area **areas);

/* Called by a worker when it starts. */
extern dsa_area **gpusort_shared_sort_attach(SharedSortState *shared);

/* Called by all when they no longer read what lies in the areas. */
extern void gpusort_shared_sort_detach(const SharedSortState *shared, dsa_area **areas);

/* Bytes of rows, of so many that it is expected to collect, that a participant holds itself. */
extern Size gpusort_shared_sort_local_bytes(const SharedSortState *shared, double expected_bytes);

/*
 * Takes part with a sort of no rows.  Participants have different numbers, from 0.  If so many leading keys tell groups apart,
 * parts are divided and taken by these; 0: they begin with any row.
 */
extern SharedSort *gpusort_shared_sort_join(SharedSortState *shared, dsa_area **areas, RowSort *sort, int participant,
											int group_keys);

/* True if rows are still collected.  Then gpusort_shared_sort_collected must follow. */
extern bool gpusort_shared_sort_collects(SharedSort *part);

/* Waits for the others that collect. */
extern void gpusort_shared_sort_collected(SharedSort *part);

/* Sorts parts until there are none left. */
extern void gpusort_shared_sort_help(SharedSort *part);

/*
 * Replaces the rows of the sort's store by those of the next part that this participant takes, in order.  Returns false
 * if there is none.  All of its groups come behind those that it has taken before.
 */
extern bool gpusort_shared_sort_take(SharedSort *part);

/* Sorts parts and counts their runs, until there are none left. */
extern void gpusort_shared_sort_count(SharedSort *part);

/* How many rows were collected. */
extern uint64 gpusort_shared_sort_rows(const SharedSort *part);

/*
 * Returns how many different rows there are, when all parts are counted.  Sets *mode to the number, in the order, of the first
 * of the most frequent ones.
 */
extern uint64 gpusort_shared_sort_runs(SharedSort *part, uint64 *mode);

/* The first key of the row of this number, which may point into the part that has it.  No part may be returned. */
extern Datum gpusort_shared_sort_key(SharedSort *part, uint64 row);

/* Replaces the rows of the sort's store by those of the next part, in order.  Returns false behind the last one. */
extern bool gpusort_shared_sort_next(SharedSort *part);

/* Has workers end.  The leader wants no more parts. */
extern void gpusort_shared_sort_stop(SharedSortState *shared);

/* Closes files. */
extern void gpusort_shared_sort_leave(SharedSort *part);

#endif							/* GPUSORT_SHARED_SORT_H */
