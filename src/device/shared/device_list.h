/*
 * device_list.h
 *	  The value of gpusort.devices.
 */
#ifndef GPUSORT_DEVICE_LIST_H
#define GPUSORT_DEVICE_LIST_H

#define GPUSORT_MAX_DEVICES 16
#define GPUSORT_ALL_DEVICES PG_UINT32_MAX
#define GPUSORT_DEVICE_LIST_HINT "Use \"all\", \"none\", or ordinals from 0 to %d separated by commas."

/*
 * Reads "all", "none", or ordinals from 0 to GPUSORT_MAX_DEVICES - 1 separated by commas.
 * Sets *ordinals to GPUSORT_ALL_DEVICES, or to a bit for each.  Returns false if the list
 * is none of these.
 */
extern bool gpusort_device_list_read(const char *list, uint32 *ordinals);

#endif							/* GPUSORT_DEVICE_LIST_H */
