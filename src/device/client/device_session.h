/*
 * device_session.h
 *	  Sorting on a device what does not fit a slab: columns are appended piece by
 *	  piece, sorted there, and fetched back in order.
 *
 *	  open --> append (any column, any order of pieces) --> sort --> fetch --> close
 *
 * Column 0 holds the keys; the others are gathered into its order.  A spec with
 * GPUSORT_PAYLOAD_INDEX adds the column GPUSORT_SESSION_INDEX of uint32 row
 * numbers.  Every call that returns false has set *why; the session can then
 * only be closed.  Whoever must be able to answer in any case keeps the
 * data until the last fetch has succeeded.
 *
 * A session belongs to the memory context that was current at open, and is
 * closed with it at the latest.
 */
#ifndef GPUSORT_DEVICE_SESSION_H
#define GPUSORT_DEVICE_SESSION_H

#include "gpusort_cuda.h"
#include "stats/sort_stats.h"

typedef struct DeviceSession DeviceSession;

/* Room for nrows rows of columns of 1, 2, 4, 8 or 16 bytes; NULL if there is none. */
extern DeviceSession *gpusort_session_open(const GpusortSpec *spec, SortUse use, uint64_t nrows,
										   uint32_t ncolumns, const uint8_t *column_width, SortReason *why);

/* Copies rows to the device; the memory is the caller's again at once. */
extern bool gpusort_session_append(DeviceSession *session, uint32_t column, uint64_t first_row,
								   uint64_t nrows, const void *source, SortReason *why);

/* Sorts the first nrows rows. */
extern bool gpusort_session_sort(DeviceSession *session, uint64_t nrows, SortReason *why);

/*
 * Copies rows of the sorted column back.  All that are wanted, in one call or more,
 * each once: that they are right is known with the last.
 */
extern bool gpusort_session_fetch(DeviceSession *session, uint32_t column, uint64_t first_row,
								  uint64_t nrows, void *target, SortReason *why);

extern void gpusort_session_close(DeviceSession *session);

/* After sort: the method that ran, and the seconds it took on the device. */
extern GpusortMethod gpusort_session_method(const DeviceSession *session);
extern double gpusort_session_seconds(const DeviceSession *session);

#endif							/* GPUSORT_DEVICE_SESSION_H */
