/*
 * cpu_sort_test.cc
 *	  Tests of the CPU engine without a server.
 *
 *	  cpu_sort_test [seed]				every form, payload, direction, method and
 *										vector unit, and selection, against
 *										std::stable_sort
 *	  cpu_sort_test threads [seed]		only sorts by several threads
 *
 * The order tested against is written out here in terms of values, not of codes,
 * so that it shares nothing with the engine.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cpu_engine/cpu_select.h"
#include "cpu_engine/cpu_sort.h"
#include "cpu_engine/simd.h"
#include "cpu_engine/vector_unit.h"
#include "keys/projection.h"

static std::mt19937_64 rng;
static uint64_t passed = 0;
static uint64_t failed = 0;

static const char *
form_name(GpusortKeyForm form)
{
	static const char *const names[] = {"int2", "int4", "uint4", "int8", "uint8", "float4", "float8"};

	return names[form];
}

static const char *
method_name(GpusortMethod method)
{
	static const char *const names[] = {
#define NAME(symbol, name) name,
		GPUSORT_METHODS(NAME)
#undef NAME
	};

	return names[method];
}

static const GpusortMethod exact_methods[] = {
	GPUSORT_METHOD_AUTO, GPUSORT_METHOD_NETWORK, GPUSORT_METHOD_COUNTING
};

static const char *const payload_names[] = {"keys", "carried", "index"};

/* Values as PostgreSQL orders them: NaN above all, -0 equal to 0. */
template <typename T>
static bool
before(T a, T b)
{
	if constexpr (std::is_floating_point_v<T>)
	{
		if (std::isnan(a) || std::isnan(b))
			return !std::isnan(a) && std::isnan(b);
	}
	return a < b;
}

enum Distribution
{
	RANDOM, NARROW, SORTED, REVERSED, EQUAL, FEW, SPECIAL, OUTLIER, LOW_BITS, GAUSSIAN, DISTRIBUTIONS
};

static const char *const distribution_names[] = {
	"random", "narrow", "sorted", "reversed", "equal", "few", "special", "outlier", "low bits", "gaussian"
};

template <typename T>
static T
random_bits()
{
	uint64_t	bits = rng();
	T			value;

	memcpy(&value, &bits, sizeof(T));
	return value;
}

template <typename T>
static T
special_value()
{
	if constexpr (std::is_floating_point_v<T>)
	{
		using Limits = std::numeric_limits<T>;
		const T		values[] = {
			0, -T(0), 1, -1, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN(),
			Limits::denorm_min(), -Limits::denorm_min(), Limits::max(), Limits::lowest(), Limits::min()
		};

		return values[rng() % (sizeof(values) / sizeof(T))];
	}
	else
	{
		using Limits = std::numeric_limits<T>;
		const T		values[] = {0, 1, T(-1), Limits::max(), Limits::min(), T(Limits::max() - 1), T(Limits::min() + 1)};

		return values[rng() % (sizeof(values) / sizeof(T))];
	}
}

template <typename T>
static std::vector<T>
make_keys(Distribution distribution, size_t n)
{
	std::vector<T> keys(n);
	T			base = std::is_floating_point_v<T> ? T(1000) : random_bits<T>();
	std::normal_distribution<double> gaussian(1000, 100);

	for (size_t i = 0; i < n; i++)
	{
		switch (distribution)
		{
			case NARROW:
				keys[i] = std::is_floating_point_v<T> ? T(rng() % 10000) : T(base / 2 + T(rng() % 10000));
				break;
			case EQUAL:
				keys[i] = base;
				break;
			case FEW:
				keys[i] = T(rng() % 5);
				break;
			case SPECIAL:
				keys[i] = special_value<T>();
				break;
			case OUTLIER:
				keys[i] = rng() % 50 == 0 ? special_value<T>() : T(rng() % 100);
				break;
			case LOW_BITS:
				/* Wide keys that differ in their low bits, far from each other and near. */
				if constexpr (std::is_floating_point_v<T>)
					keys[i] = T(1) + T(rng() % 64) * std::numeric_limits<T>::epsilon() + (rng() % 2 ? T(1e30) : T(0));
				else
					keys[i] = T(T(rng() % 3) << (8 * sizeof(T) - 3)) + T(rng() % 64);
				break;
			case GAUSSIAN:
				keys[i] = T(gaussian(rng));
				break;
			default:
				keys[i] = random_bits<T>();
		}
	}
	if (distribution == SORTED || distribution == REVERSED)
		std::sort(keys.begin(), keys.end(), before<T>);
	if (distribution == REVERSED)
		std::reverse(keys.begin(), keys.end());
	return keys;
}

