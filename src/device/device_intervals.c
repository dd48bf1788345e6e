/*
 * device_intervals.c
 *	  The backend's side of a column that a device projects to intervals.
 *
 * A session: each chunk of keys is appended as it is full, which the device's copy
 * of the one before overlaps, and intervals are fetched a chunk at a time.
 */
#include "postgres.h"

#include "device/device_client.h"
#include "device/device_intervals.h"
#include "device/device_session.h"
#include "guc.h"
#include "sort/sort.h"
#include "sort/sort_progress.h"

#define CHUNK_KEYS 131072

/*
 * What a column costs beside its chunks, what the CPU takes to copy, and what it saves
 * where it need not evaluate, compare and project: measured on an H200's host.
 */
#define SESSION_SECONDS 0.4e-3
#define HOST_COPY_BYTES_PER_S 6e9
#define SAVED_SECONDS_PER_KEY 4e-9

struct DeviceIntervals
{
	GpusortSpec spec;
	uint32_t	width;
	DeviceSession *session;
	uint64_t	most;			/* keys that may come */
	uint64_t	nrows;			/* keys that were sent */
	uint64_t	fetched;		/* intervals that have come back */
	uint32_t	count;			/* entries of the chunk */
	uint32_t	next;			/* of them to be handed out */
	void	   *chunk;			/* keys, later intervals */
};

/* Counts that the CPU has to do it; an error if it may not. */
static void
pass_over(const GpusortSpec *spec, const char *why)
{
	if (gpusort_engine == GPUSORT_ENGINE_GPU)
		gpusort_sort_no_gpu(spec, gpusort_arena ? why : NULL);
	gpusort_stats_fallback(spec->method, why);
	ereport(DEBUG1,
			(errmsg_internal("engine \"gpu\" does not find these intervals: %s", why)));
}

/* Seconds that it takes longer to have keys projected by a device than here; negative if less. */
static double
device_delay(uint64_t keys, uint32_t width, const GpusortDeviceInfo *info)
{
	double		in = (double) keys * width;
	double		out = (double) keys * sizeof(uint32_t);

	return SESSION_SECONDS + 2 * info->latency_s * (keys / CHUNK_KEYS) + (in + out) / HOST_COPY_BYTES_PER_S +
		in / info->to_device_bytes_per_s + out / info->from_device_bytes_per_s -
		(double) keys * SAVED_SECONDS_PER_KEY;
}

/* Do the settings speak for a device? */
static bool
device_wanted(uint64_t nrows)
{
	return gpusort_engine == GPUSORT_ENGINE_GPU ||
		(gpusort_engine == GPUSORT_ENGINE_AUTO && gpusort_arena && nrows >= gpusort_min_gpu_keys);
}

DeviceIntervals *
gpusort_intervals_open(const GpusortSpec *spec, uint64_t nrows)
{
	bool		forced = gpusort_engine == GPUSORT_ENGINE_GPU;
	DeviceIntervals *column;
	DeviceSession *session;
	GpusortDeviceInfo info;
	const char *why;

	if (!device_wanted(nrows))
		return NULL;
	why = gpusort_device_unready(forced);
	if (why == NULL && !forced && gpusort_min_gpu_keys > 0 && gpusort_device_rates(&info) &&
		device_delay(nrows, gpusort_key_width(spec->form), &info) > 0)
		return NULL;
	session = why ? NULL : gpusort_session_open_intervals(spec, nrows, &why);
	if (session == NULL)
	{
		pass_over(spec, why);
		return NULL;
	}
	column = palloc0(sizeof(DeviceIntervals));
	column->spec = *spec;
	column->width = gpusort_key_width(spec->form);
	column->session = session;
	column->most = nrows;
	column->chunk = palloc(Min(nrows, CHUNK_KEYS) * Max(column->width, sizeof(uint32_t)));
	gpusort_progress_begin(GPUSORT_STATS_GPU, spec->method, nrows);
	return column;
}

/* The device failed: closes the column, and answers false to whoever asked something of it. */
static bool
give_up(DeviceIntervals *column, const char *why)
{
	GpusortSpec spec = column->spec;

	gpusort_progress_end();
	gpusort_session_close(column->session);
	pfree(column->chunk);
	pfree(column);
	if (why == gpusort_job_failure(GPUSORT_DEVICE_NOT_VERIFIED))
		gpusort_stats_count(GPUSORT_STATS_GPU, spec.method, &(SortCounts) {.verification_failures = 1});
	pass_over(&spec, why);
	return false;
}

/* Sends the chunk. */
static bool
send_chunk(DeviceIntervals *column)
{
	const char *why;

	if (!gpusort_session_append(column->session, 0, column->nrows, column->count, column->chunk, &why))
		return give_up(column, why);
	column->nrows += column->count;
	column->count = 0;
	gpusort_progress_update(SORT_PHASE_SENDING, column->nrows, column->most);
	return true;
}

bool
gpusort_intervals_put(DeviceIntervals *column, uint64_t key)
{
	uint32_t	place = column->count++;

	switch (column->width)
	{
		case sizeof(uint16):
			((uint16 *) column->chunk)[place] = (uint16) key;
			break;
		case sizeof(uint32):
			((uint32 *) column->chunk)[place] = (uint32) key;
			break;
		default:
			((uint64 *) column->chunk)[place] = key;
	}
	return column->count < CHUNK_KEYS || send_chunk(column);
}

bool
gpusort_intervals_project(DeviceIntervals *column)
{
	const char *why;

	if (!send_chunk(column))
		return false;
	gpusort_progress_update(SORT_PHASE_SORTING, 0, 1);
	if (!gpusort_session_sort(column->session, column->nrows, &why))
		return give_up(column, why);
	gpusort_progress_end();
	gpusort_stats_count(GPUSORT_STATS_GPU, gpusort_session_method(column->session),
						&(SortCounts)
						{
							.jobs = 1,
							.segments = 1,
							.keys = column->nrows,
							.bytes = column->nrows * (column->width + sizeof(uint32_t)),
							.nanoseconds = gpusort_session_seconds(column->session) * 1e9
						});
	return true;
}

/* Fetches the next chunk; the session has done its work with the last one. */
static bool
fetch_chunk(DeviceIntervals *column)
{
	const char *why;

	column->count = Min(column->nrows - column->fetched, CHUNK_KEYS);
	column->next = 0;
	Assert(column->count > 0);
	if (!gpusort_session_fetch(column->session, GPUSORT_SESSION_INDEX, column->fetched, column->count,
							   column->chunk, &why))
		return give_up(column, why);
	column->fetched += column->count;
	if (column->fetched == column->nrows)
	{
		gpusort_session_close(column->session);
		column->session = NULL;
	}
	return true;
}

bool
gpusort_intervals_next(DeviceIntervals *column, uint32_t *interval)
{
	if (column->next == column->count && !fetch_chunk(column))
		return false;
	*interval = ((const uint32_t *) column->chunk)[column->next++];
	return true;
}
