/*
 * device_client.h
 *	  How backends see the devices, and how they have slabs sorted.
 */
#ifndef GPUSORT_DEVICE_CLIENT_H
#define GPUSORT_DEVICE_CLIENT_H

#include "device/shared/arena.h"
#include "device/shared/device_jobs.h"

typedef struct DeviceRates
{
	double		to_device_bytes_per_s;
	double		from_device_bytes_per_s;
	double		latency_s;
} DeviceRates;

/* Whether a spec could be sorted at this moment. */
typedef struct DeviceView
{
	SortReason	reason;			/* why no device can sort it, or REASON_NONE */
	DeviceRates rates;			/* of a ready device */
} DeviceView;

extern void gpusort_devices_look(const GpusortSpec *spec, DeviceView *view);

/* Why no device can be used now, or REASON_NONE. */
extern SortReason gpusort_devices_unready(void);

/* A device that is ready.  Jobs and sessions may have memory_limit bytes there, of which memory_free are free now. */
typedef struct ReadyDevice
{
	int			device;
	uint64_t	memory_limit;
	uint64_t	memory_free;
} ReadyDevice;

/* Lists the ready devices.  Returns how many there are. */
extern int	gpusort_devices_ready(ReadyDevice ready[GPUSORT_MAX_DEVICES]);

/* Waits up to 15 seconds until a device is ready, while one may become so. */
extern void gpusort_devices_await(void);

/* Lays out a slab.  Returns false if it is too small. */
extern bool gpusort_slab_layout(const GpusortSpec *spec, uint64_t nslots, uint64_t nsegments, SlabLayout *layout);

/* How many keys fit a slab together with their segments, which have this mean length. */
extern uint32_t gpusort_slab_capacity(const GpusortSpec *spec, uint32_t mean_length);

/* Submits a packed slab.  Returns false if no device is ready. */
extern bool gpusort_slab_submit(int slab, const GpusortSpec *spec, SortUse use, const SlabLayout *layout,
								uint32_t nslots, uint32_t nsegments);

#endif							/* GPUSORT_DEVICE_CLIENT_H */
