/*
 * worker.h
 *	  Registers the device worker, and loads the module that drives the device.
 */
#ifndef GPUSORT_WORKER_H
#define GPUSORT_WORKER_H

#include "gpusort_cuda.h"

/* Called from _PG_init: reserves shared memory and registers the workers. */
extern void gpusort_device_register(void);

extern void gpusort_worker_register_others(int first, int count);
extern bool gpusort_worker_module_installed(void);
extern const GpusortDeviceModule *gpusort_worker_load_module(GpusortDeviceError *error, bool *installed);

#endif							/* GPUSORT_WORKER_H */
