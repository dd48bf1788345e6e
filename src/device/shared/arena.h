/*
 * arena.h
 *	  The shared arena: its layout, and job records that become free or held.
 *
 * See device_shared.h for the states and who may do what in them.
 */
#ifndef GPUSORT_ARENA_H
#define GPUSORT_ARENA_H

#include "device/shared/device_shared.h"

/* Without slabs nothing can be sent to a device: no device may become ready. */
extern Size gpusort_arena_shmem_size(bool with_slabs);
extern void gpusort_arena_shmem_startup(bool with_slabs);
extern void gpusort_arena_unlock_at_exit(void);

/* True after this process's exit callback has released its slabs; later releases do nothing. */
extern bool gpusort_all_released;

/* Called under the lock. */
extern void gpusort_job_make_held(DeviceJob *job);
extern PGPROC *gpusort_job_make_free(DeviceJob *job);
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
