/*
 * cpu_sort.cc
 *	  Entry of the CPU engine: chooses a sort for each segment and runs it.
 */
#include "cpu_engine/cpu_sort.h"

#include "cpu_engine/code_sort.h"
#include "cpu_engine/counting_sort.h"
#include "cpu_engine/forms.h"
#include "cpu_engine/interval_sort.h"
#include "cpu_engine/partition_sort.h"
#include "cpu_engine/payload_sort.h"
#include "cpu_engine/simd.h"
#include "cpu_engine/top_n.h"
#include "cpu_engine/work.h"

namespace gpusort
{
/* Sorting fewer keys takes about as long as finding out whether they are in order. */
constexpr uint32_t KEYS_WORTH_A_LOOK = 256;

/* Turns keys that are not their own codes into their codes, in place. */
template <GpusortKeyForm F>
static void
encode_keys(typename Form<F>::Code *keys, size_t n)
{
	if constexpr (Form<F>::floating)
		simd::kernels<typename Form<F>::Bits>().encode((typename Form<F>::Bits *) keys, n);
	else
		for (size_t i = 0; i < n; i++)
			keys[i] ^= Form<F>::sign;
}

template <GpusortKeyForm F>
static void
decode_keys(typename Form<F>::Code *codes, size_t n)
{
	if constexpr (Form<F>::floating)
		simd::kernels<typename Form<F>::Bits>().decode((typename Form<F>::Bits *) codes, n);
	else
		encode_keys<F>(codes, n);
}

/* Sorts keys without a payload, by sorting their codes in place. */
template <GpusortKeyForm F>
static bool
sort_keys(Work &work, typename Form<F>::Bits *keys, uint32_t n)
{
	using Code = typename Form<F>::Code;
	bool		descending = work.spec->descending;
	Code	   *codes = (Code *) keys;

	if constexpr (!Form<F>::narrow)
	{
		if (simd::kernels<typename Form<F>::Bits>().sort_small(F, keys, n, descending))
			return !work.stop_after(n);
	}
	if constexpr (!Form<F>::is_own_code)
	{
		static constexpr Coding<Code> coding = {encode_keys<F>, decode_keys<F>};

		if (n > GPUSORT_INTERRUPT_KEYS)
			return partition_sort(work, codes, n, work.scratch, descending, &coding);
		encode_keys<F>(codes, n);
		if (!sort_codes(work, codes, n, work.scratch, descending))
			return false;
		decode_keys<F>(codes, n);
		return true;
	}
	return sort_codes(work, codes, n, work.scratch, descending);
}

/* Sorts by partition and vqsort, or finds the first spec->limit entries.  Returns false if told to stop. */
template <GpusortKeyForm F>
static bool
sort_by_comparison(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	work.control->method = GPUSORT_METHOD_NETWORK;
	if (top_n_pays(n, work.spec->limit))
	{
		TopN		outcome = top_n<F>(work, keys, payload, n);

		if (outcome != TopN::NOT_WORTH_IT)
			return outcome == TopN::DONE;
	}
	if (payload == nullptr)
		return sort_keys<F>(work, keys, n);
	return sort_with_payload<F>(work, keys, payload, n);
}

/* Sorts by counting, with as many counts as memory_limit allows. */
template <GpusortKeyForm F>
static CpuSortStatus
sort_by_counting(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	work.control->method = GPUSORT_METHOD_COUNTING;
	return counting_sort<F>(work, keys, payload, n, work.control->memory_limit / sizeof(uint32_t));
}

/* Finds out whether the keys are in order.  Returns false if told to stop. */
template <GpusortKeyForm F>
static bool
check_order(Work &work, const typename Form<F>::Bits *keys, uint32_t n, bool descending, bool *in_order)
{
	*in_order = true;
	return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		/* Includes the last key of the block before. */
		uint32_t	first = start == 0 ? 0 : start - 1;

		*in_order = *in_order &&
			simd::kernels<typename Form<F>::Bits>().in_order(F, keys + first, start + count - first, descending);
	});
}

/* Reverses n keys.  Returns false if told to stop. */
template <typename Bits>
static bool
reverse_keys(Work &work, Bits *keys, uint32_t n)
{
	return in_blocks(work, n / 2, [=](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
		{
			Bits		key = keys[i];

			keys[i] = keys[n - 1 - i];
			keys[n - 1 - i] = key;
		}
	});
}

/*
 * Leaves keys that are in order as they are, and reverses keys without a payload that are
 * in reverse order.  Sets *done if nothing is left to sort.  Returns false if told to stop.
 */
template <GpusortKeyForm F>
static bool
take_in_order(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n, bool *done)
{
	bool		descending = work.spec->descending;

	if (!check_order<F>(work, keys, n, descending, done))
		return false;
	if (payload == nullptr && !*done)
		return check_order<F>(work, keys, n, !descending, done) && (!*done || reverse_keys(work, keys, n));
	if (*done && work.spec->payload == GPUSORT_PAYLOAD_INDEX)
		return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
			for (uint32_t i = start; i < start + count; i++)
				payload[i] = i;
		});
	return true;
}

