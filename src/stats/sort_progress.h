/*
 * sort_progress.h
 *	  What each backend is sorting now, for the view gpusort.jobs.
 *
 * Meant for sorts that last: begin and end take a lock of the backend's own slot
 * for a moment, an update is a store or a few.  A backend has GPUSORT_SHOWN_SORTS
 * slots; begin gives a sort that finds none free no number, and what that says of
 * itself is not shown.  A sort of keys that is part of another sort is shown as
 * that one.  What an error leaves is cleared when the transaction or
 * subtransaction that began it aborts.
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
	SORT_PHASE_MERGING,
	SORT_PHASE_RETURNING,
	SORT_PHASES
} SortPhase;

/* Sorts of a backend that can be shown at a time. */
#define GPUSORT_SHOWN_SORTS 4

/* Sorts of fewer keys are over before anyone could look. */
#define GPUSORT_PROGRESS_MIN_KEYS 1000000

/* Names a sort that is shown; 0: one that is not. */
typedef uint64_t ProgressJob;

/* What is shown of an ORDER BY. */
typedef struct ProgressRows
{
	uint64_t	expected;		/* by the planner, until all are read: then so many */
	uint64_t	read;
	uint64_t	runs;			/* written to temporary files */
	uint64_t	returned;
} ProgressRows;

extern ProgressJob gpusort_progress_show(EngineId engine, SortUse use, GpusortMethod method, uint64_t keys);
extern void gpusort_progress_write(ProgressJob job, SortPhase phase, uint64_t done, uint64_t total);
extern void gpusort_progress_clear(ProgressJob job);

/* Shows an ORDER BY, by an engine that is not known yet. */
extern ProgressJob gpusort_progress_begin_rows(uint64_t expected);

/* Says how far an ORDER BY is. */
extern void gpusort_progress_rows(ProgressJob job, const ProgressRows *rows);

/* Says which engine sorts keys for the sort, and by which method. */
extern void gpusort_progress_engine(ProgressJob job, EngineId engine, GpusortMethod method);

/* Shows the sort in gpusort.jobs, unless it is a short one. */
static inline ProgressJob
gpusort_progress_begin(EngineId engine, SortUse use, GpusortMethod method, uint64_t keys)
{
	return keys < GPUSORT_PROGRESS_MIN_KEYS ? 0 : gpusort_progress_show(engine, use, method, keys);
}

/* Says how far the phase is. */
static inline void
gpusort_progress_update(ProgressJob job, SortPhase phase, uint64_t done, uint64_t total)
{
	if (job != 0)
		gpusort_progress_write(job, phase, done, total);
}

static inline void
gpusort_progress_end(ProgressJob job)
{
	if (job != 0)
		gpusort_progress_clear(job);
}

extern Size gpusort_progress_shmem_size(void);
extern void gpusort_progress_shmem_startup(void);

#endif							/* GPUSORT_SORT_PROGRESS_H */
