/*
 * sort_batch.c
 *	  Batches of segments: in a slab of the arena, sorted by the GPU while the
 *	  caller goes on, or in ordinary memory, sorted when they are submitted.
 *
 * A slab is taken if the GPU may be used, the batch fits a slab and one is free.
 * Batches never wait for a slab, because other queries may keep theirs for as long as
 * they run.  A batch in ordinary memory can still be sorted by the GPU: it then passes
 * through the arena when it is submitted, as any other request does.
 *
 * A batch has a memory context of its own below the caller's current one.  Its slab is
 * given back when that context ends, so an error leaves no slab behind.
 *
 * Ordinary memory is kept for the next batch, of this query or another (kept_memory.h).
 * For a query of few rows, asking the kernel for fresh pages takes longer than everything
 * else that a batch adds to sorting row by row.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "device/client/device_client.h"
#include "guc.h"
#include "kept_memory.h"
#include "large_memory.h"
#include "sort/choose.h"
#include "sort/sort.h"
#include "sort/sort_batch.h"

typedef struct BatchState
{
	SortBatch	public;			/* must be first */
	GpusortSpec spec;
	MemoryContext context;
	MemoryContextCallback callback;
	int			slab;			/* GPUSORT_NO_JOB in ordinary memory */
	SlabLayout	layout;
	bool		in_flight;		/* submitted to a device and not yet waited for */
	SortAttempt attempt;		/* while it is in flight */
} BatchState;

/* The number of keys of a width that take at least key_bytes. */
static uint32_t
slots_for(Size key_bytes, uint32_t width)
{
	return Min((key_bytes + width - 1) / width, PG_UINT32_MAX);
}

/* True if a device would now sort a batch of this many slots. */
static bool
for_device(const GpusortSpec *spec, uint32_t slots)
{
	SortDecision decision;

	gpusort_choose_keys(spec, slots, slots, ROUTE_PACKED, &decision);
	return decision.engine == ENGINE_GPU && gpusort_arena != NULL && gpusort_arena->nslabs > 0;
}

static void
allocate_in_slab(BatchState *state)
{
	SortBatch  *batch = &state->public;
	char	   *memory = gpusort_slab_memory(state->slab);

	batch->keys = memory + state->layout.keys;
	batch->segments = (GpusortSegment *) (memory + state->layout.segments);
	if (state->spec.payload == GPUSORT_PAYLOAD_CARRIED)
		batch->payload = (uint32_t *) (memory + state->layout.payload);
	else if (state->spec.payload == GPUSORT_PAYLOAD_INDEX)
		batch->payload = (uint32_t *) (memory + state->layout.payload_out);
}

static void
allocate_in_memory(BatchState *state)
{
	SortBatch  *batch = &state->public;
	Size		key_bytes = CACHELINEALIGN((Size) batch->key_slots * gpusort_key_width(state->spec.form));
	Size		payload_bytes = state->spec.payload == GPUSORT_PAYLOAD_NONE ? 0 :
		CACHELINEALIGN((Size) batch->key_slots * sizeof(uint32_t));
	Size		bytes = key_bytes + payload_bytes + (Size) batch->segment_slots * sizeof(GpusortSegment);
	Mapping		memory = gpusort_memory_own(state->context, bytes, bytes + bytes / 4)->mapping;

	batch->memory_bytes = memory.size;
	batch->keys = memory.data;
	if (payload_bytes > 0)
		batch->payload = (uint32_t *) (batch->keys + key_bytes);
	batch->segments = (GpusortSegment *) (batch->keys + key_bytes + payload_bytes);
}

/* Runs when the batch's memory context ends. */
static void
release_batch(void *arg)
{
	BatchState *state = arg;

	if (state->in_flight)
		gpusort_attempt_drop(&state->attempt);
	if (state->slab != GPUSORT_NO_JOB)
		gpusort_job_release(state->slab);
	state->slab = GPUSORT_NO_JOB;
}

/*
 * Begins a batch for at least key_bytes of keys in a slab, or for memory_key_bytes in
 * ordinary memory if there is no slab for it, and for segment_slots segments.  It ends
 * with the current memory context at the latest.
 */
SortBatch *
gpusort_batch_begin(const GpusortSpec *spec, Size key_bytes, Size memory_key_bytes, uint32_t segment_slots)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort batch", ALLOCSET_SMALL_SIZES);
	BatchState *state = MemoryContextAllocZero(context, sizeof(BatchState));
	SortBatch  *batch = &state->public;
	uint32_t	width = gpusort_key_width(spec->form);

	state->spec = *spec;
	if (state->spec.method == GPUSORT_METHOD_AUTO)
		state->spec.method = gpusort_method;
	state->context = context;
	state->slab = GPUSORT_NO_JOB;
	state->callback.func = release_batch;
	state->callback.arg = state;
	MemoryContextRegisterResetCallback(context, &state->callback);

	batch->key_slots = slots_for(key_bytes, width);
	batch->segment_slots = segment_slots;
	if (for_device(&state->spec, batch->key_slots) &&
		gpusort_slab_layout(&state->spec, batch->key_slots, segment_slots, &state->layout))
		state->slab = gpusort_slab_acquire(SLAB_BATCH, 0);
	if (state->slab != GPUSORT_NO_JOB)
		allocate_in_slab(state);
	else
	{
		batch->key_slots = slots_for(memory_key_bytes, width);
		allocate_in_memory(state);
	}
	return batch;
}

/*
 * The most bytes of keys that a batch in a slab can hold, with a segment for every
 * segment_bytes of them; 0 if no GPU would sort such a batch.
 */
