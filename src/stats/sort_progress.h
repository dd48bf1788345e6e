/*
 * sort_progress.h
 *	  What each backend is sorting now, for the view gpusort.jobs.
 *
 * Sorts of many keys are shown, and each ORDER BY of the rows node.  Begin and end take the
 * spinlock of a slot of the backend; an update is a store or a few.  A backend has
 * GPUSORT_SHOWN_SORTS slots.  If none is free, begin returns 0, and the sort is not shown.
 * A sort of keys that is part of another sort is shown as that one.  After an error a slot
 * is cleared when the transaction or subtransaction that began the sort aborts.
 */
#ifndef GPUSORT_SORT_PROGRESS_H
#define GPUSORT_SORT_PROGRESS_H

#include "stats/sort_stats.h"

typedef enum SortPhase
{
	SORT_PHASE_READING,
	SORT_PHASE_SENDING,
	SORT_PHASE_SORTING,
	SORT_PHASE_FETCHING,
	SORT_PHASE_WRITING,			/* a run */
	SORT_PHASE_RETURNING,
	SORT_PHASES
} SortPhase;

/* The most sorts of a backend that are shown at a time. */
#define GPUSORT_SHOWN_SORTS 4

/* Sorts of fewer keys end too soon to be seen. */
#define GPUSORT_PROGRESS_MIN_KEYS 1000000

/* The number of a shown sort, or 0 for one that is not shown. */
typedef uint64_t ShownSortId;

/* What is shown of an ORDER BY. */
typedef struct ProgressRows
{
	uint64_t	expected;		/* the planner's estimate; when all rows are read, their number */
	uint64_t	read;
	uint64_t	parts;			/* in temporary files */
	uint64_t	returned;
} ProgressRows;

/* Shows a sort, if there is a slot for it.  An ORDER BY has no engine yet. */
extern ShownSortId gpusort_progress_show(EngineId engine, SortUse use, GpusortMethod method, uint64_t keys);

/* Sets the phase, and how much of it is done. */
extern void gpusort_progress_update(ShownSortId id, SortPhase phase, uint64_t done, uint64_t total);

/* Clears the slot of a sort, unless an abort has already done so. */
extern void gpusort_progress_end(ShownSortId id);

/* Updates the numbers that are shown of an ORDER BY. */
extern void gpusort_progress_rows(ShownSortId id, const ProgressRows *rows);

/* Sets engine and method of a shown sort. */
extern void gpusort_progress_engine(ShownSortId id, EngineId engine, GpusortMethod method);

/* Shows an ORDER BY.  The number of its rows is the planner's estimate. */
static inline ShownSortId
gpusort_progress_begin_rows(uint64_t expected)
{
	return gpusort_progress_show(ENGINE_NONE, USED_FOR_ROWS, GPUSORT_METHOD_AUTO, expected);
}

/* True if the current role may see what the backend does, as in pg_stat_activity. */
extern bool gpusort_may_see_backend(int pid);

extern Size gpusort_progress_shmem_size(void);
extern void gpusort_progress_shmem_startup(void);

#endif							/* GPUSORT_SORT_PROGRESS_H */
