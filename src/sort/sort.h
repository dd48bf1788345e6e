/*
 * sort.h
 *	  Sorts segments of keys on the engine that is chosen for them: the one entry
 *	  for functions and nodes.
 *
 * A request describes keys in ordinary memory.  gpusort_sort_run decides on an engine
 * and a method (choose.h) and runs it.  If the GPU cannot sort or fails, the CPU sorts,
 * unless gpusort.engine = 'gpu' or a method named by hand makes that an error.
 * sort_batch.h sorts the arrays of many rows while the next rows are being read.
 */
#ifndef GPUSORT_SORT_H
#define GPUSORT_SORT_H

#include "request/sort_request.h"

/* Sorts the request.  If the spec's method is AUTO, gpusort.method decides. */
extern void gpusort_sort_run(SortRequest *request);

/* Decides on the engine of a request without sorting.  gpusort_sort_run then keeps to the decision. */
extern EngineId gpusort_sort_decide(SortRequest *request);

/* Sorts the request on the CPU, or raises an error. */
extern void gpusort_sort_on_cpu(SortRequest *request);

/* Ends the attempt of a request that was sorted, whose used_engine and used_method are set. */
extern void gpusort_sort_account(SortAttempt *attempt, SortRequest *request);

#endif							/* GPUSORT_SORT_H */
