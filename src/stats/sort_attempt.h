/*
 * sort_attempt.h
 *	  The account of an attempt: one try of an engine at a sort.
 *
 *	  begin --> succeed
 *	        \-> fail
 *
 * Attempts keep the counters, the time and the view gpusort.jobs, except for two things.
 * A fallback is counted where the CPU takes over (gpusort_stats_fallback), because a
 * device may be tried in two ways.  Sorts of a device and failed verifications are counted
 * by its worker, for each piece of a sort, even if no backend waits for it any more.
 *
 * Several attempts may be under way at a time.  After an error nothing has to be called,
 * unless the attempt can outlive the end of the transaction; then gpusort_attempt_drop.
 */
#ifndef GPUSORT_SORT_ATTEMPT_H
#define GPUSORT_SORT_ATTEMPT_H

#include "portability/instr_time.h"

#include "stats/sort_progress.h"
#include "stats/sort_reason.h"
#include "stats/sort_stats.h"

typedef struct SortAttempt
{
	EngineId	engine;
	SortUse		use;
	GpusortMethod method;		/* the method asked for */
	ShownSortId progress;		/* the shown sort: its own, or the one that it is part of */
	bool		is_part;
	uint32_t	weight;			/* for how many attempts its time stands; 0 if it is not timed */
	instr_time	start;
} SortAttempt;

/* `whole` is the shown sort that the attempt is part of; with 0 it is shown by itself. */
extern void gpusort_attempt_begin(SortAttempt *attempt, EngineId engine, SortUse use,
								  GpusortMethod method, uint64_t keys, ShownSortId whole);

/* The attempt has sorted by method `used`. */
extern void gpusort_attempt_succeed(SortAttempt *attempt, GpusortMethod used,
									uint64_t segments, uint64_t keys, uint64_t bytes);

/* A device has not sorted. */
extern void gpusort_attempt_fail(SortAttempt *attempt, SortReason why);

/* The attempt is abandoned. */
extern void gpusort_attempt_drop(SortAttempt *attempt);

#endif							/* GPUSORT_SORT_ATTEMPT_H */
