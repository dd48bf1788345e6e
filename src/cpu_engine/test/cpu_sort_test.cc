/*
 * cpu_sort_test.cc
 *	  Tests of the CPU engine without a server, on batches of cuda/tests/cases.h.
 *
 *	  cpu_sort_test [--seed N] [--threads]
 *
 * Every form, payload, direction, method and vector unit, and selection.  --threads runs only
 * sorts by several threads, for a sanitizer that makes everything slow.  Prints the seed;
 * exits with 1 at the first failure.
 */
#include "tests/cases.h"

#include <ctime>

#include "cpu_engine/cpu_select.h"
#include "cpu_engine/cpu_sort.h"
#include "cpu_engine/simd.h"
#include "cpu_engine/vector_unit.h"

using namespace test;

static const GpusortMethod exact_methods[] = {
	GPUSORT_METHOD_AUTO, GPUSORT_METHOD_NETWORK, GPUSORT_METHOD_COUNTING
};

static void
expect(bool ok, const char *what, const Case &input)
{
	if (ok)
		return;
	printf("FAILED: %s\n  %s\n", what, input.name().c_str());
	exit(1);
}

static GpusortSpec
make_spec(GpusortKeyForm form, int payload, GpusortMethod method, bool descending)
{
	return {form, (GpusortPayload) payload, method, descending, 0, 0};
}

static Distribution
any_distribution()
{
	return (Distribution) below(DISTRIBUTIONS);
}

/* A batch of one segment of one distribution. */
static Case
one_segment(const GpusortSpec &spec, uint32_t n, Distribution distribution)
{
	Case		made = lay_out(spec, {n}, true);

	fill(made, made.segments[0], distribution);
	return made;
}

/* A case without keys, to be named where only sizes are asked for. */
static Case
sizes_of(const GpusortSpec &spec, uint64_t n)
{
	Case		made;

	made.spec = spec;
	made.longest = (uint32_t) n;
	return made;
}

/* A copy of a batch, and its sort. */
struct Sorted
{
	const Case &input;
	std::vector<uint8_t> keys;
	std::vector<uint32_t> payload;
	CpuSortControl control = {};

	explicit Sorted(const Case &input, int threads = 1)
		: input(input), keys(input.keys), payload(input.payload)
	{
		control.threads = threads;
		control.memory_limit = 1 << 20;
	}

	/* Sorts with a canary behind the scratch that is asked for. */
	CpuSortStatus
	run()
	{
		static std::vector<char> scratch;
		const std::vector<char> canary(64, 0x5a);
		const size_t size = gpusort_cpu_sort_scratch(&input.spec, input.longest, control.threads);

		scratch.resize(std::max(scratch.size(), size + canary.size()));
		std::copy(canary.begin(), canary.end(), scratch.begin() + size);

		CpuSortStatus status = gpusort_cpu_sort(&input.spec, keys.data(), payload.data(), input.segments.data(),
												input.segments.size(), scratch.data(), &control);

		expect(std::equal(canary.begin(), canary.end(), scratch.begin() + size), "scratch is overrun", input);
		return status;
	}
};

/* Sorts a batch and checks the result. */
static void
test_case(const Case &input, int threads = 1)
{
	Sorted		sorted(input, threads);
	const CpuSortStatus status = sorted.run();

	if (status == CPU_SORT_TOO_WIDE)
	{
		expect(input.spec.method == GPUSORT_METHOD_COUNTING && sorted.control.memory_needed > sorted.control.memory_limit,
			   "it is called too wide", input);
		return;
	}
	expect(status == CPU_SORT_DONE, "it has stopped", input);
	if (input.spec.payload == GPUSORT_PAYLOAD_NONE)
		sorted.payload.clear();
	else
		expect(sorted.keys == input.keys, "keys beside a payload have changed", input);
	expect_sorted(input, sorted.keys, sorted.payload, "the CPU engine");
}

