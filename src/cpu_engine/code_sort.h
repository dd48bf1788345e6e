/*
 * code_sort.h
 *	  Sorts signed integers without a payload.  Every exact sort ends here, except counting
 *	  and a few keys that are sorted in registers.
 *
 * n counts codes; scratch sizes and widths are in bytes.  Up to
 * GPUSORT_INTERRUPT_KEYS codes need no scratch.
 */
#ifndef GPUSORT_CODE_SORT_H
#define GPUSORT_CODE_SORT_H

#include "cpu_engine/work.h"

namespace gpusort
{
/* Scratch bytes for n codes of the given width. */
size_t sort_codes_scratch(uint64_t n, size_t width, int threads);

/* Sorts codes of 16, 32 or 64 bits in place.  Returns false if told to stop. */
template <typename Code>
bool sort_codes(Work &work, Code *codes, uint32_t n, char *scratch, bool descending);
}

#endif							/* GPUSORT_CODE_SORT_H */
