/*
 * cases.h
 *	  What the tests of the engines share: random batches of segments, and the result
 *	  that a sort of them must have.  No CUDA.
 *
 * Batches lie at random alignments.  The gaps between their segments are poisoned and
 * must come back untouched.  Keys hold duplicates, both zeros, infinities and NaNs
 * of both signs and of any bits.  The expected order is that of std::stable_sort by
 * value, or by the interval that projection.h finds.  The expected keys are the same bit
 * by bit, except NaNs.  A fault ends the program.
 */
#ifndef GPUSORT_TEST_CASES_H
#define GPUSORT_TEST_CASES_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "keys/projection.h"
#include "keys/sort_spec.h"

namespace test
{

inline const char *const method_names[] = {
#define METHOD_NAME(symbol, name) name,
    GPUSORT_METHODS(METHOD_NAME)
#undef METHOD_NAME
};
inline const char *const form_names[] = {"int16", "int32", "uint32", "int64", "uint64", "float32", "float64"};
inline const char *const payload_names[] = {"none", "carried", "index"};

constexpr uint8_t POISON = 0xa5;
constexpr uint32_t POISONED = 0xa5a5a5a5;

inline std::mt19937_64 random_bits;

inline uint64_t below(uint64_t n)
{
    return random_bits() % n;
}

/* An option of a test: a flag, or if text is not nullptr one with a value. */
struct Option {
    const char *name;
    bool *flag;
    std::string *text;
};

/* Reads the options of a test, of which all have --seed N, and seeds random_bits. Another one ends the program. */
inline void begin_test(int argc, char **argv, std::vector<Option> options)
{
    std::string seed = std::to_string(std::random_device()());

    options.push_back({"--seed", nullptr, &seed});
    for (int i = 1; i < argc; i++) {
        const auto option =
            std::find_if(options.begin(), options.end(), [&](const Option &o) { return !strcmp(argv[i], o.name); });

        if (option == options.end() || (option->text && i + 1 == argc)) {
            fprintf(stderr, "%s: unknown option, or one without its value: %s\n", argv[0], argv[i]);
            exit(2);
        }
        if (option->text)
            *option->text = argv[++i];
        else
            *option->flag = true;
    }
    random_bits.seed(std::stoull(seed));
    printf("seed %s\n", seed.c_str());
}

inline bool is_float(GpusortKeyForm form)
{
    return form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64;
}

inline uint64_t key_at(GpusortKeyForm form, const uint8_t *keys, size_t slot)
{
    const uint32_t width = gpusort_key_width(form);
    uint64_t key = 0;

    memcpy(&key, keys + slot * width, width);
    return key;
}

inline double real_of(GpusortKeyForm form, uint64_t bits)
{
    float single;
    double number;

    memcpy(&single, &bits, 4);
    memcpy(&number, &bits, 8);
    return form == GPUSORT_KEY_FLOAT32 ? single : number;
}

/* A number that orders as the key does: all NaNs are one, above all others. If tied, both zeros are one. */
inline uint64_t code_of(GpusortKeyForm form, uint64_t bits, bool tied)
{
    constexpr uint64_t SIGN = UINT64_C(1) << 63;
    uint64_t code;

    if (is_float(form)) {
        const double number = real_of(form, bits);

        if (std::isnan(number))
            return UINT64_MAX;
        if (number == 0)
            return tied || !std::signbit(number) ? SIGN : SIGN - 1;
        memcpy(&code, &number, sizeof(code));
        return number < 0 ? ~code : code | SIGN;
    }
    switch (form) {
        case GPUSORT_KEY_INT16:
            return uint64_t(int16_t(bits)) ^ SIGN;
        case GPUSORT_KEY_INT32:
            return uint64_t(int32_t(bits)) ^ SIGN;
        case GPUSORT_KEY_INT64:
            return bits ^ SIGN;
        default:
            return bits;
    }
}

inline uint64_t bits_of(GpusortKeyForm form, double number)
{
    const float single = float(number);
    uint64_t bits = 0;

    if (!is_float(form))
        return uint64_t(int64_t(number));
    memcpy(&bits, form == GPUSORT_KEY_FLOAT32 ? static_cast<const void *>(&single) : &number, gpusort_key_width(form));
    return bits;
}

enum Distribution {
    ANY_BITS,
    ASCENDING,
    DESCENDING,
    SPECIAL,
    EQUAL,
    FEW,
    NARROW,
    NORMAL,
    ZEROS,
    OUTLIERS,
    LOW_BITS, /* far from each other, or next to each other */
    DISTRIBUTIONS
};

/* Key i of n keys of a form. */
inline uint64_t make_key(GpusortKeyForm form, Distribution distribution, uint64_t i, uint64_t n)
{
    static const double specials[] = {0.0, -0.0, 1.0,   -1.0,    INFINITY, -INFINITY,
                                      NAN, -NAN, 1e-42, -1e-310, 3e38,     -3e38};
    static const uint64_t ends[] = {
        0, 1, ~UINT64_C(0), UINT64_C(1) << 63, ~(UINT64_C(1) << 63), UINT64_C(1) << 31, 0x7fffffff, 0x8000, 0x7fff};

    switch (distribution) {
        case ASCENDING:
            return bits_of(form, double(i) - double(n / 2));
        case DESCENDING:
            return bits_of(form, double(n / 2) - double(i));
        case EQUAL:
            return bits_of(form, 42);
        case FEW:
            return bits_of(form, double(below(5)));
        case NARROW:
            return bits_of(form, double(below(200)) - 100);
        case OUTLIERS:
            return below(50) > 0 ? bits_of(form, double(below(100))) : make_key(form, SPECIAL, i, n);
        case LOW_BITS:
            return (is_float(form) ? bits_of(form, below(2) ? 1 : 1e30) : below(3) << (8 * gpusort_key_width(form) - 3)) +
                   below(64);
        case NORMAL: {
            const double sum = double(below(1 << 30)) + double(below(1 << 30)) + double(below(1 << 30));

            return bits_of(form, form == GPUSORT_KEY_INT16 ? sum / 131072 - 12288 : sum);
        }
        case ZEROS:
            if (below(4) > 0)
                return bits_of(form, below(3) > 0 ? -0.0 : 0.0);
            return below(8) > 0 ? bits_of(form, double(below(200)) - 100) : make_key(form, SPECIAL, i, n);
        case SPECIAL:
            return is_float(form) ? bits_of(form, specials[below(12)]) : ends[below(9)];
        default: /* NaNs among them */
            return below(20) > 0 ? random_bits() : make_key(form, SPECIAL, i, n);
    }
}

/* A batch, and its input on the host. */
struct Case {
    GpusortSpec spec = {};
    std::vector<GpusortSegment> segments;
    size_t nslots = 0;
    std::vector<uint8_t> keys;
    std::vector<uint32_t> payload;
    uint32_t histogram[GPUSORT_LENGTH_BINS] = {};
    uint32_t longest = 0;

