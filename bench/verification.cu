/*
 * verification.cu
 *	  What verification costs on the device: the same arrays with it and without, job
 *	  after job, through the device module's own border.
 *
 *	  verification MODULE [runs]
 *
 * Arrays are batched as the node for arrays does it, 2 MB of keys a job; what fits no
 * slab goes through a session. Prints one CSV line for each kind and length: the medians
 * of the device's time for a job, in microseconds, without and with verification, by how
 * much it becomes longer, and verification's part of it as gpusort.devices has it. Every
 * result is checked for order.
 */
#include <string.h>

#include <algorithm>
#include <vector>

#include "tests/opened_device.h"

namespace
{

constexpr uint64_t BATCH_BYTES = 2 << 20;
constexpr uint64_t SLAB_BYTES = 8 << 20;
constexpr uint64_t REGION_BYTES = 32 << 20; /* of the arena, for each thing that a job reads or writes */

struct Kind {
    const char *type;
    const char *what;
    GpusortKeyForm form;
    GpusortPayload payload;
};

/* Of one run, in seconds. */
struct Times {
    double all = 0, verifying = 0;

    void add(const GpusortDeviceOutcome &outcome)
    {
        all += outcome.copy_in_s + outcome.sort_s + outcome.verify_s + outcome.copy_out_s;
        verifying += outcome.verify_s;
    }
};

/* The batches or the array that one kind and length make, in the regions: keys, payload, result, segments. */
class Work
{
public:
    Work(const OpenedDevice &the_device, const Kind &the_kind, uint32_t the_length)
        : device(the_device), kind(the_kind), length(the_length), width(gpusort_key_width(the_kind.form))
    {
        const uint64_t entry = kind.payload == GPUSORT_PAYLOAD_NONE ? 2 * width : width + 4;
        const uint64_t all = entry + (kind.payload == GPUSORT_PAYLOAD_CARRIED ? 4 : 0);
        uint64_t state = 88172645463325252u;

        in_session = length * all > SLAB_BYTES;
        arrays = in_session ? 1 : uint32_t(std::max<uint64_t>(1, BATCH_BYTES / width / length));
        slots = uint64_t{arrays} * length;
        for (uint64_t i = 0; i < slots; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            put_key(i, state);
            region<uint32_t>(1)[i] = uint32_t(i % length);
        }
        for (uint32_t a = 0; a < arrays; a++)
            region<GpusortSegment>(3)[a] = {a * length, length};
    }

    Times run(bool verify) const
    {
        return in_session ? run_session(verify) : run_job(verify);
    }

    /* Exits if what the last run left is out of order. */
    void check() const
    {
        for (uint64_t i = 0; i < slots; i++) {
            const uint64_t begin = i / length * length;
            const bool alone = kind.payload == GPUSORT_PAYLOAD_NONE;

            if (!alone && region<uint32_t>(2)[i] >= length)
                fail(kind.what, "an entry is not one of those that came");
            if (i > begin &&
                !(alone ? key(2, i - 1) <= key(2, i) : key(0, begin + place(i - 1)) <= key(0, begin + place(i))))
                fail(kind.what, "an array is out of order");
        }
    }

    bool in_session;
    uint32_t arrays;

private:
    /* Positive numbers, whose bits are in their order, whatever the form. */
    void put_key(uint64_t i, uint64_t random) const
    {
        const float single = float(random >> 40) / 16777216;
        const double number = double(random >> 11) / 9007199254740992.0;
        const uint16_t few = uint16_t(random >> 49);

        if (width == 2)
            region<uint16_t>(0)[i] = few;
        else if (width == 4)
            region<float>(0)[i] = single;
        else
            region<double>(0)[i] = number;
    }

    uint64_t key(int number, uint64_t i) const
    {
        uint64_t bits = 0;

        memcpy(&bits, region<char>(number) + i * width, width);
        return bits;
    }

    uint32_t place(uint64_t i) const
    {
        return region<uint32_t>(2)[i];
    }

