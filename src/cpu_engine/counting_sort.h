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
/* Scratch bytes for n keys, without the counts, which are allocated by malloc. */
size_t counting_sort_scratch(uint64_t n, GpusortPayload payload);

/* True if counting is the fastest method, judged by a sample of the keys. */
template <GpusortKeyForm F>
bool counting_sort_pays(const Work &work, const typename Form<F>::Bits *keys, uint32_t n);

/*
 * Sorts one segment, with or without a payload.  Returns CPU_SORT_TOO_WIDE, with nothing
 * changed, if there would be more than most_counts counts, or more than the memory limit
 * allows.
 */
template <GpusortKeyForm F>
CpuSortStatus counting_sort(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n,
							uint64_t most_counts);

/*
 * How many counts method auto allows: no more than a core's own cache holds, than
 * memory_limit allows, and than pays for n keys.
 */
uint64_t counting_sort_most_counts(const Work &work, uint32_t n);
}

#endif							/* GPUSORT_COUNTING_SORT_H */
