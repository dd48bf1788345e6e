/*
 * shared_sort.c
 *	  A sort of rows by several processes, see shared_sort.h.
 *
 * The mutex protects what changes below it in SharedSortState.  Runs are listed before their writer
 * arrives at the barrier, and parts are made between its first phase and its last one, so
 * both are read without it.
 */
#include "postgres.h"

#include <math.h>
#include <sys/statvfs.h>

#include "miscadmin.h"
#include "storage/barrier.h"
#include "storage/condition_variable.h"
#include "storage/dsm_impl.h"
#include "storage/lwlock.h"
#include "storage/sharedfileset.h"
#include "storage/spin.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "large_memory.h"
#include "rows/row_plain.h"
#include "rows/shared_sort.h"
#include "rows/stored_rows.h"

#define SHARED_RUN_BYTES ((Size) 3 * 1024 * 1024)	/* rows of a run lie in the caches while they are sorted */
#define SHARED_PART_BYTES ((Size) 1024 * 1024)	/* so do those of a part, and what orders them */
#define SHARED_FILE_RUN_BYTES ((Size) 16 * 1024 * 1024)	/* of a run in a file, as each part is read from all runs; */
#define SHARED_FILE_RUNS 64		/* or more, so that each participant has so many runs */
#define SHARED_FENCES 256		/* rows of a run that tell where to cut it */
#define SHARED_SAMPLE_MIN 128	/* keys that suggest a code for words */
#define SHARED_CODE_BITS 16		/* that it has at least */
#define SHARED_PARTS_AHEAD 2	/* sorted parts for each participant that the leader has not returned yet, */
#define SHARED_FILE_PARTS_AHEAD 1	/* or of rows in files, whose parts may be as large as memory allows */
#define SHARED_PARTS_MAX 65536
#define SHARED_HELPERS_MIN 2	/* more workers end when they would wait for the leader, which then is the slowest */
#define SHARED_GROUP_PARTS 8	/* parts of groups for each participant, at least, so that all have about the same work */
#define SHARED_MEMORY_SHARE 2	/* of the free space of /dev/shm a sort takes one half */
#define SHARED_SPACE_EIGHTHS 8
#define SHARED_FREE_FOR_RUNS 6	/* so many eighths of /dev/shm stay free when a run goes there, */
#define SHARED_FREE_FOR_PARTS 5	/* a sorted part, */
#define SHARED_FREE_FOR_FENCES 2	/* or fences; */
#define SHARED_FREE_TO_BEGIN 3	/* and when a sort begins, so that several may do so at once */
#define SHARED_SEGMENT_BYTES ((Size) 1024 * 1024)	/* of an area's first segment */
#define SHARED_SEGMENTS_FIXED 64	/* of dynamic shared memory that a server may have, */
#define SHARED_SEGMENTS_OF_BACKEND 5	/* and these for each backend; of all a half is for sorts */
#define SHARED_FENCES_SHARE 16	/* fences take 1/16 of their run, but for SHARED_FENCES_MIN of them, */
#define SHARED_FENCES_MIN 4
#define SHARED_FENCES_OF_MEMORY 2	/* and less, the nearer all fences are to 1/2 of the memory */
#define SHARED_WINDOW_BYTES 8192	/* rows of a run that are read at once to find one of them */

/* The phases of the barrier. */
typedef enum SharedPhase
{
	PHASE_COLLECT,
	PHASE_DIVIDE,
	PHASE_PARTS
} SharedPhase;

typedef struct SharedRun
{
	dsa_pointer next;
	uint32		number;
	uint32		first;			/* fence i is row first + i * step */
	uint32		step;
	int			area;			/* the number of that which has its rows */
	dsa_pointer rows;			/* StoredRows */
	dsa_pointer fences;			/* the same, in memory; invalid without fences */
	dsa_pointer fence_bytes;	/* Size: of the rows from each fence on to the next */
} SharedRun;

/* A part begins with the row of this fence, or with its group. */
typedef struct Splitter
{
	uint32		run;
	uint32		fence;
	bool		is_group;
} Splitter;

/* A fence, where splitters are chosen. */
typedef struct Fence
{
	Splitter	place;
	Size		bytes;
} Fence;

typedef enum PartState
{
	PART_WAITS,
	PART_IS_SORTED_NOW,			/* by a worker */
	PART_IS_SORTED,
	PART_IS_LEFT				/* to the leader, because there is no memory for the sorted rows */
} PartState;

typedef struct SharedPart
{
	PartState	state;
	dsa_pointer rows;			/* StoredRows in memory, once they are sorted */
	Size		bytes;			/* of these */
	RowRuns		runs;			/* once they are counted */
	bool		goes_on;		/* the last run goes on in the next part */
} SharedPart;

struct SharedSortState
{
	int			participants;
	int			nareas;			/* for their runs in memory */
	Size		memory;			/* that a participant may take */
	Size		memory_limit;	/* of all runs in shared memory */
	dsm_handle	segment;
	SharedFileSet files;
	Barrier		barrier;
	ConditionVariable sorted;	/* a part was sorted: the leader waits for it */
	ConditionVariable claimable;	/* a part was returned, so one worker may begin another; or none will have to */
	ConditionVariable freed;	/* a part was returned: memory is free for sorted ones, or all ends */
	slock_t		mutex;
	dsa_pointer runs;			/* the list of SharedRun structs */
	uint32		nruns;
	uint64		nrows;
	Size		bytes;
	Size		memory_used;
	Size		fences_size;	/* bytes of the fences of all runs */
	Size		part_bytes;
	dsa_pointer sample;			/* fences of a run, of which all make the code of words; or invalid */
	double		sample_rows;	/* for so many rows */
	dsa_pointer splitters;		/* Splitter structs, in order; one fewer than parts */
	dsa_pointer parts;			/* SharedPart structs */
	uint32		nparts;
	uint32		next_part;		/* the first one that nobody has begun */
	uint32		returned;		/* parts that the leader has read */
	Size		sorted_bytes;	/* of sorted parts that the leader has not returned yet */
	Size		sorted_most;	/* the most that these took so far: what the area has for them */
	uint32		helpers;		/* workers that sort parts */
	bool		stopped;
};

/* A run, as a participant reads it. */
typedef struct SharedReader
{
	const SharedRun *run;
	const StoredRows *rows;
	const RowStore *fences;		/* keys alone; NULL without fences */
	uint32		from;			/* rows of the part that is read */
	uint32		to;
} SharedReader;