    Times run_job(bool verify) const
    {
        GpusortSlabSort job = {};
        Times times;

        job.ticket = ++ticket;
        job.spec.form = kind.form;
        job.spec.payload = kind.payload;
        job.verify = verify;
        job.keys = region(0);
        job.payload = kind.payload == GPUSORT_PAYLOAD_CARRIED ? region<uint32_t>(1) : nullptr;
        job.keys_out = kind.payload == GPUSORT_PAYLOAD_NONE ? region(2) : nullptr;
        job.payload_out = kind.payload == GPUSORT_PAYLOAD_NONE ? nullptr : region<uint32_t>(2);
        job.segments = region<GpusortSegment>(3);
        job.nsegments = arrays;
        job.nslots = uint32_t(slots);
        job.length_histogram[gpusort_length_bin(length)] = arrays;
        device.module->start_job(device.device, &job);
        times.add(device.wait());
        return times;
    }

    /* Moves a column of the session, slab by slab. */
    void move(uint32_t column, uint32_t column_width, char *rows, bool in, Times *times) const
    {
        const uint64_t most = SLAB_BYTES / column_width;

        for (uint64_t first = 0; first < slots; first += most) {
            const uint64_t n = std::min(most, slots - first);

            if (in)
                device.module->append(device.device, session, ++ticket, column, first, n, rows + first * column_width);
            else
                device.module->fetch(device.device, session, ++ticket, column, first, n, rows + first * column_width);
            times->add(device.wait());
        }
    }

    Times run_session(bool verify) const
    {
        const bool carried = kind.payload == GPUSORT_PAYLOAD_CARRIED, alone = kind.payload == GPUSORT_PAYLOAD_NONE;
        GpusortSessionSpec opened = {};
        GpusortDeviceError error = {};
        Times times;

        opened.session = ++session;
        opened.spec.form = kind.form;
        opened.spec.payload = kind.payload;
        opened.verify = verify;
        opened.nrows = slots;
        opened.ncolumns = carried ? 2 : 1;
        opened.column_width[0] = uint8_t(width);
        opened.column_width[1] = 4;
        if (device.module->open_session(device.device, &opened, &error) != GPUSORT_DEVICE_OK)
            fail("session", error.message);
        move(0, width, region<char>(0), true, &times);
        if (carried)
            move(1, 4, region<char>(1), true, &times);
        device.module->sort_session(device.device, session, ++ticket, slots);
        times.add(device.wait());
        move(alone ? 0 : carried ? 1 : GPUSORT_SESSION_INDEX, alone ? width : 4, region<char>(2), false, &times);
        device.module->close_session(device.device, session);
        return times;
    }

    template <class T = void>
    T *region(int number) const
    {
        return reinterpret_cast<T *>(device.arena + number * REGION_BYTES);
    }

    inline static uint64_t ticket = 0, session = 0;
    const OpenedDevice &device;
    const Kind &kind;
    uint32_t length, width;
    uint64_t slots;
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char **argv)
{
    static const Kind kinds[] = {{"int2", "keys", GPUSORT_KEY_INT16, GPUSORT_PAYLOAD_NONE},
                                 {"float4", "keys", GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE},
                                 {"float8", "keys", GPUSORT_KEY_FLOAT64, GPUSORT_PAYLOAD_NONE},
                                 {"float4", "index", GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_INDEX},
                                 {"float4", "pairs", GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_CARRIED}};

    if (argc < 2)
        fail("usage", "verification MODULE [runs]");
    const OpenedDevice device(argv[1], 4 * REGION_BYTES, 0);
    const int runs = argc > 2 ? atoi(argv[2]) : 101;

    printf("device,type,what,n,arrays,through,plain_us,verified_us,longer,share\n");
    for (const Kind &kind : kinds)
        for (uint32_t length : {12, 100, 1000, 10000, 100000, 1000000}) {
            const Work work(device, kind, length);
            std::vector<double> plain, verified, verifying;

            for (int run = -5; run < runs; run++) {
                const Times without = work.run(false), with = work.run(true);

                if (run == 0)
                    work.check();
                if (run < 0)
                    continue;
                plain.push_back(1e6 * without.all);
                verified.push_back(1e6 * with.all);
                verifying.push_back(1e6 * with.verifying);
            }
            printf("%s,%s,%s,%u,%u,%s,%.1f,%.1f,%.3f,%.3f\n", device.info.name, kind.type, kind.what, length,
                   work.arrays, work.in_session ? "session" : "job", median(plain), median(verified),
                   median(verified) / median(plain) - 1, median(verifying) / median(verified));
            fflush(stdout);
        }
    return 0;
}
