/*
 * row_reuse.c
 *	  Empties a sort of few rows, so that the next one of the same rows need not be set up.
 *
 * A node that is run again and again sorts a few rows each time.  Looking up the keys and
 * making contexts and buffers would take longer than that.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "rows/row_sort.h"

#define REUSE_BYTES ((Size) 64 * 1024)	/* a sort that holds more memory is not kept */

/* True if a sort holds nothing but the buffers of few rows. */
static bool
is_small(const RowSort *sort)
{
	return sort->device_rows == NULL && sort->parts == NULL && !sort->stats.used_gpu &&
		sort->store->capacity <= REUSE_BYTES / sizeof(Datum) && sort->store->records.size <= REUSE_BYTES &&
		MemoryContextMemAllocated(sort->context, true) <= REUSE_BYTES;
}

bool
gpusort_rows_sort_empty(RowSort *sort)
{
	if (!is_small(sort))
		return false;
	gpusort_progress_end(sort->progress);
	sort->progress = 0;
	if (sort->bound != NULL)
		gpusort_rows_bound_free(sort->bound);
	sort->bound = NULL;
	for (int i = 0; i < sort->keys->nkeys; i++)
		sort->keys->keys[i].ever_plain = sort->keys->keys[i].plain != NULL;
	gpusort_rows_store_clear(sort->store);
	memset(&sort->stats, 0, sizeof(SortCounters));
	sort->nrows = 0;
	sort->dropped = 0;
	sort->drops = false;
	return true;
}

void
gpusort_rows_sort_again(RowSort *sort, double expected_rows, RowBoundSpec bound)
{
	MemoryContext caller = MemoryContextSwitchTo(sort->context);

	sort->memory_limit = work_mem * (Size) 1024;
	sort->expected_rows = Max(expected_rows, 0);
	sort->look_at = bound.kind == BOUND_DISTINCT ? GPUSORT_DISTINCT_LOOK : 0;
	sort->bound = gpusort_rows_bound_create(sort->context, sort->layout, sort->keys, bound, expected_rows);
	MemoryContextSwitchTo(caller);
}
