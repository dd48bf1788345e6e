/*
 * sort_stats.c
 *	  Counters of what was sorted: collected in the backend, summed in shared
 *	  memory, read through the view gpusort.stats.
 *
 * The shared counters are atomics and need no lock.  The table of fallback
 * reasons grows by an entry when a reason is first met: its lock is held shared
 * to find an entry and exclusively to add one; counts are atomics again.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "sort/sort.h"
#include "sort/sort_stats.h"

#define FALLBACK_REASONS 64
#define FALLBACK_REASON_LENGTH 96
#define COUNTERS (sizeof(SortCounts) / sizeof(uint64_t))

typedef struct Fallback
{
	GpusortMethod method;
	char		reason[FALLBACK_REASON_LENGTH];
	pg_atomic_uint64 count;
} Fallback;

typedef struct SharedStats
{
	LWLock	   *lock;			/* protects nfallbacks and the entries' reasons */
	pg_atomic_uint64 counters[GPUSORT_STATS_ENGINES][GPUSORT_METHOD_COUNT][COUNTERS];
	pg_atomic_uint64 reset_at;	/* TimestampTz */
	int			nfallbacks;
	Fallback	fallbacks[FALLBACK_REASONS];
} SharedStats;

typedef struct PendingFallback
{
	GpusortMethod method;
	char		reason[FALLBACK_REASON_LENGTH];
	uint64		count;
} PendingFallback;

static SharedStats *shared = NULL;

/* What this backend has not published yet. */
static SortCounts pending[GPUSORT_STATS_ENGINES][GPUSORT_METHOD_COUNT];
static PendingFallback pending_fallbacks[FALLBACK_REASONS];
static int	npending_fallbacks = 0;
static int	pending_calls = 0;

PG_FUNCTION_INFO_V1(gpusort_stats_counters);
PG_FUNCTION_INFO_V1(gpusort_stats_fallbacks);
PG_FUNCTION_INFO_V1(gpusort_stats_reset);

static SharedStats *stats(void);
static void init_stats(SharedStats *target, LWLock *lock);
static void note_pending(void);
static void publish_fallback(SharedStats *target, const PendingFallback *fallback);
static void at_transaction_end(XactEvent event, void *arg);
static void at_exit(int code, Datum arg);

/* Adds what a sort did to the counters. */
void
gpusort_stats_count(StatsEngine engine, GpusortMethod method, const SortCounts *counts)
{
	SortCounts *sum = &pending[engine][method];

	sum->jobs += counts->jobs;
	sum->segments += counts->segments;
	sum->keys += counts->keys;
	sum->bytes += counts->bytes;
	sum->nanoseconds += counts->nanoseconds;
	sum->verification_failures += counts->verification_failures;
	note_pending();
}

void
gpusort_stats_fallback(GpusortMethod method, const char *reason)
{
	int			i = 0;

	while (i < npending_fallbacks &&
		   (pending_fallbacks[i].method != method ||
			strncmp(pending_fallbacks[i].reason, reason, FALLBACK_REASON_LENGTH - 1) != 0))
		i++;
	if (i == FALLBACK_REASONS)
	{
		gpusort_stats_flush();
		i = 0;
	}
	if (i == npending_fallbacks)
	{
		npending_fallbacks++;
		pending_fallbacks[i] = (PendingFallback) {.method = method};
		strlcpy(pending_fallbacks[i].reason, reason, FALLBACK_REASON_LENGTH);
	}
	pending_fallbacks[i].count++;
	note_pending();
}

/* Sees to it that what is pending is published, at once if there is much of it. */
static void
note_pending(void)
{
	static bool registered = false;

	if (!registered)
	{
		RegisterXactCallback(at_transaction_end, NULL);
		before_shmem_exit(at_exit, (Datum) 0);
		registered = true;
	}
	if (++pending_calls >= GPUSORT_STATS_FLUSH)
		gpusort_stats_flush();
}

void
gpusort_stats_flush(void)
{
	SharedStats *target;

	if (pending_calls == 0)
		return;
	target = stats();
	pending_calls = 0;
	for (int engine = 0; engine < GPUSORT_STATS_ENGINES; engine++)
	{
		for (int method = 0; method < GPUSORT_METHOD_COUNT; method++)
		{
			const uint64_t *sums = (const uint64_t *) &pending[engine][method];

			for (int i = 0; i < COUNTERS; i++)
				if (sums[i] != 0)
					pg_atomic_fetch_add_u64(&target->counters[engine][method][i], sums[i]);
		}
	}
	memset(pending, 0, sizeof(pending));
	for (int i = 0; i < npending_fallbacks; i++)
		publish_fallback(target, &pending_fallbacks[i]);
	npending_fallbacks = 0;
}

static Fallback *
find_fallback(SharedStats *target, GpusortMethod method, const char *reason)
{
	for (int i = 0; i < target->nfallbacks; i++)
		if (target->fallbacks[i].method == method &&
			strncmp(target->fallbacks[i].reason, reason, FALLBACK_REASON_LENGTH - 1) == 0)
			return &target->fallbacks[i];
	return NULL;
}

