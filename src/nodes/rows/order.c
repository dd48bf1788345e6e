/*
 * order.c
 *	  The sorted order of the rows of one store.
 *
 * Each row becomes one integer: as many leading bits of its code as there is
 * room for above its row number.  No two are equal, so sorting these integers is
 * a stable sort by the prefix, and it needs no second array.  Rows whose prefixes
 * are equal are then packed again in place with the next bits of the code and
 * sorted by those, until the code ends; what is still equal is compared by the
 * keys behind it.  One bit stays clear so that the integers are ordered alike
 * with and without sign.
 *
 * Where only the first rows are wanted, ties behind them are left alone; where
 * it only matters which rows these are, so are ties among them.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "nodes/rows/row_sort.h"
#include "sort/sort.h"

#define ROWS_PACKED_BITS 63
#define ROWS_ENGINE_MIN 1024	/* fewer integers are sorted right here */
#define ROWS_COMPARE_MAX 12		/* ties of up to so many rows are compared at once */
#define ROWS_ENCODE_SPAN 4096	/* rows of a tie that are encoded at a time */
#define ROWS_SELECT_PASSES 64	/* over a tie whose first rows are looked for, before it is sorted */

#define ST_SORT sort_packed_here
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

/* What breaking ties needs to know. */
typedef struct TieBreaker
{
	RowSort    *sort;
	KeyCode    *code;
	int			row_bits;		/* of the row number in a packed integer */
	uint64		row_mask;
	const uint64 *end;			/* of the rows that are wanted */
	bool		in_order;		/* else only the last of these must be in its place */
} TieBreaker;

/* Sorts packed integers, many of them on an engine. */
static void
sort_packed(RowSort *sort, uint64 *packed, uint32 count)
{
	GpusortSegment segment = {0, count};
	SortRequest request = {
		.spec = {
			.form = GPUSORT_KEY_INT64,
			.payload = GPUSORT_PAYLOAD_NONE,
			.method = GPUSORT_METHOD_AUTO,
		},
		.keys = packed,
		.segments = &segment,
		.nsegments = 1,
		.nslots = count,
	};

	if (count < ROWS_ENGINE_MIN)
	{
		sort_packed_here(packed, count);
		return;
	}
	gpusort_sort(&request);
	if (strcmp(request.used_engine, "gpu") == 0)
		sort->stats.used_gpu = true;
	else
		sort->stats.used_cpu = true;
	sort->stats.moved_bytes += 2 * (int64) sizeof(uint64) * count;
}

static bool
is_ascending(const uint64 *packed, uint32 count)
{
	for (uint32 i = 1; i < count; i++)
	{
		if (packed[i - 1] > packed[i])
			return false;
	}
	return true;
}

/* Orders two packed integers of a tie by the rows' keys, then by row number. */
static int
compare_tied(const void *a, const void *b, void *arg)
{
	const TieBreaker *breaker = arg;
	const RowStore *store = breaker->sort->store;
	uint32		row_a = *(const uint64 *) a & breaker->row_mask;
	uint32		row_b = *(const uint64 *) b & breaker->row_mask;
	int			order;

	CHECK_FOR_INTERRUPTS();
	order = gpusort_rows_compare(breaker->sort->keys, 0, store, row_a, store, row_b);
	return order != 0 ? order : (row_a < row_b ? -1 : 1);
}

/* As compare_tied, for rows whose codes are equal. */
static int
compare_rest(const void *a, const void *b, void *arg)
{
	const TieBreaker *breaker = arg;
	const RowKeys *keys = breaker->sort->keys;
	const RowStore *store = breaker->sort->store;
	uint32		row_a = *(const uint64 *) a & breaker->row_mask;
	uint32		row_b = *(const uint64 *) b & breaker->row_mask;
	int			order;

	CHECK_FOR_INTERRUPTS();
	order = gpusort_rows_compare(keys, breaker->code->nexact, store, row_a, store, row_b);
	return order != 0 ? order : (row_a < row_b ? -1 : 1);
}

