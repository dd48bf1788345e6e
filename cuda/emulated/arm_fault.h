/*
 * arm_fault.h
 *	  How the test module makes an emulated device fail: plain C.
 *
 * The fault goes through a file in the current folder, which is the server's data
 * folder for backends and worker alike.  The device takes it before its next task.
 */
#ifndef GPUSORT_ARM_FAULT_H
#define GPUSORT_ARM_FAULT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Arms the fault (emulated_faults.h), in place of one armed before; false if there is no such fault. */
extern bool gpusort_emulated_arm_fault(int device, const char *fault);

#ifdef __cplusplus
}
#endif

#endif /* GPUSORT_ARM_FAULT_H */
