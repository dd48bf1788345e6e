/*
 * code_sort.cc
 *	  Sorts signed integers by the means that suits their number.
 */
#include "cpu_engine/code_sort.h"

#include "cpu_engine/vqsort.h"

namespace gpusort
{
template <typename Code>
static bool
sort(Work &work, Code *codes, uint32_t n, bool descending)
{
	vqsort(codes, n, descending);
	return !work.stop_after(n);
}

size_t
sort_codes_scratch(uint64_t n, size_t width)
{
	return 0;
}

bool
sort_codes(Work &work, int16_t *codes, uint32_t n, char *scratch, bool descending)
{
	return sort(work, codes, n, descending);
}

bool
sort_codes(Work &work, int32_t *codes, uint32_t n, char *scratch, bool descending)
{
	return sort(work, codes, n, descending);
}

bool
sort_codes(Work &work, int64_t *codes, uint32_t n, char *scratch, bool descending)
{
	return sort(work, codes, n, descending);
}
}
