/*
 * emulated_memory.cc
 *	  See emulated_memory.h.
 */
#include "emulated/emulated_memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>

#include "cpu_engine/cpu_sort.h"
#include "keys/key_encoding.h"

namespace gpusort_emulated {
namespace {

/* Changes the bits of NaNs, as a device's methods do, each its own way. */
void stir_nans(GpusortKeyForm form, void *keys, uint32_t count) {
    uint32_t *singles = (uint32_t *)keys;
    uint64_t *doubles = (uint64_t *)keys;
    if (form == GPUSORT_KEY_FLOAT32)
        for (uint32_t i = 0; i < count; i++)
            if (gpusort_is_nan32(singles[i])) singles[i] = UINT32_C(0x7fffffff) ^ i % 2 << 31;
    if (form == GPUSORT_KEY_FLOAT64)
        for (uint32_t i = 0; i < count; i++)
            if (gpusort_is_nan64(doubles[i])) doubles[i] = (UINT64_MAX >> 1) ^ uint64_t(i % 2) << 63;
}

/* How many entries of a segment of this many keys are wanted. */
uint64_t wanted_entries(const GpusortSpec &spec, uint64_t count) {
    return spec.limit > 0 ? std::min<uint64_t>(spec.limit, count) : count;
}

/* Sorts one segment: keys in place, or an index that leaves the keys undefined. */
void sort_segment(const GpusortSpec &wanted, void *keys, uint32_t *index, uint32_t count) {
    GpusortSpec spec = wanted;
    GpusortSegment segment = {0, count};
    CpuSortControl control = {};
    control.threads = 1;
    spec.payload = index ? GPUSORT_PAYLOAD_INDEX : GPUSORT_PAYLOAD_NONE;
    spec.method = GPUSORT_METHOD_AUTO;
    std::vector<char> scratch(gpusort_cpu_sort_scratch(&spec, count, 1) + 64);
    void *aligned = (void *)((uintptr_t(scratch.data()) + 63) & ~uintptr_t(63));
    gpusort_cpu_sort(&spec, keys, index, &segment, 1, aligned, &control);
    if (!index && spec.buckets == 0) stir_nans(spec.form, keys, count);
}

/* Exchanges the first and the last entry. */
void spoil(char *entries, uint32_t width, uint64_t count) {
    if (count > 1) std::swap_ranges(entries, entries + width, entries + (count - 1) * width);
}

}  // namespace

double seconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

GpusortMethod method_used(const GpusortSpec &spec) {
    if (spec.method != GPUSORT_METHOD_AUTO) return spec.method;
    return spec.buckets > 0 ? GPUSORT_METHOD_APPROXIMATE : GPUSORT_METHOD_RADIX;
}

bool is_counted(const GpusortSlabSort &job) {
    uint32_t histogram[GPUSORT_LENGTH_BINS] = {};
    for (uint32_t i = 0; i < job.nsegments; i++)
        histogram[gpusort_length_bin(job.segments[i].count)]++;
    return memcmp(histogram, job.length_histogram, sizeof(histogram)) == 0;
}

std::vector<char> input_of(const GpusortSlabSort &job) {
    const char *keys = (const char *)job.keys, *payload = (const char *)job.payload,
               *segments = (const char *)job.segments;
    std::vector<char> input(keys, keys + uint64_t(job.nslots) * gpusort_key_width(job.spec.form));
    if (job.spec.payload == GPUSORT_PAYLOAD_CARRIED)
        input.insert(input.end(), payload, payload + job.nslots * sizeof(uint32_t));
    input.insert(input.end(), segments, segments + job.nsegments * sizeof(GpusortSegment));
    return input;
}

uint64_t job_bytes(const GpusortSlabSort &job) {
    return uint64_t(job.nslots) * (2 * gpusort_key_width(job.spec.form) +
                                   (job.spec.payload == GPUSORT_PAYLOAD_NONE ? 0 : 8)) +
           job.nsegments * sizeof(GpusortSegment);
}

void sort_job(const GpusortSlabSort &job, bool spoiled, GpusortDeviceOutcome *outcome) {
    const uint32_t width = gpusort_key_width(job.spec.form);
    const uint64_t key_bytes = uint64_t(job.nslots) * width;
    const bool indexed = job.spec.payload != GPUSORT_PAYLOAD_NONE;
    double begin = seconds_now();
    std::vector<uint64_t> keys(key_bytes / sizeof(uint64_t) + 1);
    std::vector<uint32_t> payload, index(indexed ? job.nslots : 0), entries(index.size());
    std::vector<GpusortSegment> segments(job.segments, job.segments + job.nsegments);
    memcpy(keys.data(), job.keys, key_bytes);
    if (job.spec.payload == GPUSORT_PAYLOAD_CARRIED) payload.assign(job.payload, job.payload + job.nslots);
    double copied = seconds_now();
    for (const GpusortSegment &segment : segments) {
        /* A forged job's segments may lie anywhere: those outside the slots are left alone. */
        if (uint64_t(segment.start) + segment.count > job.nslots) continue;
        uint64_t wanted = wanted_entries(job.spec, segment.count);
        char *own = (char *)keys.data() + uint64_t(segment.start) * width;
        uint32_t *positions = indexed ? index.data() + segment.start : nullptr;
        sort_segment(job.spec, own, positions, segment.count);
        if (spoiled) spoil(indexed ? (char *)positions : own, indexed ? sizeof(*positions) : width, wanted);
        /* Positions, or the payload that they name. */
        for (uint64_t i = 0; indexed && i < wanted; i++)
            entries[segment.start + i] = payload.empty() ? positions[i] : payload[segment.start + positions[i]];
    }
    double sorted = seconds_now();
    if (indexed)
        std::copy(entries.begin(), entries.end(), job.payload_out);
    else
        memcpy(job.keys_out, keys.data(), key_bytes);
    outcome->copy_in_s = copied - begin;
    outcome->sort_s = sorted - copied;
    outcome->copy_out_s = seconds_now() - sorted;
}

Columns::Columns(const GpusortSessionSpec &session) : session_(session) {
    for (uint32_t i = 0; i < session.ncolumns; i++) {
        column_[i].width = session.column_width[i];
        column_[i].data = (char *)malloc(session.nrows * column_[i].width + sizeof(uint64_t));
    }
    index_.width = sizeof(uint32_t);
}

Columns::~Columns() {
    for (Column &column : column_) free(column.data);
    free(index_.data);
}

/* Bytes for the columns, their gathered copies, and the index. */
uint64_t Columns::bytes(const GpusortSessionSpec &session) {
    uint64_t per_row = 2 * sizeof(uint32_t);
    uint32_t widest = 0;
    for (uint32_t i = 0; i < session.ncolumns; i++) {
        per_row += session.column_width[i];
        widest = std::max<uint32_t>(widest, session.column_width[i]);
    }
    return session.nrows * (per_row + widest);
}

void Columns::append(uint32_t number, uint64_t first_row, uint64_t nrows, const void *source) {
    Column &column = column_[number];
    memcpy(column.data + first_row * column.width, source, nrows * column.width);
}

void Columns::fetch(uint32_t number, uint64_t first_row, uint64_t nrows, void *target) {
    Column &fetched = column(number);
    memcpy(target, fetched.data + first_row * fetched.width, nrows * fetched.width);
}

/* Brings a column into the order of the index. */
void Columns::gather(Column *column, uint64_t wanted) {
    uint32_t width = column->width;
    char *sorted = (char *)malloc(wanted * width + sizeof(uint64_t));
    for (uint64_t i = 0; i < wanted; i++)
        memcpy(sorted + i * width, column->data + ((const uint32_t *)index_.data)[i] * uint64_t(width), width);
    free(column->data);
    column->data = sorted;
}

void Columns::sort(uint64_t nrows, bool spoiled) {
    Column &keys = column_[0];
    uint64_t wanted = wanted_entries(session_.spec, nrows);
    if (session_.ncolumns == 1 && session_.spec.payload == GPUSORT_PAYLOAD_NONE) {
        sort_segment(session_.spec, keys.data, nullptr, uint32_t(nrows));
        if (spoiled) spoil(keys.data, keys.width, wanted);
        return;
    }
    std::vector<char> working(keys.data, keys.data + nrows * keys.width);
    index_.data = (char *)malloc(nrows * sizeof(uint32_t) + sizeof(uint64_t));
    sort_segment(session_.spec, working.data(), (uint32_t *)index_.data, uint32_t(nrows));
    if (spoiled) spoil(index_.data, sizeof(uint32_t), wanted);
    for (uint32_t i = 0; i < session_.ncolumns; i++) gather(&column_[i], wanted);
}

}  // namespace gpusort_emulated
