/*
 * device.cu
 *	  The device module's exported table: opens a device, hands out ended tickets.
 *
 * CUDA starts threads of its own when a context is made; they inherit the signal
 * mask of the opening thread, so everything is blocked meanwhile: the worker's
 * signals must reach its main thread alone.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "device.cuh"
#include "segment_sort.cuh"

namespace gpusort
{

void set_error(GpusortDeviceError *error, cudaError_t code, const char *doing)
{
    switch (code) {
        case cudaErrorMemoryAllocation:
            error->status = GPUSORT_DEVICE_OUT_OF_MEMORY;
            break;
        case cudaErrorNoDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorDevicesUnavailable:
        case cudaErrorInvalidDevice:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorCompatNotSupportedOnDevice:
        case cudaErrorNoKernelImageForDevice:
            error->status = GPUSORT_DEVICE_UNAVAILABLE;
            break;
        default:
            error->status = GPUSORT_DEVICE_FAULT;
    }
    snprintf(error->message, sizeof(error->message), "%s: %s", doing, cudaGetErrorString(code));
    cudaGetLastError(); /* a sticky error comes back by itself */
}

namespace
{

/* Ends the ticket from CUDA's callback thread: no CUDA call is allowed here. */
void CUDART_CB ticket_ended(cudaStream_t, cudaError_t code, void *argument)
{
    Ticket *ticket = static_cast<Ticket *>(argument);
    const uint64_t one = 1;
    const int event_fd = ticket->event_fd;

    ticket->stream_error.store(code);
    ticket->ended.store(true); /* the ticket may be gone after this */
    while (write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

double seconds_between(cudaEvent_t from, cudaEvent_t to)
{
    float milliseconds = 0;

    if (!from || !to || cudaEventElapsedTime(&milliseconds, from, to) != cudaSuccess)
        return 0;
    return milliseconds / 1e3;
}

/* Says how an ended ticket went, and takes back what it borrowed. */
GpusortDeviceOutcome settle(GpusortDevice *device, Ticket *ticket)
{
    GpusortDeviceOutcome outcome = {};
    const cudaError_t code = static_cast<cudaError_t>(ticket->stream_error.load());

    outcome.ticket = ticket->number;
    outcome.error = ticket->error;
    outcome.method = ticket->method;
    if (code != cudaSuccess) {
        set_error(&outcome.error, code, "running a job");
        outcome.error.status = GPUSORT_DEVICE_FAULT;
    } else if (outcome.error.status == GPUSORT_DEVICE_OK && ticket->failed_check && *ticket->failed_check != 0) {
        outcome.error.status = GPUSORT_DEVICE_NOT_VERIFIED;
        snprintf(outcome.error.message, sizeof(outcome.error.message), "a segment is out of order or has lost keys");
    }
    if (outcome.error.status == GPUSORT_DEVICE_OK) {
        outcome.copy_in_s = seconds_between(ticket->border[kCopyIn], ticket->border[kCopyIn + 1]);
        outcome.sort_s = seconds_between(ticket->border[kSort], ticket->border[kSort + 1]);
        outcome.verify_s = seconds_between(ticket->border[kDigest], ticket->border[kDigest + 1]) +
                           seconds_between(ticket->border[kVerify], ticket->border[kVerify + 1]);
        outcome.copy_out_s = seconds_between(ticket->border[kCopyOut], ticket->border[kCopyOut + 1]);
    }
    for (cudaEvent_t event : ticket->border)
        if (event)
            device->spare_events.push_back(event);
    if (ticket->failed_check)
        device->spare_flags.push_back(ticket->failed_check);
    device->count_freed(ticket->bytes);
    return outcome;
}

int device_count(GpusortDeviceError *error)
{
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);

    error->status = GPUSORT_DEVICE_OK;
    error->message[0] = '\0';
    if (code != cudaSuccess) {
        set_error(error, code, "counting devices");
        return 0;
    }
    return count;
}

/* Makes the pool that all device memory comes from, capped at the limit. */
bool open_pool(GpusortDevice *device, uint64_t memory_limit, GpusortDeviceError *error)
{
    size_t free_bytes = 0, total_bytes = 0;
    cudaError_t code = cudaMemGetInfo(&free_bytes, &total_bytes);

    if (code != cudaSuccess) {
        set_error(error, code, "asking for device memory");
        return false;
    }
    const uint64_t reserve = total_bytes / 16;
    const uint64_t available = free_bytes > reserve ? free_bytes - reserve : free_bytes / 2;
    device->memory_limit = memory_limit && memory_limit < available ? memory_limit : available;

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device->ordinal;
    properties.maxSize = device->memory_limit;
    uint64_t keep = UINT64_MAX;
    code = cudaMemPoolCreate(&device->pool, &properties);
    if (code == cudaSuccess)
        code = cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    if (code != cudaSuccess)
        set_error(error, code, "making a memory pool");
    return code == cudaSuccess;
}

bool open_streams(GpusortDevice *device, GpusortDeviceError *error)
{
    for (cudaStream_t &stream : device->streams) {
        const cudaError_t code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        if (code != cudaSuccess) {
            set_error(error, code, "making a stream");
            return false;
        }
    }
    return true;
}

GpusortDevice *open_masked(int ordinal, uint64_t memory_limit, void *arena, size_t arena_bytes, int event_fd,
                           GpusortDeviceInfo *info, GpusortDeviceError *error)
{
    std::unique_ptr<GpusortDevice> device(new GpusortDevice);
    cudaError_t code = cudaInitDevice(ordinal, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid);

    if (code == cudaSuccess)
        code = cudaSetDevice(ordinal);
    if (code != cudaSuccess) {
        set_error(error, code, "opening the device");
        return nullptr;
    }
    device->ordinal = ordinal;
    device->event_fd = event_fd;
    code = cudaHostRegister(arena, arena_bytes, cudaHostRegisterDefault);
    if (code != cudaSuccess) {
        set_error(error, code, "pinning the arena");
        return nullptr;
    }
    device->arena = arena;
    device->arena_bytes = arena_bytes;
    if (!open_pool(device.get(), memory_limit, error) || !open_streams(device.get(), error) ||
        !probe_device(device.get(), info, error))
        return nullptr;
    return device.release();
}

GpusortDevice *open_device(int ordinal, uint64_t memory_limit, void *arena, size_t arena_bytes, int event_fd,
                           GpusortDeviceInfo *info, GpusortDeviceError *error)
{
    sigset_t all, before;

    memset(info, 0, sizeof(*info));
    memset(error, 0, sizeof(*error));
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    GpusortDevice *device = open_masked(ordinal, memory_limit, arena, arena_bytes, event_fd, info, error);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return device;
}

void close_device(GpusortDevice *device)
{
    delete device;
}

const char *device_refuses(GpusortDevice *, const GpusortSpec *spec)
{
    return refuses(*spec);
}

bool poll(GpusortDevice *device, GpusortDeviceOutcome *outcome)
{
    auto &running = device->running;

    if (device->ready.empty()) {
        bool any = false;
        for (size_t i = 0; i < running.size();) {
            if (!running[i]->ended.load()) {
                i++;
                continue;
            }
            device->ready.push_back(settle(device, running[i].get()));
            running.erase(running.begin() + i);
            any = true;
        }
        if (any)
            start_waiting_jobs(device);
        if (running.empty() && device->sessions.empty() && device->pool_swollen)
            device->shrink_pool();
    }
    if (device->ready.empty())
        return false;
    *outcome = device->ready.front();
    device->ready.erase(device->ready.begin());
    return true;
}

void memory_in_use(GpusortDevice *device, uint64_t *now, uint64_t *peak)
{
    *now = device->memory_used;
    *peak = device->memory_peak;
}

}  // namespace
}  // namespace gpusort

