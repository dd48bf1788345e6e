/*
 * bench.cuh
 *	  The frame of the kernels' benchmark: data on the device, timing, checks, CSV.
 *
 * A section is a function that measures one question; it registers itself by name
 * with SECTION(name, "what it measures").  Each measurement copies the same data in,
 * times the sort alone with events, and takes the median; its last result is checked
 * for order and for each segment's digest.
 */
#ifndef GPUSORT_BENCH_CUH
#define GPUSORT_BENCH_CUH

#include <functional>
#include <string>
#include <vector>

#include "methods/methods.cuh"

namespace bench
{

using namespace gpusort;

enum class Keys { UNIFORM, GAUSSIAN, SORTED, REVERSED, EQUAL, FEW };
extern const char *const keys_names[];
extern const char *const form_names[];
extern const char *const method_names[];

void check(cudaError_t error, const char *what);

/* Device memory of a measurement, freed with it. */
class Memory
{
public:
    explicit Memory(size_t bytes);
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    template <class T = void>
    T *as() const
    {
        return static_cast<T *>(start);
    }

private:
    void *start = nullptr;
};

/* A batch with its input beside it. */
class Data
{
public:
    Data(GpusortKeyForm form, GpusortPayload payload, const std::vector<uint32_t> &counts, Keys keys, uint32_t gap = 0,
         uint32_t first = 0);

    SegmentBatch batch(GpusortMethod method = GPUSORT_METHOD_AUTO) const;
    void set_keys(const void *device_keys) const; /* other keys than the distribution's */
    void restore() const;                         /* keys and payload as they were */
    bool right(const SegmentBatch &sorted) const;
    size_t key_bytes() const;

    uint64_t nkeys = 0, nslots = 0;
    std::vector<GpusortSegment> segments;

private:
    GpusortSpec spec = {};
    uint32_t histogram[GPUSORT_LENGTH_BINS] = {};
    uint32_t longest = 0;
    Memory keys_memory, original, payload_memory, payload_original, segments_memory;
};

struct Result {
    double milliseconds = 0; /* median */
    double spread = 0;       /* (longest - shortest) / median */
    bool right = false;
    size_t workspace = 0;
};

/* Times work() on fresh data; `sorted` tells how to check what is left in the batch. */
Result measure(const Data &data, const SegmentBatch &sorted, const std::function<cudaError_t()> &work);

/* The same for a method of ours, workspace included. */
Result measure_method(const Data &data, const SegmentBatch &batch);

/* One line of the table, and of the CSV. */
void report(const char *what, const Data &data, GpusortKeyForm form, GpusortPayload payload, const std::string &shape,
            Keys keys, const Result &result);

std::vector<uint32_t> equal_counts(uint64_t nkeys, uint32_t n);

struct Section {
    Section(const char *name, const char *what, void (*run)());
    const char *name, *what;
    void (*run)();
};

#define SECTION(name, what)                                     \
    static void section_##name();                               \
    static Section name##_section(#name, what, section_##name); \
    static void section_##name()

extern uint64_t total_keys; /* of a batch: 2^28 */

}  // namespace bench

#endif /* GPUSORT_BENCH_CUH */