struct SharedSort
{
	SharedSortState *shared;
	dsa_area  **areas;			/* for runs in memory, of one participant each if may be: then nobody waits while they grow */
	dsa_area   *area;			/* the leader's, for all else */
	RowSort    *sort;
	RowLayout  *key_layout;		/* of fences and splitters */
	int			number;
	KeyCode    *code;			/* of words, or NULL */
	uint32		code_kind;
	SpillFile **files;			/* of all participants: its own one once there is one, others when they are read */
	SharedReader  *runs;			/* by number */
	uint32		nruns;
	const Splitter *splitters;
	SharedPart *parts;
	RowStore   *window;			/* rows of a run between two fences */
	RowStore   *store;			/* rows of a part that this process sorts */
	RowStore   *view;			/* rows of one that another process has sorted, or NULL */
	uint32		cut_before;		/* each run's `to` is where this part begins; 0: no part has been found */
	RowKeys		groups;			/* leading keys that tell groups apart; none: parts begin with any row */
	uint32		next;			/* the part behind the one that was taken last */
	uint64		first_row;		/* of the part whose keys are asked for, among all rows */
	uint64		end_row;
};

static uint32
wait_event(void)
{
	static uint32 event = 0;

	if (event == 0)
		event = GPUSORT_WAIT_EVENT("GpusortParallelSort");
	return event;
}

/* Where an area begins. */
static Size
area_offset(int area)
{
	return MAXALIGN(sizeof(SharedSortState)) + area * MAXALIGN(dsa_minimum_size());
}

Size
gpusort_shared_sort_size(int participants)
{
	return area_offset(participants);
}

int
gpusort_shared_sort_participants(const SharedSortState *shared)
{
	return shared->participants;
}

/* Asks how large /dev/shm is.  Returns false if dynamic shared memory is elsewhere, or has no limit. */
static bool
has_limit(struct statvfs *space)
{
	return dynamic_shared_memory_type == DSM_IMPL_POSIX && statvfs("/dev/shm", space) == 0 && space->f_blocks > 0;
}

/* Bytes of dynamic shared memory that a sort may take. */
static Size
free_shared_memory(void)
{
	struct statvfs space;

	return has_limit(&space) ? (Size) space.f_bavail * space.f_frsize / SHARED_MEMORY_SHARE : SIZE_MAX;
}

/*
 * True if so many eighths of /dev/shm stay free when each participant takes so many bytes.  Where it is full, the
 * server raises an error.  And a new segment of an area may take half of what the area has.
 */
static bool
has_space(const SharedSortState *shared, Size bytes, int eighths)
{
	struct statvfs space;

	return !has_limit(&space) ||
		(double) space.f_bavail * space.f_frsize - (double) bytes * shared->participants >=
		(double) space.f_blocks * space.f_frsize * eighths / SHARED_SPACE_EIGHTHS;
}

/* Bytes of a run in memory, and of what orders it. */
static Size
memory_run_bytes(const SharedSortState *shared)
{
	return Min(shared->memory / 2, SHARED_RUN_BYTES);
}

static void
forget_rows(SharedSortState *shared)
{
	shared->runs = shared->sample = shared->splitters = shared->parts = InvalidDsaPointer;
	shared->nruns = shared->nparts = shared->next_part = shared->returned = 0;
	shared->nrows = 0;
	shared->bytes = shared->memory_used = shared->fences_size = shared->sorted_bytes = shared->sorted_most = 0;
	shared->helpers = 0;
	shared->stopped = false;
	BarrierInit(&shared->barrier, 0);
}

/*
 * How many areas participants may have for so many bytes.  Of an area two segments have 1 MB, two 2 MB, and so on,
 * and the server raises an error when it has too many.  Each worker has the same share of them.
 */
static int
choose_areas(int participants, double bytes)
{
	double		segments = (SHARED_SEGMENTS_FIXED + SHARED_SEGMENTS_OF_BACKEND * (double) MaxBackends) / 2 *
		(participants - 1) / max_worker_processes;
	int			n = participants;

	while (n > 1 && n * (2 * log2(bytes / n / (2 * 1024 * 1024) + 1) + 2) > segments)
		n--;
	return n;
}

dsa_area **
gpusort_shared_sort_init(SharedSortState *shared, dsm_segment *segment, int participants, Size memory)
{
	dsa_area  **areas;

	shared->participants = participants;
	/* A run of a few bytes may take each of them a segment. */
	if (!has_space(shared, SHARED_SEGMENT_BYTES, SHARED_FREE_TO_BEGIN))
		return NULL;
	areas = palloc(participants * sizeof(dsa_area *));
	shared->memory = memory;
	shared->segment = dsm_segment_handle(segment);
	shared->memory_limit = Min(participants * (memory - memory_run_bytes(shared)), free_shared_memory());
	shared->nareas = choose_areas(participants, shared->memory_limit);
	for (int i = 0; i < shared->nareas; i++)
		areas[i] = dsa_create_in_place((char *) shared + area_offset(i), dsa_minimum_size(), LWTRANCHE_PARALLEL_QUERY_DSA, segment);
	/* The area that all need has a segment from now on: nobody frees this. */
	(void) dsa_allocate(areas[0], sizeof(SharedRun));
	SpinLockInit(&shared->mutex);
	ConditionVariableInit(&shared->sorted);
	ConditionVariableInit(&shared->claimable);
	ConditionVariableInit(&shared->freed);
	SharedFileSetInit(&shared->files, segment);
	forget_rows(shared);
	return areas;
}

/* Frees a part that is sorted. */
static void
free_part(dsa_area *area, SharedPart *part)
{
	if (DsaPointerIsValid(part->rows))
		gpusort_stored_rows_free(area, part->rows);
	part->rows = InvalidDsaPointer;
}

