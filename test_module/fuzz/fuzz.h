/*
 * fuzz.h
 *	  What the targets of the fuzzer share.
 */
#ifndef GPUSORT_FUZZ_H
#define GPUSORT_FUZZ_H

#include "postgres.h"

#include "fmgr.h"

#include "compat.h"

/* An input that has been read up to a place.  What lies behind its end reads as zeros. */
typedef struct FuzzInput
{
	const uint8 *data;
	Size		size;
	Size		place;
} FuzzInput;

typedef struct FuzzTarget
{
	const char *name;
	void		(*prepare) (void);	/* called once; may be NULL */
	void		(*run) (FuzzInput *input);	/* may raise errors, and leave garbage in the current memory context */
} FuzzTarget;

extern const FuzzTarget gpusort_fuzz_jobs;
extern const FuzzTarget gpusort_fuzz_keys;
extern const FuzzTarget gpusort_fuzz_lists;
extern const FuzzTarget gpusort_fuzz_states;

/* Ends the process: the input shows a defect. */
pg_noreturn extern void gpusort_fuzz_fail(const char *format,...) pg_attribute_printf(1, 2);

/* A copy of up to size bytes of the input, in memory of just that size. */
extern char *gpusort_fuzz_copy(FuzzInput *input, Size size);

/* The next bytes as a number, the lowest first. */
extern uint64 gpusort_fuzz_number(FuzzInput *input, int bytes);

#endif							/* GPUSORT_FUZZ_H */
