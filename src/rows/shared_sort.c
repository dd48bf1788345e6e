/*
 * shared_sort.c
 *	  A sort of rows by several processes, see shared_sort.h: its memory, and who takes part.
 */
#include "postgres.h"

#include <math.h>
#include <sys/statvfs.h>

#include "miscadmin.h"
#include "storage/dsm_impl.h"
#include "storage/lwlock.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "rows/shared_state.h"

#define SHARED_RUN_BYTES ((Size) 3 * 1024 * 1024)	/* rows of a run lie in the caches while they are sorted */
#define SHARED_FILE_RUN_BYTES ((Size) 16 * 1024 * 1024)	/* of a run in a file, as each part is read from all runs; */
#define SHARED_FILE_RUNS 64		/* or more, so that each participant has so many runs */
#define SHARED_MEMORY_SHARE 2	/* of the free space of /dev/shm a sort takes one half */
#define SHARED_SPACE_EIGHTHS 8
#define SHARED_SEGMENT_BYTES ((Size) 1024 * 1024)	/* of an area's first segment */
#define SHARED_SEGMENTS_FIXED 64	/* of dynamic shared memory that a server may have, */
#define SHARED_SEGMENTS_OF_BACKEND 5	/* and these for each backend; of all a half is for sorts */

uint32
gpusort_shared_wait_event(void)
{
	static uint32 event = 0;

	if (event == 0)
		event = GPUSORT_WAIT_EVENT("GpusortParallelSort");
	return event;
}

/* Where an area begins. */
static Size
area_offset(int area)
{
	return MAXALIGN(sizeof(SharedSortState)) + area * MAXALIGN(dsa_minimum_size());
}

Size
gpusort_shared_sort_size(int participants)
{
	return area_offset(participants);
}

int
gpusort_shared_sort_participants(const SharedSortState *shared)
{
	return shared->participants;
}

/* Asks how large /dev/shm is.  Returns false if dynamic shared memory is elsewhere, or has no limit. */
static bool
has_limit(struct statvfs *space)
{
	return dynamic_shared_memory_type == DSM_IMPL_POSIX && statvfs("/dev/shm", space) == 0 && space->f_blocks > 0;
}

/* Bytes of dynamic shared memory that a sort may take. */
static Size
free_shared_memory(void)
{
	struct statvfs space;

	return has_limit(&space) ? (Size) space.f_bavail * space.f_frsize / SHARED_MEMORY_SHARE : SIZE_MAX;
}

bool
gpusort_shared_has_space(const SharedSortState *shared, Size bytes, int eighths)
{
	struct statvfs space;

	return !has_limit(&space) ||
		(double) space.f_bavail * space.f_frsize - (double) bytes * shared->participants >=
		(double) space.f_blocks * space.f_frsize * eighths / SHARED_SPACE_EIGHTHS;
}

Size
gpusort_shared_run_bytes(const SharedSortState *shared)
{
	return Min(shared->memory / 2, SHARED_RUN_BYTES);
}

static void
forget_rows(SharedSortState *shared)
{
	shared->runs = shared->sample = shared->splitters = shared->parts = InvalidDsaPointer;
	shared->nruns = shared->nparts = shared->next_part = shared->returned = 0;
	shared->nrows = 0;
	shared->bytes = shared->memory_used = shared->fences_size = shared->sorted_bytes = shared->sorted_most = 0;
	shared->helpers = 0;
	shared->stopped = false;
	BarrierInit(&shared->barrier, 0);
}

/*
 * How many areas participants may have for so many bytes.  Of an area two segments have 1 MB, two 2 MB, and so on,
 * and the server raises an error when it has too many.  Each worker has the same share of them.
 */
static int
choose_areas(int participants, double bytes)
{
	double		segments = (SHARED_SEGMENTS_FIXED + SHARED_SEGMENTS_OF_BACKEND * (double) MaxBackends) / 2 *
		(participants - 1) / max_worker_processes;
	int			n = participants;

	while (n > 1 && n * (2 * log2(bytes / n / (2 * 1024 * 1024) + 1) + 2) > segments)
		n--;
	return n;
}

