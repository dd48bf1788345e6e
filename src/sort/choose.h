/*
 * choose.h
 *	  The one place that decides between CPU and GPU.
 *
 *	  engine = cpu		the CPU engine
 *	  engine = gpu		the GPU engine, whether or not it can: if it cannot when the
 *						sort is to run, that is an error
 *	  engine = auto		the GPU engine for gpusort.min_gpu_keys keys or more, if a
 *						device is ready and not slower by estimate, and for methods
 *						that run nowhere else
 *
 * Choosing changes nothing, counts nothing and waits for nothing: EXPLAIN may ask.
 * Who is about to run a sort and must have a device waits by gpusort_devices_await.
 */
#ifndef GPUSORT_CHOOSE_H
#define GPUSORT_CHOOSE_H

#include "request/sort_request.h"

/* How keys would reach a device. */
typedef enum SortRoute
{
	ROUTE_COPIED,				/* from ordinary memory through slabs or a session */
	ROUTE_PACKED,				/* they are packed into a slab where they are made */
	ROUTE_ROWS					/* with columns, through a session */
} SortRoute;

/* Bytes are what would be copied to a device and back. */
extern void gpusort_choose(const GpusortSpec *spec, uint64_t keys, uint64_t bytes_in, uint64_t bytes_out,
						   SortRoute route, SortDecision *decision);

/* The same for keys that travel without columns, in slots, at least as many as there are keys. */
extern void gpusort_choose_keys(const GpusortSpec *spec, uint64_t keys, uint64_t slots, SortRoute route,
								SortDecision *decision);

#define GPUSORT_REFUSAL_TEXT 128

/* Why the engine cannot do the spec now, written to a buffer if need be, or NULL. */
extern const char *gpusort_engine_refuses(EngineId engine, const GpusortSpec *spec, char text[GPUSORT_REFUSAL_TEXT]);

/* The reason of a decision, in words, written to a buffer if need be. */
extern const char *gpusort_decision_text(const SortDecision *decision, char text[GPUSORT_REFUSAL_TEXT]);

#endif							/* GPUSORT_CHOOSE_H */
