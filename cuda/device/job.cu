/*
 * job.cu
 *	  Batches of segments: copy in, sort, verify and copy out, all enqueued at once.
 *
 * The check of the result runs beside the copy out, on a stream of its own, so only what the
 * check takes longer than the copy adds to the job. For small jobs launch overhead
 * dominates, so the kernels that keep and check keys also make the copies.
 *
 * The order of a carried payload cannot be checked. So a checked job makes an index
 * instead, and the check gathers the payload through it before the copy out. Beside that,
 * the gathered payload is checked to be the one that came.
 *
 * A job's device memory is one allocation, made and freed in stream order. When the pool
 * is full, the job waits for a ticket that is under way to end. If none is, because the job
 * is too large or idle sessions hold the memory, it ends as out of memory.
 */
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "device/device.cuh"
#include "segment_sort.cuh"
#include "methods/workspace.cuh"
#include "device/verify.cuh"

namespace gpusort
{
namespace
{

bool is_checked(const GpusortSlabSort &job)
{
    return job.verify && job.nsegments > 0;
}

/* The parts of a job's device memory. */
struct JobMemory {
    SegmentBatch batch;
    Gather gather; /* where a checked job's carried payload arrives, and from where it leaves in order */
    void *workspace;
    size_t workspace_bytes;
    void *check_space;
    size_t bytes;

    JobMemory(const GpusortSlabSort &job, void *base)
    {
        Workspace parts(base);
        const size_t width = gpusort_key_width(job.spec.form);
        const bool gathers = is_checked(job) && job.spec.payload == GPUSORT_PAYLOAD_CARRIED;

        batch.spec = job.spec;
        if (gathers)
            batch.spec.payload = GPUSORT_PAYLOAD_INDEX;
        batch.nsegments = job.nsegments;
        batch.nslots = job.nslots;
        batch.length_histogram = job.length_histogram;
        batch.longest = 1;
        for (uint32_t bin = 0; bin < GPUSORT_LENGTH_BINS; bin++)
            if (job.length_histogram[bin] > 0)
                batch.longest = static_cast<uint32_t>(
                    std::max<uint64_t>(std::min<uint64_t>(gpusort_bin_longest(bin), job.nslots), 1));
        batch.keys = parts.take<char>(job.nslots * width);
        batch.payload = job.spec.payload == GPUSORT_PAYLOAD_NONE ? nullptr : parts.take<uint32_t>(job.nslots);
        if (gathers)
            gather = {parts.take<uint32_t>(job.nslots), parts.take<uint32_t>(job.nslots)};
        batch.segments = parts.take<GpusortSegment>(job.nsegments);
        workspace_bytes = gpusort::workspace_bytes(batch);
        workspace = parts.take<char>(workspace_bytes);
        check_space = job.verify ? parts.take<char>(verify_bytes(batch)) : nullptr;
        bytes = parts.used();
    }

