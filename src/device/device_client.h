/*
 * device_client.h
 *	  What backends need to have slabs of segments sorted by a device.
 */
#ifndef GPUSORT_DEVICE_CLIENT_H
#define GPUSORT_DEVICE_CLIENT_H

#include "device/arena.h"

/*
 * Why no device can be used now, as static text, or NULL if one is ready.  With
 * wait, a worker that is about to be ready is waited for.
 */
extern const char *gpusort_device_unready(bool wait);

/* Why the devices refuse the spec, or NULL.  The text lasts until the next call. */
extern const char *gpusort_device_refuses(const GpusortSpec *spec);

/* Rates of a ready device. */
extern bool gpusort_device_rates(GpusortDeviceInfo *info);

/* Lays a slab out; false if it is too small. */
extern bool gpusort_slab_layout(const GpusortSpec *spec, uint64_t nslots, uint64_t nsegments, SlabLayout *layout);

/* Keys that fit a slab beside their share of segments of the given mean length. */
extern uint32_t gpusort_slab_room(const GpusortSpec *spec, uint32_t mean_length);

/* Has a packed slab sorted; false if no device is ready.  The histogram may be NULL. */
extern bool gpusort_slab_submit(int slab, const GpusortSpec *spec, const SlabLayout *layout,
								uint32_t nslots, uint32_t nsegments, const uint32_t *length_histogram);

#endif							/* GPUSORT_DEVICE_CLIENT_H */
