/*
 * stream.cu
 *	  Arrays beyond device memory, streamed through it: how close the device module
 *	  comes to the rate at which the host can copy both ways at once.
 *
 *	  stream MODULE [array length] [data MB] [device memory limit MB] [job MB]
 *
 * The data lies in pinned host memory and passes the module's border as the
 * worker's jobs do: copy in, sort, verify, copy out, overlapped between jobs. The
 * two-way rate is measured beside it with plain copies of the same size. Prints
 * one CSV line per run; every array of the result is checked for order.
 */
#include <time.h>

#include <algorithm>
#include <vector>

#include <cuda_runtime.h>

#include "tests/opened_device.h"

namespace
{

constexpr unsigned kInFlight = 12;
constexpr int kRounds = 5;

struct Shape {
    uint32_t length;
    uint64_t data_bytes;
    uint64_t memory_limit;
    uint64_t job_bytes;
};

double now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

void check(cudaError_t code, const char *what)
{
    if (code != cudaSuccess)
        fail(what, cudaGetErrorString(code));
}

/* Bytes per second, both directions together, of copies that run at the same time. */
double two_way_rate(char *in, char *out, uint64_t bytes)
{
    cudaStream_t streams[2];
    char *memory[2];
    double best = 0;

    for (int i = 0; i < 2; i++) {
        check(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), "stream");
        check(cudaMalloc(&memory[i], bytes), "device memory");
    }
    for (int round = 0; round < kRounds; round++) {
        const double begin = now();
        check(cudaMemcpyAsync(memory[0], in, bytes, cudaMemcpyHostToDevice, streams[0]), "copy");
        check(cudaMemcpyAsync(out, memory[1], bytes, cudaMemcpyDeviceToHost, streams[1]), "copy");
        check(cudaDeviceSynchronize(), "copy");
        best = std::max(best, 2 * bytes / (now() - begin));
    }
    for (int i = 0; i < 2; i++) {
        cudaFree(memory[i]);
        cudaStreamDestroy(streams[i]);
    }
    return best;
}

/* Runs all jobs, keeping a bounded number in flight; returns seconds. */
double run_jobs(const OpenedDevice &device, std::vector<GpusortSlabSort> &jobs)
{
    size_t started = 0;
    const double begin = now();

    for (size_t ended = 0; ended < jobs.size(); ended++) {
        while (started < jobs.size() && started - ended < kInFlight)
            device.module->start_job(device.device, &jobs[started++]);
        device.wait();
    }
    return now() - begin;
}

void check_sorted(const float *keys, uint64_t arrays, uint32_t length)
{
    for (uint64_t a = 0; a < arrays; a++)
        if (!std::is_sorted(keys + a * length, keys + (a + 1) * length))
            fail("result", "an array is out of order");
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage", "stream MODULE [length] [data MB] [limit MB] [job MB]");
    Shape shape = {1000, 8192, 512, 8};
    if (argc > 2)
        shape.length = strtoul(argv[2], nullptr, 10);
    if (argc > 3)
        shape.data_bytes = strtoull(argv[3], nullptr, 10);
    if (argc > 4)
        shape.memory_limit = strtoull(argv[4], nullptr, 10);
    if (argc > 5)
        shape.job_bytes = strtoull(argv[5], nullptr, 10);
    shape.data_bytes <<= 20, shape.memory_limit <<= 20, shape.job_bytes <<= 20;

    const uint32_t arrays_per_job = shape.job_bytes / sizeof(float) / shape.length;
    const uint64_t keys_per_job = uint64_t{arrays_per_job} * shape.length;
    const uint64_t njobs = shape.data_bytes / sizeof(float) / keys_per_job;
    const uint64_t nkeys = njobs * keys_per_job;
    const size_t data = nkeys * sizeof(float), table = arrays_per_job * sizeof(GpusortSegment);
    const size_t arena_bytes = (2 * data + table + 4095) / 4096 * 4096;
    const OpenedDevice device(argv[1], arena_bytes, shape.memory_limit);
    char *arena = device.arena;

    float *keys = reinterpret_cast<float *>(arena);
    float *sorted = reinterpret_cast<float *>(arena + data);
    uint64_t state = 88172645463325252u;
    for (uint64_t i = 0; i < nkeys; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        keys[i] = static_cast<float>(static_cast<int32_t>(state));
    }
    auto *segments = reinterpret_cast<GpusortSegment *>(arena + 2 * data);
    for (uint32_t a = 0; a < arrays_per_job; a++)
        segments[a] = {a * shape.length, shape.length};

    std::vector<GpusortSlabSort> jobs(njobs);
    for (uint64_t j = 0; j < njobs; j++) {
        GpusortSlabSort &job = jobs[j];
        job = {};
        job.ticket = j + 1;
        job.spec.form = GPUSORT_KEY_FLOAT32;
        job.verify = true;
        job.keys = keys + j * keys_per_job;
        job.keys_out = sorted + j * keys_per_job;
        job.segments = segments;
        job.nsegments = arrays_per_job;
        job.nslots = keys_per_job;
        job.length_histogram[gpusort_length_bin(shape.length)] = arrays_per_job;
    }

    const double limit = two_way_rate(arena, arena + data, std::min<uint64_t>(data, 1u << 30));
    std::vector<double> seconds;
    run_jobs(device, jobs);
    for (int round = 0; round < kRounds; round++)
        seconds.push_back(run_jobs(device, jobs));
    std::sort(seconds.begin(), seconds.end());
    check_sorted(sorted, njobs * arrays_per_job, shape.length);

    const double rate = 2.0 * data / seconds[kRounds / 2];
    printf("device,length,data_mb,limit_mb,job_mb,stream_gb_per_s,two_way_gb_per_s,share\n");
    printf("%s,%u,%llu,%llu,%llu,%.1f,%.1f,%.3f\n", device.info.name, shape.length,
           static_cast<unsigned long long>(data >> 20), static_cast<unsigned long long>(device.info.memory_limit >> 20),
           static_cast<unsigned long long>(shape.job_bytes >> 20), rate / 1e9, limit / 1e9, rate / limit);
    return 0;
}
