/*
 * sort.h
 *	  Sorts segments of keys on whichever engine is fastest: the one entry that
 *	  functions and nodes call.
 *
 * A request describes keys in ordinary memory.  gpusort_sort has an engine and a
 * method chosen (choose.h), runs it, and falls back to the CPU when the GPU cannot
 * or fails, unless gpusort.engine = 'gpu' or a method named by hand makes that an
 * error.  See sort_batch.h for sorting many rows' arrays while the next are being
 * read.
 */
#ifndef GPUSORT_SORT_H
#define GPUSORT_SORT_H

#include "compat.h"
#include "request/sort_request.h"

/* Sorts the request.  A spec whose method is AUTO follows gpusort.method. */
extern void gpusort_sort(SortRequest *request);

/* Decides where gpusort_sort would sort the request now; it then does so there. */
extern EngineId gpusort_sort_decide(SortRequest *request);

/* Sorts the request on the CPU, or raises an error. */
extern void gpusort_sort_on_cpu(SortRequest *request);

/* Ends an attempt at a request that was sorted, with its used_engine and used_method. */
extern void gpusort_sort_account(SortAttempt *attempt, SortRequest *request);

/* Raises the error of a GPU that had to sort and did not. */
pg_noreturn extern void gpusort_sort_no_gpu(const GpusortSpec *spec, const SortDecision *decision);

#endif							/* GPUSORT_SORT_H */
