/*
 * job_check.h
 *	  Is a job record one that the device may be given?
 *
 * Records and slabs are written by backends, each of which runs other people's code too.
 * A wrong record would have the device, or the worker itself, read and write memory of
 * others, or end the worker by a signal, which restarts the server.  So the worker copies a
 * record once, checks the copy, and gives the module nothing but what the copy says.  What
 * lies in the slab is not looked at.  Keys may be anything, but segments that are forged can
 * make the device read or write other memory of this worker.
 */
#ifndef GPUSORT_JOB_CHECK_H
#define GPUSORT_JOB_CHECK_H

#include "device/shared/device_shared.h"

/* What the worker keeps of a session, out of the reach of backends. */
typedef struct OpenSession
{
	GpusortSessionSpec spec;	/* with which it was opened; number 0 if this one is not open */
	bool		sorted;			/* its sort was started: rows are fetched now, and none are appended */
	uint64_t	nresults;		/* rows that can be fetched */
} OpenSession;

/*
 * Returns NULL, or what is wrong with the job as static text.  slab_bytes is 0 for a
 * session's record, else the size of its slab.  session is the open session of the number that
 * the job names, or NULL if there is none.
 */
extern const char *gpusort_job_flaw(const DeviceJob *job, size_t slab_bytes, const OpenSession *session);

#endif							/* GPUSORT_JOB_CHECK_H */
