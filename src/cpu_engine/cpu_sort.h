/*
 * cpu_sort.h
 *	  The sorts of the CPU engine as C functions.
 *
 * Nothing here uses PostgreSQL headers: the same code runs in backends, in their threads
 * and in the emulated device.  It never allocates through PostgreSQL and never throws.
 * Scratch memory comes from the caller, except for the counts of the counting sort (see
 * memory_limit).  When told to stop it returns early.
 */
#ifndef GPUSORT_CPU_SORT_H
#define GPUSORT_CPU_SORT_H

#include <stddef.h>

#include "keys/sort_spec.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef enum CpuSortStatus
{
	CPU_SORT_DONE,
	CPU_SORT_STOPPED,			/* should_stop returned true; the data is undefined */
	CPU_SORT_TOO_WIDE			/* the method needs memory_needed bytes for these
								 * keys, more than memory_limit; the segment is
								 * unchanged */
} CpuSortStatus;

typedef struct CpuSortControl
{
	bool		(*should_stop) (void *arg); /* called at least every 20 ms, by the
											 * calling thread only; may be NULL */
	void	   *arg;
	int			threads;		/* threads that may run, the caller included */
	size_t		memory_limit;	/* bytes that a counting sort may use for counts */

	/* Set by gpusort_cpu_sort. */
	size_t		memory_needed;	/* with CPU_SORT_TOO_WIDE */
	GpusortMethod method;		/* the method that sorted the last segment */
} CpuSortControl;

/*
 * Scratch bytes that gpusort_cpu_sort needs for segments of at most `longest` keys.  These are
 * at most twice the bytes of such a segment, its carried payload included, plus
 * GPUSORT_CPU_SORT_TABLES, plus that again for every 32 threads.
 */
#define GPUSORT_CPU_SORT_TABLES (640 * 1024)

extern size_t gpusort_cpu_sort_scratch(const GpusortSpec *spec, uint64_t longest, int threads);

/* Why the spec's method cannot sort on the CPU, as static text, or NULL if it can.  AUTO always can. */
extern const char *gpusort_cpu_sort_refuses(const GpusortSpec *spec);

/*
 * Sorts each segment by the spec's method, or by the fastest one for AUTO.  keys are in
 * native form.  Without a payload they are sorted in place.  With a payload, that holds
 * the result, and keys are unchanged.
 */
extern CpuSortStatus gpusort_cpu_sort(const GpusortSpec *spec, void *keys, uint32_t *payload,
									  const GpusortSegment *segments, uint32_t nsegments,
									  void *scratch, CpuSortControl *control);

/* The name of the CPU's vector unit that is used. */
extern const char *gpusort_cpu_vector_unit(void);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSORT_CPU_SORT_H */