    /* The result of a job with a payload. */
    uint32_t *result() const
    {
        return gather.to ? gather.to : batch.payload;
    }
};

/* The copies of a job to the device. The result begins as zeros if the check cannot tell gaps from entries. */
Copies copies_in(const GpusortSlabSort &job, const JobMemory &memory)
{
    const SegmentBatch &batch = memory.batch;
    const uint64_t key_bytes = uint64_t{job.nslots} * gpusort_key_width(job.spec.form);
    const uint64_t payload_bytes = job.nslots * sizeof(uint32_t);
    const uint64_t segment_bytes = job.nsegments * sizeof(GpusortSegment);
    const bool carried = job.spec.payload == GPUSORT_PAYLOAD_CARRIED;
    const bool zeroed = is_checked(job) && job.spec.payload != GPUSORT_PAYLOAD_NONE;
    void *payload = memory.gather.to ? const_cast<uint32_t *>(memory.gather.from) : batch.payload;

    return {{{batch.keys, job.keys, key_bytes, nullptr},
             {const_cast<GpusortSegment *>(batch.segments), job.segments, segment_bytes, nullptr},
             {payload, job.payload, carried ? payload_bytes : 0, nullptr},
             {memory.result(), nullptr, zeroed ? payload_bytes : 0, nullptr}}};
}

/* The copies of a job from the device. Its segments are included, because they must be unchanged. */
Copies copies_out(const GpusortSlabSort &job, const JobMemory &memory)
{
    const SegmentBatch &batch = memory.batch;
    const uint64_t payload_bytes = job.nslots * sizeof(uint32_t);
    const uint64_t key_bytes = uint64_t{job.nslots} * gpusort_key_width(job.spec.form);
    Copies copies = {};

    if (job.spec.payload == GPUSORT_PAYLOAD_NONE)
        copies.each[0] = {job.keys_out, batch.keys, key_bytes, nullptr};
    else
        copies.each[0] = {job.payload_out, memory.result(), payload_bytes, nullptr};
    if (is_checked(job)) {
        copies.each[1] = {nullptr, batch.segments, job.nsegments * sizeof(GpusortSegment), nullptr};
        copies.each[2] = {nullptr, memory.gather.from, memory.gather.from ? payload_bytes : 0, nullptr};
    }
    return copies;
}

/* The copies in, without copying: the kernels only digest what lies on the device. */
Copies digested_in(Copies in)
{
    for (Copy &copy : in.each)
        if (copy.from)
            copy = {nullptr, copy.to, copy.bytes, nullptr};
    return in;
}

Copies digested_out(Copies out)
{
    out.each[0].to = nullptr;
    return out;
}

cudaError_t copy(const Copies &copies, cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;

    for (const Copy &copy : copies.each)
        if (code == cudaSuccess && copy.bytes > 0 && copy.to && copy.from)
            code = cudaMemcpyAsync(copy.to, copy.from, copy.bytes, kind, stream);
    return code;
}

/*
 * Marks when kernels can begin to work on what was copied in. Kernels start some
 * microseconds after a copy has ended. Another stream, which waits for the copy as well,
 * measures when.
 */
void mark_arrival(GpusortDevice *device, Ticket *ticket, Lane *lane)
{
    device->mark(ticket, kLanded, lane->work);
    if (ticket->moment[kLanded] && worked(cudaStreamWaitEvent(lane->checks, ticket->moment[kLanded])))
        device->mark(ticket, kArrived, lane->checks);
}

/* Checks the result on a stream of its own, while the job's stream copies it out. */
cudaError_t check_beside(GpusortDevice *device, const JobMemory &memory, const Copies &out, Ticket *ticket,
                         cudaStream_t checks)
{
    const cudaEvent_t leaving = ticket->moment[memory.gather.to ? kGathered : kSorted];
    const Copies digested = digested_out(out);

    if (!leaving)
        return cudaErrorMemoryAllocation;
    cudaError_t code = cudaStreamWaitEvent(checks, leaving);
    if (code == cudaSuccess && memory.gather.to)
        code = verify_left(memory.batch, memory.check_space, ticket->failed_check, checks, digested);
    else if (code == cudaSuccess)
        code = verify_end(memory.batch, memory.check_space, ticket->failed_check, checks, &digested);
    device->mark(ticket, kChecked, checks);
    return code;
}

/* Checks the index and gathers the payload. The copy out waits for this. */
cudaError_t check_and_gather(GpusortDevice *device, const JobMemory &memory, const Copies &out, Ticket *ticket,
                             cudaStream_t stream)
{
    const Copies digested = digested_out(out);
    const cudaError_t code =
        verify_end(memory.batch, memory.check_space, ticket->failed_check, stream, &digested, memory.gather);

    device->mark(ticket, kGathered, stream);
    return code;
}

/* True if kernels make the copies of the job. */
bool is_small(const GpusortDevice *device, const Copies &in, const Copies &out)
{
    bool small = device->reaches_arena;

    for (const Copies *copies : {&in, &out})
        for (const Copy &copy : copies->each)
            small &= copy.bytes <= FEW_BYTES && reinterpret_cast<uintptr_t>(copy.from) % 16 == 0 &&
                     reinterpret_cast<uintptr_t>(copy.to) % 16 == 0;
    return small;
}

/* Enqueues a small job. */
cudaError_t enqueue_small(GpusortDevice *device, const GpusortSlabSort &job, const JobMemory &memory, const Copies &in,
                          const Copies &out, Ticket *ticket, cudaStream_t stream)
{
    const bool verify = is_checked(job);

    device->mark(ticket, kStarted, stream);
    cudaError_t code =
        verify ? verify_begin(memory.batch, memory.check_space, stream, &in) : copy_unchecked(in, stream);
    device->mark(ticket, kArrived, stream);
    if (code == cudaSuccess)
        code = sort_segments(memory.batch, memory.workspace, memory.workspace_bytes, stream, &ticket->method);
    device->mark(ticket, kSorted, stream);
    if (code == cudaSuccess)
        code = verify ? verify_end(memory.batch, memory.check_space, ticket->failed_check, stream, &out, memory.gather)
                      : copy_unchecked(out, stream);
    if (code == cudaSuccess && memory.gather.to)
        code = verify_left(memory.batch, memory.check_space, ticket->failed_check, stream, out);
    device->mark(ticket, kCopied, stream);
    return code;
}

/* Enqueues the whole job. Sets the ticket's method and flag of failed checks. */
cudaError_t enqueue(GpusortDevice *device, const GpusortSlabSort &job, const JobMemory &memory, Ticket *ticket,
                    Lane *lane)
{
    const Copies in = copies_in(job, memory), out = copies_out(job, memory);
    const bool verify = is_checked(job);

    if (verify)
        ticket->failed_check = device->take_flag();
    if (verify && !ticket->failed_check)
        return cudaErrorMemoryAllocation;
    if (is_small(device, in, out))
        return enqueue_small(device, job, memory, in, out, ticket, lane->work);
    device->mark(ticket, kStarted, lane->work);
    cudaError_t code = copy(in, cudaMemcpyHostToDevice, lane->work);
    mark_arrival(device, ticket, lane);
    if (code == cudaSuccess && verify) {
        const Copies digested = digested_in(in);

        code = verify_begin(memory.batch, memory.check_space, lane->work, &digested);
        device->mark(ticket, kDigested, lane->work);
    }
    if (code == cudaSuccess)
        code = sort_segments(memory.batch, memory.workspace, memory.workspace_bytes, lane->work, &ticket->method);
    device->mark(ticket, kSorted, lane->work);
    if (code == cudaSuccess && memory.gather.to)
        code = check_and_gather(device, memory, out, ticket, lane->work);
    if (code == cudaSuccess && verify)
        code = check_beside(device, memory, out, ticket, lane->checks);
    if (code == cudaSuccess)
        code = copy(out, cudaMemcpyDeviceToHost, lane->work);
    device->mark(ticket, kCopied, lane->work);
    /* The job's memory is freed when the lane's work comes to that, however far it got. */
    const cudaError_t joined = device->await_checks(lane, ticket->moment[verify ? kChecked : kArrived]);
    if (code == cudaSuccess)
        code = joined;
    return code;
}

/* Starts the job. Returns false if it must wait for memory that other jobs hold. */
bool try_start(GpusortDevice *device, const GpusortSlabSort &job)
{
    GpusortDeviceError error = {};
    const JobMemory wanted(job, nullptr);
    Lane *lane = device->pick_lane();
    void *base = nullptr;

    cudaError_t code = device->take_memory(&base, wanted.bytes, lane->work);
    if (code == cudaErrorMemoryAllocation && !device->running.empty())
        return false;
    if (code != cudaSuccess) {
        set_error(&error, code, "allocating device memory for a job");
        device->fail_ticket(job.ticket, error);
        return true;
    }
    const JobMemory memory(job, base);
    Ticket *ticket = device->begin_ticket(job.ticket, lane);
    ticket->bytes = wanted.bytes;
    code = enqueue(device, job, memory, ticket, lane);
    if (code != cudaSuccess)
        set_error(&ticket->error, code, "starting a job");
    cudaFreeAsync(base, lane->work);
    device->end_ticket(ticket);
    return true;
}

}  // namespace

void start_job(GpusortDevice *device, const GpusortSlabSort *job)
{
    GpusortDeviceError error = {};
    const char *reason = refuses(job->spec);

    if (reason) {
        error.status = GPUSORT_DEVICE_UNSUPPORTED;
        snprintf(error.message, sizeof(error.message), "%s", reason);
        device->fail_ticket(job->ticket, error);
        return;
    }
    device->waiting.push_back(*job);
    start_waiting_jobs(device);
}

void start_waiting_jobs(GpusortDevice *device)
{
    while (!device->waiting.empty() && try_start(device, device->waiting.front()))
        device->waiting.pop_front();
}

}  // namespace gpusort