/* Sorts by the method that is fastest for these keys. */
template <GpusortKeyForm F>
static CpuSortStatus
sort_by_any(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	bool		done = false;

	work.control->method = GPUSORT_METHOD_NETWORK;
	if (n >= KEYS_WORTH_A_LOOK && !take_in_order<F>(work, keys, payload, n, &done))
		return CPU_SORT_STOPPED;
	if (done)
		return CPU_SORT_DONE;
	if (!top_n_pays(n, work.spec->limit) && counting_sort_pays<F>(work, keys, n))
	{
		CpuSortStatus status = counting_sort<F>(work, keys, payload, n, counting_sort_most_counts(work, n));

		work.control->method = GPUSORT_METHOD_COUNTING;
		if (status != CPU_SORT_TOO_WIDE)
			return status;
	}
	return sort_by_comparison<F>(work, keys, payload, n) ? CPU_SORT_DONE : CPU_SORT_STOPPED;
}

template <GpusortKeyForm F>
static CpuSortStatus
sort_segment(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	const GpusortSpec *spec = work.spec;

	if (n <= 1)
	{
		if (n == 1 && spec->payload == GPUSORT_PAYLOAD_INDEX)
			payload[0] = 0;
		return CPU_SORT_DONE;
	}
	if (spec->buckets != 0)
	{
		work.control->method = GPUSORT_METHOD_APPROXIMATE;
		return sort_by_interval<F>(work, keys, payload, n) ? CPU_SORT_DONE : CPU_SORT_STOPPED;
	}
	switch (spec->method)
	{
		case GPUSORT_METHOD_AUTO:
			return sort_by_any<F>(work, keys, payload, n);
		case GPUSORT_METHOD_COUNTING:
			return sort_by_counting<F>(work, keys, payload, n);
		default:
			return sort_by_comparison<F>(work, keys, payload, n) ? CPU_SORT_DONE : CPU_SORT_STOPPED;
	}
}

template <GpusortKeyForm F>
static CpuSortStatus
sort_segments(Work &work, void *keys, uint32_t *payload, const GpusortSegment *segments, uint32_t nsegments)
{
	for (uint32_t i = 0; i < nsegments; i++)
	{
		uint32_t	start = segments[i].start;
		uint32_t   *segment_payload = work.spec->payload == GPUSORT_PAYLOAD_NONE ? nullptr : payload + start;
		CpuSortStatus status = sort_segment<F>(work, (typename Form<F>::Bits *) keys + start,
											   segment_payload, segments[i].count);

		if (status != CPU_SORT_DONE)
			return status;
	}
	return CPU_SORT_DONE;
}
}

using namespace gpusort;

extern "C" size_t
gpusort_cpu_sort_scratch(const GpusortSpec *spec, uint64_t longest, int threads)
{
	size_t		width = gpusort_key_width(spec->form);
	size_t		bytes;

	threads = threads < 1 ? 1 : threads;
	if (spec->buckets != 0)
		bytes = sort_by_interval_scratch(longest, width, spec->payload, spec->buckets, threads);
	else if (spec->method == GPUSORT_METHOD_COUNTING)
		bytes = counting_sort_scratch(longest, spec->payload);
	else if (spec->payload == GPUSORT_PAYLOAD_NONE)
		bytes = sort_codes_scratch(longest, width, threads);
	else
		bytes = sort_with_payload_scratch(longest, width, spec->payload, threads);
	/* Shorter segments may be worth a full sort where the longest is not. */
	if (spec->buckets == 0 && top_n_pays(longest, spec->limit))
	{
		size_t		least = top_n_scratch(spec->limit, width, threads);

		bytes = bytes > least ? bytes : least;
	}
	/* Scratch is made to begin on a cache line. */
	return bytes == 0 ? 0 : bytes + 64;
}

extern "C" const char *
gpusort_cpu_sort_refuses(const GpusortSpec *spec)
{
	switch (spec->method)
	{
		case GPUSORT_METHOD_AUTO:
			return nullptr;
		case GPUSORT_METHOD_APPROXIMATE:
			return gpusort_device_refuses(spec);
		case GPUSORT_METHOD_NETWORK:
		case GPUSORT_METHOD_COUNTING:
			return spec->buckets == 0 ? nullptr : "It gives the exact order where an approximate one is asked for.";
		default:
			return "It runs on a GPU only.";
	}
}

extern "C" CpuSortStatus
gpusort_cpu_sort(const GpusortSpec *spec, void *keys, uint32_t *payload,
				 const GpusortSegment *segments, uint32_t nsegments,
				 void *scratch, CpuSortControl *control)
{
	Work		work;

	control->threads = control->threads < 1 ? 1 : control->threads;
	work.spec = spec;
	work.control = control;
	work.scratch = (char *) lines((size_t) scratch);
	return with_form(spec->form, [&](auto known) { return sort_segments<known.form>(work, keys, payload, segments, nsegments); });
}
