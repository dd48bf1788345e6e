/*
 * sort_stats.c
 *	  Counters of sorts: collected in the backend, summed in shared memory, read
 *	  through the view gpusort.stats.
 *
 * The shared counters are atomics and need no lock.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "stats/sort_stats.h"

#define COUNTERS (sizeof(SortCounts) / sizeof(uint64_t))

typedef struct SharedStats
{
	pg_atomic_uint64 counters[SORT_USES][ENGINE_COUNT][GPUSORT_METHOD_COUNT][COUNTERS];
	pg_atomic_uint64 fallbacks[SORT_USES][GPUSORT_METHOD_COUNT][SORT_REASONS];
	pg_atomic_uint64 reset_at;	/* TimestampTz */
} SharedStats;

static SharedStats *shared = NULL;

/* Counts that this backend has not published yet, and for which uses there are some. */
static SortCounts pending[SORT_USES][ENGINE_COUNT][GPUSORT_METHOD_COUNT];
static bool has_pending[SORT_USES];
static uint64_t pending_fallbacks[SORT_USES][GPUSORT_METHOD_COUNT][SORT_REASONS];
static int	pending_calls = 0;

PG_FUNCTION_INFO_V1(gpusort_stats_counters);
PG_FUNCTION_INFO_V1(gpusort_stats_fallbacks);
PG_FUNCTION_INFO_V1(gpusort_stats_reset);

/* Adds pending numbers to the shared ones, and sets them to zero. */
static void
add_to_shared(uint64_t *numbers, pg_atomic_uint64 *sums, int count)
{
	for (int i = 0; i < count; i++)
		if (numbers[i] != 0)
			pg_atomic_fetch_add_u64(&sums[i], numbers[i]);
	memset(numbers, 0, count * sizeof(uint64_t));
}

static void
zero(pg_atomic_uint64 *counters, Size bytes, bool fresh)
{
	for (Size i = 0; i < bytes / sizeof(pg_atomic_uint64); i++)
	{
		if (fresh)
			pg_atomic_init_u64(&counters[i], 0);
		else
			pg_atomic_write_u64(&counters[i], 0);
	}
}

static void
init_stats(SharedStats *target)
{
	zero(&target->counters[0][0][0][0], sizeof(target->counters), true);
	zero(&target->fallbacks[0][0][0], sizeof(target->fallbacks), true);
	pg_atomic_init_u64(&target->reset_at, (uint64) GetCurrentTimestamp());
}

/* The shared counters, or the backend's own when not preloaded. */
static SharedStats *
stats(void)
{
	static SharedStats *own = NULL;

	if (shared)
		return shared;
	if (own == NULL)
	{
		own = MemoryContextAlloc(TopMemoryContext, sizeof(SharedStats));
		init_stats(own);
	}
	return own;
}

/* Publishes this backend's counts. */
static void
flush_counts(void)
{
	SharedStats *target;

	if (pending_calls == 0)
		return;
	target = stats();
	pending_calls = 0;
	for (int use = 0; use < SORT_USES; use++)
	{
		if (!has_pending[use])
			continue;
		add_to_shared((uint64_t *) pending[use], &target->counters[use][0][0][0],
					  ENGINE_COUNT * GPUSORT_METHOD_COUNT * COUNTERS);
		add_to_shared(&pending_fallbacks[use][0][0], &target->fallbacks[use][0][0], GPUSORT_METHOD_COUNT * SORT_REASONS);
	}
	memset(has_pending, 0, sizeof(has_pending));
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT ||
		event == XACT_EVENT_PARALLEL_COMMIT || event == XACT_EVENT_PARALLEL_ABORT ||
		event == XACT_EVENT_PREPARE)
		flush_counts();
}

static void
at_exit(int code, Datum arg)
{
	flush_counts();
}

/* Arranges that pending counts are published: at the end of the transaction, or now if there are many. */
static void
note_pending(SortUse use)
{
	static bool registered = false;

	if (!registered)
	{
		RegisterXactCallback(at_transaction_end, NULL);
		before_shmem_exit(at_exit, (Datum) 0);
		registered = true;
	}
	has_pending[use] = true;
	if (++pending_calls >= GPUSORT_STATS_FLUSH)
		flush_counts();
}

/* Adds to the counters. */
void
gpusort_stats_count(EngineId engine, SortUse use, GpusortMethod method, const SortCounts *counts)
{
	uint64_t   *sums = (uint64_t *) &pending[use][engine][method];

	for (int c = 0; c < COUNTERS; c++)
		sums[c] += ((const uint64_t *) counts)[c];
	note_pending(use);
}

