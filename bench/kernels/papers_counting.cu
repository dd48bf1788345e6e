/*
 * papers_counting.cu
 *	  The comparison-free sort's figures 8 to 16 and tables 4 and 5: its
 *	  distributions, 2^7 to 2^30 keys, both GPU methods as published and the method of
 *	  ours, and the CPU engine's sorts by counting and by comparisons beside them.
 *
 * On the CPU, large inputs take seconds: all sizes are sorted of random keys only, two
 * of the other distributions, and no sort is repeated that takes CPU_ENOUGH.
 */
#include <algorithm>
#include <chrono>
#include <cub/device/device_for.cuh>
#include <thread>

#include "cpu_engine/cpu_sort.h"
#include "kernels/bench.cuh"
#include "published/forms/forms.cuh"

using namespace bench;

namespace
{

constexpr size_t CPU_RUNS = 8;      /* of a sort on the CPU, the first to warm up, */
constexpr double CPU_ENOUGH = 300; /* or fewer once they took so many milliseconds */

enum class Shape { RANDOM, REVERSED, NEARLY, GAUSSIAN, UNIQUE, REPEATED_70, REPEATED_100, WIDE };
const char *const shape_names[] = {"random", "reversed", "nearly", "gaussian", "unique", "70%", "100%", "M=1000N"};

/* Values from 0 to n - 1, but WIDE: to 1000 n or 2^31. */
struct ShapedKeys {
    Shape shape;
    uint32_t n;
    uint32_t *keys;

    __device__ uint32_t random(uint32_t i) const
    {
        uint64_t x = (i + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

        x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
        return uint32_t(x >> 32);
    }

    __device__ uint32_t below(uint64_t most, uint32_t i) const
    {
        return uint32_t(random(i) * most >> 32);
    }

    __device__ void operator()(uint32_t i) const
    {
        switch (shape) {
            case Shape::REVERSED:
                keys[i] = n - 1 - i;
                break;
            case Shape::NEARLY:
                keys[i] = random(i) % 100 == 0 ? below(n, i + 1) : i;
                break;
            case Shape::GAUSSIAN:
                keys[i] = uint32_t(
                    (uint64_t(below(n, 4 * i)) + below(n, 4 * i + 1) + below(n, 4 * i + 2) + below(n, 4 * i + 3)) / 4);
                break;
            case Shape::UNIQUE: /* odd multiples of i modulo a power of two are all different */
                keys[i] = i * 2654435761u & (n - 1);
                break;
            case Shape::REPEATED_70:
                keys[i] = below(10, i) < 7 ? n / 2 : below(n, i + 1);
                break;
            case Shape::REPEATED_100:
                keys[i] = n / 2;
                break;
            case Shape::WIDE:
                keys[i] = below(min(UINT64_C(1000) * n, UINT64_C(0x80000000)), i);
                break;
            default:
                keys[i] = below(n, i);
        }
    }
};

class ShapedData
{
public:
    ShapedData(Shape the_shape, uint32_t n)
        : shape(the_shape), data(GPUSORT_KEY_INT32, GPUSORT_PAYLOAD_NONE, {n}, Keys::EQUAL)
    {
        Memory keys(size_t(n) * 4);

        check(cub::DeviceFor::Bulk(n, ShapedKeys{shape, n, keys.as<uint32_t>()}), "filling");
        data.set_keys(keys.as());
    }

    void show(const char *what, const Result &result) const
    {
        report(what, data, GPUSORT_KEY_INT32, GPUSORT_PAYLOAD_NONE, shape_names[int(shape)], Keys::UNIFORM, result);
    }

    void run(GpusortMethod method) const
    {
        show(method_names[method], measure_method(data, data.batch(method)));
    }

    /* Method 2 with one counter for each value. */
    void run_count_array(const char *what, uint32_t threads) const
    {
        const SegmentBatch batch = data.batch(GPUSORT_METHOD_COUNTING);
        const size_t bytes = count_array_workspace(batch, data.nkeys, threads);
        Memory workspace(bytes);
        Result result =
            measure(data, batch, [&] { return count_array_sort(batch, data.nkeys, threads, workspace.as(), nullptr); });

        result.workspace = bytes;
        show(what, result);
    }

