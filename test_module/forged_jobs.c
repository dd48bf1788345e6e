/*
 * forged_jobs.c
 *	  A function that gives a device worker job records that no gpusort wrote.
 *
 *	  forge_job(arena_bytes int8, field text, value int8) RETURNS void
 *
 * The job is a sort of a slab by device 0, right but for one field, or the opening of a
 * session.  Nobody owns it, so the worker frees the slab, or closes the session.
 * arena_bytes is the size of "gpusort arena" in pg_shmem_allocations.
 */
#include "postgres.h"

#include "fmgr.h"
#include "storage/latch.h"
#include "storage/shmem.h"
#include "utils/builtins.h"

#include "device/shared/device_shared.h"

#define SLOTS 16

PG_FUNCTION_INFO_V1(test_forge_job);

/* A sort of one segment of zeros. */
static void
write_sort(const SharedArena *arena, DeviceJob *job)
{
	char	   *slab = arena->base + (job - arena->job) * arena->slab_bytes;
	GpusortSegment whole = {0, SLOTS};

	job->kind = JOB_SORT;
	job->spec = (GpusortSpec) {.form = GPUSORT_KEY_INT64};
	job->use = USED_FOR_FUNCTIONS;
	job->verify = true;
	job->layout = (SlabLayout) {.keys_out = 1024, .segments = 2048};
	job->nslots = SLOTS;
	job->nsegments = 1;
	job->session.session = PG_UINT64_MAX;
	job->session_job = arena->nslabs;
	memset(job->length_histogram, 0, sizeof(job->length_histogram));
	job->length_histogram[gpusort_length_bin(SLOTS)] = 1;
	memset(slab, 0, SLOTS * sizeof(int64));
	memcpy(slab + job->layout.segments, &whole, sizeof(whole));
}

static void
forge(DeviceJob *job, const char *field, int64 value)
{
	if (strcmp(field, "kind") == 0)
		job->kind = (JobKind) value;
	else if (strcmp(field, "form") == 0)
		job->spec.form = (GpusortKeyForm) value;
	else if (strcmp(field, "method") == 0)
		job->spec.method = (GpusortMethod) value;
	else if (strcmp(field, "use") == 0)
		job->use = (SortUse) value;
	else if (strcmp(field, "payload") == 0)
		job->spec.payload = (GpusortPayload) value;
	else if (strcmp(field, "keys") == 0)
		job->layout.keys = (uint32_t) value;
	else if (strcmp(field, "keys_out") == 0)
		job->layout.keys_out = (uint32_t) value;
	else if (strcmp(field, "segments") == 0)
		job->layout.segments = (uint32_t) value;
	else if (strcmp(field, "nslots") == 0)
		job->nslots = (uint32_t) value;
	else if (strcmp(field, "nsegments") == 0)
		job->nsegments = (uint32_t) value;
	else if (strcmp(field, "use of a session") == 0 || strcmp(field, "use of a slab as a session's") == 0)
	{
		job->session_open = true;
		job->use = (SortUse) value;
	}
	else if (strcmp(field, "nrows of a session") == 0)
	{
		job->session = (GpusortSessionSpec) {.session = PG_UINT64_MAX, .nrows = (uint64) value, .ncolumns = 1};
		job->session.spec = job->spec = (GpusortSpec) {.form = GPUSORT_KEY_INT64};
		job->session.column_width[0] = sizeof(int64);
	}
	else if (strcmp(field, "session_job of an append") == 0)
	{
		job->kind = JOB_APPEND;
		job->session_job = (int) value;
	}
	else if (strcmp(field, "nothing") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no field \"%s\" is forged", field)));
}

Datum
test_forge_job(PG_FUNCTION_ARGS)
{
	char	   *field = text_to_cstring(PG_GETARG_TEXT_PP(1));
	bool		found;
	SharedArena *arena = ShmemInitStruct("gpusort arena", (Size) PG_GETARG_INT64(0), &found);
	SharedDevice *device = &arena->devices[0];
	DeviceJob  *job;

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	if (device->state != DEVICE_READY || arena->nfree == 0)
		elog(ERROR, "device 0 takes no job");
	if (strcmp(field, "use of a session") == 0 || strcmp(field, "nrows of a session") == 0)
	{
		job = &arena->job[arena->nslabs];
		memset(job, 0, sizeof(DeviceJob));
		job->kind = JOB_OPEN_SESSION;
	}
	else
	{
		job = dlist_container(DeviceJob, node, dlist_head_node(&arena->free));
		write_sort(arena, job);
		dlist_delete(&job->node);
		arena->nfree--;
	}
	forge(job, field, PG_GETARG_INT64(2));
	job->state = JOB_QUEUED;
	job->abandoned = true;
	job->device = 0;
	job->ticket = ++arena->last_ticket;
	dlist_push_tail(&device->queue, &job->node);
	device->queued++;
	SetLatch(&device->worker->procLatch);
	LWLockRelease(arena->lock);
	PG_RETURN_VOID();
}
