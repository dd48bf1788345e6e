/*
 * interrupt_interval.h
 *	  How much is done between two questions whether to stop.  Plain C.
 *
 * One interval, in the units in which loops count: each is some milliseconds of
 * work at most, so that a cancel is heeded within a small part of 100 ms.
 */
#ifndef GPUSORT_INTERRUPT_INTERVAL_H
#define GPUSORT_INTERRUPT_INTERVAL_H

/* Entries of a linear loop; each may wait for memory. */
#define GPUSORT_INTERRUPT_INTERVAL 0x10000

/* Values of any type that are compared, hashed, encoded or copied, each by a call or more. */
#define GPUSORT_INTERRUPT_VALUES (GPUSORT_INTERRUPT_INTERVAL / 16)

/* Bytes that are copied or read. */
#define GPUSORT_INTERRUPT_BYTES (GPUSORT_INTERRUPT_INTERVAL * 4)

/* Keys that the CPU engine sorts: 2 to 5 ns each, and at most about 20 without wide vectors. */
#define GPUSORT_INTERRUPT_KEYS (GPUSORT_INTERRUPT_INTERVAL * 16)

#endif							/* GPUSORT_INTERRUPT_INTERVAL_H */
