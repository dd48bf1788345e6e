/*
 * device_job.cu
 *	  Batches of segments: copy in, sort, verify and copy out, all enqueued at once.
 *
 * The check of what was sorted runs beside the copy out, on a stream of its own, so
 * that a job takes longer by what it leaves of the check only. A small job, of which
 * starting things takes the time, is copied by kernels, those that keep and check it.
 *
 * A job's device memory is one allocation, made and freed in stream order. When
 * the pool is full because other jobs hold it, the job waits for one of them to
 * end; only a job that is too large by itself ends as out of memory.
 */
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "carver.h"
#include "device.cuh"
#include "segment_sort.cuh"
#include "verify.cuh"

namespace gpusort
{
namespace
{

/* Where everything of a job lies on the device. */
struct JobMemory {
    SegmentBatch batch;
    void *workspace;
    size_t workspace_bytes;
    void *check_space;
    size_t bytes;

    JobMemory(const GpusortDeviceJob &job, void *base)
    {
        Carver carver(base);
        const size_t width = gpusort_key_width(job.spec.form);

        batch.spec = job.spec;
        batch.nsegments = job.nsegments;
        batch.nslots = job.nslots;
        batch.length_histogram = job.length_histogram;
        batch.host_segments = job.segments;
        batch.longest = 1;
        for (uint32_t bin = 0; bin < GPUSORT_LENGTH_BINS; bin++)
            if (job.length_histogram[bin] > 0)
                batch.longest = static_cast<uint32_t>(
                    std::max<uint64_t>(std::min<uint64_t>(gpusort_bin_longest(bin), job.nslots), 1));
        batch.keys = carver.take<void>(job.nslots * width);
        batch.payload = job.spec.payload == GPUSORT_PAYLOAD_NONE
                            ? nullptr
                            : carver.take<uint32_t>(size_t{job.nslots} * sizeof(uint32_t));
        batch.segments = carver.take<GpusortSegment>(size_t{job.nsegments} * sizeof(GpusortSegment));
        workspace_bytes = gpusort::workspace_bytes(batch);
        workspace = carver.take<void>(workspace_bytes);
        check_space = job.verify ? carver.take<void>(verify_bytes(batch)) : nullptr;
        bytes = carver.used();
    }
};

/* What a job sends to the device, */
Copies copies_in(const GpusortDeviceJob &job, const JobMemory &memory)
{
    const SegmentBatch &batch = memory.batch;
    const uint64_t key_bytes = uint64_t{job.nslots} * gpusort_key_width(job.spec.form);
    const uint64_t payload_bytes = job.spec.payload == GPUSORT_PAYLOAD_CARRIED ? job.nslots * sizeof(uint32_t) : 0;
    const uint64_t segment_bytes = job.nsegments * sizeof(GpusortSegment);

    return {{{batch.keys, job.keys, key_bytes, nullptr},
             {batch.payload, job.payload, payload_bytes, nullptr},
             {const_cast<GpusortSegment *>(batch.segments), job.segments, segment_bytes, nullptr}}};
}

/* and what it gets back. */
Copies copies_out(const GpusortDeviceJob &job, const JobMemory &memory)
{
    const SegmentBatch &batch = memory.batch;

    if (job.spec.payload == GPUSORT_PAYLOAD_NONE)
        return {{{job.keys_out, batch.keys, uint64_t{job.nslots} * gpusort_key_width(job.spec.form), nullptr}}};
    return {{{job.payload_out, batch.payload, job.nslots * sizeof(uint32_t), nullptr}}};
}

cudaError_t copy(const Copies &copies, cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;

    for (const Copy &copy : copies.each)
        if (code == cudaSuccess && copy.bytes > 0)
            code = cudaMemcpyAsync(copy.to, copy.from, copy.bytes, kind, stream);
    return code;
}

/*
 * Notes when kernels can begin to work on what was copied in. They take some
 * microseconds to learn that a copy has ended, whatever they do then, which another
 * stream measures that waits for it as well.
 */
void mark_arrival(GpusortDevice *device, Ticket *ticket, Lane *lane)
{
    device->mark(ticket, kLanded, lane->work);
    if (ticket->moment[kLanded] && cudaStreamWaitEvent(lane->checks, ticket->moment[kLanded]) == cudaSuccess)
        device->mark(ticket, kArrived, lane->checks);
}

/* Checks what was sorted, beside the job's own stream, which goes on with copying it out. */
cudaError_t check_beside(GpusortDevice *device, const JobMemory &memory, Ticket *ticket, cudaStream_t checks)
{
    ticket->failed_check = device->take_flag();
    if (!ticket->failed_check || !ticket->moment[kSorted])
        return cudaErrorMemoryAllocation;
    cudaError_t code = cudaStreamWaitEvent(checks, ticket->moment[kSorted]);
    if (code == cudaSuccess)
        code = verify_end(memory.batch, memory.check_space, ticket->failed_check, checks);
    device->mark(ticket, kChecked, checks);
    return code;
}

/* Has the job end no sooner than what runs beside it. */
cudaError_t wait_for_checks(const Ticket &ticket, Lane *lane)
{
    const Moment last = ticket.failed_check ? kChecked : kArrived;

    if (!ticket.moment[last])
        return last == kChecked ? cudaErrorUnknown : cudaSuccess;
    return cudaStreamWaitEvent(lane->work, ticket.moment[last]);
}

/* Whether kernels copy the job themselves. */
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
cudaError_t enqueue_small(GpusortDevice *device, const GpusortDeviceJob &job, const JobMemory &memory, const Copies &in,
                          const Copies &out, Ticket *ticket, cudaStream_t stream)
{
    const bool verify = job.verify && job.nsegments > 0;

    if (verify)
        ticket->failed_check = device->take_flag();
    if (verify && !ticket->failed_check)
        return cudaErrorMemoryAllocation;
    device->mark(ticket, kStarted, stream);
    cudaError_t code =
        verify ? verify_begin(memory.batch, memory.check_space, stream, &in) : copy_unchecked(in, stream);
    device->mark(ticket, kArrived, stream);
    if (code == cudaSuccess)
        code = sort_segments(memory.batch, memory.workspace, memory.workspace_bytes, stream, &ticket->method);
    device->mark(ticket, kSorted, stream);
    if (code == cudaSuccess)
        code = verify ? verify_end(memory.batch, memory.check_space, ticket->failed_check, stream, &out)
                      : copy_unchecked(out, stream);
    device->mark(ticket, kCopied, stream);
    return code;
}

/* Enqueues the whole job; the ticket says what ran and where to look for failed checks. */
cudaError_t enqueue(GpusortDevice *device, const GpusortDeviceJob &job, const JobMemory &memory, Ticket *ticket,
                    Lane *lane)
{
    const Copies in = copies_in(job, memory), out = copies_out(job, memory);
    const bool verify = job.verify && job.nsegments > 0;

    if (is_small(device, in, out))
        return enqueue_small(device, job, memory, in, out, ticket, lane->work);
    device->mark(ticket, kStarted, lane->work);
    cudaError_t code = copy(in, cudaMemcpyHostToDevice, lane->work);
    mark_arrival(device, ticket, lane);
    if (code == cudaSuccess && verify) {
        code = verify_begin(memory.batch, memory.check_space, lane->work);
        device->mark(ticket, kDigested, lane->work);
    }
    if (code == cudaSuccess)
        code = sort_segments(memory.batch, memory.workspace, memory.workspace_bytes, lane->work, &ticket->method);
    device->mark(ticket, kSorted, lane->work);
    if (code == cudaSuccess && verify)
        code = check_beside(device, memory, ticket, lane->checks);
    if (code == cudaSuccess)
        code = copy(out, cudaMemcpyDeviceToHost, lane->work);
    device->mark(ticket, kCopied, lane->work);
    const cudaError_t joined = wait_for_checks(*ticket, lane);
    if (code == cudaSuccess)
        code = joined;
    return code;
}

/* Starts the job, or returns false if it has to wait for memory that other jobs hold. */
bool try_start(GpusortDevice *device, const GpusortDeviceJob &job)
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

void start_job(GpusortDevice *device, const GpusortDeviceJob *job)
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
