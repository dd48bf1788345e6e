/*
 * vector_unit.cc
 *	  Finds the vector units of the CPU, by the rules of Highway.
 */
#include "cpu_engine/vector_unit.h"

#include <hwy/targets.h>
#if HWY_ARCH_X86
#include <cpuid.h>
#endif

#include "cpu_engine/cpu_sort.h"

namespace gpusort
{
static int64_t left_out = 0;
static bool stores_choices_slowly = false;

#if HWY_ARCH_X86
/* Words of CPUID: those of leaf 1, of leaf 0x80000001, of leaf 7, and of leaf 7 with 1. */
struct CpuWords
{
	unsigned	ecx1,
				ecx_extended,
				ebx7,
				ecx7,
				eax7_1;
};

/* What a unit needs beyond the unit before it. */
static constexpr CpuWords SSE4_NEEDS = {bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_PCLMUL | bit_AES, 0, 0, 0, 0};
static constexpr CpuWords AVX2_NEEDS = {bit_OSXSAVE | bit_AVX | bit_F16C | bit_FMA, bit_LZCNT,
	bit_AVX2 | bit_BMI | bit_BMI2, 0, 0};
static constexpr CpuWords AVX3_NEEDS = {0, 0,
	bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL, 0, 0};
static constexpr CpuWords AVX3_DL_NEEDS = {0, 0, 0,
	bit_AVX512VBMI | bit_AVX512VBMI2 | bit_GFNI | bit_VAES | bit_VPCLMULQDQ | bit_AVX512VNNI | bit_AVX512BITALG |
	bit_AVX512VPOPCNTDQ, 0};
static constexpr CpuWords AVX3_ZEN4_NEEDS = {0, 0, 0, 0, bit_AVX512BF16};

/* What the operating system saves of vectors of 256 and of 512 bits, in XCR0. */
static constexpr unsigned SAVES_256 = 0x06;
static constexpr unsigned SAVES_512 = 0xe6;

static bool
has(const CpuWords &cpu, const CpuWords &needs)
{
	return (cpu.ecx1 & needs.ecx1) == needs.ecx1 && (cpu.ecx_extended & needs.ecx_extended) == needs.ecx_extended &&
		(cpu.ebx7 & needs.ebx7) == needs.ebx7 && (cpu.ecx7 & needs.ecx7) == needs.ecx7 &&
		(cpu.eax7_1 & needs.eax7_1) == needs.eax7_1;
}

static int64_t
find_vector_units()
{
	CpuWords	cpu = {};
	unsigned	vendor = 0,
				saves = 0,
				a,
				b,
				c,
				d;

	__get_cpuid(0, &a, &vendor, &c, &d);
	__get_cpuid(1, &a, &b, &cpu.ecx1, &d);
	__get_cpuid(0x80000001, &a, &b, &cpu.ecx_extended, &d);
	__get_cpuid_count(7, 0, &a, &cpu.ebx7, &cpu.ecx7, &d);
	__get_cpuid_count(7, 1, &cpu.eax7_1, &b, &c, &d);
	stores_choices_slowly = HWY_AVX3_ZEN4 == 0 && vendor == signature_AMD_ebx;
	if (cpu.ecx1 & bit_OSXSAVE)
		__asm__ volatile("xgetbv" : "=a"(saves), "=d"(d) : "c"(0));

	if (!has(cpu, SSE4_NEEDS))
		return HWY_STATIC_TARGET;
	if (!has(cpu, AVX2_NEEDS) || (saves & SAVES_256) != SAVES_256)
		return HWY_STATIC_TARGET | HWY_SSE4;
	if (!has(cpu, AVX3_NEEDS) || (saves & SAVES_512) != SAVES_512)
		return HWY_STATIC_TARGET | HWY_SSE4 | HWY_AVX2;
	if (!has(cpu, AVX3_DL_NEEDS))
		return HWY_STATIC_TARGET | HWY_SSE4 | HWY_AVX2 | HWY_AVX3;
	if (!has(cpu, AVX3_ZEN4_NEEDS) || vendor != signature_AMD_ebx)
		return HWY_STATIC_TARGET | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL;
	return HWY_STATIC_TARGET | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL | HWY_AVX3_ZEN4;
}
#else
static int64_t
find_vector_units()
{
	return HWY_STATIC_TARGET;
}
#endif

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
