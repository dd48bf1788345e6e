/*
 * sort.h
 *	  Sorts segments of keys on whichever engine is fastest: the one entry that
 *	  functions and nodes call.
 *
 * A request describes keys in ordinary memory.  gpusort_sort picks an engine and
 * a method from the settings and the request (sort.c), runs it, and falls back
 * to the CPU when the GPU cannot or fails, unless gpusort.engine = 'gpu' or a
 * method named by hand makes that an error.  See sort_batch.h for sorting many
 * rows' arrays while the next are being read.
 */
#ifndef GPUSORT_SORT_H
#define GPUSORT_SORT_H

#include "keys/sort_spec.h"

typedef struct SortRequest
{
	GpusortSpec spec;
	void	   *keys;			/* nslots native keys.  Sorted in place without a
								 * payload; with one, undefined afterwards */
	uint32_t   *payload;		/* nslots entries, or NULL without a payload */
	const GpusortSegment *segments;
	uint32_t	nsegments;
	uint64_t	nslots;			/* extent of keys, gaps included */
	const uint32_t *length_histogram;	/* GPUSORT_LENGTH_CLASSES counts, or NULL */
} SortRequest;

typedef struct SortEngine
{
	const char *name;

	/* NULL if the engine can run the request, else why it cannot (static text). */
	const char *(*refuses) (const SortRequest *request);

	/*
	 * Runs the request.  Checks for interrupts at least every 50 ms.  Returns
	 * NULL when sorted, else why it failed, with keys and payload untouched.
	 */
	const char *(*sort) (SortRequest *request);
} SortEngine;

extern void gpusort_sort(SortRequest *request);

#endif							/* GPUSORT_SORT_H */
