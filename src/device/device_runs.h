/*
 * device_runs.h
 *	  Merging two sorted runs on the CPU, for sorts beyond a device's memory.
 */
#ifndef GPUSORT_DEVICE_RUNS_H
#define GPUSORT_DEVICE_RUNS_H

#include "keys/sort_spec.h"

/* Merges the sorted keys 0 .. left - 1 and left .. count - 1 in place. */
extern void gpusort_runs_merge_keys(const GpusortSpec *spec, void *keys, uint64_t left, uint64_t count);

/*
 * Merges two sorted indexes in place, stably.  The first holds positions in
 * keys[0 .. left - 1], the second positions in keys[left ..], counted from left.
 */
extern void gpusort_runs_merge_index(const GpusortSpec *spec, const void *keys, uint32_t *index,
									 uint64_t left, uint64_t count);

#endif							/* GPUSORT_DEVICE_RUNS_H */
