/*
 * key_merge.c
 *	  Merges sorted runs of keys, two at a time, from one buffer to another and back.
 *
 * On the CPU, merging a few runs takes a third of the time of sorting them again.
 */
#include "postgres.h"

#include "keys/key_compare.h"
#include "keys/key_forms.h"
#include "keys/key_merge.h"
#include "large_memory.h"

/* Keys, and the positions that move with them.  positions is NULL if none do. */
typedef struct KeyBuffer
{
	char	   *keys;
	uint32	   *positions;
} KeyBuffer;

/* Copies count keys, from place `from` of one buffer to place `to` of another. */
static void
copy_keys(Size width, const KeyBuffer *source, uint32 from, uint32 count, KeyBuffer *target, uint32 to)
{
	gpusort_copy_bytes(target->keys + to * width, source->keys + from * width, count * width);
	if (source->positions != NULL)
		gpusort_copy_bytes(target->positions + to, source->positions + from, count * sizeof(uint32));
}

/* Merges start .. middle-1 and middle .. end-1 of the source, without branches on the data. */
static pg_attribute_always_inline void
merge_two(GpusortKeyForm form, bool with_positions, bool descending, const KeyBuffer *source,
		  uint32 start, uint32 middle, uint32 end, KeyBuffer *target)
{
	const Size	width = gpusort_key_width(form);
	uint32		left = start;
	uint32		right = middle;
	uint32		place;

	for (place = start; left < middle && right < end; place++)
	{
		uint64		left_code = with_positions ? gpusort_key_code(form, source->keys, left) :
			gpusort_key_alone_code(form, source->keys, left);
		uint64		right_code = with_positions ? gpusort_key_code(form, source->keys, right) :
			gpusort_key_alone_code(form, source->keys, right);
		uint32		take_right = descending ? right_code > left_code : right_code < left_code;
		uint32		taken = take_right ? right : left;

		GPUSORT_CHECK_EVERY(place);
		memcpy(target->keys + place * width, source->keys + taken * width, width);
		if (with_positions)
			target->positions[place] = source->positions[taken];
		right += take_right;
		left += 1 - take_right;
	}
	copy_keys(width, source, left, middle - left, target, place);
	copy_keys(width, source, right, end - right, target, place + middle - left);
}

static pg_attribute_always_inline void
merge_pair(GpusortKeyForm form, bool descending, const KeyBuffer *source,
		   uint32 start, uint32 middle, uint32 end, KeyBuffer *target)
{
	if (source->positions == NULL && descending)
		merge_two(form, false, true, source, start, middle, end, target);
	else if (source->positions == NULL)
		merge_two(form, false, false, source, start, middle, end, target);
	else
		merge_two(form, true, descending, source, start, middle, end, target);
}

/* Merges neighboring runs in pairs.  Returns how many runs there are now, and writes where each ends. */
static uint32
merge_round(GpusortKeyForm form, bool descending, const KeyBuffer *source, KeyBuffer *target,
			uint32 *ends, uint32 nruns)
{
	uint32		start = 0;
	uint32		merged = 0;

	for (uint32 run = 0; run < nruns; run += 2)
	{
		uint32		end = ends[Min(run + 1, nruns - 1)];

		GPUSORT_WITH_CONSTANT_FORM(form, merge_pair, descending, source, start, ends[run], end, target);
		ends[merged++] = end;
		start = end;
	}
	return merged;
}

void
gpusort_keys_merge(GpusortKeyForm form, void *keys, uint32 *positions,
				   const uint32 *ends, uint32 nruns, bool descending)
{
	MemoryContext context = CurrentMemoryContext;
	uint32		count = ends[nruns - 1];
	Size		width = gpusort_key_width(form);
	KeyBuffer	source = {keys, positions};
	KeyBuffer	target = {gpusort_alloc_large(context, count * width), NULL};
	uint32	   *run_ends = palloc_array(uint32, nruns);

	memcpy(run_ends, ends, nruns * sizeof(uint32));
	if (positions != NULL)
	{
		target.positions = gpusort_alloc_large(context, count * sizeof(uint32));
		for (uint32 i = 0; i < count; i++)
		{
			GPUSORT_CHECK_EVERY(i);
			positions[i] = i;
		}
	}
	while (nruns > 1)
	{
		KeyBuffer	merged = target;

		nruns = merge_round(form, descending, &source, &target, run_ends, nruns);
		target = source;
		source = merged;
	}
	if (source.keys != keys)
	{
		copy_keys(width, &source, 0, count, &target, 0);
		target = source;
	}
	pfree(target.keys);
	if (target.positions != NULL)
		pfree(target.positions);
	pfree(run_ends);
}

/*
 * Merges two runs of positions.  The first run is copied to scratch memory: a merge that
 * writes forward then never overwrites what it has yet to read.
 */
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