/* Small segments and middling ones, by every method. */
static void
test_form(GpusortKeyForm form, uint32_t most_skipped)
{
	for (int payload = 0; payload < 3; payload++)
		for (bool descending : {false, true})
		{
			GpusortSpec spec = make_spec(form, payload, GPUSORT_METHOD_AUTO, descending);
			auto		few = [] { return (uint32_t) below(40); };

			for (GpusortMethod method : exact_methods)
			{
				spec.method = method;
				for (uint32_t n = 0; n <= 300; n += 1 + below(most_skipped))
				{
					spec.limit = n % 3 == 0 ? below(n + 2) : 0;
					test_case(make_case(spec, {n, few(), 1, 0, few()}, false));
				}
				for (int power = 9; power <= 17; power += 2)
					for (int off = -1; off <= 1; off++)
					{
						if (power > 13 && below(4) != 0)
							continue;
						spec.limit = below(2) * below(1000);
						test_case(make_case(spec, {(1u << power) + off}, false));
					}
			}

			spec.method = GPUSORT_METHOD_APPROXIMATE;
			spec.limit = 0;
			for (uint32_t n = 0; n <= 300; n += 3)
			{
				spec.buckets = 1 + below(n % 2 ? 30 : 3000);
				test_case(make_case(spec, {n, few()}, false));
			}
			spec.buckets = 10000;
			test_case(make_case(spec, {20000}, false));
			/* Of these one has more keys than counts of all intervals take, the other fewer. */
			spec.buckets = 3000;
			test_case(make_case(spec, {4000, 3900, 1000}, false));
			spec.buckets = 0;
			spec.method = GPUSORT_METHOD_NETWORK;
			test_case(make_case(spec, {66000, 60000}, false));
		}
}

static bool
never_stop(void *)
{
	return false;
}

/* Finds keys at ranks, which may be neighbors. */
static void
test_select(GpusortKeyForm form, int sets)
{
	const uint32_t width = gpusort_key_width(form);
	int			selected = 0;

	for (int set = 0; set < sets; set++)
	{
		const uint32_t n = 1 + below(set % 50 == 0 ? 70000 : set % 3 == 0 ? 3000 : 300);
		const GpusortSpec spec = make_spec(form, GPUSORT_PAYLOAD_NONE, GPUSORT_METHOD_AUTO, false);
		const Case	input = one_segment(spec, n, any_distribution());
		std::vector<uint8_t> keys = input.keys;
		std::vector<uint8_t> scratch((n + 1) * width, POISON);
		std::vector<uint64_t> codes = numbers_of(input, input.segments[0], input.keys.data());
		std::vector<uint32_t> ranks = {(uint32_t) below(n)};

		while (ranks.size() < 1 + below(8))
			ranks.push_back(below(3) == 0 ? (uint32_t) below(n) : std::min(n - 1, ranks.back() + (uint32_t) below(2)));
		std::sort(ranks.begin(), ranks.end());
		std::sort(codes.begin(), codes.end());

		std::vector<uint8_t> found(ranks.size() * width);
		const bool	done = gpusort_cpu_select(form, keys.data(), n, ranks.data(), ranks.size(), found.data(),
											  scratch.data(), never_stop);

		selected += done;
		expect(keys == input.keys, "selection changes keys", input);
		expect(std::count(scratch.end() - width, scratch.end(), POISON) == width, "selection overruns its scratch", input);
		for (size_t i = 0; done && i < ranks.size(); i++)
			expect(code_of(form, key_at(form, found.data(), i), false) == codes[ranks[i]], "selection", input);
	}
	expect(width == 2 ? selected == 0 : selected > sets / 2, "how often selection works", sizes_of({}, selected));
}

/* Selection stops when it is told to.  Otherwise it seldom gives up: a sample misleads it now and then. */
static void
test_select_stops()
{
	int			selected = 0;

	for (int set = 0; set < 10; set++)
	{
		const uint32_t n = 200000;
		const uint32_t rank = n / 2;
		const Case	input = one_segment(make_spec(GPUSORT_KEY_INT32, 0, GPUSORT_METHOD_AUTO, false), n, NORMAL);
		std::vector<int32_t> scratch(n);
		int32_t		found;
		auto		select = [&](bool (*should_stop) (void *)) {
			return gpusort_cpu_select(GPUSORT_KEY_INT32, input.keys.data(), n, &rank, 1, &found, scratch.data(), should_stop);
		};

		selected += select(never_stop);
		expect(!select([](void *) { return true; }), "selection that is told to stop", input);
	}
	expect(selected >= 5, "how often many keys are selected from", sizes_of({}, selected));
}

/* Large arrays, that are taken apart or divided among threads. */
static void
test_large(GpusortKeyForm form)
{
	for (GpusortMethod method : exact_methods)
	{
		GpusortSpec spec = make_spec(form, below(3), method, below(2));

		test_case(one_segment(spec, 1050000 + below(100000), any_distribution()));
		test_case(one_segment(spec, 1200000 + below(100000), any_distribution()), 2 + below(3));
		spec.limit = 1 + below(50000);
		test_case(one_segment(spec, 500000, any_distribution()));
	}
}

