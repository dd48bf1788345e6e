/*
 * gpusort_cuda.h
 *	  The interface between the device worker (C, PostgreSQL) and a device module
 *	  (CUDA C++, or the emulated device).
 *
 * The worker process loads the module named by gpusort.device_library, calls
 * gpusort_device_module() and checks the version.  Nothing else is exported, and
 * only structs and numbers pass: memory allocated on one side is never freed on the other,
 * and no exception or PostgreSQL error passes.
 *
 * Everything that takes time is asynchronous.  A call starts work under a ticket that the
 * worker chose, and returns.  When the work has ended, with success or without, the module
 * adds to the eventfd given to open(), and poll() hands out all tickets that have ended.
 * The calls up to open() come from threads that end after them and have all signals blocked,
 * so that threads of the module have, too.  All others come from one thread.
 *
 * Memory given to start_job() and to session transfers lies inside the arena.  The worker
 * does not touch it until its ticket has been polled.  A module need not check what it is
 * given: the worker does (src/device/worker/job_check.h).
 */
#ifndef GPUSORT_CUDA_H
#define GPUSORT_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "keys/sort_spec.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define GPUSORT_DEVICE_ABI 9
#define GPUSORT_DEVICE_MESSAGE 256

typedef struct GpusortDevice GpusortDevice; /* opaque: one opened device */

typedef enum GpusortDeviceStatus
{
	GPUSORT_DEVICE_OK,
	GPUSORT_DEVICE_UNAVAILABLE, /* no such device, no driver, driver too old */
	GPUSORT_DEVICE_OUT_OF_MEMORY,	/* input untouched; a smaller job may pass */
	GPUSORT_DEVICE_UNSUPPORTED, /* a record that is not well formed, which no module is given */
	GPUSORT_DEVICE_NOT_VERIFIED,	/* the check found a wrong result; input untouched */
	GPUSORT_DEVICE_FAULT		/* anything else: the context is lost */
} GpusortDeviceStatus;

typedef struct GpusortDeviceError
{
	GpusortDeviceStatus status;
	char		message[GPUSORT_DEVICE_MESSAGE];
} GpusortDeviceError;

typedef struct GpusortDeviceInfo
{
	char		name[128];
	char		driver[32];
	uint64_t	memory_bytes;	/* of the device */
	uint64_t	memory_limit;	/* the most that the module will use */
	double		to_device_bytes_per_s;	/* measured on the arena, one direction at a time */
	double		from_device_bytes_per_s;
	double		latency_s;		/* of an empty job, start to poll */
} GpusortDeviceInfo;

/*
 * The sort of a batch of segments in the arena.  Input is only read: results go to regions
 * of their own.  So if a job fails, or the device is lost, the CPU can sort the untouched
 * input.  Without a payload keys_out receives all nslots keys, gaps included.  With a
 * payload payload_out receives all nslots entries.  The other one is NULL.  Both are
 * undefined unless the outcome is OK.
 *
 * With verify, an outcome of OK says that the result of each segment is in order, and that it
 * is the segment's keys, or positions, each once.  A change before the sort, or after the
 * check, is not noticed, nor is one of a payload that is carried.
 */
typedef struct GpusortSlabSort
{
	uint64_t	ticket;
	GpusortSpec spec;
	bool		verify;
	const void *keys;			/* nslots native keys */
	const uint32_t *payload;	/* nslots entries if CARRIED, else NULL */
	void	   *keys_out;
	uint32_t   *payload_out;
	const GpusortSegment *segments;
	uint32_t	nsegments;
	uint32_t	nslots;
	uint32_t	length_histogram[GPUSORT_LENGTH_BINS];
} GpusortSlabSort;

/*
 * A session: columns of equal length in device memory.  Column 0 holds the keys; the others
 * are brought into its order.  spec.payload INDEX adds a result column of uint32 row
 * numbers.  With a limit only that many rows are left after the sort.
 *
 * With verify, a sort is OK if the order is right and each sorted column has, row by row,
 * the values that were appended.  Each row of a column must be fetched once.  The fetch of
 * the last of them is OK if all are what was sorted; rows of earlier fetches must not be
 * used before that.  Rows may be fetched again later, which is not checked.
 */
