/*
 * opened_device.h
 *	  A device of a device module, opened through the module's own border with an arena
 *	  as the worker has one.
 */
#ifndef GPUSORT_TEST_OPENED_DEVICE_H
#define GPUSORT_TEST_OPENED_DEVICE_H

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpusort_cuda.h"

[[noreturn]] inline void fail(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, detail);
    exit(1);
}

class OpenedDevice
{
public:
    OpenedDevice(const char *path, size_t arena_bytes, uint64_t memory_limit)
    {
        void *library = dlopen(path, RTLD_NOW);
        auto function =
            library ? reinterpret_cast<GpusortDeviceModuleFunction>(dlsym(library, "gpusort_device_module")) : nullptr;
        GpusortDeviceError error = {};

        if (!function)
            fail("module", dlerror());
        module = function();
        arena = static_cast<char *>(
            mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
        if (arena == MAP_FAILED)
            fail("arena", "cannot map");
        event_fd = eventfd(0, EFD_NONBLOCK);
        device = module->open(0, memory_limit, arena, arena_bytes, event_fd, &info, &error);
        if (!device)
            fail("open", error.message);
        module->enter(device);
    }

    ~OpenedDevice()
    {
        module->close(device);
    }

    /* Waits for the next ticket that ends. */
    GpusortDeviceOutcome next() const
    {
        GpusortDeviceOutcome outcome;

        while (!module->poll(device, &outcome)) {
            pollfd waited = {event_fd, POLLIN, 0};
            uint64_t count;

            poll(&waited, 1, 1000);
            if (read(event_fd, &count, sizeof(count)) < 0)
                continue;
        }
        return outcome;
    }

    /* The same, but it must end well. */
    GpusortDeviceOutcome wait() const
    {
        const GpusortDeviceOutcome outcome = next();

        if (outcome.error.status != GPUSORT_DEVICE_OK)
            fail("job", outcome.error.message);
        return outcome;
    }

    const GpusortDeviceModule *module;
    GpusortDevice *device;
    GpusortDeviceInfo info = {};
    char *arena;

private:
    int event_fd;
};

#endif /* GPUSORT_TEST_OPENED_DEVICE_H */
