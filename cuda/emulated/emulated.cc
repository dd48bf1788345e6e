/*
 * emulated.cc
 *	  A device module that sorts on the CPU, for tests where there is no GPU.
 *
 * It keeps the promises of the interface as a real device would: work runs on a thread of
 * its own and ends later, memory is counted against a limit, and input is only read.
 * A real device may read a job's input until the job ends, so this one fails a job whose
 * input has changed by then.  On request it fails in every way a device can, and says
 * that a result failed its check (emulated_faults.h).
 *
 * GPUSORT_EMULATED_DEVICES in the server's environment says how many devices there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "emulated/emulated_faults.h"
#include "emulated/emulated_memory.h"
#include "gpusort_cuda.h"

namespace {

using gpusort_emulated::ArmedFaults;
using gpusort_emulated::Columns;
using gpusort_emulated::Fault;
using gpusort_emulated::seconds_now;

constexpr uint64_t MEMORY_BYTES = UINT64_C(16) << 30;
constexpr size_t PROBE_BYTES = 4 << 20;

enum class TaskKind { JOB, APPEND, SORT, FETCH, CLOSE };

struct Task {
    TaskKind kind;
    uint64_t ticket;
    std::function<void(const Fault &met, GpusortDeviceOutcome *)> work;
};

struct Session {
    GpusortSessionSpec description;
    Columns columns;
    uint64_t bytes;

    explicit Session(const GpusortSessionSpec &description)
        : description(description), columns(description), bytes(Columns::bytes(description)) {}
};

constexpr const char *WRONG_RESULT = "what came back is not what was sent, in order";
constexpr const char *CHANGED_INPUT = "its input has changed while the device had it";

/* True if the task can meet the fault: results that are wrong are noticed by the check of a sort, or of a fetch. */
bool can_meet(TaskKind kind, const Fault &fault) {
    if (fault.is("wrong")) return kind == TaskKind::JOB || kind == TaskKind::SORT;
    return !fault.is("wrong_fetch") || kind == TaskKind::FETCH;
}

void fail(GpusortDeviceError *error, GpusortDeviceStatus status, const char *message) {
    error->status = status;
    snprintf(error->message, sizeof(error->message), "%s", message);
}

}  // namespace

/* The mutex protects everything except the sessions' columns, which belong to the thread. */
struct GpusortDevice {
    int event_fd;
    uint64_t limit;
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<Task> queue;
    std::deque<GpusortDeviceOutcome> ended;
    std::map<uint64_t, Session> sessions;
    uint64_t used = 0;
    uint64_t peak = 0;
    ArmedFaults armed;
    Fault fault;
    bool stop = false;
    std::thread thread;

    /* What was left before the device was opened is forgotten. */
    explicit GpusortDevice(int ordinal) : armed(ordinal) { armed.take(&fault); fault = Fault(); }

    void run();
    void execute(const Task &task, GpusortDeviceOutcome *outcome);
    void sort_job(const GpusortSlabSort &job, const Fault &met, GpusortDeviceOutcome *outcome);
    void sort_columns(Session *session, uint64_t nrows, const Fault &met, GpusortDeviceOutcome *outcome);
    bool reserve(uint64_t bytes, GpusortDeviceError *error);
    void give_back(uint64_t bytes);
    Fault next_fault(TaskKind kind);
    Session *find(uint64_t session);
    void start(const Task &task);
};

/* The thread: one task after the other. */
void GpusortDevice::run() {
    for (;;) {
        Task task;
        {
            std::unique_lock<std::mutex> lock(mutex);
            wake.wait(lock, [this] { return stop || !queue.empty(); });
            if (queue.empty()) return;
            task = queue.front();
            queue.pop_front();
        }
        if (task.kind == TaskKind::CLOSE) {
            task.work(Fault(), nullptr);
            continue;
        }
        GpusortDeviceOutcome outcome = {};
        outcome.ticket = task.ticket;
        execute(task, &outcome);
        {
            std::lock_guard<std::mutex> lock(mutex);
            ended.push_back(outcome);
        }
        uint64_t one = 1;
        ssize_t written = write(event_fd, &one, sizeof(one));
        (void)written;
    }
}

/* The fault that the next task meets; "none" if none is armed. */
Fault GpusortDevice::next_fault(TaskKind kind) {
    std::lock_guard<std::mutex> lock(mutex);
    armed.take(&fault);
    if (fault.count <= 0 || !can_meet(kind, fault) || fault.passed-- > 0) return Fault();
    fault.count--;
    return fault;
}

