/*
 * test_methods.cu
 *	  Tests the published methods, and their published forms, on a GPU.
 *
 *	  test_methods [cases [seed]]
 *
 * Each case takes a method, a form of key, a direction, a payload, a mix of segment
 * lengths with gaps between them and a distribution at random, sorts, and compares
 * every segment with std::stable_sort of the same codes (or intervals).  Gaps and
 * the bytes around the workspace must stay as they were.  The seed is printed, and
 * a case that fails is described by its number, which repeats it.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "keys/projection.h"
#include "method_variants.cuh"
#include "methods.cuh"

using namespace gpusort;

namespace
{

struct NamedMethod {
    const char *name;
    const Method *method;
};

const NamedMethod methods[] = {
    {"array_sort", &array_sort_method}, {"tagged", &tagged_method},     {"hybrid", &hybrid_method},
    {"matrix", &matrix_method},         {"counting", &counting_method}, {"approximate", &approximate_method},
};

const char *const form_names[] = {"int16", "int32", "uint32", "int64", "uint64", "float32", "float64"};
const char *const distribution_names[] = {"bits", "normal", "narrow", "few", "equal", "sorted", "reversed", "special"};
constexpr int ndistributions = 8;

using Random = std::mt19937_64;

uint64_t code_of(const GpusortSpec &spec, uint64_t bits)
{
    bool tied = spec.payload != GPUSORT_PAYLOAD_NONE;
    switch (gpusort_key_width(spec.form)) {
        case 2:
            return gpusort_encode16((uint16_t)bits);
        case 4:
            return tied ? gpusort_encode32_tied(spec.form, (uint32_t)bits)
                        : gpusort_encode32(spec.form, (uint32_t)bits);
        default:
            return tied ? gpusort_encode64_tied(spec.form, bits) : gpusort_encode64(spec.form, bits);
    }
}

bool is_float(GpusortKeyForm form)
{
    return form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64;
}

double real_of(GpusortKeyForm form, uint64_t bits)
{
    if (form == GPUSORT_KEY_FLOAT32) {
        uint32_t low = (uint32_t)bits;
        float x;
        memcpy(&x, &low, 4);
        return x;
    }
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

uint64_t bits_of(GpusortKeyForm form, double value)
{
    if (form == GPUSORT_KEY_FLOAT32) {
        float x = (float)value;
        uint32_t bits;
        memcpy(&bits, &x, 4);
        return bits;
    }
    if (form == GPUSORT_KEY_FLOAT64) {
        uint64_t bits;
        memcpy(&bits, &value, 8);
        return bits;
    }
    return (uint64_t)(int64_t)value;
}

uint64_t special_key(GpusortKeyForm form, Random &random)
{
    static const double specials[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, 1e-42, -1e-42, 3e38, -3e38};
    if (!is_float(form)) {
        static const uint64_t ends[] = {0, 1, ~0ull, 1ull << 63, ~(1ull << 63), 1ull << 31, 0x7fffffff, 0x8000, 0x7fff};
        return ends[random() % 9];
    }
    switch (random() % 4) {
        case 0: /* any NaN */
            return form == GPUSORT_KEY_FLOAT32 ? (0x7f800001u | (random() & 0x807fffffu))
                                               : (0x7ff0000000000001ull | random());
        case 1:
            return bits_of(form, (double)(int64_t)(random() % 5) - 2);
        default:
            return bits_of(form, specials[random() % 10]);
    }
}

uint64_t random_key(GpusortKeyForm form, int distribution, Random &random)
{
    switch (distribution) {
        case 0:
            return random();
        case 1: {
            double sum = 0;
            for (int i = 0; i < 4; i++)
                sum += (double)(random() >> 33);
            return bits_of(form, form == GPUSORT_KEY_INT16 ? sum / 4 / 65536 - 16384 : sum / 4);
        }
        case 2:
            return bits_of(form, (double)(int)(random() % 200) - 100);
        case 3:
            return bits_of(form, (double)(random() % 7));
        case 4:
            return bits_of(form, 42);
        case 7:
            return special_key(form, random);
        default:
            return random();
    }
}

struct Case {
    GpusortSpec spec = {};
    int method = 0, distribution = 0;
    std::vector<GpusortSegment> segments;
    uint64_t nslots = 0;
    std::vector<uint64_t> keys; /* bits, widened */
    std::vector<uint32_t> payload;
    uint32_t histogram[GPUSORT_LENGTH_CLASSES] = {};
    uint32_t longest = 0;

