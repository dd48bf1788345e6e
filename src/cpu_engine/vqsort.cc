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
static void
sort(T *keys, size_t n, bool descending)
{
	hwy::Sorter sorter;

	if (descending)
		sorter(keys, n, hwy::SortDescending());
	else
		sorter(keys, n, hwy::SortAscending());
}

void
vqsort(int16_t *keys, size_t n, bool descending)
{
	sort(keys, n, descending);
}

void
vqsort(int32_t *keys, size_t n, bool descending)
{
	sort(keys, n, descending);
}

void
vqsort(int64_t *keys, size_t n, bool descending)
{
	sort(keys, n, descending);
}
}
