/*
 * emulated_memory.cc
 *	  See emulated_memory.h.
 */
#include "emulated/emulated_memory.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "keys/digest.h"

namespace gpusort_emulated {
namespace {

/* The digest of bytes that lie behind `before` others. */
uint64_t digest(const void *bytes, uint64_t before, uint64_t count) {
    const unsigned char *byte = (const unsigned char *)bytes;
    uint64_t sum = 0, i = 0;
    for (; before % 4 == 0 && i + 4 <= count; i += 4) {
        uint32_t word;
        memcpy(&word, byte + i, sizeof(word));
        sum += gpusort_digest_word((before + i) / 4, word);
    }
    for (; i < count; i++) sum += gpusort_digest8(before + i, byte[i]);
    return sum;
}

void flip_bit(void *bytes, uint64_t count, const Flip &flip, Place here) {
    if (flip.place != here || count == 0) return;
    uint64_t bit = flip.bit % (8 * count);
    ((unsigned char *)bytes)[bit / 8] ^= 1u << bit % 8;
}

/* Memory that something has been copied to from the host. */
class Arrived {
public:
    Arrived(const void *source, uint64_t bytes, const Flip &flip, Place here)
        : words_(bytes / sizeof(uint64_t) + 1), bytes_(bytes) {
        if (bytes > 0) memcpy(words_.data(), source, bytes);
        digest_ = digest(source, 0, bytes);
        flip_bit(words_.data(), bytes, flip, here);
    }
    const char *data() const { return (const char *)words_.data(); }
    uint64_t digested() const { return digest_; }
    bool is_intact() const { return digest(data(), 0, bytes_) == digest_; }

private:
    std::vector<uint64_t> words_;
    uint64_t bytes_;
    uint64_t digest_;
};

/* A job's data in memory of the device's own. */
class JobMemory {
public:
    JobMemory(const GpusortSlabSort &job, const Damage &damage);
    void sort();
    bool check();
    bool copy_out();

private:
    uint64_t nslots() const { return job_.nslots; }
    bool indexed() const { return job_.spec.payload != GPUSORT_PAYLOAD_NONE; }
    bool carries() const { return job_.spec.payload == GPUSORT_PAYLOAD_CARRIED; }
    const uint32_t *payload() const { return (const uint32_t *)payload_.data(); }
    char *result() { return indexed() ? (char *)entries_.data() : (char *)working_.data(); }
    std::vector<GpusortSegment> segments() const;
    bool check_keys(const GpusortSegment &segment);
    bool gather(const GpusortSegment &segment);

