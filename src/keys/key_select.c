/*
 * key_select.c
 *	  Finds the keys at some ranks of their order: selection by histograms.
 *
 * The range of the keys' codes is cut into parts of equal width, the more of them the more
 * keys there are.  One pass counts the keys of each part, which tells the parts that hold
 * the ranks.  Another copies the codes of these parts.  Each is searched in the same way
 * until few codes are left, which are sorted.  Each level narrows the range by a factor of
 * at least LEAST_PARTS / 2, so there are at most 22 of them, whatever the keys; for most
 * data the second has few codes left.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "keys/key_forms.h"
#include "keys/key_range.h"
#include "keys/key_select.h"

/* About this many keys make a part, within limits. */
#define KEYS_PER_PART 4
#define LEAST_PARTS 16
#define MOST_PARTS 2048

/* Up to this many parts and codes lie on the stack. */
#define LOCAL_PARTS 512
#define LOCAL_CODES 128

/* Up to this many codes are sorted. */
#define FEW 32

/* The place of a part whose codes are not copied. */
#define NOT_WANTED PG_UINT32_MAX

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
	uint32		nparts;			/* a power of two */
	int			shift;
} Range;

/* How many keys lie in each part, and where their codes go. */
typedef struct Parts
{
	uint32	   *counts;
	uint32	   *places;
	uint32		local[2 * LOCAL_PARTS];
} Parts;

static void search_codes(const uint64 *codes, uint32 count, const Wanted *wanted);

static pg_attribute_always_inline void
find_range(GpusortKeyForm form, const void *keys, uint32 count, Range *range)
{
	gpusort_key_range(form, keys, count, &range->least, &range->greatest);
	range->nparts = Max(LEAST_PARTS, Min(MOST_PARTS, pg_nextpower2_32(count) / KEYS_PER_PART));
	range->shift = 0;
	if (range->greatest - range->least >= range->nparts)
		range->shift = pg_leftmost_one_pos64(range->greatest - range->least) + 1 - pg_leftmost_one_pos32(range->nparts);
}

static void
begin_parts(Parts *parts, uint32 nparts)
{
	parts->counts = nparts <= LOCAL_PARTS ? parts->local : palloc(2 * nparts * sizeof(uint32));
	parts->places = parts->counts + nparts;
	memset(parts->counts, 0, nparts * sizeof(uint32));
}

static void
end_parts(Parts *parts)
{
	if (parts->counts != parts->local)
		pfree(parts->counts);
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
place_parts(Parts *parts, uint32 nparts, const Wanted *wanted)
{
	uint32		end = wanted->before;
	uint32		rank = 0;
	uint32		total = 0;

	for (uint32 part = 0; part < nparts; part++)
	{
		end += parts->counts[part];
		parts->places[part] = NOT_WANTED;
		if (rank == wanted->nranks || wanted->ranks[rank] >= end)
			continue;
		parts->places[part] = total;
		total += parts->counts[part];
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

	for (uint32 part = 0; rank < wanted->nranks; start += counts[part++])
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

/* Sorts few codes by insertion. */
static pg_attribute_always_inline void
sort_few(uint64 *codes, uint32 count)
{
	for (uint32 i = 1; i < count; i++)
	{
		uint64		code = codes[i];
		uint32		place = i;

		for (; place > 0 && codes[place - 1] > code; place--)
			codes[place] = codes[place - 1];
		codes[place] = code;
	}
}

static pg_attribute_always_inline void
search_few(GpusortKeyForm form, const void *keys, uint32 count, const Wanted *wanted)
{
	uint64		codes[FEW];

	for (uint32 i = 0; i < count; i++)
		codes[i] = gpusort_key_alone_code(form, keys, i);
	sort_few(codes, count);
	for (uint32 i = 0; i < wanted->nranks; i++)
		wanted->found[i] = codes[wanted->ranks[i] - wanted->before];
}

static pg_attribute_always_inline void
search_many(GpusortKeyForm form, const void *keys, uint32 count, const Wanted *wanted)
{
	Range		range;
	Parts		parts;
	uint64		local[LOCAL_CODES];
	uint64	   *codes = local;
	uint32		total;

	find_range(form, keys, count, &range);
	if (range.least == range.greatest)
	{
		for (uint32 i = 0; i < wanted->nranks; i++)
			wanted->found[i] = range.least;
		return;
	}
	begin_parts(&parts, range.nparts);
	count_parts(form, keys, count, &range, parts.counts);
	total = place_parts(&parts, range.nparts, wanted);
	if (total > LOCAL_CODES)
		codes = gpusort_alloc_large(CurrentMemoryContext, (Size) total * sizeof(uint64));
	copy_parts(form, keys, count, &range, parts.places, codes);
	search_parts(parts.counts, codes, wanted);
	if (codes != local)
		pfree(codes);
	end_parts(&parts);
}

static pg_attribute_always_inline void
search(GpusortKeyForm form, const void *keys, uint32 count, const Wanted *wanted)
{
	if (count <= FEW)
		search_few(form, keys, count, wanted);
	else
		search_many(form, keys, count, wanted);
}

/* Searches among codes.  As keys of form UINT64 they are their own codes. */
static void
search_codes(const uint64 *codes, uint32 count, const Wanted *wanted)
{
	search(GPUSORT_KEY_UINT64, codes, count, wanted);
}

void
gpusort_keys_select(GpusortKeyForm form, const void *keys, uint32 count,
					const uint32 *ranks, uint32 nranks, void *found)
{
	uint64		local[LOCAL_CODES];
	uint64	   *codes = nranks <= LOCAL_CODES ? local : palloc(nranks * sizeof(uint64));
	Wanted		wanted = {.ranks = ranks,.nranks = nranks,.found = codes};

	GPUSORT_WITH_CONSTANT_FORM(form, search, keys, count, &wanted);
	for (uint32 i = 0; i < nranks; i++)
		gpusort_key_put(form, found, i, codes[i]);
	if (codes != local)
		pfree(codes);
}
