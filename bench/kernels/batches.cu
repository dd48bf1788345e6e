/*
 * batches.cu
 *	  Batches of arrays by `auto`: lengths, types, payloads, distributions, ragged
 *	  shapes.
 */
#include <cmath>
#include <random>

#include "kernels/bench.cuh"

using namespace bench;

static void run(GpusortKeyForm form, GpusortPayload payload, const std::vector<uint32_t> &counts, Keys keys,
                const std::string &shape, uint32_t gap = 0, uint32_t first = 0)
{
    const Data data(form, payload, counts, keys, gap, first);

    report("auto", data, form, payload, shape, keys, measure_method(data, data.batch()));
}

static void run_equal(GpusortKeyForm form, GpusortPayload payload, uint32_t n, Keys keys = Keys::UNIFORM)
{
    run(form, payload, equal_counts(total_keys, n), keys, std::to_string(n));
}

SECTION(lengths, "float32 keys in segments of equal length")
{
    for (uint32_t n : {32, 64, 100, 128, 256, 500, 512, 1000, 1024, 2000, 2048, 4000, 4096, 8192, 16384, 32768, 65536})
        run_equal(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, n);
}

SECTION(between, "float32, lengths that are no powers of two, and odd places")
{
    for (uint32_t n :
         {10, 20, 34, 40, 48, 50, 80, 96, 200, 300, 600, 1500, 3000, 5000, 6000, 10280, 12000, 30000, 33335, 50000})
        run_equal(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, n);
    for (uint32_t n : {33, 101, 255, 1001, 3001}) {
        run(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, equal_counts(total_keys, n), Keys::UNIFORM,
            std::to_string(n) + " odd");
        run(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, equal_counts(total_keys, n - 1), Keys::UNIFORM,
            std::to_string(n - 1) + " gap 6", 6, 1);
    }
}

SECTION(types, "other types of keys, alone")
{
    for (uint32_t n : {32, 128, 256, 512, 1024, 4096, 16384, 65536})
        run_equal(GPUSORT_KEY_INT16, GPUSORT_PAYLOAD_NONE, n);
    for (uint32_t n : {128, 1024, 4096})
        run_equal(GPUSORT_KEY_INT32, GPUSORT_PAYLOAD_NONE, n);
    for (GpusortKeyForm form : {GPUSORT_KEY_INT64, GPUSORT_KEY_FLOAT64})
        for (uint32_t n : {32, 128, 512, 1024, 4096, 16384, 65536})
            run_equal(form, GPUSORT_PAYLOAD_NONE, n);
}

SECTION(payloads, "stable sorts with a payload")
{
    for (GpusortPayload payload : {GPUSORT_PAYLOAD_CARRIED, GPUSORT_PAYLOAD_INDEX})
        for (uint32_t n : {32, 128, 512, 1024, 4096, 16384, 65536})
            run_equal(GPUSORT_KEY_FLOAT32, payload, n);
    for (uint32_t n : {128, 1024, 16384})
        run_equal(GPUSORT_KEY_INT16, GPUSORT_PAYLOAD_INDEX, n);
    for (uint32_t n : {128, 1024, 16384})
        run_equal(GPUSORT_KEY_FLOAT64, GPUSORT_PAYLOAD_INDEX, n);
}

SECTION(keys, "distributions of keys, float32")
{
    for (Keys keys : {Keys::GAUSSIAN, Keys::SORTED, Keys::REVERSED, Keys::EQUAL, Keys::FEW})
        for (uint32_t n : {128, 1000, 16384})
            run_equal(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, n, keys);
}

/* As long as spectra are: most short, a few very long; their mean is about 34. */
static std::vector<uint32_t> spectra_counts()
{
    std::mt19937 random(1);
    std::normal_distribution<double> logarithm(2.8, 1.2);
    std::vector<uint32_t> counts;

    for (uint64_t sum = 0; sum < total_keys / 2; sum += counts.back())
        counts.push_back(uint32_t(std::exp(logarithm(random))) + 1);
    return counts;
}

static std::vector<uint32_t> counts_up_to(uint32_t most)
{
    std::mt19937 random(1);
    std::vector<uint32_t> counts;

    for (uint64_t sum = 0; sum < total_keys; sum += counts.back())
        counts.push_back(1 + random() % most);
    return counts;
}

SECTION(ragged, "segments of different lengths")
{
    const auto any = [](const std::vector<uint32_t> &counts, const std::string &shape) {
        run(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, counts, Keys::UNIFORM, shape);
    };
    any(spectra_counts(), "spectra");
    for (uint32_t most : {15, 100, 2000, 60000})
        any(counts_up_to(most), "1 to " + std::to_string(most));
    for (uint32_t tiny : {12, 100}) {
        const std::string others = "1000000 of " + std::to_string(tiny);

        any(std::vector<uint32_t>(1000000, tiny), others);
        for (int logarithm : {16, 20, 22, 26}) {
            std::vector<uint32_t> counts(1000000, tiny);

            counts[500000] = 1u << logarithm;
            any(counts, "2^" + std::to_string(logarithm) + " among " + others);
        }
    }
    for (int logarithm : {16, 20, 22, 26})
        any({1u << logarithm}, "2^" + std::to_string(logarithm) + " alone");
    any(std::vector<uint32_t>(2000, 100000), "2000 of 100000");
    for (const auto &[counts, shape] :
         {std::pair(spectra_counts(), "spectra"), std::pair(counts_up_to(2000), "1 to 2000")}) {
        run(GPUSORT_KEY_INT16, GPUSORT_PAYLOAD_NONE, counts, Keys::UNIFORM, shape);
        run(GPUSORT_KEY_FLOAT64, GPUSORT_PAYLOAD_NONE, counts, Keys::UNIFORM, shape);
        run(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_INDEX, counts, Keys::UNIFORM, shape);
        run(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_CARRIED, counts, Keys::UNIFORM, shape);
    }
}
