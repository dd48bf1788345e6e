/*
 * large_memory.c
 *	  Large buffers on huge pages, see large_memory.h.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "miscadmin.h"

#include "large_memory.h"

/*
 * Asks for huge pages below a buffer that is large, before it is first touched.
 * The range is rounded outwards to small pages, so that it covers the whole mapping
 * that malloc made for the buffer.  realloc can only move a mapping that was not split.
 */
void
gpusort_advise_huge_pages(void *buffer, Size size)
{
#ifdef MADV_HUGEPAGE
	if (size >= GPUSORT_HUGE_PAGES_FROM)
	{
		uintptr_t	page = sysconf(_SC_PAGESIZE);
		uintptr_t	start = TYPEALIGN_DOWN(page, (uintptr_t) buffer);

		(void) madvise((void *) start, TYPEALIGN(page, (uintptr_t) buffer + size) - start, MADV_HUGEPAGE);
	}
#endif
}

/*
 * Touches every huge page of a buffer whose content does not matter.  Code that
 * scatters over a fresh buffer would touch all of them within moments, which takes
 * seconds on a machine whose memory is fragmented.  Here a query can be canceled
 * between any two of them.
 */
void
gpusort_touch_huge_pages(void *buffer, Size size)
{
	char	   *end = (char *) buffer + size;

	if (size < GPUSORT_HUGE_PAGES_FROM)
		return;
	for (char *page = (char *) TYPEALIGN(GPUSORT_HUGE_PAGE, buffer); page < end; page += GPUSORT_HUGE_PAGE)
	{
		CHECK_FOR_INTERRUPTS();
		*(volatile char *) page = 0;
	}
}

/* Maps the pages of shared memory that will be written, all at once: a fault for each of them takes longer. */
void
gpusort_map_pages(void *buffer, Size size)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t	start = TYPEALIGN_DOWN(GPUSORT_PAGE, (uintptr_t) buffer);

	(void) madvise((void *) start, (uintptr_t) buffer + size - start, MADV_POPULATE_WRITE);
#endif
}

/* As MemoryContextAllocHuge, on huge pages if it is large. */
void *
gpusort_alloc_large(MemoryContext context, Size size)
{
	void	   *buffer = MemoryContextAllocHuge(context, size);

	gpusort_advise_huge_pages(buffer, size);
	return buffer;
}

/* Copies bytes.  The target may overlap the source only if it begins before it. */
void
gpusort_copy_bytes(void *target, const void *source, Size bytes)
{
	for (Size done = 0; done < bytes; done += GPUSORT_INTERRUPT_BYTES)
	{
		if (bytes > GPUSORT_INTERRUPT_BYTES)
			CHECK_FOR_INTERRUPTS();
		memmove((char *) target + done, (const char *) source + done, Min(GPUSORT_INTERRUPT_BYTES, bytes - done));
	}
}
