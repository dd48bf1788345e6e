/*
 * worker.h
 *	  Registers the device worker, and loads the module that drives the device.
 */
#ifndef GPUSORT_WORKER_H
#define GPUSORT_WORKER_H

#include "device/shared/device_list.h"
#include "gpusort_cuda.h"

/* Called from _PG_init: reserves shared memory and registers the workers. */
extern void gpusort_device_register(void);

extern void gpusort_worker_register_others(int first, int count);

/* Writes the path of the device module, with folder and suffix.  Returns true if the file exists. */
extern bool gpusort_worker_module_path(char *path, size_t size);

/* The opening of a device: what is known before, and what each step finds. */
typedef struct DeviceOpening
{
	int			ordinal;
	int			event_fd;
	char		path[MAXPGPATH];	/* of the module */
	const GpusortDeviceModule *module;
	int			count;			/* devices that there are */
	GpusortDevice *device;		/* NULL unless opened */
	GpusortDeviceInfo info;
	GpusortDeviceError error;	/* of the last step */
} DeviceOpening;

/* The steps, for gpusort_worker_call: load the module and have it look for devices; open the device. */
extern void gpusort_worker_find_devices(void *opening);
extern void gpusort_worker_open_found(void *opening);

/*
 * Runs a function that may hang in a driver, in a thread with all signals blocked, which
 * threads that it starts inherit.  It may call nothing of the server's.  Meanwhile the process
 * serves interrupts, and ends if a shutdown is requested.  Returns false if the function has
 * not returned in time.  event_fd wakes this process; what it was set for before is lost.
 */
extern bool gpusort_worker_call(void (*function) (void *argument), void *argument, int event_fd, long timeout_ms);

#endif							/* GPUSORT_WORKER_H */
