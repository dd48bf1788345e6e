/*
 * threads.h
 *	  Runs work that is divided into shares on several threads.
 *
 * A phase of a parallel sort is one call of run_shares.  The call returns when every share
 * is done, so phases need no other barrier.  The calling thread takes part, and only it
 * calls should_stop.  If a thread cannot be started, the others take its shares.
 */
#ifndef GPUSORT_THREADS_H
#define GPUSORT_THREADS_H

#include "cpu_engine/work.h"

namespace gpusort
{
/* With fewer keys starting a second thread does not pay. */
constexpr uint64_t KEYS_WORTH_THREADS = UINT64_C(1) << 20;

/* Runs one share.  Returns early, with an undefined result, when work.stop_after returns true. */
typedef void (*ShareFunction) (Work &work, void *arg, uint32_t share);

/* Runs all shares on up to this many threads.  Returns false if told to stop. */
bool run_shares(Work &work, int threads, uint32_t shares, ShareFunction run, void *arg);

/* The number of the first of n items that belongs to a share. */
inline uint32_t
share_start(uint32_t n, uint32_t shares, uint32_t share)
{
	return (uint32_t) ((uint64_t) n * share / shares);
}
}

#endif							/* GPUSORT_THREADS_H */
