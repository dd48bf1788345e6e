/*
 * vqsort.h
 *	  Highway's vectorized quicksort as functions, so that only one file includes
 *	  its headers.
 *
 * Only signed integers are needed: float keys are sorted by their codes, because vqsort neither places NaN as
 * PostgreSQL does nor keeps -0 and +0 apart.
 */
#ifndef GPUSORT_VQSORT_H
#define GPUSORT_VQSORT_H

#include <cstddef>
#include <cstdint>

namespace gpusort
{
/* Sorts integers of 16, 32 or 64 bits. */
template <typename T>
void vqsort(T *keys, size_t n, bool descending);
}

#endif							/* GPUSORT_VQSORT_H */
