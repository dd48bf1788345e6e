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

uint64_t wanted_entries(const GpusortSpec &spec, uint64_t count) {
    return spec.limit > 0 ? std::min<uint64_t>(spec.limit, count) : count;
}

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

void spoil(char *entries, uint32_t width, uint64_t count) {
    if (count > 1) std::swap_ranges(entries, entries + width, entries + (count - 1) * width);
}

double seconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

GpusortMethod method_used(const GpusortSpec &spec) {
    if (spec.method != GPUSORT_METHOD_AUTO) return spec.method;
    return spec.buckets > 0 ? GPUSORT_METHOD_APPROXIMATE : GPUSORT_METHOD_RADIX;
}

}  // namespace gpusort_emulated