#define GPUSORT_SESSION_COLUMNS 34
#define GPUSORT_SESSION_INDEX 0xffffffffu	/* column number of the result column */

typedef struct GpusortSessionSpec
{
	uint64_t	session;		/* chosen by the worker */
	GpusortSpec spec;
	bool		verify;
	uint64_t	nrows;			/* rows that will be appended, at most */
	uint32_t	ncolumns;		/* columns, keys included */
	uint8_t		column_width[GPUSORT_SESSION_COLUMNS];	/* 1, 2, 4 or 8 bytes */
} GpusortSessionSpec;

/* How a ticket ended. */
typedef struct GpusortDeviceOutcome
{
	uint64_t	ticket;
	GpusortDeviceError error;	/* status OK: sorted */
	GpusortMethod method;		/* method that ran */
	double		copy_in_s;
	double		sort_s;
	double		verify_s;		/* by how much checks made the job longer */
	double		copy_out_s;
} GpusortDeviceOutcome;

typedef struct GpusortDeviceModule
{
	uint32_t	abi;			/* GPUSORT_DEVICE_ABI */
	const char *name;			/* "cuda", "emulated" */

	int			(*device_count) (GpusortDeviceError *error);

	/*
	 * Opens a device: makes its context, pins [arena, arena + arena_bytes) from the
	 * calling thread, measures the rates.  Must only read the arena, because after a restart backends have
	 * data in it.  A memory_limit of 0 allows all memory but a reserve.  Returns NULL
	 * with *error set on failure.  The worker tries again a minute later after OUT_OF_MEMORY,
	 * and in a new process after FAULT.  UNAVAILABLE is final for a device that was never opened.
	 */
	GpusortDevice *(*open) (int ordinal, uint64_t memory_limit, void *arena, size_t arena_bytes,
							int event_fd, GpusortDeviceInfo *info, GpusortDeviceError *error);

	/* Called by the thread that makes all later calls, before them. */
	void		(*enter) (GpusortDevice *device);

	/* Called when no work is under way.  The worker does not: it ends by _exit, since this may wait for the driver. */
	void		(*close) (GpusortDevice *device);

	/* Starts a job that gpusort_device_refuses does not refuse.  poll() returns its outcome, even if it fails at once. */
	void		(*start_job) (GpusortDevice *device, const GpusortSlabSort *job);

	/* Sessions.  open_session returns its result; the others end under their tickets. */
	GpusortDeviceStatus (*open_session) (GpusortDevice *device, const GpusortSessionSpec *session,
										 GpusortDeviceError *error);
	void		(*append) (GpusortDevice *device, uint64_t session, uint64_t ticket,
						   uint32_t column, uint64_t first_row, uint64_t nrows, const void *source);
	void		(*sort_session) (GpusortDevice *device, uint64_t session, uint64_t ticket, uint64_t nrows);
	void		(*fetch) (GpusortDevice *device, uint64_t session, uint64_t ticket,
						  uint32_t column, uint64_t first_row, uint64_t nrows, void *target);

	/* Frees the session once its started work has ended; has no ticket. */
	void		(*close_session) (GpusortDevice *device, uint64_t session);

	/* Takes one ended ticket.  Returns false if there is none. */
	bool		(*poll) (GpusortDevice *device, GpusortDeviceOutcome *outcome);

	/* Device memory in use by the module, and its peak, in bytes. */
	void		(*memory_in_use) (GpusortDevice *device, uint64_t *now, uint64_t *peak);
} GpusortDeviceModule;

/* The module's one exported symbol. */
typedef const GpusortDeviceModule *(*GpusortDeviceModuleFunction) (void);
extern const GpusortDeviceModule *gpusort_device_module(void);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSORT_CUDA_H */
