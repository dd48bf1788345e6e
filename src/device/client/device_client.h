/*
 * device_client.h
 *	  What backends need to have slabs of segments sorted by a device.
 */
#ifndef GPUSORT_DEVICE_CLIENT_H
#define GPUSORT_DEVICE_CLIENT_H

#include "device/shared/arena.h"
#include "device/shared/device_jobs.h"
#include "device/shared/device_watch.h"
#include "device/shared/slab_queue.h"

typedef struct DeviceRates
{
	double		to_device_bytes_per_s;
	double		from_device_bytes_per_s;
	double		latency_s;
} DeviceRates;

/* How a spec and the devices stand to each other at one moment. */
typedef struct DeviceView
{
	SortReason	reason;			/* why no device would do it, or NONE */
	uint8_t		device;			/* a ready one: one that does not refuse it, if any */
	uint8_t		refusal;		/* why that one refuses it: a number for gpusort_device_refusal */
	DeviceRates rates;			/* of that one */
} DeviceView;

extern void gpusort_devices_look(const GpusortSpec *spec, DeviceView *view);

/* Why no device can be used now, or NONE. */
extern SortReason gpusort_devices_unready(void);

/* What a device's module said of a refusal. */
extern void gpusort_device_refusal(int device, int refusal, char *text, Size size);

/* Waits until a device is ready, for as long as there is hope. */
extern void gpusort_devices_await(void);

/* Lays a slab out; false if it is too small. */
extern bool gpusort_slab_layout(const GpusortSpec *spec, uint64_t nslots, uint64_t nsegments, SlabLayout *layout);

/* Keys that fit a slab beside their share of segments of the given mean length. */
extern uint32_t gpusort_slab_capacity(const GpusortSpec *spec, uint32_t mean_length);

/* Has a packed slab sorted; false if no device is ready.  The histogram may be NULL. */
extern bool gpusort_slab_submit(int slab, const GpusortSpec *spec, SortUse use, const SlabLayout *layout,
								uint32_t nslots, uint32_t nsegments, const uint32_t *length_histogram);

#endif							/* GPUSORT_DEVICE_CLIENT_H */
