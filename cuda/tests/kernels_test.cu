/*
 * kernels_test.cu
 *	  Every kernel, form of key, payload, direction and shape of batch against
 *	  std::stable_sort.
 *
 *	  kernels_test [--seed N] [--quick | --each] [--method NAME]
 *
 * Batches lie at random alignments with poisoned gaps between their segments, which
 * must come back untouched.  Keys hold duplicates, both zeros, infinities and NaNs
 * of both signs.  The verification kernels see every batch, right and, damaged by
 * one key, wrong.  --each runs every kernel about once, in batches so small that
 * compute-sanitizer can follow.  Prints the seed; exits with 1 at the first failure.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "methods.cuh"
#include "verify.cuh"

using namespace gpusort;

namespace
{

const char *const method_names[] = {
#define METHOD_NAME(symbol, name) name,
    GPUSORT_METHODS(METHOD_NAME)
#undef METHOD_NAME
};
const char *const form_names[] = {"int16", "int32", "uint32", "int64", "uint64", "float32", "float64"};
const char *const payload_names[] = {"none", "carried", "index"};

constexpr uint8_t POISON = 0xa5;

std::mt19937_64 random_bits;

uint64_t below(uint64_t n)
{
    return random_bits() % n;
}

void check_cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

/* Memory on the device that grows as tests want more, and ends where it should. */
struct Room {
    char *start = nullptr;
    size_t size = 0;

    char *of(size_t bytes)
    {
        bytes = (bytes + 15) / 16 * 16;
        if (bytes > size || !start) {
            cudaFree(start);
            size = bytes + bytes / 4 + 256;
            check_cuda(cudaMalloc(&start, size), "cudaMalloc");
        }
        /* Ends together with the allocation, so that memcheck sees what runs over. */
        return start + (size - bytes) / 256 * 256;
    }
};

uint64_t code_of(GpusortKeyForm form, const void *keys, size_t i, bool tied)
{
    switch (gpusort_key_width(form)) {
        case 2:
            return gpusort_encode16(static_cast<const uint16_t *>(keys)[i]);
        case 4: {
            const uint32_t bits = static_cast<const uint32_t *>(keys)[i];
            return tied ? gpusort_encode32_tied(form, bits) : gpusort_encode32(form, bits);
        }
        default: {
            const uint64_t bits = static_cast<const uint64_t *>(keys)[i];
            return tied ? gpusort_encode64_tied(form, bits) : gpusort_encode64(form, bits);
        }
    }
}

/* One key of a form, out of a distribution. */
uint64_t make_key(GpusortKeyForm form, int distribution, uint64_t i, uint64_t n)
{
    static const double specials[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, -NAN, 1e-42, -1e-310};
    const uint64_t rank = distribution == 1 ? i : n - i;
    const bool ordered = distribution == 1 || distribution == 2;
    double number;

    if (form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64) {
        if (distribution == 0 && below(20) > 0) {
            /* Any bits, NaNs among them. */
            return random_bits();
        }
        number = distribution == 3   ? specials[below(10)]
                 : distribution == 4 ? 42.0
                 : ordered           ? double(rank) - double(n / 2)
                                     : specials[below(10)];
        if (form == GPUSORT_KEY_FLOAT32) {
            const float single = float(number);
            uint32_t bits;

            memcpy(&bits, &single, 4);
            return bits;
        }
        uint64_t bits;

        memcpy(&bits, &number, 8);
        return bits;
    }
    switch (distribution) {
        case 1:
        case 2:
            return rank;
        case 3:
            return below(5) * 0x1234567;
        case 4:
            return 42;
        default:
            return below(50) == 0 ? below(3) - 1 : random_bits();
    }
}

struct Case {
    GpusortSpec spec;
    std::vector<GpusortSegment> segments;
    size_t nslots = 0;
    std::vector<uint8_t> keys;
    std::vector<uint32_t> payload;
    uint32_t histogram[GPUSORT_LENGTH_CLASSES] = {};
    uint32_t longest = 0;
};

