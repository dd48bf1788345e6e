/*
 * sort_request.h
 *	  What an engine is asked to sort, and what was decided about it.
 */
#ifndef GPUSORT_SORT_REQUEST_H
#define GPUSORT_SORT_REQUEST_H

#include "keys/sort_spec.h"
#include "stats/sort_attempt.h"

/* Which engine and method are to sort, and why: set by choose.c. */
typedef struct SortDecision
{
	EngineId	engine;			/* ENGINE_NONE: not decided yet */
	GpusortMethod method;
	SortReason	reason;			/* with ENGINE_CPU, why no GPU sorts; with ENGINE_GPU, why none can sort
								 * now although the settings demand it, or NONE */
	double		cpu_seconds;	/* with ENGINE_GPU, the estimated time of the CPU */
} SortDecision;

typedef struct SortRequest
{
	GpusortSpec spec;
	void	   *keys;			/* nslots native keys.  Sorted in place without a
								 * payload; with one, undefined afterwards */
	uint32_t   *payload;		/* nslots entries, or NULL without a payload */
	const GpusortSegment *segments;
	uint32_t	nsegments;
	uint64_t	nslots;			/* extent of keys, gaps included */
	SortUse		use;
	ShownSortId progress;		/* the shown sort that this is part of, or 0; while it runs, the one it is shown as */
	SortReason	failed;			/* why an attempt on a device failed before this one, or NONE */

	/* Set by gpusort_sort_run. */
	uint64_t	nkeys;			/* gaps not included */
	SortDecision decision;
	EngineId	used_engine;
	GpusortMethod used_method;
} SortRequest;

#endif							/* GPUSORT_SORT_REQUEST_H */
