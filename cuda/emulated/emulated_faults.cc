/*
 * emulated_faults.cc
 *	  Arms faults in one process and takes them in another.
 *
 * A file, mapped by both, holds the words and their version, which is odd while the
 * words are written.
 */
#include "emulated/emulated_faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "emulated/arm_fault.h"

using gpusort_emulated::ArmedFaults;
using gpusort_emulated::Fault;
using gpusort_emulated::Mailbox;

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

}  // namespace

struct gpusort_emulated::Mailbox {
    std::atomic<uint32_t> version;
    char text[124];
};

ArmedFaults::ArmedFaults(int device) : mailbox_(nullptr) {
    char name[64];
    snprintf(name, sizeof(name), "gpusort_emulated_fault.%d", device);
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0) return;
    void *page = MAP_FAILED;
    if (ftruncate(file, sizeof(Mailbox)) == 0)
        page = mmap(nullptr, sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED) return;
    mailbox_ = static_cast<Mailbox *>(page);
    taken_ = mailbox_->version;
}

ArmedFaults::~ArmedFaults() {
    if (mailbox_ != nullptr) munmap(mailbox_, sizeof(Mailbox));
}

bool ArmedFaults::leave(const char *text) {
    Fault fault;
    if (mailbox_ == nullptr || strlen(text) >= sizeof(mailbox_->text) || !read_fault(text, &fault)) return false;
    mailbox_->version++;
    strcpy(mailbox_->text, text);
    mailbox_->version++;
    return true;
}

void ArmedFaults::take(Fault *fault) {
    uint32_t version = mailbox_ == nullptr ? taken_ : mailbox_->version.load();
    if (version == taken_ || version % 2 != 0) return;
    char text[sizeof(mailbox_->text)];
    memcpy(text, mailbox_->text, sizeof(text));
    if (mailbox_->version != version) return;
    taken_ = version;
    Fault left;
    if (read_fault(text, &left)) *fault = left;
}

bool ArmedFaults::meet(const char *name) {
    return mailbox_ != nullptr && strcmp(mailbox_->text, name) == 0 && leave("none");
}

bool gpusort_emulated_arm_fault(int device, const char *fault) { return ArmedFaults(device).leave(fault); }
