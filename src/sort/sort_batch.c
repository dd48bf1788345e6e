/*
 * sort_batch.c
 *	  Batches of segments in ordinary memory, sorted when they are submitted.
 *
 * Everything a batch holds lives in a memory context of its own below the
 * caller's current one, so that an error frees it with its query.
 */
#include "postgres.h"

#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "sort/sort.h"
#include "sort/sort_batch.h"


typedef struct BatchState
{
	SortBatch	public;			/* must be first */
	GpusortSpec spec;
	MemoryContext context;
	bool		submitted;
} BatchState;

static void sort_in_place(BatchState *state);

/*
 * Begins a batch with room for at least key_bytes of keys and segment_slots
 * segments, as part of the current memory context.
 */
SortBatch *
gpusort_batch_begin(const GpusortSpec *spec, Size key_bytes, uint32_t segment_slots)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort batch", ALLOCSET_SMALL_SIZES);
	BatchState *state = MemoryContextAllocZero(context, sizeof(BatchState));
	SortBatch  *batch = &state->public;
	uint32_t	width = gpusort_key_width(spec->form);

	state->spec = *spec;
	state->context = context;
	batch->key_slots = Min((key_bytes + width - 1) / width, PG_UINT32_MAX);
	batch->segment_slots = segment_slots;
	batch->keys = MemoryContextAllocHuge(context, (Size) batch->key_slots * width + 1);
	if (spec->payload != GPUSORT_PAYLOAD_NONE)
		batch->payload = MemoryContextAllocHuge(context, (Size) batch->key_slots * sizeof(uint32_t) + 1);
	batch->segments = MemoryContextAllocHuge(context, (Size) segment_slots * sizeof(GpusortSegment) + 1);
	return batch;
}

/* Starts sorting the batch; its memory may not be touched until it has been waited for. */
void
gpusort_batch_submit(SortBatch *batch)
{
	BatchState *state = (BatchState *) batch;

	Assert(!state->submitted);
	Assert(batch->nslots <= batch->key_slots && batch->nsegments <= batch->segment_slots);
	state->submitted = true;
	sort_in_place(state);
}

/* True if gpusort_batch_wait would return at once. */
bool
gpusort_batch_done(SortBatch *batch)
{
	return true;
}

/* Waits until the submitted batch is sorted, and sets what is known then. */
void
gpusort_batch_wait(SortBatch *batch)
{
	Assert(((BatchState *) batch)->submitted);
}

/* Frees the batch, whatever state it is in. */
void
gpusort_batch_end(SortBatch *batch)
{
	MemoryContextDelete(((BatchState *) batch)->context);
}

static void
sort_in_place(BatchState *state)
{
	SortBatch  *batch = &state->public;
	SortRequest request = {
		.spec = state->spec,
		.keys = batch->keys,
		.payload = batch->payload,
		.segments = batch->segments,
		.nsegments = batch->nsegments,
		.nslots = batch->nslots,
		.length_histogram = batch->length_histogram
	};

	gpusort_sort(&request);
	batch->keys_out = batch->payload ? NULL : batch->keys;
	batch->payload_out = batch->payload;
	batch->engine = "cpu";
	batch->method = state->spec.method;
}