void
gpusort_shared_sort_reset(SharedSortState *shared, dsa_area **areas)
{
	dsa_area   *area = areas[0];
	dsa_pointer next;

	for (dsa_pointer pointer = shared->runs; DsaPointerIsValid(pointer); pointer = next)
	{
		SharedRun  *run = dsa_get_address(area, pointer);

		next = run->next;
		gpusort_stored_rows_free(areas[run->area], run->rows);
		if (DsaPointerIsValid(run->fences))
		{
			gpusort_stored_rows_free(area, run->fences);
			dsa_free(area, run->fence_bytes);
		}
		dsa_free(area, pointer);
	}
	for (uint32 i = 0; i < shared->nparts; i++)
		free_part(area, (SharedPart *) dsa_get_address(area, shared->parts) + i);
	if (DsaPointerIsValid(shared->sample))
		gpusort_stored_rows_free(area, shared->sample);
	if (DsaPointerIsValid(shared->splitters))
		dsa_free(area, shared->splitters);
	if (DsaPointerIsValid(shared->parts))
		dsa_free(area, shared->parts);
	SharedFileSetDeleteAll(&shared->files);
	forget_rows(shared);
}

dsa_area **
gpusort_shared_sort_attach(SharedSortState *shared)
{
	dsm_segment *segment = dsm_find_mapping(shared->segment);
	dsa_area  **areas = palloc(shared->nareas * sizeof(dsa_area *));

	for (int i = 0; i < shared->nareas; i++)
		areas[i] = dsa_attach_in_place((char *) shared + area_offset(i), segment);
	SharedFileSetAttach(&shared->files, segment);
	return areas;
}

void
gpusort_shared_sort_detach(const SharedSortState *shared, dsa_area **areas)
{
	for (int i = 0; i < shared->nareas; i++)
		dsa_detach(areas[i]);
	pfree(areas);
}

Size
gpusort_shared_sort_local_bytes(const SharedSortState *shared, double expected_bytes)
{
	if (expected_bytes * shared->participants <= shared->memory_limit)
		return memory_run_bytes(shared);
	return Min(shared->memory, Max(expected_bytes / SHARED_FILE_RUNS, SHARED_FILE_RUN_BYTES));
}

bool
gpusort_shared_sort_collects(SharedSort *part)
{
	Barrier    *barrier = &part->shared->barrier;
	int			phase = BarrierAttach(barrier);

	if (phase == PHASE_COLLECT)
		return true;
	if (phase == PHASE_DIVIDE)
		(void) BarrierArriveAndWait(barrier, wait_event());
	(void) BarrierDetach(barrier);
	return false;
}

/* The file of a participant. */
static SpillFile *
file_of(SharedSort *part, int participant, bool create)
{
	char		name[MAXPGPATH];

	if (part->files[participant] == NULL)
	{
		snprintf(name, MAXPGPATH, "rows%d", participant);
		part->files[participant] = gpusort_rows_spill_share(&part->shared->files.fs, name, create);
	}
	return part->files[participant];
}

/* The file that rows go to if they have so many bytes, or NULL if they go to shared memory. */
static SpillFile *
choose_file(SharedSort *part, Size bytes)
{
	SharedSortState *shared = part->shared;
	bool		fits = part->sort->memory_limit <= memory_run_bytes(shared) && bytes <= shared->memory_limit &&
		has_space(shared, bytes, SHARED_FREE_FOR_RUNS);

	SpinLockAcquire(&shared->mutex);
	fits = fits && shared->memory_used <= shared->memory_limit - bytes;
	if (fits)
		shared->memory_used += bytes;
	SpinLockRelease(&shared->mutex);
	return fits ? NULL : file_of(part, part->number, true);
}

/* The keys of the rows of a run that are its fences. */
static RowStore *
collect_fences(SharedSort *part, const SharedRun *run, const uint32 *order, uint32 nrows)
{
	const RowSort *sort = part->sort;
	RowStore   *fences = gpusort_rows_store_create(sort->context, part->key_layout);
	Datum	   *values = palloc0(sort->layout->natts * sizeof(Datum));
	bool	   *nulls = palloc0(sort->layout->natts * sizeof(bool));

	for (uint32 row = run->first; row < nrows; row += run->step)
	{
		for (int i = 0; i < sort->keys->nkeys; i++)
		{
			int			attribute = sort->keys->keys[i].attribute;

			values[attribute] = gpusort_rows_store_get(sort->store, order[row], attribute, &nulls[attribute]);
		}
		gpusort_rows_store_append(fences, values, nulls);
	}
	pfree(values);
	pfree(nulls);
	return fences;
}

/* Sums up the bytes of a run's rows by fence, those before the first one with it. */
static void
write_fence_bytes(SharedSort *part, SharedRun *run, const uint32 *order, uint32 nrows, uint32 nfences)
{
	const RowStore *store = part->sort->store;
	Size		fixed = store->layout->fixed_bytes + store->null_columns;
	Size	   *bytes;

	run->fence_bytes = dsa_allocate0(part->area, nfences * sizeof(Size));
	bytes = dsa_get_address(part->area, run->fence_bytes);
	for (uint32 i = 0; i < nfences; i++)
	{
		uint32		begin = i == 0 ? 0 : run->first + i * run->step;
		uint32		end = Min(run->first + (i + 1) * run->step, nrows);

		bytes[i] = (end - begin) * fixed;
		for (uint32 row = begin; row < end && store->layout->nrecord > 0; row++)
		{
			GPUSORT_CHECK_EVERY(row);
			bytes[i] += gpusort_rows_store_record_size(store, order[row]);
		}
	}
}

/* Bytes of fences, and of what is known of each. */
static Size
size_of_fences(const RowStore *fences)
{
	return gpusort_rows_store_bytes(fences) + fences->nrows * sizeof(Size);
}

/* Bytes that the fences of a run may take, which itself takes so many. */
static Size
most_for_fences(const SharedSortState *shared, Size run_bytes)
{
	double		used = (double) shared->fences_size * SHARED_FENCES_OF_MEMORY / ((double) shared->memory * shared->participants);

	return run_bytes / SHARED_FENCES_SHARE * Max(1 - used, 0);
}

/*
 * Chooses rows of a run, which takes so many bytes.  Returns their keys.  Where runs are alike, these differ from run to
 * run: the first one is a fraction of a step, by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
 */
static RowStore *
choose_fences(SharedSort *part, SharedRun *run, const uint32 *order, uint32 nrows, Size run_bytes)
{
	Size		limit = most_for_fences(part->shared, run_bytes);
	uint32		fraction = run->number * 2654435769u;
	RowStore   *fences;

	run->step = Max(nrows / SHARED_FENCES, 1);
	for (;;)
	{
		run->first = (uint64) run->step * fraction >> 32;
		fences = collect_fences(part, run, order, nrows);
		if (fences->nrows <= SHARED_FENCES_MIN || size_of_fences(fences) <= limit)
			return fences;
		gpusort_rows_store_free(fences);
		run->step *= 2;
	}
}

