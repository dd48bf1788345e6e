/*
 * key_compare.c
 *	  One pass over keys.  Each loop is compiled once per key form.
 */
#include "postgres.h"

#include "keys/key_compare.h"
#include "keys/key_forms.h"
#include "large_memory.h"

static pg_attribute_always_inline bool
in_order(GpusortKeyForm form, const void *keys, uint32 count, bool descending)
{
	uint64		last = gpusort_key_code(form, keys, 0);

	for (uint32 i = 1; i < count; i++)
	{
		uint64		code = gpusort_key_code(form, keys, i);

		GPUSORT_CHECK_EVERY(i);
		if (descending ? code > last : code < last)
			return false;
		last = code;
	}
	return true;
}

/* True if the keys are in order.  There must be at least one. */
bool
gpusort_keys_in_order(GpusortKeyForm form, const void *keys, uint32 count, bool descending)
{
	bool		result = false;

	GPUSORT_WITH_CONSTANT_FORM(form, result = in_order, keys, count, descending);
	return result;
}

/* Gives a NaN the bits of 'NaN'.  Returns false if the key is no NaN. */
static pg_attribute_always_inline bool
unify_nan(GpusortKeyForm form, void *keys, uint32 position)
{
	if (form == GPUSORT_KEY_FLOAT32)
	{
		uint32	   *key = (uint32 *) keys + position;

		if (!gpusort_is_nan32(*key))
			return false;
		*key = GPUSORT_NAN32;
	}
	else
	{
		uint64	   *key = (uint64 *) keys + position;

		if (!gpusort_is_nan64(*key))
			return false;
		*key = GPUSORT_NAN64;
	}
	return true;
}

static pg_attribute_always_inline void
one_nan(GpusortKeyForm form, void *keys, uint32 count, bool descending)
{
	for (uint32 i = 0; i < count && unify_nan(form, keys, descending ? i : count - 1 - i); i++)
		GPUSORT_CHECK_EVERY(i);
}

/* Gives all NaNs of sorted keys the same bits.  They lie at one end, so only that is read. */
void
gpusort_keys_one_nan(GpusortKeyForm form, void *keys, uint32 count, bool descending)
{
	if (form == GPUSORT_KEY_FLOAT32)
		one_nan(GPUSORT_KEY_FLOAT32, keys, count, descending);
	else if (form == GPUSORT_KEY_FLOAT64)
		one_nan(GPUSORT_KEY_FLOAT64, keys, count, descending);
}

static pg_attribute_always_inline uint32
distinct(GpusortKeyForm form, void *keys, uint32 count)
{
	uint32		kept = 1;
	uint64		last = gpusort_key_code(form, keys, 0);

	for (uint32 i = 1; i < count; i++)
	{
		uint64		code = gpusort_key_code(form, keys, i);

		GPUSORT_CHECK_EVERY(i);
		if (gpusort_key_width(form) == 2)
			((uint16 *) keys)[kept] = ((uint16 *) keys)[i];
		else if (gpusort_key_width(form) == 4)
			((uint32 *) keys)[kept] = ((uint32 *) keys)[i];
		else
			((uint64 *) keys)[kept] = ((uint64 *) keys)[i];
		kept += code != last;
		last = code;
	}
	return kept;
}

/* Removes repeated keys from sorted ones in place and returns how many are left.  There must be at least one key. */
uint32
gpusort_keys_distinct(GpusortKeyForm form, void *keys, uint32 count)
{
	uint32		result = 0;

	GPUSORT_WITH_CONSTANT_FORM(form, result = distinct, keys, count);
	return result;
}

static pg_attribute_always_inline uint32
longest_run(GpusortKeyForm form, const void *keys, uint32 count)
{
	uint32		start = 0;
	uint32		best = 0;
	uint32		best_length = 0;
	uint64		code = gpusort_key_code(form, keys, 0);

	for (uint32 i = 1; i <= count; i++)
	{
		uint64		next = i < count ? gpusort_key_code(form, keys, i) : ~code;

		GPUSORT_CHECK_EVERY(i);
		if (next == code)
			continue;
		if (i - start > best_length)
		{
			best = start;
			best_length = i - start;
		}
		start = i;
		code = next;
	}
	return best;
}

/* Where the first of the longest runs of equal keys begins.  There must be at least one key. */
uint32
gpusort_keys_longest_run(GpusortKeyForm form, const void *keys, uint32 count)
{
	uint32		result = 0;

	GPUSORT_WITH_CONSTANT_FORM(form, result = longest_run, keys, count);
	return result;
}

/* Sets begins[i] where the key at positions[i] differs from that at positions[i - 1], and begins[0]. */
void
gpusort_keys_classes(GpusortKeyForm form, const void *keys, const uint32 *positions,
					 uint32 count, bool *begins)
{
	uint64		last = 0;

	for (uint32 i = 0; i < count; i++)
	{
		uint64		code = gpusort_key_code(form, keys, positions[i]);

		GPUSORT_CHECK_EVERY(i);
		begins[i] = i == 0 || code != last;
		last = code;
	}
}
