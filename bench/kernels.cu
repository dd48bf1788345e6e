/*
 * kernels.cu
 *	  Benchmark of the device's methods and of the public code beside them.
 *
 *	  kernels_bench [--csv FILE] [--keys LOG2] [SECTION…]
 *
 * Without sections all run; --help lists them.  Writes a table to standard output
 * and, with --csv, a file that names device, date and commit.
 */
#include <cub/device/device_for.cuh>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>

#include "kernels/bench.cuh"
#include "device/verify.cuh"

namespace bench
{

const char *const keys_names[] = {"uniform", "gaussian", "sorted", "reversed", "equal", "few"};
const char *const form_names[] = {"int16", "int32", "uint32", "int64", "uint64", "float32", "float64"};
const char *const method_names[] = {
#define METHOD_NAME(symbol, name) name,
    GPUSORT_METHODS(METHOD_NAME)
#undef METHOD_NAME
};
static const char *const payload_names[] = {"none", "carried", "index"};

uint64_t total_keys = UINT64_C(1) << 28;

namespace
{

FILE *csv;
bool all_right = true;
constexpr int RUNS = 7;       /* timed, after one to warm up, */
constexpr float ENOUGH = 500; /* or fewer once they took so many milliseconds */

std::vector<Section *> &sections()
{
    static std::vector<Section *> all;

    return all;
}

__device__ uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A key of the distribution at place i of n of its segment. */
struct Filler {
    GpusortKeyForm form;
    Keys keys;
    void *memory;
    const GpusortSegment *segments;
    uint32_t nsegments;

    __device__ void operator()(uint32_t number) const
    {
        const GpusortSegment segment = segments[number];

        for (uint32_t i = 0; i < segment.count; i++)
            put(segment.start + i, i, segment.count);
    }

    __device__ void put(uint64_t slot, uint32_t i, uint32_t n) const
    {
        const uint64_t random = mixed(slot * 2 + 12345);
        double number;

        switch (keys) {
            case Keys::GAUSSIAN: {
                const double u = (double(random >> 33) + 1) / 2147483649.0,
                             v = double(random & 0xffffffff) / 4294967296.0;

                number = 1e8 * sqrt(-2 * log(u)) * cospi(2 * v);
                break;
            }
            case Keys::SORTED:
                number = i;
                break;
            case Keys::REVERSED:
                number = n - i;
                break;
            case Keys::EQUAL:
                number = 7;
                break;
            case Keys::FEW:
                number = random % 10;
                break;
            default:
                number = double(random >> 33);
        }
        switch (form) {
            case GPUSORT_KEY_FLOAT32:
                static_cast<float *>(memory)[slot] = float(number);
                break;
            case GPUSORT_KEY_FLOAT64:
                static_cast<double *>(memory)[slot] = keys == Keys::UNIFORM ? double(random >> 11) : number;
                break;
            case GPUSORT_KEY_INT16:
                static_cast<int16_t *>(memory)[slot] = keys == Keys::UNIFORM    ? int16_t(random >> 40)
                                                       : keys == Keys::GAUSSIAN ? int16_t(number / 16384)
                                                                                : int16_t(number);
                break;
            case GPUSORT_KEY_INT32:
            case GPUSORT_KEY_UINT32:
                static_cast<int32_t *>(memory)[slot] = int32_t(number);
                break;
            default:
                static_cast<int64_t *>(memory)[slot] = keys == Keys::UNIFORM ? int64_t(random >> 1) : int64_t(number);
        }
    }
};

struct EqualFiller {
    Filler filler;
    uint32_t n;

    __device__ void operator()(uint64_t slot) const
    {
        filler.put(slot, uint32_t(slot % n), n);
    }
};

struct Counter {
    uint32_t *memory;