/* Gives fences the words that their rows have. */
static void
copy_words(const RowStore *store, const SharedRun *run, const uint32 *order, RowStore *fences)
{
	const uint64 *words = (const uint64 *) store->words.data;

	fences->word_kind = store->word_kind;
	if (store->word_kind == 0)
		return;
	gpusort_rows_buffer_reserve(fences->memory, &fences->words, fences->nrows * sizeof(uint64));
	for (uint32 i = 0; i < fences->nrows; i++)
		((uint64 *) fences->words.data)[i] = words[order[run->first + i * run->step]];
}

/* Keeps the fences of a run in memory. */
static void
write_fences(SharedSort *part, SharedRun *run, const uint32 *order, uint32 nrows, RowStore *fences)
{
	SharedSortState *shared = part->shared;

	run->fences = InvalidDsaPointer;
	copy_words(part->sort->store, run, order, fences);
	if (fences->nrows > 0 && has_space(shared, size_of_fences(fences), SHARED_FREE_FOR_FENCES))
		run->fences = gpusort_stored_rows_write(part->area, NULL, 0, fences, NULL, fences->nrows);
	if (DsaPointerIsValid(run->fences))
	{
		write_fence_bytes(part, run, order, nrows, fences->nrows);
		SpinLockAcquire(&shared->mutex);
		shared->fences_size += size_of_fences(fences);
		SpinLockRelease(&shared->mutex);
	}
	gpusort_rows_store_free(fences);
}

/*
 * The kind of words that are made now: 1 and 2 of keys that are not plain texts, others of these.  Words of one kind
 * compare: besides the sample, how texts become bytes is all that the code depends on.
 */
static uint32
kind_of_words(const RowKey *key, bool plain)
{
	return plain ? 3 + key->plain->bytes.plain->alphabets : 1 + key->bytes.wide;
}

/* Makes the code of words, once there is a sample. */
static void
choose_code(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	RowKey	   *key = &part->sort->keys->keys[0];
	RowKeys		first = {.nkeys = 1, .ncoded = 1, .keys = key};	/* what is known of the store's other keys stays */
	bool		all_plain = key->all_plain;
	dsa_pointer pointer;
	RowStore   *sample;

	SpinLockAcquire(&shared->mutex);
	pointer = shared->sample;
	SpinLockRelease(&shared->mutex);
	if (!DsaPointerIsValid(pointer))
		return;
	sample = gpusort_stored_rows_view(part->area, dsa_get_address(part->area, pointer), part->key_layout);
	gpusort_rows_find_plain(&first, sample, shared->sample_rows, false);
	key->all_plain = all_plain;
	part->code = gpusort_rows_code_common(&first, 0, NULL, sample, shared->sample_rows);
	part->code_kind = kind_of_words(key, key->plain != NULL && key->ever_plain);
}

/* Gives the rows of the sort's store words, if there is a code for them. */
static void
make_words(void *taker)
{
	SharedSort *part = taker;
	RowStore   *store = part->sort->store;
	RowKey	   *key = &part->sort->keys->keys[0];
	uint64	   *kept = key->words;

	/* Those are of the store, but the code is made of the sample, and alike in all processes. */
	key->words = NULL;
	if (part->code == NULL)
		choose_code(part);
	if (part->code != NULL && part->code->bits >= SHARED_CODE_BITS &&
		(part->code_kind == kind_of_words(key, key->all_plain) || part->code_kind == kind_of_words(key, false)))
	{
		gpusort_rows_buffer_reserve(store->memory, &store->words, store->nrows * sizeof(uint64));
		gpusort_rows_encode(part->code, store, NULL, 0, store->nrows, ROWS_WORD_BITS, (uint64 *) store->words.data);
		store->word_kind = part->code_kind;
	}
	key->words = kept;
}

/* Offers the fences of a run as the sample for words.  The first ones are taken. */
static void
offer_sample(SharedSort *part, const RowStore *fences)
{
	SharedSortState *shared = part->shared;
	dsa_pointer sample;

	if (DsaPointerIsValid(shared->sample) || fences->nrows < SHARED_SAMPLE_MIN ||
		!has_space(shared, gpusort_rows_store_bytes(fences), SHARED_FREE_FOR_FENCES))
		return;
	sample = gpusort_stored_rows_write(part->area, NULL, 0, fences, NULL, fences->nrows);
	SpinLockAcquire(&shared->mutex);
	if (!DsaPointerIsValid(shared->sample))
	{
		shared->sample = sample;
		shared->sample_rows = 2 * part->sort->expected_rows;
		sample = InvalidDsaPointer;
	}
	SpinLockRelease(&shared->mutex);
	if (DsaPointerIsValid(sample))
		gpusort_stored_rows_free(part->area, sample);
}

/* Writes the rows of a run to a file or, without one, to memory.  Returns false if there is not so much memory. */
static bool
write_run(SharedSort *part, SharedRun *run, SpillFile *file, const uint32 *order, uint32 nrows)
{
	run->area = file == NULL ? part->number % part->shared->nareas : 0;
	run->rows = gpusort_stored_rows_write(part->areas[run->area], file, part->number, part->sort->store, order, nrows);
	return DsaPointerIsValid(run->rows);
}

/* Adds a run of these rows of the sort's store, in this order. */
static void
add_run(void *taker, const uint32 *order, uint32 nrows)
{
	SharedSort *part = taker;
	SharedSortState *shared = part->shared;
	RowSort    *sort = part->sort;
	Size		bytes;
	SpillFile  *file;
	dsa_pointer pointer;
	SharedRun  *run;
	RowStore   *fences;
	const StoredRows *stored;

	bytes = gpusort_rows_store_bytes(sort->store) / sort->store->nrows * nrows;
	pointer = dsa_allocate(part->area, sizeof(SharedRun));
	run = dsa_get_address(part->area, pointer);
	SpinLockAcquire(&shared->mutex);
	run->number = shared->nruns++;
	SpinLockRelease(&shared->mutex);
	fences = choose_fences(part, run, order, nrows, bytes);
	if (sort->make_words != NULL && sort->store->word_kind == 0)
	{
		offer_sample(part, fences);
		make_words(part);
	}
	write_fences(part, run, order, nrows, fences);
	if (sort->store->word_kind != 0)
		bytes += nrows * sizeof(uint64);
	file = choose_file(part, bytes);
	if (!write_run(part, run, file, order, nrows))
	{
		file = choose_file(part, SIZE_MAX);
		(void) write_run(part, run, file, order, nrows);
	}
	stored = dsa_get_address(part->areas[run->area], run->rows);
	sort->stats.disk_bytes += file ? stored->bytes : 0;
	SpinLockAcquire(&shared->mutex);
	run->next = shared->runs;
	shared->runs = pointer;
	shared->nrows += nrows;
	shared->bytes += stored->bytes;
	if (file != NULL)
		shared->part_bytes = Max(sort->memory_limit / 2, shared->part_bytes);
	SpinLockRelease(&shared->mutex);
}

