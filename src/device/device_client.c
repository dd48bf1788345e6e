/*
 * device_client.c
 *	  The backend's side of a job that fits a slab.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/device_client.h"
#include "guc.h"

#define REGION_ALIGNMENT 128
#define READY_WAIT_MS 15000

/* The state that promises most among the devices'. */
static DeviceState
best_state(void)
{
	static const DeviceState from_best[] = {
		DEVICE_READY, DEVICE_STARTING, DEVICE_RESTARTING, DEVICE_BACKING_OFF, DEVICE_UNAVAILABLE
	};
	DeviceState best = DEVICE_UNUSED;

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	for (int i = 0; i < lengthof(from_best) && best == DEVICE_UNUSED; i++)
		for (int device = 0; device < GPUSORT_MAX_DEVICES; device++)
			if (gpusort_arena->devices[device].state == from_best[i])
				best = from_best[i];
	LWLockRelease(gpusort_arena->lock);
	return best;
}

/* Waits while a worker may still become ready. */
static DeviceState
wait_ready(void)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), READY_WAIT_MS);
	DeviceState state;
	long		left;

	ConditionVariablePrepareToSleep(&gpusort_arena->device_changed);
	while ((state = best_state()) != DEVICE_READY && state != DEVICE_UNAVAILABLE &&
		   (left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until)) > 0)
		(void) ConditionVariableTimedSleep(&gpusort_arena->device_changed, left, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
	return state;
}

const char *
gpusort_device_unready(bool wait)
{
	DeviceState state;

	if (gpusort_arena == NULL)
		return "gpusort is not in shared_preload_libraries";
	state = best_state();
	if (wait && state != DEVICE_READY && state != DEVICE_UNAVAILABLE)
		state = wait_ready();
	switch (state)
	{
		case DEVICE_READY:
			return NULL;
		case DEVICE_UNUSED:
		case DEVICE_STARTING:
			return "the device worker has not started";
		case DEVICE_RESTARTING:
		case DEVICE_BACKING_OFF:
			return "the device worker is restarting";
		case DEVICE_UNAVAILABLE:
			break;
	}
	return "no device is available";
}

const char *
gpusort_device_refuses(const GpusortSpec *spec)
{
	static char text[GPUSORT_REFUSAL_LENGTH];
	const char *found = "no device is available";

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		SharedDevice *device = &gpusort_arena->devices[i];
		uint8_t		refusal;

		if (device->state != DEVICE_READY)
			continue;
		refusal = device->refusal[spec->method][spec->form][spec->payload][spec->limit > 0][spec->buckets > 0];
		if (refusal == 0)
		{
			found = NULL;
			break;
		}
		strlcpy(text, device->refusals[refusal], sizeof(text));
		found = text;
	}
	LWLockRelease(gpusort_arena->lock);
	return found;
}

bool
gpusort_device_rates(GpusortDeviceInfo *info)
{
	bool		found = false;

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	for (int i = 0; i < GPUSORT_MAX_DEVICES && !found; i++)
	{
		if (gpusort_arena->devices[i].state == DEVICE_READY)
		{
			*info = gpusort_arena->devices[i].info;
			found = true;
		}
	}
	LWLockRelease(gpusort_arena->lock);
	return found;
}

bool
gpusort_slab_layout(const GpusortSpec *spec, uint64_t nslots, uint64_t nsegments, SlabLayout *layout)
{
	uint64_t	key_bytes = TYPEALIGN(REGION_ALIGNMENT, nslots * gpusort_key_width(spec->form));
	uint64_t	payload_bytes = TYPEALIGN(REGION_ALIGNMENT, nslots * sizeof(uint32_t));
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
	layout->bytes = (uint32_t) Min(end, PG_UINT32_MAX);
	return end <= gpusort_arena->slab_bytes;
}

uint32_t
gpusort_slab_room(const GpusortSpec *spec, uint32_t mean_length)
{
	size_t		per_key = gpusort_key_width(spec->form) +
		(spec->payload == GPUSORT_PAYLOAD_NONE ? gpusort_key_width(spec->form) : sizeof(uint32_t)) +
		(spec->payload == GPUSORT_PAYLOAD_CARRIED ? sizeof(uint32_t) : 0);
	size_t		usable = gpusort_arena->slab_bytes - 4 * REGION_ALIGNMENT;
	double		per_key_and_segment = per_key + sizeof(GpusortSegment) / (double) Max(mean_length, 1);

	return (uint32_t) (usable / per_key_and_segment) - 1;
}

bool
gpusort_slab_submit(int slab, const GpusortSpec *spec, const SlabLayout *layout,
					uint32_t nslots, uint32_t nsegments, const uint32_t *length_histogram)
{
	DeviceJob  *job = &gpusort_arena->job[slab];
	const GpusortSegment *segments = (GpusortSegment *) (gpusort_slab_memory(slab) + layout->segments);
	int			device;
	uint64_t	generation;

	job->kind = JOB_SORT;
	job->spec = *spec;
	job->verify = gpusort_verify;
	job->layout = *layout;
	job->nslots = nslots;
	job->nsegments = nsegments;
	if (length_histogram)
		memcpy(job->length_histogram, length_histogram, sizeof(job->length_histogram));
	else
	{
		memset(job->length_histogram, 0, sizeof(job->length_histogram));
		for (uint32_t i = 0; i < nsegments; i++)
			job->length_histogram[gpusort_length_bin(segments[i].count)]++;
	}
	return gpusort_device_pick(&device, &generation) && gpusort_job_submit(slab, device, generation);
}
