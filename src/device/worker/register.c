/*
 * register.c
 *	  What gpusort sets up when it is preloaded: shared memory and one background
 *	  worker for each device.
 *
 * The postmaster cannot ask how many devices there are, because it never loads a device
 * module.  With gpusort.devices = 'all' it registers the worker of device 0.  When that
 * has opened its device, it registers the workers of all others.
 *
 * Without a device in the list or a device module in its place the arena has no slabs, for
 * nobody would use them.  A worker that finds no module reports that, and ends.  This is
 * decided once: after a crash the postmaster makes shared memory again, of the size that was
 * requested when it started.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "device/shared/arena.h"
#include "device/worker/worker.h"
#include "guc.h"
#include "kept_memory.h"
#include "stats/sort_progress.h"

#define WORKER_RESTART_SECONDS 1	/* after repeated faults the worker itself waits longer */

static uint32 ordinals;			/* what gpusort.devices says */
static bool with_slabs;

static shmem_request_hook_type previous_shmem_request_hook = NULL;
static shmem_startup_hook_type previous_shmem_startup_hook = NULL;

static void
request_shmem(void)
{
	char		path[MAXPGPATH];

	if (previous_shmem_request_hook)
		previous_shmem_request_hook();
	with_slabs = ordinals != 0 && gpusort_worker_module_path(path, sizeof(path));
	RequestAddinShmemSpace(gpusort_arena_shmem_size(with_slabs));
	RequestAddinShmemSpace(gpusort_stats_shmem_size());
	RequestAddinShmemSpace(gpusort_progress_shmem_size());
	RequestAddinShmemSpace(gpusort_memory_shmem_size());
	RequestNamedLWLockTranche("gpusort arena", 1);
}

static void
startup_shmem(void)
{
	if (previous_shmem_startup_hook)
		previous_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	gpusort_arena_shmem_startup(with_slabs);
	gpusort_arena->has_workers = ordinals != 0;
	gpusort_stats_shmem_startup();
	gpusort_progress_shmem_startup();
	gpusort_memory_shmem_startup();
	LWLockRelease(AddinShmemInitLock);
}

static void
describe_worker(BackgroundWorker *worker, int device)
{
	memset(worker, 0, sizeof(*worker));
	snprintf(worker->bgw_name, BGW_MAXLEN, "gpusort device %d", device);
	snprintf(worker->bgw_type, BGW_MAXLEN, "gpusort device %d", device);
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_ConsistentState;
	worker->bgw_restart_time = WORKER_RESTART_SECONDS;
	strlcpy(worker->bgw_library_name, "gpusort", sizeof(worker->bgw_library_name));
	strlcpy(worker->bgw_function_name, "gpusort_worker_main", sizeof(worker->bgw_function_name));
	worker->bgw_main_arg = Int32GetDatum(device);
}

void
gpusort_device_register(void)
{
	previous_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_shmem;
	previous_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = startup_shmem;

	if (!gpusort_device_list_read(gpusort_device_list, &ordinals))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for parameter \"gpusort.devices\": \"%s\"", gpusort_device_list),
				 errhint(GPUSORT_DEVICE_LIST_HINT, GPUSORT_MAX_DEVICES - 1)));
	for (int device = 0; device < (ordinals == GPUSORT_ALL_DEVICES ? 1 : GPUSORT_MAX_DEVICES); device++)
	{
		BackgroundWorker worker;

		if ((ordinals & (uint32) 1 << device) == 0)
			continue;
		describe_worker(&worker, device);
		RegisterBackgroundWorker(&worker);
	}
}

/* Registers workers for devices first .. count - 1 that have none.  Called by the worker of device 0. */
void
gpusort_worker_register_others(int first, int count)
{
	for (int device = first; device < Min(count, GPUSORT_MAX_DEVICES); device++)
	{
		BackgroundWorker worker;
		bool		has_worker;

		LWLockAcquire(gpusort_arena->lock, LW_SHARED);
		has_worker = gpusort_arena->devices[device].state != DEVICE_UNUSED;
		LWLockRelease(gpusort_arena->lock);
		if (has_worker)
			continue;
		describe_worker(&worker, device);
		if (!RegisterDynamicBackgroundWorker(&worker, NULL))
			ereport(LOG,
					(errmsg("gpusort: no background worker is left for device %d", device),
					 errhint("Increase max_worker_processes.")));
	}
}