SharedSort *
gpusort_shared_sort_join(SharedSortState *shared, dsa_area **areas, RowSort *sort, int participant, int group_keys)
{
	MemoryContext caller = MemoryContextSwitchTo(sort->context);
	SharedSort *part = palloc0(sizeof(SharedSort));

	part->shared = shared;
	part->areas = areas;
	part->area = areas[0];
	part->sort = sort;
	part->key_layout = gpusort_rows_layout_of_some(sort->layout, gpusort_rows_key_attributes(sort->keys));
	part->number = participant;
	part->groups = *sort->keys;
	part->groups.nkeys = group_keys;
	part->files = palloc0(shared->participants * sizeof(SpillFile *));
	sort->take_run = add_run;
	if (sort->keys->keys[0].kind == KEY_IS_BYTES)
		sort->make_words = make_words;
	sort->taker = part;
	sort->stats.sorted = sort->stats.shared = true;
	MemoryContextSwitchTo(caller);
	return part;
}

/* Lists the runs, when all have been written. */
static void
list_runs(SharedSort *part)
{
	part->nruns = part->shared->nruns;
	part->runs = MemoryContextAllocZero(part->sort->context, Max(part->nruns, 1) * sizeof(SharedReader));
	for (dsa_pointer next = part->shared->runs; DsaPointerIsValid(next);)
	{
		const SharedRun *run = dsa_get_address(part->area, next);
		SharedReader  *reader = &part->runs[run->number];

		reader->run = run;
		reader->rows = dsa_get_address(part->areas[run->area], run->rows);
		if (DsaPointerIsValid(run->fences))
			reader->fences = gpusort_stored_rows_view(part->area, dsa_get_address(part->area, run->fences), part->key_layout);
		next = run->next;
	}
}

static void
read_run(SharedSort *part, const SharedReader *reader, uint32 from, uint32 to, RowStore *store)
{
	int			participant = reader->rows->participant;

	if (to > from)
		gpusort_stored_rows_read(part->areas[reader->run->area], participant < 0 ? NULL : file_of(part, participant, false),
								 reader->rows, from, to - from, store);
}

/* Loads the keys of the fences of all runs into a store.  Returns what else is known of each. */
static Fence *
load_fences(SharedSort *part, RowStore *store)
{
	uint32		nfences = 0;
	uint32		n = 0;
	Fence	   *fences;

	for (uint32 i = 0; i < part->nruns; i++)
		nfences += part->runs[i].fences ? part->runs[i].fences->nrows : 0;
	gpusort_rows_store_expect(store, nfences, part->shared->fences_size);
	fences = MemoryContextAllocHuge(CurrentMemoryContext, Max(nfences, 1) * sizeof(Fence));
	for (uint32 i = 0; i < part->nruns; i++)
	{
		const SharedReader *reader = &part->runs[i];
		const Size *bytes;

		if (reader->fences == NULL)
			continue;
		bytes = dsa_get_address(part->area, reader->run->fence_bytes);
		for (uint32 fence = 0; fence < reader->fences->nrows; fence++)
			fences[n++] = (Fence) {{.run = i, .fence = fence}, bytes[fence]};
		gpusort_stored_rows_read(part->area, NULL, dsa_get_address(part->area, reader->run->fences), 0,
								 reader->fences->nrows, store);
	}
	return fences;
}

/*
 * Chooses those of the sorted fences at which parts begin, by the bytes of the rows before them.  Returns how
 * many.  Equal fences are in the order of their places.
 */
static uint32
choose_splitters(const SharedSort *part, const Fence *fences, uint32 *order, uint32 wanted)
{
	uint32		nfences = part->sort->store->nrows;
	double		bytes_per_part = 0;
	double		bytes = 0;
	uint32		n = 0;

	for (uint32 i = 0; i < nfences; i++)
		bytes_per_part += (double) fences[i].bytes / (wanted + 1);
	for (uint32 i = 0; i < nfences && n < wanted; i++)
	{
		uint32		fence = order[i];

		if (bytes >= (n + 1) * bytes_per_part)
			order[n++] = fence;
		bytes += fences[fence].bytes;
	}
	return n;
}

/* Divides all rows into parts. */
static void
divide(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	RowSort    *sort = part->sort;
	Size		part_bytes = Max(shared->part_bytes, Min(SHARED_PART_BYTES, sort->memory_limit / 2));
	uint32		wanted = Min(shared->bytes / part_bytes, SHARED_PARTS_MAX);
	uint32		n = 0;

	if (shared->nrows == 0)
		return;
	/* A part that begins with its group may be twice as large. */
	if (part->groups.nkeys > 0)
		wanted = Min(Max(2 * wanted, SHARED_GROUP_PARTS * shared->participants), SHARED_PARTS_MAX);
	if (wanted > 0)
	{
		RowStore   *store = sort->store;
		Fence	   *fences;
		Splitter   *splitters;

		sort->store = gpusort_rows_store_create(sort->context, part->key_layout);
		fences = load_fences(part, sort->store);
		if (sort->store->nrows > 0)
		{
			gpusort_rows_sort_order_store(sort);
			n = choose_splitters(part, fences, sort->order, wanted);
		}
		if (n > 0)
		{
			shared->splitters = dsa_allocate_extended(part->area, n * sizeof(Splitter), DSA_ALLOC_HUGE);
			splitters = dsa_get_address(part->area, shared->splitters);
			for (uint32 i = 0; i < n; i++)
			{
				uint32		row = sort->order[i];

				splitters[i] = fences[row].place;
				splitters[i].is_group = part->groups.nkeys > 0 &&
					(i == 0 || gpusort_rows_compare(&part->groups, 0, sort->store, sort->order[i - 1], sort->store, row) != 0);
			}
		}
		pfree(fences);
		gpusort_rows_store_free(sort->store);
		sort->store = store;
		gpusort_rows_store_clear(store);
	}
	shared->parts = dsa_allocate_extended(part->area, (n + (Size) 1) * sizeof(SharedPart), DSA_ALLOC_HUGE | DSA_ALLOC_ZERO);
	shared->nparts = n + 1;
}

