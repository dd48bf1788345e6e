/*
 * device_client.c
 *	  The backend's side of the devices: their state, and jobs that fit a slab.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/client/device_client.h"
#include "guc.h"

#define SLAB_ALIGNMENT 128
#define READY_WAIT_MS 15000

/* Why no device can be used now, or REASON_NONE if one is ready.  Called under the lock. */
static SortReason
why_unready(void)
{
	DeviceState best = DEVICE_UNUSED;
	bool		installed = false;

	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		best = Max(best, gpusort_arena->devices[i].state);
		installed |= gpusort_arena->devices[i].has_module;
	}
	switch (best)
	{
		case DEVICE_READY:
			return REASON_NONE;
		case DEVICE_STARTING:
			return REASON_NOT_STARTED;
		case DEVICE_RESTARTING:
		case DEVICE_BACKING_OFF:
			return REASON_RESTARTING;
		case DEVICE_NOT_ANSWERING:
			return REASON_NO_ANSWER;
		case DEVICE_UNAVAILABLE:
			return installed ? REASON_NO_DEVICE : REASON_NOT_CONFIGURED;
		case DEVICE_UNUSED:
			break;
	}
	return gpusort_arena->has_workers ? REASON_NOT_STARTED : REASON_NOT_CONFIGURED;
}

SortReason
gpusort_devices_unready(void)
{
	SortReason	reason;

	if (gpusort_arena == NULL)
		return REASON_NOT_PRELOADED;
	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	reason = why_unready();
	LWLockRelease(gpusort_arena->lock);
	return reason;
}

static bool
may_become_ready(void)
{
	return gpusort_reason_kind(gpusort_devices_unready()) == REASON_KIND_WAIT;
}

void
gpusort_devices_await(void)
{
	TimestampTz until;
	long		left;

	if (!may_become_ready())
		return;
	until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), READY_WAIT_MS);
	ConditionVariablePrepareToSleep(&gpusort_arena->device_changed);
	while (may_become_ready() &&
		   (left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until)) > 0)
		(void) ConditionVariableTimedSleep(&gpusort_arena->device_changed, left, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
}

/* The rates of the first ready device.  Called under the lock, when there is one. */
static DeviceRates
ready_rates(void)
{
	const SharedDevice *device = gpusort_arena->devices;

	while (device->state != DEVICE_READY)
		device++;
	return (DeviceRates) {
		.to_device_bytes_per_s = device->info.to_device_bytes_per_s,
		.from_device_bytes_per_s = device->info.from_device_bytes_per_s,
		.latency_s = device->info.latency_s
	};
}

void
gpusort_devices_look(const GpusortSpec *spec, DeviceView *view)
{
	memset(view, 0, sizeof(*view));
	view->reason = REASON_NOT_PRELOADED;
	if (gpusort_arena == NULL)
		return;
	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	view->reason = why_unready();
	if (view->reason == REASON_NONE)
		view->rates = ready_rates();
	LWLockRelease(gpusort_arena->lock);
	if (view->reason == REASON_NONE && gpusort_device_refuses(spec) != NULL)
		view->reason = REASON_REFUSED;
}

int
gpusort_devices_ready(ReadyDevice ready[GPUSORT_MAX_DEVICES])
{
	int			count = 0;

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		const SharedDevice *device = &gpusort_arena->devices[i];
		uint64_t	limit = device->info.memory_limit;

		if (device->state == DEVICE_READY)
			ready[count++] = (ReadyDevice) {i, limit, limit - Min(device->memory_now, limit)};
	}
	LWLockRelease(gpusort_arena->lock);
	return count;
}

bool
gpusort_slab_layout(const GpusortSpec *spec, uint64_t nslots, uint64_t nsegments, SlabLayout *layout)
{
	uint64_t	key_bytes = TYPEALIGN(SLAB_ALIGNMENT, nslots * gpusort_key_width(spec->form));
	uint64_t	payload_bytes = TYPEALIGN(SLAB_ALIGNMENT, nslots * sizeof(uint32_t));
	uint64_t	end = key_bytes;

	memset(layout, 0, sizeof(*layout));
	if (nslots > gpusort_arena->slab_bytes || nsegments > gpusort_arena->slab_bytes)
		return false;
	if (spec->payload == GPUSORT_PAYLOAD_CARRIED)
	{
		layout->payload = end;
		end += payload_bytes;
	}
	if (spec->payload == GPUSORT_PAYLOAD_NONE)
	{
		layout->keys_out = end;
		end += key_bytes;
	}
	else
	{
		layout->payload_out = end;
		end += payload_bytes;
	}
	layout->segments = end;
	end += nsegments * sizeof(GpusortSegment);
	return end <= gpusort_arena->slab_bytes;
}

uint32_t
gpusort_slab_capacity(const GpusortSpec *spec, uint32_t mean_length)
{
	size_t		per_key = gpusort_key_width(spec->form) +
		(spec->payload == GPUSORT_PAYLOAD_NONE ? gpusort_key_width(spec->form) : sizeof(uint32_t)) +
		(spec->payload == GPUSORT_PAYLOAD_CARRIED ? sizeof(uint32_t) : 0);
	size_t		usable = gpusort_arena->slab_bytes - 4 * SLAB_ALIGNMENT;
	double		per_key_and_segment = per_key + sizeof(GpusortSegment) / (double) Max(mean_length, 1);

	return (uint32_t) (usable / per_key_and_segment) - 1;
}

bool
gpusort_slab_submit(int slab, const GpusortSpec *spec, SortUse use, const SlabLayout *layout,
					uint32_t nslots, uint32_t nsegments)
{
	DeviceJob  *job = &gpusort_arena->job[slab];
	const GpusortSegment *segments = (GpusortSegment *) (gpusort_slab_memory(slab) + layout->segments);
	int			device;
	uint64_t	generation;

	job->kind = JOB_SORT;
	job->spec = *spec;
	job->use = use;
	job->verify = gpusort_verify;
	job->layout = *layout;
	job->nslots = nslots;
	job->nsegments = nsegments;
	memset(job->length_histogram, 0, sizeof(job->length_histogram));
	for (uint32_t i = 0; i < nsegments; i++)
		job->length_histogram[gpusort_length_bin(segments[i].count)]++;
	return gpusort_device_pick(&device, &generation) && gpusort_job_submit(slab, device, generation);
}