Session *GpusortDevice::find(uint64_t session) {
    std::lock_guard<std::mutex> lock(mutex);
    return &sessions.find(session)->second;
}

bool GpusortDevice::reserve(uint64_t bytes, GpusortDeviceError *error) {
    std::lock_guard<std::mutex> lock(mutex);
    if (used + bytes > limit) {
        fail(error, GPUSORT_DEVICE_OUT_OF_MEMORY, "the emulated device has no memory left");
        return false;
    }
    used += bytes;
    if (used > peak) peak = used;
    return true;
}

void GpusortDevice::give_back(uint64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    used -= bytes;
}

/* Runs a task, or the fault that it meets. */
void GpusortDevice::execute(const Task &task, GpusortDeviceOutcome *outcome) {
    Fault met = next_fault(task.kind);
    if (met.is("error")) {
        fail(&outcome->error, GPUSORT_DEVICE_FAULT, "injected error at launch");
        return;
    }
    if (met.is("out_of_memory")) {
        usleep(met.milliseconds * 1000);
        fail(&outcome->error, GPUSORT_DEVICE_OUT_OF_MEMORY, "injected lack of memory");
        return;
    }
    while (met.is("hang")) sleep(1);
    task.work(met, outcome);
}

/* Runs a job on copies of its data. */
void GpusortDevice::sort_job(const GpusortSlabSort &job, const Fault &met,
                             GpusortDeviceOutcome *outcome) {
    uint64_t bytes = gpusort_emulated::job_bytes(job);
    std::vector<char> given = gpusort_emulated::input_of(job);
    met.delay();
    if (!gpusort_emulated::is_counted(job)) {
        fail(&outcome->error, GPUSORT_DEVICE_FAULT, "the histogram does not count the job's segments");
        return;
    }
    if (!reserve(bytes, &outcome->error)) return;
    gpusort_emulated::sort_job(job, met.is_wrong(), outcome);
    give_back(bytes);
    outcome->method = gpusort_emulated::method_used(job.spec);
    if (met.is_wrong() && job.verify)
        fail(&outcome->error, GPUSORT_DEVICE_NOT_VERIFIED, WRONG_RESULT);
    if (gpusort_emulated::input_of(job) != given)
        fail(&outcome->error, GPUSORT_DEVICE_NOT_VERIFIED, CHANGED_INPUT);
}

void GpusortDevice::sort_columns(Session *session, uint64_t nrows, const Fault &met,
                                 GpusortDeviceOutcome *outcome) {
    met.delay();
    double start = seconds_now();

    session->columns.sort(nrows, met.is_wrong());
    outcome->method = gpusort_emulated::method_used(session->description.spec);
    outcome->sort_s = seconds_now() - start;
    if (met.is_wrong() && session->description.verify)
        fail(&outcome->error, GPUSORT_DEVICE_NOT_VERIFIED, WRONG_RESULT);
}

void GpusortDevice::start(const Task &task) {
    {
        std::lock_guard<std::mutex> lock(mutex);
        armed.take(&fault);
        if (fault.count > 0 && fault.is("exit")) exit(1);
        queue.push_back(task);
    }
    wake.notify_one();
}

/* The interface. */

static int device_count(GpusortDeviceError *error) {
    const char *wanted = getenv("GPUSORT_EMULATED_DEVICES");
    int count = wanted ? atoi(wanted) : 1;
    if (count <= 0) fail(error, GPUSORT_DEVICE_UNAVAILABLE, "there is no emulated device");
    return count;
}

/* Times a copy out of the arena. Only reads the arena, which may be in use. */
static double copy_rate(const void *arena, size_t arena_bytes) {
    size_t bytes = arena_bytes < PROBE_BYTES ? arena_bytes : PROBE_BYTES;
    char *buffer = (char *)malloc(bytes);
    memcpy(buffer, arena, bytes);
    double start = seconds_now();
    memcpy(buffer, arena, bytes);
    __asm__ volatile("" : : "r"(buffer) : "memory");
    double seconds = seconds_now() - start;
    free(buffer);
    return bytes / (seconds > 1e-6 ? seconds : 1e-6);
}