/* The order of keys alone: that of before(), but -0 comes before 0. */
template <typename T>
static bool
before_alone(T a, T b)
{
	if constexpr (std::is_floating_point_v<T>)
	{
		if (a == 0 && b == 0)
			return std::signbit(a) && !std::signbit(b);
	}
	return before(a, b);
}

/* What a sort of keys alone must keep of a key: its bits, but all NaNs are one. */
template <typename T>
static uint64_t
identity(T key)
{
	uint64_t	bits = 0;

	if constexpr (std::is_floating_point_v<T>)
	{
		if (std::isnan(key))
			return UINT64_MAX;
	}
	memcpy(&bits, &key, sizeof(T));
	return bits;
}

static void
check(bool ok, const GpusortSpec &spec, const char *what, Distribution distribution, size_t n)
{
	if (ok)
		passed++;
	else if (failed++ < 20)
		printf("FAILED: %s, %s by method %s, %s%s, limit %lu, buckets %u, n %zu, %s\n", what, form_name(spec.form),
			   method_name(spec.method), payload_names[spec.payload], spec.descending ? " descending" : "",
			   (unsigned long) spec.limit, spec.buckets, n, distribution_names[distribution]);
}

static std::vector<char> scratch_memory;

static CpuSortStatus
run(const GpusortSpec &spec, void *keys, uint32_t *payload, const std::vector<GpusortSegment> &segments,
	CpuSortControl *control)
{
	uint32_t	longest = 0;

	for (const GpusortSegment &segment : segments)
		longest = std::max(longest, segment.count);

	size_t		size = gpusort_cpu_sort_scratch(&spec, longest, control->threads);

	/* A canary behind the scratch that was asked for. */
	if (scratch_memory.size() < size + 64)
		scratch_memory.resize(size + 64);
	memset(scratch_memory.data() + size, 0x5a, 64);

	CpuSortStatus status = gpusort_cpu_sort(&spec, keys, payload, segments.data(), segments.size(),
											scratch_memory.data(), control);

	for (size_t i = size; i < size + 64; i++)
	{
		if (scratch_memory[i] != 0x5a)
		{
			check(false, spec, "scratch overrun", RANDOM, longest);
			break;
		}
	}
	return status;
}

