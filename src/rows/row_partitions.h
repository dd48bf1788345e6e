/*
 * row_partitions.h
 *	  Numbers the partitions that the leading keys of rows make, in the order in which
 *	  they are met.
 *
 * Values are looked up by the hash function of each key's equality, so keys are equal
 * here exactly where the sort says that they are.
 */
#ifndef GPUSORT_ROW_PARTITIONS_H
#define GPUSORT_ROW_PARTITIONS_H

#include "rows/row_keys.h"

typedef struct RowPartitions RowPartitions;

/* Returns an attribute of a row that is not stored yet. */
typedef Datum (*RowValueGetter) (void *row, int attribute, bool *is_null);

extern bool gpusort_rows_can_partition(Oid sort_operator, Oid type);
extern RowPartitions *gpusort_rows_partitions_create(const RowLayout *layout, const RowKeys *keys, int nkeys);
extern uint32 gpusort_rows_partitions_find(RowPartitions *partitions, RowValueGetter get, void *row);
extern uint32 gpusort_rows_partitions_count(const RowPartitions *partitions);
extern Size gpusort_rows_partitions_bytes(const RowPartitions *partitions);
extern void gpusort_rows_partitions_free(RowPartitions *partitions);

#endif							/* GPUSORT_ROW_PARTITIONS_H */