static inline void
swap_packed(uint64 *a, uint64 *b)
{
	uint64		value = *a;

	*a = *b;
	*b = value;
}

/* Moves the row that comes at a place of a tie there, and those before it to places before it. */
static void
select_tied(TieBreaker *breaker, uint64 *packed, uint32 count, uint32 place, qsort_arg_comparator compare)
{
	uint32		low = 0;
	uint32		high = count;	/* the row is one of low .. high - 1 */

	for (int passes = 0; high - low > 1; passes++)
	{
		uint64	   *last = packed + high - 1;
		uint32		middle = low + (high - low) / 2;

		if (passes == ROWS_SELECT_PASSES)
		{
			qsort_arg(packed + low, high - low, sizeof(uint64), compare, breaker);
			return;
		}
		/* The median of three, last, parts the others. */
		if (compare(packed + middle, packed + low, breaker) < 0)
			swap_packed(packed + middle, packed + low);
		if (compare(packed + middle, last, breaker) < 0)
			swap_packed(packed + middle, last);
		if (compare(last, packed + low, breaker) < 0)
			swap_packed(last, packed + low);
		middle = low;
		for (uint32 i = low; i < high - 1; i++)
		{
			if (compare(packed + i, last, breaker) < 0)
				swap_packed(packed + i, packed + middle++);
		}
		swap_packed(packed + middle, last);
		if (middle == place)
			return;
		if (middle < place)
			low = middle + 1;
		else
			high = middle;
	}
}

/* Orders rows of a tie by comparing them, as far as their order is wanted. */
static void
compare_tie(TieBreaker *breaker, uint64 *packed, uint32 count, qsort_arg_comparator compare)
{
	uint32		wanted = Min(count, breaker->end - packed);

	if (!breaker->in_order || wanted < count / 2)
		select_tied(breaker, packed, count, wanted - 1, compare);
	else
		wanted = count;
	if (breaker->in_order)
		qsort_arg(packed, wanted, sizeof(uint64), compare, breaker);
}

/* Packs the rows of a tie, in input order, with the code's bits from from_bit on. */
static void
pack_tie(TieBreaker *breaker, uint64 *packed, uint32 count, int from_bit)
{
	uint32		rows[ROWS_ENCODE_SPAN];

	for (uint32 done = 0; done < count; done += ROWS_ENCODE_SPAN)
	{
		uint32		n = Min(ROWS_ENCODE_SPAN, count - done);

		for (uint32 i = 0; i < n; i++)
			rows[i] = packed[done + i] & breaker->row_mask;
		gpusort_rows_encode(breaker->code, breaker->sort->store, rows, 0, n,
							from_bit, ROWS_PACKED_BITS - breaker->row_bits, packed + done);
		for (uint32 i = 0; i < n; i++)
			packed[done + i] = (packed[done + i] << breaker->row_bits) | rows[i];
	}
}

static void break_ties(TieBreaker *breaker, uint64 *packed, uint32 count, int from_bit);

/* Orders rows, in input order, whose codes are equal up to from_bit. */
static void
order_tie(TieBreaker *breaker, uint64 *packed, uint32 count, int from_bit)
{
	const KeyCode *code = breaker->code;

	CHECK_FOR_INTERRUPTS();
	if (from_bit >= code->bits)
	{
		if (code->nexact < breaker->sort->keys->nkeys)
			compare_tie(breaker, packed, count, compare_rest);
		return;
	}
	if (count <= ROWS_COMPARE_MAX)
	{
		compare_tie(breaker, packed, count, compare_tied);
		return;
	}
	from_bit = gpusort_rows_skip_equal(code, breaker->sort->store, packed, breaker->row_mask, count, from_bit);
	if (from_bit < code->bits)
	{
		pack_tie(breaker, packed, count, from_bit);
		if (!is_ascending(packed, count))
			sort_packed(breaker->sort, packed, count);
		from_bit += ROWS_PACKED_BITS - breaker->row_bits;
	}
	break_ties(breaker, packed, count, from_bit);
}

