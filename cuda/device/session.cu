/*
 * session.cu
 *	  Sessions: columns stay on the device while the host appends to them, has them
 *	  sorted and fetches them back in order.
 *
 *	  open --> append ... append --> sort --> fetch ... fetch --> close
 *
 * Each column has digests (digest.cuh), which show that the fetched rows are the appended
 * ones:
 *
 *	  arrived	the rows as they were appended
 *	  used		the rows as they were sorted or gathered, each counted at its old place
 *	  left		the sorted rows
 *	  fetched	the rows as they were fetched
 *
 * The check of a sort fails if used and arrived differ for a column. The fetch of a column's
 * last rows fails if fetched and left differ.
 *
 * A session allocates everything when it opens, so an open session never runs out of memory.
 * Its work runs in order on one stream.
 */
#include <algorithm>

#include "device/device.cuh"
#include "device/digest.cuh"
#include "segment_sort.cuh"
#include "methods/workspace.cuh"
#include "device/verify.cuh"

namespace gpusort
{

/* The columns with digests; the last one is the index. */
constexpr uint32_t DIGESTED = GPUSORT_SESSION_COLUMNS + 1;

struct Digests {
    uint64_t arrived[DIGESTED], used[DIGESTED], left[DIGESTED], fetched[DIGESTED];
};

struct Session {
    GpusortSessionSpec spec;
    Lane *lane;
    void *base = nullptr;
    void *columns[GPUSORT_SESSION_COLUMNS];
    uint32_t *index;         /* null without a payload */
    void *scratch;           /* the column that is gathered next; the keys while an index is sorted */
    GpusortSegment *segment; /* the one segment */
    GpusortSegment whole;    /* the same on the host */
    void *workspace;
    void *check_space;
    Digests *digests;                 /* null if nothing is checked */
    uint64_t nsorted = 0;             /* rows of each column after the sort */
    uint64_t nfetched[DIGESTED] = {}; /* rows of each column that have been fetched */
    uint32_t histogram[GPUSORT_LENGTH_BINS];
    size_t bytes;