GpusortDevice::~GpusortDevice()
{
    cudaDeviceSynchronize();
    sessions.clear();
    for (auto &ticket : running)
        for (cudaEvent_t event : ticket->border)
            if (event)
                cudaEventDestroy(event);
    for (cudaEvent_t event : spare_events)
        cudaEventDestroy(event);
    for (uint32_t *flag : spare_flags)
        cudaFreeHost(flag);
    for (cudaStream_t stream : streams)
        if (stream)
            cudaStreamDestroy(stream);
    if (pool)
        cudaMemPoolDestroy(pool);
    if (arena)
        cudaHostUnregister(arena);
}

/* Takes memory from the pool, to be freed in the order of the stream, and counts it. */
cudaError_t GpusortDevice::take_memory(void **memory, uint64_t bytes, cudaStream_t stream)
{
    if (bytes > memory_limit - memory_used)
        return cudaErrorMemoryAllocation;
    const cudaError_t code = cudaMallocFromPoolAsync(memory, bytes, pool, stream);
    if (code != cudaSuccess) {
        cudaGetLastError();
        return code;
    }
    memory_used += bytes;
    memory_peak = std::max(memory_peak, memory_used);
    pool_swollen |= memory_used > gpusort::kIdlePoolBytes;
    return cudaSuccess;
}