    void add_segment(uint32_t count, uint32_t gap)
    {
        segments.push_back({(uint32_t)(nslots + gap), count});
        nslots += gap + count;
        histogram[gpusort_length_class(count)]++;
        longest = std::max(longest, count);
    }

    void fill(Random &random)
    {
        keys.resize(nslots);
        payload.resize(nslots);
        for (uint64_t i = 0; i < nslots; i++) {
            keys[i] = random_key(spec.form, distribution, random);
            payload[i] = (uint32_t)random();
        }
        if (distribution == 5 || distribution == 6)
            for (const GpusortSegment &segment : segments) {
                std::sort(keys.begin() + segment.start, keys.begin() + segment.start + segment.count,
                          [&](uint64_t a, uint64_t b) { return code_of(spec, a) < code_of(spec, b); });
                if (distribution == 6)
                    std::reverse(keys.begin() + segment.start, keys.begin() + segment.start + segment.count);
            }
    }

    std::string name() const
    {
        static const char *const payloads[] = {"none", "carried", "index"};
        char text[256];
        snprintf(text, sizeof text, "%s %s %s payload=%s buckets=%u segments=%zu slots=%llu longest=%u %s",
                 methods[method].name, form_names[spec.form], spec.descending ? "desc" : "asc", payloads[spec.payload],
                 spec.buckets, segments.size(), (unsigned long long)nslots, longest, distribution_names[distribution]);
        return text;
    }
};

uint32_t random_length(Random &random, uint32_t most)
{
    uint32_t k = random() % (gpusort_length_class(most) + 1);
    uint64_t top = std::min<uint64_t>((uint64_t)1 << k, most);
    return random() % 8 == 0 ? (uint32_t)top : (uint32_t)(random() % (top + 1));
}

Case random_case(Random &random)
{
    Case c;
    c.method = random() % 6;
    c.spec.form = (GpusortKeyForm)(random() % GPUSORT_KEY_FORMS);
    c.spec.payload = (GpusortPayload)(random() % 3);
    c.spec.descending = random() % 2;
    c.spec.method = (GpusortMethod)(GPUSORT_METHOD_ARRAY_SORT + c.method);
    c.distribution = random() % ndistributions;
    if (methods[c.method].method == &approximate_method) {
        static const uint32_t buckets[] = {1, 2, 3, 10, 256, 257, 10000, 65536, 90000, 20000000, 0xffffffffu};
        c.spec.buckets = buckets[random() % 11];
    }
    static const uint32_t most[] = {3, 40, 300, 1100, 4200, 17000, 70000, 300000};
    uint32_t longest = most[random() % 8];
    uint64_t budget = 20000 + random() % 300000;
    bool gaps = random() % 2, equal = random() % 4 == 0;
    uint32_t same = random_length(random, longest);
    while (c.nslots < budget && c.segments.size() < 20000)
        c.add_segment(equal ? same : random_length(random, longest), gaps ? random() % 5 : 0);
    c.nslots += gaps ? random() % 5 : 0;
    c.nslots = std::max<uint64_t>(c.nslots, 1);
    if (random() % 4 == 0)
        c.longest = gpusort_length_class(c.longest) < 32 ? 1u << gpusort_length_class(c.longest) : c.longest;
    std::shuffle(c.segments.begin(), c.segments.end(), random);
    c.fill(random);
    return c;
}

void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

/* Device memory with guards on both sides. */
struct Guarded {
    static constexpr size_t guard = 4096;
    size_t bytes;
    char *base = nullptr;

    Guarded(size_t n, int poison) : bytes((n + 255) / 256 * 256)
    {
        check(cudaMalloc(&base, bytes + 2 * guard), "cudaMalloc");
        check(cudaMemset(base, poison, bytes + 2 * guard), "cudaMemset");
        check(cudaMemset(base, 0x5a, guard), "cudaMemset");
        check(cudaMemset(base + guard + bytes, 0x5a, guard), "cudaMemset");
    }

    ~Guarded()
    {
        cudaFree(base);
    }

    void *data() const
    {
        return base + guard;
    }

    bool intact() const
    {
        std::vector<unsigned char> bytes_before(guard), bytes_after(guard);
        cudaMemcpy(bytes_before.data(), base, guard, cudaMemcpyDeviceToHost);
        cudaMemcpy(bytes_after.data(), base + guard + bytes, guard, cudaMemcpyDeviceToHost);
        auto wrong = [](unsigned char c) { return c != 0x5a; };
        return std::none_of(bytes_before.begin(), bytes_before.end(), wrong) &&
               std::none_of(bytes_after.begin(), bytes_after.end(), wrong);
    }
};

