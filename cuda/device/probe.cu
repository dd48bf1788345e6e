/*
 * probe.cu
 *	  Says what the device is and measures how fast data moves to it and back.
 *
 * The worker publishes the rates for the cost model. They are measured in a few
 * milliseconds on pinned memory, to the device from the arena itself, after a first copy
 * has woken the link. The latency is that of an empty kernel with small copies to the
 * device and back. If this module has no code for the device, that kernel fails.
 */
#include <stdio.h>
#include <time.h>

#include <algorithm>

#include "device/device.cuh"
#include "segment_sort.cuh"

namespace gpusort
{
namespace
{

constexpr size_t kProbeBytes = size_t{32} << 20;
constexpr int kProbeRounds = 3;

__global__ void do_nothing()
{
}

bool describe(GpusortDevice *device, GpusortDeviceInfo *info, GpusortDeviceError *error)
{
    cudaDeviceProp properties;
    int driver = 0;
    cudaError_t code = cudaGetDeviceProperties(&properties, device->ordinal);

    if (code == cudaSuccess)
        code = cudaDriverGetVersion(&driver);
    if (code != cudaSuccess) {
        set_error(error, code, "describing the device");
        return false;
    }
    snprintf(info->name, sizeof(info->name), "%.127s", properties.name);
    snprintf(info->driver, sizeof(info->driver), "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    info->memory_bytes = properties.totalGlobalMem;
    info->memory_limit = device->memory_limit;
    return true;
}

/* The rate of the fastest of a few copies between host and device, in bytes per second. */
cudaError_t copy_rate(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                      cudaEvent_t begin, cudaEvent_t end, double *rate)
{
    float best = 0;

    for (int round = 0; round <= kProbeRounds; round++) {
        float milliseconds = 0;
        cudaError_t code = cudaEventRecord(begin, stream);
        if (code == cudaSuccess)
            code = cudaMemcpyAsync(to, from, bytes, kind, stream);
        if (code == cudaSuccess)
            code = cudaEventRecord(end, stream);
        if (code == cudaSuccess)
            code = cudaEventSynchronize(end);
        if (code == cudaSuccess)
            code = cudaEventElapsedTime(&milliseconds, begin, end);
        if (code != cudaSuccess)
            return code;
        if (round == 1 || (round > 1 && milliseconds < best))
            best = milliseconds;
    }
    *rate = bytes / (best / 1e3);
    return cudaSuccess;
}

/* The time from starting an empty job to knowing that it ended, in seconds. */
cudaError_t round_trip(void *device_memory, void *host, cudaStream_t stream, double *seconds)
{
    double best = 1;

    for (int round = 0; round < 10; round++) {
        timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        cudaError_t code = cudaMemcpyAsync(device_memory, host, 64, cudaMemcpyHostToDevice, stream);
        if (code == cudaSuccess) {
            do_nothing<<<1, 32, 0, stream>>>();
            code = cudaGetLastError();
        }
        if (code == cudaSuccess)
            code = cudaMemcpyAsync(host, device_memory, 64, cudaMemcpyDeviceToHost, stream);
        if (code == cudaSuccess)
            code = cudaStreamSynchronize(stream);
        if (code != cudaSuccess)
            return code;
        clock_gettime(CLOCK_MONOTONIC, &end);
        best = std::min(best, (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) / 1e9);
    }
    *seconds = best;
    return cudaSuccess;
}

}  // namespace

/* Fills *info. Only reads the arena, because after a restart backends have data in it. */
bool probe_device(GpusortDevice *device, GpusortDeviceInfo *info, GpusortDeviceError *error)
{
    const size_t bytes = std::min({kProbeBytes, device->arena_bytes, static_cast<size_t>(device->memory_limit)});
    cudaStream_t stream = device->lanes[0].work;
    cudaEvent_t begin = device->take_event(), end = device->take_event();
    void *memory = nullptr, *host = nullptr;

    if (!describe(device, info, error))
        return false;
    cudaError_t code = cudaMallocHost(&host, bytes);
    if (code == cudaSuccess)
        code = cudaMallocFromPoolAsync(&memory, bytes, device->pool, stream);
    if (code == cudaSuccess)
        code = copy_rate(memory, device->arena, bytes, cudaMemcpyHostToDevice, stream, begin, end,
                         &info->to_device_bytes_per_s);
    if (code == cudaSuccess)
        code =
            copy_rate(host, memory, bytes, cudaMemcpyDeviceToHost, stream, begin, end, &info->from_device_bytes_per_s);
    if (code == cudaSuccess)
        code = round_trip(memory, host, stream, &info->latency_s);
    if (memory)
        cudaFreeAsync(memory, stream);
    if (host)
        cudaFreeHost(host);
    device->spare_events.push_back(begin);
    device->spare_events.push_back(end);
    if (code != cudaSuccess)
        set_error(error, code, "trying the device");
    return code == cudaSuccess;
}

}  // namespace gpusort