void
gpusort_shared_sort_collected(SharedSort *part)
{
	Barrier    *barrier = &part->shared->barrier;

	if (part->files[part->number] != NULL)
		gpusort_rows_spill_rest(part->files[part->number]);
	if (BarrierArriveAndWait(barrier, wait_event()))
	{
		MemoryContext caller = MemoryContextSwitchTo(part->sort->context);

		list_runs(part);
		divide(part);
		MemoryContextSwitchTo(caller);
	}
	(void) BarrierArriveAndWait(barrier, wait_event());
	(void) BarrierDetach(barrier);
}

/* Prepares reading parts, which exist. */
static void
open_parts(SharedSort *part)
{
	SharedSortState *shared = part->shared;

	if (part->parts != NULL)
		return;
	if (part->runs == NULL)
		list_runs(part);
	part->parts = dsa_get_address(part->area, shared->parts);
	part->window = gpusort_rows_store_create(part->sort->context, part->sort->layout);
	part->store = part->sort->store;
	if (DsaPointerIsValid(shared->splitters))
		part->splitters = dsa_get_address(part->area, shared->splitters);
}

/* Compares two rows.  Words tell most of those apart that have some. */
static int
compare(const RowKeys *keys, const RowStore *a, uint32 row_a, const RowStore *b, uint32 row_b)
{
	if (a->word_kind != 0 && a->word_kind == b->word_kind)
	{
		uint64		word_a = ((const uint64 *) a->words.data)[row_a];
		uint64		word_b = ((const uint64 *) b->words.data)[row_b];

		if (word_a != word_b)
			return word_a < word_b ? -1 : 1;
	}
	return gpusort_rows_compare(keys, 0, a, row_a, b, row_b);
}

/* True if a row comes before a splitter, or its group.  With `equal`, one that is equal to it does. */
static bool
is_before(const SharedSort *part, const RowStore *store, uint32 row, const Splitter *splitter, bool equal)
{
	const RowKeys *keys = splitter->is_group ? &part->groups : part->sort->keys;
	int			order = compare(keys, store, row, part->runs[splitter->run].fences, splitter->fence);

	return order < 0 || (equal && order == 0);
}