/* Adds to the shared table; when it is full, the last entry takes the rest as "other". */
static void
publish_fallback(SharedStats *target, const PendingFallback *fallback)
{
	Fallback   *entry;

	if (target->lock)
		LWLockAcquire(target->lock, LW_SHARED);
	entry = find_fallback(target, fallback->method, fallback->reason);
	if (entry == NULL)
	{
		if (target->lock)
		{
			LWLockRelease(target->lock);
			LWLockAcquire(target->lock, LW_EXCLUSIVE);
			entry = find_fallback(target, fallback->method, fallback->reason);
		}
		if (entry == NULL)
		{
			bool		last = target->nfallbacks >= FALLBACK_REASONS - 1;

			entry = &target->fallbacks[last ? FALLBACK_REASONS - 1 : target->nfallbacks];
			entry->method = last ? GPUSORT_METHOD_AUTO : fallback->method;
			strlcpy(entry->reason, last ? "other" : fallback->reason, FALLBACK_REASON_LENGTH);
			target->nfallbacks = Min(target->nfallbacks + 1, FALLBACK_REASONS);
		}
	}
	pg_atomic_fetch_add_u64(&entry->count, fallback->count);
	if (target->lock)
		LWLockRelease(target->lock);
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT ||
		event == XACT_EVENT_PARALLEL_COMMIT || event == XACT_EVENT_PARALLEL_ABORT ||
		event == XACT_EVENT_PREPARE)
		gpusort_stats_flush();
}

static void
at_exit(int code, Datum arg)
{
	gpusort_stats_flush();
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
		own = MemoryContextAllocZero(TopMemoryContext, sizeof(SharedStats));
		init_stats(own, NULL);
	}
	return own;
}

static void
init_stats(SharedStats *target, LWLock *lock)
{
	memset(target, 0, sizeof(SharedStats));
	target->lock = lock;
	for (int engine = 0; engine < GPUSORT_STATS_ENGINES; engine++)
		for (int method = 0; method < GPUSORT_METHOD_COUNT; method++)
			for (int i = 0; i < COUNTERS; i++)
				pg_atomic_init_u64(&target->counters[engine][method][i], 0);
	for (int i = 0; i < FALLBACK_REASONS; i++)
		pg_atomic_init_u64(&target->fallbacks[i].count, 0);
	pg_atomic_init_u64(&target->reset_at, (uint64) GetCurrentTimestamp());
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
		init_stats(shared, &GetNamedLWLockTranche("gpusort stats")->lock);
}

/* Rows (engine, method, jobs, segments, keys, bytes, time_ms, verification_failures, stats_reset). */
Datum
gpusort_stats_counters(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SharedStats *source = stats();

	InitMaterializedSRF(fcinfo, 0);
	gpusort_stats_flush();
	for (int engine = 0; engine < GPUSORT_STATS_ENGINES; engine++)
	{
		for (int method = 0; method < GPUSORT_METHOD_COUNT; method++)
		{
			SortCounts	counts;
			Datum		values[9];
			bool		nulls[9] = {0};

			for (int i = 0; i < COUNTERS; i++)
				((uint64_t *) &counts)[i] = pg_atomic_read_u64(&source->counters[engine][method][i]);
			values[0] = CStringGetTextDatum(engine == GPUSORT_STATS_CPU ? "cpu" : "gpu");
			values[1] = CStringGetTextDatum(gpusort_sort_method_name(method));
			values[2] = Int64GetDatum(counts.jobs);
			values[3] = Int64GetDatum(counts.segments);
			values[4] = Int64GetDatum(counts.keys);
			values[5] = Int64GetDatum(counts.bytes);
			values[6] = Float8GetDatum(counts.nanoseconds / 1e6);
			values[7] = Int64GetDatum(counts.verification_failures);
			values[8] = TimestampTzGetDatum((TimestampTz) pg_atomic_read_u64(&source->reset_at));
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}

/* Rows (method, reason, count). */
Datum
gpusort_stats_fallbacks(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SharedStats *source = stats();

	InitMaterializedSRF(fcinfo, 0);
	gpusort_stats_flush();
	if (source->lock)
		LWLockAcquire(source->lock, LW_SHARED);
	for (int i = 0; i < source->nfallbacks; i++)
	{
		Fallback   *fallback = &source->fallbacks[i];
		uint64		count = pg_atomic_read_u64(&fallback->count);
		Datum		values[3];
		bool		nulls[3] = {0};

		if (count == 0)
			continue;
		values[0] = CStringGetTextDatum(gpusort_sort_method_name(fallback->method));
		values[1] = CStringGetTextDatum(fallback->reason);
		values[2] = Int64GetDatum(count);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	if (source->lock)
		LWLockRelease(source->lock);
	return (Datum) 0;
}

/* Sets all counters to zero. */
Datum
gpusort_stats_reset(PG_FUNCTION_ARGS)
{
	SharedStats *target = stats();

	gpusort_stats_flush();
	for (int engine = 0; engine < GPUSORT_STATS_ENGINES; engine++)
		for (int method = 0; method < GPUSORT_METHOD_COUNT; method++)
			for (int i = 0; i < COUNTERS; i++)
				pg_atomic_write_u64(&target->counters[engine][method][i], 0);
	for (int i = 0; i < FALLBACK_REASONS; i++)
		pg_atomic_write_u64(&target->fallbacks[i].count, 0);
	pg_atomic_write_u64(&target->reset_at, (uint64) GetCurrentTimestamp());
	PG_RETURN_VOID();
}
