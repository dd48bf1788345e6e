/*
 * device_session.cu
 *	  Sorting what does not fit one slab: columns stay on the device while the host
 *	  appends to them, has them sorted and fetches them back in order.
 *
 *	  open --> append ... append --> sort --> fetch ... fetch --> close
 *
 * Or only having the intervals of its keys found: then a sort moves nothing.
 *
 * Everything a session needs is allocated when it opens, so that one that opened
 * will not run out of memory later. Its work runs in order on one stream. Row
 * numbers are 32 bits wide, which bounds a session at 2^32 - 1 rows.
 */
#include <stdio.h>

#include <algorithm>

#include "carver.h"
#include "device.cuh"
#include "intervals.cuh"
#include "segment_sort.cuh"
#include "verify.cuh"

namespace gpusort
{

struct Session {
    GpusortDeviceSession spec;
    Lane *lane;
    void *base = nullptr;
    void *columns[GPUSORT_SESSION_COLUMNS];
    uint32_t *index;         /* or intervals; null when the keys are sorted alone */
    void *scratch;           /* a column in the making; the keys while an index is sorted */
    GpusortSegment *segment; /* the one segment, and on the host: */
    GpusortSegment whole;
    void *workspace;
    size_t workspace_bytes;
    void *check_space;
    uint32_t histogram[GPUSORT_LENGTH_BINS];
    size_t bytes;