/* How many rows of a store come before a splitter, or its group. */
static uint32
rows_before(const SharedSort *part, const RowStore *store, const Splitter *splitter, bool equal)
{
	uint32		low = 0;
	uint32		high = store->nrows;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (is_before(part, store, middle, splitter, equal))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first of words low .. high - 1, which are in order, that is not less than a word, or that is greater. */
static uint32
find_word(const uint64 *words, uint32 low, uint32 high, uint64 word, bool greater)
{
	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (words[middle] < word || (greater && words[middle] == word))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Leaves, of rows of a run among which a splitter cuts, those that have its word, if the run is in memory and has such words.
 * These are made of the first key, so all rows of a group have the same one.
 */
static void
cut_by_words(SharedSort *part, const SharedReader *reader, const Splitter *splitter, uint32 *from, uint32 *to)
{
	const RowStore *fences = part->runs[splitter->run].fences;
	const uint64 *words = gpusort_stored_rows_words(part->areas[reader->run->area], reader->rows, fences->word_kind);

	if (words != NULL)
	{
		uint64		word = ((const uint64 *) fences->words.data)[splitter->fence];

		*from = find_word(words, *from, *to, word, false);
		*to = find_word(words, *from, *to, word, true);
	}
}

/*
 * The first row of a run that does not come before a splitter.  Rows before `low` are known to come before it.  The row is
 * probably near these, if there are some: then the search is exponential (Bentley and Yao, An almost optimal algorithm for
 * unbounded searching).
 */
static uint32
cut(SharedSort *part, uint32 run, const Splitter *splitter, uint32 low)
{
	const SharedReader *reader = &part->runs[run];
	bool		equal = !splitter->is_group && run < splitter->run;
	uint32		step = reader->run->step;
	uint32		window = Max(SHARED_WINDOW_BYTES / (reader->rows->bytes / reader->rows->nrows), 1);
	uint32		stride = low > 0 ? window : reader->rows->nrows;
	uint32		fences;
	uint32		from;
	uint32		to;

	if (run == splitter->run && !splitter->is_group)
		return reader->run->first + splitter->fence * step;
	fences = reader->fences ? rows_before(part, reader->fences, splitter, equal) : 0;
	from = Max(fences == 0 ? 0 : reader->run->first + (fences - 1) * step + 1, low);
	to = reader->fences ? Min(reader->run->first + fences * step, reader->rows->nrows) : reader->rows->nrows;
	cut_by_words(part, reader, splitter, &from, &to);
	for (; from < to && to - from > window; stride *= 2)
	{
		uint32		middle = from + Min(stride, (to - from) / 2);

		gpusort_rows_store_clear(part->window);
		read_run(part, reader, middle, middle + 1, part->window);
		if (is_before(part, part->window, 0, splitter, equal))
			from = middle + 1;
		else
			to = middle;
	}
	if (from >= to)
		return to;
	gpusort_rows_store_clear(part->window);
	read_run(part, reader, from, to, part->window);
	return from + rows_before(part, part->window, splitter, equal);
}

/* Finds the rows of a part in all runs.  Returns how many runs have some. */
static uint32
find_part(SharedSort *part, uint32 number)
{
	uint32		found = 0;
	bool		follows = part->cut_before > 0 && part->cut_before <= number;

	for (uint32 run = 0; run < part->nruns; run++)
	{
		SharedReader  *reader = &part->runs[run];
		uint32		low = follows ? reader->to : 0;

		CHECK_FOR_INTERRUPTS();
		reader->from = low;
		if (number > 0 && !(follows && part->cut_before == number))
			reader->from = cut(part, run, &part->splitters[number - 1], low);
		reader->to = reader->rows->nrows;
		if (number + 1 < part->shared->nparts)
			reader->to = cut(part, run, &part->splitters[number], reader->from);
		found += reader->to > reader->from;
	}
	part->cut_before = number + 1;
	return found;
}

/* True if all rows of a part are of one group, and there is no order within it. */
static bool
is_one_group(const SharedSort *part, uint32 number)
{
	return part->groups.nkeys == part->sort->keys->nkeys && number + 1 < part->shared->nparts && !part->splitters[number].is_group;
}

/* Loads a part into the sort's store and puts it in order. */
static void
sort_part(SharedSort *part, uint32 number)
{
	RowSort    *sort = part->sort;
	uint32		found = find_part(part, number);

	gpusort_rows_store_clear(sort->store);
	for (uint32 run = 0; run < part->nruns; run++)
		read_run(part, &part->runs[run], part->runs[run].from, part->runs[run].to, sort->store);
	if (found > 1 && !is_one_group(part, number))
		gpusort_rows_sort_order_store(sort);
	else
		gpusort_rows_sort_keep_order(sort);
	sort->store->word_kind = 0;
	sort->stats.parts++;
}

void
gpusort_shared_sort_stop(SharedSortState *shared)
{
	SpinLockAcquire(&shared->mutex);
	shared->stopped = true;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->claimable);
	ConditionVariableBroadcast(&shared->freed);
}

/* How many parts may be begun before the first one is returned. */
static uint32
parts_ahead(const SharedSortState *shared)
{
	return (shared->part_bytes > 0 ? SHARED_FILE_PARTS_AHEAD : SHARED_PARTS_AHEAD) * shared->participants;
}

/*
 * Begins the next part that nobody has begun, if it is not too far ahead.  Returns false if there will be none, or
 * if enough others sort parts.
 */
static bool
claim_part(SharedSort *part, uint32 ahead, uint32 *number)
{
	SharedSortState *shared = part->shared;
	bool		claimed = false;
	bool		ended = false;

	ConditionVariablePrepareToSleep(&shared->claimable);
	for (;;)
	{
		SpinLockAcquire(&shared->mutex);
		ended = shared->stopped || shared->next_part == shared->nparts;
		claimed = !ended && shared->next_part < shared->returned + ahead;
		if (!claimed && !ended && shared->returned >= ahead && shared->helpers > SHARED_HELPERS_MIN)
		{
			shared->helpers--;
			ended = true;
		}
		if (claimed)
		{
			*number = shared->next_part++;
			part->parts[*number].state = PART_IS_SORTED_NOW;
		}
		SpinLockRelease(&shared->mutex);
		if (claimed || ended)
			break;
		ConditionVariableSleep(&shared->claimable, wait_event());
	}
	ConditionVariableCancelSleep();
	if (claimed && *number + 1 == shared->nparts)
		ConditionVariableBroadcast(&shared->claimable);
	return claimed;
}

/* Waits for memory for a sorted part.  Returns false if there is none before the leader wants the part. */
static bool
take_space(SharedSort *part, uint32 number, Size bytes)
{
	SharedSortState *shared = part->shared;
	bool		fits;
	bool		ended;

	ConditionVariablePrepareToSleep(&shared->freed);
	for (;;)
	{
		bool		free = has_space(shared, bytes, SHARED_FREE_FOR_PARTS);

		SpinLockAcquire(&shared->mutex);
		fits = free || shared->sorted_bytes + bytes <= shared->sorted_most;
		ended = shared->stopped || shared->returned == number;
		if (fits)
		{
			part->parts[number].bytes = bytes;
			shared->sorted_bytes += bytes;
			shared->sorted_most = Max(shared->sorted_most, shared->sorted_bytes);
		}
		SpinLockRelease(&shared->mutex);
		if (fits || ended)
			break;
		ConditionVariableSleep(&shared->freed, wait_event());
	}
	ConditionVariableCancelSleep();
	return fits;
}

void
gpusort_shared_sort_help(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	RowStore   *store = part->sort->store;
	uint32		number;
	bool		has_memory = shared->nparts > 0;

	if (has_memory)
		open_parts(part);
	SpinLockAcquire(&shared->mutex);
	shared->helpers += has_memory;
	SpinLockRelease(&shared->mutex);
	while (has_memory && claim_part(part, parts_ahead(shared), &number))
	{
		SharedPart *sorted = &part->parts[number];
		dsa_pointer rows = InvalidDsaPointer;

		sort_part(part, number);
		if (store->nrows > 0 && take_space(part, number, gpusort_rows_store_bytes(store)))
			rows = gpusort_stored_rows_write(part->area, NULL, 0, store, part->sort->order, store->nrows);
		has_memory = store->nrows == 0 || DsaPointerIsValid(rows);
		SpinLockAcquire(&shared->mutex);
		sorted->rows = rows;
		sorted->state = has_memory ? PART_IS_SORTED : PART_IS_LEFT;
		shared->helpers -= !has_memory;
		SpinLockRelease(&shared->mutex);
		ConditionVariableSignal(&shared->sorted);
	}
	MemoryContextSwitchTo(caller);
}

/* The next part that nobody has begun and that begins with a group, or the number of parts. */
static uint32
claim_groups(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	uint32		number;

	do
	{
		SpinLockAcquire(&shared->mutex);
		number = shared->stopped ? shared->nparts : shared->next_part;
		shared->next_part = Min(number + 1, shared->nparts);
		SpinLockRelease(&shared->mutex);
	} while (number > 0 && number < shared->nparts && !part->splitters[number - 1].is_group);
	return number;
}

bool
gpusort_shared_sort_take(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	uint32		number = part->next;

	if (shared->nparts > 0)
		open_parts(part);
	if (number == 0 || number == shared->nparts || part->splitters[number - 1].is_group)
		number = claim_groups(part);
	part->next = Min(number + 1, shared->nparts);
	if (number < shared->nparts)
		sort_part(part, number);
	MemoryContextSwitchTo(caller);
	return number < shared->nparts;
}

uint64
gpusort_shared_sort_rows(const SharedSort *part)
{
	return part->shared->nrows;
}

/* True if the last row of a part that is loaded is equal to the first one of the next part. */
static bool
goes_on(const SharedSort *part, uint32 number)
{
	const RowSort *sort = part->sort;
	uint32		last = sort->store->nrows - 1;
	const Splitter *next = &part->splitters[number];

	return sort->store->nrows > 0 && number + 1 < part->shared->nparts &&
		gpusort_rows_compare(sort->keys, 0, sort->store, sort->order ? sort->order[last] : last,
							 part->runs[next->run].fences, next->fence) == 0;
}

void
gpusort_shared_sort_count(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	uint32		number;

	if (shared->nparts > 0)
		open_parts(part);
	while (shared->nparts > 0 && claim_part(part, shared->nparts, &number))
	{
		sort_part(part, number);
		part->parts[number].runs = gpusort_rows_find_runs(part->sort);
		part->parts[number].goes_on = goes_on(part, number);
	}
	MemoryContextSwitchTo(caller);
}

uint64
gpusort_shared_sort_runs(SharedSort *part, uint64 *mode)
{
	uint64		runs = 0;
	uint64		longest = 0;
	uint64		begun = 0;		/* rows of a run that goes on, */
	uint64		begin = 0;		/* and its first one */
	uint64		before = 0;		/* rows of former parts */

	for (uint32 i = 0; i < part->shared->nparts; i++)
	{
		const SharedPart *counted = &part->parts[i];
		uint64		first = begun + counted->runs.first;
		uint64		first_row = begun > 0 ? begin : before;

		runs += counted->runs.runs - counted->goes_on;
		if (first > longest)
		{
			longest = first;
			*mode = first_row;
		}
		if (counted->runs.longest > longest)
		{
			longest = counted->runs.longest;
			*mode = before + counted->runs.longest_row;
		}
		before += counted->runs.rows;
		begin = counted->runs.runs == 1 ? first_row : before - counted->runs.last;
		begun = !counted->goes_on ? 0 : counted->runs.runs == 1 ? first : counted->runs.last;
	}
	return runs;
}

/* How many rows come before a part. */
static uint64
rows_before_part(SharedSort *part, uint32 number)
{
	uint64		rows = 0;

	if (number == 0 || number == part->shared->nparts)
		return number == 0 ? 0 : part->shared->nrows;
	for (uint32 run = 0; run < part->nruns; run++)
	{
		CHECK_FOR_INTERRUPTS();
		rows += cut(part, run, &part->splitters[number - 1], 0);
	}
	return rows;
}

/* Loads the part that has a row. */
static void
find_row(SharedSort *part, uint64 row)
{
	uint32		low = 0;
	uint32		high = part->shared->nparts;

	open_parts(part);
	part->first_row = 0;
	part->end_row = part->shared->nrows;
	while (high - low > 1)
	{
		uint32		middle = low + (high - low) / 2;
		uint64		rows = rows_before_part(part, middle);

		if (rows <= row)
		{
			low = middle;
			part->first_row = rows;
		}
		else
		{
			high = middle;
			part->end_row = rows;
		}
	}
	sort_part(part, low);
}

Datum
gpusort_shared_sort_key(SharedSort *part, uint64 row)
{
	MemoryContext caller = MemoryContextSwitchTo(part->sort->context);
	const RowBatch *batch;

	if (row < part->first_row || row >= part->end_row)
		find_row(part, row);
	row -= part->first_row;
	batch = gpusort_rows_sort_read(part->sort, row);
	MemoryContextSwitchTo(caller);
	return batch->values[(row - batch->first) * batch->natts + part->sort->keys->keys[0].attribute];
}

/* Begins the part itself if nobody has, else waits until it is sorted. */
static PartState
take_part(SharedSort *part, uint32 number)
{
	SharedSortState *shared = part->shared;
	PartState	state;

	ConditionVariablePrepareToSleep(&shared->sorted);
	for (;;)
	{
		SpinLockAcquire(&shared->mutex);
		state = part->parts[number].state;
		if (state == PART_WAITS)
			shared->next_part = number + 1;
		SpinLockRelease(&shared->mutex);
		if (state != PART_IS_SORTED_NOW)
			break;
		ConditionVariableSleep(&shared->sorted, wait_event());
	}
	ConditionVariableCancelSleep();
	if (state == PART_WAITS && number + 1 == shared->nparts)
		ConditionVariableBroadcast(&shared->claimable);
	return state;
}

/* Has the rows of a sorted part read where they are.  They stay there until the next part is wanted. */
static void
read_sorted(SharedSort *part, const SharedPart *sorted)
{
	RowSort    *sort = part->sort;

	if (DsaPointerIsValid(sorted->rows))
		sort->store = part->view = gpusort_stored_rows_view(part->area, dsa_get_address(part->area, sorted->rows), sort->layout);
	else
		gpusort_rows_store_clear(sort->store);
	gpusort_rows_sort_keep_order(sort);
}

static void
load_part(SharedSort *part, uint32 number)
{
	if (take_part(part, number) == PART_IS_SORTED)
		read_sorted(part, &part->parts[number]);
	else
		sort_part(part, number);
}

/* Frees a part that has been returned, so that workers begin with another one. */
static void
end_part(SharedSort *part, uint32 number)
{
	SharedSortState *shared = part->shared;

	part->sort->store = part->store;
	if (part->view != NULL)
		pfree(part->view);
	part->view = NULL;
	free_part(part->area, &part->parts[number]);
	SpinLockAcquire(&shared->mutex);
	shared->sorted_bytes -= part->parts[number].bytes;
	shared->returned = number + 1;
	SpinLockRelease(&shared->mutex);
	ConditionVariableSignal(&shared->claimable);
	ConditionVariableBroadcast(&shared->freed);
}

bool
gpusort_shared_sort_next(SharedSort *part)
{
	SharedSortState *shared = part->shared;
	MemoryContext caller;

	if (shared->returned == shared->nparts)
		return false;
	caller = MemoryContextSwitchTo(part->sort->context);
	if (part->parts == NULL)
		open_parts(part);
	else
		end_part(part, shared->returned);
	if (shared->returned < shared->nparts)
		load_part(part, shared->returned);
	MemoryContextSwitchTo(caller);
	return shared->returned < shared->nparts;
}

void
gpusort_shared_sort_leave(SharedSort *part)
{
	for (int i = 0; i < part->shared->participants; i++)
		if (part->files[i] != NULL)
			gpusort_rows_spill_close(part->files[i]);
}