    bool has_payload() const
    {
        return spec.spec.payload != GPUSORT_PAYLOAD_NONE;
    }
    char *data(uint32_t column) const
    {
        return static_cast<char *>(column == GPUSORT_SESSION_INDEX ? index : columns[column]);
    }
    uint32_t width(uint32_t column) const
    {
        return column == GPUSORT_SESSION_INDEX ? uint32_t{sizeof(uint32_t)} : spec.column_width[column];
    }
    SegmentBatch batch(uint64_t nrows);
    void lay_out(void *memory);
    uint64_t result_rows(uint64_t nrows) const
    {
        return spec.spec.limit > 0 ? std::min(spec.spec.limit, nrows) : nrows;
    }
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
    batch.nsegments = 1;
    batch.nslots = nrows;
    batch.length_histogram = histogram;
    batch.longest = static_cast<uint32_t>(nrows);
    return batch;
}

void Session::lay_out(void *memory)
{
    Workspace parts(memory);
    uint8_t widest = 0;

    base = memory;
    for (uint32_t c = 0; c < spec.ncolumns; c++) {
        columns[c] = parts.take<char>(spec.nrows * spec.column_width[c]);
        widest = std::max(widest, spec.column_width[c]);
    }
    index = has_payload() ? parts.take<uint32_t>(spec.nrows) : nullptr;
    scratch = has_payload() ? parts.take<char>(spec.nrows * widest) : nullptr;
    segment = parts.take<GpusortSegment>(1);
    const SegmentBatch full = batch(spec.nrows);
    workspace = parts.take<char>(workspace_bytes(full));
    check_space = spec.verify ? parts.take<char>(verify_bytes(full)) : nullptr;
    digests = spec.verify ? parts.take<Digests>(1) : nullptr;
    bytes = parts.used();
}

namespace
{

constexpr unsigned kThreads = 256;
constexpr uint64_t kPiece = sizeof(ulonglong2); /* bytes that a thread digests at a time */
constexpr unsigned kReadingBlocks = 528;        /* to read in sequence: few, because each adds up at the end */
constexpr unsigned kGatheringBlocks = 1056;     /* to read from anywhere: as many as run at a time */

uint32_t number_of(uint32_t column)
{
    return column == GPUSORT_SESSION_INDEX ? DIGESTED - 1 : column;
}

unsigned blocks_for(uint64_t threads, unsigned most)
{
    return static_cast<unsigned>(std::min<uint64_t>((threads + kThreads - 1) / kThreads, most));
}

/* Adds the digest of the bytes begin .. end of a column. */
__global__ void digest_bytes(const char *column, uint64_t begin, uint64_t end, uint64_t *total)
{
    const uint64_t stride = uint64_t{gridDim.x} * blockDim.x, thread = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const uint64_t first = (begin + kPiece - 1) / kPiece, last = max(first, end / kPiece);
    const uint64_t head = min(end, first * kPiece), tail = last * kPiece;
    uint64_t sum = 0;

#pragma unroll 4
    for (uint64_t i = first + thread; i < last; i += stride)
        sum += digest_at(i, reinterpret_cast<const ulonglong2 *>(column)[i]);
    if (begin + thread < head)
        sum += digest_at(begin + thread, uint8_t(column[begin + thread]));
    if (tail + thread < end)
        sum += digest_at(tail + thread, uint8_t(column[tail + thread]));
    add_digest(total, sum);
}

/*
 * out[i] = in[index[i]] for n of `rows` values. Digests what is read at its old place, and what is written.
 * A wrong index is found by the check later.
 */
template <typename T>
__global__ void gather(T *__restrict__ out, const T *__restrict__ in, const uint32_t *__restrict__ index, uint64_t n,
                       uint64_t rows, uint64_t *used, uint64_t *left)
{
    const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
    uint64_t read = 0, written = 0;

    for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
        const uint32_t position = index[i];
        const T value = position < rows ? in[position] : T{};

        out[i] = value;
        if (used)
            read += digest_at(position, value);
        if (left)
            written += digest_at(i, value);
    }
    add_digest(used, read);
    add_digest(left, written);
}

/* Sets *failed to 1 if two digests differ, and never clears it. */
__global__ void compare_digests(const uint64_t *some, const uint64_t *others, uint32_t n, uint32_t *failed)
{
    if (threadIdx.x < n && some[threadIdx.x] != others[threadIdx.x])
        *failed = 1;
}

cudaError_t digest_rows(const Session *session, uint32_t column, uint64_t first_row, uint64_t nrows, uint64_t *total,
                        cudaStream_t stream)
{
    const uint64_t width = session->width(column), bytes = nrows * width;

    digest_bytes<<<blocks_for(bytes / kPiece + kPiece, kReadingBlocks), kThreads, 0, stream>>>(
        session->data(column), first_row * width, first_row * width + bytes, total);
    return cudaGetLastError();
}

template <typename T>
cudaError_t launch_gather(const Session *session, uint32_t column, uint64_t n, uint64_t *used, uint64_t *left)
{
    gather<T><<<blocks_for(n, kGatheringBlocks), kThreads, 0, session->lane->work>>>(
        static_cast<T *>(session->scratch), static_cast<const T *>(session->columns[column]), session->index, n,
        session->spec.nrows, used, left);
    return cudaGetLastError();
}

/* Brings the first n values of a column in order into the scratch column. */
cudaError_t gather_column(const Session *session, uint32_t column, uint64_t n, uint64_t *used, uint64_t *left)
{
    switch (session->width(column)) {
        case 1:
            return launch_gather<uint8_t>(session, column, n, used, left);
        case 2:
            return launch_gather<uint16_t>(session, column, n, used, left);
        case 4:
            return launch_gather<uint32_t>(session, column, n, used, left);
        default:
            return launch_gather<uint64_t>(session, column, n, used, left);
    }
}

/*
 * Brings all columns of nrows rows into the order of the index. With a limit not all rows
 * are read by that, so lost ones would not be noticed. Then the columns are digested apart.
 */
cudaError_t gather_columns(Session *session, uint64_t nrows)
{
    const uint64_t wanted = session->result_rows(nrows);
    cudaError_t code = cudaSuccess;

    for (uint32_t c = 0; c < session->spec.ncolumns && code == cudaSuccess; c++) {
        uint64_t *used = session->digests ? &session->digests->used[c] : nullptr;
        uint64_t *left = session->digests ? &session->digests->left[c] : nullptr;

        if (used && wanted < nrows)
            code = digest_rows(session, c, 0, nrows, used, session->lane->work);
        if (code == cudaSuccess)
            code = gather_column(session, c, wanted, wanted < nrows ? nullptr : used, left);
        if (code == cudaSuccess)
            code = cudaMemcpyAsync(session->columns[c], session->scratch, wanted * session->width(c),
                                   cudaMemcpyDeviceToDevice, session->lane->work);
    }
    return code;
}

/* Enqueues the first half of the check: of the keys as they arrived, not of the copy that is sorted. */
cudaError_t begin_check(Session *session, SegmentBatch batch)
{
    cudaStream_t stream = session->lane->work;
    cudaError_t code = cudaSuccess;

    batch.keys = session->columns[0];
    if (!session->has_payload())
        code = digest_rows(session, 0, 0, batch.nslots, &session->digests->used[0], stream);
    return code == cudaSuccess ? verify_begin(batch, session->check_space, stream) : code;
}

/* Enqueues the second half of the check: the order, and that each column has the appended rows. */
cudaError_t end_check(Session *session, const SegmentBatch &batch, uint32_t *failed)
{
    const uint32_t column = session->has_payload() ? GPUSORT_SESSION_INDEX : 0;
    cudaStream_t stream = session->lane->work;
    Digests *digests = session->digests;

    cudaError_t code = verify_end(batch, session->check_space, failed, stream);
    if (code == cudaSuccess)
        code = digest_rows(session, column, 0, session->nsorted, &digests->left[number_of(column)], stream);
    if (code != cudaSuccess)
        return code;
    compare_digests<<<1, 64, 0, stream>>>(digests->arrived, digests->used, session->spec.ncolumns, failed);
    return cudaGetLastError();
}

/* Lets the lane's work wait for the checks that are enqueued so far. */
cudaError_t join_checks(GpusortDevice *device, Lane *lane)
{
    cudaEvent_t event = device->take_event();

    const bool recorded = event && worked(cudaEventRecord(event, lane->checks));
    const cudaError_t code = device->await_checks(lane, recorded ? event : nullptr);

    if (event)
        device->spare_events.push_back(event);
    return code;
}

/* Enqueues the sort of the first nrows rows. */
cudaError_t enqueue_sort(GpusortDevice *device, Session *session, uint64_t nrows, Ticket *ticket)
{
    cudaStream_t stream = session->lane->work;
    const SegmentBatch batch = session->batch(nrows);

    session->nsorted = session->result_rows(nrows);
    device->mark(ticket, kStarted, stream);
    cudaError_t code = join_checks(device, session->lane);
    if (code == cudaSuccess)
        code =
            cudaMemcpyAsync(session->segment, &session->whole, sizeof(session->whole), cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess && session->has_payload())
        code = cudaMemcpyAsync(session->scratch, session->columns[0], nrows * session->spec.column_width[0],
                               cudaMemcpyDeviceToDevice, stream);
    device->mark(ticket, kArrived, stream);
    if (code == cudaSuccess && session->spec.verify) {
        code = begin_check(session, batch);
        device->mark(ticket, kDigested, stream);
    }
    if (code == cudaSuccess)
        code = sort_segments(batch, session->workspace, stream, &ticket->method);
    if (code == cudaSuccess && session->has_payload())
        code = gather_columns(session, nrows);
    device->mark(ticket, kSorted, stream);
    if (code == cudaSuccess && session->spec.verify) {
        ticket->failed_check = device->take_flag();
        if (!ticket->failed_check)
            return cudaErrorMemoryAllocation;
        code = end_check(session, batch, ticket->failed_check);
        device->mark(ticket, kChecked, stream);
    }
    return code;
}

/* Enqueues the digest of appended rows on the checks' stream. The sort will wait for it. */
cudaError_t digest_arrived(const Session *session, const Ticket *ticket, uint32_t column, uint64_t first_row,
                           uint64_t nrows)
{
    cudaStream_t checks = session->lane->checks;

    if (!ticket->moment[kArrived])
        return cudaErrorMemoryAllocation;
    const cudaError_t code = cudaStreamWaitEvent(checks, ticket->moment[kArrived]);
    return code != cudaSuccess
               ? code
               : digest_rows(session, column, first_row, nrows, &session->digests->arrived[number_of(column)], checks);
}

/* Enqueues the digest of rows that are fetched, and with the last of them a comparison, beside their copy. */
cudaError_t digest_fetched(GpusortDevice *device, Session *session, Ticket *ticket, uint32_t column, uint64_t first_row,
                           uint64_t nrows)
{
    const uint32_t number = number_of(column);
    Digests *digests = session->digests;
    Lane *lane = session->lane;

    if (!ticket->moment[kSorted])
        return cudaErrorMemoryAllocation;
    session->nfetched[number] += nrows;
    const bool last = session->nfetched[number] == session->nsorted;
    ticket->failed_check = last ? device->take_flag() : nullptr;
    if (last && !ticket->failed_check)
        return cudaErrorMemoryAllocation;
    cudaError_t code = cudaStreamWaitEvent(lane->checks, ticket->moment[kSorted]);
    if (code == cudaSuccess)
        code = digest_rows(session, column, first_row, nrows, &digests->fetched[number], lane->checks);
    if (code == cudaSuccess && last) {
        compare_digests<<<1, 1, 0, lane->checks>>>(&digests->left[number], &digests->fetched[number], 1,
                                                   ticket->failed_check);
        code = cudaGetLastError();
    }
    device->mark(ticket, kChecked, lane->checks);
    const cudaError_t joined = device->await_checks(lane, ticket->moment[kChecked]);
    return code == cudaSuccess ? joined : code;
}

/* Copies rows of a column to or from the arena, under a ticket. */
void transfer(GpusortDevice *device, uint64_t number, uint64_t ticket_number, uint32_t column, uint64_t first_row,
              uint64_t nrows, void *host, cudaMemcpyKind kind)
{
    Session *session = device->sessions.find(number)->second.get();
    const bool in = kind == cudaMemcpyHostToDevice;
    const size_t width = session->width(column);
    void *rows = session->data(column) + first_row * width;
    cudaStream_t stream = session->lane->work;
    Ticket *ticket = device->begin_ticket(ticket_number, session->lane);

    device->mark(ticket, in ? kStarted : kSorted, stream);
    cudaError_t code = cudaMemcpyAsync(in ? rows : host, in ? host : rows, nrows * width, kind, stream);
    device->mark(ticket, in ? kArrived : kCopied, stream);
    if (code == cudaSuccess && session->digests)
        code = in ? digest_arrived(session, ticket, column, first_row, nrows)
                  : digest_fetched(device, session, ticket, column, first_row, nrows);
    if (code != cudaSuccess)
        set_error(&ticket->error, code, "copying rows of a session");
    device->end_ticket(ticket);
}

}  // namespace

GpusortDeviceStatus open_session(GpusortDevice *device, const GpusortSessionSpec *spec, GpusortDeviceError *error)
{
    auto session = std::make_shared<Session>();
    void *memory = nullptr;

    error->status = GPUSORT_DEVICE_OK;
    error->message[0] = '\0';
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
    if (session->digests)
        cudaMemsetAsync(session->digests, 0, sizeof(Digests), session->lane->work);
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
    Session *session = device->sessions.find(number)->second.get();
    Ticket *ticket = device->begin_ticket(ticket_number, session->lane);
    const cudaError_t code = enqueue_sort(device, session, nrows, ticket);
    if (code != cudaSuccess)
        set_error(&ticket->error, code, "sorting a session");
    device->end_ticket(ticket);
}

void fetch(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column, uint64_t first_row,
           uint64_t nrows, void *target)
{
    transfer(device, session, ticket, column, first_row, nrows, target, cudaMemcpyDeviceToHost);
}

/* Frees the memory in stream order, after all work of the session. */
void close_session(GpusortDevice *device, uint64_t session)
{
    const auto found = device->sessions.find(session);

    join_checks(device, found->second->lane);
    device->count_freed(found->second->bytes);
    device->sessions.erase(found);
}

}  // namespace gpusort
