/*
 * kernels_test.cu
 *	  Every method, form of key, payload, direction and shape of batch, and the
 *	  verification of results.
 *
 *	  kernels_test [--seed N] [--quick | --each] [--method NAME] [--form NAME]
 *	  [--payload NAME] [--verbose]
 *
 * The verification kernels check each batch, unless it carries a payload, with the right result, with two
 * neighbors exchanged, and with one damaged entry.  --each runs every kernel in both directions, in batches small
 * enough for compute-sanitizer.  Prints the seed; exits with 1 at the first failure.
 */
#include <chrono>

#include "device_case.cuh"
#include "device/verify.cuh"

using namespace test;

namespace
{

long cases_run = 0;
bool verbose = false;

/* Changes a bit on the device while it lives. */
class Flipped
{
public:
    Flipped(const void *bytes, size_t bit)
        : place(const_cast<char *>(static_cast<const char *>(bytes)) + bit / 8), mask(char(1 << bit % 8))
    {
        flip();
    }
    ~Flipped()
    {
        flip();
    }

private:
    void flip()
    {
        char byte;

        check_cuda(cudaMemcpy(&byte, place, 1, cudaMemcpyDeviceToHost), "flipping");
        byte ^= mask;
        check_cuda(cudaMemcpy(place, &byte, 1, cudaMemcpyHostToDevice), "flipping");
    }

    char *place;
    char mask;
};

/* Ends the check of a sorted batch, which must find it right, or wrong. */
void expect_check(const DeviceCase &sorted, void *space, const Gather &gather, bool right, const char *what)
{
    static DeviceMemory failed_memory;
    uint32_t *device_failed = static_cast<uint32_t *>(failed_memory.of(4)), failed = 1;

    check_cuda(verify_end(sorted.batch, space, device_failed, nullptr, gather), "verify_end");
    check_cuda(cudaMemcpy(&failed, device_failed, 4, cudaMemcpyDeviceToHost), "verification");
    if (failed == (right ? 0 : 1))
        return;
    printf("FAILED: the check says %u of %s\n  %s\n", failed, what, sorted.input.name().c_str());
    exit(1);
}

/* The check gathers a payload through a right index to the right places, and must see a bit of the index change. */
void test_gather(const Case &input)
{
    static DeviceMemory space_memory, from_memory, to_memory;
    const DeviceCase sorted(input);
    const size_t payload_bytes = input.nslots * 4;
    void *workspace = workspace_of(sorted.workspace_bytes()), *space = space_memory.of(verify_bytes(sorted.batch));
    std::vector<uint32_t> payload(input.nslots), gathered(input.nslots);

    for (uint32_t &value : payload)
        value = uint32_t(random_bits());

    uint32_t *from = from_memory.of(payload), *to = static_cast<uint32_t *>(to_memory.of(payload_bytes));

    check_cuda(verify_begin(sorted.batch, space, nullptr), "verify_begin");
    check_cuda(sort_segments(sorted.batch, workspace, nullptr, nullptr), "sort_segments");
    expect_check(sorted, space, {from, to}, true, "a gathered payload");
    check_cuda(cudaMemcpy(gathered.data(), to, payload_bytes, cudaMemcpyDeviceToHost), "gathering");

    const std::vector<uint32_t> index = sorted.payload();
    size_t last = 0;

    for (const GpusortSegment &segment : input.segments)
        for (uint64_t i = 0; i < segment.count; i++) {
            last = segment.start + i;
            if (gathered[last] == payload[segment.start + index[last]])
                continue;
            printf("FAILED: a payload is gathered wrongly\n  %s\n", input.name().c_str());
            exit(1);
        }
    const Flipped flipped(sorted.batch.payload, 32 * last + below(32));

    expect_check(sorted, space, {from, to}, false, "an index with a bit changed");
}

/* The check must pass the right result, and see two neighbors exchanged and one damaged entry. */
void test_verification(const DeviceCase &sorted, void *space)
{
    const Case &input = sorted.input;
    const GpusortSpec &spec = input.spec;
    std::vector<GpusortSegment> victims;

    expect_check(sorted, space, {}, true, "a right result");
    for (const GpusortSegment &segment : input.segments)
        if (segment.count > 1)
            victims.push_back(segment);
    if (victims.empty())
        return;

    const GpusortSegment segment = victims[below(victims.size())];
    const size_t slot = segment.start + below(segment.count - 1);
    const bool payload = sorted.batch.payload != nullptr;
    const uint32_t width = payload ? 4 : gpusort_key_width(spec.form);
    char *place = (payload ? reinterpret_cast<char *>(sorted.batch.payload) : static_cast<char *>(sorted.batch.keys)) +
                  slot * width;
    uint64_t entries[2] = {};

    const auto put = [&](uint64_t entry, size_t position) {
        check_cuda(cudaMemcpy(place + position * width, &entry, width, cudaMemcpyHostToDevice), "damage");
    };

    for (size_t i = 0; i < 2; i++)
        check_cuda(cudaMemcpy(&entries[i], place + i * width, width, cudaMemcpyDeviceToHost), "two neighbors");
    if (spec.buckets == 0 &&
        (payload || code_of(spec.form, entries[0], false) != code_of(spec.form, entries[1], false))) {
        put(entries[1], 0), put(entries[0], 1);
        expect_check(sorted, space, {}, false, "a result with two neighbors exchanged");
        put(entries[1], 1);
    }

    uint64_t damaged = entries[0] ^ 1;
    if (!payload && code_of(spec.form, damaged, false) == code_of(spec.form, entries[0], false)) /* still a NaN */
        damaged ^= UINT64_C(0x40) << (8 * width - 8);
    put(damaged, 0);
    expect_check(sorted, space, {}, false, "a result with a damaged entry");
}

void run_case(const Case &input, const char *shape)
{
    static DeviceMemory space_memory;
    const auto start = std::chrono::steady_clock::now();
    const DeviceCase sorted(input);
    void *workspace = workspace_of(sorted.workspace_bytes()), *space = space_memory.of(verify_bytes(sorted.batch));
    const bool checked = input.spec.payload != GPUSORT_PAYLOAD_CARRIED;

    if (checked)
        check_cuda(verify_begin(sorted.batch, space, nullptr), "verify_begin");
    check_cuda(sort_segments(sorted.batch, workspace, nullptr, nullptr), "sort_segments");
    expect_sorted(input, sorted.keys(), sorted.payload(), shape);
    if (checked)
        test_verification(sorted, space);
    if (input.spec.payload == GPUSORT_PAYLOAD_INDEX && input.longest > 1)
        test_gather(input);
    cases_run++;
    if (verbose) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;

        printf("%8.3f s: %s: %s\n", time.count(), shape, input.name().c_str());
        fflush(stdout);
    }
}

