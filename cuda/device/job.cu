/*
 * job.cu
 *	  Batches of segments: copy in, sort, verify and copy out, all enqueued at once.
 *
 * The check of the result runs beside the copy out, on a stream of its own, so only what the
 * check takes longer than the copy adds to the job.
 *
 * The order of a carried payload cannot be checked. So a checked job makes an index
 * instead, and the check gathers the payload through it before the copy out.
 *
 * A job's device memory is one allocation, made and freed in stream order.  When there is not
 * so much, the job ends as out of memory; the worker starts it again when another has ended.
 */
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
        workspace = parts.take<char>(workspace_bytes(batch));
        check_space = job.verify ? parts.take<char>(verify_bytes(batch)) : nullptr;
        bytes = parts.used();
    }
};

/* Enqueues the copies of a job to the device. */
cudaError_t copy_in(const GpusortSlabSort &job, const JobMemory &memory, cudaStream_t stream)
{
    const SegmentBatch &batch = memory.batch;
    void *payload = memory.gather.to ? const_cast<uint32_t *>(memory.gather.from) : batch.payload;

    cudaError_t code = cudaMemcpyAsync(batch.keys, job.keys, uint64_t{job.nslots} * gpusort_key_width(job.spec.form),
                                       cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(const_cast<GpusortSegment *>(batch.segments), job.segments,
                               job.nsegments * sizeof(GpusortSegment), cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess && job.spec.payload == GPUSORT_PAYLOAD_CARRIED)
        code = cudaMemcpyAsync(payload, job.payload, job.nslots * sizeof(uint32_t), cudaMemcpyHostToDevice, stream);
    return code;
}

/* Enqueues the copy of a job's result from the device. */
cudaError_t copy_out(const GpusortSlabSort &job, const JobMemory &memory, cudaStream_t stream)
{
    if (job.spec.payload == GPUSORT_PAYLOAD_NONE)
        return cudaMemcpyAsync(job.keys_out, memory.batch.keys, uint64_t{job.nslots} * gpusort_key_width(job.spec.form),
                               cudaMemcpyDeviceToHost, stream);
    return cudaMemcpyAsync(job.payload_out, memory.gather.to ? memory.gather.to : memory.batch.payload,
                           job.nslots * sizeof(uint32_t), cudaMemcpyDeviceToHost, stream);
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
cudaError_t check_beside(GpusortDevice *device, const JobMemory &memory, Ticket *ticket, cudaStream_t checks)
{
    if (!ticket->moment[kSorted])
        return cudaErrorMemoryAllocation;
    cudaError_t code = cudaStreamWaitEvent(checks, ticket->moment[kSorted]);
    if (code == cudaSuccess)
        code = verify_end(memory.batch, memory.check_space, ticket->failed_check, checks);
    device->mark(ticket, kChecked, checks);
    return code;
}

/* Checks the index and gathers the payload. The copy out waits for this. */
cudaError_t check_and_gather(GpusortDevice *device, const JobMemory &memory, Ticket *ticket, cudaStream_t stream)
{
    const cudaError_t code = verify_end(memory.batch, memory.check_space, ticket->failed_check, stream, memory.gather);

    device->mark(ticket, kGathered, stream);
    return code;
}

/* Enqueues the whole job. Sets the ticket's method and flag of failed checks. */
cudaError_t enqueue(GpusortDevice *device, const GpusortSlabSort &job, const JobMemory &memory, Ticket *ticket,
                    Lane *lane)
{
    const bool verify = is_checked(job), beside = verify && !memory.gather.to;

    if (verify)
        ticket->failed_check = device->take_flag();
    if (verify && !ticket->failed_check)
        return cudaErrorMemoryAllocation;
    device->mark(ticket, kStarted, lane->work);
    cudaError_t code = copy_in(job, memory, lane->work);
    mark_arrival(device, ticket, lane);
    if (code == cudaSuccess && verify) {
        code = verify_begin(memory.batch, memory.check_space, lane->work);
        device->mark(ticket, kDigested, lane->work);
    }
    if (code == cudaSuccess)
        code = sort_segments(memory.batch, memory.workspace, lane->work, &ticket->method);
    device->mark(ticket, kSorted, lane->work);
    if (code == cudaSuccess && memory.gather.to)
        code = check_and_gather(device, memory, ticket, lane->work);
    if (code == cudaSuccess && beside)
        code = check_beside(device, memory, ticket, lane->checks);
    if (code == cudaSuccess)
        code = copy_out(job, memory, lane->work);
    device->mark(ticket, kCopied, lane->work);
    /* The job's memory is freed when the lane's work comes to that, however far it got. */
    const cudaError_t joined = device->await_checks(lane, ticket->moment[beside ? kChecked : kArrived]);
    if (code == cudaSuccess)
        code = joined;
    return code;
}

}  // namespace

void start_job(GpusortDevice *device, const GpusortSlabSort *job)
{
    const JobMemory wanted(*job, nullptr);
    Lane *lane = device->pick_lane();
    void *base = nullptr;

    cudaError_t code = device->take_memory(&base, wanted.bytes, lane->work);
    if (code != cudaSuccess) {
        GpusortDeviceError error = {};

        set_error(&error, code, "allocating device memory for a job");
        device->fail_ticket(job->ticket, error);
        return;
    }
    const JobMemory memory(*job, base);
    Ticket *ticket = device->begin_ticket(job->ticket, lane);
    ticket->bytes = wanted.bytes;
    code = enqueue(device, *job, memory, ticket, lane);
    if (code != cudaSuccess)
        set_error(&ticket->error, code, "starting a job");
    cudaFreeAsync(base, lane->work);
    device->end_ticket(ticket);
}

}  // namespace gpusort
