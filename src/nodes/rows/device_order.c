/*
 * device_order.c
 *	  Sorts one store on a device, which gathers the columns as well.
 *
 * The host then reads its columns in sequence; only records stay where they are
 * and are found by row number.
 *
 * The device sorts by the first word of the code.  Where that does not decide, the
 * words come back in order too, the host orders the rows of each tie, and puts
 * their values in every column where they belong.
 *
 * Nothing may be lost when the device fails half way.  The row numbers come back
 * first; a column is fetched beside the one at hand and takes its place when it
 * is complete.  A column that is not fetched stays in the input's order, which
 * the row numbers lead through: in_order tells.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "device/device_session.h"
#include "guc.h"
#include "nodes/rows/row_sort.h"
#include "sort/sort_stats.h"

#define ROWS_ENCODE_SPAN 4096
#define ROWS_WORD_BITS 64
#define ROWS_TIED_SHARE 4		/* one row of so many may be in a tie; with more, the host's sort is as fast */

/* Rows of equal words, by position. */
typedef struct DeviceTie
{
	uint32		start;
	uint32		count;
} DeviceTie;

/* What travels beside the keys: an attribute's values or its NULL bytes. */
typedef struct DeviceColumn
{
	RowBuffer  *buffer;
	bool	   *in_order;
	uint8		width;
} DeviceColumn;

typedef struct DeviceOrder
{
	RowSort    *sort;
	KeyCode    *code;
	GpusortSpec spec;
	DeviceSession *session;
	DeviceTie  *ties;
	uint32		nties;
	uint32		tie_slots;
	int			ncolumns;		/* column 0, the keys, not counted */
	DeviceColumn columns[GPUSORT_SESSION_COLUMNS];
	uint8		widths[GPUSORT_SESSION_COLUMNS];
} DeviceOrder;

/* Adds columns of this width, the widest first so that they can share a spare buffer. */
static void
list_columns(DeviceOrder *order, int width)
{
	RowStore   *store = order->sort->store;

	for (int i = 0; i < store->layout->natts; i++)
	{
		const RowAttribute *attribute = &store->layout->attributes[i];
		RowColumn  *column = &store->columns[i];

		if (attribute->by_value && !attribute->is_constant && attribute->length == width)
			order->columns[order->ncolumns++] = (DeviceColumn) {&column->values, &column->values_in_order, width};
		if (column->has_nulls && width == sizeof(bool))
			order->columns[order->ncolumns++] = (DeviceColumn) {&column->nulls, &column->nulls_in_order, width};
	}
}

static bool
fits_session(const RowSort *sort)
{
	return 2 * sort->layout->natts < GPUSORT_SESSION_COLUMNS &&
		(gpusort_engine == GPUSORT_ENGINE_GPU ||
		 (gpusort_engine == GPUSORT_ENGINE_AUTO && sort->store->nrows >= gpusort_min_gpu_keys));
}

/* Writes the rows' codes to sort->packed, as 32-bit keys if the spec says so. */
static void
encode_keys(DeviceOrder *order)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;
	uint64		codes[ROWS_ENCODE_SPAN];

	gpusort_rows_buffer_reserve(sort->memory, &sort->packed, (Size) nrows * sizeof(uint64));
	for (uint32 first = 0; first < nrows; first += ROWS_ENCODE_SPAN)
	{
		uint32		n = Min(ROWS_ENCODE_SPAN, nrows - first);

		gpusort_rows_encode(order->code, sort->store, NULL, first, n, 0, ROWS_WORD_BITS, codes);
		if (order->spec.form == GPUSORT_KEY_UINT64)
			memcpy((uint64 *) sort->packed.data + first, codes, n * sizeof(uint64));
		else
			for (uint32 i = 0; i < n; i++)
				((uint32 *) sort->packed.data)[first + i] = codes[i];
	}
}

/* Copies keys and columns to the device and sorts them there. */
static bool
sort_session(DeviceOrder *order, const char **why)
{
	uint32		nrows = order->sort->store->nrows;

	if (!gpusort_session_append(order->session, 0, 0, nrows, order->sort->packed.data, why))
		return false;
	for (int i = 0; i < order->ncolumns; i++)
	{
		if (!gpusort_session_append(order->session, i + 1, 0, nrows, order->columns[i].buffer->data, why))
			return false;
	}
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

/* Orders the rows whose words are equal; false if they are too many. */
static bool
break_word_ties(DeviceOrder *order, const uint64 *words, const char **why)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;
	uint32		tied = 0;
	uint32		end;

	for (uint32 start = 0; start < nrows; start = end)
	{
		for (end = start + 1; end < nrows && words[end] == words[start];)
			end++;
		if (end - start == 1)
			continue;
		add_tie(order, start, end - start);
		tied += end - start;
	}
	if (tied > nrows / ROWS_TIED_SHARE)
	{
		*why = "too many keys with equal prefixes";
		return false;
	}
	for (uint32 i = 0; i < order->nties; i++)
		gpusort_rows_order_tie(sort, order->code, sort->order + order->ties[i].start, order->ties[i].count, ROWS_WORD_BITS);
	return true;
}

