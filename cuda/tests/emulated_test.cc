/*
 * emulated_test.cc
 *	  Flips every single bit that the emulated device has of small jobs and sessions,
 *	  one after the other, through the module's interface.
 *
 * Each flip must be caught, unless it changes nothing of the result.  Such flips are in
 * keys whose order alone is used, or in entries beyond a limit.  Exits with 1 at the first
 * failure.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "emulated/emulated_faults.h"
#include "gpusort_cuda.h"

namespace {

typedef std::vector<uint8_t> Bytes;

const char *const FORMS[] = {"int16", "int32", "uint32", "int64", "uint64", "float32", "float64"};
const char *const PAYLOADS[] = {"none", "carried", "index"};
constexpr uint8_t GAP = 0xa5;

const GpusortDeviceModule *module;
GpusortDevice *device;
int event_fd;
uint64_t tickets = 0, sessions = 0;
long flips = 0;
std::mt19937 random_bits(1);

[[noreturn]] void give_up(const std::string &what) {
    printf("FAILED: %s\n", what.c_str());
    exit(1);
}

std::string name_of(const GpusortSpec &spec) {
    char text[200];
    snprintf(text, sizeof(text), "%s, payload %s, %s, limit %d, %u intervals", FORMS[spec.form], PAYLOADS[spec.payload],
             spec.descending ? "descending" : "ascending", int(spec.limit), spec.buckets);
    return text;
}

/* How the task with the last ticket ended. */
GpusortDeviceStatus end_of_task() {
    GpusortDeviceOutcome outcome;
    while (!module->poll(device, &outcome)) {
        pollfd event = {event_fd, POLLIN, 0};
        uint64_t count;
        poll(&event, 1, -1);
        if (read(event_fd, &count, sizeof(count)) < 0) continue;
    }
    if (outcome.ticket != tickets) give_up("another task has ended");
    if (outcome.error.status != GPUSORT_DEVICE_OK && outcome.error.status != GPUSORT_DEVICE_NOT_VERIFIED)
        give_up(outcome.error.message);
    return outcome.error.status;
}

void arm(const std::string &fault) {
    static gpusort_emulated::ArmedFaults faults(0);
    if (!faults.leave(fault.c_str())) give_up("the device does not take " + fault);
}

/* A key of any form: small ones, with ties, zeros of both signs and extremes. */
uint64_t make_key(GpusortKeyForm form) {
    int number = int(random_bits() % 9) - 4;
    float single = float(number) * 0.75f;
    double real = number * 0.75;
    uint64_t key = random_bits() % 4 ? uint64_t(int64_t(number)) : uint64_t(random_bits()) << 32 | random_bits();
    if (form == GPUSORT_KEY_FLOAT32) {
        key = 0;
        memcpy(&key, &single, sizeof(single));
    } else if (form == GPUSORT_KEY_FLOAT64)
        memcpy(&key, &real, sizeof(real));
    return key;
}

uint64_t key_at(const GpusortSpec &spec, const uint8_t *keys, uint64_t i) {
    uint32_t width = gpusort_key_width(spec.form);
    uint64_t key = 0;
    memcpy(&key, keys + i * width, width);
    return key;
}

/* The code of key i. With a payload both zeros have one code. */
uint64_t code_at(const GpusortSpec &spec, const uint8_t *keys, uint64_t i) {
    uint64_t key = key_at(spec, keys, i), code;
    bool tied = spec.payload != GPUSORT_PAYLOAD_NONE;
    if (gpusort_key_width(spec.form) == 2)
        code = gpusort_encode16(uint16_t(key));
    else if (gpusort_key_width(spec.form) == 4)
        code = tied ? gpusort_encode32_tied(spec.form, uint32_t(key)) : gpusort_encode32(spec.form, uint32_t(key));
    else
        code = tied ? gpusort_encode64_tied(spec.form, key) : gpusort_encode64(spec.form, key);
    return spec.descending ? ~code : code;
}

std::vector<uint32_t> order_of(const GpusortSpec &spec, const uint8_t *keys, uint32_t count) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return code_at(spec, keys, a) < code_at(spec, keys, b); });
    return order;
}

