/*
 * datum_sort.h
 *	  A stable sort of Datums by their comparator.
 */
#ifndef GPUSORT_DATUM_SORT_H
#define GPUSORT_DATUM_SORT_H

#include "utils/sortsupport.h"

/* Puts the positions of n Datums, none of them NULL, in order.  Checks for interrupts. */
extern void gpusort_datums_sort(SortSupport support, const Datum *datums, uint32 *positions, uint32 n);

#endif							/* GPUSORT_DATUM_SORT_H */
