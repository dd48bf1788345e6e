/*
 * work.h
 *	  The arguments that all sorts of the CPU engine share: what to sort, scratch
 *	  memory, and how to ask whether to stop.
 */
#ifndef GPUSORT_WORK_H
#define GPUSORT_WORK_H

#include <atomic>
#include <cstring>

#include "cpu_engine/cpu_sort.h"
#include "interrupt_interval.h"

namespace gpusort
{
/* Rounds bytes up to whole cache lines. */
constexpr size_t
lines(size_t bytes)
{
	return (bytes + 63) & ~(size_t) 63;
}

struct Work
{
	const GpusortSpec *spec;
	CpuSortControl *control;
	char	   *scratch;		/* begins on a cache line */
	uint64_t	spent = 0;		/* keys handled since should_stop was asked */
	std::atomic<bool> *stopped = nullptr;	/* set for all threads of a phase */
	bool		helper = false; /* true in started threads, which may not call should_stop */

	/* Asks now whether to stop. */
	bool
	stop()
	{
		spent = 0;
		if (stopped != nullptr && stopped->load(std::memory_order_relaxed))
			return true;
		if (helper || control->should_stop == nullptr || !control->should_stop(control->arg))
			return false;
		if (stopped != nullptr)
			stopped->store(true, std::memory_order_relaxed);
		return true;
	}

	/* Adds to the keys handled, and asks whether to stop when there were enough. */
	bool
	stop_after(uint64_t keys)
	{
		spent += keys;
		return spent >= GPUSORT_INTERRUPT_KEYS && stop();
	}
};

/*
 * Calls body(start, count) for all of n entries, some at a time, and asks in between whether
 * to stop.  Returns false if told to stop.
 */
template <typename Body>
static inline bool
in_blocks(Work &work, uint32_t n, Body body)
{
	constexpr uint32_t block = GPUSORT_INTERRUPT_KEYS / 4;
	uint32_t	count;

	for (uint32_t start = 0; start < n; start += count)
	{
		count = n - start < block ? n - start : block;
		body(start, count);
		if (work.stop_after(count))
			return false;
	}
	return true;
}

/* Copies n values that do not overlap.  Returns false if told to stop. */
template <typename Value>
static inline bool
copy_in_blocks(Work &work, Value *target, const Value *source, uint32_t n)
{
	return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		memcpy(target + start, source + start, count * sizeof(Value));
	});
}
}

#endif							/* GPUSORT_WORK_H */
