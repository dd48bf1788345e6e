/*
 * select.c
 *	  Finds keys at some ranks: with vector instructions in sets that fit the cache, else
 *	  by histograms.
 */
#include "postgres.h"

#include "cpu_engine/cpu_select.h"
#include "keys/key_select.h"
#include "large_memory.h"
#include "sort/select.h"

/* Scratch of up to this size lies on the stack. */
#define STACK_SCRATCH 8192

void
gpusort_select(GpusortKeyForm form, const void *keys, uint32 count,
			   const uint32 *ranks, uint32 nranks, void *found)
{
	Size		bytes = (Size) count * gpusort_key_width(form);
	uint64		local[STACK_SCRATCH / sizeof(uint64)];
	void	   *scratch = local;
	bool		done;

	if (count <= GPUSORT_CPU_SELECT_MOST && bytes > sizeof(local))
		scratch = palloc(bytes);
	done = gpusort_cpu_select(form, keys, count, ranks, nranks, found, scratch);
	if (scratch != local)
		pfree(scratch);
	if (!done)
		gpusort_keys_select(form, keys, count, ranks, nranks, found);
}
