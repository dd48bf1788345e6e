/*
 * device_shared.h
 *	  What backends and device workers share: the arena, its slabs, the queues of
 *	  jobs, and the state of each device.
 *
 * The arena is shared memory cut into slabs of equal size.  Each slab has a job record.
 * Further job records without a slab stand for a session each: they carry its opening,
 * sort and closing, one after the other.  The state of a record says who may touch it,
 * and its slab:
 *
 *	  FREE --acquire--> HELD --submit--> QUEUED --start--> RUNNING --end--> ENDED
 *	   ^                 | ^                |                 |               |
 *	   +-----release-----+ +----------------|-----------------|-----wait------+
 *	   +------------------------abandon-----+                 |
 *	   +------------------end, if abandoned meanwhile---------+
 *
 *	  FREE			nobody; slabs are in the list of free slabs
 *	  HELD, ENDED	the backend that owns it
 *	  QUEUED		the backend owns the record, nobody may touch the slab
 *	  RUNNING		the device reads the slab's input and writes its output
 *	  LOST			the worker ended while the job ran, and the device may still write
 *					the output.  The next worker makes the record FREE, or ENDED if
 *					it has an owner; until then the slab is out of use, but its
 *					owner may read the input
 *
 * arena.c and device_jobs.c make every transition under the one lock, which is held for
 * a few instructions.  Slabs are read and written without the lock, by those that the
 * state names.  Backends wait on their latch.
 *
 * Deadlock rule: a backend never waits for a BATCH slab.  It waits for a TRANSIT slab
 * only while it holds no other TRANSIT slab that it must release itself.
 *	  BATCH		stays with its backend for as long as a query runs
 *	  TRANSIT	passes data through and is released at once, by the backend or, for an
 *				append to a session, by the worker
 * A part of the slabs is kept for transit, so every backend that waits for one, in order
 * of arrival, gets it.  A backend that holds a BATCH slab takes another only while more
 * than half of all slabs are free; the last half is kept for backends that hold none.
 *
 * Counters and rates of a device are written by its worker under the lock, and its state too:
 * only a backend that has waited in vain makes a READY device NOT_ANSWERING.
 */
#ifndef GPUSORT_DEVICE_SHARED_H
#define GPUSORT_DEVICE_SHARED_H

#include "datatype/timestamp.h"
#include "lib/ilist.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"
#include "storage/proc.h"

#include "device/shared/device_list.h"
#include "gpusort_cuda.h"
#include "stats/sort_stats.h"

#define GPUSORT_MAX_SESSIONS 64
#define GPUSORT_NO_JOB (-1)

typedef enum JobState
{
	JOB_FREE,
	JOB_HELD,
	JOB_QUEUED,
	JOB_RUNNING,
	JOB_ENDED,
	JOB_LOST
} JobState;

typedef enum JobKind
{
	JOB_SORT,					/* sorts the slab's segments */
	JOB_OPEN_SESSION,
	JOB_APPEND,
	JOB_SORT_SESSION,
	JOB_FETCH,
	JOB_CLOSE_SESSION
} JobKind;

/* Where in a slab each region of a JOB_SORT begins. */
typedef struct SlabLayout
{
	uint32_t	keys;
	uint32_t	payload;		/* input, with a carried payload */
	uint32_t	keys_out;		/* without a payload */
	uint32_t	payload_out;	/* with a payload */
	uint32_t	segments;
} SlabLayout;

typedef struct DeviceJob
{
	/* Protected by the lock. */
	JobState	state;
	PGPROC	   *owner;			/* backend; NULL once abandoned or free */
	bool		abandoned;		/* QUEUED or RUNNING, and no backend waits for it */
	dlist_node	node;			/* in a device's queue or the list of free slabs */
	int			device;
	uint64_t	ticket;

	/* Written by the owner while HELD. */
	JobKind		kind;
	GpusortSpec spec;
	SortUse		use;
	bool		verify;
	SlabLayout	layout;
	uint32_t	nsegments;
	uint32_t	nslots;
	uint32_t	length_histogram[GPUSORT_LENGTH_BINS];
	GpusortSessionSpec session;	/* complete for OPEN; other kinds use its number only */
	uint32_t	column;
	uint64_t	first_row;
	uint64_t	nrows;
	int			session_job;	/* for an APPEND: the job record of its session */

	/* Written by the worker before ENDED. */
	GpusortDeviceOutcome outcome;
	bool		session_open;	/* the device knows the session */

	/* For a session's record; protected by the lock. */
	int			appends;		/* APPENDs under way */
	GpusortDeviceStatus append_status;	/* OK, or the status of the last that failed */
} DeviceJob;

