/*
 * work.h
 *	  What every sort of the CPU engine is given: scratch memory, and somebody to
 *	  ask whether to go on.
 */
#ifndef GPUSORT_WORK_H
#define GPUSORT_WORK_H

#include <atomic>
#include <cstring>

#include "cpu_engine/cpu_sort.h"

namespace gpusort
{
/*
 * Keys that are sorted between two questions whether to stop.  Sorting takes 2 to
 * 5 ns a key, and at most about 20 on a CPU without wide vectors: 20 ms.
 */
constexpr uint64_t KEYS_BETWEEN_STOPS = UINT64_C(1) << 20;

/* Bytes rounded up so that what follows them starts on a cache line. */
constexpr size_t
lines(size_t bytes)
{
	return (bytes + 63) & ~(size_t) 63;
}

struct Work
{
	const GpusortSpec *spec;
	CpuSortControl *control;
	char	   *scratch;		/* on a cache line */
	uint64_t	spent = 0;		/* keys handled since should_stop was asked */
	std::atomic<bool> *stopped = nullptr;	/* set for all threads of a phase */
	bool		helper = false; /* not the calling thread, so may not ask */

	/* Ask now whether to stop. */
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

	/* Account for keys handled, and ask whether to stop when it is time. */
	bool
	stop_after(uint64_t keys)
	{
		spent += keys;
		return spent >= KEYS_BETWEEN_STOPS && stop();
	}
};

/*
 * Calls body(start, count) for all of n items, some at a time, and asks in
 * between whether to stop; false if so.
 */
template <typename Body>
static inline bool
in_blocks(Work &work, uint32_t n, Body body)
{
	constexpr uint32_t block = KEYS_BETWEEN_STOPS / 4;
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

/* Copies n values that do not overlap; false if told to stop. */
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
