/*
 * cpu_sort.h
 *	  Sorts of the CPU engine, as plain C functions.
 *
 * No PostgreSQL header here or behind it: the same code runs in backends, in
 * threads of its own, and in the emulated device.  It never allocates through
 * PostgreSQL, never throws and never jumps: scratch memory comes from the caller
 * (but for the count arrays of the counting sort, see memory_limit) and a stop
 * request makes it return early.
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
	CPU_SORT_STOPPED,			/* should_stop said so; the data is garbage */
	CPU_SORT_TOO_WIDE			/* the method needs memory_needed bytes for these
								 * keys, more than memory_limit; the segment's
								 * data is untouched */
} CpuSortStatus;

typedef struct CpuSortControl
{
	bool		(*should_stop) (void *arg); /* asked at least every 20 ms by the
											 * calling thread only; NULL: never */
	void	   *arg;
	int			threads;		/* threads that may run, the caller included */
	size_t		memory_limit;	/* bytes that a counting sort may use for counts */

	/* Set by gpusort_cpu_sort. */
	size_t		memory_needed;	/* with CPU_SORT_TOO_WIDE */
	GpusortMethod method;		/* that sorted the last segment */
} CpuSortControl;

/*
 * Scratch bytes that gpusort_cpu_sort needs for segments of at most longest keys:
 * no more than twice what such a segment takes with its carried payload, but for
 * GPUSORT_CPU_SORT_TABLES and so many again for each 32 threads.
 */
#define GPUSORT_CPU_SORT_TABLES (640 * 1024)

extern size_t gpusort_cpu_sort_scratch(const GpusortSpec *spec, uint64_t longest, int threads);

/* Why the spec's method cannot sort these keys on the CPU, as static text, or NULL; AUTO always can. */
extern const char *gpusort_cpu_sort_refuses(const GpusortSpec *spec);

/*
 * Sorts each segment as spec says, by the spec's method or the fastest one.
 * keys are native.  Without a payload they are sorted in place; with one payload
 * holds the result, and keys come back as they were, but for method radix, which
 * leaves them undefined.
 */
extern CpuSortStatus gpusort_cpu_sort(const GpusortSpec *spec, void *keys, uint32_t *payload,
									  const GpusortSegment *segments, uint32_t nsegments,
									  void *scratch, CpuSortControl *control);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSORT_CPU_SORT_H */
