/*
 * distinct_keys.c
 *	  See distinct_keys.h.
 *
 * Codes are taken relative to the least one.  They are first brought into parts by their
 * leading bits, where there are more possible ones than bits that lie in a processor's
 * cache.  Each part then uses the same bits, which are cleared before.
 */
#include "postgres.h"

#include "keys/distinct_keys.h"
#include "keys/key_compare.h"
#include "keys/key_forms.h"
#include "large_memory.h"

/* Fewer keys are sorted within the caches. */
#define LEAST_KEYS 4096

/* Possible codes of a part, a power of two: their bits take 128 kB. */
#define PART_BITS 20

/* With more possible codes per key it costs less to sort the keys than to clear so many bits. */
#define CODES_PER_KEY 2048

/* The codes of a set. */
typedef struct CodeRange
{
	uint64		least;
	uint64		span;			/* the greatest less the least; at most PG_UINT32_MAX */
} CodeRange;

/* Finds the range of codes.  Returns false as soon as it is seen to be too wide. */
static pg_attribute_always_inline bool
find_range(GpusortKeyForm form, const void *keys, uint32 count, CodeRange *range)
{
	uint64		widest = Min((uint64) count * CODES_PER_KEY, PG_UINT32_MAX);
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
		if (high - low > widest)
			return false;
	}
	range->least = low;
	range->span = high - low;
	return true;
}

/* Sets the bit of a code.  Returns 1 if it was not set before, else 0. */
static inline uint32
set_bit(uint64 *bits, uint32 code)
{
	uint64	   *word = &bits[code / 64];
	uint64		before = *word;

	*word = before | UINT64CONST(1) << code % 64;
	return (before >> code % 64 & 1) ^ 1;
}

/* Keys whose codes all have a bit.  A key is read before one is written to its place or behind it. */
static pg_attribute_always_inline uint32
count_near(GpusortKeyForm form, const void *keys, uint32 count, CodeRange range, uint64 *bits, void *kept)
{
	uint32		distinct = 0;

	memset(bits, 0, (range.span / 64 + 1) * sizeof(uint64));
	for (uint32 i = 0; i < count; i++)
	{
		uint64		code = gpusort_key_code(form, keys, i);

		GPUSORT_CHECK_EVERY(i);
		if (kept != NULL)
			gpusort_key_put(form, kept, distinct, code);
		distinct += set_bit(bits, code - range.least);
	}
	return distinct;
}

/* Brings codes into parts by their leading bits.  Sets ends to where each part ends. */
static pg_attribute_always_inline uint32 *
scatter(GpusortKeyForm form, const void *keys, uint32 count, CodeRange range, uint32 *ends, uint32 nparts)
{
	uint32	   *codes = gpusort_alloc_large(CurrentMemoryContext, (Size) count * sizeof(uint32));
	uint32		next = 0;

	memset(ends, 0, nparts * sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		ends[(gpusort_key_code(form, keys, i) - range.least) >> PART_BITS]++;
	}
	for (uint32 part = 0; part < nparts; part++)
	{
		uint32		start = next;

		next += ends[part];
		ends[part] = start;
	}
	for (uint32 i = 0; i < count; i++)
	{
		uint32		code = gpusort_key_code(form, keys, i) - range.least;

		GPUSORT_CHECK_EVERY(i);
		codes[ends[code >> PART_BITS]++] = code;
	}
	return codes;
}

/* Keys whose codes are too many for the bits: part by part. */
static pg_attribute_always_inline uint32
count_in_parts(GpusortKeyForm form, const void *keys, uint32 count, CodeRange range, uint64 *bits, void *kept)
{
	uint32		nparts = (range.span >> PART_BITS) + 1;
	uint32	   *ends = palloc(nparts * sizeof(uint32));
	uint32	   *codes = scatter(form, keys, count, range, ends, nparts);
	uint32		distinct = 0;
	uint32		i = 0;

	for (uint32 part = 0; part < nparts; part++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ends[part] > i)
			memset(bits, 0, (1 << PART_BITS) / BITS_PER_BYTE);
		for (; i < ends[part]; i++)
		{
			GPUSORT_CHECK_EVERY(i);
			if (kept != NULL)
				gpusort_key_put(form, kept, distinct, range.least + codes[i]);
			distinct += set_bit(bits, codes[i] & ((1 << PART_BITS) - 1));
		}
	}
	pfree(codes);
	pfree(ends);
	return distinct;
}

static pg_attribute_always_inline void
distinct_keys(GpusortKeyForm form, const void *keys, uint32 count, void *kept, uint32 *distinct)
{
	CodeRange	range;
	uint64	   *bits;

	if (!find_range(form, keys, count, &range))
		return;
	bits = palloc((1 << PART_BITS) / BITS_PER_BYTE);
	if (range.span >> PART_BITS == 0)
		*distinct = count_near(form, keys, count, range, bits, kept);
	else
		*distinct = count_in_parts(form, keys, count, range, bits, kept);
	pfree(bits);
}

uint32
gpusort_distinct_keys(GpusortKeyForm form, const void *keys, uint32 count, void *kept)
{
	uint32		distinct = 0;

	if (count >= LEAST_KEYS)
		GPUSORT_WITH_CONSTANT_FORM(form, distinct_keys, keys, count, kept, &distinct);
	return distinct;
}
