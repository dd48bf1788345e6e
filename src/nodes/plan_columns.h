/*
 * plan_columns.h
 *	  The columns of a custom scan without a scan relation.
 */
#ifndef GPUSORT_PLAN_COLUMNS_H
#define GPUSORT_PLAN_COLUMNS_H

#include "nodes/pg_list.h"

/*
 * The target list of a custom scan that returns the columns of its custom_scan_tlist: that
 * list with references to the scan's own rows.  Constants stay constants, for EXPLAIN.
 */
extern List *gpusort_plan_own_columns(const List *tlist);

#endif							/* GPUSORT_PLAN_COLUMNS_H */