    std::string name() const
    {
        char text[300];

        snprintf(text, sizeof text,
                 "method %s, form %s, payload %s, %s, limit %llu, %u intervals, %zu segments, longest %u",
                 method_names[spec.method], form_names[spec.form], payload_names[spec.payload],
                 spec.descending ? "descending" : "ascending", (unsigned long long)spec.limit, spec.buckets,
                 segments.size(), longest);
        return text;
    }
};

/* Lays segments with these counts out, in any order and, unless packed, with gaps. */
inline Case lay_out(const GpusortSpec &spec, const std::vector<uint32_t> &counts, bool packed)
{
    Case made;

    made.spec = spec;
    made.nslots = packed ? 0 : below(9);
    for (uint32_t count : counts) {
        made.segments.push_back({uint32_t(made.nslots), count});
        made.nslots += count + (packed ? 0 : below(3) == 0 ? below(20) : 6);
        made.histogram[gpusort_length_bin(count)]++;
        made.longest = std::max(made.longest, count);
    }
    std::shuffle(made.segments.begin(), made.segments.end(), random_bits);
    made.keys.assign(made.nslots * gpusort_key_width(spec.form), POISON);
    made.payload.assign(made.nslots, POISONED);
    return made;
}

inline void fill(Case &made, const GpusortSegment &segment, Distribution distribution)
{
    const GpusortKeyForm form = made.spec.form;
    const uint32_t width = gpusort_key_width(form);

    for (uint64_t i = 0; i < segment.count; i++) {
        const uint64_t key = make_key(form, distribution, i, segment.count);

        memcpy(&made.keys[(segment.start + i) * width], &key, width);
        if (made.spec.payload == GPUSORT_PAYLOAD_CARRIED)
            made.payload[segment.start + i] = uint32_t(random_bits());
    }
}

/* Segments with these counts. Each has keys of a distribution of its own. */
inline Case make_case(const GpusortSpec &spec, const std::vector<uint32_t> &counts, bool packed)
{
    Case made = lay_out(spec, counts, packed);

    if (below(2))
        made.longest = uint32_t(gpusort_bin_longest(gpusort_length_bin(made.longest)));
    for (const GpusortSegment &segment : made.segments)
        fill(made, segment, below(2) ? ANY_BITS : Distribution(below(DISTRIBUTIONS)));
    return made;
}

/* The interval of each of a segment's keys. */
inline std::vector<uint64_t> intervals_of(const Case &input, const GpusortSegment &segment, const uint8_t *keys)
{
    const GpusortSpec &spec = input.spec;
    std::vector<uint64_t> numbers(segment.count);
    GpusortProjection projection;

    if (is_float(spec.form)) {
        double least = INFINITY, greatest = -INFINITY;

        for (uint32_t i = 0; i < segment.count; i++) {
            const double number = real_of(spec.form, key_at(spec.form, keys, segment.start + i));

            if (std::isfinite(number)) {
                least = std::min(least, number);
                greatest = std::max(greatest, number);
            }
        }
        if (least > greatest)
            least = greatest = 0;
        gpusort_project_floats(&projection, spec.buckets, spec.descending, least, greatest);
        for (uint32_t i = 0; i < segment.count; i++)
            numbers[i] =
                gpusort_interval_of_float(&projection, real_of(spec.form, key_at(spec.form, keys, segment.start + i)));
        return numbers;
    }
    for (uint32_t i = 0; i < segment.count; i++)
        numbers[i] = gpusort_integer_code(spec.form, key_at(spec.form, keys, segment.start + i));
    if (numbers.empty())
        return numbers;

    const auto ends = std::minmax_element(numbers.begin(), numbers.end());

    gpusort_project_integers(&projection, spec.buckets, spec.descending, *ends.first, *ends.second);
    for (uint64_t &number : numbers)
        number = gpusort_interval_of_code(&projection, number);
    return numbers;
}

/* The numbers by which a segment's keys are ordered: codes or intervals. */
inline std::vector<uint64_t> numbers_of(const Case &input, const GpusortSegment &segment, const uint8_t *keys)
{
    if (input.spec.buckets != 0)
        return intervals_of(input, segment, keys);

    std::vector<uint64_t> numbers(segment.count);

    for (uint32_t i = 0; i < segment.count; i++) {
        const uint64_t code = code_of(input.spec.form, key_at(input.spec.form, keys, segment.start + i),
                                      input.spec.payload != GPUSORT_PAYLOAD_NONE);

        numbers[i] = input.spec.descending ? ~code : code;
    }
    return numbers;
}

/* What is wrong with a segment's result, or nullptr. */
inline const char *fault_of(const Case &input, const GpusortSegment &segment, const uint8_t *keys,
                            const uint32_t *payload)
{
    const GpusortSpec &spec = input.spec;
    const uint64_t wanted = spec.limit == 0 || spec.limit > segment.count ? segment.count : spec.limit;
    const std::vector<uint64_t> numbers = numbers_of(input, segment, input.keys.data());
    std::vector<uint32_t> order(segment.count);

    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return numbers[a] < numbers[b]; });
    for (uint64_t i = 0; i < wanted; i++) {
        const size_t slot = segment.start + i, from = segment.start + order[i];

        if (spec.payload == GPUSORT_PAYLOAD_INDEX && payload[slot] != order[i])
            return "wrong position";
        if (spec.payload == GPUSORT_PAYLOAD_CARRIED && payload[slot] != input.payload[from])
            return "wrong payload";
        if (spec.payload != GPUSORT_PAYLOAD_NONE)
            continue;

        const uint64_t key = key_at(spec.form, keys, slot), right = key_at(spec.form, input.keys.data(), from);

        if (spec.buckets != 0 ? key != right : code_of(spec.form, key, false) != code_of(spec.form, right, false))
            return "wrong key";
    }
    return nullptr;
}

