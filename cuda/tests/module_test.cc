/*
 * module_test.cc
 *	  What gpusort_cuda.h promises, of any device module: jobs, sessions and lack of
 *	  memory.  Needs no CUDA and no server.
 *
 *	  module_test MODULE [--seed N]
 *
 * Prints the seed; exits with 1 at the first failure.
 */
#include "cases.h"
#include "opened_device.h"

using namespace test;

namespace
{

constexpr size_t ARENA_BYTES = 64 << 20;

[[noreturn]] void wrong(const char *what, const std::string &where)
{
    printf("FAILED: %s\n  %s\n", what, where.c_str());
    exit(1);
}

/* Places in an arena, one behind the other. */
class Places
{
public:
    explicit Places(const OpenedDevice &device) : next(device.arena), end(device.arena + ARENA_BYTES) {}

    void *of(size_t bytes)
    {
        char *place = next;

        next += (bytes + 63) / 64 * 64;
        if (next > end)
            fail("arena", "a test is larger than it");
        return place;
    }

    template <class T>
    T *of(const std::vector<T> &values)
    {
        T *place = static_cast<T *>(of(values.size() * sizeof(T)));

        std::copy(values.begin(), values.end(), place);
        return place;
    }

private:
    char *next, *end;
};

/* A batch in the arena as a worker would have it. */
struct Job {
    Job(Places &places, const Case &the_input, uint64_t ticket) : input(the_input)
    {
        const bool indexed = input.spec.payload != GPUSORT_PAYLOAD_NONE;

        sort.ticket = ticket;
        sort.spec = input.spec;
        sort.verify = below(2);
        sort.keys = keys = places.of(input.keys);
        sort.payload = payload = input.spec.payload == GPUSORT_PAYLOAD_CARRIED ? places.of(input.payload) : nullptr;
        sort.keys_out = indexed ? nullptr : places.of(input.keys.size());
        sort.payload_out = indexed ? static_cast<uint32_t *>(places.of(input.nslots * sizeof(uint32_t))) : nullptr;
        sort.segments = places.of(input.segments);
        sort.nsegments = uint32_t(input.segments.size());
        sort.nslots = uint32_t(input.nslots);
        std::copy(input.histogram, input.histogram + GPUSORT_LENGTH_BINS, sort.length_histogram);
    }

    /* The input must be as it was, and the result right. */
    void check(const GpusortDeviceOutcome &outcome) const
    {
        if (memcmp(keys, input.keys.data(), input.keys.size()) != 0 ||
            (payload && memcmp(payload, input.payload.data(), input.payload.size() * sizeof(uint32_t)) != 0))
            wrong("the input has changed", input.name());
        if (outcome.method == GPUSORT_METHOD_AUTO)
            wrong("no method is named", input.name());

        std::vector<uint8_t> keys_out = input.keys;
        std::vector<uint32_t> payload_out;

        /* Gaps of a payload are undefined. */
        if (sort.keys_out)
            memcpy(keys_out.data(), sort.keys_out, keys_out.size());
        else {
            payload_out = input.payload;
            for (const GpusortSegment &segment : input.segments)
                std::copy_n(sort.payload_out + segment.start, segment.count, payload_out.data() + segment.start);
        }
        expect_sorted(input, keys_out, payload_out, "a job");
    }

    const Case &input;
    GpusortSlabSort sort = {};
    const uint8_t *keys;
    const uint32_t *payload;
};

std::vector<uint32_t> some_counts()
{
    std::vector<uint32_t> counts = {0, 1, 2, 33, 1000, 5000, uint32_t(below(70000))};

    for (int i = 0; i < 200; i++)
        counts.push_back(uint32_t(below(300)));
    return counts;
}

/* Jobs of one spec, several of them under way at a time. */
void test_jobs(const OpenedDevice &device, const GpusortSpec &spec)
{
    Places places(device);
    std::vector<Case> inputs;
    std::vector<Job> jobs;
    uint64_t ticket = 1 + below(1000000);

    for (int i = 0; i < 3; i++)
        inputs.push_back(make_case(spec, some_counts(), below(2)));
    for (const Case &input : inputs)
        jobs.emplace_back(places, input, ticket++);
    for (const Job &job : jobs)
        device.module->start_job(device.device, &job.sort);
    for (size_t ended = 0; ended < jobs.size(); ended++) {
        const GpusortDeviceOutcome outcome = device.next();
        const size_t number = outcome.ticket - jobs[0].sort.ticket;

        if (number >= jobs.size())
            wrong("a ticket that nobody chose", inputs[0].name());
        if (outcome.error.status != GPUSORT_DEVICE_OK)
            wrong(outcome.error.message, inputs[number].name());
        jobs[number].check(outcome);
    }
}

/* Rows of columns of all widths, appended and fetched in pieces. */
class SessionTest
{
public:
    SessionTest(const OpenedDevice &the_device, const GpusortSpec &spec, uint64_t number)
        : device(the_device), input(make_case(spec, {uint32_t(1 + below(20000))}, true))
    {
        static const uint8_t widths[] = {1, 2, 4, 8};

        session.session = number;
        session.spec = spec;
        session.verify = below(2);
        session.nrows = nrows() + below(100);
        session.column_width[0] = gpusort_key_width(spec.form);
        session.ncolumns = 1;
        columns.emplace_back(input.keys.begin() + input.segments[0].start * session.column_width[0], input.keys.end());
        if (spec.payload == GPUSORT_PAYLOAD_INDEX)
            for (const uint8_t width : widths) {
                session.column_width[session.ncolumns++] = width;
                columns.emplace_back(nrows() * width);
                for (uint8_t &byte : columns.back())
                    byte = uint8_t(random_bits());
            }

        GpusortDeviceError error = {};

        if (device.module->open_session(device.device, &session, &error) != GPUSORT_DEVICE_OK)
            wrong(error.message, input.name());
    }