uint64_t wanted_of(const GpusortSpec &spec, uint64_t count) {
    return spec.limit > 0 ? std::min<uint64_t>(spec.limit, count) : count;
}

/* A batch with gaps, and the result that must come back. */
struct Batch {
    GpusortSpec spec;
    std::vector<GpusortSegment> segments = {{3, 5}, {10, 1}, {11, 0}, {12, 7}};
    uint32_t nslots = 20;
    Bytes keys, keys_out, expected;
    std::vector<uint32_t> payload, payload_out, expected_payload;
    std::vector<bool> wanted; /* true for slots that must be right */

    explicit Batch(const GpusortSpec &spec);
    GpusortDeviceStatus run();
    bool right() const;
    void try_place(const char *place, size_t bytes, size_t entry_bytes);
};

Batch::Batch(const GpusortSpec &spec)
    : spec(spec), keys(nslots * gpusort_key_width(spec.form), GAP), keys_out(keys.size()), payload(nslots, 77),
      payload_out(nslots), expected_payload(nslots), wanted(nslots, spec.payload == GPUSORT_PAYLOAD_NONE && spec.limit == 0) {
    uint32_t width = gpusort_key_width(spec.form);
    for (const GpusortSegment &segment : segments)
        for (uint32_t i = segment.start; i < segment.start + segment.count; i++) {
            uint64_t key = make_key(spec.form);
            memcpy(&keys[i * width], &key, width);
            payload[i] = random_bits();
        }
    expected = keys;
    for (const GpusortSegment &segment : segments) {
        std::vector<uint32_t> order = order_of(spec, &keys[segment.start * width], segment.count);
        for (uint32_t i = 0; i < wanted_of(spec, segment.count); i++) {
            uint32_t to = segment.start + i, from = segment.start + order[i];
            wanted[to] = true;
            memcpy(&expected[to * width], &keys[from * width], width);
            expected_payload[to] = spec.payload == GPUSORT_PAYLOAD_CARRIED ? payload[from] : order[i];
        }
    }
}

GpusortDeviceStatus Batch::run() {
    GpusortSlabSort job = {};
    bool alone = spec.payload == GPUSORT_PAYLOAD_NONE;
    job.ticket = ++tickets;
    job.spec = spec;
    job.verify = true;
    job.keys = keys.data();
    job.payload = spec.payload == GPUSORT_PAYLOAD_CARRIED ? payload.data() : nullptr;
    job.keys_out = alone ? keys_out.data() : nullptr;
    job.payload_out = alone ? nullptr : payload_out.data();
    job.segments = segments.data();
    job.nsegments = uint32_t(segments.size());
    job.nslots = nslots;
    for (const GpusortSegment &segment : segments) job.length_histogram[gpusort_length_bin(segment.count)]++;
    module->start_job(device, &job);
    return end_of_task();
}

bool Batch::right() const {
    uint32_t width = gpusort_key_width(spec.form);
    for (uint32_t i = 0; i < nslots; i++) {
        if (!wanted[i]) continue;
        if (spec.payload == GPUSORT_PAYLOAD_NONE ? memcmp(&keys_out[i * width], &expected[i * width], width) != 0
                                                 : payload_out[i] != expected_payload[i])
            return false;
    }
    return true;
}

/* Flips each bit of a place; may_pass says which flips need not be noticed. */
template <typename MayPass, typename Run>
void flip_each(const std::string &name, const std::string &place, size_t bytes, int skipped, MayPass may_pass, Run run) {
    for (size_t bit = 0; bit < 8 * bytes; bit++, flips++) {
        char text[100];
        snprintf(text, sizeof(text), "flip %s %zu %d", place.c_str(), bit, skipped);
        arm(text);
        bool right = false;
        if (run(&right) == GPUSORT_DEVICE_OK && !(right && may_pass(bit / 8)))
            give_up(name + ": " + text + (right ? " is not noticed" : " gives a wrong result"));
    }
}

