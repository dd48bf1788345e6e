/*
 * radix_sort.h
 *	  Sorts digit by digit, the last one first.
 *
 * n counts keys; scratch sizes and widths are in bytes.  With a payload keys come
 * back undefined.
 */
#ifndef GPUSORT_RADIX_SORT_H
#define GPUSORT_RADIX_SORT_H

#include "cpu_engine/forms.h"
#include "cpu_engine/work.h"

namespace gpusort
{
/* Scratch bytes for n keys of the given width. */
size_t radix_sort_scratch(uint64_t n, size_t width, GpusortPayload payload);

/* Sorts one segment, keys alone or with payload; false if told to stop. */
template <GpusortKeyForm F>
bool radix_sort(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n);
}

#endif							/* GPUSORT_RADIX_SORT_H */
