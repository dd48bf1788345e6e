/*
 * device_order.c
 *	  Sorts one store on a device, which also brings the columns into order.
 *
 * The host then reads its columns in sequence.  Only records stay where they are and
 * are found by row number.
 *
 * The device sorts by the first word of the code.  If words are tied, they come back in
 * order too; the host orders the rows of each tie, and corrects their values in every
 * column.
 *
 * Nothing may be lost when the device fails half way.  The row numbers come back first.
 * A column is fetched into a spare buffer, which replaces the column when it is
 * complete.  A column that is not fetched stays in the input's order and is read by row
 * number; in_order tells which columns are sorted.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "device/client/device_session.h"
#include "large_memory.h"
#include "rows/row_sort.h"
#include "rows/word_sample.h"
#include "sort/choose.h"

#define ROWS_TIED_SHARE 4		/* with more than one row in 4 tied, the host's sort is as fast */

/* Rows of equal words: where they lie in the sorted order. */
typedef struct DeviceTie
{
	uint32		start;
	uint32		count;
} DeviceTie;

typedef struct DeviceOrder
{
	RowSort    *sort;
	KeyCode    *code;
	GpusortSpec spec;
	DeviceSession *session;
	SortAttempt attempt;
	SortReason	lost;			/* why some columns were not fetched, or REASON_NONE */
	DeviceTie  *ties;
	uint32		nties;
	uint32		tie_slots;
	int			ncolumns;		/* without column 0 of the session, the keys */
	ColumnBuffer columns[GPUSORT_SESSION_COLUMNS];
	uint8		widths[GPUSORT_SESSION_COLUMNS];
} DeviceOrder;

/* True if rows of equal words are surely equal in all keys. */
static bool
word_is_exact(const DeviceOrder *order)
{
	return order->code->bits <= ROWS_WORD_BITS && order->code->nexact == order->sort->keys->nkeys;
}

/* Writes the codes of the store's rows to sort->packed, as 32-bit keys if that is the form. */
void
gpusort_rows_encode_for_device(RowSort *sort, const KeyCode *code, GpusortKeyForm form)
{
	uint32		nrows = sort->store->nrows;
	uint64		codes[ROWS_ENCODE_SPAN];

	gpusort_rows_buffer_reserve(sort->context, &sort->packed, (Size) nrows * sizeof(uint64));
	for (uint32 first = 0; first < nrows; first += ROWS_ENCODE_SPAN)
	{
		uint32		n = Min(ROWS_ENCODE_SPAN, nrows - first);

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_encode(code, sort->store, NULL, first, n, ROWS_WORD_BITS, codes);
		if (form == GPUSORT_KEY_UINT64)
			memcpy((uint64 *) sort->packed.data + first, codes, n * sizeof(uint64));
		else
			for (uint32 i = 0; i < n; i++)
				((uint32 *) sort->packed.data)[first + i] = codes[i];
	}
}

/* Copies keys and columns to the device and sorts them there. */
static bool
sort_session(DeviceOrder *order, SortReason *why)
{
	uint32		nrows = order->sort->store->nrows;

	gpusort_progress_update(order->attempt.progress, SORT_PHASE_SENDING, 0, 1);
	if (!gpusort_session_append(order->session, 0, 0, nrows, order->sort->packed.data, why))
		return false;
	for (int i = 0; i < order->ncolumns; i++)
	{
		if (!gpusort_session_append(order->session, i + 1, 0, nrows, order->columns[i].buffer->data, why))
			return false;
		gpusort_progress_update(order->attempt.progress, SORT_PHASE_SENDING, i + 1, order->ncolumns + 1);
	}
	gpusort_progress_update(order->attempt.progress, SORT_PHASE_SORTING, 0, 1);
	return gpusort_session_sort(order->session, nrows, why);
}

static void
add_tie(DeviceOrder *order, uint32 start, uint32 count)
{
	if (order->nties == order->tie_slots)
	{
		order->tie_slots = Max(2 * order->tie_slots, 64);
		order->ties = order->ties == NULL ? palloc(order->tie_slots * sizeof(DeviceTie))
			: repalloc_huge(order->ties, order->tie_slots * sizeof(DeviceTie));
	}
	order->ties[order->nties++] = (DeviceTie) {start, count};
}

/* Orders the rows whose words are equal.  Returns false if they are too many. */
static bool
break_word_ties(DeviceOrder *order, const uint64 *words, SortReason *why)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;
	uint32		tied = 0;
	uint32		end;

	for (uint32 start = 0; start < nrows; start = end)
	{
		for (end = start + 1; end < nrows && words[end] == words[start]; end++)
			GPUSORT_CHECK_EVERY(end);
		GPUSORT_CHECK_EVERY(start);
		if (end - start == 1)
			continue;
		add_tie(order, start, end - start);
		tied += end - start;
	}
	if (tied > nrows / ROWS_TIED_SHARE)
	{
		*why = REASON_TOO_MANY_TIES;
		return false;
	}
	for (uint32 i = 0; i < order->nties; i++)
		gpusort_rows_order_tie(sort, sort->order + order->ties[i].start, order->ties[i].count, order->code->nexact);
	return true;
}

/* Fetches the row numbers, and orders the rows whose words are tied. */
static bool
fetch_order(DeviceOrder *order, RowBuffer *spare, SortReason *why)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;

	if (!gpusort_session_fetch(order->session, GPUSORT_SESSION_INDEX, nrows, sort->packed.data, why))
		return false;
	sort->order = (uint32 *) sort->packed.data;
	if (word_is_exact(order))
		return true;
	gpusort_rows_buffer_reserve(sort->context, spare, (Size) nrows * sizeof(uint64));
	if (!gpusort_session_fetch(order->session, 0, nrows, spare->data, why))
		return false;
	sort->stats.moved_bytes += (int64) sizeof(uint64) * nrows;
	return break_word_ties(order, (const uint64 *) spare->data, why);
}

