/*
 * key_merge.c
 *	  Merges two sorted runs of keys.
 *
 * On the CPU, merging them takes a third of the time of sorting them again.
 */
#include "postgres.h"

#include "keys/key_compare.h"
#include "keys/key_forms.h"
#include "keys/key_merge.h"
#include "large_memory.h"

/*
 * Merges two runs of keys, without branches on the data.  The first run is copied to scratch memory: a merge that
 * writes forward then never overwrites what it has yet to read.
 */
static pg_attribute_always_inline void
merge_keys(GpusortKeyForm form, char *keys, uint32 left, uint32 count, bool descending)
{
	const Size	width = gpusort_key_width(form);
	const uint64 flip = descending ? PG_UINT64_MAX : 0;
	char	   *scratch = gpusort_alloc_large(CurrentMemoryContext, left * width + 1);
	uint32		a = 0;
	uint32		b = left;

	gpusort_copy_bytes(scratch, keys, left * width);
	while (a < left && b < count)
	{
		char	   *target = keys + (Size) (a + b - left) * width;
		uint64		first = gpusort_key_alone_code(form, scratch, a) ^ flip;
		uint64		second = gpusort_key_alone_code(form, keys, b) ^ flip;
		uint32		from_second = second < first;

		GPUSORT_CHECK_EVERY(a + b);
		memcpy(target, from_second ? keys + (Size) b * width : scratch + (Size) a * width, width);
		b += from_second;
		a += 1 - from_second;
	}
	gpusort_copy_bytes(keys + (Size) (a + b - left) * width, scratch + (Size) a * width, (left - a) * width);
	pfree(scratch);
}

void
gpusort_keys_merge(GpusortKeyForm form, void *keys, uint32 left, uint32 count, bool descending)
{
	GPUSORT_WITH_CONSTANT_FORM(form, merge_keys, keys, left, count, descending);
}

/* Merges two runs of positions, in the same way. */
static pg_attribute_always_inline void
merge_positions(GpusortKeyForm form, const void *keys, uint32 *positions, uint32 left, uint32 count, bool descending)
{
	uint32	   *scratch = gpusort_alloc_large(CurrentMemoryContext, left * sizeof(uint32) + 1);
	uint32		a = 0;
	uint32		b = left;

	gpusort_copy_bytes(scratch, positions, left * sizeof(uint32));
	for (uint32 i = left; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		positions[i] += left;
	}
	for (uint32 out = 0; a < left; out++)
	{
		bool		from_first = true;

		GPUSORT_CHECK_EVERY(out);
		if (b < count)
		{
			uint64		first = gpusort_key_code(form, keys, scratch[a]);
			uint64		second = gpusort_key_code(form, keys, positions[b]);

			from_first = descending ? first >= second : first <= second;
		}
		positions[out] = from_first ? scratch[a++] : positions[b++];
	}
	pfree(scratch);
}

void
gpusort_positions_merge(GpusortKeyForm form, const void *keys, uint32 *positions,
						uint32 left, uint32 count, bool descending)
{
	GPUSORT_WITH_CONSTANT_FORM(form, merge_positions, keys, positions, left, count, descending);
}
