/*
 * emulated_sort.cc
 *	  See emulated_sort.h.
 *
 * Whatever carries a payload is sorted as an index, for from an index both the
 * payload and the check of the result follow.
 */
#include "emulated/emulated_sort.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu_engine/cpu_sort.h"
#include "keys/projection.h"

namespace gpusort_emulated {
namespace {

/* Order-preserving code of a native key; zeros tie where ties show. */
uint64_t code_of(const GpusortSpec &spec, const char *key, bool tied) {
    uint64_t code;
    if (gpusort_key_width(spec.form) == 2) {
        uint16_t bits;
        memcpy(&bits, key, sizeof(bits));
        code = gpusort_encode16(bits);
    } else if (gpusort_key_width(spec.form) == 4) {
        uint32_t bits;
        memcpy(&bits, key, sizeof(bits));
        code = tied ? gpusort_encode32_tied(spec.form, bits) : gpusort_encode32(spec.form, bits);
    } else {
        uint64_t bits;
        memcpy(&bits, key, sizeof(bits));
        code = tied ? gpusort_encode64_tied(spec.form, bits) : gpusort_encode64(spec.form, bits);
    }
    return spec.descending ? ~code : code;
}

/* Spreads a code, so that sums of different multisets differ. */
uint64_t mix(uint64_t code) {
    code ^= code >> 33;
    code *= UINT64_C(0xff51afd7ed558ccd);
    code ^= code >> 33;
    code *= UINT64_C(0xc4ceb9fe1a85ec53);
    return code ^ (code >> 33);
}

uint64_t checksum(const GpusortSpec &spec, const char *keys, uint64_t count) {
    uint32_t width = gpusort_key_width(spec.form);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += mix(code_of(spec, keys + i * width, false));
    return sum;
}

uint64_t wanted_entries(const GpusortSpec &spec, uint64_t count) {
    return spec.limit > 0 ? std::min<uint64_t>(spec.limit, count) : count;
}

/* Are sorted keys in order, and the same as the input's?  With a limit keys may be missing. */
bool keys_right(const GpusortSpec &spec, const char *input, const char *output, uint64_t count) {
    uint32_t width = gpusort_key_width(spec.form);
    uint64_t wanted = wanted_entries(spec, count);
    for (uint64_t i = 1; i < wanted && spec.buckets == 0; i++)
        if (code_of(spec, output + (i - 1) * width, true) > code_of(spec, output + i * width, true))
            return false;
    return wanted < count || checksum(spec, input, count) == checksum(spec, output, count);
}

/* Is the index a permutation that puts the keys in stable order? */
bool index_right(const GpusortSpec &spec, const char *input, const uint32_t *index,
                 uint64_t count) {
    uint32_t width = gpusort_key_width(spec.form);
    uint64_t wanted = wanted_entries(spec, count);
    std::vector<bool> seen(count);
    for (uint64_t i = 0; i < wanted; i++) {
        if (index[i] >= count || seen[index[i]]) return false;
        seen[index[i]] = true;
        if (i == 0 || spec.buckets > 0) continue;
        uint64_t before = code_of(spec, input + uint64_t(index[i - 1]) * width, true);
        uint64_t code = code_of(spec, input + uint64_t(index[i]) * width, true);
        if (before > code || (before == code && index[i - 1] > index[i])) return false;
    }
    return true;
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
}

/* The interval of each integer of a form. */
std::vector<uint32_t> intervals_of_integers(const GpusortSpec &spec, const char *keys, uint64_t count) {
    uint32_t width = gpusort_key_width(spec.form);
    std::vector<uint64_t> codes(count);
    std::vector<uint32_t> intervals(count);
    GpusortProjection projection;
    if (count == 0) return intervals;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, keys + i * width, width);
        codes[i] = gpusort_integer_code(spec.form, bits);
    }
    auto range = std::minmax_element(codes.begin(), codes.end());
    gpusort_project_integers(&projection, spec.buckets, spec.descending, *range.first, *range.second);
    for (uint64_t i = 0; i < count; i++) intervals[i] = gpusort_interval_of_code(&projection, codes[i]);
    return intervals;
}

/* The interval of each float. */
template <typename Float>
std::vector<uint32_t> intervals_of_floats(const GpusortSpec &spec, const Float *keys, uint64_t count) {
    std::vector<uint32_t> intervals(count);
    GpusortProjection projection;
    double least = INFINITY, greatest = -INFINITY;
    for (uint64_t i = 0; i < count; i++) {
        if (!std::isfinite(keys[i])) continue;
        least = std::min<double>(least, keys[i]);
        greatest = std::max<double>(greatest, keys[i]);
    }
    if (least > greatest) least = greatest = 0;
    gpusort_project_floats(&projection, spec.buckets, spec.descending, least, greatest);
    for (uint64_t i = 0; i < count; i++) intervals[i] = gpusort_interval_of_float(&projection, keys[i]);
    return intervals;
}