void
gpusort_stats_fallback(SortUse use, GpusortMethod method, SortReason reason)
{
	pending_fallbacks[use][method][reason]++;
	note_pending(use);
}

const char *
gpusort_use_name(SortUse use)
{
	static const char *const names[SORT_USES] = {
#define SORT_USE(symbol, name) name,
		GPUSORT_SORT_USES(SORT_USE)
#undef SORT_USE
	};

	return names[use];
}

void
gpusort_stats_count_now(SortUse use, GpusortMethod method, const SortCounts *counts)
{
	SortCounts	copy = *counts;

	add_to_shared((uint64_t *) &copy, shared->counters[use][ENGINE_GPU][method], COUNTERS);
}

Size
gpusort_stats_shmem_size(void)
{
	return MAXALIGN(sizeof(SharedStats));
}

/* Runs under AddinShmemInitLock. */
void
gpusort_stats_shmem_startup(void)
{
	bool		found;

	shared = ShmemInitStruct("gpusort stats", sizeof(SharedStats), &found);
	if (!found)
		init_stats(shared);
}

/* Rows (engine, used_for, method, jobs, segments, keys, bytes, time_ms, device_sorts, verification_failures, stats_reset). */
Datum
gpusort_stats_counters(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SharedStats *source = stats();

	InitMaterializedSRF(fcinfo, 0);
	flush_counts();
	for (int i = 0; i < SORT_USES * ENGINE_COUNT * GPUSORT_METHOD_COUNT; i++)
	{
		int			method = i % GPUSORT_METHOD_COUNT;
		int			engine = i / GPUSORT_METHOD_COUNT % ENGINE_COUNT;
		int			use = i / GPUSORT_METHOD_COUNT / ENGINE_COUNT;
		SortCounts	counts;
		Datum		values[11];
		bool		nulls[11] = {0};

		if (engine == ENGINE_NONE)
			continue;
		for (int c = 0; c < COUNTERS; c++)
			((uint64_t *) &counts)[c] = pg_atomic_read_u64(&source->counters[use][engine][method][c]);
		values[0] = CStringGetTextDatum(gpusort_engine_name(engine));
		values[1] = CStringGetTextDatum(gpusort_use_name(use));
		values[2] = CStringGetTextDatum(gpusort_method_name(method));
		values[3] = Int64GetDatum(counts.jobs);
		values[4] = Int64GetDatum(counts.segments);
		values[5] = Int64GetDatum(counts.keys);
		values[6] = Int64GetDatum(counts.bytes);
		values[7] = Float8GetDatum(counts.nanoseconds / 1e6);
		values[8] = Int64GetDatum(counts.device_sorts);
		values[9] = Int64GetDatum(counts.verification_failures);
		values[10] = TimestampTzGetDatum((TimestampTz) pg_atomic_read_u64(&source->reset_at));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* Rows (used_for, method, reason, count). */
Datum
gpusort_stats_fallbacks(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SharedStats *source = stats();

	InitMaterializedSRF(fcinfo, 0);
	flush_counts();
	for (int i = 0; i < SORT_USES * GPUSORT_METHOD_COUNT * SORT_REASONS; i++)
	{
		int			reason = i % SORT_REASONS;
		int			method = i / SORT_REASONS % GPUSORT_METHOD_COUNT;
		int			use = i / SORT_REASONS / GPUSORT_METHOD_COUNT;
		uint64		count = pg_atomic_read_u64(&source->fallbacks[use][method][reason]);
		Datum		values[4];
		bool		nulls[4] = {0};

		if (count == 0)
			continue;
		values[0] = CStringGetTextDatum(gpusort_use_name(use));
		values[1] = CStringGetTextDatum(gpusort_method_name(method));
		values[2] = CStringGetTextDatum(gpusort_reason_text(reason));
		values[3] = Int64GetDatum(count);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* Sets all counters to zero. */
Datum
gpusort_stats_reset(PG_FUNCTION_ARGS)
{
	SharedStats *target = stats();

	flush_counts();
	zero(&target->counters[0][0][0][0], sizeof(target->counters), false);
	zero(&target->fallbacks[0][0][0], sizeof(target->fallbacks), false);
	pg_atomic_write_u64(&target->reset_at, (uint64) GetCurrentTimestamp());
	PG_RETURN_VOID();
}
