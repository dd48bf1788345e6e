/*
 * select.c
 *	  Finds keys at some ranks: in sorted sets at once, else by selection.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "cpu_engine/cpu_engine.h"
#include "cpu_engine/cpu_select.h"
#include "keys/key_compare.h"
#include "large_memory.h"
#include "sort/select.h"

bool
gpusort_select_in_order(GpusortKeyForm form, const void *keys, uint32 count)
{
	uint32		width = gpusort_key_width(form);

	for (Size first = 0; first < count; first += GPUSORT_INTERRUPT_VALUES)
	{
		/* The last key is compared with the one behind it, too. */
		uint32		n = Min(GPUSORT_INTERRUPT_VALUES + 1, count - first);

		CHECK_FOR_INTERRUPTS();
		if (!gpusort_cpu_in_order(form, (const char *) keys + first * width, n))
			return false;
	}
	return true;
}

/* Copies the keys at some ranks of sorted ones. */
static void
take_keys(GpusortKeyForm form, const void *keys, const uint32 *ranks, uint32 nranks, void *found)
{
	uint32		width = gpusort_key_width(form);

	for (uint32 i = 0; i < nranks; i++)
		memcpy((char *) found + (Size) i * width, (const char *) keys + (Size) ranks[i] * width, width);
	gpusort_keys_one_nan(form, found, nranks, false);
}

bool
gpusort_select(GpusortKeyForm form, const void *keys, uint32 count,
			   const uint32 *ranks, uint32 nranks, void *found)
{
	Size		bytes = (Size) count * gpusort_key_width(form);
	uint64		local[GPUSORT_STACK_SCRATCH / sizeof(uint64)];
	void	   *scratch = local;
	bool		done;

	if (gpusort_select_in_order(form, keys, count))
	{
		take_keys(form, keys, ranks, nranks, found);
		return true;
	}
	if (bytes > sizeof(local))
		scratch = gpusort_alloc_large(CurrentMemoryContext, bytes);
	done = gpusort_cpu_select(form, keys, count, ranks, nranks, found, scratch, gpusort_cpu_engine_should_stop);
	if (scratch != local)
		pfree(scratch);
	return done;
}
