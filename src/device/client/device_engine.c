/*
 * device_engine.c
 *	  The GPU as an engine: passes a request in ordinary memory through slabs of
 *	  the arena, and a segment that is longer than a slab through a session.
 *
 * The segments are cut into pieces that fit a slab, which are sorted one after the other;
 * most requests are one piece.
 *
 * If the device fails half way, the CPU must still be able to sort the request.  Where
 * results in place would prevent that, they are collected beside it: see needs_copy.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "device/client/device_client.h"
#include "device/client/device_engine.h"
#include "device/client/device_session.h"
#include "guc.h"
#include "large_memory.h"

/* Segments first .. first + count - 1, which lie in the slots low .. high - 1. */
typedef struct Piece
{
	uint32_t	first;
	uint32_t	count;
	uint64_t	low;
	uint64_t	high;
	SlabLayout	layout;
	bool		is_long;		/* a single segment that fits no slab */
} Piece;

typedef struct DeviceSort
{
	SortRequest *request;
	uint32_t	width;
	char	   *keys_out;		/* where results go: the request's own memory, or the copy */
	uint32_t   *payload_out;
	void	   *copy;			/* memory for results, or NULL if they go to the request */
	uint32_t	next;			/* the first segment that is not sorted yet */
	uint64_t	ended;			/* slots that have come back */
	int			slab;			/* that holds a piece, or GPUSORT_NO_JOB */
	GpusortMethod method;
} DeviceSort;

/* Cuts the next piece off: as many segments as fit a slab, or a single segment that does not. */
static void
cut_piece(const DeviceSort *sort, Piece *piece)
{
	const SortRequest *request = sort->request;

	*piece = (Piece) {.first = sort->next};
	for (uint32_t i = sort->next; i < request->nsegments; i++)
	{
		const GpusortSegment *segment = &request->segments[i];
		uint64_t	end = (uint64_t) segment->start + segment->count;
		uint64_t	low = piece->count == 0 ? segment->start : Min(piece->low, segment->start);
		uint64_t	high = piece->count == 0 ? end : Max(piece->high, end);
		SlabLayout	layout;

		if (!gpusort_slab_layout(&request->spec, high - low, piece->count + 1, &layout))
		{
			if (piece->count > 0)
				break;
			piece->is_long = true;
		}
		piece->layout = layout;
		piece->low = low;
		piece->high = high;
		piece->count++;
		if (piece->is_long)
			break;
	}
}

/*
 * True if a failure half way would leave the request unusable, so that results must be
 * collected in a copy.  Keys without a payload need none, because a partly sorted array
 * can be sorted again.  An index needs none, because it has memory of its own.  A copy is
 * needed with a limit, because entries past it are lost; with a carried payload, because
 * it would no longer belong to its keys; and for segments that need a session.
 */
static bool
needs_copy(const SortRequest *request)
{
	DeviceSort	whole = {.request = (SortRequest *) request};
	Piece		piece;
	bool		one_piece;

	if (request->spec.payload == GPUSORT_PAYLOAD_INDEX)
		return false;
	cut_piece(&whole, &piece);
	one_piece = piece.count == request->nsegments;
	if (one_piece && !piece.is_long)
		return false;
	if (request->spec.payload == GPUSORT_PAYLOAD_CARRIED || request->spec.limit > 0)
		return true;
	for (uint32_t i = 0; i < request->nsegments; i++)
	{
		SlabLayout	layout;

		if (!gpusort_slab_layout(&request->spec, request->segments[i].count, 1, &layout))
			return true;
	}
	return false;
}

static void
pack(const DeviceSort *sort, const Piece *piece)
{
	const SortRequest *request = sort->request;
	char	   *memory = gpusort_slab_memory(sort->slab);
	GpusortSegment *segments = (GpusortSegment *) (memory + piece->layout.segments);
	uint64_t	slots = piece->high - piece->low;

	memcpy(memory + piece->layout.keys, (char *) request->keys + piece->low * sort->width, slots * sort->width);
	if (request->spec.payload == GPUSORT_PAYLOAD_CARRIED)
		memcpy(memory + piece->layout.payload, request->payload + piece->low, slots * sizeof(uint32_t));
	for (uint32_t i = 0; i < piece->count; i++)
	{
		segments[i].start = (uint32_t) (request->segments[piece->first + i].start - piece->low);
		segments[i].count = request->segments[piece->first + i].count;
	}
}

/* Copies the results of count segments.  keys and payload hold the slots from number low on. */
static void
copy_segments(const DeviceSort *sort, uint32_t first, uint32_t count, uint64_t low,
			  const char *keys, const uint32_t *payload, char *keys_out, uint32_t *payload_out)
{
	const SortRequest *request = sort->request;

	for (uint32_t i = first; i < first + count; i++)
	{
		const GpusortSegment *segment = &request->segments[i];
		size_t		wanted = segment->count;

		GPUSORT_CHECK_EVERY(i);
		if (request->spec.limit > 0)
			wanted = Min(wanted, request->spec.limit);
		if (request->spec.payload == GPUSORT_PAYLOAD_NONE)
			gpusort_copy_bytes(keys_out + (size_t) segment->start * sort->width,
							   keys + (segment->start - low) * sort->width, wanted * sort->width);
		else
			gpusort_copy_bytes(payload_out + segment->start, payload + (segment->start - low), wanted * sizeof(uint32_t));
	}
}

static void
release_slab(DeviceSort *sort)
{
	if (sort->slab != GPUSORT_NO_JOB)
		gpusort_job_release(sort->slab);
	sort->slab = GPUSORT_NO_JOB;
}

