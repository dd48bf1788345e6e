/*
 * counting_sort.cc
 *	  After Abdel-hafeez, Gordon-Ross, Abubaker, "A comparison-free sorting
 *	  algorithm on CPUs and GPUs".
 *
 * With one thread: find the range of the codes, count the keys of each code, then write every
 * code as often as it was counted.  With several threads there are four phases with a barrier
 * between them:
 *
 *	  1		each thread takes its share of the keys and finds the range of their codes
 *	  2		each counts its share of the keys
 *	  3		each takes its share of the codes, adds up the counts of all threads
 *			and how many keys come before them
 *	  4		each writes the keys of its share of the codes
 *
 * The paper's threads count into one array with atomic additions.  Here each thread has
 * an array of its own, so repeated keys do not slow it down.  These arrays also tell the
 * place of every thread's keys.  With a payload, phase 4 reads a thread's share of the
 * keys again and moves each payload to its place, so ties keep their order.
 */
#include "cpu_engine/counting_sort.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cpu_engine/simd.h"
#include "cpu_engine/threads.h"

namespace gpusort
{
/* Keys whose codes are computed at a time, and codes whose counts are summed at a time. */
constexpr uint32_t BLOCK = 2048;

/*
 * Up to this many codes each share has WAYS arrays of counts, used in turn.  So equal
 * neighbors do not wait for each other.
 */
constexpr uint64_t FEW_CODES = 2048;
constexpr uint32_t WAYS = 4;

/* With fewer keys another sort is faster. */
constexpr uint32_t KEYS_WORTH_COUNTING = 2048;

constexpr uint32_t SAMPLE = 256;

constexpr uint32_t MOST_SHARES = 256;

/*
 * One sort.  Codes are numbered from 0 in the wanted order; for descending order their
 * complements are.
 */
template <GpusortKeyForm F>
struct Counting
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;

	const GpusortSpec *spec;
	Bits	   *keys;
	uint32_t   *payload;
	const uint32_t *source;		/* copy of a carried payload, else nullptr */
	uint32_t	n;
	uint32_t	shares;
	Code		flip;			/* all bits for descending order */
	Code		first;			/* code of number 0, flipped */
	uint64_t	codes;			/* how many codes are counted */
	uint32_t	ways;
	uint32_t   *counts;			/* ways * codes counts for each share */
	uint32_t	share_keys[MOST_SHARES];	/* keys in each share of the codes */
	Code		least[MOST_SHARES]; /* of the codes in each share of the keys */
	Code		greatest[MOST_SHARES];

	uint32_t *
	counts_of(uint32_t share) const
	{
		return counts + (size_t) share * ways * codes;
	}

	uint64_t
	first_number(uint32_t share) const
	{
		return (uint64_t) ((unsigned __int128) codes * share / shares);
	}

	Bits
	number(Code code) const
	{
		return (Bits) ((Bits) (code ^ flip) - (Bits) first);
	}

	Bits
	key(uint64_t number) const
	{
		return Form<F>::decode((Code) ((Code) (Bits) ((Bits) first + (Bits) number) ^ flip));
	}
};

/* The codes of up to BLOCK keys: the keys themselves, or in buffer. */
template <GpusortKeyForm F>
static inline const typename Form<F>::Code *
codes_of(const typename Form<F>::Bits *keys, uint32_t n, bool tied, typename Form<F>::Code *buffer)
{
	if (Form<F>::is_own_code)
		return (const typename Form<F>::Code *) keys;
	for (uint32_t i = 0; i < n; i++)
		buffer[i] = tied ? Form<F>::encode_tied(keys[i]) : Form<F>::encode(keys[i]);
	return buffer;
}

/* Phase 1: finds the range of the codes in one share of the keys. */
template <GpusortKeyForm F>
static void
range_share(Work &work, void *arg, uint32_t share)
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;
	Counting<F> &counting = *(Counting<F> *) arg;
	uint32_t	end = share_start(counting.n, counting.shares, share + 1);
	Code		least = (Code) ~Form<F>::sign;
	Code		greatest = (Code) Form<F>::sign;
	Code		buffer[BLOCK];
	uint32_t	n;

	for (uint32_t start = share_start(counting.n, counting.shares, share); start < end; start += n)
	{
		const Code *block;
		Code		low;
		Code		high;

		n = end - start < BLOCK ? end - start : BLOCK;
		block = codes_of<F>(counting.keys + start, n, counting.payload != nullptr, buffer);
		simd::kernels<Code>().key_range(FormsOf<Code>::integer, (const Bits *) block, n, &low, &high);
		least = low < least ? low : least;
		greatest = high > greatest ? high : greatest;
		if (work.stop_after(n / 8))
			return;
	}
	counting.least[share] = least;
	counting.greatest[share] = greatest;
}

