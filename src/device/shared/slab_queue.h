/*
 * slab_queue.h
 *	  Hands out slabs and sessions to backends.
 */
#ifndef GPUSORT_SLAB_QUEUE_H
#define GPUSORT_SLAB_QUEUE_H

typedef enum SlabUse
{
	SLAB_BATCH,
	SLAB_TRANSIT
} SlabUse;

extern int	gpusort_slab_acquire(SlabUse use, long timeout_ms);
extern bool gpusort_slabs_plentiful(void);
extern bool gpusort_sessions_plentiful(void);
extern int	gpusort_session_acquire(void);

#endif							/* GPUSORT_SLAB_QUEUE_H */
