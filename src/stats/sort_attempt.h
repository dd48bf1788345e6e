/*
 * sort_attempt.h
 *	  The account of one try to sort, on whichever engine and for whomever.
 *
 *	  begin --> succeed
 *	        \-> fail
 *
 * Counters, time and the view gpusort.jobs are seen to here and nowhere else.  Two
 * things are not.  A fallback is counted where the CPU takes over
 * (gpusort_stats_fallback), for a device may be tried in two ways.  Sorts of a
 * device and results that failed verification are counted by its worker, for each
 * piece of a sort and for results that nobody waits for any more.  Several
 * attempts may be under way at a time.  An error in between needs no call, unless
 * the attempt outlives the transaction's end: then gpusort_attempt_drop.
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
	GpusortMethod method;		/* asked for */
	ProgressJob progress;		/* its own, or that of the sort that it is part of */
	bool		is_part;
	uint32_t	weight;			/* attempts that its time stands for; 0: it is not timed */
	instr_time	start;
} SortAttempt;

/* Whole is how the sort is shown that the attempt is part of, or 0: it is shown by itself. */
extern void gpusort_attempt_begin(SortAttempt *attempt, EngineId engine, SortUse use,
								  GpusortMethod method, uint64_t keys, ProgressJob whole);

/* Sorted by that method. */
extern void gpusort_attempt_succeed(SortAttempt *attempt, GpusortMethod used,
									uint64_t segments, uint64_t keys, uint64_t bytes);

/* A device did not do it. */
extern void gpusort_attempt_fail(SortAttempt *attempt, SortReason why);

/* Nobody waits for its end any more. */
extern void gpusort_attempt_drop(SortAttempt *attempt);

#endif							/* GPUSORT_SORT_ATTEMPT_H */