/* True if one segment has what approximate order promises.  `order` has the positions in their new order. */
template <typename T>
static bool
approximate_order_holds(const GpusortSpec &spec, const std::vector<T> &keys, const std::vector<uint32_t> &order)
{
	size_t		n = keys.size();
	std::vector<uint32_t> sorted(n);
	std::vector<bool> seen(n);
	std::vector<size_t> count(spec.buckets);
	GpusortProjection projection;
	double		least = HUGE_VAL;
	double		greatest = -HUGE_VAL;
	uint64_t	least_code = UINT64_MAX;
	uint64_t	greatest_code = 0;
	size_t		largest = 0;
	int64_t		previous = -1;
	uint32_t	previous_position = 0;

	for (T key : keys)
	{
		uint64_t	bits = 0;

		memcpy(&bits, &key, sizeof(T));
		if (std::isfinite((double) key))
		{
			least = std::min(least, (double) key);
			greatest = std::max(greatest, (double) key);
		}
		if (!std::is_floating_point_v<T>)
		{
			least_code = std::min(least_code, gpusort_integer_code(spec.form, bits));
			greatest_code = std::max(greatest_code, gpusort_integer_code(spec.form, bits));
		}
	}
	if (least > greatest)
		least = greatest = 0;
	if (std::is_floating_point_v<T>)
		gpusort_project_floats(&projection, spec.buckets, spec.descending, least, greatest);
	else
		gpusort_project_integers(&projection, spec.buckets, spec.descending, least_code, greatest_code);

	/* Each position occurs once.  Intervals ascend, and keep the input's order within. */
	for (uint32_t position : order)
	{
		uint64_t	bits = 0;
		uint32_t	interval;

		if (position >= n || seen[position])
			return false;
		seen[position] = true;
		memcpy(&bits, &keys[position], sizeof(T));
		interval = std::is_floating_point_v<T> ? gpusort_interval_of_float(&projection, keys[position])
			: gpusort_interval_of_code(&projection, gpusort_integer_code(spec.form, bits));
		if (interval >= spec.buckets || interval < previous ||
			(interval == previous && position < previous_position))
			return false;
		if (!std::is_floating_point_v<T> && !projection.descending && projection.range != UINT64_MAX &&
			interval != (uint32_t) ((unsigned __int128) (gpusort_integer_code(spec.form, bits) - least_code) *
									spec.buckets / ((unsigned __int128) projection.range + 1)))
			return false;
		if (std::isnan((double) keys[position]) && interval != (spec.descending ? 0 : spec.buckets - 1))
			return false;
		previous = interval;
		previous_position = position;
		largest = std::max(largest, ++count[interval]);
	}

	/* No key is further from its sorted place than the size of the largest interval minus one. */
	std::iota(sorted.begin(), sorted.end(), 0);
	std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
		return spec.descending ? before(keys[b], keys[a]) : before(keys[a], keys[b]);
	});
	for (size_t i = 0; i < n; i++)
	{
		T			key = keys[order[i]];
		auto		comes_before = [&](uint32_t a, T b) {
			return spec.descending ? before(b, keys[a]) : before(keys[a], b);
		};
		auto		comes_after = [&](T a, uint32_t b) {
			return spec.descending ? before(keys[b], a) : before(a, keys[b]);
		};
		size_t		first = std::lower_bound(sorted.begin(), sorted.end(), key, comes_before) - sorted.begin();
		size_t		last = std::upper_bound(sorted.begin(), sorted.end(), key, comes_after) - sorted.begin() - 1;
		size_t		off = i < first ? first - i : i > last ? i - last : 0;

		if (off > largest - 1)
			return false;
	}
	return true;
}