/* Lays segments of the counts out, in any order of places, with gaps, and fills them. */
Case make_case(const GpusortSpec &spec, const std::vector<uint32_t> &counts, bool packed)
{
    const uint32_t width = gpusort_key_width(spec.form);
    Case made;

    made.spec = spec;
    made.nslots = packed ? 0 : below(9);
    for (uint32_t count : counts) {
        made.segments.push_back({uint32_t(made.nslots), count});
        made.nslots += count + (packed ? 0 : below(3) == 0 ? below(20) : 6);
        made.histogram[gpusort_length_class(count)]++;
        made.longest = std::max(made.longest, count);
    }
    if (below(2))
        made.longest = 1u << gpusort_length_class(made.longest);
    std::shuffle(made.segments.begin(), made.segments.end(), random_bits);
    made.keys.assign(made.nslots * width, POISON);
    made.payload.assign(made.nslots, 0xa5a5a5a5);
    for (const GpusortSegment &segment : made.segments) {
        const int distribution = below(2) ? 0 : int(below(5));

        for (uint64_t i = 0; i < segment.count; i++) {
            const uint64_t key = make_key(spec.form, distribution, i, segment.count);

            memcpy(&made.keys[(segment.start + i) * width], &key, width);
            if (spec.payload == GPUSORT_PAYLOAD_CARRIED)
                made.payload[segment.start + i] = uint32_t(random_bits());
        }
    }
    return made;
}

/* What is wrong with a segment's result, or nullptr. */
const char *fault_of(const Case &input, const GpusortSegment &segment, const uint8_t *keys, const uint32_t *payload)
{
    const GpusortSpec &spec = input.spec;
    const bool pairs = spec.payload != GPUSORT_PAYLOAD_NONE;
    const uint64_t wanted = spec.limit == 0 || spec.limit > segment.count ? segment.count : spec.limit;
    const uint64_t flip = spec.descending ? UINT64_MAX : 0;
    std::vector<std::pair<uint64_t, uint32_t>> order(segment.count);
    std::vector<uint64_t> exact_before, exact_after;

    for (uint32_t i = 0; i < segment.count; i++)
        order[i] = {code_of(spec.form, input.keys.data(), segment.start + i, true) ^ flip, i};
    std::stable_sort(order.begin(), order.end(), [](auto &a, auto &b) { return a.first < b.first; });
    for (uint64_t i = 0; i < wanted; i++) {
        const size_t slot = segment.start + i;

        if (spec.payload == GPUSORT_PAYLOAD_INDEX && payload[slot] != order[i].second)
            return "wrong position";
        if (spec.payload == GPUSORT_PAYLOAD_CARRIED && payload[slot] != input.payload[segment.start + order[i].second])
            return "wrong payload";
        if (!pairs && (code_of(spec.form, keys, slot, true) ^ flip) != order[i].first)
            return "wrong key";
        if (!pairs && wanted == segment.count) {
            exact_before.push_back(code_of(spec.form, input.keys.data(), slot, false));
            exact_after.push_back(code_of(spec.form, keys, slot, false));
        }
    }
    std::sort(exact_before.begin(), exact_before.end());
    std::sort(exact_after.begin(), exact_after.end());
    return exact_before == exact_after ? nullptr : "zeros changed their sign";
}

long cases_run = 0;