void Batch::try_place(const char *place, size_t bytes, size_t entry_bytes) {
    bool sorted = strcmp(place, "sorted") == 0;
    bool working = strcmp(place, "working") == 0 && (spec.payload != GPUSORT_PAYLOAD_NONE || spec.limit > 0);
    flip_each(name_of(spec), place, bytes, 0,
              [&](size_t byte) { return working || (sorted && !wanted[byte / entry_bytes]); },
              [&](bool *result_right) {
                  GpusortDeviceStatus status = run();
                  *result_right = right();
                  return status;
              });
}

void try_batch(const GpusortSpec &spec) {
    Batch batch(spec);
    size_t width = gpusort_key_width(spec.form), key_bytes = batch.keys.size();
    size_t entry = spec.payload == GPUSORT_PAYLOAD_NONE ? width : sizeof(uint32_t);
    if (batch.run() != GPUSORT_DEVICE_OK || !batch.right()) give_up(name_of(spec) + ": wrong without a flip");
    batch.try_place("keys", key_bytes, width);
    batch.try_place("segments", batch.segments.size() * sizeof(GpusortSegment), 1);
    if (spec.payload == GPUSORT_PAYLOAD_CARRIED) batch.try_place("payload", batch.nslots * sizeof(uint32_t), 1);
    batch.try_place("working", key_bytes, width);
    batch.try_place("sorted", batch.nslots * entry, entry);
    batch.try_place("result", batch.nslots * entry, entry);
}

/* Columns that are appended and fetched in pieces. */
struct Session {
    static constexpr uint32_t ROWS = 9, PIECE = 5;
    GpusortSessionSpec description = {};
    std::vector<Bytes> columns, fetched;
    Bytes index;
    uint64_t wanted;

    Session(const GpusortSpec &spec, const std::vector<uint8_t> &widths);
    bool has_index() const { return description.spec.payload == GPUSORT_PAYLOAD_INDEX; }
    GpusortDeviceStatus run(bool *right);
    GpusortDeviceStatus fetch(uint32_t column, Bytes *target, uint32_t width);
    bool right() const;
    void flip_all();
};

Session::Session(const GpusortSpec &spec, const std::vector<uint8_t> &widths) : wanted(wanted_of(spec, ROWS)) {
    description.spec = spec;
    description.verify = true;
    description.nrows = ROWS;
    description.ncolumns = uint32_t(1 + widths.size());
    description.column_width[0] = uint8_t(gpusort_key_width(spec.form));
    std::copy(widths.begin(), widths.end(), description.column_width + 1);
    for (uint32_t c = 0; c < description.ncolumns; c++) {
        columns.emplace_back(ROWS * description.column_width[c]);
        for (uint8_t &byte : columns[c]) byte = uint8_t(random_bits());
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t key = make_key(spec.form);
        memcpy(&columns[0][i * description.column_width[0]], &key, description.column_width[0]);
    }
    fetched.resize(columns.size());
}

GpusortDeviceStatus Session::fetch(uint32_t column, Bytes *target, uint32_t width) {
    GpusortDeviceStatus status = GPUSORT_DEVICE_OK;
    target->assign(wanted * width, 0);
    for (uint64_t row = 0; row < wanted && status == GPUSORT_DEVICE_OK; row += PIECE) {
        module->fetch(device, description.session, ++tickets, column, row, std::min<uint64_t>(PIECE, wanted - row),
                      &(*target)[row * width]);
        status = end_of_task();
    }
    return status;
}

/* Opens, fills, sorts and fetches a session, up to the first failure. */
GpusortDeviceStatus Session::run(bool *is_right) {
    GpusortDeviceStatus status = GPUSORT_DEVICE_OK;
    GpusortDeviceError error;
    description.session = ++sessions;
    if (module->open_session(device, &description, &error) != GPUSORT_DEVICE_OK) give_up(error.message);
    for (uint32_t c = 0; c < description.ncolumns; c++)
        for (uint32_t row = 0; row < ROWS; row += PIECE) {
            module->append(device, description.session, ++tickets, c, row, std::min(PIECE, ROWS - row),
                           &columns[c][row * description.column_width[c]]);
            if (end_of_task() != GPUSORT_DEVICE_OK) give_up("an append has failed");
        }
    module->sort_session(device, description.session, ++tickets, ROWS);
    status = end_of_task();
    if (status == GPUSORT_DEVICE_OK && has_index()) status = fetch(GPUSORT_SESSION_INDEX, &index, sizeof(uint32_t));
    for (uint32_t c = 0; c < description.ncolumns && status == GPUSORT_DEVICE_OK; c++)
        status = fetch(c, &fetched[c], description.column_width[c]);
    module->close_session(device, description.session);
    *is_right = status == GPUSORT_DEVICE_OK && right();
    return status;
}