std::vector<char> narrow(const std::vector<uint64_t> &keys, uint32_t width)
{
    std::vector<char> bytes(keys.size() * width);
    for (size_t i = 0; i < keys.size(); i++)
        memcpy(&bytes[i * width], &keys[i], width);
    return bytes;
}

uint64_t key_at(const std::vector<char> &bytes, uint64_t slot, uint32_t width)
{
    uint64_t key = 0;
    memcpy(&key, &bytes[slot * width], width);
    return key;
}

/* What a segment's keys are ordered by. */
std::vector<uint64_t> order_numbers(const Case &c, const GpusortSegment &segment, const std::vector<char> &keys,
                                    uint32_t width)
{
    std::vector<uint64_t> number(segment.count);
    if (c.spec.buckets == 0) {
        for (uint32_t i = 0; i < segment.count; i++) {
            uint64_t code = code_of(c.spec, key_at(keys, segment.start + i, width));
            number[i] = c.spec.descending ? ~code : code;
        }
        return number;
    }
    GpusortProjection projection;
    if (is_float(c.spec.form)) {
        double least = INFINITY, greatest = -INFINITY;
        for (uint32_t i = 0; i < segment.count; i++) {
            double x = real_of(c.spec.form, key_at(keys, segment.start + i, width));
            if (x - x == 0) {
                least = std::min(least, x);
                greatest = std::max(greatest, x);
            }
        }
        if (least > greatest)
            least = greatest = 0;
        gpusort_project_floats(&projection, c.spec.buckets, c.spec.descending, least, greatest);
        for (uint32_t i = 0; i < segment.count; i++)
            number[i] =
                gpusort_interval_of_float(&projection, real_of(c.spec.form, key_at(keys, segment.start + i, width)));
        return number;
    }
    uint64_t least = UINT64_MAX, greatest = 0;
    for (uint32_t i = 0; i < segment.count; i++) {
        number[i] = gpusort_integer_code(c.spec.form, key_at(keys, segment.start + i, width));
        least = std::min(least, number[i]);
        greatest = std::max(greatest, number[i]);
    }
    if (segment.count != 0)
        gpusort_project_integers(&projection, c.spec.buckets, c.spec.descending, least, greatest);
    for (uint32_t i = 0; i < segment.count; i++)
        number[i] = gpusort_interval_of_code(&projection, number[i]);
    return number;
}

/* Compares a sorted batch with what it must be; says what is wrong, or nothing. */
std::string compare(const Case &c, const std::vector<char> &input, const std::vector<char> &keys,
                    const std::vector<uint32_t> &payload, bool stable)
{
    uint32_t width = gpusort_key_width(c.spec.form);
    std::vector<bool> covered(c.nslots);
    bool with_payload = c.spec.payload != GPUSORT_PAYLOAD_NONE;
    char text[200];

    for (size_t s = 0; s < c.segments.size(); s++) {
        const GpusortSegment &segment = c.segments[s];
        std::vector<uint64_t> number = order_numbers(c, segment, input, width);
        std::vector<uint32_t> order(segment.count);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return number[a] < number[b]; });
        for (uint32_t i = 0; i < segment.count; i++) {
            uint64_t slot = segment.start + i;
            covered[slot] = true;
            if (with_payload && stable) {
                uint32_t want =
                    c.spec.payload == GPUSORT_PAYLOAD_INDEX ? order[i] : c.payload[segment.start + order[i]];
                if (payload[slot] != want) {
                    snprintf(text, sizeof text, "segment %zu (%u keys) payload %u is %u, not %u", s, segment.count, i,
                             payload[slot], want);
                    return text;
                }
            } else if (!with_payload) {
                uint64_t got = key_at(keys, slot, width), want = key_at(input, segment.start + order[i], width);
                bool same = c.spec.buckets != 0 ? got == want : code_of(c.spec, got) == code_of(c.spec, want);
                if (!same) {
                    snprintf(text, sizeof text, "segment %zu (%u keys) key %u is %llx, not %llx", s, segment.count, i,
                             (unsigned long long)got, (unsigned long long)want);
                    return text;
                }
            }
        }
    }
    for (uint64_t slot = 0; slot < c.nslots; slot++)
        if (!covered[slot] &&
            (key_at(keys, slot, width) != key_at(input, slot, width) || payload[slot] != c.payload[slot])) {
            snprintf(text, sizeof text, "the gap at slot %llu was written", (unsigned long long)slot);
            return text;
        }
    return "";
}

