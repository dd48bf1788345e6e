/*
 * gpusort_cuda.h
 *	  The border between the device worker (C, PostgreSQL) and a device module
 *	  (CUDA C++, or the emulated device).
 *
 * The worker process loads the module named by gpusort.device_library, calls
 * gpusort_device_module() and checks the version.  Nothing else is exported, and
 * nothing but plain data crosses: no allocation made on one side is freed on the
 * other, no exception and no PostgreSQL error passes.
 *
 * Everything that takes time is asynchronous.  A call starts work under a ticket
 * chosen by the worker and returns; when the work has ended, one way or another,
 * the module adds to the eventfd given to open(), and poll() hands out all tickets
 * that have ended.  All calls come from one thread.
 *
 * Memory given to start_job() and to session transfers lies inside the arena and
 * stays untouched by the other side until its ticket has been polled.
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

#define GPUSORT_DEVICE_ABI 5
#define GPUSORT_DEVICE_MESSAGE 256

typedef struct GpusortDevice GpusortDevice; /* opaque: one opened device */

typedef enum GpusortDeviceStatus
{
	GPUSORT_DEVICE_OK,
	GPUSORT_DEVICE_UNAVAILABLE, /* no such device, no driver, driver too old */
	GPUSORT_DEVICE_OUT_OF_MEMORY,	/* input untouched; a smaller job may pass */
	GPUSORT_DEVICE_UNSUPPORTED, /* the method cannot sort this; input untouched */
	GPUSORT_DEVICE_NOT_VERIFIED,	/* a byte is not what it should be; input untouched */
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
	int			compute_capability; /* 90 for 9.0; 0 if emulated */
	int			multiprocessors;
	uint64_t	memory_bytes;	/* of the device */
	uint64_t	memory_limit;	/* what the module allows itself */
	double		to_device_bytes_per_s;	/* measured on the arena, both directions apart */
	double		from_device_bytes_per_s;
	double		latency_s;		/* of an empty job, start to poll */
} GpusortDeviceInfo;

/*
 * One batch of segments, in the arena.  Input is only read: results go to regions
 * of their own, so that a job that ends in any error, or in the loss of the
 * device, can be done again on the CPU from its untouched input.  keys_out gets
 * the whole extent of nslots keys, gaps included (without a payload; else NULL),
 * payload_out all nslots entries (with one; else NULL).  They are undefined
 * unless the outcome is OK.
 *
 * With verify, an outcome of OK says that the result is in order and that it is the
 * input's: from when the input has come to the device until the result goes, no byte
 * of it, gaps and segments included, has changed but by being sorted.
 */
typedef struct GpusortDeviceJob
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
} GpusortDeviceJob;

/*
 * A session sorts what does not fit one slab: columns of equal length live on
 * the device; column 0 holds the keys, the others are gathered into its order.
 * spec.payload INDEX adds a result column of uint32 row numbers.  With a limit only
 * so many rows are there after the sort.
 *
 * With verify, a sort is OK if the order is right and each column that was sorted is
 * the one that was appended, row by row.  Each row of a column is to be fetched once:
 * the fetch that brings the last of them is OK if they are what was sorted.  What the
 * earlier ones have brought is not to be used before.
 */
#define GPUSORT_SESSION_COLUMNS 34
#define GPUSORT_SESSION_INDEX 0xffffffffu	/* column number of the result column */

typedef struct GpusortDeviceSession
{
	uint64_t	session;		/* chosen by the worker */
	GpusortSpec spec;
	bool		verify;
	uint64_t	nrows;			/* rows that will be appended, at most */
	uint32_t	ncolumns;		/* columns, keys included */
	uint8_t		column_width[GPUSORT_SESSION_COLUMNS];	/* 1, 2, 4, 8 or 16 bytes */
} GpusortDeviceSession;

/* How a ticket ended. */
typedef struct GpusortDeviceOutcome
{
	uint64_t	ticket;
	GpusortDeviceError error;	/* status OK: sorted */
	GpusortMethod method;		/* method that ran */
	double		copy_in_s;
	double		sort_s;
	double		verify_s;		/* by which checks made the job longer, but for those that copy as well */
	double		copy_out_s;
} GpusortDeviceOutcome;

typedef struct GpusortDeviceModule
{
	uint32_t	abi;			/* GPUSORT_DEVICE_ABI */
	const char *name;			/* "cuda", "emulated" */

	int			(*device_count) (GpusortDeviceError *error);

	/*
	 * Opens a device: makes its context, pins [arena, arena + arena_bytes),
	 * measures the rates.  Only reads the arena: after a restart, backends have
	 * data in it.  memory_limit 0: all but a reserve.  NULL with *error set if it
	 * cannot: UNAVAILABLE is final, OUT_OF_MEMORY is tried again a minute later,
	 * FAULT in a new process.
	 */
	GpusortDevice *(*open) (int ordinal, uint64_t memory_limit, void *arena, size_t arena_bytes,
							int event_fd, GpusortDeviceInfo *info, GpusortDeviceError *error);

	/* Called when nothing is in flight; else the process just leaves by _exit. */
	void		(*close) (GpusortDevice *device);

	/*
	 * NULL if the method can run this spec on this device, else why not (static
	 * text).  Asked once after open for each combination of method, form and
	 * payload, with and without limit and buckets; nothing else may matter.
	 */
	const char *(*refuses) (GpusortDevice *device, const GpusortSpec *spec);

	/* Starts a job.  Ends as an outcome of poll(), also when it fails at once. */
	void		(*start_job) (GpusortDevice *device, const GpusortDeviceJob *job);

	/* Sessions.  open_session answers at once; the others end under their tickets. */
	GpusortDeviceStatus (*open_session) (GpusortDevice *device, const GpusortDeviceSession *session,
										 GpusortDeviceError *error);
	void		(*append) (GpusortDevice *device, uint64_t session, uint64_t ticket,
						   uint32_t column, uint64_t first_row, uint64_t nrows, const void *source);
	void		(*sort_session) (GpusortDevice *device, uint64_t session, uint64_t ticket, uint64_t nrows);
	void		(*fetch) (GpusortDevice *device, uint64_t session, uint64_t ticket,
						  uint32_t column, uint64_t first_row, uint64_t nrows, void *target);

	/* Frees the session once its started work has ended; has no ticket. */
	void		(*close_session) (GpusortDevice *device, uint64_t session);

	/* Takes one ended ticket; false if there is none. */
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