/* Sorts a piece in a slab.  Returns false and sets *why if it is not sorted. */
static bool
sort_piece(DeviceSort *sort, const Piece *piece, SortReason *why)
{
	SortRequest *request = sort->request;
	long		patience = gpusort_engine == GPUSORT_ENGINE_GPU ? -1 : 1 + (long) (1000 * request->decision.cpu_seconds);
	char	   *memory;
	bool		ok;

	*why = REASON_TOO_MANY_WAITERS;
	sort->slab = gpusort_slab_acquire(SLAB_TRANSIT, patience);
	if (sort->slab == GPUSORT_NO_JOB)
		return false;
	pack(sort, piece);
	*why = REASON_DEVICE_FAULT;
	ok = gpusort_slab_submit(sort->slab, &request->spec, request->use, &piece->layout,
							 (uint32_t) (piece->high - piece->low), piece->count,
							 piece->count == request->nsegments ? request->length_histogram : NULL) &&
		gpusort_job_wait(sort->slab, why);
	if (ok)
	{
		memory = gpusort_slab_memory(sort->slab);
		copy_segments(sort, piece->first, piece->count, piece->low, memory + piece->layout.keys_out,
					  (uint32_t *) (memory + piece->layout.payload_out), sort->keys_out, sort->payload_out);
		sort->method = gpusort_arena->job[sort->slab].outcome.method;
		sort->ended += piece->high - piece->low;
		gpusort_progress_update(request->progress, SORT_PHASE_SORTING, sort->ended, request->nslots);
	}
	release_slab(sort);
	return ok;
}

/* Sorts a long segment in a session.  Returns false and sets *why if it is not sorted. */
static bool
sort_in_session(DeviceSort *sort, const Piece *piece, SortReason *why)
{
	const SortRequest *request = sort->request;
	const GpusortSpec *spec = &request->spec;
	bool		carried = spec->payload == GPUSORT_PAYLOAD_CARRIED;
	uint8_t		widths[2] = {(uint8_t) sort->width, sizeof(uint32_t)};
	uint64_t	start = piece->low;
	uint64_t	count = piece->high - piece->low;
	uint64_t	wanted = spec->limit > 0 ? Min(spec->limit, count) : count;
	DeviceSession *session = gpusort_session_open(spec, request->use, GPUSORT_ANY_DEVICE, count, carried ? 2 : 1, widths, why);
	bool		ok;

	if (session == NULL)
		return false;
	gpusort_progress_update(request->progress, SORT_PHASE_SENDING, sort->ended, request->nslots);
	ok = gpusort_session_append(session, 0, 0, count, (char *) request->keys + start * sort->width, why) &&
		(!carried || gpusort_session_append(session, 1, 0, count, request->payload + start, why));
	gpusort_progress_update(request->progress, SORT_PHASE_SORTING, sort->ended, request->nslots);
	ok = ok && gpusort_session_sort(session, count, why);
	gpusort_progress_update(request->progress, SORT_PHASE_FETCHING, sort->ended, request->nslots);
	if (ok && spec->payload == GPUSORT_PAYLOAD_NONE)
		ok = gpusort_session_fetch(session, 0, wanted, sort->keys_out + start * sort->width, why);
	else if (ok)
		ok = gpusort_session_fetch(session, carried ? 1 : GPUSORT_SESSION_INDEX, wanted, sort->payload_out + start, why);
	sort->method = gpusort_session_method(session);
	gpusort_session_close(session);
	if (ok)
		sort->ended += count;
	return ok;
}

/* Has results collected in a copy. */
static void
collect_beside(DeviceSort *sort)
{
	const SortRequest *request = sort->request;
	bool		keys = request->spec.payload == GPUSORT_PAYLOAD_NONE;

	sort->copy = gpusort_alloc_large(CurrentMemoryContext, request->nslots * (keys ? sort->width : sizeof(uint32_t)) + 1);
	if (keys)
		sort->keys_out = sort->copy;
	else
		sort->payload_out = sort->copy;
}

/* Sorts all pieces. */
static bool
sort_pieces(DeviceSort *sort, SortReason *why)
{
	while (sort->next < sort->request->nsegments)
	{
		Piece		piece;

		cut_piece(sort, &piece);
		if (!(piece.is_long ? sort_in_session(sort, &piece, why) : sort_piece(sort, &piece, why)))
			return false;
		sort->next += piece.count;
	}
	return true;
}

/* Sorts all pieces, and releases the slab even after an error. */
static bool
sort_and_release(DeviceSort *sort, SortReason *why)
{
	volatile bool done = false;

	PG_TRY();
	{
		done = sort_pieces(sort, why);
	}
	PG_CATCH();
	{
		release_slab(sort);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return done;
}

SortReason
gpusort_device_sort(SortRequest *request)
{
	DeviceSort	sort = {
		.request = request,
		.width = gpusort_key_width(request->spec.form),
		.keys_out = request->keys,
		.payload_out = request->payload,
		.slab = GPUSORT_NO_JOB,
		.method = request->spec.method
	};
	SortReason	why = REASON_NONE;

	if (needs_copy(request))
		collect_beside(&sort);
	if (sort_and_release(&sort, &why))
		why = REASON_NONE;
	if (why == REASON_NONE && sort.copy)
		copy_segments(&sort, 0, request->nsegments, 0, sort.keys_out, sort.payload_out,
					  request->keys, request->payload);
	if (sort.copy)
		pfree(sort.copy);
	request->used_method = sort.method;
	return why;
}