/*
 * The states of a device, the better the later: of several devices, the best tells why none can be
 * used.  X(symbol, as gpusort.devices shows it)
 */
#define DEVICE_STATES(X) \
	X(UNUSED, "no worker yet")		/* no worker was registered for it */ \
	X(UNAVAILABLE, "unavailable")	/* there is no device or no driver, and no worker tries again */ \
	X(NOT_ANSWERING, "not answering")	/* it was ready, but has ended no job in time; the worker makes it ready again */ \
	X(BACKING_OFF, "backing off")	/* the worker waits before it tries again */ \
	X(RESTARTING, "restarting")		/* the worker has ended and will come back */ \
	X(STARTING, "starting") \
	X(READY, "ready")

typedef enum DeviceState
{
#define DEVICE_STATE_SYMBOL(symbol, name) DEVICE_##symbol,
	DEVICE_STATES(DEVICE_STATE_SYMBOL)
#undef DEVICE_STATE_SYMBOL
} DeviceState;

typedef struct SharedDevice
{
	DeviceState state;
	PGPROC	   *worker;			/* NULL unless a worker runs */
	int			worker_pid;
	uint64_t	generation;		/* grows when a worker starts and when it ends */
	dlist_head	queue;			/* of DeviceJob, QUEUED */
	int			queued;
	int			running;
	bool		has_module;		/* the device module is installed, even if there is no device */
	char		library[NAMEDATALEN];	/* the name that the module gives itself */
	GpusortDeviceInfo info;
	uint64_t	memory_now;
	uint64_t	memory_peak;
	uint64_t	answers;		/* jobs that it gave back, sorted or not */
	uint64_t	jobs;			/* ended well */
	uint64_t	sorts;			/* of them: others carry data to and from sessions */
	double		copy_in_s;		/* what they took on the device */
	double		sort_s;
	double		verify_s;
	double		copy_out_s;
	uint64_t	faults;
	uint64_t	starts;
	uint64_t	verification_failures;
	int			faults_in_a_row;
	char		last_error[GPUSORT_DEVICE_MESSAGE];
	TimestampTz last_error_at;
	TimestampTz ready_since;
} SharedDevice;

/* A backend in the queue for a slab.  Each process has one. */
typedef struct SlabWaiter
{
	dlist_node	node;
	PGPROC	   *proc;
	bool		waiting;
	int			granted;		/* slab, or GPUSORT_NO_JOB */
} SlabWaiter;

typedef struct SharedArena
{
	LWLock	   *lock;
	ConditionVariable device_changed;	/* broadcast when a device changes state */
	char	   *base;			/* page aligned; at one address in every process */
	size_t		slab_bytes;
	int			nslabs;
	int			nfree;
	int			reserve;		/* slabs kept for transit */
	int			njobs;			/* slabs and sessions */
	int			nwaiters;
	bool		has_workers;	/* workers were registered when the server started */
	uint64_t	last_ticket;
	uint64_t	last_session;
	dlist_head	free;			/* of DeviceJob: slabs in state FREE */
	dlist_head	waiters;		/* of SlabWaiter, in order of arrival */
	SharedDevice devices[GPUSORT_MAX_DEVICES];
	SlabWaiter *waiter;			/* MaxBackends of them, by process number */
	DeviceJob  *job;			/* njobs of them: job i < nslabs has slab i */
} SharedArena;

/* NULL unless preloaded. */
extern SharedArena *gpusort_arena;

#endif							/* GPUSORT_DEVICE_SHARED_H */