    void run()
    {
        std::vector<uint8_t> sorted = input.keys;
        std::vector<uint32_t> index;

        for (uint32_t column = 0; column < session.ncolumns; column++)
            in_pieces(column, nrows(), columns[column].data(), true);
        device.module->sort_session(device.device, session.session, ++ticket, nrows());
        device.wait();
        if (session.spec.payload == GPUSORT_PAYLOAD_INDEX) {
            index.resize(nrows());
            in_pieces(GPUSORT_SESSION_INDEX, wanted(), index.data(), false);
        } else
            in_pieces(0, wanted(), sorted.data(), false);
        expect_sorted(input, sorted, index, "a session");
        for (uint32_t column = index.empty() ? 1 : 0; column < session.ncolumns; column++)
            expect_gathered(column, index);
        device.module->close_session(device.device, session.session);
    }

private:
    uint64_t nrows() const
    {
        return input.segments[0].count;
    }
    uint64_t wanted() const
    {
        return input.spec.limit > 0 ? std::min(input.spec.limit, nrows()) : nrows();
    }

    /* Appends, or fetches, the first rows of a column in pieces of any size. */
    void in_pieces(uint32_t column, uint64_t rows, void *bytes, bool append)
    {
        const uint32_t width = column == GPUSORT_SESSION_INDEX ? 4 : session.column_width[column];

        for (uint64_t first = 0, piece; first < rows; first += piece) {
            char *place = static_cast<char *>(bytes) + first * width, *in_arena = device.arena;

            piece = std::min(rows - first, 1 + below(rows));
            if (append) {
                memcpy(in_arena, place, piece * width);
                device.module->append(device.device, session.session, ++ticket, column, first, piece, in_arena);
            } else
                device.module->fetch(device.device, session.session, ++ticket, column, first, piece, in_arena);
            if (device.wait().ticket != ticket)
                wrong("the wrong ticket", input.name());
            if (!append)
                memcpy(place, in_arena, piece * width);
        }
    }

    void expect_gathered(uint32_t column, const std::vector<uint32_t> &index)
    {
        const uint32_t width = session.column_width[column];
        std::vector<uint8_t> sorted(wanted() * width);

        in_pieces(column, wanted(), sorted.data(), false);
        for (uint64_t row = 0; row < wanted(); row++)
            if (memcmp(&sorted[row * width], &columns[column][uint64_t{index[row]} * width], width) != 0)
                wrong("a column in another order", input.name());
    }

    const OpenedDevice &device;
    const Case input;
    GpusortSessionSpec session = {};
    std::vector<std::vector<uint8_t>> columns;
    uint64_t ticket = 0;
};

/* Two sessions at a time, the first closed last. */
void test_sessions(const OpenedDevice &device, const GpusortSpec &spec)
{
    SessionTest first(device, spec, 1), second(device, spec, 2);

    second.run();
    first.run();
}

/* What exceeds the memory is refused, and then something smaller passes. */
void test_lack_of_memory(const OpenedDevice &device)
{
    GpusortSpec spec = {};
    GpusortSessionSpec session = {};
    GpusortDeviceError error = {};

    session.session = 3;
    session.spec.form = GPUSORT_KEY_INT64;
    session.nrows = device.info.memory_limit / 8;
    session.ncolumns = 1;
    session.column_width[0] = 8;
    session.spec.payload = GPUSORT_PAYLOAD_INDEX;
    if (device.info.memory_limit / 8 < UINT32_MAX &&
        device.module->open_session(device.device, &session, &error) != GPUSORT_DEVICE_OUT_OF_MEMORY)
        wrong("a session beyond the memory was opened", error.message);
    test_jobs(device, spec);
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage", "module_test MODULE [--seed N]");
    begin_test(argc - 1, argv + 1, {});

    const OpenedDevice device(argv[1], ARENA_BYTES, UINT64_C(2) << 30);
    GpusortDeviceError error = {};

    if (device.module->abi != GPUSORT_DEVICE_ABI || device.module->device_count(&error) < 1)
        wrong("no device of this interface", device.module->name);
    for (int method = 0; method < GPUSORT_METHOD_COUNT; method++)
        for (int form = 0; form < GPUSORT_KEY_FORMS; form++)
            for (int payload = 0; payload < 3; payload++)
                for (const uint64_t limit : {0, 10})
                    for (const uint32_t buckets : {0, 1000}) {
                        GpusortSpec spec = {};

                        spec.method = GpusortMethod(method);
                        spec.form = GpusortKeyForm(form);
                        spec.payload = GpusortPayload(payload);
                        spec.limit = limit;
                        spec.buckets = buckets;
                        spec.descending = below(2);
                        if (gpusort_device_refuses(&spec))
                            continue;
                        test_jobs(device, spec);
                        if (payload != GPUSORT_PAYLOAD_CARRIED)
                            test_sessions(device, spec);
                    }
    test_lack_of_memory(device);
    printf("%s: all right\n", device.module->name);
    return 0;
}