static GpusortDevice *open_device(int ordinal, uint64_t memory_limit, void *arena,
                                  size_t arena_bytes, int event_fd, GpusortDeviceInfo *info,
                                  GpusortDeviceError *error) {
    ArmedFaults armed(ordinal);
    if (armed.meet("unavailable")) {
        fail(error, GPUSORT_DEVICE_UNAVAILABLE, "injected absence");
        return nullptr;
    }
    for (bool hangs = armed.meet("hang_open"); hangs;) sleep(1);
    GpusortDevice *device = new GpusortDevice(ordinal);
    device->event_fd = event_fd;
    device->limit = memory_limit > 0 && memory_limit < MEMORY_BYTES ? memory_limit : MEMORY_BYTES;
    device->thread = std::thread(&GpusortDevice::run, device);
    memset(info, 0, sizeof(*info));
    snprintf(info->name, sizeof(info->name), "emulated device %d", ordinal);
    snprintf(info->driver, sizeof(info->driver), "none");
    info->memory_bytes = MEMORY_BYTES;
    info->memory_limit = device->limit;
    info->to_device_bytes_per_s = info->from_device_bytes_per_s = copy_rate(arena, arena_bytes);
    info->latency_s = 20e-6;
    error->status = GPUSORT_DEVICE_OK;
    return device;
}

static void enter_device(GpusortDevice *) {}

static void close_device(GpusortDevice *device) {
    {
        std::lock_guard<std::mutex> lock(device->mutex);
        device->stop = true;
    }
    device->wake.notify_one();
    device->thread.join();
    delete device;
}

static void start_job(GpusortDevice *device, const GpusortSlabSort *job) {
    device->start({TaskKind::JOB, job->ticket, [device, job = *job](const Fault &met, GpusortDeviceOutcome *outcome) {
                       device->sort_job(job, met, outcome);
                   }});
}

static GpusortDeviceStatus open_session(GpusortDevice *device,
                                        const GpusortSessionSpec *description,
                                        GpusortDeviceError *error) {
    uint64_t bytes = Columns::bytes(*description);
    if (!device->reserve(bytes, error)) return error->status;
    std::lock_guard<std::mutex> lock(device->mutex);
    device->sessions.emplace(description->session, *description);
    return GPUSORT_DEVICE_OK;
}

static void append(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column,
                   uint64_t first_row, uint64_t nrows, const void *source) {
    device->start({TaskKind::APPEND, ticket, [=](const Fault &met, GpusortDeviceOutcome *) {
                       met.delay();
                       device->find(session)->columns.append(column, first_row, nrows, source);
                   }});
}

static void sort_session(GpusortDevice *device, uint64_t session, uint64_t ticket, uint64_t nrows) {
    device->start({TaskKind::SORT, ticket, [=](const Fault &met, GpusortDeviceOutcome *outcome) {
                       device->sort_columns(device->find(session), nrows, met, outcome);
                   }});
}

static void fetch(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column,
                  uint64_t first_row, uint64_t nrows, void *target) {
    device->start({TaskKind::FETCH, ticket, [=](const Fault &met, GpusortDeviceOutcome *outcome) {
                       Session *fetched = device->find(session);
                       met.delay();
                       fetched->columns.fetch(column, first_row, nrows, target);
                       if (met.is_wrong() && fetched->description.verify)
                           fail(&outcome->error, GPUSORT_DEVICE_NOT_VERIFIED, WRONG_RESULT);
                   }});
}

/* Frees the session after all work that was started before. */
static void close_session(GpusortDevice *device, uint64_t session) {
    device->give_back(device->find(session)->bytes);
    device->start({TaskKind::CLOSE, 0, [=](const Fault &, GpusortDeviceOutcome *) {
                       std::lock_guard<std::mutex> lock(device->mutex);
                       device->sessions.erase(session);
                   }});
}

static bool poll_device(GpusortDevice *device, GpusortDeviceOutcome *outcome) {
    std::lock_guard<std::mutex> lock(device->mutex);
    if (device->ended.empty()) return false;
    *outcome = device->ended.front();
    device->ended.pop_front();
    return true;
}

static void memory_in_use(GpusortDevice *device, uint64_t *now, uint64_t *peak) {
    std::lock_guard<std::mutex> lock(device->mutex);
    *now = device->used;
    *peak = device->peak;
}

extern "C" __attribute__((visibility("default"))) const GpusortDeviceModule *
gpusort_device_module(void) {
    static const GpusortDeviceModule module = {
        GPUSORT_DEVICE_ABI, "emulated",   device_count, open_device, enter_device, close_device,
        start_job,          open_session, append,       sort_session, fetch,       close_session,
        poll_device,        memory_in_use};
    return &module;
}
