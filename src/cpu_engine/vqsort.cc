/*
 * vqsort.cc
 *	  The calls into libhwy_contrib.
 *
 * hwy::Sorter is the interface that every version from 1.0.3 on has.
 */
#include "cpu_engine/vqsort.h"

#include <hwy/contrib/sort/vqsort.h>

namespace gpusort
{
template <typename T>
void
vqsort(T *keys, size_t n, bool descending)
{
	hwy::Sorter sorter;

	if (descending)
		sorter(keys, n, hwy::SortDescending());
	else
		sorter(keys, n, hwy::SortAscending());
}

template void vqsort(int16_t *, size_t, bool);
template void vqsort(int32_t *, size_t, bool);
template void vqsort(int64_t *, size_t, bool);
}