/* Ends the program if a batch's result is wrong. */
inline void expect_sorted(const Case &input, const std::vector<uint8_t> &keys, const std::vector<uint32_t> &payload,
                          const char *shape)
{
    const size_t nsegments = input.segments.size();
    const size_t nthreads = std::min<size_t>({std::max(1u, std::thread::hardware_concurrency()), 16, nsegments});
    std::vector<std::pair<size_t, const char *>> faults(nthreads, {0, nullptr});
    std::vector<std::thread> threads;
    const uint32_t width = gpusort_key_width(input.spec.form);
    std::vector<bool> covered(input.nslots);

    for (size_t t = 0; t < nthreads; t++)
        threads.emplace_back([&, t] {
            for (size_t i = t; i < nsegments && !faults[t].second; i += nthreads)
                faults[t] = {i, fault_of(input, input.segments[i], keys.data(), payload.data())};
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const auto &[number, fault] : faults)
        if (fault) {
            printf("FAILED: %s, segment %zu: start %u, count %u\n  %s: %s\n", fault, number,
                   input.segments[number].start, input.segments[number].count, shape, input.name().c_str());
            exit(1);
        }

    for (const GpusortSegment &segment : input.segments)
        std::fill(covered.begin() + segment.start, covered.begin() + segment.start + segment.count, true);
    for (size_t i = 0; i < input.nslots; i++)
        if (!covered[i] && (memcmp(&keys[i * width], &input.keys[i * width], width) != 0 ||
                            (!payload.empty() && payload[i] != input.payload[i]))) {
            printf("FAILED: the gap at slot %zu was written\n  %s: %s\n", i, shape, input.name().c_str());
            exit(1);
        }
}

}  // namespace test

#endif /* GPUSORT_TEST_CASES_H */
