/*
 * arena.h
 *	  Getting slabs and sessions, and moving jobs from state to state.
 *
 * The states and who may do what in them: see device_shared.h.
 */
#ifndef GPUSORT_ARENA_H
#define GPUSORT_ARENA_H

#include "device/device_shared.h"

extern Size gpusort_arena_shmem_size(void);
extern void gpusort_arena_shmem_startup(void);

/* For whoever waits for devices: do they still get anything done? */
#define GPUSORT_ANY_DEVICE (-1)
#define GPUSORT_NO_ANSWER "the device worker does not answer"

typedef struct DeviceWatch
{
	int			device;
	uint64_t	jobs;			/* ended so far */
	TimestampTz until;			/* when more should have ended */
} DeviceWatch;

extern void gpusort_watch_start(DeviceWatch *watch, int device);
extern bool gpusort_watch_stuck(DeviceWatch *watch);

/* For backends. */
typedef enum SlabUse
{
	SLAB_BATCH,
	SLAB_TRANSIT
} SlabUse;

extern int	gpusort_slab_acquire(SlabUse use, long timeout_ms);
extern bool gpusort_slabs_plentiful(void);
extern int	gpusort_session_acquire(void);
extern bool gpusort_job_submit(int job, int device, uint64_t generation);
extern bool gpusort_append_submit(int job, int session_job);
extern int	gpusort_session_appends(int session_job, GpusortDeviceStatus *status);
extern bool gpusort_job_ended(int job);
extern bool gpusort_job_wait(int job, const char **why);
extern const char *gpusort_job_failure(GpusortDeviceStatus status);
extern void gpusort_job_release(int job);
extern bool gpusort_device_pick(int *device, uint64_t *generation);

/* For workers. */
extern void gpusort_arena_recover(int device);
extern DeviceJob *gpusort_job_take(int device);
extern void gpusort_job_end(DeviceJob *job, const GpusortDeviceOutcome *outcome);
extern void gpusort_job_put_back(DeviceJob *job);
extern void gpusort_arena_device_lost(int device, DeviceState state, bool memory_safe);

/* Set when an ending process has given back all it had: what it frees later is not its own. */
extern bool gpusort_all_released;

/* Between arena.c and device_jobs.c, under the lock. */
extern void gpusort_job_make_free(DeviceJob *job);
extern void gpusort_job_assert_check(const DeviceJob *job);

static inline int
gpusort_job_number(const DeviceJob *job)
{
	return (int) (job - gpusort_arena->job);
}

static inline bool
gpusort_job_has_slab(const DeviceJob *job)
{
	return gpusort_job_number(job) < gpusort_arena->nslabs;
}

static inline char *
gpusort_slab_memory(int slab)
{
	return gpusort_arena->base + (size_t) slab * gpusort_arena->slab_bytes;
}

#endif							/* GPUSORT_ARENA_H */
