/*
 * variants_test.cu
 *	  The published forms of the methods (forms.cuh).
 *
 *	  variants_test [--seed N] [--each]
 *
 * --each runs a few small cases of each, for compute-sanitizer.  Prints the seed; exits
 * with 1 at the first failure.
 */
#include "device_case.cuh"
#include "published/forms/forms.cuh"
#include "segment_sort.cuh"

using namespace test;

namespace
{

/* Runs the sort of a case on the device, and compares its result. */
template <class Sort>
void run_case(const char *what, const Case &input, Sort sort)
{
    DeviceCase sorted(input);

    check_cuda(sort(sorted), what);
    expect_sorted(input, sorted.keys(), sorted.payload(), what);
}

/* One segment at slot 0. */
Case one_segment(const GpusortSpec &spec, uint32_t count, Distribution distribution)
{
    Case made = lay_out(spec, {count}, true);

    fill(made, made.segments[0], distribution);
    return made;
}

Distribution any_distribution()
{
    return Distribution(below(DISTRIBUTIONS));
}

GpusortSpec spec_of(GpusortKeyForm form, bool descending)
{
    GpusortSpec spec = {};

    spec.form = form;
    spec.descending = descending;
    return spec;
}

void test_arrays(GpusortKeyForm form, bool descending, uint32_t slots)
{
    const uint32_t most = below(2) ? 5000 : 200;
    std::vector<uint32_t> counts;

    for (uint32_t sum = 0; sum < slots; sum += counts.back() + 1)
        counts.push_back(uint32_t(below(most + 1)));
    if (gpusort_key_width(form) == 4)
        run_case("array_sort_paper", make_case(spec_of(form, descending), counts, below(2)), [](DeviceCase &sorted) {
            return array_sort_paper(sorted.batch, workspace_of(array_sort_paper_workspace(sorted.batch)), nullptr);
        });
    run_case("tagged_sort_all_bits", make_case(spec_of(form, descending), counts, below(2)), [](DeviceCase &sorted) {
        sorted.batch.spec.method = GPUSORT_METHOD_TAGGED;
        return tagged_sort_all_bits(sorted.batch, workspace_of(sorted.workspace_bytes()), nullptr);
    });
}

void test_counting(bool descending, uint32_t longest)
{
    const Case input =
        one_segment(spec_of(GPUSORT_KEY_INT32, descending), 256 + uint32_t(below(longest)), below(2) ? NARROW : EQUAL);

    for (uint32_t threads : {0, 64, 16384})
        run_case("count_array_sort", input, [&](DeviceCase &sorted) {
            void *workspace = workspace_of(count_array_workspace(sorted.batch, 256, threads));

            return count_array_sort(sorted.batch, 256, threads, workspace, nullptr);
        });
    run_case("one_hot_sort", input, [](DeviceCase &sorted) {
        return one_hot_sort(sorted.batch, workspace_of(one_hot_workspace(sorted.batch)), nullptr);
    });
}

void test_matrix(GpusortKeyForm form, bool descending, uint32_t longest)
{
    const Case input = one_segment(spec_of(form, descending), 1 + uint32_t(below(longest)), any_distribution());

    run_case("matrix_sort_by_threads", input, [](DeviceCase &sorted) {
        return matrix_sort_by_threads(sorted.batch, 1 + uint32_t(below(300)),
                                      workspace_of(matrix_by_threads_workspace(sorted.batch)), nullptr);
    });
}

/* Expects the input's pairs with ascending intervals, in any order within an interval. */
void expect_intervals(const Case &input, const std::vector<uint8_t> &keys, const std::vector<uint32_t> &payload)
{
    const std::vector<uint64_t> intervals = intervals_of(input, input.segments[0], keys.data());
    std::vector<std::pair<uint64_t, uint32_t>> want, got;

    for (size_t i = 0; i < input.nslots; i++) {
        want.push_back({key_at(input.spec.form, input.keys.data(), i), input.payload[i]});
        got.push_back({key_at(input.spec.form, keys.data(), i), payload[i]});
    }
    std::sort(want.begin(), want.end());
    std::sort(got.begin(), got.end());
    if (want != got || !std::is_sorted(intervals.begin(), intervals.end())) {
        printf("FAILED: %s\n  approximate_sort_atomic: %s\n", want != got ? "other pairs" : "wrong intervals",
               input.name().c_str());
        exit(1);
    }
}

void test_approximate(GpusortKeyForm form, bool descending, uint32_t longest)
{
    GpusortSpec spec = spec_of(form, descending);

    spec.method = GPUSORT_METHOD_APPROXIMATE;
    spec.payload = GPUSORT_PAYLOAD_CARRIED;
    spec.buckets = 1 + uint32_t(below(below(2) ? 256 : 100000));

    const Case input = one_segment(spec, 1 + uint32_t(below(longest)), any_distribution());
    SortedPairs sorted;
    const DeviceCase device(input);
    void *workspace = workspace_of(approximate_atomic_workspace(device.batch));

    check_cuda(approximate_sort_atomic(device.batch, workspace, nullptr, &sorted), "approximate_sort_atomic");
    expect_intervals(input, device.keys(sorted.keys), device.payload(sorted.payload));
}

}  // namespace

int main(int argc, char **argv)
{
    bool each = false;

    begin_test(argc, argv, {{"--each", &each, nullptr}});

    for (int round = 0; round < (each ? 1 : 30); round++)
        for (bool descending : {false, true}) {
            for (GpusortKeyForm form : {GPUSORT_KEY_INT16, GPUSORT_KEY_FLOAT32, GPUSORT_KEY_INT64, GPUSORT_KEY_FLOAT64})
                test_arrays(form, descending, each ? 6000 : 60000);
            test_counting(descending, each ? 1000 : 5000);
            for (GpusortKeyForm form : {GPUSORT_KEY_INT32, GPUSORT_KEY_FLOAT32}) {
                test_matrix(form, descending, each ? 3000 : 20000);
                test_approximate(form, descending, each ? 30000 : round == 0 ? 3000000 : 100000);
            }
        }
    printf("all variants right\n");
    return 0;
}
