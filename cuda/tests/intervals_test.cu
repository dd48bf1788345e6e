/*
 * intervals_test.cu
 *	  The intervals of columns of every form (intervals.cuh), and that their check sees
 *	  one that is wrong.
 *
 *	  intervals_test [--seed N] [--each]
 *
 * --each: a few small columns of each form, for compute-sanitizer.  Prints the seed;
 * exits with 1 at the first failure.
 */
#include "cases.cuh"
#include "intervals.cuh"

using namespace test;

namespace
{

bool check_fails(const IntervalTask &task)
{
    static Room room;
    uint32_t *failed = static_cast<uint32_t *>(room.of(4)), answer;

    check_cuda(check_intervals(task, failed, nullptr), "check_intervals");
    check_cuda(cudaMemcpy(&answer, failed, 4, cudaMemcpyDeviceToHost), "check_intervals");
    if (answer > 1) {
        printf("FAILED: the check gave no answer\n");
        exit(1);
    }
    return answer == 1;
}

void expect(bool good, const char *what, const Case &input)
{
    if (good)
        return;
    printf("FAILED: %s\n  %s\n", what, input.name().c_str());
    exit(1);
}

void run_column(const GpusortSpec &spec, uint32_t count, Distribution distribution)
{
    static Room keys_room, intervals_room, space_room;
    Case input = lay_out(spec, {count}, true);

    fill(input, input.segments[0], distribution);

    IntervalTask task = {spec, keys_room.of(input.keys), intervals_room.of(input.payload), count,
                         space_room.of(intervals_bytes())};
    std::vector<uint32_t> found(count);

    check_cuda(find_intervals(task, nullptr), "find_intervals");
    check_cuda(cudaMemcpy(found.data(), task.intervals, size_t{4} * count, cudaMemcpyDeviceToHost), "find_intervals");

    const std::vector<uint64_t> right = intervals_of(input, input.segments[0], input.keys.data());

    for (uint32_t i = 0; i < count; i++)
        expect(found[i] == right[i], "wrong interval", input);
    expect(!check_fails(task), "the check refuses what is right", input);
    if (count == 0)
        return;

    /* One interval that is another. */
    const uint32_t place = uint32_t(below(count)), wrong = found[place] + 1;

    check_cuda(find_intervals(task, nullptr), "find_intervals");
    check_cuda(cudaMemcpy(task.intervals + place, &wrong, 4, cudaMemcpyHostToDevice), "spoiling");
    expect(check_fails(task), "the check misses a wrong interval", input);

    /* Keys that are all the same, and not what least and greatest were. */
    const uint32_t width = gpusort_key_width(spec.form);
    uint64_t same = bits_of(spec.form, 42);

    for (uint32_t i = 0; i < count; i++)
        if (key_at(spec.form, input.keys.data(), i) == same)
            same = bits_of(spec.form, 43);
    for (uint32_t i = 0; i < count; i++)
        memcpy(&input.keys[i * width], &same, width);
    check_cuda(find_intervals(task, nullptr), "find_intervals");
    check_cuda(cudaMemcpy(const_cast<void *>(task.keys), input.keys.data(), input.keys.size(), cudaMemcpyHostToDevice),
               "spoiling");
    expect(check_fails(task), "the check misses a wrong range", input);
}

}  // namespace

int main(int argc, char **argv)
{
    static const uint32_t buckets[] = {1, 2, 3, 10, 256, 10000, 65537, 20000000, UINT32_MAX};
    const bool each = begin_test(argc, argv);
    long columns = 0;

    for (int form = 0; form < GPUSORT_KEY_FORMS; form++)
        for (int distribution = 0; distribution < DISTRIBUTIONS; distribution++)
            for (uint32_t longest : {0, 1, 40, 5000, 100000, each ? 0 : 5000000}) {
                GpusortSpec spec = {};

                spec.method = GPUSORT_METHOD_APPROXIMATE;
                spec.form = GpusortKeyForm(form);
                spec.buckets = buckets[below(9)];
                spec.descending = below(2);
                run_column(spec, longest == 0 ? 0 : 1 + uint32_t(below(longest)), Distribution(distribution));
                columns++;
            }
    printf("%ld columns, all right\n", columns);
    return 0;
}
