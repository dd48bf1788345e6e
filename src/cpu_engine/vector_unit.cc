/*
 * vector_unit.cc
 *	  Finds the vector units of the CPU, by the rules of Highway.
 */
#include "cpu_engine/vector_unit.h"

#include <hwy/targets.h>
#if HWY_ARCH_X86
#include <cpuid.h>

/*
 * The C library knows what the CPU has.  GCC's own function would have libgcc ask the CPU a dozen
 * times when the module is loaded, and each answer takes microseconds in a virtual machine.
 * The header needs GCC: it uses C's _Bool, which Clang lacks in ISO C++.
 */
#if __has_include(<sys/platform/x86.h>) && !defined(__clang__)
#include <sys/platform/x86.h>
#define HAS(feature, name) CPU_FEATURE_ACTIVE(feature)
#else
#define HAS(feature, name) (__builtin_cpu_supports(name) != 0)
#endif
#endif

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
	unsigned	ignored;
	unsigned	vendor = 0;
	bool		is_amd;

	__cpuid(0, ignored, vendor, ignored, ignored);
	is_amd = vendor == signature_AMD_ebx;
	stores_choices_slowly = HWY_AVX3_ZEN4 == 0 && is_amd;
	/* Each unit has what the one before it has, too. */
	if (!(HAS(SSE4_2, "sse4.2") && HAS(PCLMULQDQ, "pclmul") && HAS(AES, "aes")))
		return units;
	units |= HWY_SSE4;
	if (!(HAS(AVX2, "avx2") && HAS(FMA, "fma") && HAS(BMI1, "bmi") && HAS(BMI2, "bmi2")))
		return units;
	units |= HWY_AVX2;
	if (!(HAS(AVX512F, "avx512f") && HAS(AVX512DQ, "avx512dq") && HAS(AVX512CD, "avx512cd") && HAS(AVX512BW, "avx512bw") &&
		  HAS(AVX512VL, "avx512vl")))
		return units;
	units |= HWY_AVX3;
	if (!(HAS(AVX512_VBMI, "avx512vbmi") && HAS(AVX512_VBMI2, "avx512vbmi2") && HAS(GFNI, "gfni") &&
		  HAS(VPCLMULQDQ, "vpclmulqdq") && HAS(AVX512_VNNI, "avx512vnni") && HAS(AVX512_BITALG, "avx512bitalg") &&
		  HAS(AVX512_VPOPCNTDQ, "avx512vpopcntdq")))
		return units;
	units |= HWY_AVX3_DL;
	if (HAS(AVX512_BF16, "avx512bf16") && is_amd)
		units |= HWY_AVX3_ZEN4;
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
