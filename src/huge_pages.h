/*
 * huge_pages.h
 *	  Large buffers on huge pages.
 *
 * The kernel clears every page at its first touch, and hands out small ones one
 * by one: for an array of 100 MB that takes as long as sorting a tenth of it, and
 * scattered accesses then wait for addresses to be translated.  All of it is
 * advice: where the kernel has no huge pages to give, small ones do.
 */
#ifndef GPUSORT_HUGE_PAGES_H
#define GPUSORT_HUGE_PAGES_H

#include "utils/palloc.h"

#define GPUSORT_HUGE_PAGE ((Size) 2 * 1024 * 1024)

/* In smaller buffers the unused part of the last huge page would weigh too much. */
#define GPUSORT_HUGE_PAGES_FROM (4 * GPUSORT_HUGE_PAGE)

extern void *gpusort_alloc_large(MemoryContext context, Size size);
extern void gpusort_advise_huge_pages(void *buffer, Size size);
extern void gpusort_touch_huge_pages(void *buffer, Size size);

#endif							/* GPUSORT_HUGE_PAGES_H */
