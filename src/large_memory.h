/*
 * large_memory.h
 *	  Large buffers: on huge pages, and handled so that a query can be canceled meanwhile.
 *
 * The kernel clears every page at its first touch, and hands out small ones one
 * by one: for an array of 100 MB that takes as long as sorting a tenth of it, and
 * scattered accesses then wait for addresses to be translated.  Asking for huge pages
 * is advice only: where the kernel has none to give, small pages are used.
 */
#ifndef GPUSORT_LARGE_MEMORY_H
#define GPUSORT_LARGE_MEMORY_H

#include "miscadmin.h"
#include "utils/palloc.h"

#include "interrupt_interval.h"

#define GPUSORT_PAGE ((Size) 4096)
#define GPUSORT_HUGE_PAGE ((Size) 2 * 1024 * 1024)

/* In smaller buffers the unused part of the last huge page would weigh too much. */
#define GPUSORT_HUGE_PAGES_FROM (4 * GPUSORT_HUGE_PAGE)

/* Check for interrupts in a loop that counts i by ones: EVERY for entries, VALUES for values of any type. */
#define GPUSORT_CHECK_EVERY_NTH(i, interval) \
	do { \
		if (unlikely(((i) & ((interval) - 1)) == 0)) \
			CHECK_FOR_INTERRUPTS(); \
	} while (0)
#define GPUSORT_CHECK_EVERY(i) GPUSORT_CHECK_EVERY_NTH(i, GPUSORT_INTERRUPT_INTERVAL)
#define GPUSORT_CHECK_VALUES(i) GPUSORT_CHECK_EVERY_NTH(i, GPUSORT_INTERRUPT_VALUES)

extern void *gpusort_alloc_large(MemoryContext context, Size size);
extern void gpusort_advise_huge_pages(void *buffer, Size size);
extern void gpusort_touch_huge_pages(void *buffer, Size size);
extern void gpusort_map_pages(void *buffer, Size size);
extern void gpusort_copy_bytes(void *target, const void *source, Size bytes);

#endif							/* GPUSORT_LARGE_MEMORY_H */