/* Sorts segments of the sizes given, with gaps between them, and checks each. */
template <typename T>
static void
test(GpusortSpec spec, const std::vector<uint32_t> &sizes, Distribution distribution, int threads = 1)
{
	std::vector<T> keys;
	std::vector<uint32_t> payload;
	std::vector<GpusortSegment> segments;
	CpuSortControl control = {};

	control.threads = threads;
	control.memory_limit = 1 << 20;
	for (uint32_t n : sizes)
	{
		std::vector<T> segment = make_keys<T>(distribution, n);

		keys.insert(keys.end(), 3, random_bits<T>());
		segments.push_back({(uint32_t) keys.size(), n});
		keys.insert(keys.end(), segment.begin(), segment.end());
	}
	keys.insert(keys.end(), 3, random_bits<T>());
	for (size_t i = 0; i < keys.size(); i++)
		payload.push_back((uint32_t) rng());

	std::vector<T> sorted_keys = keys;
	std::vector<uint32_t> sorted_payload = payload;
	CpuSortStatus status = run(spec, sorted_keys.data(), spec.payload == GPUSORT_PAYLOAD_NONE ? nullptr : sorted_payload.data(),
							   segments, &control);

	if (status == CPU_SORT_TOO_WIDE)
	{
		check(spec.method == GPUSORT_METHOD_COUNTING && control.memory_needed > control.memory_limit, spec,
			  "too wide", distribution, sizes[0]);
		return;
	}
	check(status == CPU_SORT_DONE, spec, "status", distribution, sizes[0]);

	size_t		gap = 0;

	for (const GpusortSegment &segment : segments)
	{
		size_t		n = segment.count;
		size_t		wanted = spec.limit == 0 ? n : std::min<size_t>(n, spec.limit);
		std::vector<T> input(keys.begin() + segment.start, keys.begin() + segment.start + n);
		const T    *output = sorted_keys.data() + segment.start;
		const uint32_t *moved = sorted_payload.data() + segment.start;
		std::vector<uint32_t> order(n);
		bool		ok = true;

		for (; gap < segment.start; gap++)
			ok &= memcmp(&keys[gap], &sorted_keys[gap], sizeof(T)) == 0 && payload[gap] == sorted_payload[gap];
		check(ok, spec, "gap", distribution, n);
		ok = true;
		gap += n;

		if (spec.buckets != 0)
		{
			/* A sort that gives no positions is compared with one that does. */
			if (spec.payload == GPUSORT_PAYLOAD_INDEX)
				check(approximate_order_holds(spec, input, std::vector<uint32_t>(moved, moved + n)), spec,
					  "approximate order", distribution, n);
			else
			{
				GpusortSpec index_spec = spec;
				std::vector<T> copy = input;

				index_spec.payload = GPUSORT_PAYLOAD_INDEX;
				run(index_spec, copy.data(), order.data(), {{0, (uint32_t) n}}, &control);
				for (size_t i = 0; i < wanted; i++)
					ok &= spec.payload == GPUSORT_PAYLOAD_NONE ? memcmp(&output[i], &input[order[i]], sizeof(T)) == 0
						: moved[i] == payload[segment.start + order[i]];
				check(ok, spec, "approximate result", distribution, n);
			}
			continue;
		}

		std::iota(order.begin(), order.end(), 0);
		std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
			T			first = input[spec.descending ? b : a];
			T			second = input[spec.descending ? a : b];

			return spec.payload == GPUSORT_PAYLOAD_NONE ? before_alone(first, second) : before(first, second);
		});
		for (size_t i = 0; i < wanted; i++)
		{
			switch (spec.payload)
			{
				case GPUSORT_PAYLOAD_NONE:
					ok &= identity(output[i]) == identity(input[order[i]]);
					break;
				case GPUSORT_PAYLOAD_CARRIED:
					ok &= moved[i] == payload[segment.start + order[i]];
					break;
				case GPUSORT_PAYLOAD_INDEX:
					ok &= moved[i] == order[i];
					break;
			}
		}
		check(ok, spec, "order", distribution, n);
		if (spec.payload != GPUSORT_PAYLOAD_NONE)
			check(memcmp(output, input.data(), n * sizeof(T)) == 0, spec, "keys left alone", distribution, n);
		if (spec.payload == GPUSORT_PAYLOAD_NONE && wanted == n)
		{
			std::vector<uint64_t> in(n);
			std::vector<uint64_t> out(n);

			std::transform(input.begin(), input.end(), in.begin(), identity<T>);
			std::transform(output, output + n, out.begin(), identity<T>);
			std::sort(in.begin(), in.end());
			std::sort(out.begin(), out.end());
			check(in == out, spec, "permutation", distribution, n);
		}
	}
}

