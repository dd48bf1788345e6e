/*
 * shared_division.c
 *	  Divides the runs of a sort by several processes into parts, and finds the rows of each; see shared_state.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/shared_state.h"

#define SHARED_PART_BYTES ((Size) 1024 * 1024)	/* rows of a part lie in the caches while they are sorted */
#define SHARED_PARTS_MAX 65536
#define SHARED_GROUP_PARTS 8	/* parts of groups for each participant, at least, so that all have about the same work */
#define SHARED_WINDOW_BYTES 8192	/* rows of a run that are read at once to find one of them */

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
		if (reader->rows->participant < 0)
			reader->view = gpusort_stored_rows_view(part->areas[run->area], reader->rows, part->sort->layout);
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
		gpusort_stored_rows_read(part->areas[reader->run->area],
								 participant < 0 ? NULL : gpusort_shared_file(part, participant, false),
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
	if (BarrierArriveAndWait(barrier, gpusort_shared_wait_event()))
	{
		MemoryContext caller = MemoryContextSwitchTo(part->sort->context);

		list_runs(part);
		divide(part);
		MemoryContextSwitchTo(caller);
	}
	(void) BarrierArriveAndWait(barrier, gpusort_shared_wait_event());
	(void) BarrierDetach(barrier);
}

void
gpusort_shared_open_parts(SharedSort *part)
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

/* True if a row comes before a splitter, or its group.  With `equal`, one that is equal to it does. */
static bool
is_before(const SharedSort *part, const RowStore *store, uint32 row, const Splitter *splitter, bool equal)
{
	const RowKeys *keys = splitter->is_group ? &part->groups : part->sort->keys;
	int			order = gpusort_rows_compare(keys, 0, store, row, part->runs[splitter->run].fences, splitter->fence);

	return order < 0 || (equal && order == 0);
}

/* The first of rows low .. high - 1 of a store, which are in order, that does not come before a splitter, or its group. */
static uint32
find_cut(const SharedSort *part, const RowStore *store, uint32 low, uint32 high, const Splitter *splitter, bool equal)
{
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

/*
 * Finds a cut among rows of a run that is in a file.  The row is probably near `from`, unless this is 0: then the search is
 * exponential (Bentley and Yao, An almost optimal algorithm for unbounded searching).
 */
static uint32
find_cut_in_file(SharedSort *part, const SharedReader *reader, uint32 from, uint32 to, const Splitter *splitter, bool equal)
{
	uint32		window = Max(SHARED_WINDOW_BYTES / (reader->rows->bytes / reader->rows->nrows), 1);

	for (uint32 stride = from > 0 ? window : to; from < to && to - from > window; stride *= 2)
	{
		uint32		middle = from + Min(stride, (to - from) / 2);

		gpusort_rows_store_clear(part->window);
		read_run(part, reader, middle, middle + 1, part->window);
		if (is_before(part, part->window, 0, splitter, equal))
			from = middle + 1;
		else
			to = middle;
	}
	gpusort_rows_store_clear(part->window);
	read_run(part, reader, from, to, part->window);
	return from + find_cut(part, part->window, 0, part->window->nrows, splitter, equal);
}

uint32
gpusort_shared_cut(SharedSort *part, uint32 run, const Splitter *splitter, uint32 low)
{
	const SharedReader *reader = &part->runs[run];
	bool		equal = !splitter->is_group && run < splitter->run;
	uint32		step = reader->run->step;
	uint32		to = reader->rows->nrows;
	uint32		fences;

	if (run == splitter->run && !splitter->is_group)
		return reader->run->first + splitter->fence * step;
	if (reader->fences != NULL)
	{
		fences = find_cut(part, reader->fences, 0, reader->fences->nrows, splitter, equal);
		low = Max(fences == 0 ? 0 : reader->run->first + (fences - 1) * step + 1, low);
		to = Min(reader->run->first + fences * step, to);
	}
	return reader->view != NULL ? find_cut(part, reader->view, low, to, splitter, equal)
		: find_cut_in_file(part, reader, low, to, splitter, equal);
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
			reader->from = gpusort_shared_cut(part, run, &part->splitters[number - 1], low);
		reader->to = reader->rows->nrows;
		if (number + 1 < part->shared->nparts)
			reader->to = gpusort_shared_cut(part, run, &part->splitters[number], reader->from);
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

void
gpusort_shared_sort_part(SharedSort *part, uint32 number)
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
