/*
 * threads.h
 *	  Work divided into shares that several threads take.
 *
 * A phase of a parallel sort is one call of run_shares: it returns when every
 * share is done, so phases need no other barrier.  The calling thread takes part
 * and alone asks should_stop.  Where a thread cannot be started the others take
 * its shares, down to the calling thread alone.
 */
#ifndef GPUSORT_THREADS_H
#define GPUSORT_THREADS_H

#include "cpu_engine/work.h"

namespace gpusort
{
/* Keys below which a second thread is not worth its start. */
constexpr uint64_t KEYS_WORTH_THREADS = UINT64_C(1) << 20;

/* One share; returns early, with any result, once work.stop_after says so. */
typedef void (*ShareFunction) (Work &work, void *arg, uint32_t share);

/* Runs all shares on up to the given number of threads; false if told to stop. */
bool run_shares(Work &work, int threads, uint32_t shares, ShareFunction run, void *arg);

/* The first of n items that belong to a share. */
inline uint32_t
share_start(uint32_t n, uint32_t shares, uint32_t share)
{
	return (uint32_t) ((uint64_t) n * share / shares);
}
}

#endif							/* GPUSORT_THREADS_H */