/* Phase 2: counts one share of the keys. */
template <GpusortKeyForm F>
static void
count_share(Work &work, void *arg, uint32_t share)
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;
	Counting<F> &counting = *(Counting<F> *) arg;
	uint32_t   *counts = counting.counts_of(share);
	uint32_t	end = share_start(counting.n, counting.shares, share + 1);
	const uint64_t codes = counting.codes;
	const Code	flip = counting.flip;
	const Code	first = counting.first;
	Code		buffer[BLOCK];
	uint32_t	n;

	for (uint32_t start = share_start(counting.n, counting.shares, share); start < end; start += n)
	{
		const Code *block;
		uint32_t	i = 0;

		n = end - start < BLOCK ? end - start : BLOCK;
		block = codes_of<F>(counting.keys + start, n, counting.payload != nullptr, buffer);
		if (counting.ways == WAYS)
		{
			for (; i + WAYS <= n; i += WAYS)
			{
				for (uint32_t way = 0; way < WAYS; way++)
					counts[way * codes + (Bits) ((Bits) (block[i + way] ^ flip) - (Bits) first)]++;
			}
		}
		for (; i < n; i++)
			counts[(Bits) ((Bits) (block[i] ^ flip) - (Bits) first)]++;
		if (work.stop_after(n / 4))
			return;
	}
	for (uint64_t i = 0; counting.ways == WAYS && i < codes; i++)
		counts[i] += counts[codes + i] + counts[2 * codes + i] + counts[3 * codes + i];
}

/*
 * Phase 3: sums up the keys of one share of the codes.  Without a payload the counts of
 * the first share become the totals.  With a payload every count becomes a place: where
 * the keys of that code go that its share of the keys has.  Places count from where this
 * share of the codes begins.
 */
template <GpusortKeyForm F>
static void
sum_share(Work &work, void *arg, uint32_t share)
{
	Counting<F> &counting = *(Counting<F> *) arg;
	uint64_t	end = counting.first_number(share + 1);
	uint64_t	block_end;
	uint32_t	keys = 0;

	for (uint64_t block = counting.first_number(share); block < end; block = block_end)
	{
		block_end = end - block < BLOCK ? end : block + BLOCK;
		for (uint64_t number = block; number < block_end; number++)
		{
			uint32_t	before = keys;

			for (uint32_t other = 0; other < counting.shares; other++)
			{
				uint32_t   *count = &counting.counts_of(other)[number];
				uint32_t	place = keys;

				keys += *count;
				if (counting.payload != nullptr)
					*count = place;
			}
			if (counting.payload == nullptr)
				counting.counts[number] = keys - before;
		}
		if (work.stop_after(BLOCK / 4))
			return;
	}
	counting.share_keys[share] = keys;
}

/* Place of the first key in a share of the codes. */
template <GpusortKeyForm F>
static uint32_t
share_place(const Counting<F> &counting, uint32_t share)
{
	uint32_t	place = 0;

	for (uint32_t i = 0; i < share; i++)
		place += counting.share_keys[i];
	return place;
}

/* Phase 4 without a payload: writes the keys of one share of the codes. */
template <GpusortKeyForm F>
static void
write_share(Work &work, void *arg, uint32_t share)
{
	using Bits = typename Form<F>::Bits;
	constexpr uint32_t vector = 64 / sizeof(Bits);
	Counting<F> &counting = *(Counting<F> *) arg;
	uint64_t	end = counting.first_number(share + 1);
	Bits	   *out = counting.keys + share_place(counting, share);
	Bits	   *out_end = out + counting.share_keys[share];

	for (uint64_t number = counting.first_number(share); number < end; number++)
	{
		uint32_t	count = counting.counts[number];
		Bits		key = counting.key(number);

		/* Whole vectors are written, beyond the end of the equal keys but not of the share. */
		while (count > 0)
		{
			uint32_t	written = count < vector ? count : vector;

			if (out_end - out >= (ptrdiff_t) vector)
				for (uint32_t i = 0; i < vector; i++)
					out[i] = key;
			else
				for (uint32_t i = 0; i < written; i++)
					out[i] = key;
			out += written;
			count -= written;
			if (work.stop_after(written / 8))
				return;
		}
		if (work.stop_after(1))
			return;
	}
}

