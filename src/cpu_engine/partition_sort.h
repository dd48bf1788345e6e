/*
 * partition_sort.h
 *	  Sorts of arrays too large to be sorted in one go: taken apart first.
 */
#ifndef GPUSORT_PARTITION_SORT_H
#define GPUSORT_PARTITION_SORT_H

#include "cpu_engine/work.h"

namespace gpusort
{
/* Scratch bytes for n codes of the given width. */
size_t partition_sort_scratch(uint64_t n, size_t width, int threads);

/* Sorts codes in place; false if told to stop. */
template <typename Code>
bool partition_sort(Work &work, Code *codes, uint32_t n, char *scratch, bool descending);
}

#endif							/* GPUSORT_PARTITION_SORT_H */
