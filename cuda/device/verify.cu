/*
 * verify.cu
 *	  Plans the kernels of a check: how many threads look at what, and which copies
 *	  they make.
 *
 * A check takes microseconds, and starting a kernel is the larger part of that.  So there
 * is one kernel before the sort and one after it.  A batch with both short and long
 * segments needs two.  A gathered payload needs another one, which looks at it while it
 * is copied out.  verify_kernels.cuh says what the kernels do.
 */
#include <algorithm>

#include "device/verify.cuh"
#include "device/verify_kernels.cuh"
#include "methods/workspace.cuh"

namespace gpusort
{

namespace
{

Grid grid_of(const SegmentBatch &batch)
{
    const uint32_t run =
        batch.spec.payload == GPUSORT_PAYLOAD_NONE ? KEY_RUN_BYTES / gpusort_key_width(batch.spec.form) : RUN;
    const uint64_t runs = batch.nslots / std::max(batch.nsegments, 1u) / run; /* of a segment, on average */
    Grid grid = {};

    /* Each thread gets one run if there are enough threads, else up to three. */
    grid.lanes = LEAST_LANES;
    while (grid.lanes < THREADS && grid.lanes < runs &&
           (3 * grid.lanes < runs || uint64_t{batch.nsegments} * grid.lanes < MOST_BLOCKS * THREADS / 2))
        grid.lanes *= 2;
    grid.short_class = grid.lanes >= THREADS / 4 ? 12 : 10;
    for (uint32_t c = grid.short_class + 1; c < GPUSORT_LENGTH_CLASSES; c++)
        grid.long_segments += gpusort_class_count(batch.length_histogram, c);
    grid.mixed = grid.long_segments > 0 && grid.long_segments < batch.nsegments;
    if (grid.long_segments < batch.nsegments) {
        const uint64_t blocks = (uint64_t{batch.nsegments} * grid.lanes + THREADS - 1) / THREADS;

        grid.short_blocks = uint32_t(std::min<uint64_t>(blocks, MOST_BLOCKS));
    }
    if (grid.long_segments > 0) {
        grid.parts = std::min((batch.longest - 1) / CHUNK + 1, MOST_PARTS / grid.long_segments + 1);
        grid.long_blocks = uint32_t(std::min<uint64_t>(uint64_t{grid.long_segments} * grid.parts, MOST_BLOCKS));
    }
    return grid;
}

/* Bytes of the entries that are digested or kept. */
uint64_t entry_bytes(const SegmentBatch &batch)
{
    return batch.nslots *
           (batch.spec.payload == GPUSORT_PAYLOAD_CARRIED ? sizeof(uint32_t) : gpusort_key_width(batch.spec.form));
}

/* True if only the first entries of a segment come back right. An approximate order always has all of them. */
bool is_limited(const SegmentBatch &batch)
{
    return batch.spec.limit > 0 && batch.spec.buckets == 0;
}

/* True if keys sorted alone must be looked at again after the sort, which shows which of them are wanted. */
bool is_counted(const SegmentBatch &batch)
{
    return is_limited(batch) && batch.spec.payload == GPUSORT_PAYLOAD_NONE;
}

/* True if the check needs the entries as they were before the sort. */
bool must_keep(const SegmentBatch &batch)
{
    return batch.spec.payload == GPUSORT_PAYLOAD_INDEX || is_counted(batch);
}

Notes notes_in(const SegmentBatch &batch, void *space)
{
    const Grid grid = grid_of(batch);
    Workspace parts(space);
    Notes notes;

    notes.digests = parts.take<uint64_t>(2 * MOST_BLOCKS);
    notes.places = parts.take<uint64_t>(2 * MOST_BLOCKS);
    notes.arrived = parts.take<uint64_t>(MOST_BLOCKS);
    notes.difference = parts.take<uint64_t>(3);
    notes.balance = notes.difference + 1;
    notes.ended = notes.difference + 2;
    notes.nlong = parts.take<uint32_t>(2);
    notes.narrived = notes.nlong + 1;
    notes.list = grid.mixed ? parts.take<uint32_t>(grid.long_segments) : nullptr;
    notes.counters = is_counted(batch) ? parts.take<uint64_t>(batch.nsegments) : nullptr;
    notes.kept = must_keep(batch) || entry_bytes(batch) <= FEW_BYTES ? parts.take<char>(entry_bytes(batch)) : nullptr;
    notes.bytes = parts.used();
    return notes;
}

Check check_of(const SegmentBatch &batch, void *space, const Copies *copies)
{
    const bool index = batch.spec.payload == GPUSORT_PAYLOAD_INDEX;
    Check check = {};

    check.notes = notes_in(batch, space);
    check.kept = must_keep(batch) || copies ? check.notes.kept : nullptr;
    check.keys = index ? check.kept : batch.keys;
    check.payload = batch.payload;
    check.segments = batch.segments;
    check.nsegments = batch.nsegments;
    check.kind = batch.spec.payload;
    check.coding = {batch.spec.form, batch.spec.descending, false};
    check.limit = is_limited(batch) ? batch.spec.limit : 0;
    check.grid = grid_of(batch);
    if (copies)
        check.copies = *copies;
    return check;
}

uint32_t blocks_for(const Copies &copies)
{
    return copying_blocks(copies, THREADS, MOST_BLOCKS);
}

template <GpusortKeyForm FORM, bool AFTER>
cudaError_t run(const Check &check, cudaStream_t stream)
{
    const Grid &grid = check.grid;
    uint32_t copying = check.gather.to ? 0 : grid.copying_blocks;

    if (grid.short_blocks > 0) {
        const dim3 threads(grid.lanes, THREADS / grid.lanes);

        look_at_segments<FORM, AFTER><<<grid.short_blocks + copying, threads, 0, stream>>>(check);
        copying = 0;
    }
    if (grid.long_blocks > 0)
        look_at_long_segments<FORM, AFTER><<<grid.long_blocks + copying, THREADS, 0, stream>>>(check);
    return cudaGetLastError();
}

template <bool AFTER>
cudaError_t run_by_form(const Check &check, cudaStream_t stream)
{
    switch (check.coding.form) {
        case GPUSORT_KEY_INT16:
            return run<GPUSORT_KEY_INT16, AFTER>(check, stream);
        case GPUSORT_KEY_INT32:
            return run<GPUSORT_KEY_INT32, AFTER>(check, stream);
        case GPUSORT_KEY_UINT32:
            return run<GPUSORT_KEY_UINT32, AFTER>(check, stream);
        case GPUSORT_KEY_FLOAT32:
            return run<GPUSORT_KEY_FLOAT32, AFTER>(check, stream);
        case GPUSORT_KEY_INT64:
            return run<GPUSORT_KEY_INT64, AFTER>(check, stream);
        case GPUSORT_KEY_UINT64:
            return run<GPUSORT_KEY_UINT64, AFTER>(check, stream);
        default:
            return run<GPUSORT_KEY_FLOAT64, AFTER>(check, stream);
    }
}

/* Keeps the entries. If a copy brings them, it also writes them there. */
cudaError_t keep(const SegmentBatch &batch, Check check, cudaStream_t stream)
{
    const void *entries = batch.spec.payload == GPUSORT_PAYLOAD_CARRIED ? batch.payload : batch.keys;
    const uint64_t counters = check.notes.counters ? batch.nsegments * sizeof(uint64_t) : 0;
    bool comes = false;

    for (Copy &copy : check.copies.each) {
        if (copy.to == entries)
            copy.also = check.notes.kept;
        else if (copy.from == entries)
            copy.to = check.notes.kept;
        else
            continue;
        comes = true;
    }
    if (!comes)
        check.copies.each[0] = {check.notes.kept, entries, entry_bytes(batch), nullptr};
    check.copies.each[4] = {check.notes.counters, nullptr, counters, nullptr};
    check.grid.copying_blocks = std::max(blocks_for(check.copies), 1u);
    keep_entries<<<check.grid.copying_blocks, THREADS, 0, stream>>>(check);
    return cudaGetLastError();
}

/* The check after the sort, the same for all its kernels. */
Check ending_check(const SegmentBatch &batch, void *space, uint32_t *failed, const Copies *copies)
{
    Check check = check_of(batch, space, copies);

    /* An index leaves the keys that came as they were, so they can be digested again. */
    if (copies && batch.spec.payload == GPUSORT_PAYLOAD_INDEX)
        check.copies.each[4] = {nullptr, check.kept, entry_bytes(batch), nullptr};
    check.grid.copying_blocks = blocks_for(check.copies);
    check.ordered = batch.spec.buckets == 0;
    check.balanced = copies && batch.spec.payload != GPUSORT_PAYLOAD_CARRIED;
    check.listing = check.kept && check.grid.mixed;
    check.failed = failed;
    return check;
}

}  // namespace

size_t verify_bytes(const SegmentBatch &batch)
{
    return notes_in(batch, nullptr).bytes;
}

cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream, const Copies *copies)
{
    if (batch.nsegments == 0)
        return cudaSuccess;

    Check check = check_of(batch, space, copies);
    cudaError_t error = cudaSuccess;

    if (check.kept)
        return keep(batch, check, stream);
    check.grid.copying_blocks = blocks_for(check.copies);
    check.listing = check.grid.mixed;
    if (check.listing)
        error = cudaMemsetAsync(check.notes.nlong, 0, sizeof(uint32_t), stream);
    return error == cudaSuccess ? run_by_form<false>(check, stream) : error;
}

cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                       const Copies *copies, const Gather &gather, const KeyDigests &digests)
{
    if (batch.nsegments == 0)
        return cudaMemsetAsync(failed, 0, sizeof(uint32_t), stream);

    Check check = ending_check(batch, space, failed, copies);

    check.gather = gather;
    check.digests = digests;
    return run_by_form<true>(check, stream);
}

cudaError_t verify_left(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                        const Copies &copies)
{
    if (batch.nsegments == 0)
        return cudaSuccess;

    const Check check = ending_check(batch, space, failed, &copies);

    let_leave<<<check.grid.copying_blocks, THREADS, 0, stream>>>(check);
    return cudaGetLastError();
}

cudaError_t copy_unchecked(const Copies &copies, cudaStream_t stream)
{
    const uint32_t blocks = std::max(blocks_for(copies), 1u);

    make_copies<<<blocks, THREADS, 0, stream>>>(copies);
    return cudaGetLastError();
}

}  // namespace gpusort
