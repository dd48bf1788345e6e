/*
 * vector_unit.cc
 *	  Finds the vector units of the CPU, by the rules of Highway.
 */
#include "cpu_engine/vector_unit.h"

#include <hwy/targets.h>

#include "cpu_engine/cpu_sort.h"

namespace gpusort
{
static int64_t left_out = 0;
static bool stores_choices_slowly = false;

/* The units that the CPU has and whose vectors the operating system saves. */
static int64_t
find_vector_units()
{
	int64_t		units = HWY_STATIC_TARGET;
#if HWY_ARCH_X86
	const bool	is_amd = __builtin_cpu_is("amd");

/* Each unit has what the one before it has, too. */
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
	stores_choices_slowly = HWY_AVX3_ZEN4 == 0 && is_amd;
	if (!(HAS("sse4.2") && HAS("pclmul") && HAS("aes")))
		return units;
	units |= HWY_SSE4;
	if (!(HAS("avx2") && HAS("fma") && HAS("bmi") && HAS("bmi2")))
		return units;
	units |= HWY_AVX2;
	if (!(HAS("avx512f") && HAS("avx512dq") && HAS("avx512cd") && HAS("avx512bw") && HAS("avx512vl")))
		return units;
	units |= HWY_AVX3;
	if (!(HAS("avx512vbmi") && HAS("avx512vbmi2") && HAS("gfni") && HAS("vpclmulqdq") && HAS("avx512vnni") &&
		  HAS("avx512bitalg") && HAS("avx512vpopcntdq")))
		return units;
	units |= HWY_AVX3_DL;
	if (HAS("avx512bf16") && is_amd)
		units |= HWY_AVX3_ZEN4;
#undef HAS
#endif
	return units;
}

int64_t
vector_units()
{
	static int64_t units = 0;

	if (units == 0)
		units = find_vector_units();
	return units & ~left_out;
}

int64_t
vector_units_for_32_bits()
{
	const int64_t units = vector_units();

	return stores_choices_slowly ? units & ~(int64_t) (HWY_AVX3 | HWY_AVX3_DL) : units;
}

void
leave_out_vector_units(int64_t units)
{
	left_out = units;
}
}

const char *
gpusort_cpu_vector_unit(void)
{
#if HWY_ARCH_X86
	const int64_t units = gpusort::vector_units();

	return units & (HWY_AVX3_ZEN4 | HWY_AVX3_DL | HWY_AVX3) ? "AVX-512" :
		units & HWY_AVX2 ? "AVX2" : units & HWY_SSE4 ? "SSE4" : hwy::TargetName(HWY_STATIC_TARGET);
#else
	return hwy::TargetName(HWY_STATIC_TARGET);
#endif
}
