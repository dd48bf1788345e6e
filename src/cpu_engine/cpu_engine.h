/*
 * cpu_engine.h
 *	  The CPU engine as sort.c calls it.
 *
 * With a payload it leaves keys unchanged.
 */
#ifndef GPUSORT_CPU_ENGINE_H
#define GPUSORT_CPU_ENGINE_H

#include "request/sort_request.h"

/* Scratch of up to this size lies on the stack, so that sorting a small array allocates nothing. */
#define GPUSORT_STACK_SCRATCH 8192

/*
 * Sorts a request that gpusort_cpu_sort_refuses does not refuse, and sets
 * used_method.  Checks for interrupts at least every 50 ms.
 */
extern void gpusort_cpu_engine_sort(SortRequest *request);

/* What the engine is given to ask whether to stop. */
extern bool gpusort_cpu_engine_should_stop(void *arg);

#endif							/* GPUSORT_CPU_ENGINE_H */