std::vector<uint32_t> mixed_counts(uint32_t segments, uint32_t longest)
{
    std::vector<uint32_t> counts;

    for (uint32_t i = 0; i < segments; i++)
        counts.push_back(uint32_t(below(uint64_t(2) << below(log2(longest) + 1)) % (longest + 1)));
    return counts;
}

/* Most segments are short, but no class has nearly all of them. */
std::vector<uint32_t> varied_counts(uint32_t segments)
{
    std::vector<uint32_t> counts = mixed_counts(segments, 200);

    for (uint32_t length : {300, 509, 510, 511, 512, 513, 1024, 3000})
        counts.push_back(length);
    return counts;
}

std::vector<uint32_t> counts_between(uint32_t segments, uint32_t least, uint32_t most)
{
    std::vector<uint32_t> counts;

    for (uint32_t i = 0; i < segments; i++)
        counts.push_back(least + uint32_t(below(most - least + 1)));
    return counts;
}

/* A spec of the method, or one that it refuses. */
GpusortSpec spec_of(GpusortMethod method, GpusortKeyForm form, int payload, bool descending)
{
    static const uint32_t intervals[] = {1, 2, 3, 10, 256, 257, 10000, 65536, 90000, 20000000, UINT32_MAX};
    GpusortSpec spec = {};

    spec.method = method;
    spec.form = form;
    spec.payload = GpusortPayload(payload);
    spec.descending = descending;
    if (method == GPUSORT_METHOD_APPROXIMATE)
        spec.buckets = intervals[below(11)];
    return spec;
}

/*
 * A batch with every length class, one whose lengths vary, and some of equal lengths. There are few launches, because
 * compute-sanitizer makes each slow.
 */