void GpusortDevice::count_freed(uint64_t bytes)
{
    memory_used -= bytes;
}

/* Leaves an idle device's memory to others, but for what jobs usually need. */
void GpusortDevice::shrink_pool()
{
    uint64_t held = 0;

    cudaMemPoolTrimTo(pool, gpusort::kIdlePoolBytes);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held);
    pool_swollen = held > 2 * gpusort::kIdlePoolBytes;
}

cudaStream_t GpusortDevice::pick_stream()
{
    return streams[next_stream++ % gpusort::kStreams];
}

cudaEvent_t GpusortDevice::take_event()
{
    cudaEvent_t event = nullptr;

    if (!spare_events.empty()) {
        event = spare_events.back();
        spare_events.pop_back();
    } else {
        cudaEventCreate(&event); /* on failure the stage is not timed */
    }
    return event;
}

/* A pinned flag that is 0, or null if none can be had. */
uint32_t *GpusortDevice::take_flag()
{
    uint32_t *flag = nullptr;

    if (!spare_flags.empty()) {
        flag = spare_flags.back();
        spare_flags.pop_back();
    } else if (cudaMallocHost(&flag, sizeof(*flag)) != cudaSuccess) {
        return nullptr;
    }
    *flag = 0;
    return flag;
}

gpusort::Ticket *GpusortDevice::begin_ticket(uint64_t number)
{
    running.emplace_back(new gpusort::Ticket);
    gpusort::Ticket *ticket = running.back().get();
    ticket->number = number;
    ticket->event_fd = event_fd;
    return ticket;
}

/* Times the border before stage `border` (or after the last one). */
void GpusortDevice::mark(gpusort::Ticket *ticket, int border, cudaStream_t stream)
{
    cudaEvent_t event = take_event();

    if (event && cudaEventRecord(event, stream) == cudaSuccess)
        ticket->border[border] = event;
}

/* Lets the ticket end when everything enqueued on the stream so far has ended. */
void GpusortDevice::end_ticket(gpusort::Ticket *ticket, cudaStream_t stream)
{
    const cudaError_t code = cudaStreamAddCallback(stream, gpusort::ticket_ended, ticket, 0);

    if (code != cudaSuccess)
        gpusort::ticket_ended(stream, code, ticket);
}

/* Ends a ticket that could not even start. */
void GpusortDevice::fail_ticket(uint64_t number, const GpusortDeviceError &error)
{
    const uint64_t one = 1;
    GpusortDeviceOutcome outcome = {};

    outcome.ticket = number;
    outcome.error = error;
    ready.push_back(outcome);
    while (write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

extern "C" __attribute__((visibility("default"))) const GpusortDeviceModule *gpusort_device_module(void)
{
    static const GpusortDeviceModule module = {
        GPUSORT_DEVICE_ABI,
        "cuda",
        gpusort::device_count,
        gpusort::open_device,
        gpusort::close_device,
        gpusort::device_refuses,
        gpusort::start_job,
        gpusort::open_session,
        gpusort::append,
        gpusort::sort_session,
        gpusort::fetch,
        gpusort::close_session,
        gpusort::poll,
        gpusort::memory_in_use,
        nullptr,
    };
    return &module;
}