/* Only sorts by several threads. */
static void
test_threads(GpusortKeyForm form)
{
	for (int payload = 0; payload < 3; payload++)
		for (GpusortMethod method : {GPUSORT_METHOD_AUTO, GPUSORT_METHOD_COUNTING})
			test_case(one_segment(make_spec(form, payload, method, below(2)), 1200000 + below(100000), any_distribution()),
					  2 + below(7));
}

/* Most keys close to each other, so that the pieces of a large array are very unequal. */
static void
test_skewed(GpusortKeyForm form)
{
	const Distribution skewed[] = {OUTLIERS, EQUAL, LOW_BITS};

	for (int payload = 0; payload < 3; payload++)
		test_case(one_segment(make_spec(form, payload, GPUSORT_METHOD_NETWORK, below(2)), 2200000 + below(100000),
							  skewed[below(3)]),
				  1 + below(2));
}

/* Scratch takes at most twice what is sorted, and some tables. */
static void
test_scratch(const GpusortSpec &spec, uint64_t n)
{
	const uint32_t payload_width = spec.payload == GPUSORT_PAYLOAD_CARRIED ? sizeof(uint32_t) : 0;
	const uint64_t sorted = n * (gpusort_key_width(spec.form) + payload_width);

	for (int threads : {1, 64})
	{
		const uint64_t most = 2 * sorted + GPUSORT_CPU_SORT_TABLES + GPUSORT_CPU_SORT_TABLES / 32 * threads;

		if (gpusort_cpu_sort_scratch(&spec, n, threads) > most)
			expect(false, "scratch", sizes_of(spec, n));
	}
}

static void
test_scratches(GpusortKeyForm form)
{
	std::vector<uint64_t> sizes;

	for (uint64_t n = 1; n < UINT32_MAX; n += 1 + n / 3)
		sizes.push_back(n);
	for (uint64_t n : {1u << 16, 1u << 17, 1u << 20, UINT32_MAX})
		sizes.insert(sizes.end(), {n - 1, n, n + 1});
	for (uint64_t n : sizes)
		for (int payload = 0; payload < 3; payload++)
		{
			for (GpusortMethod method : exact_methods)
				for (uint64_t limit : {UINT64_C(0), UINT64_C(1), UINT64_C(1000), n / 8, n / 2})
				{
					GpusortSpec spec = make_spec(form, payload, method, false);

					spec.limit = limit;
					test_scratch(spec, n);
				}
			for (uint32_t buckets : {1u, 1000u, 100000u, 10000000u, INT32_MAX + 0u, (uint32_t) n})
			{
				GpusortSpec spec = make_spec(form, payload, GPUSORT_METHOD_APPROXIMATE, false);

				spec.buckets = std::max(buckets, 1u);
				test_scratch(spec, n);
			}
		}
}

/* One call takes scratch for its longest segment, which must suffice for shorter ones. */
static void
test_scratch_grows(GpusortSpec spec)
{
	for (int payload = 0; payload < 3; payload++)
		for (int threads : {1, 8})
		{
			size_t		least = 0;

			spec.payload = (GpusortPayload) payload;
			for (uint64_t n = 1; n < 10000000; n += 1 + n / 50)
			{
				const size_t size = gpusort_cpu_sort_scratch(&spec, n, threads);

				if (size < least)
					expect(false, "scratch of shorter segments", sizes_of(spec, n));
				least = size;
			}
		}
}

static void
test_scratches_grow(GpusortKeyForm form)
{
	GpusortSpec spec = make_spec(form, GPUSORT_PAYLOAD_NONE, GPUSORT_METHOD_AUTO, false);

	for (GpusortMethod method : exact_methods)
	{
		spec.method = method;
		test_scratch_grows(spec);
	}
	spec.method = GPUSORT_METHOD_APPROXIMATE;
	for (uint32_t buckets : {1u, 1000u, 3000u, 10000u, 65536u, 100000u, 1200000u})
	{
		spec.buckets = buckets;
		test_scratch_grows(spec);
	}
}

static double
cpu_seconds()
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

