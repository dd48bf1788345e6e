/*
 * choose.h
 *	  The one place that decides between CPU and GPU.
 *
 *	  engine = cpu		the CPU engine
 *	  engine = gpu		the GPU engine.  If no device can sort when the sort is to
 *						run, that is an error
 *	  engine = auto		the GPU engine for gpusort.min_gpu_keys keys or more, if a
 *						device is ready and not estimated to be slower, and for
 *						methods that only a GPU has
 *
 * Choosing changes nothing, counts nothing and waits for nothing, so EXPLAIN may ask.
 * Code that is about to sort and needs a device calls gpusort_devices_await first.
 */
#ifndef GPUSORT_CHOOSE_H
#define GPUSORT_CHOOSE_H

#include "request/sort_request.h"

/* How keys would reach a device. */
typedef enum SortRoute
{
	ROUTE_COPIED,				/* copied from ordinary memory, through slabs or a session */
	ROUTE_PACKED,				/* packed into a slab by a node */
	ROUTE_ROWS					/* sent with columns through a session */
} SortRoute;

/* Decides for keys of rows.  With their columns, bytes_in would be copied to a device and bytes_out back. */
extern void gpusort_choose_rows(const GpusortSpec *spec, uint64_t keys, uint64_t bytes_in, uint64_t bytes_out,
								SortDecision *decision);

/* Decides for keys without columns, which lie in `slots` slots, gaps included. */
extern void gpusort_choose_keys(const GpusortSpec *spec, uint64_t keys, uint64_t slots, SortRoute route,
								SortDecision *decision);

#endif							/* GPUSORT_CHOOSE_H */
