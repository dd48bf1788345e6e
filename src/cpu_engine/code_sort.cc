/*
 * code_sort.cc
 *	  Sorts signed integers: few in registers, more by vqsort, many by partition first.
 */
#include "cpu_engine/code_sort.h"

#include "cpu_engine/partition_sort.h"
#include "cpu_engine/simd.h"
#include "cpu_engine/vqsort.h"

namespace gpusort
{
/* No network in registers sorts more codes.  simd::sort_small decides how many it can sort. */
constexpr uint32_t MOST_IN_REGISTERS = 256;

static bool
sort_in_registers(int16_t *codes, uint32_t n, bool descending)
{
	int32_t		wide[MOST_IN_REGISTERS];

	for (uint32_t i = 0; i < n; i++)
		wide[i] = codes[i];
	if (!simd::sort_small(GPUSORT_KEY_INT32, (uint32_t *) wide, n, descending))
		return false;
	for (uint32_t i = 0; i < n; i++)
		codes[i] = (int16_t) wide[i];
	return true;
}

static bool
sort_in_registers(int32_t *codes, uint32_t n, bool descending)
{
	return simd::sort_small(GPUSORT_KEY_INT32, (uint32_t *) codes, n, descending);
}

static bool
sort_in_registers(int64_t *codes, uint32_t n, bool descending)
{
	return simd::sort_small(GPUSORT_KEY_INT64, (uint64_t *) codes, n, descending);
}

template <typename Code>
static bool
sort(Work &work, Code *codes, uint32_t n, char *scratch, bool descending)
{
	if (n > GPUSORT_INTERRUPT_KEYS)
		return partition_sort<Code>(work, codes, n, scratch, descending, nullptr);
	if (n > MOST_IN_REGISTERS || !sort_in_registers(codes, n, descending))
		vqsort(codes, n, descending);
	return !work.stop_after(n);
}

size_t
sort_codes_scratch(uint64_t n, size_t width, int threads)
{
	return n > GPUSORT_INTERRUPT_KEYS ? partition_tables_scratch(threads) + n * width : 0;
}

bool
sort_codes(Work &work, int16_t *codes, uint32_t n, char *scratch, bool descending)
{
	return sort(work, codes, n, scratch, descending);
}

bool
sort_codes(Work &work, int32_t *codes, uint32_t n, char *scratch, bool descending)
{
	return sort(work, codes, n, scratch, descending);
}

bool
sort_codes(Work &work, int64_t *codes, uint32_t n, char *scratch, bool descending)
{
	return sort(work, codes, n, scratch, descending);
}
}
