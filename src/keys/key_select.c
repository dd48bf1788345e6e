/*
 * key_select.c
 *	  Finds the keys at some ranks of their order: selection by histograms.
 *
 * The range of the keys' codes is cut into parts of equal width.  One pass counts the keys
 * of each part, which tells the parts that hold the ranks.  Another copies the codes of
 * these parts.  Each is searched in the same way until few codes are left, which are
 * sorted.  Each level narrows the range by a factor of at least PARTS / 2, so there are at
 * most seven of them, whatever the keys; for most data the second has few codes left.
 */
#include "postgres.h"

#include "keys/key_forms.h"
#include "keys/key_range.h"
#include "keys/key_select.h"

#define PARTS_BITS 11
#define PARTS (1 << PARTS_BITS)

/* This many codes are sorted. */
#define FEW 128

/* The place of a part whose codes are not copied. */
#define NOT_WANTED PG_UINT32_MAX

#define ST_SORT sort_codes
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The ranks that are looked for among some codes, and where the codes found go. */
typedef struct Wanted
{
	const uint32 *ranks;
	uint32		nranks;
	uint32		before;			/* how many keys come before all of these codes */
	uint64	   *found;
} Wanted;

/* The range of the codes, cut into parts: that of a code is (code - least) >> shift. */
typedef struct Range
{
	uint64		least;
	uint64		greatest;
	int			shift;
} Range;

static void search_codes(const uint64 *codes, uint32 count, const Wanted *wanted);

static pg_attribute_always_inline void
find_range(GpusortKeyForm form, const void *keys, uint32 count, Range *range)
{
	gpusort_key_range(form, keys, count, &range->least, &range->greatest);
	range->shift = 0;
	while ((range->greatest - range->least) >> range->shift >= PARTS)
		range->shift++;
}

static pg_attribute_always_inline void
count_parts(GpusortKeyForm form, const void *keys, uint32 count, const Range *range, uint32 *counts)
{
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		counts[(gpusort_key_alone_code(form, keys, i) - range->least) >> range->shift]++;
	}
}

/* Copies the codes of the parts that have a place. */
static pg_attribute_always_inline void
copy_parts(GpusortKeyForm form, const void *keys, uint32 count, const Range *range, uint32 *places, uint64 *codes)
{
	for (uint32 i = 0; i < count; i++)
	{
		uint64		code = gpusort_key_alone_code(form, keys, i);
		uint32	   *place = &places[(code - range->least) >> range->shift];

		GPUSORT_CHECK_EVERY(i);
		if (*place != NOT_WANTED)
			codes[(*place)++] = code;
	}
}

/*
 * Gives places in a buffer to the parts that hold wanted ranks, one part behind the other,
 * and returns how many codes these have together.
 */
static uint32
place_parts(const uint32 *counts, const Wanted *wanted, uint32 *places)
{
	uint32		end = wanted->before;
	uint32		rank = 0;
	uint32		total = 0;

	for (int part = 0; part < PARTS; part++)
	{
		end += counts[part];
		places[part] = NOT_WANTED;
		if (rank == wanted->nranks || wanted->ranks[rank] >= end)
			continue;
		places[part] = total;
		total += counts[part];
		while (rank < wanted->nranks && wanted->ranks[rank] < end)
			rank++;
	}
	return total;
}

/* Searches each part that holds wanted ranks. */
static void
search_parts(const uint32 *counts, const uint64 *codes, const Wanted *wanted)
{
	uint32		start = wanted->before;
	uint32		rank = 0;

	for (int part = 0; part < PARTS && rank < wanted->nranks; start += counts[part++])
	{
		Wanted		within = {.ranks = wanted->ranks + rank,.before = start,.found = wanted->found + rank};

		while (rank < wanted->nranks && wanted->ranks[rank] < start + counts[part])
			rank++;
		within.nranks = wanted->ranks + rank - within.ranks;
		if (within.nranks == 0)
			continue;
		search_codes(codes, counts[part], &within);
		codes += counts[part];
	}
}

static pg_attribute_always_inline void
search_few(GpusortKeyForm form, const void *keys, uint32 count, const Wanted *wanted)
{
	uint64		codes[FEW];

	for (uint32 i = 0; i < count; i++)
		codes[i] = gpusort_key_alone_code(form, keys, i);
	sort_codes(codes, count);
	for (uint32 i = 0; i < wanted->nranks; i++)
		wanted->found[i] = codes[wanted->ranks[i] - wanted->before];
}

static pg_attribute_always_inline void
search_many(GpusortKeyForm form, const void *keys, uint32 count, const Wanted *wanted)
{
	Range		range;
	uint32	   *counts;
	uint32	   *places;
	uint32		total;
	uint64	   *codes;

	find_range(form, keys, count, &range);
	if (range.least == range.greatest)
	{
		for (uint32 i = 0; i < wanted->nranks; i++)
			wanted->found[i] = range.least;
		return;
	}
	counts = palloc0(PARTS * sizeof(uint32));
	places = palloc(PARTS * sizeof(uint32));
	count_parts(form, keys, count, &range, counts);
	total = place_parts(counts, wanted, places);
	codes = gpusort_alloc_large(CurrentMemoryContext, (Size) total * sizeof(uint64));
	copy_parts(form, keys, count, &range, places, codes);
	search_parts(counts, codes, wanted);
	pfree(codes);
	pfree(places);
	pfree(counts);
}

static pg_attribute_always_inline void
search(GpusortKeyForm form, const void *keys, uint32 count, const Wanted *wanted)
{
	if (count <= FEW)
		search_few(form, keys, count, wanted);
	else
		search_many(form, keys, count, wanted);
}

/* Codes are keys whose codes are they themselves. */
static void
search_codes(const uint64 *codes, uint32 count, const Wanted *wanted)
{
	search(GPUSORT_KEY_UINT64, codes, count, wanted);
}

/* Writes the keys that have these codes. */
static void
decode(GpusortKeyForm form, const uint64 *codes, uint32 count, void *keys)
{
	for (uint32 i = 0; i < count; i++)
	{
		if (gpusort_key_width(form) == 2)
			((uint16 *) keys)[i] = gpusort_encode16(codes[i]);
		else if (gpusort_key_width(form) == 4)
			((uint32 *) keys)[i] = gpusort_decode32(form, codes[i]);
		else
			((uint64 *) keys)[i] = gpusort_decode64(form, codes[i]);
	}
}

void
gpusort_keys_select(GpusortKeyForm form, const void *keys, uint32 count,
					const uint32 *ranks, uint32 nranks, void *found)
{
	uint64	   *codes = palloc(nranks * sizeof(uint64));
	Wanted		wanted = {.ranks = ranks,.nranks = nranks,.found = codes};

	GPUSORT_WITH_CONSTANT_FORM(form, search, keys, count, &wanted);
	decode(form, codes, nranks, found);
	pfree(codes);
}
