/*
 * device.cuh
 *	  What the parts of the device module share: one opened device, its streams
 *	  and the tickets under way.
 *
 * device.cu           the exported table; open, close, poll
 * probe.cu     what the device is and how fast it moves data
 * job.cu       batches: copy in, sort, verify, copy out
 * session.cu   columns that stay on the device between transfers
 *
 * Work runs on a few streams, each in order, so that one job's copy in, another's
 * sort and a third's copy out overlap. Device memory comes from one stream-ordered
 * pool; a part that takes some first counts it against the memory limit. A ticket ends
 * with the last event recorded for it, which poll() looks at. The worker is woken by a
 * host callback behind the oldest ticket of a lane. One callback per lane is outstanding
 * at a time, because CUDA's callback thread falls behind on busy hosts. CUDA runs
 * callbacks also when the context has failed, so no ticket is ever lost.
 */
#ifndef GPUSORT_DEVICE_CUH
#define GPUSORT_DEVICE_CUH

#include <atomic>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include <cuda_runtime.h>

#include "gpusort_cuda.h"

namespace gpusort
{

constexpr int kLanes = 8;
constexpr uint64_t kIdlePoolBytes = uint64_t{512} << 20; /* that the pool keeps when nothing runs */

/* The moments of a ticket at which events are recorded. */
enum Moment {
    kStarted,
    kLanded,  /* a copy in has ended */
    kArrived, /* kernels may read what the copy in brought */
    kDigested,
    kSorted,
    kGathered, /* a check has gathered what is copied out */
    kCopied,
    kChecked,
    kEnded,
    kMoments
};

/* A stream for work, and two beside it that it does not wait for. */
struct Lane {
    cudaStream_t work = nullptr;
    cudaStream_t checks = nullptr;  /* of results, while they are copied out */
    cudaStream_t calls = nullptr;   /* of the host: what is behind a callback waits for it to run */
    std::atomic<bool> called{true}; /* the last callback has run */
    int event_fd = -1;
};

/* One piece of work that the worker waits for. */
struct Ticket {
    uint64_t number = 0;
    GpusortDeviceError error{};
    GpusortMethod method = GPUSORT_METHOD_AUTO;
    cudaEvent_t moment[kMoments] = {}; /* null: it does not come */
    uint32_t *failed_check = nullptr;  /* pinned; set by the device when verifying */
    uint64_t bytes = 0;                /* of device memory that come free when it ends */
    Lane *lane = nullptr;
    cudaError_t lost = cudaSuccess; /* why nothing will say when it ends */
};

/* A session's columns; see session.cu. */
struct Session;

void set_error(GpusortDeviceError *error, cudaError_t code, const char *doing);

}  // namespace gpusort

struct GpusortDevice {
    int ordinal = 0;
    int event_fd = -1;
    void *arena = nullptr;
    size_t arena_bytes = 0;
    int reaches_arena = 0; /* kernels read the arena where the host does */
    uint64_t memory_limit = 0;
    uint64_t memory_used = 0;
    uint64_t memory_peak = 0;
    bool pool_swollen = false; /* it may hold more than an idle device should */
    cudaMemPool_t pool = nullptr;
    gpusort::Lane lanes[gpusort::kLanes];
    unsigned next_lane = 0;

    std::vector<std::unique_ptr<gpusort::Ticket>> running;
    std::deque<GpusortDeviceJob> waiting; /* jobs held back until memory is free */
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
};

namespace gpusort
{

bool probe_device(GpusortDevice *device, GpusortDeviceInfo *info, GpusortDeviceError *error);

void start_job(GpusortDevice *device, const GpusortDeviceJob *job);
void start_waiting_jobs(GpusortDevice *device);

GpusortDeviceStatus open_session(GpusortDevice *device, const GpusortDeviceSession *spec, GpusortDeviceError *error);
void append(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column, uint64_t first_row,
            uint64_t nrows, const void *source);
void sort_session(GpusortDevice *device, uint64_t session, uint64_t ticket, uint64_t nrows);
void fetch(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column, uint64_t first_row,
           uint64_t nrows, void *target);
void close_session(GpusortDevice *device, uint64_t session);

}  // namespace gpusort

#endif /* GPUSORT_DEVICE_CUH */