/* The device side of a case. */
struct Run {
    std::vector<char> input;
    Guarded keys, payload, segments;
    SegmentBatch batch = {};

    explicit Run(const Case &c)
        : input(narrow(c.keys, gpusort_key_width(c.spec.form))),
          keys(input.size(), 0),
          payload(c.nslots * 4, 0),
          segments(c.segments.size() * sizeof(GpusortSegment), 0)
    {
        cudaMemcpy(keys.data(), input.data(), input.size(), cudaMemcpyHostToDevice);
        cudaMemcpy(payload.data(), c.payload.data(), c.nslots * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(segments.data(), c.segments.data(), c.segments.size() * sizeof(GpusortSegment),
                   cudaMemcpyHostToDevice);
        batch.spec = c.spec;
        batch.keys = keys.data();
        batch.payload = c.spec.payload == GPUSORT_PAYLOAD_NONE ? nullptr : static_cast<uint32_t *>(payload.data());
        batch.segments = static_cast<const GpusortSegment *>(segments.data());
        batch.nsegments = (uint32_t)c.segments.size();
        batch.nslots = c.nslots;
        batch.length_histogram = c.histogram;
        batch.longest = c.longest;
    }

    std::string result(const Case &c, const Guarded &workspace, const void *sorted_keys, const void *sorted_payload,
                       bool stable)
    {
        cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) {
            printf("%s\n", c.name().c_str());
            check(error, "device");
        }
        std::vector<char> out(input.size());
        std::vector<uint32_t> values(c.nslots);
        cudaMemcpy(out.data(), sorted_keys, out.size(), cudaMemcpyDeviceToHost);
        cudaMemcpy(values.data(), sorted_payload, c.nslots * 4, cudaMemcpyDeviceToHost);
        if (!keys.intact() || !payload.intact() || !segments.intact() || !workspace.intact())
            return "memory around a buffer was written";
        return compare(c, input, out, values, stable);
    }

    std::string result(const Case &c, const Guarded &workspace)
    {
        return result(c, workspace, keys.data(), payload.data(), true);
    }
};

std::string run_method(const Case &c)
{
    const Method &method = *methods[c.method].method;
    if (const char *reason = method.refuses(c.spec))
        return std::string("refused: ") + reason;
    Run run(c);
    Guarded workspace(method.workspace_bytes(run.batch), 0xa5);
    check(method.sort(run.batch, workspace.data(), workspace.bytes, 0), "sort");
    return run.result(c, workspace);
}

int failures = 0;

void report(const char *what, int number, const Case &c, const std::string &wrong)
{
    if (wrong.empty())
        return;
    failures++;
    printf("FAILED %s %d: %s: %s\n", what, number, c.name().c_str(), wrong.c_str());
}

Case one_segment(uint32_t count, GpusortKeyForm form, int distribution, Random &random)
{
    Case c;
    c.spec.form = form;
    c.distribution = distribution;
    c.add_segment(count, 0);
    c.fill(random);
    return c;
}

