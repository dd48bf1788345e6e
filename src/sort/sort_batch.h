/*
 * sort_batch.h
 *	  A batch of segments that is packed, sorted while the caller goes on, and
 *	  read back in place.
 *
 *	  begin --> (pack keys, payload and segments) --> submit --> wait --> end
 *
 * With the GPU engine the batch's memory is a slab of the shared arena: the caller packs
 * straight into memory that the device copies from.  Gaps between segments belong to the
 * caller, who may build values around the results where they lie.  The results may lie
 * in another region than the input: after gpusort_batch_wait they are read through
 * keys_out and payload_out.  The gaps of keys_out hold what was packed into the gaps of
 * keys.  With the CPU engine, or when no slab is free or large enough, the batch is
 * ordinary memory and submit sorts at once.  A batch ends by gpusort_batch_end, or with
 * the memory context that was current at begin.
 */
#ifndef GPUSORT_SORT_BATCH_H
#define GPUSORT_SORT_BATCH_H

#include "sort/sort.h"

typedef struct SortBatch
{
	/* Memory given by gpusort_batch_begin. */
	char	   *keys;			/* key_slots native keys, MAXALIGNed */
	uint32_t   *payload;		/* key_slots entries, MAXALIGNed; NULL without a payload */
	GpusortSegment *segments;
	uint32_t	key_slots;
	uint32_t	segment_slots;
	Size		memory_bytes;	/* ordinary memory that all this takes; 0 in a slab */

	/* Filled by the caller before gpusort_batch_submit. */
	SortUse		use;
	uint32_t	nslots;			/* extent of keys used, gaps included */
	uint32_t	nsegments;

	/* Known after gpusort_batch_wait. */
	char	   *keys_out;		/* sorted keys, gaps as packed; NULL with a payload */
	uint32_t   *payload_out;	/* the payload in its new order; gaps undefined */
	EngineId	engine;			/* the engine that sorted it */
	GpusortMethod method;		/* the method that was used */
	double		device_ms;		/* time on the GPU: copies, sort and check */
} SortBatch;

extern SortBatch *gpusort_batch_begin(const GpusortSpec *spec, Size key_bytes, Size memory_key_bytes, uint32_t segment_slots);
extern Size gpusort_batch_device_capacity(const GpusortSpec *spec, Size segment_bytes);
extern bool gpusort_batch_may_take_slab(void);
extern void gpusort_batch_submit(SortBatch *batch);
extern bool gpusort_batch_done(SortBatch *batch);
extern void gpusort_batch_wait(SortBatch *batch);
extern void gpusort_batch_end(SortBatch *batch);

#endif							/* GPUSORT_SORT_BATCH_H */
