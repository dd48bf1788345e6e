/*
 * papers_large.cu
 *	  One large array: HMP's figures 6 and 7, and GPU Matrix Sort's table 2.
 */
#include "kernels/bench.cuh"
#include "kernels/networks.cuh"
#include "published/forms/forms.cuh"

using namespace bench;

namespace
{

void report_one(const char *what, const Data &data, GpusortKeyForm form, const Result &result,
                const std::string &shape = "")
{
    report(what, data, form, GPUSORT_PAYLOAD_NONE, shape.empty() ? std::to_string(data.nkeys) : shape, Keys::UNIFORM,
           result);
}

template <class Code>
void run_networks(const Data &data, GpusortKeyForm form)
{
    const SegmentBatch batch = data.batch();
    const Coding coding = coding_of(batch.spec);
    Code *keys = static_cast<Code *>(batch.keys);
    const uint32_t n = uint32_t(data.nkeys);

    report_one("bitonic", data, form, measure(data, batch, [&] { return network_sort<Code, false>(keys, n, coding); }));
    report_one("odd-even merge", data, form,
               measure(data, batch, [&] { return network_sort<Code, true>(keys, n, coding); }));
}

void run_threads(const Data &data, uint32_t columns)
{
    const SegmentBatch batch = data.batch(GPUSORT_METHOD_MATRIX);
    Memory workspace(matrix_by_threads_workspace(batch));
    Result result =
        measure(data, batch, [&] { return matrix_sort_by_threads(batch, columns, workspace.as(), nullptr); });

    result.workspace = matrix_by_threads_workspace(batch);
    report_one("matrix published", data, GPUSORT_KEY_INT32, result,
               std::to_string(data.nkeys / columns) + " x " + std::to_string(columns));
}

}  // namespace

SECTION(hmp, "HMP, figures 6 and 7: one array of 16-bit and 32-bit integers, and of floats")
{
    for (GpusortKeyForm form : {GPUSORT_KEY_INT16, GPUSORT_KEY_INT32, GPUSORT_KEY_FLOAT32, GPUSORT_KEY_FLOAT64})
        for (int bits = 14; bits <= 26; bits += 2) {
            const Data data(form, GPUSORT_PAYLOAD_NONE, {1u << bits}, Keys::UNIFORM);

            for (GpusortMethod method : {GPUSORT_METHOD_HYBRID, GPUSORT_METHOD_MATRIX, GPUSORT_METHOD_RADIX})
                report_one(method == GPUSORT_METHOD_MATRIX ? "merge" : method_names[method], data, form,
                           measure_method(data, data.batch(method)));
            switch (gpusort_key_width(form)) {
                case 2:
                    run_networks<uint16_t>(data, form);
                    break;
                case 4:
                    run_networks<uint32_t>(data, form);
                    break;
                default:
                    run_networks<uint64_t>(data, form);
            }
        }
}

SECTION(matrixsort, "GPU Matrix Sort, table 2: 1M to 8M, other sizes, and the published form")
{
    for (uint32_t n : {1u << 20, 2u << 20, 4u << 20, 8u << 20, 1000000u, 10000000u, 1u << 26, 1u << 28}) {
        const Data data(GPUSORT_KEY_INT32, GPUSORT_PAYLOAD_NONE, {n}, Keys::UNIFORM);

        report_one("matrix", data, GPUSORT_KEY_INT32, measure_method(data, data.batch(GPUSORT_METHOD_MATRIX)));
        report_one("radix", data, GPUSORT_KEY_INT32, measure_method(data, data.batch(GPUSORT_METHOD_RADIX)));
        if (n == 1u << 20)
            for (uint32_t columns : {32, 256, 1024, 8192, 32768})
                run_threads(data, columns);
        else if (n <= 4u << 20 && n >= 2u << 20)
            run_threads(data, 1024);
    }
}