    __device__ void operator()(uint64_t i) const
    {
        memory[i] = uint32_t(mixed(i));
    }
};

uint64_t slots_of(const std::vector<uint32_t> &counts, uint32_t gap, uint32_t first)
{
    return std::accumulate(counts.begin(), counts.end(), uint64_t(first)) + uint64_t(gap) * counts.size();
}

}  // namespace

void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

Memory::Memory(size_t bytes)
{
    check(cudaMalloc(&start, bytes + 256), "cudaMalloc");
}

Memory::~Memory()
{
    cudaFree(start);
}

Data::Data(GpusortKeyForm form, GpusortPayload payload, const std::vector<uint32_t> &counts, Keys keys, uint32_t gap,
           uint32_t first)
    : nkeys(std::accumulate(counts.begin(), counts.end(), uint64_t(0))),
      nslots(slots_of(counts, gap, first)),
      keys_memory(nslots * gpusort_key_width(form)),
      original(nslots * gpusort_key_width(form)),
      payload_memory(payload == GPUSORT_PAYLOAD_NONE ? 0 : nslots * 4),
      payload_original(payload == GPUSORT_PAYLOAD_CARRIED ? nslots * 4 : 0),
      segments_memory(counts.size() * sizeof(GpusortSegment))
{
    uint64_t start = first;
    bool equal = true;

    spec.form = form;
    spec.payload = payload;
    segments.reserve(counts.size());
    for (uint32_t count : counts) {
        segments.push_back({uint32_t(start), count});
        start += count + gap;
        histogram[gpusort_length_bin(count)]++;
        longest = std::max(longest, count);
        equal = equal && count == counts[0];
    }
    check(cudaMemcpy(segments_memory.as(), segments.data(), segments.size() * sizeof(GpusortSegment),
                     cudaMemcpyHostToDevice),
          "copying segments");

    const Filler filler = {form, keys, original.as(), segments_memory.as<GpusortSegment>(), uint32_t(segments.size())};

    if (equal || keys == Keys::UNIFORM)
        check(cub::DeviceFor::Bulk(nslots, EqualFiller{filler, counts[0] + gap}), "filling");
    else
        check(cub::DeviceFor::Bulk(uint32_t(segments.size()), filler), "filling");
    if (payload == GPUSORT_PAYLOAD_CARRIED)
        check(cub::DeviceFor::Bulk(nslots, Counter{payload_original.as<uint32_t>()}), "filling");
    check(cudaDeviceSynchronize(), "filling");
}

SegmentBatch Data::batch(GpusortMethod method) const
{
    SegmentBatch batch = {};

    batch.spec = spec;
    batch.spec.method = method;
    batch.keys = keys_memory.as();
    batch.payload = spec.payload == GPUSORT_PAYLOAD_NONE ? nullptr : payload_memory.as<uint32_t>();
    batch.segments = segments_memory.as<GpusortSegment>();
    batch.nsegments = uint32_t(segments.size());
    batch.nslots = nslots;
    batch.length_histogram = histogram;
    batch.longest = longest;
    return batch;
}

size_t Data::key_bytes() const
{
    return nslots * gpusort_key_width(spec.form);
}

void Data::set_keys(const void *device_keys) const
{
    check(cudaMemcpy(original.as(), device_keys, key_bytes(), cudaMemcpyDeviceToDevice), "setting keys");
}

void Data::restore() const
{
    check(cudaMemcpyAsync(keys_memory.as(), original.as(), key_bytes(), cudaMemcpyDeviceToDevice), "restoring");
    if (spec.payload == GPUSORT_PAYLOAD_CARRIED)
        check(cudaMemcpyAsync(payload_memory.as(), payload_original.as(), nslots * 4, cudaMemcpyDeviceToDevice),
              "restoring");
}

bool Data::right(const SegmentBatch &sorted) const
{
    SegmentBatch input = batch(), result = sorted;
    uint32_t failed = 1;

    input.keys = original.as();
    if (spec.payload == GPUSORT_PAYLOAD_CARRIED) {
        /* Of a carried payload only the digest is checked, as of keys in intervals. */
        result.spec = {GPUSORT_KEY_UINT32, GPUSORT_PAYLOAD_NONE, spec.method, false, 0, 1};
        result.keys = sorted.payload;
        input.keys = payload_original.as();
    }
    input.spec = result.spec;

    Memory space(verify_bytes(input)), device_failed(4);

    check(verify_begin(input, space.as(), nullptr), "verify_begin");
    check(verify_end(result, space.as(), device_failed.as<uint32_t>(), nullptr), "verify_end");
    check(cudaMemcpy(&failed, device_failed.as(), 4, cudaMemcpyDeviceToHost), "verifying");
    return failed == 0;
}

Result measure(const Data &data, const SegmentBatch &sorted, const std::function<cudaError_t()> &work)
{
    std::vector<float> times;
    cudaEvent_t before, after;
    float total = 0;
    Result result;

    cudaEventCreate(&before);
    cudaEventCreate(&after);
    for (int run = 0; run <= RUNS; run++) {
        float milliseconds;

        data.restore();
        check(cudaEventRecord(before), "timing");
        check(work(), "sorting");
        check(cudaEventRecord(after), "timing");
        check(cudaEventSynchronize(after), "sorting");
        check(cudaEventElapsedTime(&milliseconds, before, after), "timing");
        if (run > 0)
            times.push_back(milliseconds);
        total += milliseconds;
        if (run >= 3 && total > ENOUGH)
            break;
    }
    std::sort(times.begin(), times.end());
    result.milliseconds = times[times.size() / 2];
    result.spread = (times.back() - times.front()) / result.milliseconds;
    result.right = data.right(sorted);
    all_right = all_right && result.right;
    cudaEventDestroy(before);
    cudaEventDestroy(after);
    return result;
}

Result measure_method(const Data &data, const SegmentBatch &batch)
{
    const size_t bytes = workspace_bytes(batch);
    Memory workspace(bytes);
    Result result = measure(data, batch, [&] { return sort_segments(batch, workspace.as(), nullptr, nullptr); });

    result.workspace = bytes;
    return result;
}

void report(const char *what, const Data &data, GpusortKeyForm form, GpusortPayload payload, const std::string &shape,
            Keys keys, const Result &result)
{
    const double rate = double(data.nkeys) / result.milliseconds / 1e6;

    printf("%-24s %-8s %-8s %-14s %-9s %9.1f Gkeys/s  ±%4.1f %%  workspace %6.2f %%  %s\n", what, form_names[form],
           payload_names[payload], shape.c_str(), keys_names[int(keys)], rate, 50 * result.spread,
           100.0 * double(result.workspace) / double(data.key_bytes()), result.right ? "right" : "WRONG");
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%s,%s,%s,%llu,%zu,%.4f,%.2f,%.3f,%zu,%s\n", what, form_names[form], payload_names[payload],
                shape.c_str(), keys_names[int(keys)], (unsigned long long)data.nkeys, data.segments.size(),
                result.milliseconds, rate, result.spread, result.workspace, result.right ? "yes" : "no");
}

