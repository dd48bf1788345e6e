/*
 * device_rows.h
 *	  Rows that devices hold and sort, and that come back block by block.
 *
 *	  begin --> take ... --> sort --> load (any block, any order) --> free
 *	                              \-> give_back ...  (also after a load that failed)
 *
 *	  order --> load ... --> free (rows that work_mem holds)
 *
 * The backend holds one block of the rows.
 *
 * Nothing is lost with a device: a file, or the store, keeps the rows in the input's order, and the
 * sort is stable.  So sorting the rows that give_back returns leads to the same sequence, and
 * the caller can go on where the device has failed.
 */
#ifndef GPUSORT_DEVICE_ROWS_H
#define GPUSORT_DEVICE_ROWS_H

#include "rows/row_sort.h"

/* Begins to hold rows beyond work_mem for the sort.  Returns NULL if they are better sorted otherwise. */
extern DeviceRows *gpusort_rows_device_begin(RowSort *sort);

/*
 * Takes all rows of the store.  Returns REASON_NONE, or why devices will not sort the rows after
 * all; then they can only be given back.
 */
extern SortReason gpusort_rows_device_take(DeviceRows *rows);

/* Has one device or several sort the rows.  Returns REASON_NONE, or why they did not. */
extern SortReason gpusort_rows_device_sort(DeviceRows *rows);

/*
 * Has a device sort all rows of the store, which is kept: blocks get one of their own.  Returns false if none
 * does, with nothing changed but sort->failed.
 */
extern bool gpusort_rows_device_order(RowSort *sort);

/* The store that is kept, or NULL. */
extern RowStore *gpusort_rows_device_source(const DeviceRows *rows);

/*
 * Replaces the rows of the store by the block that holds a row, and sets sort->order and sort->first_row.
 * Returns false if a device has failed and no other one replaces it; then *why tells how.
 */
extern bool gpusort_rows_device_load(DeviceRows *rows, uint64 row, SortReason *why);

/* Replaces the rows of the store by the next ones in the input's order.  Returns false behind the last. */
extern bool gpusort_rows_device_give_back(DeviceRows *rows);

/* Bytes in device memory, and in the file. */
extern int64 gpusort_rows_device_bytes(const DeviceRows *rows);
extern int64 gpusort_rows_device_disk_bytes(const DeviceRows *rows);

/* Gives up device memory and the file.  The block that is loaded can still be read. */
extern void gpusort_rows_device_free(DeviceRows *rows);

#endif							/* GPUSORT_DEVICE_ROWS_H */
