/*
 * code_sort.cc
 *	  Sorts signed integers: few in registers, more by vqsort, many by partition first.
 */
#include "cpu_engine/code_sort.h"

#include "cpu_engine/forms.h"
#include "cpu_engine/partition_sort.h"
#include "cpu_engine/simd.h"
#include "cpu_engine/vqsort.h"

namespace gpusort
{
/* No network in registers sorts more codes.  Kernels::sort_small decides how many it can sort. */
constexpr uint32_t MOST_IN_REGISTERS = 256;

template <typename Code>
static bool
sort_in_registers(Code *codes, uint32_t n, bool descending)
{
	if constexpr (FormsOf<Code>::narrow)
	{
		int32_t		wide[MOST_IN_REGISTERS];

		for (uint32_t i = 0; i < n; i++)
			wide[i] = codes[i];
		if (!sort_in_registers(wide, n, descending))
			return false;
		for (uint32_t i = 0; i < n; i++)
			codes[i] = (Code) wide[i];
		return true;
	}
	else
		return simd::kernels<Code>().sort_small(FormsOf<Code>::integer, (std::make_unsigned_t<Code> *) codes, n, descending);
}

size_t
sort_codes_scratch(uint64_t n, size_t width, int threads)
{
	return n > GPUSORT_INTERRUPT_KEYS ? partition_tables_scratch(threads) + n * width : 0;
}

template <typename Code>
bool
sort_codes(Work &work, Code *codes, uint32_t n, char *scratch, bool descending)
{
	if (n > GPUSORT_INTERRUPT_KEYS)
		return partition_sort<Code>(work, codes, n, scratch, descending, nullptr);
	if (n > MOST_IN_REGISTERS || !sort_in_registers(codes, n, descending))
		vqsort(codes, n, descending);
	return !work.stop_after(n);
}

template bool sort_codes(Work &, int16_t *, uint32_t, char *, bool);
template bool sort_codes(Work &, int32_t *, uint32_t, char *, bool);
template bool sort_codes(Work &, int64_t *, uint32_t, char *, bool);
}
