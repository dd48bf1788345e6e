/*
 * shared_runs.c
 *	  Runs of a sort by several processes, see shared_state.h: their rows, fences and words.
 */
#include "postgres.h"

#include "large_memory.h"
#include "rows/row_plain.h"
#include "rows/shared_state.h"

#define SHARED_FENCES 256		/* rows of a run that tell where to cut it */
#define SHARED_FENCES_SHARE 16	/* fences take 1/16 of their run, but for SHARED_FENCES_MIN of them, */
#define SHARED_FENCES_MIN 4
#define SHARED_FENCES_OF_MEMORY 2	/* and less, the nearer all fences are to 1/2 of the memory */
#define SHARED_SAMPLE_MIN 128	/* keys that suggest a code for words */
#define SHARED_CODE_BITS 16		/* that it has at least */

SpillFile *
gpusort_shared_file(SharedSort *part, int participant, bool create)
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
	bool		fits = part->sort->memory_limit <= gpusort_shared_run_bytes(shared) && bytes <= shared->memory_limit &&
		gpusort_shared_has_space(shared, bytes, SHARED_FREE_FOR_RUNS);

	SpinLockAcquire(&shared->mutex);
	fits = fits && shared->memory_used <= shared->memory_limit - bytes;
	if (fits)
		shared->memory_used += bytes;
	SpinLockRelease(&shared->mutex);
	return fits ? NULL : gpusort_shared_file(part, part->number, true);
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
	if (fences->nrows > 0 && gpusort_shared_has_space(shared, size_of_fences(fences), SHARED_FREE_FOR_FENCES))
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
		!gpusort_shared_has_space(shared, gpusort_rows_store_bytes(fences), SHARED_FREE_FOR_FENCES))
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
