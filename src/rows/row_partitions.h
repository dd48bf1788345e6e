/*
 * row_partitions.h
 *	  Numbers the partitions that the leading keys of rows make, in the order in which
 *	  they are met.
 *
 * Values are looked up by their bytes.  Rows that are equal in the keys, but not in all bytes of them,
 * may be of different partitions.
 */
#ifndef GPUSORT_ROW_PARTITIONS_H
#define GPUSORT_ROW_PARTITIONS_H

#include "rows/row_keys.h"

typedef struct RowPartitions RowPartitions;

/* Returns an attribute of a row that is not stored yet. */
typedef Datum (*RowValueGetter) (void *row, int attribute, bool *is_null);

/* Makes an empty table of partitions by the first nkeys keys, one or more. */
extern RowPartitions *gpusort_rows_partitions_create(const RowLayout *layout, const RowKeys *keys, int nkeys);

/* Returns the number of a row's partition, which is a new one if no row had these values. */
extern uint32 gpusort_rows_partitions_find(RowPartitions *partitions, RowValueGetter get, void *row);
extern uint32 gpusort_rows_partitions_count(const RowPartitions *partitions);

/* Memory that the table takes. */
extern Size gpusort_rows_partitions_bytes(const RowPartitions *partitions);
extern void gpusort_rows_partitions_free(RowPartitions *partitions);

#endif							/* GPUSORT_ROW_PARTITIONS_H */
