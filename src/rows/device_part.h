/*
 * device_part.h
 *	  Rows that one device holds and sorts, and that come back block by block.
 *
 *	  open --> append ... --> sort --> load (any block, any order) --> close
 *
 * Values that are not passed by value lie in records.  These stay in memory, with their rows.
 *
 * If the word of the code does not tell all rows apart, blocks begin where the word changes.
 * The words of a block that is loaded come with it, and the host orders the rows of equal words.
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

#define ROWS_HELD_COLUMNS (GPUSORT_SESSION_COLUMNS + 1)	/* with the numbers of rows */

typedef enum HeldKind
{
	HELD_WORDS,					/* the keys: words of the rows' code */
	HELD_VALUES,				/* of an attribute */
	HELD_NULLS,					/* the NULL bytes of an attribute */
	HELD_NUMBERS				/* not appended: the rows' numbers, by which their records are found in memory */
} HeldKind;

/* A column in device memory. */
typedef struct HeldColumn
{
	HeldKind	kind;
	int			attribute;
	uint8		width;
} HeldColumn;

/* What all parts of a sort have in device memory. */
typedef struct PartLayout
{
	GpusortSpec spec;			/* how the keys are sorted */
	bool		exact;			/* rows of equal words are equal in all sort keys */
	int			nexact;			/* leading sort keys in which rows of equal words are equal */
	uint32		block_rows;		/* rows of a block; if not exact, about this many */
	uint32		most_rows;		/* of a block whose words are all equal */
	int			ncolumns;
	HeldColumn	columns[ROWS_HELD_COLUMNS];	/* column 0 is the keys */
} PartLayout;

typedef struct DevicePart
{
	RowSort    *sort;
	const RowStore *source;		/* has the records; NULL if rows have none */
	const PartLayout *layout;
	DeviceSession *session;		/* NULL once closed */
	uint64		capacity;
	uint64		nrows;			/* rows appended */
	uint64		first_row;		/* number of its first row among those of all parts; set by the caller */
	RowBuffer	words;			/* of the block that is loaded, unless exact */
	bool		verified;		/* the session checks a column when all of it was fetched */
	uint32		nblocks;
	uint32	   *starts;			/* first row of each block, and the end; NULL if exact */
	pg_crc32c	all_words;		/* checksum of all words, if verified and not exact */
	pg_crc32c  *checksums;		/* [column * nblocks + block], if verified; of column 0 unless exact */
} DevicePart;

/*
 * Opens a part for `capacity` rows on a device, or on GPUSORT_ANY_DEVICE.  Returns NULL, and sets
 * *why, if the device has no memory for them or gives no session.
 */
extern DevicePart *gpusort_rows_device_part_open(RowSort *sort, const PartLayout *layout, int device, uint64 capacity,
										  SortReason *why);

/*
 * Appends rows of the store, whose words are in an array: the first nrows, or those that are
 * listed.  Returns false if the device has failed, or if they are more than the part is for.
 */
extern bool gpusort_rows_device_part_append(DevicePart *part, const uint64 *words, const uint32 *rows, uint32 nrows,
											SortReason *why);

/* Sorts the rows. */
extern bool gpusort_rows_device_part_sort(DevicePart *part, ShownSortId progress, SortReason *why);

/* The block that holds a row of the part; and the first row of a block, or the number of rows for block nblocks. */
extern uint32 gpusort_rows_device_part_block(const DevicePart *part, uint64 row);
extern uint32 gpusort_rows_device_part_start(const DevicePart *part, uint32 block);

/* Replaces the rows of the store by a block, and sets sort->order. */
extern bool gpusort_rows_device_part_load(DevicePart *part, uint32 block, SortReason *why);

/* Gives up device memory.  The places of blocks are still known. */
extern void gpusort_rows_device_part_close(DevicePart *part);
extern void gpusort_rows_device_part_free(DevicePart *part);

#endif							/* GPUSORT_DEVICE_PART_H */
