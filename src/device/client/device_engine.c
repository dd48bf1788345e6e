/*
 * device_engine.c
 *	  The GPU as an engine: passes a request in ordinary memory through a slab of the
 *	  arena, and a segment that is longer than a slab through a session.
 *
 * If the device fails half way, the CPU must still be able to sort the request.  So the
 * results of a slab are copied when all are there, and those of a session, which come
 * piece by piece, are collected beside the request.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "device/client/device_client.h"
#include "device/client/device_engine.h"
#include "device/client/device_session.h"
#include "guc.h"
#include "large_memory.h"

static void
pack(const SortRequest *request, char *memory, const SlabLayout *layout)
{
	uint32_t	width = gpusort_key_width(request->spec.form);

	memcpy(memory + layout->keys, request->keys, request->nslots * width);
	if (request->spec.payload == GPUSORT_PAYLOAD_CARRIED)
		memcpy(memory + layout->payload, request->payload, request->nslots * sizeof(uint32_t));
	memcpy(memory + layout->segments, request->segments, request->nsegments * sizeof(GpusortSegment));
}

/* Copies the results from a slab to the request. */
static void
take_results(SortRequest *request, const char *memory, const SlabLayout *layout)
{
	uint32_t	width = gpusort_key_width(request->spec.form);

	for (uint32_t i = 0; i < request->nsegments; i++)
	{
		size_t		start = request->segments[i].start;
		size_t		wanted = request->segments[i].count;

		GPUSORT_CHECK_EVERY(i);
		if (request->spec.limit > 0)
			wanted = Min(wanted, request->spec.limit);
		if (request->spec.payload == GPUSORT_PAYLOAD_NONE)
			gpusort_copy_bytes((char *) request->keys + start * width, memory + layout->keys_out + start * width, wanted * width);
		else
			gpusort_copy_bytes(request->payload + start, (const uint32_t *) (memory + layout->payload_out) + start,
							   wanted * sizeof(uint32_t));
	}
}

/* Has a slab sorted, and takes the results.  Returns REASON_NONE, or why it is not sorted. */
static SortReason
sort_slab(SortRequest *request, int slab, const SlabLayout *layout)
{
	char	   *memory = gpusort_slab_memory(slab);
	SortReason	why = REASON_DEVICE_FAULT;

	pack(request, memory, layout);
	if (!gpusort_slab_submit(slab, &request->spec, request->use, layout, request->nslots, request->nsegments) ||
		!gpusort_job_wait(slab, &why))
		return why;
	take_results(request, memory, layout);
	request->used_method = gpusort_arena->job[slab].outcome.method;
	return REASON_NONE;
}

static SortReason
sort_in_slab(SortRequest *request, const SlabLayout *layout)
{
	long		patience = gpusort_engine == GPUSORT_ENGINE_GPU ? -1 : 1 + (long) (1000 * request->decision.cpu_seconds);
	int			slab = gpusort_slab_acquire(SLAB_TRANSIT, patience);
	volatile SortReason why = REASON_NONE;

	if (slab == GPUSORT_NO_JOB)
		return REASON_TOO_MANY_WAITERS;
	PG_TRY();
	{
		why = sort_slab(request, slab, layout);
	}
	PG_FINALLY();
	{
		gpusort_job_release(slab);
	}
	PG_END_TRY();
	return why;
}

/* Sends the request's only segment to a session, which sorts it and returns the first `wanted` results. */
static bool
use_session(const SortRequest *request, DeviceSession *session, uint64_t wanted, void *results, SortReason *why)
{
	const GpusortSegment *segment = request->segments;
	GpusortPayload payload = request->spec.payload;
	uint32_t	column = payload == GPUSORT_PAYLOAD_NONE ? 0 : payload == GPUSORT_PAYLOAD_CARRIED ? 1 : GPUSORT_SESSION_INDEX;
	const char *keys = (const char *) request->keys + (size_t) segment->start * gpusort_key_width(request->spec.form);

	gpusort_progress_update(request->progress, SORT_PHASE_SENDING, 0, request->nslots);
	if (!gpusort_session_append(session, 0, 0, segment->count, keys, why) ||
		(payload == GPUSORT_PAYLOAD_CARRIED &&
		 !gpusort_session_append(session, 1, 0, segment->count, request->payload + segment->start, why)))
		return false;
	gpusort_progress_update(request->progress, SORT_PHASE_SORTING, 0, request->nslots);
	if (!gpusort_session_sort(session, segment->count, why))
		return false;
	gpusort_progress_update(request->progress, SORT_PHASE_FETCHING, 0, request->nslots);
	return gpusort_session_fetch(session, column, wanted, results, why);
}

/* Sorts a segment that fits no slab.  Returns REASON_NONE, or why it is not sorted. */
static SortReason
sort_in_session(SortRequest *request)
{
	const GpusortSpec *spec = &request->spec;
	const GpusortSegment *segment = request->segments;
	uint8_t		widths[2] = {(uint8_t) gpusort_key_width(spec->form), sizeof(uint32_t)};
	uint32_t	ncolumns = spec->payload == GPUSORT_PAYLOAD_CARRIED ? 2 : 1;
	bool		keys = spec->payload == GPUSORT_PAYLOAD_NONE;
	size_t		width = keys ? widths[0] : sizeof(uint32_t);
	uint64_t	wanted = spec->limit > 0 ? Min(spec->limit, segment->count) : segment->count;
	char	   *target = (char *) (keys ? request->keys : request->payload) + segment->start * width;
	char	   *results = target;
	SortReason	why = REASON_NONE;
	DeviceSession *session = gpusort_session_open(spec, request->use, GPUSORT_ANY_DEVICE, segment->count, ncolumns, widths, &why);

	if (session == NULL)
		return why;
	/* An index has memory of its own. */
	if (spec->payload != GPUSORT_PAYLOAD_INDEX)
		results = gpusort_alloc_large(CurrentMemoryContext, wanted * width);
	if (use_session(request, session, wanted, results, &why))
	{
		why = REASON_NONE;
		request->used_method = gpusort_session_method(session);
		if (results != target)
			gpusort_copy_bytes(target, results, wanted * width);
	}
	gpusort_session_close(session);
	if (results != target)
		pfree(results);
	return why;
}

SortReason
gpusort_device_sort(SortRequest *request)
{
	SlabLayout	layout;

	if (gpusort_slab_layout(&request->spec, request->nslots, request->nsegments, &layout))
		return sort_in_slab(request, &layout);
	return request->nsegments == 1 ? sort_in_session(request) : REASON_UNSUPPORTED;
}