std::vector<uint32_t> intervals_of(const GpusortSpec &spec, const char *keys, uint64_t count) {
    if (spec.form == GPUSORT_KEY_FLOAT32) return intervals_of_floats(spec, (const float *)keys, count);
    if (spec.form == GPUSORT_KEY_FLOAT64) return intervals_of_floats(spec, (const double *)keys, count);
    return intervals_of_integers(spec, keys, count);
}

/* Puts two different entries in the wrong order, or doubles one. */
template <typename Entry>
void spoil_entries(Entry *entries, uint64_t count, Spoil spoil) {
    if (spoil == Spoil::NOTHING || count < 2) return;
    if (spoil == Spoil::ORDER)
        std::swap(entries[0], entries[count - 1]);
    else
        entries[0] = entries[count - 1];
}

void spoil_keys(char *keys, uint32_t width, uint64_t count, Spoil spoil) {
    if (width == 2)
        spoil_entries((uint16_t *)keys, count, spoil);
    else if (width == 4)
        spoil_entries((uint32_t *)keys, count, spoil);
    else
        spoil_entries((uint64_t *)keys, count, spoil);
}

/* A job's data in memory of the device's own. */
struct JobMemory {
    const GpusortDeviceJob &job;
    uint32_t width;
    bool indexed;
    std::vector<uint64_t> keys;
    std::vector<uint32_t> index;

    explicit JobMemory(const GpusortDeviceJob &job);
    void sort(Spoil spoil);
    bool right() const;
    void copy_out();
    char *keys_of(const GpusortSegment &segment) {
        return (char *)keys.data() + uint64_t(segment.start) * width;
    }
};

JobMemory::JobMemory(const GpusortDeviceJob &job)
    : job(job), width(gpusort_key_width(job.spec.form)),
      indexed(job.spec.payload != GPUSORT_PAYLOAD_NONE),
      keys(uint64_t(job.nslots) * width / sizeof(uint64_t) + 1), index(indexed ? job.nslots : 0) {
    memcpy(keys.data(), job.keys, uint64_t(job.nslots) * width);
}

void JobMemory::sort(Spoil spoil) {
    for (uint32_t i = 0; i < job.nsegments; i++) {
        const GpusortSegment &segment = job.segments[i];
        uint32_t *order = indexed ? index.data() + segment.start : nullptr;
        sort_segment(job.spec, keys_of(segment), order, segment.count);
        if (indexed)
            spoil_entries(order, segment.count, spoil);
        else
            spoil_keys(keys_of(segment), width, segment.count, spoil);
    }
}

/* Compares with the input. */
bool JobMemory::right() const {
    for (uint32_t i = 0; i < job.nsegments; i++) {
        const GpusortSegment &segment = job.segments[i];
        uint64_t start = uint64_t(segment.start) * width;
        const char *input = (const char *)job.keys + start;
        if (indexed ? !index_right(job.spec, input, index.data() + segment.start, segment.count)
                    : !keys_right(job.spec, input, (const char *)keys.data() + start, segment.count))
            return false;
    }
    return true;
}

void JobMemory::copy_out() {
    if (!indexed) {
        memcpy(job.keys_out, keys.data(), uint64_t(job.nslots) * width);
        return;
    }
    for (uint32_t i = 0; i < job.nsegments; i++) {
        const GpusortSegment &segment = job.segments[i];
        uint64_t wanted = wanted_entries(job.spec, segment.count);
        bool carried = job.spec.payload == GPUSORT_PAYLOAD_CARRIED;
        for (uint64_t entry = segment.start; entry < segment.start + wanted; entry++)
            job.payload_out[entry] = carried ? job.payload[segment.start + index[entry]] : index[entry];
    }
}

}  // namespace

double seconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

const char *refuses(const GpusortSpec &spec) {
    bool approximate = spec.method == GPUSORT_METHOD_APPROXIMATE;
    if (approximate && spec.buckets == 0)
        return "method \"approximate\" sorts by a number of buckets only";
    if (spec.buckets > 0 && !approximate && spec.method != GPUSORT_METHOD_AUTO)
        return "approximate order is made by method \"approximate\" only";
    return nullptr;
}

GpusortMethod method_used(const GpusortSpec &spec) {
    if (spec.method != GPUSORT_METHOD_AUTO) return spec.method;
    return spec.buckets > 0 ? GPUSORT_METHOD_APPROXIMATE : GPUSORT_METHOD_RADIX;
}

bool is_counted(const GpusortDeviceJob &job) {
    uint32_t histogram[GPUSORT_LENGTH_BINS] = {};
    for (uint32_t i = 0; i < job.nsegments; i++)
        histogram[gpusort_length_bin(job.segments[i].count)]++;
    return memcmp(histogram, job.length_histogram, sizeof(histogram)) == 0;
}

