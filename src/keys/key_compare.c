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

/* Are the keys, at least one, in order? */
bool
gpusort_keys_in_order(GpusortKeyForm form, const void *keys, uint32 count, bool descending)
{
	bool		result = false;

	GPUSORT_WITH_CONSTANT_FORM(form, result = in_order, keys, count, descending);
	return result;
}

/* Makes a NaN of other bits the NaN; false if the key is none. */
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

/* Gives all NaNs of sorted keys, which lie at one end, the same bits. */
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

/* Moves the first of each run of equal keys, at least one key, to the front; returns how many. */
uint32
gpusort_keys_distinct(GpusortKeyForm form, void *keys, uint32 count)
{
	uint32		result = 0;

	GPUSORT_WITH_CONSTANT_FORM(form, result = distinct, keys, count);
	return result;
}

/* Tells for every place whether the key that positions put there differs from the one before. */
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
