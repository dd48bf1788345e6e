/*
 * papers_arrays.cu
 *	  GPU-ArraySort's figures 4 to 7 and table 1: batches of arrays of one length.
 *
 * array_sort beside its published form, and STA beside the form that sorts all 32
 * bits of the tags, as Thrust does it; figure 2's times are those of 50,000 arrays.
 */
#include "kernels/bench.cuh"
#include "published/forms/forms.cuh"
#include "segment_sort.cuh"

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
    Result result = measure(data, batch, [&] { return tagged_sort_all_bits(batch, workspace.as(), nullptr); });

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

static void run_methods(GpusortKeyForm form, uint32_t n, Keys keys)
{
    const Data data(form, GPUSORT_PAYLOAD_NONE, equal_counts(total_keys / 4, n), keys);

    for (GpusortMethod method : {GPUSORT_METHOD_ARRAY_SORT, GPUSORT_METHOD_TAGGED, GPUSORT_METHOD_HYBRID,
                                 GPUSORT_METHOD_MATRIX, GPUSORT_METHOD_COUNTING, GPUSORT_METHOD_APPROXIMATE}) {
        SegmentBatch batch = data.batch(method);

        batch.spec.buckets = method == GPUSORT_METHOD_APPROXIMATE ? 256 : 0;
        report(method_names[method], data, form, GPUSORT_PAYLOAD_NONE, std::to_string(n), keys,
               measure_method(data, batch));
    }
}

SECTION(methods, "the published methods over lengths of arrays, types and distributions; approximate: 256 intervals")
{
    for (uint32_t n : {32, 128, 500, 1000, 4000, 16384, 65536})
        run_methods(FORM, n, Keys::UNIFORM);
    for (GpusortKeyForm form : {GPUSORT_KEY_INT16, GPUSORT_KEY_INT32, GPUSORT_KEY_INT64, GPUSORT_KEY_FLOAT64})
        for (uint32_t n : {32, 128, 1000, 4000, 65536})
            run_methods(form, n, Keys::UNIFORM);
    for (Keys keys : {Keys::GAUSSIAN, Keys::SORTED, Keys::REVERSED, Keys::EQUAL, Keys::FEW})
        for (uint32_t n : {128, 1000, 16384})
            run_methods(FORM, n, keys);
}