/* No sort works on for 100 ms of its own time without asking whether to stop. */
static void
test_questions(const Case &input)
{
	struct Gap
	{
		double		last;
		double		longest;
	};
	/* An emulated processor takes this many times as long. */
	const char *environment = getenv("GPUSORT_TEST_SLOWDOWN");
	const double slowdown = environment != nullptr ? atof(environment) : 1;
	bool		ok = false;

	/* Up to three rounds, because other programs may slow one down. */
	for (int round = 0; round < 3 && !ok; round++)
	{
		Sorted		sorted(input);
		Gap			gap = {cpu_seconds(), 0};

		sorted.control.arg = &gap;
		sorted.control.should_stop = [](void *arg) {
			Gap		   *gap = (Gap *) arg;

			gap->longest = std::max(gap->longest, cpu_seconds() - gap->last);
			gap->last = cpu_seconds();
			return false;
		};
		sorted.run();
		sorted.control.should_stop(&gap);
		ok = gap.longest < 0.1 * slowdown;
	}
	expect(ok, "questions whether to stop", input);
}

static void
test_all_questions()
{
	Case		input = one_segment(make_spec(GPUSORT_KEY_FLOAT64, 0, GPUSORT_METHOD_NETWORK, false), 12000000, ANY_BITS);

	for (int payload = 0; payload < 3; payload++)
	{
		input.spec = make_spec(GPUSORT_KEY_FLOAT64, payload, GPUSORT_METHOD_NETWORK, false);
		test_questions(input);
		input.spec.method = GPUSORT_METHOD_COUNTING;
		test_questions(input);
		input.spec.method = GPUSORT_METHOD_APPROXIMATE;
		for (uint32_t buckets : {1000000u, 1000000000u})
		{
			input.spec.buckets = buckets;
			test_questions(input);
		}
	}
}

/* A sort asks whether to stop, and stops. */
static void
test_stop(GpusortKeyForm form)
{
	for (int payload = 0; payload < 3; payload++)
	{
		const Case	input = one_segment(make_spec(form, payload, GPUSORT_METHOD_AUTO, false), 3000000, ANY_BITS);
		Sorted		sorted(input);
		int			questions = 0;

		sorted.control.arg = &questions;
		sorted.control.should_stop = [](void *arg) { return ++*(int *) arg == 3; };
		expect(sorted.run() == CPU_SORT_STOPPED && questions == 3, "it does not stop", input);
	}
}

/* Runs a test of each form. */
template <typename... Arguments>
static void
each_form(void (*test) (GpusortKeyForm, Arguments...), Arguments... arguments)
{
	for (int form = 0; form < GPUSORT_KEY_FORMS; form++)
		test((GpusortKeyForm) form, arguments...);
}

/* Leaves out some vector units: those of a mask of Highway's targets. */
static void
leave_out(int64_t targets)
{
	gpusort::leave_out_vector_units(targets);
	gpusort::simd::pick_kernels();
}

int
main(int argc, char **argv)
{
	bool		threads = false;

	begin_test(argc, argv, {{"--threads", &threads, nullptr}});
	if (threads)
	{
		for (GpusortKeyForm form : {GPUSORT_KEY_INT16, GPUSORT_KEY_INT32, GPUSORT_KEY_FLOAT64})
			test_threads(form);
		printf("all sorts right\n");
		return 0;
	}
	each_form(test_form, 2u);
	each_form(test_select, 3000);
#if HWY_ARCH_X86
	/* The same again with the vector units of older CPUs. */
	const int64_t units = gpusort::vector_units();
	const auto	kernel = gpusort::simd::kernels<int32_t>().in_order;

	for (int64_t best : {HWY_AVX2, HWY_SSE4})
	{
		leave_out(best - 1);
		expect((gpusort::simd::kernels<int32_t>().in_order != kernel) == ((units & (best - 1)) != 0),
			   "kernels of another vector unit", {});
		each_form(test_form, 6u);
		each_form(test_select, 1000);
		for (GpusortKeyForm form : {GPUSORT_KEY_INT16, GPUSORT_KEY_FLOAT32, GPUSORT_KEY_INT64})
			test_large(form);
	}
	leave_out(0);
#endif
	test_select_stops();
	each_form(test_large);
	for (GpusortKeyForm form : {GPUSORT_KEY_INT32, GPUSORT_KEY_INT64, GPUSORT_KEY_FLOAT64})
		test_skewed(form);
	each_form(test_scratches);
	each_form(test_scratches_grow);
	test_all_questions();
	test_stop(GPUSORT_KEY_INT32);
	test_stop(GPUSORT_KEY_FLOAT64);
	printf("all sorts right\n");
	return 0;
}