    const GpusortSlabSort &job_;
    const Damage damage_;
    const uint32_t width_;
    const Arrived keys_, payload_, segments_;
    std::vector<uint64_t> working_; /* the keys that are sorted, gaps included */
    std::vector<uint32_t> index_;   /* the index that is sorted with them */
    std::vector<uint32_t> entries_; /* the result made from the index; gaps are zero */
    uint64_t digest_ = 0;           /* the digest that the result must have */
};

JobMemory::JobMemory(const GpusortSlabSort &job, const Damage &damage)
    : job_(job), damage_(damage), width_(gpusort_key_width(job.spec.form)),
      keys_(job.keys, nslots() * width_, damage.flip, Place::KEYS),
      payload_(job.payload, carries() ? nslots() * sizeof(uint32_t) : 0, damage.flip, Place::PAYLOAD),
      segments_(job.segments, job.nsegments * sizeof(GpusortSegment), damage.flip, Place::SEGMENTS),
      working_(nslots() * width_ / sizeof(uint64_t) + 1), index_(indexed() ? nslots() : 0),
      entries_(index_.size()) {
    memcpy(working_.data(), keys_.data(), nslots() * width_);
    flip_bit(working_.data(), nslots() * width_, damage.flip, Place::WORKING);
}

/* The segments that lie within the slots. After a flip they may lie anywhere. */
std::vector<GpusortSegment> JobMemory::segments() const {
    std::vector<GpusortSegment> inside;
    const GpusortSegment *segment = (const GpusortSegment *)segments_.data();
    for (uint32_t i = 0; i < job_.nsegments; i++)
        if (uint64_t(segment[i].start) + segment[i].count <= nslots()) inside.push_back(segment[i]);
    return inside;
}

void JobMemory::sort() {
    for (const GpusortSegment &segment : segments()) {
        char *keys = (char *)working_.data() + uint64_t(segment.start) * width_;
        uint32_t *index = indexed() ? index_.data() + segment.start : nullptr;
        sort_segment(job_.spec, keys, index, segment.count);
        if (index)
            spoil_index(index, segment.count, damage_.spoil);
        else
            spoil_keys(keys, width_, segment.count, damage_.spoil);
    }
    if (indexed())
        flip_bit(index_.data(), nslots() * sizeof(uint32_t), damage_.flip, Place::SORTED);
    else
        flip_bit(working_.data(), nslots() * width_, damage_.flip, Place::SORTED);
}

/* Compares sorted keys with what arrived, and notes by how much the digest changes. */
bool JobMemory::check_keys(const GpusortSegment &segment) {
    uint64_t start = uint64_t(segment.start) * width_, bytes = uint64_t(segment.count) * width_;
    const char *input = keys_.data() + start, *output = (const char *)working_.data() + start;
    digest_ += digest(output, start, bytes) - digest(input, start, bytes);
    return keys_right(job_.spec, input, output, segment.count);
}

/* Checks an index, and writes its positions or the payload that they name. */
bool JobMemory::gather(const GpusortSegment &segment) {
    const char *input = keys_.data() + uint64_t(segment.start) * width_;
    const uint32_t *index = index_.data() + segment.start;
    uint64_t wanted = wanted_entries(job_.spec, segment.count);
    if (job_.verify && !index_right(job_.spec, input, index, segment.count)) return false;
    for (uint64_t i = 0; i < wanted; i++) {
        uint32_t entry = index[i];
        if (carries()) entry = payload()[segment.start + std::min(entry, segment.count - 1)];
        entries_[segment.start + i] = entry;
        digest_ += gpusort_digest32(segment.start + i, entry);
    }
    return true;
}

/* Checks the sort and makes the result. False if it is wrong. */
bool JobMemory::check() {
    if (!indexed()) digest_ = keys_.digested();
    for (const GpusortSegment &segment : segments()) {
        if (indexed() ? !gather(segment) : job_.verify && !check_keys(segment)) return false;
    }
    return !job_.verify || (keys_.is_intact() && payload_.is_intact() && segments_.is_intact());
}

/* Copies the result out. False if it is not what was checked. */
bool JobMemory::copy_out() {
    uint64_t bytes = nslots() * (indexed() ? sizeof(uint32_t) : width_);
    void *target = indexed() ? (void *)job_.payload_out : job_.keys_out;
    flip_bit(result(), bytes, damage_.flip, Place::RESULT);
    if (bytes > 0) memcpy(target, result(), bytes);
    return !job_.verify || digest(target, 0, bytes) == digest_;
}

}  // namespace

bool is_counted(const GpusortSlabSort &job) {
    uint32_t histogram[GPUSORT_LENGTH_BINS] = {};
    for (uint32_t i = 0; i < job.nsegments; i++)
        histogram[gpusort_length_bin(job.segments[i].count)]++;
    return memcmp(histogram, job.length_histogram, sizeof(histogram)) == 0;
}

uint64_t digest_input(const GpusortSlabSort &job) {
    uint64_t key_bytes = uint64_t(job.nslots) * gpusort_key_width(job.spec.form);
    uint64_t payload_bytes = job.spec.payload == GPUSORT_PAYLOAD_CARRIED ? job.nslots * sizeof(uint32_t) : 0;
    return digest(job.keys, 0, key_bytes) + digest(job.payload, 0, payload_bytes) +
           digest(job.segments, 0, job.nsegments * sizeof(GpusortSegment));
}

uint64_t job_bytes(const GpusortSlabSort &job) {
    return uint64_t(job.nslots) * (2 * gpusort_key_width(job.spec.form) +
                                   (job.spec.payload == GPUSORT_PAYLOAD_NONE ? 0 : 8)) +
           job.nsegments * sizeof(GpusortSegment);
}

bool sort_job(const GpusortSlabSort &job, const Damage &damage, GpusortDeviceOutcome *outcome) {
    double begin = seconds_now();
    JobMemory memory(job, damage);
    double copied = seconds_now();
    memory.sort();
    double sorted = seconds_now();
    bool right = memory.check();
    double verified = seconds_now();
    right = right && memory.copy_out();
    outcome->copy_in_s = copied - begin;
    outcome->sort_s = sorted - copied;
    outcome->verify_s = verified - sorted;
    outcome->copy_out_s = seconds_now() - verified;
    return right;
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

void Columns::append(uint32_t number, uint64_t first_row, uint64_t nrows, const void *source, const Flip &flip) {
    Column &column = column_[number];
    uint64_t begin = first_row * column.width, bytes = nrows * column.width;
    memcpy(column.data + begin, source, bytes);
    column.arrived += digest(source, begin, bytes);
    flip_bit(column.data + begin, bytes, flip, Place::APPENDED);
}

bool Columns::fetch(uint32_t number, uint64_t first_row, uint64_t nrows, void *target, const Flip &flip) {
    Column &fetched = column(number);
    uint64_t begin = first_row * fetched.width, bytes = nrows * fetched.width;
    flip_bit(fetched.data + begin, bytes, flip, Place::COLUMN);
    memcpy(target, fetched.data + begin, bytes);
    fetched.fetched += digest(target, begin, bytes);
    fetched.nfetched += nrows;
    return !session_.verify || fetched.nfetched != nsorted_ || fetched.fetched == fetched.left;
}

/* Brings a column into the order of the index; false if its rows are not those that were appended. */
bool Columns::gather(Column *column, uint64_t nrows) {
    uint32_t width = column->width;
    char *sorted = (char *)malloc(nsorted_ * width + sizeof(uint64_t));
    uint64_t used = nsorted_ < nrows ? digest(column->data, 0, nrows * width) : 0;
    for (uint64_t i = 0; i < nsorted_; i++) {
        uint64_t from = std::min<uint64_t>(((const uint32_t *)index_.data)[i], nrows - 1) * width;
        memcpy(sorted + i * width, column->data + from, width);
        if (nsorted_ == nrows) used += digest(sorted + i * width, from, width);
    }
    column->left = digest(sorted, 0, nsorted_ * width);
    free(column->data);
    column->data = sorted;
    return used == column->arrived;
}

bool Columns::sort_keys(uint64_t nrows, const Damage &damage) {
    Column &keys = column_[0];
    uint64_t bytes = nrows * keys.width;
    char *working = (char *)malloc(bytes + sizeof(uint64_t));
    memcpy(working, keys.data, bytes);
    flip_bit(working, bytes, damage.flip, Place::WORKING);
    sort_segment(session_.spec, working, nullptr, uint32_t(nrows));
    spoil_keys(working, keys.width, nrows, damage.spoil);
    flip_bit(working, nsorted_ * keys.width, damage.flip, Place::SORTED);
    bool right = !session_.verify || (digest(keys.data, 0, bytes) == keys.arrived &&
                                      keys_right(session_.spec, keys.data, working, nrows));
    keys.left = digest(working, 0, nsorted_ * keys.width);
    free(keys.data);
    keys.data = working;
    return right;
}

bool Columns::sort_index(uint64_t nrows, const Damage &damage) {
    std::vector<char> working(column_[0].data, column_[0].data + nrows * column_[0].width);
    uint32_t *index = (uint32_t *)malloc(nrows * sizeof(uint32_t) + sizeof(uint64_t));
    index_.data = (char *)index;
    flip_bit(working.data(), working.size(), damage.flip, Place::WORKING);
    sort_segment(session_.spec, working.data(), index, uint32_t(nrows));
    spoil_index(index, nrows, damage.spoil);
    flip_bit(index, nsorted_ * sizeof(uint32_t), damage.flip, Place::SORTED);
    if (session_.verify && !index_right(session_.spec, column_[0].data, index, nrows)) return false;
    index_.left = digest(index, 0, nsorted_ * sizeof(uint32_t));
    bool right = true;
    for (uint32_t i = 0; i < session_.ncolumns; i++) right &= gather(&column_[i], nrows);
    return !session_.verify || right;
}

bool Columns::sort(uint64_t nrows, const Damage &damage) {
    nsorted_ = wanted_entries(session_.spec, nrows);
    bool keys_alone = session_.ncolumns == 1 && session_.spec.payload == GPUSORT_PAYLOAD_NONE;
    return keys_alone ? sort_keys(nrows, damage) : sort_index(nrows, damage);
}

}  // namespace gpusort_emulated