uint64_t job_bytes(const GpusortDeviceJob &job) {
    return uint64_t(job.nslots) * (2 * gpusort_key_width(job.spec.form) +
                                   (job.spec.payload == GPUSORT_PAYLOAD_NONE ? 0 : 8)) +
           job.nsegments * sizeof(GpusortSegment);
}

bool sort_job(const GpusortDeviceJob &job, Spoil spoil, GpusortDeviceOutcome *outcome) {
    double begin = seconds_now();
    JobMemory memory(job);
    double copied = seconds_now();
    memory.sort(spoil);
    double sorted = seconds_now();
    bool right = !job.verify || memory.right();
    double verified = seconds_now();
    if (right) memory.copy_out();
    outcome->copy_in_s = copied - begin;
    outcome->sort_s = sorted - copied;
    outcome->verify_s = verified - sorted;
    outcome->copy_out_s = seconds_now() - verified;
    return right;
}

Columns::~Columns() {
    for (char *column : column_) free(column);
    free(index_);
}

/* Columns, their gathered copies, and the index; or keys and intervals. */
uint64_t Columns::bytes(const GpusortDeviceSession &session) {
    uint64_t per_row = 2 * sizeof(uint32_t);
    if (session.intervals) return session.nrows * (session.column_width[0] + sizeof(uint32_t));
    uint32_t widest = 0;
    for (uint32_t i = 0; i < session.ncolumns; i++) {
        per_row += session.column_width[i];
        widest = std::max<uint32_t>(widest, session.column_width[i]);
    }
    return session.nrows * (per_row + widest);
}

void Columns::allocate(const GpusortDeviceSession &session) {
    ncolumns_ = session.ncolumns;
    for (uint32_t i = 0; i < ncolumns_; i++) {
        width_[i] = session.column_width[i];
        column_[i] = (char *)malloc(session.nrows * width_[i] + sizeof(uint64_t));
    }
}

uint32_t Columns::width(uint32_t column) const {
    return column == GPUSORT_SESSION_INDEX ? sizeof(uint32_t) : width_[column];
}

const char *Columns::data(uint32_t column) const {
    return column == GPUSORT_SESSION_INDEX ? (const char *)index_ : column_[column];
}

void Columns::append(uint32_t column, uint64_t first_row, uint64_t nrows, const void *source) {
    memcpy(column_[column] + first_row * width_[column], source, nrows * width_[column]);
}

void Columns::fetch(uint32_t column, uint64_t first_row, uint64_t nrows, void *target) const {
    memcpy(target, data(column) + first_row * width(column), nrows * width(column));
}

void Columns::gather(uint32_t column, uint64_t nrows) {
    uint32_t bytes = width_[column];
    char *sorted = (char *)malloc(nrows * bytes + sizeof(uint64_t));
    for (uint64_t i = 0; i < nrows; i++)
        memcpy(sorted + i * bytes, column_[column] + uint64_t(index_[i]) * bytes, bytes);
    free(column_[column]);
    column_[column] = sorted;
}

bool Columns::sort(const GpusortSpec &spec, uint64_t nrows, bool verify, bool spoil) {
    uint32_t bytes = width_[0];
    char *input = (char *)malloc(nrows * bytes + sizeof(uint64_t));
    bool right = true;

    memcpy(input, column_[0], nrows * bytes);
    if (ncolumns_ == 1 && spec.payload == GPUSORT_PAYLOAD_NONE) {
        sort_segment(spec, column_[0], nullptr, uint32_t(nrows));
        spoil_keys(column_[0], bytes, nrows, spoil ? Spoil::KEYS : Spoil::NOTHING);
        right = !verify || keys_right(spec, input, column_[0], nrows);
    } else {
        index_ = (uint32_t *)malloc(nrows * sizeof(uint32_t) + sizeof(uint64_t));
        sort_segment(spec, column_[0], index_, uint32_t(nrows));
        std::swap(input, column_[0]);
        spoil_entries(index_, nrows, spoil ? Spoil::ORDER : Spoil::NOTHING);
        right = !verify || index_right(spec, column_[0], index_, nrows);
        for (uint32_t i = 0; i < ncolumns_ && right; i++) gather(i, nrows);
    }
    free(input);
    return right;
}

bool Columns::project(const GpusortSpec &spec, uint64_t nrows, bool verify, bool spoil) {
    std::vector<uint32_t> intervals = intervals_of(spec, column_[0], nrows);
    size_t bytes = nrows * sizeof(uint32_t);

    index_ = (uint32_t *)malloc(bytes + sizeof(uint64_t));
    memcpy(index_, intervals.data(), bytes);
    spoil_entries(index_, nrows, spoil ? Spoil::ORDER : Spoil::NOTHING);
    return !verify || memcmp(index_, intervals.data(), bytes) == 0;
}

}  // namespace gpusort_emulated
