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

#include "cpu_engine/cpu_engine.h"
#include "guc.h"
#include "miscadmin.h"
#include "sort/sort.h"

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

/* Runs the request on an engine that did not refuse it; returns why it failed, or NULL. */
static const char *
run(const SortEngine *engine, SortRequest *request)
{
	const char *failure = engine->sort(request);

	if (failure == NULL)
	{
		request->used_engine = engine->name;
		if (message_level_is_interesting(DEBUG1))
			ereport(DEBUG1,
					(errmsg_internal("sorted %llu keys in %u segments by method \"%s\" on engine \"%s\"",
									 (unsigned long long) count_keys(request), request->nsegments,
									 gpusort_sort_method_name(request->used_method), engine->name)));
	}
	return failure;
}

/* Runs the request on the GPU, or raises an error. */
static void
require_gpu(SortRequest *request)
{
	const char *reason = NULL;

	if (gpu_engine != NULL)
	{
		reason = gpu_engine->refuses(request);
		if (reason == NULL)
			reason = run(gpu_engine, request);
		if (reason == NULL)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot sort by method \"%s\" on engine \"gpu\"",
					gpusort_sort_method_name(request->spec.method)),
			 reason ? errdetail_internal("%s", reason) : 0,
			 gpu_engine == NULL ? errhint("Add gpusort to shared_preload_libraries.") : 0));
}

void
gpusort_sort(SortRequest *request)
{
	const char *cpu_refusal;

	if (request->spec.method == GPUSORT_METHOD_AUTO)
		request->spec.method = gpusort_method;
	request->used_method = request->spec.method;

	if (gpusort_engine == GPUSORT_ENGINE_GPU)
	{
		require_gpu(request);
		return;
	}

	cpu_refusal = gpusort_cpu_engine.refuses(request);
	if (gpusort_engine == GPUSORT_ENGINE_AUTO && gpu_engine != NULL &&
		(cpu_refusal != NULL || (request->nslots >= gpusort_min_gpu_keys && count_keys(request) >= gpusort_min_gpu_keys)))
	{
		const char *reason = gpu_engine->refuses(request);

		if (reason == NULL)
			reason = run(gpu_engine, request);
		if (reason == NULL)
			return;
		ereport(DEBUG1,
				(errmsg_internal("engine \"gpu\" does not sort this: %s", reason)));
	}
	if (cpu_refusal != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot sort by method \"%s\" on engine \"cpu\"",
						gpusort_sort_method_name(request->spec.method)),
				 errdetail_internal("%s", cpu_refusal)));
	(void) run(&gpusort_cpu_engine, request);
}