void run_each(GpusortMethod method, GpusortKeyForm form, const std::string &only_payload)
{
    std::vector<uint32_t> counts, varied = {600};

    /* Several short ones share a warp. */
    for (uint32_t length : {0, 1, 6, 13, 30, 40, 60, 90, 120, 180, 250, 400, 500, 700, 1000, 1500, 2000, 2100})
        counts.insert(counts.end(), length <= 30 ? 20 : 4, length);
    counts.insert(counts.end(), {4000, 8000, 16000, 32000, 65000, 70000});
    for (uint32_t length : {0, 1, 7, 16, 17, 30, 32, 33, 40, 50, 62, 63, 64, 70, 90, 100, 120, 126, 128, 180, 250, 511})
        varied.insert(varied.end(), 3, length);

    static const struct {
        GpusortPayload payload;
        bool descending;
    } kinds[] = {{GPUSORT_PAYLOAD_NONE, false},
                 {GPUSORT_PAYLOAD_NONE, true},
                 {GPUSORT_PAYLOAD_CARRIED, true},
                 {GPUSORT_PAYLOAD_INDEX, false}};

    for (const auto &kind : kinds) {
        GpusortSpec spec = spec_of(method, form, kind.payload, kind.descending);

        if (gpusort_device_refuses(&spec) || (!only_payload.empty() && only_payload != payload_names[kind.payload]))
            continue;
        run_case(make_case(spec, counts, false), "each length class");
        if (kind.payload == GPUSORT_PAYLOAD_NONE)
            for (uint32_t length : {380, 600, 1200, 1500, 1700})
                run_case(make_case(spec, std::vector<uint32_t>(2, length), false), "each length of rows");
        run_case(make_case(spec, varied, false), "lengths that vary");
        run_case(make_case(spec, std::vector<uint32_t>(4, 1 + below(2000)), true), "equal lengths");
    }
}

/* Many lengths and mixtures. */
void run_shapes(GpusortMethod method, GpusortKeyForm form, bool quick)
{
    static const std::vector<uint32_t> all_lengths = {
        1,    2,    3,    5,     8,     9,     12,    16,    17,    24,    25,    31,    32,    33,   48,   49,
        63,   64,   65,   96,    97,    100,   128,   129,   192,   193,   255,   256,   257,   384,  385,  500,
        512,  513,  600,  768,   769,   1000,  1024,  1025,  1200,  1500,  1700,  2047,  2048,  2049, 3000, 4096,
        5000, 8192, 8193, 10280, 12000, 16384, 16385, 32768, 33335, 65535, 65536, 65537, 100000};
    static const std::vector<uint32_t> quick_lengths = {1,    7,    16,    31,    64,    90,    100,
                                                        250,  500,  600,   1000,  1200,  1700,  2000,
                                                        3000, 5000, 10280, 20000, 33335, 65536, 70000};

    for (int payload = 0; payload < 3; payload++)
        for (bool descending : {false, true}) {
            const auto run = [&](const std::vector<uint32_t> &counts, const char *shape) {
                run_case(make_case(spec_of(method, form, payload, descending), counts, below(2)), shape);
            };

            for (uint32_t length : quick ? quick_lengths : all_lengths) {
                const uint32_t segments = 1 + uint32_t(below(3)) + (quick ? 3000 : 30000) / (length + 1) % 1000;

                run(std::vector<uint32_t>(segments, length), "equal lengths");
            }
            run(mixed_counts(quick ? 100 : 3000, 2000), "up to 2000");
            run(varied_counts(quick ? 500 : 5000), "lengths that vary");
            run(mixed_counts(quick ? 30 : 60, 70000), "up to 70000");
            for (uint32_t most : {64, 128, 384, 512, 1024, 1280, 1536, 1792, 2048})
                run(counts_between(quick ? 30 : 300, most * 2 / 3, most), "lengths of one class");
            for (uint32_t length : {5000, 9000, 70000, 200000})
                run(std::vector<uint32_t>(1 + below(4), length + below(20)), "long segments");
            if (!quick)
                run({0, 1, 2, 12, 31, 32, 33, 0, 10280, 33335, 1000000, 7, 1000, 65536}, "one giant");
        }
}

}  // namespace

int main(int argc, char **argv)
{
    bool quick = false, each = false;
    std::string only_method, only_form, only_payload;

    begin_test(argc, argv,
               {{"--quick", &quick, nullptr},
                {"--each", &each, nullptr},
                {"--verbose", &verbose, nullptr},
                {"--method", nullptr, &only_method},
                {"--form", nullptr, &only_form},
                {"--payload", nullptr, &only_payload}});
    for (int method = 0; method < GPUSORT_METHOD_COUNT; method++) {
        const long before = cases_run;

        if (!only_method.empty() && only_method != method_names[method])
            continue;
        for (int form = 0; form < GPUSORT_KEY_FORMS; form++) {
            if (!only_form.empty() && only_form != form_names[form])
                continue;
            if (each)
                run_each(GpusortMethod(method), GpusortKeyForm(form), only_payload);
            else
                run_shapes(GpusortMethod(method), GpusortKeyForm(form), quick);
        }
        printf("%-12s %ld batches\n", method_names[method], cases_run - before);
    }
    printf("%ld batches, all right\n", cases_run);
    return cases_run == 0;
}
