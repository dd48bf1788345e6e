/*
 * key_range.h
 *	  The least and the greatest code of keys.
 */
#ifndef GPUSORT_KEY_RANGE_H
#define GPUSORT_KEY_RANGE_H

#include "keys/key_compare.h"
#include "large_memory.h"

/*
 * Finds the least and the greatest code.  Without keys *least is the greatest of all codes and
 * *greatest is 0.  Checks for interrupts.  Fast where the form is a constant.
 */
static pg_attribute_always_inline void
gpusort_key_range(GpusortKeyForm form, const void *keys, uint32 count, uint64 *least, uint64 *greatest)
{
	uint64		low = PG_UINT64_MAX;
	uint64		high = 0;

	for (uint32 i = 0; i < count; i++)
	{
		uint64		code = gpusort_key_alone_code(form, keys, i);

		GPUSORT_CHECK_EVERY(i);
		low = Min(low, code);
		high = Max(high, code);
	}
	*least = low;
	*greatest = high;
}

#endif							/* GPUSORT_KEY_RANGE_H */
