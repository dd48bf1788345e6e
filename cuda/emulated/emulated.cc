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
 * GPUSORT_EMULATED_DEVICES in the server's environment says how many devices there are. Then
 * GPUSORT_EMULATED_RATES says how fast each copies, in GB/s separated by commas. Devices that
 * it does not name are equally fast.  GPUSORT_EMULATED_SYSFS names a folder in which a folder 0
 * describes the first device as sysfs would, a folder 1 the second, and so on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
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
    GpusortSlabSort job;  // for a JOB
    uint64_t session;      // for all others
    uint32_t column;
    uint64_t first_row;
    uint64_t nrows;
    const void *source;
    void *target;
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
bool can_meet(const Task &task, const Fault &fault) {
    if (fault.is("wrong")) return task.kind == TaskKind::JOB || task.kind == TaskKind::SORT;
    return !fault.is("wrong_fetch") || task.kind == TaskKind::FETCH;
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

    explicit GpusortDevice(int ordinal) : armed(ordinal) {}

    void run();
    void execute(const Task &task, GpusortDeviceOutcome *outcome);
    void sort_job(const GpusortSlabSort &job, const Fault &fault, GpusortDeviceOutcome *outcome);
    void sort_columns(const Task &task, const Fault &fault, GpusortDeviceOutcome *outcome);
    bool reserve(uint64_t bytes, GpusortDeviceError *error);
    void give_back(uint64_t bytes);
    Fault next_fault(const Task &task);
    Session *find(uint64_t session);
    void forget(uint64_t session);
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
            forget(task.session);
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
Fault GpusortDevice::next_fault(const Task &task) {
    std::lock_guard<std::mutex> lock(mutex);
    armed.take(&fault);
    if (fault.count <= 0 || !can_meet(task, fault) || fault.passed-- > 0) return Fault();
    fault.count--;
    return fault;
}

Session *GpusortDevice::find(uint64_t session) {
    std::lock_guard<std::mutex> lock(mutex);
    return &sessions.find(session)->second;
}

/* Frees a session, after all work that was started before. */
void GpusortDevice::forget(uint64_t session) {
    std::lock_guard<std::mutex> lock(mutex);
    sessions.erase(session);
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
    Fault met = next_fault(task);
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
    std::vector<char> given;
    if (task.kind == TaskKind::JOB) given = gpusort_emulated::input_of(task.job);
    if (met.is("delay")) usleep(met.milliseconds * 1000);

    if (task.kind == TaskKind::JOB) {
        sort_job(task.job, met, outcome);
        if (gpusort_emulated::input_of(task.job) != given)
            fail(&outcome->error, GPUSORT_DEVICE_NOT_VERIFIED, CHANGED_INPUT);
        return;
    }
    Session *session = find(task.session);
    if (task.kind == TaskKind::SORT)
        sort_columns(task, met, outcome);
    else if (task.kind == TaskKind::APPEND)
        session->columns.append(task.column, task.first_row, task.nrows, task.source);
    else
        session->columns.fetch(task.column, task.first_row, task.nrows, task.target);
    if (task.kind != TaskKind::APPEND && met.is_wrong() && session->description.verify)
        fail(&outcome->error, GPUSORT_DEVICE_NOT_VERIFIED, WRONG_RESULT);
}

/* Runs a job on copies of its data. */
void GpusortDevice::sort_job(const GpusortSlabSort &job, const Fault &met,
                             GpusortDeviceOutcome *outcome) {
    uint64_t bytes = gpusort_emulated::job_bytes(job);
    if (!gpusort_emulated::is_counted(job)) {
        fail(&outcome->error, GPUSORT_DEVICE_FAULT, "the histogram does not count the job's segments");
        return;
    }
    if (!reserve(bytes, &outcome->error)) return;
    gpusort_emulated::sort_job(job, met.is_wrong(), outcome);
    if (met.is_wrong() && job.verify)
        fail(&outcome->error, GPUSORT_DEVICE_NOT_VERIFIED, WRONG_RESULT);
    outcome->method = gpusort_emulated::method_used(job.spec);
    give_back(bytes);
}

void GpusortDevice::sort_columns(const Task &task, const Fault &met,
                                 GpusortDeviceOutcome *outcome) {
    Session *session = find(task.session);
    const GpusortSessionSpec &description = session->description;
    double start = seconds_now();

    session->columns.sort(task.nrows, met.is_wrong());
    outcome->method = gpusort_emulated::method_used(description.spec);
    outcome->sort_s = seconds_now() - start;
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

static bool sysfs_folder(int ordinal, char *folder, size_t size) {
    const char *folders = getenv("GPUSORT_EMULATED_SYSFS");
    if (folders == nullptr) return false;
    snprintf(folder, size, "%s/%d", folders, ordinal);
    return true;
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

/* Bytes per second that the device says it copies: measured unless the environment says how many devices there are. */
static double told_rate(int ordinal, const void *arena, size_t arena_bytes) {
    const char *rates = getenv("GPUSORT_EMULATED_RATES");
    if (getenv("GPUSORT_EMULATED_DEVICES") == nullptr) return copy_rate(arena, arena_bytes);
    for (int i = 0; i < ordinal && rates != nullptr; i++) {
        rates = strchr(rates, ',');
        if (rates != nullptr) rates++;
    }
    double rate = rates == nullptr ? 0 : atof(rates);
    return 1e9 * (rate > 0 ? rate : 5);
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
    info->to_device_bytes_per_s = info->from_device_bytes_per_s = told_rate(ordinal, arena, arena_bytes);
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
    Task task = {};
    task.kind = TaskKind::JOB;
    task.ticket = job->ticket;
    task.job = *job;
    device->start(task);
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

/* Starts work on rows of a session. */
static void start_work(GpusortDevice *device, TaskKind kind, uint64_t session, uint64_t ticket, uint32_t column,
                       uint64_t first_row, uint64_t nrows, const void *source, void *target) {
    Task task = {};
    task.kind = kind;
    task.ticket = ticket;
    task.session = session;
    task.column = column;
    task.first_row = first_row;
    task.nrows = nrows;
    task.source = source;
    task.target = target;
    device->start(task);
}

static void append(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column,
                   uint64_t first_row, uint64_t nrows, const void *source) {
    start_work(device, TaskKind::APPEND, session, ticket, column, first_row, nrows, source, nullptr);
}

static void sort_session(GpusortDevice *device, uint64_t session, uint64_t ticket, uint64_t nrows) {
    start_work(device, TaskKind::SORT, session, ticket, 0, 0, nrows, nullptr, nullptr);
}

static void fetch(GpusortDevice *device, uint64_t session, uint64_t ticket, uint32_t column,
                  uint64_t first_row, uint64_t nrows, void *target) {
    start_work(device, TaskKind::FETCH, session, ticket, column, first_row, nrows, nullptr, target);
}

static void close_session(GpusortDevice *device, uint64_t session) {
    device->give_back(device->find(session)->bytes);
    start_work(device, TaskKind::CLOSE, session, 0, 0, 0, 0, nullptr, nullptr);
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
        GPUSORT_DEVICE_ABI, "emulated",    device_count,  sysfs_folder, open_device,
        enter_device,       close_device,  start_job,     open_session, append,       sort_session,
        fetch,              close_session, poll_device,   memory_in_use};
    return &module;
}
