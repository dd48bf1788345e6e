/*
 * vector_unit.h
 *	  Which vector unit of the CPU is used.
 *
 * To be included before other headers of Highway by a file that it compiles for every
 * unit.  Only its headers are used: its library measures a timer when it is loaded,
 * which takes longer than to start a backend.
 */
#ifndef GPUSORT_VECTOR_UNIT_H
#define GPUSORT_VECTOR_UNIT_H

#include <cstdint>

/*
 * HWY_SSSE3 is no faster than HWY_SSE2 here, and bits below 6 stand for units that only
 * differ in floats of 16 bits.  Vectors without a fixed size cannot be held in arrays.
 */
#define HWY_DISABLED_TARGETS \
	(((1LL << 6) - 1) | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#if !defined(__x86_64__) && !defined(__i386__)
/* The units of other CPUs, vectors without a fixed size left out, do not differ in what is used. */
#define HWY_COMPILE_ONLY_STATIC
#endif

#include <hwy/detect_targets.h>

#ifndef HWY_AVX3_ZEN4			/* Highway before 1.0.5 */
#define HWY_AVX3_ZEN4 0
#define HWY_CHOOSE_AVX3_ZEN4(function) nullptr
#endif

namespace gpusort
{
/* The bits of Highway for the vector units that this CPU has. */
int64_t vector_units();

/*
 * The same for quicksorts of 32-bit keys.  With AVX-512, Highway before 1.0.5 stores a choice of 32-bit lanes by one
 * instruction, which AMD's processors carry out so slowly that AVX2 is 1.5 to 7 times as fast (257 to a million keys,
 * AMD EPYC, Highway 1.0.3).  Later versions have a form for these processors.
 */
int64_t vector_units_for_32_bits();

/* Leaves out some of them from now on, for tests. */
void leave_out_vector_units(int64_t units);
}

/* A function compiled for the best of some vector units. */
#if HWY_ARCH_X86
#define GPUSORT_FORM_FOR(units, function) \
	((units) & HWY_TARGETS & HWY_AVX3_ZEN4 ? HWY_CHOOSE_AVX3_ZEN4(function) : \
	 (units) & HWY_TARGETS & HWY_AVX3_DL ? HWY_CHOOSE_AVX3_DL(function) : \
	 (units) & HWY_TARGETS & HWY_AVX3 ? HWY_CHOOSE_AVX3(function) : \
	 (units) & HWY_TARGETS & HWY_AVX2 ? HWY_CHOOSE_AVX2(function) : \
	 (units) & HWY_TARGETS & HWY_SSE4 ? HWY_CHOOSE_SSE4(function) : \
	 &HWY_STATIC_DISPATCH(function))
#else
#define GPUSORT_FORM_FOR(units, function) (&HWY_STATIC_DISPATCH(function))
#endif

/* A function compiled for the best vector unit that this CPU has. */
#define GPUSORT_BEST_FORM(function) GPUSORT_FORM_FOR(gpusort::vector_units(), function)

#endif							/* GPUSORT_VECTOR_UNIT_H */
