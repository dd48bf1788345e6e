/*
 * cpu_engine.c
 *	  Runs the CPU engine in a backend: scratch memory, interrupts, errors.
 *
 * The sorts themselves know nothing of PostgreSQL.  They ask should_stop whether an
 * interrupt is pending that would end the query.  If so they return at once, and the
 * interrupt is handled here, where an error may be thrown.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/proc.h"

#include "compat.h"
#include "cpu_engine/cpu_engine.h"
#include "cpu_engine/cpu_sort.h"
#include "guc.h"
#include "large_memory.h"

/* True if a cancel or the end of the session is pending.  Other interrupts wait until the sort has ended. */
bool
gpusort_cpu_engine_should_stop(void *arg)
{
	if (!INTERRUPTS_PENDING_CONDITION() || InterruptHoldoffCount != 0 || CritSectionCount != 0)
		return false;
	return ProcDiePending || GPUSORT_TRANSACTION_TIMED_OUT() || (QueryCancelPending && QueryCancelHoldoffCount == 0);
}

static uint32_t
longest_segment(const SortRequest *request)
{
	uint32_t	longest = 0;

	for (uint32_t i = 0; i < request->nsegments; i++)
		longest = Max(longest, request->segments[i].count);
	return longest;
}

void
gpusort_cpu_engine_sort(SortRequest *request)
{
	char		local[GPUSORT_STACK_SCRATCH];
	char	   *scratch = local;
	int			threads = Min(gpusort_cpu_threads, max_worker_processes);
	size_t		size = gpusort_cpu_sort_scratch(&request->spec, longest_segment(request), threads);
	CpuSortControl control = {
		.should_stop = gpusort_cpu_engine_should_stop,
		.threads = threads,
		.memory_limit = (size_t) work_mem * 1024
	};
	CpuSortStatus status;

	CHECK_FOR_INTERRUPTS();
	if (request->spec.payload == GPUSORT_PAYLOAD_INDEX)
		gpusort_touch_huge_pages(request->payload, (Size) request->nslots * sizeof(uint32_t));
	if (size > sizeof(local))
	{
		scratch = gpusort_alloc_large(CurrentMemoryContext, size);
		/* Several threads touch it faster themselves. */
		if (threads <= 1)
			gpusort_touch_huge_pages(scratch, size);
	}
	status = gpusort_cpu_sort(&request->spec, request->keys, request->payload,
							  request->segments, request->nsegments, scratch, &control);
	if (scratch != local)
		pfree(scratch);

	switch (status)
	{
		case CPU_SORT_DONE:
			break;
		case CPU_SORT_STOPPED:
			CHECK_FOR_INTERRUPTS();
			ereport(ERROR,
					(errcode(ERRCODE_QUERY_CANCELED),
					 errmsg("sort was interrupted")));
			break;
		case CPU_SORT_TOO_WIDE:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("range of keys is too wide for method \"counting\""),
					 errdetail("It would need %zu kB.", control.memory_needed / 1024),
					 errhint("Raise \"work_mem\", now %d kB, or set \"gpusort.method\" to \"auto\".", work_mem)));
			break;
	}
	request->used_method = control.method;
}
