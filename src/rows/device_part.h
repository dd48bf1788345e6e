/*
 * device_part.h
 *	  Rows that one device holds and sorts, and that come back block by block.
 *
 *	  open --> append ... --> sort --> load (any block, any order) --> close
 *
 * If the word of the code does not tell all rows apart, blocks begin where the word changes,
 * and the host orders the rows of each block that it loads, which are nearly in order.
 *
 * With gpusort.verify a column is known to be right once all of it has been fetched.  Rows
 * that have been returned cannot be taken back, so sort fetches all columns once, and keeps
 * a checksum of each block.  A block that is fetched again must have the same.
 */
#ifndef GPUSORT_DEVICE_PART_H
#define GPUSORT_DEVICE_PART_H

#include "port/pg_crc32c.h"

#include "device/client/device_session.h"
#include "rows/row_sort.h"

/* A column in device memory: the values or the NULL bytes of an attribute. */
typedef struct HeldColumn
{
	int			attribute;
	bool		is_nulls;
} HeldColumn;

/* What all parts of a sort have in device memory. */
typedef struct PartLayout
{
	GpusortSpec spec;			/* how the keys are sorted, which are words of the rows' code */
	bool		exact;			/* rows of equal words are equal in all sort keys */
	uint32		block_rows;		/* rows of a block; if not exact, about this many */
	int			ncolumns;		/* without column 0 of the session, the keys */
	HeldColumn	columns[GPUSORT_SESSION_COLUMNS];
	uint8		widths[GPUSORT_SESSION_COLUMNS];
} PartLayout;

typedef struct DevicePart
{
	RowSort    *sort;
	const PartLayout *layout;
	DeviceSession *session;		/* NULL once closed */
	uint64		capacity;
	uint64		nrows;			/* rows appended */
	uint64		first_row;		/* number of its first row among those of all parts; set by the caller */
	RowBuffer	gathered;		/* values of listed rows */
	bool		verified;		/* the session checks a column when all of it was fetched */
	uint32		nblocks;
	uint32	   *starts;			/* first row of each block, and the end; NULL if exact */
	pg_crc32c  *checksums;		/* [column * nblocks + block], if verified */
} DevicePart;

/*
 * Opens a part for `capacity` rows on a device, or on GPUSORT_ANY_DEVICE.  Returns NULL, and sets
 * *why, if the device has no memory for them or gives no session.
 */
extern DevicePart *gpusort_rows_part_open(RowSort *sort, const PartLayout *layout, int device, uint64 capacity,
										  SortReason *why);

/*
 * Appends rows of the store, whose keys are in an array: the first nrows, or those that are
 * listed.  Returns false if the device has failed, or if they are more than the part is for.
 */
extern bool gpusort_rows_part_append(DevicePart *part, const char *keys, const uint32 *rows, uint32 nrows, SortReason *why);

/* Sorts the rows. */
extern bool gpusort_rows_part_sort(DevicePart *part, ShownSortId progress, SortReason *why);

/* The block that holds a row of the part; and the first row of a block, or the number of rows for block nblocks. */
extern uint32 gpusort_rows_part_block(const DevicePart *part, uint64 row);
extern uint32 gpusort_rows_part_start(const DevicePart *part, uint32 block);

/* Replaces the rows of the store by a block, and sets sort->order. */
extern bool gpusort_rows_part_load(DevicePart *part, uint32 block, SortReason *why);

/* Gives up device memory.  The places of blocks are still known. */
extern void gpusort_rows_part_close(DevicePart *part);
extern void gpusort_rows_part_free(DevicePart *part);

#endif							/* GPUSORT_DEVICE_PART_H */