void run_case(const Case &input, const char *shape, bool tell_host)
{
    static Room keys_room, payload_room, segments_room, workspace_room, check_room, failed_room;
    const GpusortSpec &spec = input.spec;
    const uint32_t width = gpusort_key_width(spec.form);
    const size_t nsegments = input.segments.size();
    std::vector<uint8_t> keys(input.keys.size());
    std::vector<uint32_t> payload(input.nslots);
    SegmentBatch batch = {};
    const char *fault = nullptr;
    size_t faulty = 0;
    uint32_t failed[2] = {};

    batch.spec = spec;
    batch.keys = keys_room.of(input.nslots * width);
    batch.payload = spec.payload == GPUSORT_PAYLOAD_NONE
                        ? nullptr
                        : reinterpret_cast<uint32_t *>(payload_room.of(input.nslots * 4));
    batch.segments = reinterpret_cast<GpusortSegment *>(segments_room.of(nsegments * sizeof(GpusortSegment)));
    batch.nsegments = uint32_t(nsegments);
    batch.nslots = input.nslots;
    batch.length_histogram = input.histogram;
    batch.longest = input.longest;
    batch.host_segments = tell_host ? input.segments.data() : nullptr;
    check_cuda(cudaMemcpy(batch.keys, input.keys.data(), input.keys.size(), cudaMemcpyHostToDevice), "copy in");
    if (batch.payload)
        check_cuda(cudaMemcpy(batch.payload, input.payload.data(), input.nslots * 4, cudaMemcpyHostToDevice),
                   "copy in");
    check_cuda(cudaMemcpy(const_cast<GpusortSegment *>(batch.segments), input.segments.data(),
                          nsegments * sizeof(GpusortSegment), cudaMemcpyHostToDevice),
               "copy in");

    const size_t bytes = workspace_bytes(batch);
    void *workspace = workspace_room.of(bytes + 16), *check = check_room.of(verify_bytes(batch) + 16);
    uint32_t *device_failed = reinterpret_cast<uint32_t *>(failed_room.of(16));
    GpusortMethod used;

    check_cuda(verify_begin(batch, check, nullptr), "verify_begin");
    check_cuda(sort_segments(batch, workspace, bytes, nullptr, &used), "sort_segments");
    check_cuda(verify_end(batch, check, device_failed, nullptr), "verify_end");
    check_cuda(cudaMemcpy(&failed[0], device_failed, 4, cudaMemcpyDeviceToHost), shape);
    check_cuda(cudaMemcpy(keys.data(), batch.keys, keys.size(), cudaMemcpyDeviceToHost), "copy out");
    if (batch.payload)
        check_cuda(cudaMemcpy(payload.data(), batch.payload, input.nslots * 4, cudaMemcpyDeviceToHost), "copy out");

    /* Segments, by several threads. */
    const size_t threads = std::max<size_t>(1, std::min<size_t>({std::thread::hardware_concurrency(), 16, nsegments}));
    std::vector<std::pair<size_t, const char *>> faults(threads, {0, nullptr});
    std::vector<std::thread> workers;

    for (size_t t = 0; t < threads; t++)
        workers.emplace_back([&, t] {
            for (size_t i = t; i < nsegments && !faults[t].second; i += threads)
                faults[t] = {i, fault_of(input, input.segments[i], keys.data(), payload.data())};
        });
    for (std::thread &worker : workers)
        worker.join();
    for (auto &[number, what] : faults)
        if (what && !fault) {
            fault = what;
            faulty = number;
        }

    /* Gaps. */
    std::vector<bool> covered(input.nslots);

    for (const GpusortSegment &segment : input.segments)
        std::fill(covered.begin() + segment.start, covered.begin() + segment.start + segment.count, true);
    for (size_t i = 0; i < input.nslots && !fault; i++) {
        if (covered[i])
            continue;
        if (memcmp(&keys[i * width], &input.keys[i * width], width) != 0 || (batch.payload && payload[i] != 0xa5a5a5a5))
            fault = "a gap was written";
    }
    if (!fault && failed[0] != 0)
        fault = "the check fails a right result";

    /* The check must see one damaged entry. */
    size_t victim = 0;

    while (victim < nsegments && input.segments[victim].count < 2)
        victim++;
    if (!fault && spec.limit == 0 && victim < nsegments) {
        const GpusortSegment segment = input.segments[victim];
        const size_t slot = segment.start + below(segment.count);

        if (batch.payload) {
            payload[slot] ^= 1;
            check_cuda(cudaMemcpy(batch.payload + slot, &payload[slot], 4, cudaMemcpyHostToDevice), "damage");
        } else {
            keys[slot * width] ^= 1;
            if (code_of(spec.form, keys.data(), slot, false) == code_of(spec.form, input.keys.data(), slot, false))
                keys[slot * width + width - 1] ^= 0x40;
            check_cuda(cudaMemcpy(static_cast<char *>(batch.keys) + slot * width, &keys[slot * width], width,
                                  cudaMemcpyHostToDevice),
                       "damage");
        }
        check_cuda(verify_end(batch, check, device_failed, nullptr), "verify_end");
        check_cuda(cudaMemcpy(&failed[1], device_failed, 4, cudaMemcpyDeviceToHost), shape);
        if (failed[1] != 1 && !(spec.form == GPUSORT_KEY_FLOAT32 || spec.form == GPUSORT_KEY_FLOAT64))
            fault = "the check passes a wrong result";
    }
    cases_run++;
    if (fault) {
        printf(
            "FAILED: %s (segment %zu: start %u, count %u)\n  shape %s, method %s, form %s, payload %s, %s, limit %llu, "
            "failed checks %u\n",
            fault, faulty, input.segments[faulty].start, input.segments[faulty].count, shape, method_names[spec.method],
            form_names[spec.form], payload_names[spec.payload], spec.descending ? "descending" : "ascending",
            (unsigned long long)spec.limit, failed[0]);
        exit(1);
    }
}

std::vector<uint32_t> mixed_counts(uint32_t segments, uint32_t longest)
{
    std::vector<uint32_t> counts;

    for (uint32_t i = 0; i < segments; i++)
        counts.push_back(uint32_t(below(uint64_t(2) << below(log2(longest) + 1)) % (longest + 1)));
    return counts;
}

