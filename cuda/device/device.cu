/*
 * device.cu
 *	  The device module's exported table: opens a device, hands out ended tickets.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "device/device.cuh"
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
    cudaGetLastError(); /* clears it; a sticky error returns */
}

namespace
{

/* Wakes the worker, or keeps it from sleeping. */
void wake(int event_fd)
{
    const uint64_t one = 1;

    while (write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

/* Called when a ticket of the lane has ended, on CUDA's callback thread, where no CUDA call is allowed. */
void CUDART_CB lane_calls(cudaStream_t, cudaError_t, void *argument)
{
    Lane *lane = static_cast<Lane *>(argument);
    const int event_fd = lane->event_fd;

    lane->called.store(true);
    wake(event_fd);
}

double seconds_between(cudaEvent_t from, cudaEvent_t to)
{
    float milliseconds = 0;

    if (!from || !to || !worked(cudaEventElapsedTime(&milliseconds, from, to)))
        return 0;
    return milliseconds / 1e3;
}

/* How the ticket ended, or cudaErrorNotReady. */
cudaError_t end_of(const Ticket &ticket)
{
    const cudaError_t code = ticket.lost != cudaSuccess ? ticket.lost : cudaEventQuery(ticket.moment[kEnded]);

    if (code == cudaErrorNotReady)
        cudaGetLastError(); /* or the next launch would seem to have failed */
    return code;
}

/* Makes the outcome of an ended ticket, and takes its events and flag back. */
GpusortDeviceOutcome settle(GpusortDevice *device, Ticket *ticket, cudaError_t code)
{
    GpusortDeviceOutcome outcome = {};

    outcome.ticket = ticket->number;
    outcome.error = ticket->error;
    outcome.method = ticket->method;
    if (code != cudaSuccess) {
        set_error(&outcome.error, code, "running a job");
        outcome.error.status = GPUSORT_DEVICE_FAULT;
    } else if (outcome.error.status == GPUSORT_DEVICE_OK && ticket->failed_check && *ticket->failed_check != 0) {
        outcome.error.status = GPUSORT_DEVICE_NOT_VERIFIED;
        snprintf(outcome.error.message, sizeof(outcome.error.message), "what came back is not what was sent, in order");
    }
    if (outcome.error.status == GPUSORT_DEVICE_OK) {
        const cudaEvent_t *moment = ticket->moment;
        const cudaEvent_t leaving = moment[moment[kGathered] ? kGathered : kSorted];

        outcome.copy_in_s = seconds_between(moment[kStarted], moment[kArrived]);
        outcome.sort_s = seconds_between(moment[moment[kDigested] ? kDigested : kArrived], moment[kSorted]);
        outcome.copy_out_s = seconds_between(leaving, moment[kCopied]);
        outcome.verify_s = seconds_between(moment[kArrived], moment[kDigested]) +
                           seconds_between(moment[kSorted], moment[kGathered]) +
                           std::max(0.0, seconds_between(leaving, moment[kChecked]) - outcome.copy_out_s);
    }
    for (cudaEvent_t event : ticket->moment)
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
    for (Lane &lane : device->lanes) {
        cudaError_t code = cudaSuccess;
        lane.event_fd = device->event_fd;
        for (cudaStream_t *stream : {&lane.work, &lane.checks, &lane.calls})
            if (code == cudaSuccess)
                code = cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
        if (code != cudaSuccess) {
            set_error(error, code, "making a stream");
            return false;
        }
    }
    return true;
}

GpusortDevice *open_device(int ordinal, uint64_t memory_limit, void *arena, size_t arena_bytes, int event_fd,
                           GpusortDeviceInfo *info, GpusortDeviceError *error)
{
    memset(info, 0, sizeof(*info));
    memset(error, 0, sizeof(*error));
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

/* Each thread has a current device of its own. */
void enter_device(GpusortDevice *device)
{
    cudaSetDevice(device->ordinal);
}

void close_device(GpusortDevice *device)
{
    delete device;
}

/* Makes outcomes of the tickets that have ended. */
void settle_ended(GpusortDevice *device)
{
    auto &running = device->running;
    bool busy[kLanes] = {}; /* a ticket of the lane is running, so later ones of the lane are too */

    for (size_t i = 0; i < running.size();) {
        bool &lane_busy = busy[running[i]->lane - device->lanes];
        const cudaError_t code = lane_busy ? cudaErrorNotReady : end_of(*running[i]);

        if (code == cudaErrorNotReady) {
            lane_busy = true;
            i++;
            continue;
        }
        device->ready.push_back(settle(device, running[i].get(), code));
        running.erase(running.begin() + i);
    }
}

bool poll(GpusortDevice *device, GpusortDeviceOutcome *outcome)
{
    auto &running = device->running;

    if (device->ready.empty()) {
        settle_ended(device);
        for (auto &ticket : running)
            device->ask_for_call(ticket.get());
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
        for (cudaEvent_t event : ticket->moment)
            if (event)
                cudaEventDestroy(event);
    for (cudaEvent_t event : spare_events)
        cudaEventDestroy(event);
    for (uint32_t *flag : spare_flags)
        cudaFreeHost(flag);
    for (const gpusort::Lane &lane : lanes)
        for (cudaStream_t stream : {lane.work, lane.checks, lane.calls})
            if (stream)
                cudaStreamDestroy(stream);
    if (pool)
        cudaMemPoolDestroy(pool);
    if (arena)
        cudaHostUnregister(arena);
}

/* Takes memory from the pool, to be freed in stream order, and counts it. */
cudaError_t GpusortDevice::take_memory(void **memory, uint64_t bytes, cudaStream_t stream)
{
    if (bytes > memory_limit - memory_used)
        return cudaErrorMemoryAllocation;
    const cudaError_t code = cudaMallocFromPoolAsync(memory, bytes, pool, stream);
    if (!gpusort::worked(code))
        return code;
    memory_used += bytes;
    memory_peak = std::max(memory_peak, memory_used);
    pool_swollen |= memory_used > gpusort::kIdlePoolBytes;
    return cudaSuccess;
}

void GpusortDevice::count_freed(uint64_t bytes)
{
    memory_used -= bytes;
}

/* Frees memory of an idle device's pool, except as much as jobs usually need. */
void GpusortDevice::shrink_pool()
{
    uint64_t held = 0;

    pool_swollen = gpusort::worked(cudaMemPoolTrimTo(pool, gpusort::kIdlePoolBytes)) &&
                   gpusort::worked(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held)) &&
                   held > 2 * gpusort::kIdlePoolBytes;
}

gpusort::Lane *GpusortDevice::pick_lane()
{
    return &lanes[next_lane++ % gpusort::kLanes];
}

/* An event, or null on failure. */
cudaEvent_t GpusortDevice::take_event()
{
    cudaEvent_t event = nullptr;

    if (!spare_events.empty()) {
        event = spare_events.back();
        spare_events.pop_back();
    } else if (!gpusort::worked(cudaEventCreate(&event))) {
        return nullptr;
    }
    return event;
}

/* A pinned flag with value 0, or null on failure. */
uint32_t *GpusortDevice::take_flag()
{
    uint32_t *flag = nullptr;

    if (!spare_flags.empty()) {
        flag = spare_flags.back();
        spare_flags.pop_back();
    } else if (!gpusort::worked(cudaMallocHost(&flag, sizeof(*flag)))) {
        return nullptr;
    }
    *flag = 0;
    return flag;
}

gpusort::Ticket *GpusortDevice::begin_ticket(uint64_t number, gpusort::Lane *lane)
{
    running.emplace_back(new gpusort::Ticket);
    gpusort::Ticket *ticket = running.back().get();
    ticket->number = number;
    ticket->lane = lane;
    return ticket;
}

/* Records an event for this moment of the ticket. On failure the moment has none. */
void GpusortDevice::mark(gpusort::Ticket *ticket, gpusort::Moment moment, cudaStream_t stream)
{
    cudaEvent_t event = take_event();

    if (event && gpusort::worked(cudaEventRecord(event, stream)))
        ticket->moment[moment] = event;
    else if (event)
        spare_events.push_back(event);
}

/* Lets the lane's work wait for checks up to this event. Waits itself if that is impossible, or the event null. */
cudaError_t GpusortDevice::await_checks(gpusort::Lane *lane, cudaEvent_t checked)
{
    if (checked && gpusort::worked(cudaStreamWaitEvent(lane->work, checked)))
        return cudaSuccess;
    return cudaStreamSynchronize(lane->checks);
}

/* Ends the ticket with the work that is enqueued on its lane so far. */
void GpusortDevice::end_ticket(gpusort::Ticket *ticket)
{
    mark(ticket, gpusort::kEnded, ticket->lane->work);
    if (!ticket->moment[gpusort::kEnded])
        lose_ticket(ticket, cudaErrorUnknown);
    else
        ask_for_call(ticket);
}

/* Asks for a host callback at the ticket's end, unless one of its lane is outstanding. */
void GpusortDevice::ask_for_call(gpusort::Ticket *ticket)
{
    gpusort::Lane *lane = ticket->lane;

    if (!lane->called.exchange(false))
        return;
    cudaError_t code = cudaStreamWaitEvent(lane->calls, ticket->moment[gpusort::kEnded]);
    if (code == cudaSuccess)
        code = cudaStreamAddCallback(lane->calls, gpusort::lane_calls, lane, 0);
    if (code != cudaSuccess) {
        lane->called.store(true);
        lose_ticket(ticket, code);
    }
}

/* Ends a ticket whose end no event will tell. */
void GpusortDevice::lose_ticket(gpusort::Ticket *ticket, cudaError_t code)
{
    ticket->lost = code;
    gpusort::wake(event_fd);
}

/* Ends a ticket whose work could not be started. */
void GpusortDevice::fail_ticket(uint64_t number, const GpusortDeviceError &error)
{
    GpusortDeviceOutcome outcome = {};

    outcome.ticket = number;
    outcome.error = error;
    ready.push_back(outcome);
    gpusort::wake(event_fd);
}

extern "C" __attribute__((visibility("default"))) const GpusortDeviceModule *gpusort_device_module(void)
{
    static const GpusortDeviceModule module = {
        GPUSORT_DEVICE_ABI,    "cuda",
        gpusort::device_count, gpusort::open_device,
        gpusort::enter_device, gpusort::close_device,
        gpusort::start_job,    gpusort::open_session,
        gpusort::append,       gpusort::sort_session,
        gpusort::fetch,        gpusort::close_session,
        gpusort::poll,         gpusort::memory_in_use,
    };
    return &module;
}
