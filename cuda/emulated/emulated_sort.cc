/*
 * emulated_sort.cc
 *	  See emulated_sort.h.
 */
#include "emulated/emulated_sort.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "cpu_engine/cpu_sort.h"
#include "keys/key_encoding.h"

namespace gpusort_emulated {
namespace {

/* The code of a native key. Both zeros get one code with a payload. */
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

/* Mixes a code, so that sums over different sets of keys hardly ever agree. */
uint64_t mix(uint64_t code) {
    code += UINT64_C(0x9e3779b97f4a7c15);
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

/* True if the wanted keys are the input's first: all keys below the last of them, and enough equal to it. */
bool first_keys_right(const GpusortSpec &spec, const char *input, const char *output, uint64_t wanted,
                      uint64_t count) {
    uint32_t width = gpusort_key_width(spec.form);
    uint64_t last = code_of(spec, output + (wanted - 1) * width, false);
    uint64_t upto = 0, difference = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t code = code_of(spec, input + i * width, false);
        upto += code <= last;
        if (code < last) difference += mix(code);
    }
    for (uint64_t i = 0; i < wanted; i++) {
        uint64_t code = code_of(spec, output + i * width, false);
        if (code < last) difference -= mix(code);
    }
    return upto >= wanted && difference == 0;
}

/* True if an index whose keys are in order has the wanted keys: no other key comes before the last of them. */
bool first_index_right(const GpusortSpec &spec, const char *input, const uint32_t *index, uint64_t wanted,
                       uint64_t count) {
    uint32_t width = gpusort_key_width(spec.form);
    uint32_t last = index[wanted - 1];
    uint64_t last_code = code_of(spec, input + uint64_t(last) * width, true);
    uint64_t upto = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t code = code_of(spec, input + i * width, true);
        upto += code < last_code || (code == last_code && i <= last);
    }
    return upto == wanted;
}

}  // namespace

uint64_t wanted_entries(const GpusortSpec &spec, uint64_t count) {
    return spec.limit > 0 ? std::min<uint64_t>(spec.limit, count) : count;
}

bool keys_right(const GpusortSpec &spec, const char *input, const char *output, uint64_t count) {
    uint32_t width = gpusort_key_width(spec.form);
    uint64_t wanted = wanted_entries(spec, count);
    for (uint64_t i = 1; i < wanted && spec.buckets == 0; i++)
        if (code_of(spec, output + (i - 1) * width, false) > code_of(spec, output + i * width, false))
            return false;
    if (wanted < count && spec.buckets == 0) return first_keys_right(spec, input, output, wanted, count);
    return checksum(spec, input, count) == checksum(spec, output, count);
}

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
    return wanted == count || spec.buckets > 0 || first_index_right(spec, input, index, wanted, count);
}

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

}  // namespace

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

namespace {

/* Exchanges the first and the last entry, or overwrites the first with the last. */
template <typename Entry>
void spoil_entries(Entry *entries, uint64_t count, Spoil spoil) {
    if (spoil == Spoil::NOTHING || count < 2) return;
    if (spoil == Spoil::ORDER)
        std::swap(entries[0], entries[count - 1]);
    else
        entries[0] = entries[count - 1];
}

}  // namespace

void spoil_index(uint32_t *index, uint64_t count, Spoil spoil) {
    spoil_entries(index, count, spoil);
}

void spoil_keys(char *keys, uint32_t width, uint64_t count, Spoil spoil) {
    if (width == 2)
        spoil_entries((uint16_t *)keys, count, spoil);
    else if (width == 4)
        spoil_entries((uint32_t *)keys, count, spoil);
    else
        spoil_entries((uint64_t *)keys, count, spoil);
}

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

}  // namespace gpusort_emulated