/* Small segments and middling ones, by every method. */
template <typename T>
static void
test_form(GpusortKeyForm form, uint32_t most_skipped)
{
	for (int payload = 0; payload < 3; payload++)
	{
		for (int descending = 0; descending < 2; descending++)
		{
			GpusortSpec spec = {form, (GpusortPayload) payload, GPUSORT_METHOD_AUTO, descending != 0, 0, 0};

			for (GpusortMethod method : exact_methods)
			{
				spec.method = method;
				for (uint32_t n = 0; n <= 300; n += 1 + rng() % most_skipped)
				{
					spec.limit = n % 3 == 0 ? rng() % (n + 2) : 0;
					test<T>(spec, {n, (uint32_t) (rng() % 40), 1, 0, (uint32_t) (rng() % 40)},
							(Distribution) (rng() % DISTRIBUTIONS));
				}
				for (int power = 9; power <= 17; power += 2)
				{
					for (int off = -1; off <= 1; off++)
					{
						if (power > 13 && rng() % 4 != 0)
							continue;
						spec.limit = rng() % 2 ? rng() % 1000 : 0;
						test<T>(spec, {(1u << power) + off}, (Distribution) (rng() % DISTRIBUTIONS));
					}
				}
			}

			spec.method = GPUSORT_METHOD_APPROXIMATE;
			spec.limit = 0;
			for (uint32_t n = 0; n <= 300; n += 3)
			{
				spec.buckets = 1 + rng() % (n % 2 ? 30 : 3000);
				test<T>(spec, {n, (uint32_t) (rng() % 40)}, (Distribution) (rng() % DISTRIBUTIONS));
			}
			spec.buckets = 10000;
			test<T>(spec, {20000}, (Distribution) (rng() % DISTRIBUTIONS));
			/* Of these one has more keys than counts of all intervals take, the other fewer. */
			spec.buckets = 3000;
			test<T>(spec, {4000, 3900, 1000}, (Distribution) (rng() % DISTRIBUTIONS));
			spec.buckets = 0;
			spec.method = GPUSORT_METHOD_NETWORK;
			test<T>(spec, {66000, 60000}, (Distribution) (rng() % DISTRIBUTIONS));
		}
	}
}

/* Finds keys at ranks, which may be neighbors. */
template <typename T>
static void
test_select(GpusortKeyForm form, int sets)
{
	const GpusortSpec spec = {form, GPUSORT_PAYLOAD_NONE, GPUSORT_METHOD_AUTO, false, 0, 0};
	uint32_t	selected = 0;

	for (int set = 0; set < sets; set++)
	{
		const uint32_t most = set % 50 == 0 ? 70000 : set % 3 == 0 ? 3000 : 300;
		const uint32_t n = 1 + rng() % most;
		const Distribution distribution = (Distribution) (rng() % DISTRIBUTIONS);
		const std::vector<T> keys = make_keys<T>(distribution, n);
		std::vector<T> sorted = keys;
		std::vector<T> scratch(n + 1, T(90));
		std::vector<uint32_t> ranks = {(uint32_t) (rng() % n)};
		std::vector<T> found;

		while (ranks.size() < 1 + rng() % 8)
			ranks.push_back(rng() % 3 == 0 ? (uint32_t) (rng() % n) : std::min(n - 1, ranks.back() + (uint32_t) (rng() % 2)));
		std::sort(ranks.begin(), ranks.end());
		std::stable_sort(sorted.begin(), sorted.end(), before_alone<T>);
		found.resize(ranks.size());
		std::vector<T> before = keys;
		const bool	done = gpusort_cpu_select(form, keys.data(), n, ranks.data(), ranks.size(), found.data(), scratch.data(),
											  [](void *) { return false; });

		selected += done;
		check(memcmp(before.data(), keys.data(), n * sizeof(T)) == 0, spec, "selection changes keys", distribution, n);
		check(scratch[n] == T(90), spec, "selection overruns its scratch", distribution, n);
		for (size_t i = 0; done && i < ranks.size(); i++)
			check(identity(found[i]) == identity(sorted[ranks[i]]), spec, "selection", distribution, n);
	}
	check(sizeof(T) == 2 ? selected == 0 : selected > (uint32_t) sets / 2, spec, "how often selection works", RANDOM, selected);
}

/* Selection stops when it is told to.  Otherwise it seldom gives up: a sample misleads it now and then. */
static void
test_select_stops(void)
{
	const GpusortSpec spec = {GPUSORT_KEY_INT32, GPUSORT_PAYLOAD_NONE, GPUSORT_METHOD_AUTO, false, 0, 0};
	uint32_t	selected = 0;

	for (uint32_t set = 0; set < 10; set++)
	{
		const std::vector<int32_t> keys = make_keys<int32_t>(RANDOM, 200000);
		std::vector<int32_t> scratch(keys.size());
		const uint32_t rank = keys.size() / 2;
		int32_t		found;

		selected += gpusort_cpu_select(GPUSORT_KEY_INT32, keys.data(), keys.size(), &rank, 1, &found, scratch.data(),
									   [](void *) { return false; });
		check(!gpusort_cpu_select(GPUSORT_KEY_INT32, keys.data(), keys.size(), &rank, 1, &found, scratch.data(),
								  [](void *) { return true; }),
			  spec, "selection that is told to stop", RANDOM, keys.size());
	}
	check(selected >= 5, spec, "how often many keys are selected from", RANDOM, selected);
}