    void run_one_hot() const
    {
        const SegmentBatch batch = data.batch(GPUSORT_METHOD_COUNTING);
        const size_t bytes = one_hot_workspace(batch);
        Memory workspace(bytes);
        Result result = measure(data, batch, [&] { return one_hot_sort(batch, workspace.as(), nullptr); });

        result.workspace = bytes;
        show("method 1", result);
    }

    /* On the CPU, data in its memory, by counting and by comparisons. */
    void run_cpu(const std::vector<int> &threads) const
    {
        std::vector<int32_t> keys(data.nkeys);

        for (int count : threads)
            for (GpusortMethod method : {GPUSORT_METHOD_COUNTING, GPUSORT_METHOD_NETWORK})
                run_cpu_sort(method, count, keys);
    }

private:
    void run_cpu_sort(GpusortMethod method, int threads, std::vector<int32_t> &keys) const
    {
        const SegmentBatch batch = data.batch(method);
        std::vector<char> scratch(gpusort_cpu_sort_scratch(&batch.spec, data.nkeys, threads));
        CpuSortControl control = {};
        std::vector<double> times;
        double total = 0;
        Result result;

        control.threads = threads;
        control.memory_limit = SIZE_MAX;
        result.right = true;
        data.restore();
        while (times.size() < CPU_RUNS && total < CPU_ENOUGH) {
            check(cudaMemcpy(keys.data(), batch.keys, data.key_bytes(), cudaMemcpyDeviceToHost), "copying keys");

            const auto start = std::chrono::steady_clock::now();
            const CpuSortStatus status = gpusort_cpu_sort(&batch.spec, keys.data(), nullptr, data.segments.data(), 1,
                                                          scratch.data(), &control);
            const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;

            result.right = result.right && status == CPU_SORT_DONE;
            times.push_back(time.count());
            total += time.count();
        }
        check(cudaMemcpy(batch.keys, keys.data(), data.key_bytes(), cudaMemcpyHostToDevice), "copying keys");
        if (times.size() > 1)
            times.erase(times.begin());
        std::sort(times.begin(), times.end());
        result.milliseconds = times[times.size() / 2];
        result.spread = (times.back() - times.front()) / result.milliseconds;
        result.right = result.right && data.right(batch);
        result.workspace = scratch.size();
        show((std::string(method_names[method]) + " CPU x" + std::to_string(threads)).c_str(), result);
    }

    Shape shape;
    Data data;
};

/* Threads of the paper's table 4, and all that the machine has; one thread takes seconds for 2^28 keys. */
std::vector<int> cpu_threads(int bits)
{
    std::vector<int> threads = {8, int(std::thread::hardware_concurrency())};

    if (bits < 28)
        threads.push_back(1);
    std::sort(threads.begin(), threads.end());
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    return threads;
}

}  // namespace

SECTION(countingsort, "comparison-free sort, figures 8 to 16, tables 4 and 5: distributions, 2^7 to 2^30 keys")
{
    for (int number = 0; number <= int(Shape::WIDE); number++)
        for (int bits : {7, 10, 13, 15, 17, 20, 22, 24, 26, 28, 30}) {
            const Shape shape = Shape(number);
            const bool random = shape == Shape::RANDOM;
            const bool repeated = shape == Shape::REPEATED_70 || shape == Shape::REPEATED_100;

            if (bits == 30 && !random)
                continue;

            const ShapedData shaped(shape, 1u << bits);

            shaped.run(GPUSORT_METHOD_COUNTING);
            shaped.run(GPUSORT_METHOD_RADIX);
            if (shape == Shape::WIDE)
                continue;
            if (random ? bits <= 28 : bits == 20 || bits == 24)
                shaped.run_cpu(cpu_threads(bits));
            /* A repeated key is written by one thread: seconds from 2^24 up. */
            if (bits <= (repeated ? 22 : 28)) {
                shaped.run_count_array("method 2", 0);
                shaped.run_count_array("method 2 by 16384 threads", 16384);
            }
            if (bits <= 15 && random)
                shaped.run_one_hot();
        }
}
