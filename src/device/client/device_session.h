/*
 * device_session.h
 *	  Sorts columns in device memory: they are appended piece by piece, sorted there,
 *	  and fetched back in order.
 *
 *	  open --> append (any column, any order of pieces) --> sort --> fetch --> close
 *
 * Column 0 holds the keys; the others are brought into its order.  A spec with
 * GPUSORT_PAYLOAD_INDEX adds the column GPUSORT_SESSION_INDEX of uint32 row numbers.  A
 * call that returns false has set *why; the session can then only be closed.  A caller
 * that needs the result even if the device fails must keep its data until the last fetch
 * has succeeded.
 *
 * A session belongs to the memory context that was current at open.  It is closed with
 * that context at the latest.
 */
#ifndef GPUSORT_DEVICE_SESSION_H
#define GPUSORT_DEVICE_SESSION_H

#include "device/shared/device_jobs.h"
#include "gpusort_cuda.h"
#include "stats/sort_stats.h"

typedef struct DeviceSession DeviceSession;

/*
 * Opens a session for nrows rows of columns as wide as GpusortSessionSpec says, on a certain device or on
 * GPUSORT_ANY_DEVICE.  Returns NULL and sets *why if none can be opened.
 */
extern DeviceSession *gpusort_session_open(const GpusortSpec *spec, SortUse use, int device, uint64_t nrows,
										   uint32_t ncolumns, const uint8_t *column_width, SortReason *why);

/* Writes nrows rows of a source, of width bytes, after the first `done` ones to the target.  Must raise no error. */
typedef void (*SessionGive) (const void *source, uint64_t done, uint64_t nrows, uint32_t width, void *target);

/* Copies rows that `give` writes to the device. */
extern bool gpusort_session_write(DeviceSession *session, uint32_t column, uint64_t first_row, uint64_t nrows,
								  SessionGive give, const void *source, SortReason *why);

/* Copies rows to the device.  The source may be changed when the call returns. */
extern bool gpusort_session_append(DeviceSession *session, uint32_t column, uint64_t first_row,
								   uint64_t nrows, const void *source, SortReason *why);

/* Sorts the first nrows rows. */
extern bool gpusort_session_sort(DeviceSession *session, uint64_t nrows, SortReason *why);

/* Rows of a sorted column that are wanted back, at least one. */
typedef struct SessionRead
{
	uint32_t	column;
	uint64_t	first_row;
	uint64_t	nrows;
	void	   *target;			/* for SessionTake */
} SessionRead;

/* Takes the next nrows rows, of width bytes, after the first `done` of a read. */
typedef void (*SessionTake) (const SessionRead *read, uint64_t done, uint64_t nrows, uint32_t width, const void *data);

/*
 * Fetches rows of sorted columns, and hands them to `take` piece by piece, in the order of the
 * reads.  Several pieces are under way at once.  Each wanted row must be fetched once, in one
 * call or several.  With gpusort.verify the last fetch of a column tells whether it is right.
 * Rows that are fetched again later are not checked by the device.
 */
extern bool gpusort_session_read(DeviceSession *session, const SessionRead *reads, int nreads, SessionTake take,
								 SortReason *why);

/* Fetches the first nrows rows of one column, and copies them to the target. */
extern bool gpusort_session_fetch(DeviceSession *session, uint32_t column, uint64_t nrows, void *target, SortReason *why);

extern void gpusort_session_close(DeviceSession *session);

/* After sort: the method that ran. */
extern GpusortMethod gpusort_session_method(const DeviceSession *session);

/* The device that has the session. */
extern int	gpusort_session_device(const DeviceSession *session);

#endif							/* GPUSORT_DEVICE_SESSION_H */
