/*
 * distinct_keys.c
 *	  See distinct_keys.h.
 *
 * Each code that is possible between the least and the greatest has a bit.
 */
#include "postgres.h"

#include "keys/distinct_keys.h"
#include "keys/key_compare.h"
#include "keys/key_forms.h"
#include "large_memory.h"

/* Fewer keys are sorted within the caches. */
#define LEAST_KEYS 4096

/* The most possible codes: their bits take 128 kB, which lie in a processor's cache. */
#define MOST_CODES (1 << 20)

/* Finds the range of codes.  Returns false as soon as it is seen to be too wide. */
static pg_attribute_always_inline bool
find_code_range(GpusortKeyForm form, const void *keys, uint32 count, uint64 *least, uint64 *greatest)
{
	uint64		low = PG_UINT64_MAX;
	uint64		high = 0;

	for (uint32 first = 0; first < count; first += LEAST_KEYS)
	{
		uint32		end = first + Min(LEAST_KEYS, count - first);

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = first; i < end; i++)
		{
			uint64		code = gpusort_key_code(form, keys, i);

			low = Min(low, code);
			high = Max(high, code);
		}
		if (high - low >= MOST_CODES)
			return false;
	}
	*least = low;
	*greatest = high;
	return true;
}

/* A key is read before one is written to its place or behind it. */
static pg_attribute_always_inline void
mark_codes(GpusortKeyForm form, const void *keys, uint32 count, void *kept, uint32 *distinct)
{
	uint64		least;
	uint64		greatest;
	uint64	   *bits;

	if (!find_code_range(form, keys, count, &least, &greatest))
		return;
	bits = palloc0(((greatest - least) / 64 + 1) * sizeof(uint64));
	for (uint32 i = 0; i < count; i++)
	{
		uint64		code = gpusort_key_code(form, keys, i);
		uint64	   *word = &bits[(code - least) / 64];
		uint64		before = *word;

		GPUSORT_CHECK_EVERY(i);
		if (kept != NULL)
			gpusort_key_put(form, kept, *distinct, code);
		*word = before | UINT64CONST(1) << (code - least) % 64;
		*distinct += (before >> (code - least) % 64 & 1) ^ 1;
	}
	pfree(bits);
}

uint32
gpusort_distinct_keys(GpusortKeyForm form, const void *keys, uint32 count, void *kept)
{
	uint32		distinct = 0;

	if (count >= LEAST_KEYS)
		GPUSORT_WITH_CONSTANT_FORM(form, mark_codes, keys, count, kept, &distinct);
	return distinct;
}