dsa_area **
gpusort_shared_sort_init(SharedSortState *shared, dsm_segment *segment, int participants, Size memory)
{
	dsa_area  **areas;

	shared->participants = participants;
	/* A run of a few bytes may take each of them a segment. */
	if (!gpusort_shared_has_space(shared, SHARED_SEGMENT_BYTES, SHARED_FREE_TO_BEGIN))
		return NULL;
	areas = palloc(participants * sizeof(dsa_area *));
	shared->memory = memory;
	shared->segment = dsm_segment_handle(segment);
	shared->memory_limit = Min(participants * (memory - gpusort_shared_run_bytes(shared)), free_shared_memory());
	shared->nareas = choose_areas(participants, shared->memory_limit);
	for (int i = 0; i < shared->nareas; i++)
		areas[i] = dsa_create_in_place((char *) shared + area_offset(i), dsa_minimum_size(), LWTRANCHE_PARALLEL_QUERY_DSA, segment);
	/* The area that all need has a segment from now on: nobody frees this. */
	(void) dsa_allocate(areas[0], sizeof(SharedRun));
	SpinLockInit(&shared->mutex);
	ConditionVariableInit(&shared->sorted);
	ConditionVariableInit(&shared->claimable);
	ConditionVariableInit(&shared->freed);
	SharedFileSetInit(&shared->files, segment);
	forget_rows(shared);
	return areas;
}

void
gpusort_shared_free_part(dsa_area *area, SharedPart *part)
{
	if (DsaPointerIsValid(part->rows))
		gpusort_stored_rows_free(area, part->rows);
	part->rows = InvalidDsaPointer;
}

void
gpusort_shared_sort_reset(SharedSortState *shared, dsa_area **areas)
{
	dsa_area   *area = areas[0];
	dsa_pointer next;

	for (dsa_pointer pointer = shared->runs; DsaPointerIsValid(pointer); pointer = next)
	{
		SharedRun  *run = dsa_get_address(area, pointer);

		next = run->next;
		gpusort_stored_rows_free(areas[run->area], run->rows);
		if (DsaPointerIsValid(run->fences))
		{
			gpusort_stored_rows_free(area, run->fences);
			dsa_free(area, run->fence_bytes);
		}
		dsa_free(area, pointer);
	}
	for (uint32 i = 0; i < shared->nparts; i++)
		gpusort_shared_free_part(area, (SharedPart *) dsa_get_address(area, shared->parts) + i);
	if (DsaPointerIsValid(shared->sample))
		gpusort_stored_rows_free(area, shared->sample);
	if (DsaPointerIsValid(shared->splitters))
		dsa_free(area, shared->splitters);
	if (DsaPointerIsValid(shared->parts))
		dsa_free(area, shared->parts);
	SharedFileSetDeleteAll(&shared->files);
	forget_rows(shared);
}

dsa_area **
gpusort_shared_sort_attach(SharedSortState *shared)
{
	dsm_segment *segment = dsm_find_mapping(shared->segment);
	dsa_area  **areas = palloc(shared->nareas * sizeof(dsa_area *));

	for (int i = 0; i < shared->nareas; i++)
		areas[i] = dsa_attach_in_place((char *) shared + area_offset(i), segment);
	SharedFileSetAttach(&shared->files, segment);
	return areas;
}

void
gpusort_shared_sort_detach(const SharedSortState *shared, dsa_area **areas)
{
	for (int i = 0; i < shared->nareas; i++)
		dsa_detach(areas[i]);
	pfree(areas);
}

Size
gpusort_shared_sort_local_bytes(const SharedSortState *shared, double expected_bytes)
{
	if (expected_bytes * shared->participants <= shared->memory_limit)
		return gpusort_shared_run_bytes(shared);
	return Min(shared->memory, Max(expected_bytes / SHARED_FILE_RUNS, SHARED_FILE_RUN_BYTES));
}

bool
gpusort_shared_sort_collects(SharedSort *part)
{
	Barrier    *barrier = &part->shared->barrier;
	int			phase = BarrierAttach(barrier);

	if (phase == PHASE_COLLECT)
		return true;
	if (phase == PHASE_DIVIDE)
		(void) BarrierArriveAndWait(barrier, gpusort_shared_wait_event());
	(void) BarrierDetach(barrier);
	return false;
}
