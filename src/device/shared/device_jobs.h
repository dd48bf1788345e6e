/*
 * device_jobs.h
 *	  Moves jobs to a worker and back (device_jobs.c), hands out slabs and sessions
 *	  (slab_queue.c), and tells a backend that waits whether devices still finish jobs
 *	  (device_watch.c).
 *
 * See device_shared.h for the states and who may do what in them.
 */
#ifndef GPUSORT_DEVICE_JOBS_H
#define GPUSORT_DEVICE_JOBS_H

#include "device/shared/device_shared.h"
#include "stats/sort_reason.h"

#define GPUSORT_ANY_DEVICE (-1)

typedef enum SlabUse
{
	SLAB_BATCH,
	SLAB_TRANSIT
} SlabUse;

typedef struct DeviceWatch
{
	int			device;
	uint64_t	answers;		/* how many there were at the start */
	TimestampTz until;			/* when there should be another */
} DeviceWatch;

/* For backends. */
extern int	gpusort_slab_acquire(SlabUse use, long timeout_ms);
extern bool gpusort_slabs_plentiful(void);
extern bool gpusort_sessions_plentiful(void);
extern int	gpusort_session_acquire(void);
extern void gpusort_watch_start(DeviceWatch *watch, int device);
extern bool gpusort_watch_stuck(DeviceWatch *watch);
extern bool gpusort_job_submit(int job, int device, uint64_t generation);
extern bool gpusort_append_submit(int job, int session_job);
extern int	gpusort_session_appends(int session_job, GpusortDeviceStatus *status);
extern bool gpusort_job_ended(int job);
extern bool gpusort_job_wait(int job, SortReason *why);
extern SortReason gpusort_job_failure(GpusortDeviceStatus status);
extern void gpusort_job_release(int job);
extern bool gpusort_device_pick(int *device, uint64_t *generation);
extern bool gpusort_device_ready(int device, uint64_t *generation);

/* Notes that a device has failed a job of this backend, which then prefers others for some seconds. */
extern void gpusort_device_note_failure(int device);

/* True if a device has failed a job of this backend, and another one is ready. */
extern bool gpusort_device_spare(void);

/* For workers. */
extern void gpusort_arena_recover(int device);
extern DeviceJob *gpusort_job_take(int device);
extern void gpusort_job_end(DeviceJob *record, const DeviceJob *job, const GpusortDeviceOutcome *outcome);
extern void gpusort_job_put_back(DeviceJob *job);
extern void gpusort_arena_device_lost(int device, DeviceState state);

#endif							/* GPUSORT_DEVICE_JOBS_H */