std::vector<uint32_t> equal_counts(uint64_t nkeys, uint32_t n)
{
    return std::vector<uint32_t>(nkeys / n, n);
}

Section::Section(const char *section_name, const char *section_what, void (*section_run)())
    : name(section_name), what(section_what), run(section_run)
{
    sections().push_back(this);
}

}  // namespace bench

using namespace bench;

int main(int argc, char **argv)
{
    std::vector<std::string> wanted;
    const char *commit = getenv("COMMIT");
    cudaDeviceProp device;
    char date[32];
    const time_t now = time(nullptr);

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--csv") && i + 1 < argc)
            csv = fopen(argv[++i], "w");
        else if (!strcmp(argv[i], "--keys") && i + 1 < argc)
            total_keys = UINT64_C(1) << atoi(argv[++i]);
        else if (argv[i][0] == '-') {
            printf("usage: %s [--csv FILE] [--keys LOG2] [SECTION…]\n", argv[0]);
            for (Section *section : sections())
                printf("  %-12s %s\n", section->name, section->what);
            return 2;
        } else
            wanted.push_back(argv[i]);
    }
    check(cudaGetDeviceProperties(&device, 0), "device");
    strftime(date, sizeof date, "%Y-%m-%dT%H:%MZ", gmtime(&now));
    printf("%s, %s, commit %s\n", device.name, date, commit ? commit : "unknown");
    if (csv)
        fprintf(csv,
                "# device %s, date %s, commit %s\nwhat,form,payload,shape,keys,nkeys,nsegments,milliseconds,"
                "gkeys_per_s,spread,workspace_bytes,right\n",
                device.name, date, commit ? commit : "unknown");
    for (Section *section : sections())
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), section->name) != wanted.end()) {
            const time_t start = time(nullptr);

            printf("-- %s: %s\n", section->name, section->what);
            section->run();
            printf("-- %s took %d s\n", section->name, int(time(nullptr) - start));
        }
    if (csv)
        fclose(csv);
    if (!all_right)
        printf("A RESULT WAS WRONG\n");
    return all_right ? 0 : 1;
}