/* The forms as published. */
void test_paper_forms(int cases, Random &random)
{
    for (int i = 0; i < cases; i++) {
        Case c;
        c.spec.form = (GpusortKeyForm)(random() % GPUSORT_KEY_FORMS);
        c.spec.descending = random() % 2;
        c.distribution = random() % ndistributions;
        uint32_t most = random() % 2 ? 5000 : 200;
        while (c.nslots < 60000)
            c.add_segment(random_length(random, most), random() % 3);
        c.fill(random);
        Run run(c);
        Guarded workspace(array_sort_paper_workspace(run.batch), 0xa5);
        check(array_sort_paper(run.batch, workspace.data(), 0), "array_sort_paper");
        report("array_sort_paper", i, c, run.result(c, workspace));
    }
    for (int i = 0; i < cases; i++) {
        Case c = one_segment(1 + random() % 5000, GPUSORT_KEY_INT32, random() % 2 ? 2 : 3, random);
        c.spec.descending = random() % 2;
        uint32_t threads = i % 3 == 0 ? 0 : i % 3 == 1 ? 64 : 16384;
        {
            Run run(c);
            Guarded workspace(count_array_workspace(run.batch, 256, threads), 0xa5);
            check(count_array_sort(run.batch, 256, threads, workspace.data(), 0), "count_array_sort");
            report("count_array_sort", i, c, run.result(c, workspace));
        }
        if (c.longest >= 256) {
            Run run(c);
            Guarded workspace(one_hot_workspace(run.batch), 0xa5);
            check(one_hot_sort(run.batch, workspace.data(), 0), "one_hot_sort");
            report("one_hot_sort", i, c, run.result(c, workspace));
        }
        c = one_segment(1 + random() % 20000, i % 2 ? GPUSORT_KEY_FLOAT32 : GPUSORT_KEY_INT32,
                        random() % ndistributions, random);
        {
            Run run(c);
            Guarded workspace(matrix_by_threads_workspace(run.batch), 0xa5);
            check(matrix_sort_by_threads(run.batch, 1 + random() % 300, workspace.data(), 0), "matrix_sort_by_threads");
            report("matrix_sort_by_threads", i, c, run.result(c, workspace));
        }
        c.spec.payload = GPUSORT_PAYLOAD_CARRIED;
        c.spec.buckets = 1 + random() % 20000;
        for (int atomic = 0; atomic < 2; atomic++) {
            Run run(c);
            SortedPairs sorted;
            Guarded workspace(atomic ? approximate_atomic_workspace(run.batch) : approximate_pairs_workspace(run.batch),
                              0xa5);
            check(atomic ? approximate_sort_atomic(run.batch, workspace.data(), 0, &sorted)
                         : approximate_sort_pairs(run.batch, workspace.data(), 0, &sorted),
                  "approximate_sort_pairs");
            report(atomic ? "approximate_sort_atomic" : "approximate_sort_pairs", i, c,
                   run.result(c, workspace, sorted.keys, sorted.payload, !atomic));
            if (atomic) {
                /* Any order within an interval: the pairs are the input's, and intervals ascend. */
                std::vector<uint32_t> keys(c.nslots), values(c.nslots);
                cudaMemcpy(keys.data(), sorted.keys, c.nslots * 4, cudaMemcpyDeviceToHost);
                cudaMemcpy(values.data(), sorted.payload, c.nslots * 4, cudaMemcpyDeviceToHost);
                std::vector<std::pair<uint64_t, uint64_t>> want, got;
                std::vector<char> bytes(c.nslots * 4);
                memcpy(bytes.data(), keys.data(), bytes.size());
                std::vector<uint64_t> intervals = order_numbers(c, c.segments[0], bytes, 4);
                for (uint64_t k = 0; k < c.nslots; k++) {
                    want.push_back({(uint32_t)c.keys[k], c.payload[k]});
                    got.push_back({keys[k], values[k]});
                }
                std::sort(want.begin(), want.end());
                std::sort(got.begin(), got.end());
                if (want != got || !std::is_sorted(intervals.begin(), intervals.end()))
                    report("approximate_sort_atomic", i, c, "pairs or intervals are wrong");
            }
        }
    }
}

}  // namespace

int main(int argc, char **argv)
{
    int cases = argc > 1 ? atoi(argv[1]) : 300;
    uint64_t seed = argc > 2 ? strtoull(argv[2], nullptr, 10) : std::random_device()();
    printf("seed %llu, %d cases\n", (unsigned long long)seed, cases);
    for (int i = 0; i < cases; i++) {
        Random random(seed * 1000003 + i);
        Case c = random_case(random);
        report("case", i, c, run_method(c));
    }
    for (int m = 0; m < 6; m++) { /* one segment far longer than a block holds, and the refusals */
        Random random(seed + m);
        Case c = one_segment(3000001, m % 2 ? GPUSORT_KEY_FLOAT32 : GPUSORT_KEY_INT64, m == 4 ? 1 : 0, random);
        c.method = m;
        c.spec.payload = m % 2 ? GPUSORT_PAYLOAD_CARRIED : GPUSORT_PAYLOAD_NONE;
        bool approximate = methods[m].method == &approximate_method;
        c.spec.buckets = approximate ? 10000 : 0;
        report("long", m, c, run_method(c));
        c.spec.buckets = approximate ? 0 : 10000;
        if (methods[m].method->refuses(c.spec) == nullptr)
            report("refusal", m, c, "it was not refused");
    }
    Random random(seed);
    test_paper_forms(cases / 10 + 1, random);
    printf(failures == 0 ? "all methods ok\n" : "%d failures\n", failures);
    return failures != 0;
}
