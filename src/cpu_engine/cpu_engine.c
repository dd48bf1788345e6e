/*
 * cpu_engine.c
 *	  The CPU engine's border to PostgreSQL: scratch memory, interrupts, errors.
 *
 * The sorts themselves know nothing of PostgreSQL.  They ask should_stop whether
 * an interrupt is waiting that would end the query; they then return at once, and
 * the interrupt is taken here, where an error may be thrown.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "cpu_engine/cpu_engine.h"
#include "cpu_engine/cpu_sort.h"
#include "guc.h"

/* Scratch up to this size stands on the stack: sorting a small array allocates nothing. */
#define STACK_SCRATCH 4096

/* Size of a huge page, and of the scratch areas that are worth some. */
#define HUGE_PAGE ((uintptr_t) 2 * 1024 * 1024)
#define HUGE_PAGES_FROM (8 * HUGE_PAGE)

/* Is an interrupt waiting that CHECK_FOR_INTERRUPTS would turn into an error? */
static bool
interrupt_pending(void *arg)
{
	if (!INTERRUPTS_PENDING_CONDITION() || InterruptHoldoffCount != 0 || CritSectionCount != 0)
		return false;
	return ProcDiePending || (QueryCancelPending && QueryCancelHoldoffCount == 0);
}

static const char *
cpu_refuses(const SortRequest *request)
{
	return gpusort_cpu_sort_refuses(&request->spec);
}

/*
 * Ask for huge pages below a large scratch area: a fourth of a sort's time goes
 * to clearing small ones and to translating their addresses.  A sort that scatters
 * keys would fault all of them in within moments, and on a machine whose memory
 * is in pieces that takes seconds: so they are faulted in here one by one, unless
 * several threads share that work.
 */
static void
prepare_huge_pages(char *area, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t	start = TYPEALIGN(HUGE_PAGE, (uintptr_t) area);
	uintptr_t	end = TYPEALIGN_DOWN(HUGE_PAGE, (uintptr_t) area + size);

	if (size < HUGE_PAGES_FROM || start >= end)
		return;
	(void) madvise((void *) start, end - start, MADV_HUGEPAGE);
	if (gpusort_cpu_threads > 1)
		return;
	for (uintptr_t page = start; page < end; page += HUGE_PAGE)
	{
		CHECK_FOR_INTERRUPTS();
		*(volatile char *) page = 0;
	}
#endif
}

static uint32_t
longest_segment(const SortRequest *request)
{
	uint32_t	longest = 0;

	for (uint32_t i = 0; i < request->nsegments; i++)
		longest = Max(longest, request->segments[i].count);
	return longest;
}

static const char *
cpu_sort(SortRequest *request)
{
	char		local[STACK_SCRATCH];
	char	   *scratch = local;
	size_t		size = gpusort_cpu_sort_scratch(&request->spec, longest_segment(request), gpusort_cpu_threads);
	CpuSortControl control = {
		.should_stop = interrupt_pending,
		.threads = gpusort_cpu_threads,
		.memory_limit = (size_t) work_mem * 1024
	};
	CpuSortStatus status;

	CHECK_FOR_INTERRUPTS();
	if (size > sizeof(local))
	{
		scratch = MemoryContextAllocHuge(CurrentMemoryContext, size);
		prepare_huge_pages(scratch, size);
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
					 errmsg("method \"counting\" would need %zu kB for the range of these keys",
							control.memory_needed / 1024),
					 errhint("Raise \"work_mem\", now %d kB, or set \"gpusort.method\" to \"auto\".", work_mem)));
			break;
	}
	request->used_method = control.method;
	return NULL;
}

const SortEngine gpusort_cpu_engine = {
	.name = "cpu",
	.refuses = cpu_refuses,
	.sort = cpu_sort
};
