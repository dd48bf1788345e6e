/*
 * cpu_select.cc
 *	  Finds keys at a few ranks: selection by samples (Floyd and Rivest, 1975).
 *
 * A sorted sample tells two codes between which a rank's code very likely lies.  One pass
 * keeps the codes between them, a third of all, and counts those below, which confirms it.
 * What is kept is searched in the same way until a network sorts it in registers.
 * Ranks next to each other are searched together.
 */
#include "cpu_engine/cpu_select.h"

#include <cstring>

#include "cpu_engine/forms.h"
#include "cpu_engine/simd.h"
#include "cpu_engine/vqsort.h"

namespace gpusort
{
/* Codes in a sample. */
constexpr uint32_t SAMPLE = 64;

/* A bound lies this many codes of the sample from a rank's place: at least 2.5 standard deviations. */
constexpr uint32_t MARGIN = 10;

/* Up to this many codes are sorted. */
constexpr uint32_t FEW = 64;

/* The most searches, each of which reads all keys. */
constexpr uint32_t SEARCHES = 4;

/* The most passes of a search. */
constexpr uint32_t PASSES = 12;

/* Codes that are searched for consecutive ranks. */
template <typename Code>
struct Search
{
	uint32_t	first;			/* the ranks among the codes */
	uint32_t	last;
	bool		alike;			/* all codes are equal */
	Code	   *codes;
	bool		(*should_stop) (void *arg);
};

template <typename Code>
static void
sort_few(Code *codes, uint32_t n)
{
	if (!simd::kernels<Code>().sort_small(FormsOf<Code>::integer, (std::make_unsigned_t<Code> *) codes, n, false))
		vqsort(codes, n, false);
}

template <GpusortKeyForm F>
static void
take_sample(const typename Form<F>::Bits *keys, uint32_t n, typename Form<F>::Code *sample)
{
	uint64_t	state = n;

	for (uint32_t i = 0; i < SAMPLE; i++)
		sample[i] = Form<F>::encode(keys[next_position(state, n)]);
	sort_few(sample, SAMPLE);
}

/*
 * One pass over n keys, at least one: keeps the codes that lie between two codes of a sample.
 * Returns how many it kept, and changes the ranks to those among the kept codes.  Returns 0 if
 * the codes at the ranks are not among them, or if it is told to stop.
 */
template <GpusortKeyForm F>
static uint32_t
narrow(const typename Form<F>::Bits *keys, uint32_t n, Search<typename Form<F>::Code> &search)
{
	using Code = typename Form<F>::Code;
	Code		sample[SAMPLE];
	uint32_t	first = (uint32_t) ((uint64_t) search.first * SAMPLE / n);
	uint32_t	last = (uint32_t) ((uint64_t) search.last * SAMPLE / n);
	Code		least = (Code) Form<F>::sign;
	Code		greatest = (Code) ~Form<F>::sign;
	uint32_t	kept;
	uint32_t	less;

	if (search.should_stop(nullptr))
		return 0;
	take_sample<F>(keys, n, sample);
	if (first >= MARGIN)
		least = sample[first - MARGIN];
	if (last + MARGIN < SAMPLE)
		greatest = sample[last + MARGIN];
	kept = simd::kernels<typename Form<F>::Bits>().between(F, keys, n, least, greatest, search.codes, &less);
	if (search.first < less || search.last >= less + kept)
		return 0;
	search.first -= less;
	search.last -= less;
	search.alike = least == greatest;
	return kept;
}

/* Narrows the codes until each rank is the place of its code.  Returns false if that takes too long. */
template <GpusortKeyForm F>
static bool
find(const typename Form<F>::Bits *keys, uint32_t n, Search<typename Form<F>::Code> &search)
{
	using Code = typename Form<F>::Code;
	uint32_t	kept = narrow<F>(keys, n, search);

	for (uint32_t pass = 1; pass < PASSES && kept > 0; pass++)
	{
		if (search.alike)
			return true;
		if (kept <= FEW)
		{
			sort_few(search.codes, kept);
			return true;
		}
		if (kept > n / 4 * 3)
			return false;
		n = kept;
		kept = narrow<FormsOf<Code>::integer>((const std::make_unsigned_t<Code> *) search.codes, n, search);
	}
	return false;
}

/* How many searches some ranks take. */
static uint32_t
count_searches(const uint32_t *ranks, uint32_t nranks)
{
	uint32_t	count = 1;

	for (uint32_t i = 1; i < nranks; i++)
		count += ranks[i] - ranks[i - 1] > 1;
	return count;
}

template <GpusortKeyForm F>
static bool
select_few(const typename Form<F>::Bits *keys, uint32_t n, const uint32_t *ranks, uint32_t nranks,
		   typename Form<F>::Bits *found, typename Form<F>::Code *codes, bool (*should_stop) (void *arg))
{
	uint32_t	end;

	if (count_searches(ranks, nranks) > SEARCHES)
		return false;
	for (uint32_t start = 0; start < nranks; start = end)
	{
		Search<typename Form<F>::Code> search = {ranks[start], ranks[start], false, codes, should_stop};
		uint32_t	before = ranks[start];

		for (end = start + 1; end < nranks && ranks[end] - ranks[end - 1] <= 1; end++)
			search.last = ranks[end];
		if (!find<F>(keys, n, search))
			return false;
		for (uint32_t i = start; i < end; i++)
			found[i] = Form<F>::decode(codes[search.first + ranks[i] - before]);
	}
	return true;
}

template <GpusortKeyForm F>
static bool
select_keys(const void *native, uint32_t n, const uint32_t *ranks, uint32_t nranks, void *found, void *scratch,
			bool (*should_stop) (void *arg))
{
	if constexpr (Form<F>::narrow)
		return false;
	else
	{
		using Bits = typename Form<F>::Bits;
		const Bits *keys = (const Bits *) native;
		Bits	   *copy = (Bits *) scratch;

		/* No network holds more keys. */
		if (n > 16 * 64 / sizeof(Bits))
			return select_few<F>(keys, n, ranks, nranks, (Bits *) found, (typename Form<F>::Code *) scratch, should_stop);
		memcpy(copy, keys, n * sizeof(Bits));
		if (!simd::kernels<Bits>().sort_small(F, copy, n, false))
			return select_few<F>(keys, n, ranks, nranks, (Bits *) found, (typename Form<F>::Code *) scratch, should_stop);
		for (uint32_t i = 0; i < nranks; i++)
			((Bits *) found)[i] = copy[ranks[i]];
		return true;
	}
}
}

using namespace gpusort;

extern "C" bool
gpusort_cpu_in_order(GpusortKeyForm form, const void *keys, uint32_t count)
{
	return with_form(form, [=](auto known) {
		using Bits = typename decltype(known)::Bits;

		return simd::kernels<Bits>().in_order(known.form, (const Bits *) keys, count, false);
	});
}

extern "C" bool
gpusort_cpu_select(GpusortKeyForm form, const void *keys, uint32_t count, const uint32_t *ranks, uint32_t nranks,
				   void *found, void *scratch, bool (*should_stop) (void *arg))
{
	return with_form(form, [=](auto known) {
		return select_keys<known.form>(keys, count, ranks, nranks, found, scratch, should_stop);
	});
}
