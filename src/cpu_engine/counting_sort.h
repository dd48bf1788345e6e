/*
 * counting_sort.h
 *	  Comparison-free sort: counts how often each code of a narrow range occurs.
 *
 * After Abdel-hafeez, Gordon-Ross, Abubaker, "A comparison-free sorting algorithm
 * on CPUs and GPUs".  n counts keys; scratch sizes are in bytes.
 */
#ifndef GPUSORT_COUNTING_SORT_H
#define GPUSORT_COUNTING_SORT_H

#include "cpu_engine/forms.h"
#include "cpu_engine/work.h"

namespace gpusort
{
/* Scratch bytes for n keys, beyond the counts, which are allocated apart. */
size_t counting_sort_scratch(uint64_t n, GpusortPayload payload);

/* Does a sample of the keys promise that counting is the fastest? */
template <GpusortKeyForm F>
bool counting_sort_pays(const Work &work, const typename Form<F>::Bits *keys, uint32_t n);

/*
 * Sorts one segment, keys alone or with payload.  CPU_SORT_TOO_WIDE, with
 * nothing done, if counts would take more than most_counts entries or than the
 * memory limit.
 */
template <GpusortKeyForm F>
CpuSortStatus counting_sort(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n,
							uint64_t most_counts);

/* Counts that auto allows: about what a core's own cache holds. */
uint64_t counting_sort_most_counts(const Work &work, uint32_t n);
}

#endif							/* GPUSORT_COUNTING_SORT_H */
