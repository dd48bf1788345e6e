/*
 * sort.c
 *	  Runs a sort on the engine that was chosen for it, and on the CPU if the device
 *	  fails and the settings allow that.
 *
 * A method named by hand is never replaced: if no engine that may be used has it,
 * that is an error.
 */
#include "postgres.h"

#include "compat.h"
#include "cpu_engine/cpu_engine.h"
#include "cpu_engine/cpu_sort.h"
#include "device/client/device_client.h"
#include "device/client/device_engine.h"
#include "guc.h"
#include "sort/choose.h"
#include "sort/sort.h"

static uint64_t
count_keys(const SortRequest *request)
{
	uint64_t	keys = 0;

	for (uint32_t i = 0; i < request->nsegments; i++)
		keys += request->segments[i].count;
	return keys;
}

static void
decide(SortRequest *request)
{
	gpusort_choose_keys(&request->spec, request->nkeys, request->nslots, ROUTE_COPIED, &request->decision);
	if (gpusort_reason_kind(request->failed) == REASON_KIND_FAULT && !gpusort_device_spare())
	{
		request->decision.reason = request->failed;
		if (gpusort_engine != GPUSORT_ENGINE_GPU)
			request->decision.engine = ENGINE_CPU;
	}
}

EngineId
gpusort_sort_decide(SortRequest *request)
{
	if (request->decision.engine == ENGINE_NONE)
	{
		request->nkeys = count_keys(request);
		decide(request);
	}
	return request->decision.engine;
}

void
gpusort_sort_account(SortAttempt *attempt, SortRequest *request)
{
	uint64_t	bytes_per_key = gpusort_key_width(request->spec.form) +
		(request->spec.payload == GPUSORT_PAYLOAD_NONE ? 0 : sizeof(uint32_t));

	if (request->nkeys == 0)
		request->nkeys = count_keys(request);
	gpusort_attempt_succeed(attempt, request->used_method, request->nsegments, request->nkeys,
							request->nkeys * bytes_per_key);
}

/* Runs the request on an engine.  Returns REASON_NONE, or why a device failed, which leaves the request as it was. */
static SortReason
run(EngineId engine, SortRequest *request)
{
	SortAttempt attempt;
	SortReason	failure = REASON_NONE;
	ShownSortId whole = request->progress;

	gpusort_attempt_begin(&attempt, engine, request->use, request->spec.method, request->nslots, whole);
	request->progress = attempt.progress;
	gpusort_progress_update(request->progress, SORT_PHASE_SORTING, 0, 1);
	if (engine == ENGINE_GPU)
		failure = gpusort_device_sort(request);
	else
		gpusort_cpu_engine_sort(request);
	request->progress = whole;
	if (failure == REASON_NONE)
	{
		request->used_engine = engine;
		gpusort_sort_account(&attempt, request);
	}
	else
		gpusort_attempt_fail(&attempt, failure);
	return failure;
}

/* Runs the request on a device and, if that fails, on another one that is ready. */
static SortReason
run_on_devices(SortRequest *request)
{
	SortReason	failure = run(ENGINE_GPU, request);

	if (gpusort_reason_is_of_one_device(failure) && gpusort_device_spare())
		failure = run(ENGINE_GPU, request);
	return failure;
}

#define LET_CPU_SORT "Set \"gpusort.engine\" to \"auto\" to let the CPU sort what the GPU cannot."

/* Raises the error for a GPU that the settings demand and that did not sort. */
pg_noreturn static void
raise_no_gpu(const GpusortSpec *spec, const SortDecision *decision)
{
	const char *cause = gpusort_reason_text(decision->reason);
	SortReasonKind kind = gpusort_reason_kind(decision->reason);

	if (decision->reason == REASON_NOT_PRELOADED)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("no GPU is available: %s", cause),
				 errhint("Add gpusort to shared_preload_libraries.")));
	if (decision->reason == REASON_REFUSED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the GPU cannot sort this by method \"%s\"", gpusort_method_name(spec->method)),
				 errdetail_internal("%s", gpusort_device_refuses(spec)),
				 errhint(LET_CPU_SORT)));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 decision->reason == REASON_NO_DEVICE ? errmsg("no GPU is available") :
			 kind == REASON_KIND_LACK || kind == REASON_KIND_FAULT ? errmsg("the GPU could not sort this: %s", cause) :
			 errmsg("no GPU is available: %s", cause),
			 errhint(LET_CPU_SORT)));
}

void
gpusort_sort_on_cpu(SortRequest *request)
{
	const char *refusal = request->spec.method == GPUSORT_METHOD_AUTO ? NULL : gpusort_cpu_sort_refuses(&request->spec);

	if (refusal != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot sort by method \"%s\" on engine \"cpu\"", gpusort_method_name(request->spec.method)),
				 errdetail_internal("%s", refusal)));
	(void) run(ENGINE_CPU, request);
}

void
gpusort_sort_run(SortRequest *request)
{
	SortDecision *decision = &request->decision;

	gpusort_sort_decide(request);
	request->spec.method = request->used_method = decision->method;
	if (decision->engine == ENGINE_GPU)
	{
		if (gpusort_reason_kind(decision->reason) == REASON_KIND_WAIT)
		{
			gpusort_devices_await();
			decide(request);
		}
		if (decision->reason == REASON_NONE)
			decision->reason = run_on_devices(request);
		if (decision->reason == REASON_NONE)
			return;
		if (gpusort_engine == GPUSORT_ENGINE_GPU)
			raise_no_gpu(&request->spec, decision);
	}
	if (request->failed != REASON_NONE)
		decision->reason = request->failed;
	if (gpusort_reason_is_fallback(decision->reason))
		gpusort_stats_fallback(request->use, request->spec.method, decision->reason);
	gpusort_sort_on_cpu(request);
}
