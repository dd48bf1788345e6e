/*
 * sort.c
 *	  Chooses the engine of each sort, and runs it.
 *
 *	  engine = cpu		the CPU engine, or an error
 *	  engine = gpu		the GPU engine, or an error
 *	  engine = auto		the GPU engine for gpusort.min_gpu_keys keys or more and
 *						for methods that run nowhere else; where it refuses or
 *						fails, the CPU engine
 *
 * A method named by hand is an order: if no engine that may be used can run it,
 * that is an error.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"

#include "cpu_engine/cpu_engine.h"
#include "guc.h"
#include "sort/sort.h"
#include "sort/sort_progress.h"
#include "sort/sort_stats.h"

/* Requests of at least this many keys are timed; of smaller ones, one in so many. */
#define ALWAYS_TIMED_KEYS 1024
#define SMALL_TIMED_EVERY 64

static const SortEngine *gpu_engine = NULL;

void
gpusort_sort_set_gpu_engine(const SortEngine *engine)
{
	gpu_engine = engine;
}

const char *
gpusort_sort_method_name(GpusortMethod method)
{
	static const char *const names[] = {
#define METHOD_NAME(symbol, name) name,
		GPUSORT_METHODS(METHOD_NAME)
#undef METHOD_NAME
	};

	return names[method];
}

static uint64_t
count_keys(const SortRequest *request)
{
	uint64_t	keys = 0;

	for (uint32_t i = 0; i < request->nsegments; i++)
		keys += request->segments[i].count;
	return keys;
}

/* Counts a request that was sorted. */
void
gpusort_sort_count(const SortRequest *request, uint64_t nanoseconds)
{
	StatsEngine engine = request->used_engine == gpusort_cpu_engine.name ? GPUSORT_STATS_CPU : GPUSORT_STATS_GPU;
	uint64_t	keys = count_keys(request);
	uint64_t	bytes_per_key = gpusort_key_width(request->spec.form) +
		(request->spec.payload == GPUSORT_PAYLOAD_NONE ? 0 : sizeof(uint32_t));

	gpusort_stats_count(engine, request->used_method,
						&(SortCounts)
						{
							.jobs = 1,
							.segments = request->nsegments,
							.keys = keys,
							.bytes = keys * bytes_per_key,
							.nanoseconds = nanoseconds
						});
	if (message_level_is_interesting(DEBUG1))
		ereport(DEBUG1,
				(errmsg_internal("sorted %llu keys in %u segments by method \"%s\" on engine \"%s\"",
								 (unsigned long long) keys, request->nsegments,
								 gpusort_sort_method_name(request->used_method), request->used_engine)));
}

/*
 * How many requests stand for this one's time: reading the clock twice costs as
 * much as sorting a small array, so only some of these are timed.  0: not timed.
 */
static uint32_t
timing_weight(const SortRequest *request)
{
	static uint32_t small_requests = 0;

	if (request->nslots >= ALWAYS_TIMED_KEYS)
		return 1;
	return small_requests++ % SMALL_TIMED_EVERY == 0 ? SMALL_TIMED_EVERY : 0;
}

/* Runs the request on an engine that did not refuse it; returns why it failed, or NULL. */
static const char *
run(const SortEngine *engine, SortRequest *request)
{
	uint32_t	weight = timing_weight(request);
	instr_time	start;
	instr_time	end;
	const char *failure;

	INSTR_TIME_SET_ZERO(start);
	INSTR_TIME_SET_ZERO(end);
	if (weight > 0)
		INSTR_TIME_SET_CURRENT(start);
	failure = engine->sort(request);
	if (failure == NULL)
	{
		if (weight > 0)
			INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, start);
		request->used_engine = engine->name;
		gpusort_sort_count(request, (uint64_t) (INSTR_TIME_GET_DOUBLE(end) * 1e9) * weight);
	}
	return failure;
}

void
gpusort_sort_no_gpu(const GpusortSpec *spec, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot sort by method \"%s\" on engine \"gpu\"", gpusort_sort_method_name(spec->method)),
			 reason ? errdetail_internal("%s", reason) : 0,
			 reason ? errhint("Set \"gpusort.engine\" to \"auto\" to let the CPU sort what the GPU cannot.") :
			 errhint("Add gpusort to shared_preload_libraries.")));
}

/* Runs the request on the GPU, or raises an error. */
static void
require_gpu(SortRequest *request)
{
	const char *reason = gpu_engine ? gpu_engine->refuses(request) : NULL;

	if (gpu_engine && reason == NULL)
		reason = run(gpu_engine, request);
	if (gpu_engine == NULL || reason != NULL)
		gpusort_sort_no_gpu(&request->spec, reason);
}

const char *
gpusort_sort_cpu_refuses(const GpusortSpec *spec)
{
	SortRequest request = {.spec = *spec};

	return gpusort_cpu_engine.refuses(&request);
}

void
gpusort_sort_on_cpu(SortRequest *request)
{
	const char *refusal = gpusort_cpu_engine.refuses(request);

	if (refusal != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot sort by method \"%s\" on engine \"cpu\"",
						gpusort_sort_method_name(request->spec.method)),
				 errdetail_internal("%s", refusal)));
	gpusort_progress_begin(GPUSORT_STATS_CPU, request->spec.method, request->nslots);
	gpusort_progress_update(SORT_PHASE_SORTING, 0, 1);
	(void) run(&gpusort_cpu_engine, request);
	gpusort_progress_end();
}

/* Is the GPU asked first, where the CPU may sort, too? */
static bool
offered_to_gpu(const SortRequest *request)
{
	return gpusort_engine == GPUSORT_ENGINE_AUTO && gpu_engine != NULL &&
		((request->nslots >= gpusort_min_gpu_keys && count_keys(request) >= gpusort_min_gpu_keys) ||
		 gpusort_cpu_engine.refuses(request) != NULL);
}

bool
gpusort_sort_wants_gpu(const SortRequest *request)
{
	return gpusort_engine == GPUSORT_ENGINE_GPU ||
		(offered_to_gpu(request) && gpu_engine->refuses(request) == NULL);
}

void
gpusort_sort(SortRequest *request)
{
	if (request->spec.method == GPUSORT_METHOD_AUTO)
		request->spec.method = gpusort_method;
	request->used_method = request->spec.method;

	if (gpusort_engine == GPUSORT_ENGINE_GPU)
	{
		require_gpu(request);
		return;
	}

	if (offered_to_gpu(request))
	{
		const char *reason = gpu_engine->refuses(request);

		if (reason == NULL)
			reason = run(gpu_engine, request);
		if (reason == NULL)
			return;
		ereport(DEBUG1,
				(errmsg_internal("engine \"gpu\" does not sort this: %s", reason)));
	}
	gpusort_sort_on_cpu(request);
}