/* Phase 4 with a payload: moves the payload of one share of the keys, or their positions, to their places. */
template <GpusortKeyForm F>
static void
scatter_share(Work &work, void *arg, uint32_t share)
{
	using Code = typename Form<F>::Code;
	Counting<F> &counting = *(Counting<F> *) arg;
	uint32_t   *places = counting.counts_of(share);
	uint32_t	end = share_start(counting.n, counting.shares, share + 1);
	Code		buffer[BLOCK];
	uint32_t	n;

	for (uint32_t start = share_start(counting.n, counting.shares, share); start < end; start += n)
	{
		const Code *block;

		n = end - start < BLOCK ? end - start : BLOCK;
		block = codes_of<F>(counting.keys + start, n, true, buffer);
		if (counting.source == nullptr)
			for (uint32_t i = 0; i < n; i++)
				counting.payload[places[counting.number(block[i])]++] = start + i;
		else
			for (uint32_t i = 0; i < n; i++)
				counting.payload[places[counting.number(block[i])]++] = counting.source[start + i];
		if (work.stop_after(n / 4))
			return;
	}
}

/* With a payload, between phases 3 and 4: makes places count from the start of the segment. */
template <GpusortKeyForm F>
static void
shift_share(Work &work, void *arg, uint32_t share)
{
	Counting<F> &counting = *(Counting<F> *) arg;
	uint32_t	place = share_place(counting, share);
	uint64_t	start = counting.first_number(share);
	uint64_t	end = counting.first_number(share + 1);

	for (uint32_t other = 0; place > 0 && other < counting.shares; other++)
	{
		for (uint64_t block = start; block < end; block += BLOCK)
		{
			for (uint64_t number = block; number < end && number < block + BLOCK; number++)
				counting.counts_of(other)[number] += place;
			if (work.stop_after(BLOCK / 4))
				return;
		}
	}
}

/* Sets the codes to be counted: least .. greatest. */
template <GpusortKeyForm F>
static void
set_range(Counting<F> &counting, typename Form<F>::Code least, typename Form<F>::Code greatest)
{
	using Bits = typename Form<F>::Bits;

	counting.flip = counting.spec->descending ? -1 : 0;
	counting.first = counting.flip ? (typename Form<F>::Code) ~greatest : least;
	counting.codes = (uint64_t) (Bits) ((Bits) greatest - (Bits) least);
	/* 2^64 codes do not fit; 2^64 - 1 stands for them, which are too many to count as well. */
	if (counting.codes != UINT64_MAX)
		counting.codes++;
}

/* The range of a sample, made wider on both sides by an eighth and 8 codes. */
template <GpusortKeyForm F>
static void
guess_range(const typename Form<F>::Bits *keys, uint32_t n,
			typename Form<F>::Code *least, typename Form<F>::Code *greatest)
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;
	constexpr Code lowest = (Code) Form<F>::sign;
	constexpr Code highest = (Code) ~Form<F>::sign;
	uint64_t	state = n;
	Bits		margin;

	*least = *greatest = Form<F>::encode(keys[0]);
	for (uint32_t i = 1; i < SAMPLE; i++)
	{
		Code		code = Form<F>::encode(keys[next_position(state, n)]);

		*least = code < *least ? code : *least;
		*greatest = code > *greatest ? code : *greatest;
	}
	margin = (Bits) ((Bits) ((Bits) *greatest - (Bits) *least) / 8 + 8);
	*least = (Bits) ((Bits) *least - (Bits) lowest) < margin ? lowest : (Code) ((Bits) *least - margin);
	*greatest = (Bits) ((Bits) highest - (Bits) *greatest) < margin ? highest : (Code) ((Bits) *greatest + margin);
}

/* Finds the range of all keys.  Returns false if told to stop. */
template <GpusortKeyForm F>
static bool
find_range(Work &work, Counting<F> &counting, int threads)
{
	counting.shares = threads;
	if (!run_shares(work, threads, counting.shares, range_share<F>, &counting))
		return false;
	set_range(counting, *std::min_element(counting.least, counting.least + counting.shares),
			  *std::max_element(counting.greatest, counting.greatest + counting.shares));
	return true;
}

