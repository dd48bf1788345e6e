/*
 * emulated_faults.h
 *	  The faults of an emulated device, and the words that arm them:
 *
 *	  error          the job ends in a fault
 *	  out_of_memory  the job does not fit
 *	  wrong          a sort's result is not in order, which its check notices
 *	  wrong_fetch    the check of fetched rows notices that they have changed
 *	  hang           the job never ends
 *	  exit           the process ends as if a library had called exit()
 *	  delay          the job takes longer
 *	  unavailable    the next opening finds no device
 *	  hang_open      the next opening never ends
 *
 * A fault is armed as "name", "name count" or "name count number": `count` jobs meet it,
 * one by default.  The number is of milliseconds, after which one without memory is told;
 * for a wrong result, of sorts or fetches that pass before.  "none" disarms.
 */
#ifndef GPUSORT_EMULATED_FAULTS_H
#define GPUSORT_EMULATED_FAULTS_H

#include <string.h>
#include <unistd.h>

namespace gpusort_emulated {

struct Fault {
    char name[32] = "none";
    int count = 0;
    int milliseconds = 0;
    int passed = 0; /* how many tasks a wrong result still passes over */

    bool is(const char *wanted) const { return strcmp(name, wanted) == 0; }
    bool is_wrong() const { return strncmp(name, "wrong", 5) == 0; }
    void delay() const {
        if (is("delay")) usleep(milliseconds * 1000);
    }
};

/* Where faults for a device are left: a file in the current folder. */
class ArmedFaults {
public:
    explicit ArmedFaults(int device);

    /* False if there is no such fault, or the file cannot be written. */
    bool leave(const char *text) const;

    /* Replaces the fault by the one that was left, if there is one, but for those that an opening meets. */
    void take(Fault *fault) const;

    /* True if the fault is left, which it is no longer then: for one that an opening meets. */
    bool meet(const char *name) const;

private:
    char path_[64];
};

}  // namespace gpusort_emulated

#endif /* GPUSORT_EMULATED_FAULTS_H */
