/*
 * device_case.cuh
 *	  A batch of cases.h in device memory, for the tests that call kernels.
 */
#ifndef GPUSORT_TEST_DEVICE_CASE_CUH
#define GPUSORT_TEST_DEVICE_CASE_CUH

#include "cases.h"
#include "methods/methods.cuh"
#include "segment_sort.cuh"

namespace test
{

using namespace gpusort;

inline void check_cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

/* Device memory that grows as tests want more. */
class DeviceMemory
{
public:
    /* Poisoned bytes that end where the allocation ends, so memcheck sees an access beyond them. */
    void *of(size_t bytes)
    {
        bytes = (bytes + 15) / 16 * 16;
        if (bytes > size || !start) {
            cudaFree(start);
            size = bytes + bytes / 4 + 256;
            check_cuda(cudaMalloc(&start, size), "cudaMalloc");
        }
        check_cuda(cudaMemset(start, POISON, size), "cudaMemset");
        return start + (size - bytes) / 256 * 256;
    }

    template <class T>
    T *of(const std::vector<T> &values)
    {
        T *copy = static_cast<T *>(of(values.size() * sizeof(T)));

        check_cuda(cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy in");
        return copy;
    }

private:
    char *start = nullptr;
    size_t size = 0;
};

/* A case on the device. There is one at a time. */
class DeviceCase
{
public:
    explicit DeviceCase(const Case &the_input) : input(the_input)
    {
        static DeviceMemory keys_memory, payload_memory, segments_memory;

        batch.spec = input.spec;
        batch.keys = keys_memory.of(input.keys);
        batch.payload = input.spec.payload == GPUSORT_PAYLOAD_NONE ? nullptr : payload_memory.of(input.payload);
        batch.segments = segments_memory.of(input.segments);
        batch.nsegments = uint32_t(input.segments.size());
        batch.nslots = input.nslots;
        batch.length_histogram = input.histogram;
        batch.longest = input.longest;
    }

    std::vector<uint8_t> keys(const void *from) const
    {
        std::vector<uint8_t> bytes(input.keys.size());

        check_cuda(cudaMemcpy(bytes.data(), from, bytes.size(), cudaMemcpyDeviceToHost), "sorting");
        return bytes;
    }

    std::vector<uint8_t> keys() const
    {
        return keys(batch.keys);
    }

    /* Empty if there is no payload. */
    std::vector<uint32_t> payload(const uint32_t *from) const
    {
        std::vector<uint32_t> values(from == nullptr ? 0 : input.nslots);

        check_cuda(cudaMemcpy(values.data(), from, values.size() * 4, cudaMemcpyDeviceToHost), "sorting");
        return values;
    }

    std::vector<uint32_t> payload() const
    {
        return payload(batch.payload);
    }

    /* What the sort needs. The same must come out before the batch has memory, which is when a job asks. */
    size_t workspace_bytes() const
    {
        const size_t bytes = gpusort::workspace_bytes(batch);
        SegmentBatch planned = batch;

        planned.keys = nullptr;
        planned.payload = nullptr;
        planned.segments = nullptr;
        if (gpusort::workspace_bytes(planned) != bytes) {
            printf("FAILED: the workspace is larger once the batch has memory\n  %s\n", input.name().c_str());
            exit(1);
        }
        return bytes;
    }

    const Case &input;
    SegmentBatch batch = {};
};

/* A workspace for a sort, in memory that all sorts share. */
inline void *workspace_of(size_t bytes)
{
    static DeviceMemory memory;

    return memory.of(bytes);
}

}  // namespace test

#endif /* GPUSORT_TEST_DEVICE_CASE_CUH */