    bool has_payload() const
    {
        return spec.spec.payload != GPUSORT_PAYLOAD_NONE;
    }
    SegmentBatch batch(uint64_t nrows);
    IntervalTask interval_task(uint64_t nrows) const
    {
        return {spec.spec, columns[0], index, static_cast<uint32_t>(nrows), workspace};
    }
    void lay_out(void *memory);
    ~Session()
    {
        if (base)
            cudaFreeAsync(base, lane->work);
    }
};

/* The batch that sorts the first nrows keys, in the scratch column if there is a payload. */
SegmentBatch Session::batch(uint64_t nrows)
{
    SegmentBatch batch;

    std::fill(histogram, histogram + GPUSORT_LENGTH_BINS, 0);
    histogram[gpusort_length_bin(static_cast<uint32_t>(nrows))] = 1;
    batch.spec = spec.spec;
    batch.keys = has_payload() ? scratch : columns[0];
    batch.payload = index;
    whole = {0, static_cast<uint32_t>(nrows)};
    batch.segments = segment;
    batch.host_segments = &whole;
    batch.nsegments = 1;
    batch.nslots = nrows;
    batch.length_histogram = histogram;
    batch.longest = static_cast<uint32_t>(nrows);
    return batch;
}

void Session::lay_out(void *memory)
{
    Carver carver(memory);
    uint8_t widest = 0;

    base = memory;
    for (uint32_t c = 0; c < spec.ncolumns; c++) {
        columns[c] = carver.take<void>(spec.nrows * spec.column_width[c]);
        widest = std::max(widest, spec.column_width[c]);
    }
    index = has_payload() || spec.intervals ? carver.take<uint32_t>(spec.nrows * sizeof(uint32_t)) : nullptr;
    scratch = has_payload() ? carver.take<void>(spec.nrows * widest) : nullptr;
    segment = carver.take<GpusortSegment>(sizeof(GpusortSegment));
    const SegmentBatch full = batch(spec.nrows);
    workspace_bytes = spec.intervals ? intervals_bytes() : gpusort::workspace_bytes(full);
    workspace = carver.take<void>(workspace_bytes);
    check_space = spec.verify && !spec.intervals ? carver.take<void>(verify_bytes(full)) : nullptr;
    bytes = carver.used();
}

namespace
{

/* out[i] = in[index[i]] for values of sizeof(T) bytes. */
template <typename T>
__global__ void gather(T *__restrict__ out, const T *__restrict__ in, const uint32_t *__restrict__ index, uint64_t n)
{
    const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;

    for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = in[index[i]];
}

template <typename T>
cudaError_t launch_gather(void *out, const void *in, const uint32_t *index, uint64_t n, cudaStream_t stream)
{
    constexpr unsigned kThreads = 256;
    const unsigned blocks = static_cast<unsigned>(std::min<uint64_t>((n + kThreads - 1) / kThreads, 1u << 20));

    gather<T><<<blocks, kThreads, 0, stream>>>(static_cast<T *>(out), static_cast<const T *>(in), index, n);
    return cudaGetLastError();
}

cudaError_t gather_column(void *out, const void *in, const uint32_t *index, uint64_t n, uint8_t width,
                          cudaStream_t stream)
{
    switch (width) {
        case 1:
            return launch_gather<uint8_t>(out, in, index, n, stream);
        case 2:
            return launch_gather<uint16_t>(out, in, index, n, stream);
        case 4:
            return launch_gather<uint32_t>(out, in, index, n, stream);
        case 8:
            return launch_gather<uint64_t>(out, in, index, n, stream);
        case 16:
            return launch_gather<ulonglong2>(out, in, index, n, stream);
        default:
            return cudaErrorInvalidValue;
    }
}

/* Brings all columns into the order of the index. */
cudaError_t gather_columns(Session *session, uint64_t nrows)
{
    cudaError_t code = cudaSuccess;

    for (uint32_t c = 0; c < session->spec.ncolumns && code == cudaSuccess; c++) {
        const uint8_t width = session->spec.column_width[c];

        code = gather_column(session->scratch, session->columns[c], session->index, nrows, width, session->lane->work);
        if (code == cudaSuccess)
            code = cudaMemcpyAsync(session->columns[c], session->scratch, nrows * width, cudaMemcpyDeviceToDevice,
                                   session->lane->work);
    }
    return code;
}

/* Enqueues the sort of the first nrows rows. */
cudaError_t enqueue_sort(GpusortDevice *device, Session *session, uint64_t nrows, Ticket *ticket)
{
    cudaStream_t stream = session->lane->work;
    const SegmentBatch batch = session->batch(nrows);

    device->mark(ticket, kStarted, stream);
    cudaError_t code =
        cudaMemcpyAsync(session->segment, &session->whole, sizeof(session->whole), cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess && session->has_payload())
        code = cudaMemcpyAsync(session->scratch, session->columns[0], nrows * session->spec.column_width[0],
                               cudaMemcpyDeviceToDevice, stream);
    device->mark(ticket, kArrived, stream);
    if (code == cudaSuccess && session->spec.verify) {
        code = verify_begin(batch, session->check_space, stream);
        device->mark(ticket, kDigested, stream);
    }
    if (code == cudaSuccess)
        code = sort_segments(batch, session->workspace, session->workspace_bytes, stream, &ticket->method);
    if (code == cudaSuccess && session->has_payload())
        code = gather_columns(session, nrows);
    device->mark(ticket, kSorted, stream);
    if (code == cudaSuccess && session->spec.verify) {
        ticket->failed_check = device->take_flag();
        if (!ticket->failed_check)
            return cudaErrorMemoryAllocation;
        code = verify_end(batch, session->check_space, ticket->failed_check, stream);
        device->mark(ticket, kChecked, stream);
    }
    return code;
}

/* Enqueues the search for the intervals of the first nrows keys. */
cudaError_t enqueue_intervals(GpusortDevice *device, Session *session, uint64_t nrows, Ticket *ticket)
{
    cudaStream_t stream = session->lane->work;
    const IntervalTask task = session->interval_task(nrows);

    ticket->method = GPUSORT_METHOD_APPROXIMATE;
    device->mark(ticket, kArrived, stream);
    cudaError_t code = find_intervals(task, stream);
    device->mark(ticket, kSorted, stream);
    if (code == cudaSuccess && session->spec.verify) {
        ticket->failed_check = device->take_flag();
        if (!ticket->failed_check)
            return cudaErrorMemoryAllocation;
        code = check_intervals(task, ticket->failed_check, stream);
        device->mark(ticket, kChecked, stream);
    }
    return code;
}

/* The session, or null after the ticket was failed because there is none. */
Session *find_session(GpusortDevice *device, uint64_t number, uint64_t ticket)
{
    auto found = device->sessions.find(number);

    if (found != device->sessions.end())
        return found->second.get();
    GpusortDeviceError error = {GPUSORT_DEVICE_FAULT, "no such session"};
    device->fail_ticket(ticket, error);
    return nullptr;
}

/* Address of a column's first_row, or null if rows or column do not exist. */
char *row_address(Session *session, uint32_t column, uint64_t first_row, uint64_t nrows, size_t *width)
{
    if (first_row > session->spec.nrows || nrows > session->spec.nrows - first_row)
        return nullptr;
    if (column == GPUSORT_SESSION_INDEX && session->index) {
        *width = sizeof(uint32_t);
        return reinterpret_cast<char *>(session->index) + first_row * *width;
    }
    if (column >= session->spec.ncolumns)
        return nullptr;
    *width = session->spec.column_width[column];
    return static_cast<char *>(session->columns[column]) + first_row * *width;
}

/* Copies rows of a column to or from the arena, under a ticket. */
void transfer(GpusortDevice *device, uint64_t number, uint64_t ticket_number, uint32_t column, uint64_t first_row,
              uint64_t nrows, void *host, cudaMemcpyKind kind)
{
    Session *session = find_session(device, number, ticket_number);
    size_t width = 0;

    if (!session)
        return;
    char *rows = row_address(session, column, first_row, nrows, &width);
    if (!rows) {
        GpusortDeviceError error = {GPUSORT_DEVICE_FAULT, "no such rows in the session"};
        device->fail_ticket(ticket_number, error);
        return;
    }
    const bool in = kind == cudaMemcpyHostToDevice;
    Ticket *ticket = device->begin_ticket(ticket_number, session->lane);
    device->mark(ticket, in ? kStarted : kSorted, session->lane->work);
    const cudaError_t code =
        cudaMemcpyAsync(in ? static_cast<void *>(rows) : host, in ? host : static_cast<void *>(rows), nrows * width,
                        kind, session->lane->work);
    device->mark(ticket, in ? kArrived : kCopied, session->lane->work);
    if (code != cudaSuccess)
        set_error(&ticket->error, code, "copying rows of a session");
    device->end_ticket(ticket);
}

}  // namespace

GpusortDeviceStatus open_session(GpusortDevice *device, const GpusortDeviceSession *spec, GpusortDeviceError *error)
{
    auto session = std::make_shared<Session>();
    void *memory = nullptr;

    error->status = GPUSORT_DEVICE_OK;
    error->message[0] = '\0';
    const char *reason = spec->nrows > UINT32_MAX ? "more than 2^32 - 1 rows" : refuses(spec->spec);
    if (!reason && spec->intervals &&
        (spec->spec.buckets == 0 || spec->spec.payload != GPUSORT_PAYLOAD_NONE || spec->ncolumns > 1))
        reason = "intervals are found for keys alone, and a number of buckets";
    if (reason) {
        error->status = GPUSORT_DEVICE_UNSUPPORTED;
        snprintf(error->message, sizeof(error->message), "%s", reason);
        return error->status;
    }
    session->spec = *spec;
    if (spec->ncolumns > 1)
        session->spec.spec.payload = GPUSORT_PAYLOAD_INDEX;
    session->lane = device->pick_lane();
    session->lay_out(nullptr);
    const cudaError_t code = device->take_memory(&memory, session->bytes, session->lane->work);
    if (code != cudaSuccess) {
        set_error(error, code, "allocating device memory for a session");
        return error->status;
    }
    session->lay_out(memory);
    device->sessions[spec->session] = session;
    return GPUSORT_DEVICE_OK;
}

void append(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column, uint64_t first_row,
            uint64_t nrows, const void *source)
{
    transfer(device, session, ticket, column, first_row, nrows, const_cast<void *>(source), cudaMemcpyHostToDevice);
}

void sort_session(GpusortDevice *device, uint64_t number, uint64_t ticket_number, uint64_t nrows)
{
    Session *session = find_session(device, number, ticket_number);

    if (!session)
        return;
    Ticket *ticket = device->begin_ticket(ticket_number, session->lane);
    const cudaError_t code = session->spec.intervals ? enqueue_intervals(device, session, nrows, ticket)
                                                     : enqueue_sort(device, session, nrows, ticket);
    if (code != cudaSuccess)
        set_error(&ticket->error, code, "sorting a session");
    device->end_ticket(ticket);
}

void fetch(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column, uint64_t first_row,
           uint64_t nrows, void *target)
{
    transfer(device, session, ticket, column, first_row, nrows, target, cudaMemcpyDeviceToHost);
}

/* The memory is freed in stream order: after whatever the session still has under way. */
void close_session(GpusortDevice *device, uint64_t session)
{
    auto found = device->sessions.find(session);

    if (found == device->sessions.end())
        return;
    device->count_freed(found->second->bytes);
    device->sessions.erase(found);
}

}  // namespace gpusort
