/*
 * sort_progress.h
 *	  What each backend is sorting now, for the view gpusort.jobs.
 *
 * Meant for sorts that last: begin and end take a lock of the backend's own slot
 * for a moment, an update is one store.  What an error leaves is cleared when
 * its transaction or subtransaction aborts.
 */
#ifndef GPUSORT_SORT_PROGRESS_H
#define GPUSORT_SORT_PROGRESS_H

#include "sort/sort_stats.h"

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

extern void gpusort_progress_begin(StatsEngine engine, GpusortMethod method, uint64_t keys);
extern void gpusort_progress_update(SortPhase phase, uint64_t done, uint64_t total);
extern void gpusort_progress_end(void);

extern Size gpusort_progress_shmem_size(void);
extern void gpusort_progress_shmem_startup(void);

#endif							/* GPUSORT_SORT_PROGRESS_H */