/* Tests selection for every form. */
static void
test_selection(int sets)
{
	test_select<int16_t>(GPUSORT_KEY_INT16, sets);
	test_select<int32_t>(GPUSORT_KEY_INT32, sets);
	test_select<uint32_t>(GPUSORT_KEY_UINT32, sets);
	test_select<int64_t>(GPUSORT_KEY_INT64, sets);
	test_select<uint64_t>(GPUSORT_KEY_UINT64, sets);
	test_select<float>(GPUSORT_KEY_FLOAT32, sets);
	test_select<double>(GPUSORT_KEY_FLOAT64, sets);
	test_select_stops();
}

/* Large arrays, that are taken apart or divided among threads. */
template <typename T>
static void
test_large(GpusortKeyForm form)
{
	for (GpusortMethod method : {GPUSORT_METHOD_AUTO, GPUSORT_METHOD_NETWORK, GPUSORT_METHOD_COUNTING})
	{
		GpusortSpec spec = {form, (GpusortPayload) (rng() % 3), method, rng() % 2 != 0, 0, 0};

		test<T>(spec, {(uint32_t) (1050000 + rng() % 100000)}, (Distribution) (rng() % DISTRIBUTIONS));
		test<T>(spec, {(uint32_t) (1200000 + rng() % 100000)}, (Distribution) (rng() % DISTRIBUTIONS), 2 + rng() % 3);
		spec.limit = 1 + rng() % 50000;
		test<T>(spec, {500000}, (Distribution) (rng() % DISTRIBUTIONS));
	}
}

/* Tests only sorts by several threads, for a sanitizer that makes everything slow. */
template <typename T>
static void
test_threads(GpusortKeyForm form)
{
	for (int payload = 0; payload < 3; payload++)
		for (GpusortMethod method : {GPUSORT_METHOD_AUTO, GPUSORT_METHOD_COUNTING})
			test<T>({form, (GpusortPayload) payload, method, rng() % 2 != 0, 0, 0}, {(uint32_t) (1200000 + rng() % 100000)},
					(Distribution) (rng() % DISTRIBUTIONS), 2 + rng() % 7);
}

/* Most keys close to each other, so that the pieces of a large array are very unequal. */
template <typename T>
static void
test_skewed(GpusortKeyForm form)
{
	const Distribution skewed[] = {OUTLIER, EQUAL, LOW_BITS};

	for (int payload = 0; payload < 3; payload++)
		test<T>({form, (GpusortPayload) payload, GPUSORT_METHOD_NETWORK, rng() % 2 != 0, 0, 0},
				{(uint32_t) (2200000 + rng() % 100000)}, skewed[rng() % 3], 1 + rng() % 2);
}

