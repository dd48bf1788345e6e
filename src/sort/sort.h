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

#include "compat.h"
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
	const uint32_t *length_histogram;	/* GPUSORT_LENGTH_BINS counts, or NULL */

	/* Set by gpusort_sort, for EXPLAIN. */
	const char *used_engine;
	GpusortMethod used_method;
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
	const char *(*sort) (SortRequest *request); /* sets used_method */
} SortEngine;

/* Sorts the request.  A spec whose method is AUTO follows gpusort.method. */
extern void gpusort_sort(SortRequest *request);

/* Whether gpusort_sort would have a GPU sort the request. */
extern bool gpusort_sort_wants_gpu(const SortRequest *request);

/* Sorts the request on the CPU, or raises an error. */
extern void gpusort_sort_on_cpu(SortRequest *request);

/* Why the CPU engine cannot run the spec (static text), or NULL. */
extern const char *gpusort_sort_cpu_refuses(const GpusortSpec *spec);

/* Raises the error of a GPU that had to sort and did not; reason NULL: not preloaded. */
pg_noreturn extern void gpusort_sort_no_gpu(const GpusortSpec *spec, const char *reason);

/* Adds a sorted request to the counters. */
extern void gpusort_sort_count(const SortRequest *request, uint64_t nanoseconds);

/* Offers a GPU engine to gpusort_sort; called once, when the module is loaded. */
extern void gpusort_sort_set_gpu_engine(const SortEngine *engine);

/* Name of a method, as gpusort.method has it. */
extern const char *gpusort_sort_method_name(GpusortMethod method);

#endif							/* GPUSORT_SORT_H */