/* Runs the other phases.  Returns CPU_SORT_TOO_WIDE, with nothing changed, if memory is short. */
template <GpusortKeyForm F>
static CpuSortStatus
count_and_write(Work &work, Counting<F> &counting, uint64_t most_counts, int threads)
{
	uint64_t	allowed = work.control->memory_limit / sizeof(uint32_t) / counting.codes;
	uint64_t	tables = most_counts / counting.codes;
	bool		done;

	counting.ways = counting.codes <= FEW_CODES && allowed >= WAYS ? WAYS : 1;
	if (tables > allowed / counting.ways)
		tables = allowed / counting.ways;
	counting.shares = threads;
	if (counting.shares > tables)
		counting.shares = (uint32_t) tables;
	counting.counts = (uint32_t *) calloc((size_t) counting.shares * counting.ways * counting.codes, sizeof(uint32_t));
	if (counting.counts == nullptr)
		return CPU_SORT_TOO_WIDE;

	done = run_shares(work, threads, counting.shares, count_share<F>, &counting) &&
		run_shares(work, threads, counting.shares, sum_share<F>, &counting);
	if (counting.payload == nullptr)
		done = done && run_shares(work, threads, counting.shares, write_share<F>, &counting);
	else
		done = done && run_shares(work, threads, counting.shares, shift_share<F>, &counting) &&
			run_shares(work, threads, counting.shares, scatter_share<F>, &counting);
	free(counting.counts);
	return done ? CPU_SORT_DONE : CPU_SORT_STOPPED;
}

size_t
counting_sort_scratch(uint64_t n, GpusortPayload payload)
{
	return payload == GPUSORT_PAYLOAD_CARRIED ? n * sizeof(uint32_t) : 0;
}

uint64_t
counting_sort_most_counts(const Work &work, uint32_t n)
{
	uint64_t	limit = work.control->memory_limit / sizeof(uint32_t);
	uint64_t	cached = UINT64_C(1) << 17;
	uint64_t	worth = work.spec->payload == GPUSORT_PAYLOAD_NONE ? n / 2 : n - n / 4;

	limit = limit < cached ? limit : cached;
	return limit < worth ? limit : worth;
}

template <GpusortKeyForm F>
bool
counting_sort_pays(const Work &work, const typename Form<F>::Bits *keys, uint32_t n)
{
	Counting<F> counting;
	typename Form<F>::Code least;
	typename Form<F>::Code greatest;

	if (n < KEYS_WORTH_COUNTING)
		return false;
	counting.spec = work.spec;
	guess_range<F>(keys, n, &least, &greatest);
	set_range(counting, least, greatest);
	return counting.codes <= counting_sort_most_counts(work, n);
}

template <GpusortKeyForm F>
CpuSortStatus
counting_sort(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n, uint64_t most_counts)
{
	int			threads = n >= KEYS_WORTH_THREADS ? std::min<int>(work.control->threads, MOST_SHARES) : 1;
	Counting<F> counting;

	counting.spec = work.spec;
	counting.keys = keys;
	counting.payload = payload;
	counting.source = nullptr;
	counting.n = n;
	if (work.spec->payload == GPUSORT_PAYLOAD_CARRIED)
	{
		counting.source = (uint32_t *) work.scratch;
		if (!copy_in_blocks(work, (uint32_t *) work.scratch, payload, n))
			return CPU_SORT_STOPPED;
	}

	if (!find_range<F>(work, counting, threads))
		return CPU_SORT_STOPPED;
	if (counting.codes <= most_counts)
	{
		CpuSortStatus status = count_and_write(work, counting, most_counts, threads);

		if (status != CPU_SORT_TOO_WIDE)
			return status;
	}
	work.control->memory_needed = counting.codes <= SIZE_MAX / sizeof(uint32_t) ? counting.codes * sizeof(uint32_t) : SIZE_MAX;
	return CPU_SORT_TOO_WIDE;
}

#define INSTANTIATE(form) \
	template bool counting_sort_pays<form>(const Work &, const Form<form>::Bits *, uint32_t); \
	template CpuSortStatus counting_sort<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t, uint64_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