/* Every width, payload and direction with one batch of each length class or so. */
void run_each(GpusortMethod method)
{
    for (GpusortKeyForm form : {GPUSORT_KEY_INT16, GPUSORT_KEY_FLOAT32, GPUSORT_KEY_FLOAT64})
        for (int payload = 0; payload < 3; payload++) {
            GpusortSpec spec = {};

            spec.form = form;
            spec.payload = GpusortPayload(payload);
            spec.method = method;
            if (method == GPUSORT_METHOD_APPROXIMATE || refuses(spec))
                continue;
            for (uint32_t length : {6,   13,   30,   40,   60,   90,   120,   180,   250,   400,  500,
                                    700, 1000, 1500, 2000, 4000, 8000, 16000, 32000, 65000, 70000}) {
                spec.descending = !spec.descending;
                run_case(make_case(spec, std::vector<uint32_t>(length <= 30 ? 40 : 3, length), below(2)),
                         "equal lengths", true);
            }
            run_case(make_case(spec, {1, 2100, 40, 700, 9, 300, 5000, 17, 130}, false), "ragged", true);
            spec.limit = 10;
            run_case(make_case(spec, {3000, 70001}, false), "first of long segments", true);
        }
    printf("%-12s %ld batches\n", method_names[method], cases_run);
}

}  // namespace

int main(int argc, char **argv)
{
    uint64_t seed = std::random_device()();
    bool quick = false, each = false;
    std::string only;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = strtoull(argv[++i], nullptr, 10);
        else if (!strcmp(argv[i], "--quick"))
            quick = true;
        else if (!strcmp(argv[i], "--each"))
            each = true;
        else if (!strcmp(argv[i], "--method") && i + 1 < argc)
            only = argv[++i];
        else {
            fprintf(stderr, "usage: %s [--seed N] [--quick | --each] [--method NAME]\n", argv[0]);
            return 2;
        }
    }
    random_bits.seed(seed);
    printf("seed %llu\n", (unsigned long long)seed);

    std::vector<uint32_t> lengths = {1,    2,     3,     5,     8,     9,     12,    16,    17,    24,    25,    31,
                                     32,   33,    48,    49,    63,    64,    65,    96,    97,    100,   128,   129,
                                     192,  193,   255,   256,   257,   384,   385,   500,   512,   513,   600,   768,
                                     769,  1000,  1024,  1025,  1500,  2047,  2048,  2049,  3000,  4096,  5000,  8192,
                                     8193, 10280, 12000, 16384, 16385, 32768, 33335, 65535, 65536, 65537, 100000};

    if (quick)
        lengths = {1, 7, 16, 31, 64, 90, 100, 250, 500, 600, 1000, 2000, 3000, 5000, 10280, 20000, 33335, 65536, 70000};

    for (int method = 0; method < GPUSORT_METHOD_COUNT; method++) {
        const long before = cases_run;

        if (!only.empty() && only != method_names[method])
            continue;
        if (each) {
            run_each(GpusortMethod(method));
            continue;
        }
        for (int form = 0; form < GPUSORT_KEY_FORMS; form++)
            for (int payload = 0; payload < 3; payload++)
                for (int descending = 0; descending < 2; descending++) {
                    GpusortSpec spec = {};

                    spec.form = GpusortKeyForm(form);
                    spec.payload = GpusortPayload(payload);
                    spec.method = GpusortMethod(method);
                    spec.descending = descending;
                    if (spec.method == GPUSORT_METHOD_APPROXIMATE || refuses(spec))
                        continue;
                    for (uint32_t length : lengths) {
                        const uint32_t room = quick ? 3000 : 30000;
                        const uint32_t segments = 1 + uint32_t(below(3)) + room / (length + 1) % 1000;

                        spec.limit = below(4) == 0 ? 1 + below(length) : 0;
                        run_case(make_case(spec, std::vector<uint32_t>(segments, length), below(2)), "equal lengths",
                                 below(2));
                    }
                    spec.limit = 0;
                    run_case(make_case(spec, mixed_counts(quick ? 100 : 3000, 2000), false), "up to 2000", true);
                    spec.limit = below(2) * 10;
                    run_case(make_case(spec, mixed_counts(quick ? 30 : 60, 70000), false), "up to 70000", below(2));
                    for (uint32_t length : {5000, 9000, 70000, 200000}) {
                        spec.limit = 1 + below(below(2) ? 1024 : 40);
                        run_case(make_case(spec, std::vector<uint32_t>(1 + below(4), length + below(20)), below(2)),
                                 "first of long segments", below(2));
                    }
                    spec.limit = 0;
                    if (!quick)
                        run_case(
                            make_case(spec, {0, 1, 2, 12, 31, 32, 33, 0, 10280, 33335, 1000000, 7, 1000, 65536}, false),
                            "one giant", below(2));
                }
        if (cases_run > before)
            printf("%-12s %ld batches\n", method_names[method], cases_run - before);
    }
    printf("%ld batches, all right\n", cases_run);
    return 0;
}