Size
gpusort_batch_device_capacity(const GpusortSpec *spec, Size segment_bytes)
{
	uint32_t	width = gpusort_key_width(spec->form);

	if (!for_device(spec, PG_UINT32_MAX))
		return 0;
	return (Size) gpusort_slab_capacity(spec, segment_bytes / width) * width;
}

/*
 * True if a backend that already holds a slab may take another.  The last half of the
 * arena is kept for backends that hold none.
 */
bool
gpusort_batch_may_take_slab(void)
{
	return gpusort_arena != NULL && gpusort_slabs_plentiful();
}

/* Hands the slab to a device.  Returns false if the CPU is to sort or no device is ready. */
static bool
submit_slab(BatchState *state)
{
	const SortBatch *batch = &state->public;

	if (!for_device(&state->spec, batch->nslots))
		return false;
	if (gpusort_engine == GPUSORT_ENGINE_GPU)
		gpusort_devices_await();
	if (!gpusort_slab_submit(state->slab, &state->spec, batch->use, &state->layout, batch->nslots, batch->nsegments))
		return false;
	gpusort_attempt_begin(&state->attempt, ENGINE_GPU, batch->use, state->spec.method, batch->nslots, 0);
	state->in_flight = true;
	return true;
}

static SortRequest
describe(BatchState *state)
{
	SortBatch  *batch = &state->public;

	return (SortRequest)
	{
		.spec = state->spec,
		.keys = batch->keys,
		.payload = batch->payload,
		.segments = batch->segments,
		.nsegments = batch->nsegments,
		.nslots = batch->nslots,
		.use = batch->use
	};
}

/* Sets the results of a batch: engine, method, and where they lie if it was sorted in place. */
static void
finish(BatchState *state, const SortRequest *request)
{
	SortBatch  *batch = &state->public;

	batch->keys_out = state->spec.payload == GPUSORT_PAYLOAD_NONE ? batch->keys : NULL;
	batch->payload_out = batch->payload;
	batch->engine = request->used_engine;
	batch->method = request->used_method;
}

/* Starts sorting the batch.  Its memory must not be touched until gpusort_batch_wait has returned. */
void
gpusort_batch_submit(SortBatch *batch)
{
	BatchState *state = (BatchState *) batch;
	SortRequest request = describe(state);

	Assert(!state->in_flight && batch->engine == ENGINE_NONE);
	Assert(batch->nslots <= batch->key_slots && batch->nsegments <= batch->segment_slots);
	if (state->slab != GPUSORT_NO_JOB && submit_slab(state))
		return;
	gpusort_sort_run(&request);
	finish(state, &request);
}

/* True if gpusort_batch_wait need not wait for a device.  It may still have to sort what the device failed to. */
bool
gpusort_batch_done(SortBatch *batch)
{
	BatchState *state = (BatchState *) batch;

	return !state->in_flight || gpusort_job_ended(state->slab);
}

/*
 * Sorts a batch that the device failed to sort: on a device in another way, or on the
 * CPU.  Raises an error if the settings forbid that.  The input is as it was packed.  The
 * output is left alone, because a lost device may still write there.  A device that does
 * not answer may also still read the input, so then the keys are copied and the device
 * keeps the input.
 */
static void
give_up_device(BatchState *state, SortReason why)
{
	SortBatch  *batch = &state->public;
	SortRequest request;

	state->in_flight = false;
	gpusort_attempt_fail(&state->attempt, why);
	if (why == REASON_NO_ANSWER)
	{
		Size		bytes = (Size) batch->nslots * gpusort_key_width(state->spec.form);
		char	   *keys = gpusort_alloc_large(state->context, bytes + 1);

		memcpy(keys, batch->keys, bytes);
		batch->keys = keys;
	}
	if (batch->payload)
	{
		uint32_t   *payload = gpusort_alloc_large(state->context, (Size) batch->nslots * sizeof(uint32_t) + 1);

		if (state->spec.payload == GPUSORT_PAYLOAD_CARRIED)
			memcpy(payload, batch->payload, (Size) batch->nslots * sizeof(uint32_t));
		batch->payload = payload;
	}
	request = describe(state);
	request.failed = why;
	gpusort_sort_run(&request);
	finish(state, &request);
}

/* Waits until the submitted batch is sorted, and sets its results. */
void
gpusort_batch_wait(SortBatch *batch)
{
	BatchState *state = (BatchState *) batch;
	char	   *memory;
	const GpusortDeviceOutcome *outcome;
	SortRequest request;
	SortReason	why;

	if (!state->in_flight)
	{
		Assert(batch->engine != ENGINE_NONE);
		return;
	}
	if (!gpusort_job_wait(state->slab, &why))
	{
		give_up_device(state, why);
		return;
	}
	state->in_flight = false;
	memory = gpusort_slab_memory(state->slab);
	outcome = &gpusort_arena->job[state->slab].outcome;
	batch->device_ms = 1000 * (outcome->copy_in_s + outcome->sort_s + outcome->verify_s + outcome->copy_out_s);

	request = describe(state);
	request.used_engine = ENGINE_GPU;
	request.used_method = outcome->method;
	gpusort_sort_account(&state->attempt, &request);
	finish(state, &request);
	if (state->spec.payload == GPUSORT_PAYLOAD_NONE)
		batch->keys_out = memory + state->layout.keys_out;
	else
		batch->payload_out = (uint32_t *) (memory + state->layout.payload_out);
}

/* Frees the batch, whatever state it is in. */
void
gpusort_batch_end(SortBatch *batch)
{
	MemoryContextDelete(((BatchState *) batch)->context);
}
