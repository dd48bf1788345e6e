/*
 * sort_progress.h
 *	  What each backend is sorting now, for the view gpusort.jobs.
 *
 * Meant for sorts that last: begin and end take a lock of the backend's own slot
 * for a moment, an update is one store.  A backend has one slot, so of sorts
 * within sorts the outermost is shown; begin gives the others no number, and what
 * they say of themselves is not shown.  What an error leaves is cleared when the
 * transaction or subtransaction that began it aborts.
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
	SORT_PHASE_MERGING,
	SORT_PHASES
} SortPhase;

/* Sorts of fewer keys are over before anyone could look. */
#define GPUSORT_PROGRESS_MIN_KEYS 1000000

/* Names a sort that is shown; 0: one that is not. */
typedef uint64_t ProgressJob;

extern ProgressJob gpusort_progress_show(EngineId engine, SortUse use, GpusortMethod method, uint64_t keys);
extern void gpusort_progress_write(ProgressJob job, SortPhase phase, uint64_t done, uint64_t total);
extern void gpusort_progress_clear(ProgressJob job);

/* Shows this backend in gpusort.jobs, unless it is shown or the sort is a short one. */
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