bool Session::right() const {
    GpusortSpec spec = description.spec;
    if (description.ncolumns > 1) spec.payload = GPUSORT_PAYLOAD_INDEX;
    std::vector<uint32_t> order = order_of(spec, columns[0].data(), ROWS);
    for (uint64_t i = 0; i < wanted; i++) {
        if (has_index() && memcmp(&index[i * sizeof(uint32_t)], &order[i], sizeof(uint32_t)) != 0) return false;
        for (uint32_t c = 0; c < description.ncolumns; c++) {
            uint32_t width = description.column_width[c];
            if (memcmp(&fetched[c][i * width], &columns[c][order[i] * width], width) != 0) return false;
        }
    }
    return true;
}

void Session::flip_all() {
    const std::string name = "session of " + name_of(description.spec) + ", " +
                             std::to_string(description.ncolumns) + " columns";
    bool indexed = has_index() || description.ncolumns > 1, right = false;
    const auto flip = [&](const std::string &place, size_t bytes, int skipped, bool may_pass) {
        flip_each(name, place, bytes, skipped, [&](size_t) { return may_pass; },
                  [&](bool *is_right) { return run(is_right); });
    };
    if (run(&right) != GPUSORT_DEVICE_OK || !right) give_up(name + ": wrong without a flip");

    int task = 0;
    for (uint32_t c = 0; c < description.ncolumns; c++)
        for (uint32_t row = 0; row < ROWS; row += PIECE)
            flip("appended", std::min(PIECE, ROWS - row) * description.column_width[c], task++, false);
    flip("working", columns[0].size(), 0, indexed || wanted < ROWS);
    flip("sorted", wanted * (indexed ? sizeof(uint32_t) : description.column_width[0]), 0, false);
    task = 0;
    for (uint64_t row = 0; row < wanted && has_index(); row += PIECE)
        flip("column", std::min<uint64_t>(PIECE, wanted - row) * sizeof(uint32_t), task++, false);
    for (uint32_t c = 0; c < description.ncolumns; c++)
        for (uint64_t row = 0; row < wanted; row += PIECE)
            flip("column", std::min<uint64_t>(PIECE, wanted - row) * description.column_width[c], task++, false);
}

}  // namespace

int main() {
    static char arena[4096];
    GpusortDeviceInfo info;
    GpusortDeviceError error;
    module = gpusort_device_module();
    event_fd = eventfd(0, 0);
    device = module->open(0, 0, arena, sizeof(arena), event_fd, &info, &error);
    for (int form = 0; form < GPUSORT_KEY_FORMS; form++)
        for (int payload = 0; payload <= GPUSORT_PAYLOAD_INDEX; payload++)
            for (uint64_t limit : {0, 3}) {
                GpusortSpec spec = {};
                spec.form = GpusortKeyForm(form);
                spec.payload = GpusortPayload(payload);
                spec.descending = (form + payload + limit) % 2 == 0;
                spec.limit = limit;
                try_batch(spec);
                if (payload == GPUSORT_PAYLOAD_CARRIED)
                    Session(spec, {4}).flip_all();
                else
                    Session(spec, {}).flip_all();
                if (payload == GPUSORT_PAYLOAD_INDEX && form == GPUSORT_KEY_UINT32)
                    Session(spec, {1, 2, 4, 8, 16}).flip_all();
            }
    module->close(device);
    printf("%ld flips, each noticed\n", flips);
    return flips == 0;
}