/* Finds rows with equal prefixes and orders them by the bits from from_bit on. */
static void
break_ties(TieBreaker *breaker, uint64 *packed, uint32 count, int from_bit)
{
	uint32		end;

	if (from_bit >= breaker->code->bits && breaker->code->nexact == breaker->sort->keys->nkeys)
		return;
	check_stack_depth();
	for (uint32 start = 0; start < count && packed + start < breaker->end; start = end)
	{
		uint64		prefix = packed[start] >> breaker->row_bits;

		for (end = start + 1; end < count && packed[end] >> breaker->row_bits == prefix;)
			end++;
		if (end - start > 1 && (breaker->in_order || packed + end >= breaker->end))
			order_tie(breaker, packed + start, end - start, from_bit);
	}
}

static TieBreaker
tie_breaker(RowSort *sort, KeyCode *code)
{
	uint32		nrows = sort->store->nrows;
	int			row_bits = nrows <= 1 ? 1 : 32 - __builtin_clz(nrows - 1);

	return (TieBreaker)
	{
		.sort = sort,
		.code = code,
		.row_bits = row_bits,
		.row_mask = (UINT64CONST(1) << row_bits) - 1,
		.in_order = true
	};
}

/* Orders rows of the store, in ascending order, whose codes are equal up to from_bit. */
void
gpusort_rows_order_tie(RowSort *sort, KeyCode *code, uint32 *rows, uint32 count, int from_bit)
{
	TieBreaker	breaker = tie_breaker(sort, code);
	uint64	   *packed = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(uint64));

	for (uint32 i = 0; i < count; i++)
		packed[i] = rows[i];
	breaker.end = packed + count;
	order_tie(&breaker, packed, count, from_bit);
	for (uint32 i = 0; i < count; i++)
		rows[i] = packed[i] & breaker.row_mask;
	pfree(packed);
}

/*
 * Sets sort->order to the sorted order of the rows in sort->store, up to the number
 * wanted, at least one; those behind them follow in any order.  Without in_order the
 * wanted ones do so too, but for the last of them, which is last.
 */
void
gpusort_rows_order(RowSort *sort, uint32 wanted, bool in_order)
{
	RowStore   *store = sort->store;
	uint32		nrows = store->nrows;
	TieBreaker	breaker = tie_breaker(sort, NULL);
	int			prefix_bits = ROWS_PACKED_BITS - breaker.row_bits;
	uint64	   *packed;

	gpusort_rows_buffer_reserve(sort->memory, &sort->packed, (Size) nrows * sizeof(uint64));
	packed = (uint64 *) sort->packed.data;
	breaker.code = gpusort_rows_code_fitted(sort->keys, store, prefix_bits);

	for (uint32 first = 0; first < nrows; first += ROWS_ENCODE_SPAN)
	{
		uint32		n = Min(ROWS_ENCODE_SPAN, nrows - first);

		gpusort_rows_encode(breaker.code, store, NULL, first, n, 0, prefix_bits, packed + first);
		for (uint32 i = first; i < first + n; i++)
			packed[i] = (packed[i] << breaker.row_bits) | i;
	}
	CHECK_FOR_INTERRUPTS();
	if (!is_ascending(packed, nrows))
		sort_packed(sort, packed, nrows);
	breaker.end = packed + wanted;
	breaker.in_order = in_order;
	break_ties(&breaker, packed, nrows, prefix_bits);
	gpusort_rows_code_free(breaker.code);

	/* Each row number is written no further than where it was read. */
	sort->order = (uint32 *) packed;
	for (uint32 i = 0; i < nrows; i++)
		sort->order[i] = packed[i] & breaker.row_mask;
}
