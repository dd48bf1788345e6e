/*
 * device_order.c
 *	  Sorts one store on a device, which gathers the columns as well.
 *
 * The host then reads its columns in sequence; only records stay where they are
 * and are found by row number.  It is done where all keys are values and their code
 * fits one word.
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
	GpusortSpec spec;
	DeviceSession *session;
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
	for (int i = 0; i < sort->keys->nkeys; i++)
	{
		if (sort->keys->keys[i].kind != KEY_IS_VALUE)
			return false;
	}
	return 2 * sort->layout->natts < GPUSORT_SESSION_COLUMNS &&
		(gpusort_engine == GPUSORT_ENGINE_GPU ||
		 (gpusort_engine == GPUSORT_ENGINE_AUTO && sort->store->nrows >= gpusort_min_gpu_keys));
}

/* Writes the rows' codes to sort->packed, as 32-bit keys if the spec says so. */
static void
encode_keys(DeviceOrder *order, const KeyCode *code)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;
	uint64		codes[ROWS_ENCODE_SPAN];

	gpusort_rows_buffer_reserve(sort->memory, &sort->packed, (Size) nrows * sizeof(uint64));
	for (uint32 first = 0; first < nrows; first += ROWS_ENCODE_SPAN)
	{
		uint32		n = Min(ROWS_ENCODE_SPAN, nrows - first);

		gpusort_rows_encode(code, sort->store, NULL, first, n, 0, 64, codes);
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

/* Fetches the row numbers and then as many columns as the device gives. */
static bool
fetch_session(DeviceOrder *order, const char **why)
{
	RowSort    *sort = order->sort;
	uint32		nrows = sort->store->nrows;
	RowBuffer	spare = {0};

	if (!gpusort_session_fetch(order->session, GPUSORT_SESSION_INDEX, 0, nrows, sort->packed.data, why))
		return false;
	sort->order = (uint32 *) sort->packed.data;
	for (int i = 0; i < order->ncolumns; i++)
	{
		DeviceColumn *column = &order->columns[i];
		RowBuffer	fetched;

		gpusort_rows_buffer_reserve(sort->memory, &spare, (Size) sort->store->capacity * column->width);
		if (!gpusort_session_fetch(order->session, i + 1, 0, nrows, spare.data, why))
			break;
		fetched = spare;
		spare = *column->buffer;
		*column->buffer = fetched;
		*column->in_order = true;
		sort->stats.moved_bytes += 2 * (int64) column->width * nrows;
	}
	gpusort_rows_buffer_release(sort->memory, &spare);
	return true;
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
	KeyCode    *code;
	bool		done;

	if (!fits_session(sort))
		return false;
	code = gpusort_rows_code_fitted(sort->keys, sort->store, 32);
	if (code->bits > 64)
	{
		gpusort_rows_code_free(code);
		return false;
	}
	order.spec.form = code->bits <= 32 ? GPUSORT_KEY_UINT32 : GPUSORT_KEY_UINT64;
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
		gpusort_rows_code_free(code);
		return false;
	}
	encode_keys(&order, code);
	gpusort_rows_code_free(code);
	done = sort_session(&order, &why) && fetch_session(&order, &why);
	count_session(&order, done ? NULL : why);
	gpusort_session_close(order.session);
	if (done)
	{
		sort->stats.engine = "gpu";
		sort->stats.moved_bytes += (int64) (order.widths[0] + sizeof(uint32)) * sort->store->nrows;
	}
	else
		ereport(DEBUG1,
				(errmsg_internal("rows are sorted without a device session: %s", why)));
	return done;
}
