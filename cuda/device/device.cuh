/*
 * device.cuh
 *	  What the parts of the device module share: one opened device, its streams
 *	  and the tickets under way.
 *
 * device.cu    the exported table; open, close, poll
 * probe.cu     properties of the device, and how fast it moves data
 * job.cu       the sort of a slab: copy in, sort, verify, copy out
 * session.cu   columns that stay on the device between transfers
 *
 * Work runs on a few streams, each in order, so that one job's copy in, another's
 * sort and a third's copy out overlap. Device memory comes from one stream-ordered
 * pool; a part that takes some first counts it against the memory limit. A ticket ends
 * with the last event recorded for it, which poll() looks at. The worker is woken by a
 * host callback behind the oldest ticket of a lane. One callback per lane is outstanding
 * at a time, because CUDA's callback thread falls behind on busy hosts. CUDA runs
 * callbacks also when the context has failed, so the worker is always woken.
 */
#ifndef GPUSORT_DEVICE_CUH
#define GPUSORT_DEVICE_CUH

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include <cuda_runtime.h>

#include "gpusort_cuda.h"

namespace gpusort
{

constexpr int kLanes = 8;
constexpr uint64_t kIdlePoolBytes = uint64_t{512} << 20; /* kept by the pool when nothing runs */

/* The moments of a ticket at which events are recorded. */
enum Moment {
    kStarted,
    kLanded,  /* a copy in has ended */
    kArrived, /* kernels may read what the copy in brought */
    kDigested,
    kSorted,
    kGathered, /* a check has gathered the payload that is copied out */
    kCopied,
    kChecked,
    kEnded,
    kMoments
};

/* A stream for work, and two others that it does not wait for. */
struct Lane {
    cudaStream_t work = nullptr;
    cudaStream_t checks = nullptr;  /* checks results while they are copied out */
    cudaStream_t calls = nullptr;   /* host callbacks, which block the work behind them until they run */
    std::atomic<bool> called{true}; /* true when the last callback has run */
    int event_fd = -1;
};

/* Work under a ticket of the worker. */
struct Ticket {
    uint64_t number = 0;
    GpusortDeviceError error{};
    GpusortMethod method = GPUSORT_METHOD_AUTO;
    cudaEvent_t moment[kMoments] = {}; /* null for moments that are not recorded */
    uint32_t *failed_check = nullptr;  /* pinned; set by the device when verifying */
    uint64_t bytes = 0;                /* device memory that is freed when it ends */
    Lane *lane = nullptr;
    cudaError_t lost = cudaSuccess; /* why no event will tell its end; success if one will */
};

/* A session's columns; see session.cu. */
struct Session;

void set_error(GpusortDeviceError *error, cudaError_t code, const char *doing);

/* True if a call of CUDA that may fail has not. Else clears its error, which the next launch would report as its own.
 */
inline bool worked(cudaError_t code)
{
    if (code != cudaSuccess)
        cudaGetLastError();
    return code == cudaSuccess;
}

}  // namespace gpusort

struct GpusortDevice {
    int ordinal = 0;
    int event_fd = -1;
    void *arena = nullptr;
    size_t arena_bytes = 0;
    uint64_t memory_limit = 0;
    uint64_t memory_used = 0;
    uint64_t memory_peak = 0;
    bool pool_swollen = false; /* the pool may hold more than an idle device should */
    cudaMemPool_t pool = nullptr;
    gpusort::Lane lanes[gpusort::kLanes];
    unsigned next_lane = 0;

    std::vector<std::unique_ptr<gpusort::Ticket>> running;
    std::vector<GpusortDeviceOutcome> ready;
    std::unordered_map<uint64_t, std::shared_ptr<gpusort::Session>> sessions;
    std::vector<cudaEvent_t> spare_events;
    std::vector<uint32_t *> spare_flags;

    ~GpusortDevice();

    cudaError_t take_memory(void **memory, uint64_t bytes, cudaStream_t stream);
    void count_freed(uint64_t bytes);
    void shrink_pool();
    gpusort::Ticket *begin_ticket(uint64_t number, gpusort::Lane *lane);
    void mark(gpusort::Ticket *ticket, gpusort::Moment moment, cudaStream_t stream);
    void end_ticket(gpusort::Ticket *ticket);
    void ask_for_call(gpusort::Ticket *ticket);
    void lose_ticket(gpusort::Ticket *ticket, cudaError_t code);
    void fail_ticket(uint64_t number, const GpusortDeviceError &error);
    gpusort::Lane *pick_lane();
    cudaEvent_t take_event();
    uint32_t *take_flag();
    cudaError_t await_checks(gpusort::Lane *lane, cudaEvent_t checked);
};

namespace gpusort
{

bool probe_device(GpusortDevice *device, GpusortDeviceInfo *info, GpusortDeviceError *error);

void start_job(GpusortDevice *device, const GpusortSlabSort *job);

GpusortDeviceStatus open_session(GpusortDevice *device, const GpusortSessionSpec *spec, GpusortDeviceError *error);
void append(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column, uint64_t first_row,
            uint64_t nrows, const void *source);
void sort_session(GpusortDevice *device, uint64_t session, uint64_t ticket, uint64_t nrows);
void fetch(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column, uint64_t first_row,
           uint64_t nrows, void *target);
void close_session(GpusortDevice *device, uint64_t session);

}  // namespace gpusort

#endif /* GPUSORT_DEVICE_CUH */
