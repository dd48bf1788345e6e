/*
 * papers_arrays.cu
 *	  GPU-ArraySort's figures 4 to 7 and table 1: batches of arrays of one length.
 *
 * array_sort beside its published form, and STA beside the form that sorts all 32
 * bits of the tags, as Thrust does it; figure 2's times are those of 50,000 arrays.
 */
#include "kernels/bench.cuh"
#include "method_variants.cuh"

using namespace bench;

namespace
{

constexpr GpusortKeyForm FORM = GPUSORT_KEY_FLOAT32;

void report_arrays(const char *what, const Data &data, uint32_t n, const Result &result)
{
    report(what, data, FORM, GPUSORT_PAYLOAD_NONE, std::to_string(n), Keys::UNIFORM, result);
}

void run_published(const Data &data, uint32_t n)
{
    const SegmentBatch batch = data.batch(GPUSORT_METHOD_ARRAY_SORT);
    const size_t bytes = array_sort_paper_workspace(batch);
    Memory workspace(bytes);
    Result result = measure(data, batch, [&] { return array_sort_paper(batch, workspace.as(), nullptr); });

    result.workspace = bytes;
    report_arrays("array_sort published", data, n, result);
}

void run_thrust_form(const Data &data, uint32_t n)
{
    const SegmentBatch batch = data.batch(GPUSORT_METHOD_TAGGED);
    const size_t bytes = workspace_bytes(batch);
    Memory workspace(bytes);
    Result result = measure(data, batch, [&] { return tagged_sort_all_bits(batch, workspace.as(), bytes, nullptr); });

    result.workspace = bytes;
    report_arrays("tagged all bits", data, n, result);
}

void run_arrays(uint32_t n, uint32_t narrays)
{
    const Data data(FORM, GPUSORT_PAYLOAD_NONE, std::vector<uint32_t>(narrays, n), Keys::UNIFORM);

    run_published(data, n);
    report_arrays("array_sort", data, n, measure_method(data, data.batch(GPUSORT_METHOD_ARRAY_SORT)));
    run_thrust_form(data, n);
    report_arrays("tagged", data, n, measure_method(data, data.batch(GPUSORT_METHOD_TAGGED)));
    report_arrays("auto", data, n, measure_method(data, data.batch()));
}

}  // namespace

SECTION(arraysort, "GPU-ArraySort, figures 4 to 7: 1000 to 4000 keys, up to 200,000 arrays and beyond")
{
    for (uint32_t n : {1000, 2000, 3000, 4000})
        for (uint32_t narrays : {25000, 50000, 100000, 150000, 200000})
            run_arrays(n, narrays);
    run_arrays(1000, 1000000);
}

SECTION(capacity, "GPU-ArraySort, table 1: the paper's greatest numbers of arrays, and the memory they take")
{
    const uint32_t rows[][2] = {{1000, 2000000}, {2000, 1050000}, {3000, 700000}, {4000, 500000}};

    for (const auto &row : rows)
        run_arrays(row[0], row[1]);
}

SECTION(methods, "the published methods over lengths of arrays, float32")
{
    for (GpusortMethod method : {GPUSORT_METHOD_ARRAY_SORT, GPUSORT_METHOD_TAGGED, GPUSORT_METHOD_HYBRID,
                                 GPUSORT_METHOD_MATRIX, GPUSORT_METHOD_COUNTING})
        for (uint32_t n : {32, 128, 500, 1000, 4000, 16384, 65536}) {
            const Data data(FORM, GPUSORT_PAYLOAD_NONE, equal_counts(total_keys / 4, n), Keys::UNIFORM);

            report_arrays(method_names[method], data, n, measure_method(data, data.batch(method)));
        }
}