/* Scratch takes at most twice what is sorted, and some tables. */
static void
test_scratch(GpusortKeyForm form)
{
	const size_t width = gpusort_key_width(form);
	std::vector<uint64_t> sizes;

	for (uint64_t n = 1; n < UINT32_MAX; n += 1 + n / 3)
		sizes.push_back(n);
	for (uint64_t n : {1u << 16, 1u << 17, 1u << 20, UINT32_MAX})
		sizes.insert(sizes.end(), {n - 1, n, n + 1});
	for (uint64_t n : sizes)
	{
		for (int payload = 0; payload < 3; payload++)
		{
			GpusortSpec spec = {form, (GpusortPayload) payload, GPUSORT_METHOD_AUTO, false, 0, 0};
			const size_t sorted = n * (width + (payload == GPUSORT_PAYLOAD_CARRIED ? sizeof(uint32_t) : 0));

			for (int threads : {1, 64})
			{
				const size_t most = 2 * sorted + GPUSORT_CPU_SORT_TABLES + GPUSORT_CPU_SORT_TABLES / 32 * threads;
				auto		fits = [&] { return gpusort_cpu_sort_scratch(&spec, n, threads) <= most; };

				for (GpusortMethod method : exact_methods)
				{
					spec = {form, (GpusortPayload) payload, method, false, 0, 0};
					for (uint64_t limit : {UINT64_C(0), UINT64_C(1), UINT64_C(1000), n / 8, n / 2})
					{
						spec.limit = limit;
						check(fits(), spec, "scratch", RANDOM, n);
					}
				}
				spec = {form, (GpusortPayload) payload, GPUSORT_METHOD_APPROXIMATE, false, 0, 0};
				for (uint32_t buckets : {1u, 1000u, 100000u, 10000000u, INT32_MAX + 0u, (uint32_t) n})
				{
					spec.buckets = std::max(buckets, 1u);
					check(fits(), spec, "scratch", RANDOM, n);
				}
			}
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

				check(size >= least, spec, "scratch of shorter segments", RANDOM, n);
				least = std::max(least, size);
			}
		}
}

