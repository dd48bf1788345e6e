/*
 * interval_sort.h
 *	  Approximate order by linear projection to intervals.
 *
 * After Xiao, Chen, Sun, "High Performance Approximate Sort Algorithm Using GPUs";
 * keys/projection.h defines the intervals.  n counts keys; scratch sizes and
 * widths are in bytes.
 */
#ifndef GPUSORT_INTERVAL_SORT_H
#define GPUSORT_INTERVAL_SORT_H

#include "cpu_engine/forms.h"
#include "cpu_engine/work.h"

namespace gpusort
{
/* Scratch bytes for n keys of the given width. */
size_t sort_by_interval_scratch(uint64_t n, size_t width, GpusortPayload payload, uint32_t buckets, int threads);

/* Sorts one segment, with or without a payload.  Returns false if told to stop. */
template <GpusortKeyForm F>
bool sort_by_interval(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n);
}

#endif							/* GPUSORT_INTERVAL_SORT_H */
