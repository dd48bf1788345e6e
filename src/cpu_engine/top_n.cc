/*
 * top_n.cc
 *	  Keeps candidates for the first entries while it reads the keys once.
 *
 * A key becomes a candidate if it comes before the threshold, which is the last of the
 * entries wanted so far.  When the array of candidates is full, they are sorted, those
 * past the limit are dropped, and the threshold moves.  It soon rejects nearly all keys,
 * and vector instructions compare many keys with it at a time.
 *
 * With a payload, candidates have positions and are sorted stably.  A later key that ties
 * with the threshold is not a candidate, because it comes after it.
 */
#include "cpu_engine/top_n.h"

#include <cstring>

#include "cpu_engine/code_sort.h"
#include "cpu_engine/payload_sort.h"
#include "cpu_engine/simd.h"

namespace gpusort
{
/* Keys filtered at a time.  All of them may become candidates, so that much space must be free. */
constexpr uint32_t BLOCK = 128;

/* With fewer keys a sort in registers is as fast. */
constexpr uint64_t KEYS_WORTH_FILTERING = 257;

/* Candidates are first cut when there are at least this many. */
constexpr uint64_t FIRST_CANDIDATES = 128;

/* If the array fills this often and keys still become candidates, a sort is faster. */
constexpr uint64_t MOST_CUTS = 6;

/* How many candidates the array holds. */
static uint64_t
capacity(uint64_t limit)
{
	return (2 * limit > FIRST_CANDIDATES ? 2 * limit : FIRST_CANDIDATES) + BLOCK;
}

template <GpusortKeyForm F>
struct Candidates
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;

	const Bits *keys;
	Code	   *codes;			/* complements for descending order */
	uint32_t   *positions;		/* nullptr without a payload */
	char	   *scratch;
	uint32_t	count;
	uint32_t	limit;
	Code		threshold;		/* a code that is not less is no candidate */
};

/* Sorts the candidates and keeps those within the limit. */
template <GpusortKeyForm F>
static bool
cut(Work &work, Candidates<F> &candidates)
{
	using Code = typename Form<F>::Code;
	Code	   *codes = candidates.codes;
	Code		flip = work.spec->descending ? -1 : 0;

	if (candidates.positions == nullptr)
	{
		if (!sort_codes(work, codes, candidates.count, candidates.scratch, false))
			return false;
	}
	else
	{
		constexpr GpusortKeyForm form = FormsOf<Code>::integer;
		GpusortSpec spec = {form, GPUSORT_PAYLOAD_CARRIED, GPUSORT_METHOD_NETWORK, false, 0, 0};
		Work		inner = work;
		bool		done;

		inner.spec = &spec;
		inner.scratch = candidates.scratch;
		done = sort_with_payload<form>(inner, (typename Form<F>::Bits *) codes, candidates.positions, candidates.count);
		work.spent = inner.spent;
		if (!done)
			return false;
		for (uint32_t i = 0; i < candidates.count && i < candidates.limit; i++)
			codes[i] = Form<F>::encode_tied(candidates.keys[candidates.positions[i]]) ^ flip;
	}
	if (candidates.count >= candidates.limit)
	{
		candidates.count = candidates.limit;
		candidates.threshold = codes[candidates.limit - 1];
	}
	return true;
}

/* Makes all of these keys candidates. */
template <GpusortKeyForm F>
static void
take_all(Candidates<F> &candidates, uint32_t start, uint32_t count, bool descending)
{
	typename Form<F>::Code flip = descending ? -1 : 0;

	for (uint32_t i = start; i < start + count; i++)
	{
		if (candidates.positions == nullptr)
			candidates.codes[candidates.count] = Form<F>::encode(candidates.keys[i]) ^ flip;
		else
		{
			candidates.codes[candidates.count] = Form<F>::encode_tied(candidates.keys[i]) ^ flip;
			candidates.positions[candidates.count] = i;
		}
		candidates.count++;
	}
}

bool
top_n_pays(uint64_t n, uint64_t limit)
{
	return limit > 0 && limit <= n / 8 && n >= KEYS_WORTH_FILTERING;
}

size_t
top_n_scratch(uint64_t limit, size_t width, int threads)
{
	uint64_t	most = capacity(limit);
	size_t		keys_alone = sort_codes_scratch(most, width, threads);
	size_t		with_payload = sort_with_payload_scratch(most, width, GPUSORT_PAYLOAD_CARRIED, threads);

	return lines((most + 1) * width) + lines((most + 1) * sizeof(uint32_t)) +
		(keys_alone > with_payload ? keys_alone : with_payload);
}

template <GpusortKeyForm F>
TopN
top_n(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	using Code = typename Form<F>::Code;
	bool		descending = work.spec->descending;
	uint32_t	limit = (uint32_t) work.spec->limit;
	uint32_t	most = (uint32_t) capacity(limit);
	Candidates<F> candidates;
	uint32_t	start = most - BLOCK < n ? most - BLOCK : n;
	uint64_t	total = 0;
	uint32_t	count;

	candidates.keys = keys;
	candidates.codes = (Code *) work.scratch;
	candidates.positions = (uint32_t *) (work.scratch + lines((most + 1) * sizeof(Code)));
	candidates.scratch = (char *) candidates.positions + lines((most + 1) * sizeof(uint32_t));
	candidates.count = 0;
	candidates.limit = limit;
	if (payload == nullptr)
		candidates.positions = nullptr;

	take_all(candidates, 0, start, descending);
	if (!cut(work, candidates))
		return TopN::STOPPED;
	for (; start < n; start += count)
	{
		uint32_t	kept;

		count = n - start < BLOCK ? n - start : BLOCK;
		kept = simd::kernels<typename Form<F>::Bits>().filter(F, keys + start, count, start, descending, candidates.threshold,
							candidates.codes + candidates.count,
							candidates.positions == nullptr ? nullptr : candidates.positions + candidates.count);
		candidates.count += kept;
		total += kept;
		if (candidates.count > most - BLOCK)
		{
			/* In keys that come in reverse order each one becomes a candidate. */
			if (total > MOST_CUTS * most && total > start / 4)
				return TopN::NOT_WORTH_IT;
			if (!cut(work, candidates))
				return TopN::STOPPED;
		}
		if (work.stop_after(count / 8))
			return TopN::STOPPED;
	}
	if (!cut(work, candidates))
		return TopN::STOPPED;

	switch (work.spec->payload)
	{
		case GPUSORT_PAYLOAD_NONE:
			for (uint32_t i = 0; i < limit; i++)
				keys[i] = Form<F>::decode((Code) (candidates.codes[i] ^ (descending ? -1 : 0)));
			break;
		case GPUSORT_PAYLOAD_CARRIED:
			for (uint32_t i = 0; i < limit; i++)
				candidates.positions[i] = payload[candidates.positions[i]];
			[[fallthrough]];
		case GPUSORT_PAYLOAD_INDEX:
			memcpy(payload, candidates.positions, limit * sizeof(uint32_t));
			break;
	}
	return TopN::DONE;
}

#define INSTANTIATE(form) \
	template TopN top_n<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