static void
test_scratch_grows(GpusortKeyForm form)
{
	for (GpusortMethod method : exact_methods)
		test_scratch_grows({form, GPUSORT_PAYLOAD_NONE, method, false, 0, 0});
	for (uint32_t buckets : {1u, 1000u, 3000u, 10000u, 65536u, 100000u, 1200000u})
		test_scratch_grows({form, GPUSORT_PAYLOAD_NONE, GPUSORT_METHOD_APPROXIMATE, false, 0, buckets});
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
test_questions(const GpusortSpec &spec, const std::vector<double> &keys)
{
	struct Gap
	{
		double		last;
		double		longest;
	}			gap;
	std::vector<uint32_t> payload(keys.size());
	CpuSortControl control = {};
	bool		ok = false;
	/* An emulated processor takes this many times as long. */
	const char *environment = getenv("GPUSORT_TEST_SLOWDOWN");
	double		slowdown = environment != nullptr ? atof(environment) : 1;

	control.threads = 1;
	control.memory_limit = 1 << 20;
	control.arg = &gap;
	control.should_stop = [](void *arg) {
		Gap		   *gap = (Gap *) arg;

		gap->longest = std::max(gap->longest, cpu_seconds() - gap->last);
		gap->last = cpu_seconds();
		return false;
	};
	/* Up to three rounds, because other programs may slow one down. */
	for (int round = 0; round < 3 && !ok; round++)
	{
		std::vector<double> copy = keys;

		gap = {cpu_seconds(), 0};
		run(spec, copy.data(), payload.data(), {{0, (uint32_t) keys.size()}}, &control);
		control.should_stop(control.arg);
		ok = gap.longest < 0.1 * slowdown;
	}
	check(ok, spec, "questions whether to stop", RANDOM, keys.size());
}

static void
test_all_questions()
{
	std::vector<double> keys = make_keys<double>(RANDOM, 12000000);
	GpusortSpec spec = {};

	spec.form = GPUSORT_KEY_FLOAT64;
	for (int payload = 0; payload < 3; payload++)
	{
		spec.payload = (GpusortPayload) payload;
		for (GpusortMethod method : {GPUSORT_METHOD_NETWORK, GPUSORT_METHOD_COUNTING})
		{
			spec.method = method;
			test_questions(spec, keys);
		}
		spec.method = GPUSORT_METHOD_APPROXIMATE;
		for (uint32_t buckets : {1000000u, 1000000000u})
		{
			spec.buckets = buckets;
			test_questions(spec, keys);
		}
		spec.buckets = 0;
	}
}

/* A sort asks whether to stop, and stops. */
template <typename T>
static void
test_stop(GpusortKeyForm form)
{
	std::vector<T> keys = make_keys<T>(RANDOM, 3000000);
	std::vector<uint32_t> payload(keys.size());

	for (int kind = 0; kind < 3; kind++)
	{
		GpusortSpec spec = {form, (GpusortPayload) kind, GPUSORT_METHOD_AUTO, false, 0, 0};
		std::vector<T> copy = keys;
		CpuSortControl control = {};
		int			questions = 0;

		control.threads = 1;
		control.arg = &questions;
		control.should_stop = [](void *arg) { return ++*(int *) arg == 3; };
		check(run(spec, copy.data(), payload.data(), {{0, (uint32_t) keys.size()}}, &control) == CPU_SORT_STOPPED &&
			  questions == 3, spec, "stop", RANDOM, keys.size());
	}
}

static void
test_forms(uint32_t most_skipped)
{
	test_form<int16_t>(GPUSORT_KEY_INT16, most_skipped);
	test_form<int32_t>(GPUSORT_KEY_INT32, most_skipped);
	test_form<uint32_t>(GPUSORT_KEY_UINT32, most_skipped);
	test_form<int64_t>(GPUSORT_KEY_INT64, most_skipped);
	test_form<uint64_t>(GPUSORT_KEY_UINT64, most_skipped);
	test_form<float>(GPUSORT_KEY_FLOAT32, most_skipped);
	test_form<double>(GPUSORT_KEY_FLOAT64, most_skipped);
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
	uint64_t	seed = std::random_device()();
	const bool	threads = argc > 1 && strcmp(argv[1], "threads") == 0;

	if (argc > 1 + threads)
		seed = strtoull(argv[1 + threads], nullptr, 10);
	printf("seed %lu\n", (unsigned long) seed);
	rng.seed(seed);
	if (threads)
	{
		test_threads<int16_t>(GPUSORT_KEY_INT16);
		test_threads<int32_t>(GPUSORT_KEY_INT32);
		test_threads<double>(GPUSORT_KEY_FLOAT64);
		printf("%lu checks passed, %lu failed\n", (unsigned long) passed, (unsigned long) failed);
		return failed == 0 && passed > 0 ? 0 : 1;
	}
	test_forms(2);
	test_selection(3000);
#if HWY_ARCH_X86
	/* The same again with the vector units of older CPUs. */
	const int64_t units = gpusort::vector_units();
	const auto	kernel = gpusort::simd::kernels<int32_t>().in_order;

	for (int64_t best : {HWY_AVX2, HWY_SSE4})
	{
		leave_out(best - 1);
		check((gpusort::simd::kernels<int32_t>().in_order != kernel) == ((units & (best - 1)) != 0),
			  {}, "kernels of another vector unit", RANDOM, 0);
		test_forms(6);
		test_selection(1000);
		test_large<int16_t>(GPUSORT_KEY_INT16);
		test_large<float>(GPUSORT_KEY_FLOAT32);
		test_large<int64_t>(GPUSORT_KEY_INT64);
	}
	leave_out(0);
#endif
	test_large<int16_t>(GPUSORT_KEY_INT16);
	test_large<int32_t>(GPUSORT_KEY_INT32);
	test_large<uint32_t>(GPUSORT_KEY_UINT32);
	test_large<int64_t>(GPUSORT_KEY_INT64);
	test_large<uint64_t>(GPUSORT_KEY_UINT64);
	test_large<float>(GPUSORT_KEY_FLOAT32);
	test_large<double>(GPUSORT_KEY_FLOAT64);
	test_skewed<int32_t>(GPUSORT_KEY_INT32);
	test_skewed<int64_t>(GPUSORT_KEY_INT64);
	test_skewed<double>(GPUSORT_KEY_FLOAT64);
	for (int form = 0; form < GPUSORT_KEY_FORMS; form++)
	{
		test_scratch((GpusortKeyForm) form);
		test_scratch_grows((GpusortKeyForm) form);
	}
	test_all_questions();
	test_stop<int32_t>(GPUSORT_KEY_INT32);
	test_stop<double>(GPUSORT_KEY_FLOAT64);
	printf("%lu checks passed, %lu failed\n", (unsigned long) passed, (unsigned long) failed);
	return failed == 0 && passed > 0 ? 0 : 1;
}
