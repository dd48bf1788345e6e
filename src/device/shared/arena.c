/*
 * arena.c
 *	  The shared arena: its layout, and job records that become free or held.
 *
 * See device_shared.h for the states, the rules of ownership and the lock.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shmem.h"

#include "compat.h"
#include "device/shared/arena.h"
#include "guc.h"
#include "large_memory.h"

#define SLAB_BYTES_MIN ((size_t) 64 * 1024)
#define SLAB_BYTES_MAX ((size_t) 8 * 1024 * 1024)
#define SLABS_WANTED 16			/* slabs are halved, down to the least size, until there are this many */
#define RESERVE_SHARE 4			/* one slab in 4 is kept for transit */

SharedArena *gpusort_arena = NULL;
bool		gpusort_all_released = false;

/* The invariants that hold whenever the lock is free. */
void
gpusort_job_assert_check(const DeviceJob *job)
{
	Assert(LWLockHeldByMe(gpusort_arena->lock));
	Assert(job->state != JOB_FREE || (job->owner == NULL && !job->abandoned));
	Assert((job->state != JOB_HELD && job->state != JOB_ENDED) || job->owner != NULL);
	Assert(!job->abandoned || (job->owner == NULL && (job->state == JOB_QUEUED || job->state == JOB_RUNNING)));
	Assert(job->state != JOB_LOST || gpusort_job_has_slab(job));
	Assert(gpusort_arena->nfree >= 0 && gpusort_arena->nfree <= gpusort_arena->nslabs);
}

/* The size of slabs: the largest of which SLABS_WANTED fit the arena, or SLAB_BYTES_MIN. */
static size_t
slab_bytes(void)
{
	size_t		arena_bytes = (size_t) gpusort_gpu_buffer_size * 1024 * 1024;
	size_t		bytes = SLAB_BYTES_MAX;

	while (bytes > SLAB_BYTES_MIN && arena_bytes / bytes < SLABS_WANTED)
		bytes /= 2;
	return bytes;
}

static int
slab_count(void)
{
	return (int) ((size_t) gpusort_gpu_buffer_size * 1024 * 1024 / slab_bytes());
}

Size
gpusort_arena_shmem_size(bool with_slabs)
{
	Size		size = MAXALIGN(sizeof(SharedArena));

	if (!with_slabs)
		return size;
	size = add_size(size, MAXALIGN(mul_size(MaxBackends, sizeof(SlabWaiter))));
	size = add_size(size, MAXALIGN(mul_size(slab_count() + GPUSORT_MAX_SESSIONS, sizeof(DeviceJob))));
	return add_size(add_size(size, GPUSORT_PAGE), mul_size(slab_count(), slab_bytes()));
}

/* Lays out the arena.  Runs under AddinShmemInitLock. */
void
gpusort_arena_shmem_startup(bool with_slabs)
{
	bool		found;
	SharedArena *arena = ShmemInitStruct("gpusort arena", gpusort_arena_shmem_size(with_slabs), &found);
	char	   *next = (char *) arena + MAXALIGN(sizeof(SharedArena));

	gpusort_arena = arena;
	if (found)
		return;
	memset(arena, 0, sizeof(SharedArena));
	arena->lock = &GetNamedLWLockTranche("gpusort arena")->lock;
	ConditionVariableInit(&arena->device_changed);
	dlist_init(&arena->free);
	dlist_init(&arena->waiters);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
		dlist_init(&arena->devices[i].queue);
	if (!with_slabs)
		return;
	arena->slab_bytes = slab_bytes();
	arena->nslabs = arena->nfree = slab_count();
	arena->reserve = Max(1, arena->nslabs / RESERVE_SHARE);
	arena->njobs = arena->nslabs + GPUSORT_MAX_SESSIONS;

	arena->waiter = (SlabWaiter *) next;
	memset(arena->waiter, 0, MaxBackends * sizeof(SlabWaiter));
	next += MAXALIGN(MaxBackends * sizeof(SlabWaiter));
	arena->job = (DeviceJob *) next;
	memset(arena->job, 0, arena->njobs * sizeof(DeviceJob));
	next += MAXALIGN(arena->njobs * sizeof(DeviceJob));
	arena->base = (char *) TYPEALIGN(GPUSORT_PAGE, next);
	for (int i = 0; i < arena->nslabs; i++)
		dlist_push_tail(&arena->free, &arena->job[i].node);
}

/* Releases the lock, and no other one, in a process that ends while it holds it. */
void
gpusort_arena_unlock_at_exit(void)
{
	if (!LWLockHeldByMe(gpusort_arena->lock))
		return;
	HOLD_INTERRUPTS();			/* the release resumes them; the exit has forgotten the hold that came with the lock */
	LWLockRelease(gpusort_arena->lock);
}

/* FREE -> HELD, by this backend. */
void
gpusort_job_make_held(DeviceJob *job)
{
	Assert(job->state == JOB_FREE);
	job->state = JOB_HELD;
	job->owner = MyProc;
	job->session_open = false;
	gpusort_job_assert_check(job);
}

/*
 * Any state -> FREE.  A slab goes at once to the backend that has waited longest, which is
 * returned, or NULL.  The caller sets its latch after the release of the lock.
 */
PGPROC *
gpusort_job_make_free(DeviceJob *job)
{
	SharedArena *arena = gpusort_arena;
	PGPROC	   *waiting = NULL;

	job->state = JOB_FREE;
	job->owner = NULL;
	job->abandoned = false;
	job->session_open = false;
	if (gpusort_job_has_slab(job))
	{
		if (dlist_is_empty(&arena->waiters))
		{
			dlist_push_head(&arena->free, &job->node);
			arena->nfree++;
		}
		else
		{
			SlabWaiter *waiter = dlist_container(SlabWaiter, node, dlist_pop_head_node(&arena->waiters));

			arena->nwaiters--;
			waiter->waiting = false;
			waiter->granted = gpusort_job_number(job);
			job->state = JOB_HELD;
			job->owner = waiting = waiter->proc;
		}
	}
	gpusort_job_assert_check(job);
	return waiting;
}
