/*
 * sort_attempt.c
 *	  See sort_attempt.h.
 */
#include "postgres.h"

#include "stats/sort_attempt.h"

/* Attempts at ALWAYS_TIMED_KEYS keys or more are timed; of smaller ones, one in SMALL_TIMED_EVERY. */
#define ALWAYS_TIMED_KEYS 1024
#define SMALL_TIMED_EVERY 64

/* Reading the clock twice takes as long as sorting a small array, so only some of those are timed. */
static inline uint32_t
timing_weight(uint64_t keys)
{
	static uint32_t small_attempts = 0;

	if (keys >= ALWAYS_TIMED_KEYS)
		return 1;
	return small_attempts++ % SMALL_TIMED_EVERY == 0 ? SMALL_TIMED_EVERY : 0;
}

void
gpusort_attempt_begin(SortAttempt *attempt, EngineId engine, SortUse use,
					  GpusortMethod method, uint64_t keys, ShownSortId whole)
{
	attempt->engine = engine;
	attempt->use = use;
	attempt->method = method;
	attempt->weight = timing_weight(keys);
	attempt->is_part = whole != 0;
	if (attempt->is_part)
	{
		attempt->progress = whole;
		gpusort_progress_engine(whole, engine, method);
	}
	else
		attempt->progress = keys < GPUSORT_PROGRESS_MIN_KEYS ? 0 : gpusort_progress_show(engine, use, method, keys);
	if (attempt->weight > 0)
		INSTR_TIME_SET_CURRENT(attempt->start);
}

void
gpusort_attempt_drop(SortAttempt *attempt)
{
	if (!attempt->is_part)
		gpusort_progress_end(attempt->progress);
}

void
gpusort_attempt_succeed(SortAttempt *attempt, GpusortMethod used,
						uint64_t segments, uint64_t keys, uint64_t bytes)
{
	SortCounts	counts = {.jobs = 1,.segments = segments,.keys = keys,.bytes = bytes};

	if (attempt->weight > 0)
	{
		instr_time	end;

		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, attempt->start);
		counts.nanoseconds = (uint64_t) (INSTR_TIME_GET_DOUBLE(end) * 1e9) * attempt->weight;
	}
	gpusort_attempt_drop(attempt);
	gpusort_stats_count(attempt->engine, attempt->use, used, &counts);
	if (message_level_is_interesting(DEBUG1))
		ereport(DEBUG1,
				(errmsg_internal("sorted %llu keys in %llu segments by method \"%s\" on engine \"%s\"",
								 (unsigned long long) keys, (unsigned long long) segments,
								 gpusort_method_name(used), gpusort_engine_name(attempt->engine))));
}

void
gpusort_attempt_fail(SortAttempt *attempt, SortReason why)
{
	gpusort_attempt_drop(attempt);
	ereport(DEBUG1,
			(errmsg_internal("engine \"%s\" did not sort this: %s",
							 gpusort_engine_name(attempt->engine), gpusort_reason_text(why))));
}