/* Fetches the order and then as many columns as the device gives. */
static bool
fetch_session(DeviceOrder *order, SortReason *why)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;
	RowBuffer	spare = {0};
	bool		done;

	gpusort_progress_update(order->attempt.progress, SORT_PHASE_FETCHING, 0, 1);
	done = fetch_order(order, &spare, why);

	for (int i = 0; done && i < order->ncolumns; i++)
	{
		ColumnBuffer *column = &order->columns[i];
		RowBuffer	fetched;

		gpusort_rows_buffer_reserve(sort->context, &spare, (Size) sort->store->capacity * column->width);
		if (!gpusort_session_fetch(order->session, i + 1, nrows, spare.data, &order->lost))
			break;
		for (uint32 t = 0; t < order->nties; t++)
			gpusort_rows_copy_values(spare.data, order->ties[t].start, column->buffer->data,
									 sort->order + order->ties[t].start, order->ties[t].count, column->width);
		fetched = spare;
		spare = *column->buffer;
		*column->buffer = fetched;
		*column->in_order = true;
		sort->stats.moved_bytes += 2 * (int64) column->width * nrows;
		gpusort_progress_update(order->attempt.progress, SORT_PHASE_FETCHING, i + 1, order->ncolumns);
	}
	gpusort_rows_buffer_release(&spare);
	return done;
}

/* Describes the session: a word of the code as the key, and the columns. */
static void
describe_columns(DeviceOrder *order)
{
	order->spec.form = GPUSORT_KEY_UINT64;
	order->spec.payload = GPUSORT_PAYLOAD_INDEX;
	order->spec.method = GPUSORT_METHOD_AUTO;
	order->widths[0] = sizeof(uint64);
	order->ncolumns = gpusort_rows_store_list_columns(order->sort->store, order->columns);
	for (int i = 0; i < order->ncolumns; i++)
		order->widths[i + 1] = order->columns[i].width;
}

/* Makes the code, and sorts by 32-bit keys if that many bits hold all of it. */
static void
make_fitted_code(DeviceOrder *order)
{
	RowSort    *sort = order->sort;
	RowList		all_rows = {.count = sort->store->nrows};

	order->code = gpusort_rows_code_fitted(sort->keys, 0, sort->store, &all_rows, ROWS_WORD_BITS, 32);
	if (order->code->bits <= 32 && order->code->nexact == sort->keys->nkeys)
	{
		order->spec.form = GPUSORT_KEY_UINT32;
		order->widths[0] = sizeof(uint32);
	}
}

static uint64
device_row_bytes(const DeviceOrder *order)
{
	uint64		bytes = 0;

	for (int i = 0; i <= order->ncolumns; i++)
		bytes += order->widths[i];
	return bytes;
}

/* Has a device sort the rows.  Returns REASON_NONE, or why it did not. */
static SortReason
attempt_session(DeviceOrder *order)
{
	RowSort    *sort = order->sort;
	uint64		nrows = sort->store->nrows;
	SortReason	why;
	bool		done = false;

	make_fitted_code(order);
	gpusort_attempt_begin(&order->attempt, ENGINE_GPU, USED_FOR_ROWS, order->spec.method, nrows, sort->progress);
	why = REASON_TOO_MANY_TIES;
	if (word_is_exact(order) || gpusort_rows_tied_share(order->code, sort->store) <= 1.0 / ROWS_TIED_SHARE)
		order->session = gpusort_session_open(&order->spec, USED_FOR_ROWS, GPUSORT_ANY_DEVICE, nrows,
										  order->ncolumns + 1, order->widths, &why);
	if (order->session != NULL)
	{
		gpusort_rows_encode_for_device(sort, order->code, order->spec.form);
		done = sort_session(order, &why) && fetch_session(order, &why);
	}
	if (done)
	{
		if (order->lost != REASON_NONE)
			gpusort_stats_fallback(USED_FOR_ROWS, order->spec.method, order->lost);
		gpusort_attempt_succeed(&order->attempt, gpusort_session_method(order->session), 1, nrows,
								nrows * device_row_bytes(order));
		sort->stats.used_gpu = true;
		sort->stats.moved_bytes += (int64) (order->widths[0] + sizeof(uint32)) * nrows;
	}
	else
		gpusort_attempt_fail(&order->attempt, why);
	if (order->session != NULL)
		gpusort_session_close(order->session);
	gpusort_rows_code_free(order->code);
	if (order->ties != NULL)
		pfree(order->ties);
	return done ? REASON_NONE : why;
}

/*
 * Sets sort->order as gpusort_rows_order does.  Returns false if no device sorts the rows;
 * then nothing has changed but sort->failed.
 */
bool
gpusort_rows_order_on_device(RowSort *sort)
{
	DeviceOrder order = {.sort = sort};
	uint64		nrows = sort->store->nrows;
	uint64		bytes;
	SortDecision decision;

	if (2 * sort->layout->natts >= GPUSORT_SESSION_COLUMNS)
		return false;
	describe_columns(&order);
	bytes = nrows * device_row_bytes(&order);
	gpusort_choose_rows(&order.spec, nrows, bytes, bytes + nrows * sizeof(uint32), &decision);
	if (decision.engine == ENGINE_GPU &&
		(decision.reason == REASON_NONE || gpusort_reason_kind(decision.reason) == REASON_KIND_WAIT))
	{
		decision.reason = attempt_session(&order);
		if (decision.reason == REASON_NONE)
			return true;
	}
	if (gpusort_reason_is_fallback(decision.reason))
		sort->failed = decision.reason;
	return false;
}
