/*
 * sort_request.h
 *	  What an engine is asked to sort, and what was decided about it.
 */
#ifndef GPUSORT_ENGINE_H
#define GPUSORT_ENGINE_H

#include "keys/sort_spec.h"
#include "stats/sort_attempt.h"

/* Where a sort is to be done, by choose.c. */
typedef struct SortDecision
{
	EngineId	engine;			/* ENGINE_NONE: not decided yet */
	GpusortMethod method;
	SortReason	reason;			/* why not on a GPU; with ENGINE_GPU, why it cannot be done there now,
								 * though it must */
	uint8_t		device;			/* with REASON_REFUSED: whose text it is, */
	uint8_t		refusal;		/* and which */
	double		cpu_seconds;	/* with ENGINE_GPU: what the CPU is estimated to take */
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
	const uint32_t *length_histogram;	/* GPUSORT_LENGTH_BINS counts, or NULL */
	SortUse		use;
	ProgressJob progress;		/* of the sort that this is part of, or 0; while it runs, where it is shown */
	SortReason	failed;			/* why a device did not do it in another way before, or NONE */

	/* Set by gpusort_sort. */
	uint64_t	nkeys;			/* gaps not included */
	SortDecision decision;
	EngineId	used_engine;
	GpusortMethod used_method;
} SortRequest;

#endif							/* GPUSORT_ENGINE_H */
