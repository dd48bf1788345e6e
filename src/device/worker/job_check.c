/*
 * job_check.c
 *	  See job_check.h.  Calls nothing of the server's.
 */
#include "postgres.h"

#include "device/worker/job_check.h"

#define REGION_ALIGNMENT 16		/* the least that the device's copies need; layouts have 128 */

/* True if count entries of that width, from a byte of the slab on, lie within it. */
static bool
region_fits(uint32_t start, uint64_t count, uint32_t width, size_t slab_bytes)
{
	return start % REGION_ALIGNMENT == 0 && start <= slab_bytes && count <= (slab_bytes - start) / width;
}

static const char *
spec_flaw(const GpusortSpec *spec)
{
	if ((unsigned) spec->form >= GPUSORT_KEY_FORMS)
		return "unknown key form";
	if ((unsigned) spec->payload > GPUSORT_PAYLOAD_INDEX)
		return "unknown payload";
	if ((unsigned) spec->method >= GPUSORT_METHOD_COUNT)
		return "unknown method";
	return gpusort_device_refuses(spec) ? "a method that cannot sort this" : NULL;
}

static const char *
slab_sort_flaw(const DeviceJob *job, size_t slab_bytes)
{
	const GpusortSpec *spec = &job->spec;
	const SlabLayout *layout = &job->layout;
	uint32_t	key_width = gpusort_key_width(spec->form);
	uint64_t	counted = 0;

	if (!region_fits(layout->keys, job->nslots, key_width, slab_bytes))
		return "keys beyond the slab";
	if (spec->payload == GPUSORT_PAYLOAD_CARRIED &&
		!region_fits(layout->payload, job->nslots, sizeof(uint32_t), slab_bytes))
		return "payload beyond the slab";
	if (spec->payload == GPUSORT_PAYLOAD_NONE
		? !region_fits(layout->keys_out, job->nslots, key_width, slab_bytes)
		: !region_fits(layout->payload_out, job->nslots, sizeof(uint32_t), slab_bytes))
		return "results beyond the slab";
	if (!region_fits(layout->segments, job->nsegments, sizeof(GpusortSegment), slab_bytes))
		return "segments beyond the slab";
	for (int bin = 0; bin < GPUSORT_LENGTH_BINS; bin++)
		counted += job->length_histogram[bin];
	return counted == job->nsegments ? NULL : "a histogram of other segments";
}

static const char *
open_flaw(const GpusortSessionSpec *session)
{
	if (session->session == 0)
		return "a session without a number";
	if (spec_flaw(&session->spec) != NULL)
		return spec_flaw(&session->spec);
	if (session->nrows == 0)
		return "no rows";
	if (session->nrows > GPUSORT_LONGEST_SEGMENT)
		return "too many rows";
	if (session->ncolumns < 1 || session->ncolumns > GPUSORT_SESSION_COLUMNS)
		return "a wrong number of columns";
	if (session->column_width[0] != gpusort_key_width(session->spec.form))
		return "keys of another width";
	for (uint32_t i = 1; i < session->ncolumns; i++)
	{
		uint8_t		width = session->column_width[i];

		if (width != 1 && width != 2 && width != 4 && width != 8)
			return "a column of no known width";
	}
	return NULL;
}

/* True if the job names rows, and all are among the first nrows. */
static bool
rows_exist(const DeviceJob *job, uint64_t nrows)
{
	return job->nrows > 0 && job->first_row <= nrows && job->nrows <= nrows - job->first_row;
}

static const char *
append_flaw(const DeviceJob *job, size_t slab_bytes, const OpenSession *session)
{
	if (session->sorted)
		return "rows for a session that is sorted";
	if (job->column >= session->spec.ncolumns)
		return "no such column";
	if (!rows_exist(job, session->spec.nrows))
		return "no such rows";
	return region_fits(0, job->nrows, session->spec.column_width[job->column], slab_bytes) ? NULL : "rows beyond the slab";
}

static const char *
fetch_flaw(const DeviceJob *job, size_t slab_bytes, const OpenSession *session)
{
	bool		index = job->column == GPUSORT_SESSION_INDEX;
	bool		has_index = session->spec.ncolumns > 1 || session->spec.spec.payload != GPUSORT_PAYLOAD_NONE;

	if (index ? !has_index : job->column >= session->spec.ncolumns)
		return "no such column";
	if (!session->sorted || !rows_exist(job, session->nresults))
		return "no such rows";
	return region_fits(0, job->nrows, index ? sizeof(uint32_t) : session->spec.column_width[job->column], slab_bytes)
		? NULL : "rows beyond the slab";
}

const char *
gpusort_job_flaw(const DeviceJob *job, size_t slab_bytes, const OpenSession *session)
{
	bool		needs_slab = job->kind == JOB_SORT || job->kind == JOB_APPEND || job->kind == JOB_FETCH;
	const char *no_session = "no such session";

	if (needs_slab != (slab_bytes > 0))
		return "a record of another kind";
	/* Closing reads nothing but the number of the session, and must never fail: it would be tried again. */
	if (job->kind == JOB_CLOSE_SESSION)
		return NULL;
	/* Whatever the kind, the worker counts by the use and tells the method of a job that fails. */
	if ((unsigned) job->use >= SORT_USES)
		return "unknown use";
	if (spec_flaw(&job->spec) != NULL)
		return spec_flaw(&job->spec);
	switch (job->kind)
	{
		case JOB_SORT:
			return slab_sort_flaw(job, slab_bytes);
		case JOB_OPEN_SESSION:
			return session ? "a session that is open" : open_flaw(&job->session);
		case JOB_APPEND:
			return session ? append_flaw(job, slab_bytes, session) : no_session;
		case JOB_FETCH:
			return session ? fetch_flaw(job, slab_bytes, session) : no_session;
		case JOB_SORT_SESSION:
			if (session == NULL)
				return no_session;
			return session->sorted || job->nrows == 0 || job->nrows > session->spec.nrows ? "a sort of other rows" : NULL;
		case JOB_CLOSE_SESSION:
			break;
	}
	return "unknown kind";
}