/* Fetches the row numbers, and puts right what the words of the keys do not decide. */
static bool
fetch_order(DeviceOrder *order, RowBuffer *spare, const char **why)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;

	if (!gpusort_session_fetch(order->session, GPUSORT_SESSION_INDEX, 0, nrows, sort->packed.data, why))
		return false;
	sort->order = (uint32 *) sort->packed.data;
	if (order->code->bits <= ROWS_WORD_BITS && order->code->nexact == sort->keys->nkeys)
		return true;
	gpusort_rows_buffer_reserve(sort->memory, spare, (Size) nrows * sizeof(uint64));
	if (!gpusort_session_fetch(order->session, 0, 0, nrows, spare->data, why))
		return false;
	sort->stats.moved_bytes += (int64) sizeof(uint64) * nrows;
	return break_word_ties(order, (const uint64 *) spare->data, why);
}

/* Fetches the order and then as many columns as the device gives. */
static bool
fetch_session(DeviceOrder *order, const char **why)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;
	RowBuffer	spare = {0};
	bool		done = fetch_order(order, &spare, why);

	for (int i = 0; done && i < order->ncolumns; i++)
	{
		DeviceColumn *column = &order->columns[i];
		RowBuffer	fetched;

		gpusort_rows_buffer_reserve(sort->memory, &spare, (Size) sort->store->capacity * column->width);
		if (!gpusort_session_fetch(order->session, i + 1, 0, nrows, spare.data, why))
			break;
		for (uint32 t = 0; t < order->nties; t++)
			gpusort_rows_copy_values(spare.data, order->ties[t].start, column->buffer->data,
									 sort->order + order->ties[t].start, order->ties[t].count, column->width);
		fetched = spare;
		spare = *column->buffer;
		*column->buffer = fetched;
		*column->in_order = true;
		sort->stats.moved_bytes += 2 * (int64) column->width * nrows;
	}
	gpusort_rows_buffer_release(sort->memory, &spare);
	return done;
}

/* Adds the session to gpusort.stats: sorted, or why it was not. */
static void
count_session(const DeviceOrder *order, const char *why)
{
	uint64		nrows = order->sort->store->nrows;
	uint64		row_bytes = 0;

	for (int i = 0; i <= order->ncolumns; i++)
		row_bytes += order->widths[i];
	if (why)
		gpusort_stats_fallback(order->spec.method, why);
	else
		gpusort_stats_count(GPUSORT_STATS_GPU, gpusort_session_method(order->session),
							&(SortCounts)
							{
								.jobs = 1,
								.segments = 1,
								.keys = nrows,
								.bytes = nrows * row_bytes,
								.nanoseconds = gpusort_session_seconds(order->session) * 1e9
							});
}

/* Sets sort->order as gpusort_rows_order does; false, and nothing changed, if no device does it. */
bool
gpusort_rows_order_on_device(RowSort *sort)
{
	DeviceOrder order = {.sort = sort};
	const char *why = NULL;
	bool		done;

	if (!fits_session(sort))
		return false;
	order.code = gpusort_rows_code_fitted(sort->keys, sort->store, 32);
	order.spec.form = order.code->bits <= 32 && order.code->nexact == sort->keys->nkeys
		? GPUSORT_KEY_UINT32 : GPUSORT_KEY_UINT64;
	order.spec.payload = GPUSORT_PAYLOAD_INDEX;
	order.spec.method = GPUSORT_METHOD_AUTO;
	for (int width = sizeof(Datum); width > 0; width /= 2)
		list_columns(&order, width);
	order.widths[0] = gpusort_key_width(order.spec.form);
	for (int i = 0; i < order.ncolumns; i++)
		order.widths[i + 1] = order.columns[i].width;

	order.session = gpusort_session_open(&order.spec, sort->store->nrows, order.ncolumns + 1, order.widths, &why);
	if (order.session == NULL)
	{
		gpusort_rows_code_free(order.code);
		return false;
	}
	encode_keys(&order);
	done = sort_session(&order, &why) && fetch_session(&order, &why);
	count_session(&order, done ? NULL : why);
	gpusort_session_close(order.session);
	gpusort_rows_code_free(order.code);
	if (order.ties != NULL)
		pfree(order.ties);
	if (done)
	{
		sort->stats.used_gpu = true;
		sort->stats.moved_bytes += (int64) (order.widths[0] + sizeof(uint32)) * sort->store->nrows;
	}
	else
		ereport(DEBUG1,
				(errmsg_internal("rows are sorted without a device session: %s", why)));
	return done;
}
