/*
 * emulated_faults.h
 *	  The faults of an emulated device, and the words that arm them:
 *
 *	  error          the job ends in a fault
 *	  out_of_memory  the job does not fit
 *	  wrong          the result is not in order
 *	  lost_key       a key of the result is lost
 *	  flip           one bit of the device's memory flips
 *	  hang           the job never ends
 *	  exit           the process ends as if a library had called exit()
 *	  delay          the job takes longer
 *	  unavailable    the next opening finds no device
 *	  hang_open      the next opening never ends
 *
 * A fault is armed as "name", "name count" or "name count milliseconds": `count` jobs
 * meet it, one by default; one without memory is told after the milliseconds.  "none" disarms.  Flips are armed as "flip place bit" or
 * "flip place bit skipped".  Bit `bit` of the place (emulated_memory.h) flips, after
 * `skipped` jobs that have such a place.
 */
#ifndef GPUSORT_EMULATED_FAULTS_H
#define GPUSORT_EMULATED_FAULTS_H

#include <string.h>

#include "emulated/emulated_memory.h"

namespace gpusort_emulated {

struct Fault {
    char name[32] = "none";
    int count = 0;
    int milliseconds = 0;
    Flip flip;
    int skipped = 0; /* how many tasks a flip still passes over */

    bool is(const char *wanted) const { return strcmp(name, wanted) == 0; }
    Damage damage() const {
        return {is("wrong") ? Spoil::ORDER : is("lost_key") ? Spoil::KEYS : Spoil::NOTHING, flip};
    }
};

struct Mailbox;

/* Where faults for a device are left: a page that the processes share. */
class ArmedFaults {
public:
    explicit ArmedFaults(int device);
    ArmedFaults(const ArmedFaults &) = delete;
    ArmedFaults &operator=(const ArmedFaults &) = delete;
    ~ArmedFaults();

    /* False if there is no such fault, or no page. */
    bool leave(const char *text);

    /* Replaces the fault by one left since this object was made, or since the last call, if there is one. */
    void take(Fault *fault);

    /* True if the fault is left, which it is no longer then: for one that an opening meets. */
    bool meet(const char *name);

private:
    Mailbox *mailbox_;
    uint32_t taken_ = 0;
};

}  // namespace gpusort_emulated

#endif /* GPUSORT_EMULATED_FAULTS_H */
