/*
 * emulated_faults.cc
 *	  Arms faults in one process and takes them in another, through a file.
 *
 * A fault is written to a file of another name, and then gets its own; so it is whole when it
 * is found.  No C++ library: the test module is linked as C.
 */
#include "emulated/emulated_faults.h"

#include <stdio.h>
#include <unistd.h>

#include "emulated/arm_fault.h"

using gpusort_emulated::ArmedFaults;
using gpusort_emulated::Fault;

namespace {

constexpr const char *NAMES[] = {"none", "error", "out_of_memory", "wrong", "wrong_fetch", "hang",
                                 "exit", "delay", "unavailable",   "hang_open"};

bool read_fault(const char *text, Fault *fault) {
    fault->count = 1;
    fault->milliseconds = strncmp(text, "delay", 5) == 0 ? 100 : 0;
    if (sscanf(text, "%31s %d %d", fault->name, &fault->count, &fault->milliseconds) < 1) return false;
    if (fault->is_wrong()) fault->passed = fault->milliseconds;
    if (fault->is("none")) fault->count = 0;
    for (const char *name : NAMES)
        if (fault->is(name)) return true;
    return false;
}

bool read_text(const char *path, char (&text)[128]) {
    FILE *file = fopen(path, "r");
    if (file == nullptr) return false;
    bool read = fgets(text, sizeof(text), file) != nullptr;
    fclose(file);
    return read;
}

}  // namespace

ArmedFaults::ArmedFaults(int device) { snprintf(path_, sizeof(path_), "gpusort_emulated_fault.%d", device); }

bool ArmedFaults::leave(const char *text) const {
    Fault fault;
    char fresh[80];
    snprintf(fresh, sizeof(fresh), "%s.%d", path_, int(getpid()));
    FILE *file = read_fault(text, &fault) ? fopen(fresh, "w") : nullptr;
    if (file == nullptr) return false;
    fputs(text, file);
    return fclose(file) == 0 && rename(fresh, path_) == 0;
}

void ArmedFaults::take(Fault *fault) const {
    char taken[80], text[128];
    Fault left;
    snprintf(taken, sizeof(taken), "%s.taken", path_);
    if (rename(path_, taken) != 0) return;
    bool read = read_text(taken, text) && read_fault(text, &left);
    unlink(taken);
    if (read && (left.is("unavailable") || left.is("hang_open")))
        leave(text);
    else if (read)
        *fault = left;
}

bool ArmedFaults::meet(const char *name) const {
    char text[128];
    return read_text(path_, text) && strcmp(text, name) == 0 && unlink(path_) == 0;
}

bool gpusort_emulated_arm_fault(int device, const char *fault) { return ArmedFaults(device).leave(fault); }
