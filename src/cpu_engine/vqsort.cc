/*
 * vqsort.cc
 *	  Highway's vectorized quicksort, compiled for each vector unit.
 */
#include "cpu_engine/vqsort.h"

#include <cstring>
#include <ctime>

#include "cpu_engine/vector_unit.h"

/* The state of the random numbers needs no library then. */
#define VQSORT_ONLY_STATIC 1

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_engine/vqsort.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>

HWY_BEFORE_NAMESPACE();
namespace gpusort
{
namespace HWY_NAMESPACE
{
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
static void
sort(T *keys, size_t n, bool descending)
{
#if HWY_MAJOR == 1 && HWY_MINOR < 1
	const hn::SortTag<T> d;

	if (descending)
		hn::Sort(d, hn::detail::SharedTraits<hn::detail::TraitsLane<hn::detail::OrderDescending<T>>>(), keys, n, (T *) nullptr);
	else
		hn::Sort(d, hn::detail::SharedTraits<hn::detail::TraitsLane<hn::detail::OrderAscending<T>>>(), keys, n, (T *) nullptr);
#else
	if (descending)
		hn::VQSortStatic(keys, n, hwy::SortDescending());
	else
		hn::VQSortStatic(keys, n, hwy::SortAscending());
#endif
}

/* What Highway picks from: functions that are no templates. */
void Sort16(int16_t *keys, size_t n, bool descending) { sort(keys, n, descending); }
void Sort32(int32_t *keys, size_t n, bool descending) { sort(keys, n, descending); }
void Sort64(int64_t *keys, size_t n, bool descending) { sort(keys, n, descending); }
}
}
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#if HWY_MAJOR == 1 && HWY_MINOR < 1
/* Seeds random numbers by addresses and time, as later versions do.  Whatever they are, heapsort bounds the time. */
void
hwy::Sorter::Fill24Bytes(const void *keys, size_t n, void *bytes)
{
	const uint64_t time = (uint64_t) clock();
	const uint64_t words[3] = {(uintptr_t) keys ^ time, (uintptr_t) &words ^ time, (uintptr_t) &clock ^ n};

	memcpy(bytes, words, sizeof(words));
}
#endif

namespace gpusort
{
template <> void vqsort(int16_t *keys, size_t n, bool descending) { GPUSORT_BEST_FORM(Sort16)(keys, n, descending); }
template <> void vqsort(int64_t *keys, size_t n, bool descending) { GPUSORT_BEST_FORM(Sort64)(keys, n, descending); }

template <>
void
vqsort(int32_t *keys, size_t n, bool descending)
{
	GPUSORT_FORM_FOR(vector_units_for_32_bits(), Sort32) (keys, n, descending);
}
}
#endif
