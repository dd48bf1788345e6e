/*
 * order.c
 *	  The sorted order of the rows of one store.
 *
 * Each row becomes one packed integer: its row number, and above it as many leading bits
 * of its code as fit.  No two are equal, so sorting these integers is a stable sort by
 * the prefix of the code, and it needs no second array.
 *
 * Rows whose prefixes are equal are tied.  They are packed again in place, with a code
 * made for them alone, and sorted by that.  This repeats until no code tells the rows
 * apart: equal values of few distinct ones have one rank, and the next key orders them.
 * Those rows, and ties of few rows, are compared.  The highest bit of a packed
 * integer is 0, so that signed and unsigned order are the same.
 *
 * With a limit, ties past the limit are not resolved.  When only the set of first rows
 * matters, neither are ties inside it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "cpu_engine/cpu_engine.h"
#include "guc.h"
#include "large_memory.h"
#include "rows/row_code.h"
#include "rows/row_sort.h"
#include "sort/sort.h"

#define ROWS_ENGINE_MIN 1024	/* fewer integers are sorted right here */
#define ROWS_TIE_DEPTH 64		/* how deep ties within ties get codes before rows are compared */
#define ROWS_TIED_SHARE 4		/* words are given up if they tie one row in so many, */
#define ROWS_TIED_LOOKED_AT 64	/* unless most of so many tied ones are equal */
#define ROWS_SELECT_PASSES 64	/* passes of a selection before the rest is sorted instead */

#define ST_SORT sort_packed_here
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

/* Arguments of the functions that break ties. */
typedef struct TieBreaker
{
	RowSort    *sort;
	int			first_key;		/* the first key that is compared */
	int			row_bits;		/* bits of the row number in a packed integer */
	uint64		row_mask;
	const uint64 *end;			/* where the rows that are wanted end */
	bool		in_order;		/* false if only the last wanted row must be in its place */
} TieBreaker;

/*
 * Sorts packed integers: few right here, many on an engine.  A whole store that a GPU was to
 * sort goes to an engine even if it is small, so that the fallback is counted, or raises an
 * error.
 */
static void
sort_packed(RowSort *sort, uint64 *packed, uint32 count, bool whole)
{
	bool		for_gpu = whole && (sort->failed != REASON_NONE || gpusort_engine == GPUSORT_ENGINE_GPU);
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
		.use = USED_FOR_ROWS,
		.progress = sort->progress,
		.failed = sort->failed
	};

	if (count < ROWS_ENGINE_MIN && !for_gpu)
	{
		sort_packed_here(packed, count);
		return;
	}
	sort->failed = REASON_NONE;
	gpusort_sort_run(&request);
	if (request.used_engine == ENGINE_GPU)
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
		GPUSORT_CHECK_EVERY(i);
		if (packed[i - 1] > packed[i])
			return false;
	}
	return true;
}

/* Orders two packed integers of a tie by the rows' keys, then by row number. */
static int
compare_tied(const uint64 *a, const uint64 *b, const TieBreaker *breaker)
{
	const RowStore *store = breaker->sort->store;
	uint32		row_a = *a & breaker->row_mask;
	uint32		row_b = *b & breaker->row_mask;
	int			order;

	CHECK_FOR_INTERRUPTS();
	order = gpusort_rows_compare(breaker->sort->keys, breaker->first_key, store, row_a, store, row_b);
	return order != 0 ? order : (row_a < row_b ? -1 : 1);
}

static inline void
swap_packed(uint64 *a, uint64 *b)
{
	uint64		value = *a;

	*a = *b;
	*b = value;
}

/*
 * Merge sort, because comparisons are expensive.  spare has space for half of the rows.
 */
static void
merge_tied(TieBreaker *breaker, uint64 *packed, uint32 count, uint64 *spare)
{
	uint32		half = count / 2;
	uint32		left = 0;
	uint32		right = half;
	uint32		done = 0;

	if (count < 2)
		return;
	merge_tied(breaker, packed, half, spare);
	merge_tied(breaker, packed + half, count - half, spare);
	if (compare_tied(packed + half - 1, packed + half, breaker) < 0)
		return;
	memcpy(spare, packed, half * sizeof(uint64));
	while (left < half && right < count)
	{
		if (compare_tied(spare + left, packed + right, breaker) < 0)
			packed[done++] = spare[left++];
		else
			packed[done++] = packed[right++];
	}
	memcpy(packed + done, spare + left, (half - left) * sizeof(uint64));
}

/* Sorts the rows of a tie by comparing them. */
static void
sort_tied(TieBreaker *breaker, uint64 *packed, uint32 count)
{
	uint64		few[GPUSORT_ROWS_COMPARED];
	uint64	   *spare = few;

	if (count / 2 > GPUSORT_ROWS_COMPARED)
		spare = MemoryContextAllocHuge(CurrentMemoryContext, count / 2 * sizeof(uint64));
	merge_tied(breaker, packed, count, spare);
	if (spare != few)
		pfree(spare);
}

/* Moves the row that belongs at a place of a tie there, and the rows before it to places before it (quickselect). */
static void
select_tied(TieBreaker *breaker, uint64 *packed, uint32 count, uint32 place)
{
	uint32		low = 0;
	uint32		high = count;	/* the row lies in low .. high - 1 */

	for (int passes = 0; high - low > 1; passes++)
	{
		uint64	   *last = packed + high - 1;
		uint32		middle = low + (high - low) / 2;

		if (passes == ROWS_SELECT_PASSES)
		{
			sort_tied(breaker, packed + low, high - low);
			return;
		}
		/* The median of three goes to the end and divides the others. */
		if (compare_tied(packed + middle, packed + low, breaker) < 0)
			swap_packed(packed + middle, packed + low);
		if (compare_tied(packed + middle, last, breaker) < 0)
			swap_packed(packed + middle, last);
		if (compare_tied(last, packed + low, breaker) < 0)
			swap_packed(last, packed + low);
		middle = low;
		for (uint32 i = low; i < high - 1; i++)
		{
			if (compare_tied(packed + i, last, breaker) < 0)
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

/* True if the values of a key are the same bytes in all rows of a tie. */
static bool
is_same(const TieBreaker *breaker, const uint64 *packed, uint32 count, const RowKey *key)
{
	const RowStore *store = breaker->sort->store;
	bool		first_null;
	Datum		first = gpusort_rows_store_get(store, packed[0] & breaker->row_mask, key->attribute, &first_null);

	for (uint32 i = 1; i < count; i++)
	{
		bool		is_null;
		Datum		value = gpusort_rows_store_get(store, packed[i] & breaker->row_mask, key->attribute, &is_null);

		CHECK_FOR_INTERRUPTS();
		if (is_null || first_null ? is_null != first_null : !gpusort_ranks_same_bytes(key->by_value, key->length, value, first))
			return false;
	}
	return true;
}

/* Orders the rows of a tie by comparing them from a key on, as far as their order is wanted. */
static void
compare_tie(TieBreaker *breaker, uint64 *packed, uint32 count, int first_key)
{
	uint32		wanted = Min(count, breaker->end - packed);

	breaker->first_key = first_key;
	if (!breaker->in_order || wanted < count / 2)
		select_tied(breaker, packed, count, wanted - 1);
	else
		wanted = count;
	if (breaker->in_order)
		sort_tied(breaker, packed, wanted);
}

/* Packs the rows of a tie again, by the code. */
static void
pack_tie(TieBreaker *breaker, const KeyCode *code, uint64 *packed, uint32 count)
{
	uint32		rows[ROWS_ENCODE_SPAN];

	for (uint32 done = 0; done < count; done += ROWS_ENCODE_SPAN)
	{
		uint32		n = Min(ROWS_ENCODE_SPAN, count - done);

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < n; i++)
			rows[i] = packed[done + i] & breaker->row_mask;
		gpusort_rows_encode(code, breaker->sort->store, rows, 0, n, ROWS_PACKED_BITS - breaker->row_bits, packed + done);
		for (uint32 i = 0; i < n; i++)
			packed[done + i] = (packed[done + i] << breaker->row_bits) | rows[i];
	}
}

static void break_ties(TieBreaker *breaker, uint64 *packed, uint32 count, int nexact, bool spent, int depth);

/*
 * Orders rows that are equal in the keys before first_key, and in the bytes of that if they are
 * spent.  They come in the input's order.  depth counts ties within ties.
 */
static void
order_tie(TieBreaker *breaker, uint64 *packed, uint32 count, int first_key, bool spent, int depth)
{
	RowList		list = {packed, breaker->row_mask, count, spent};
	int			word_bits = ROWS_PACKED_BITS - breaker->row_bits;
	KeyCode    *code = NULL;
	int			nexact = first_key;
	bool		told_apart = false;

	CHECK_FOR_INTERRUPTS();
	/* No code of equal values is made, nor are these compared. */
	while (first_key + 1 < breaker->sort->keys->nkeys && is_same(breaker, packed, count, &breaker->sort->keys->keys[first_key]))
	{
		list.spent = false;
		nexact = ++first_key;
	}
	if (count > GPUSORT_ROWS_COMPARED && depth <= ROWS_TIE_DEPTH)
	{
		code = gpusort_rows_code_fitted(breaker->sort->keys, first_key, breaker->sort->store, &list, word_bits, word_bits);
		nexact = code->nexact;
		spent = code->spent;
		told_apart = code->bits > 0;
		if (told_apart)
			pack_tie(breaker, code, packed, count);
		gpusort_rows_code_free(code);
	}
	if (!told_apart)
	{
		if (nexact < breaker->sort->keys->nkeys)
			compare_tie(breaker, packed, count, nexact);
		return;
	}
	if (!is_ascending(packed, count))
		sort_packed(breaker->sort, packed, count, false);
	/* If the packed bits of all rows are equal, other bytes would tell no more of them apart. */
	spent |= nexact == first_key && packed[0] >> breaker->row_bits == packed[count - 1] >> breaker->row_bits;
	break_ties(breaker, packed, count, nexact, spent, depth);
}

/*
 * Finds rows with equal prefixes, which are equal in nexact keys, and in the bytes of the next key
 * if these are spent, and orders them.
 */
static void
break_ties(TieBreaker *breaker, uint64 *packed, uint32 count, int nexact, bool spent, int depth)
{
	RowList		list = {packed, breaker->row_mask, count};
	uint32		end;

	if (nexact == breaker->sort->keys->nkeys)
		return;
	check_stack_depth();
	for (uint32 start = 0; start < count && packed + start < breaker->end; start = end)
	{
		uint64		prefix = packed[start] >> breaker->row_bits;

		for (end = start; end < count && packed[end] >> breaker->row_bits == prefix; end++)
			GPUSORT_CHECK_EVERY(end);
		if (end - start == 1 || !(breaker->in_order || packed + end >= breaker->end))
			continue;
		/* Where there are more, the functions that make a code of them prefetch the others. */
		for (uint32 i = start; i < Min(end, start + GPUSORT_ROWS_COMPARED); i++)
			gpusort_rows_prefetch(breaker->sort->store, &list, i, 1);
		order_tie(breaker, packed + start, end - start, nexact, spent, depth + 1);
	}
}

/* Bits that the numbers of the store's rows take, at least one. */
int
gpusort_rows_row_bits(const RowStore *store)
{
	return store->nrows <= 1 ? 1 : gpusort_rows_bit_length(store->nrows - 1);
}

static TieBreaker
tie_breaker(RowSort *sort)
{
	int			row_bits = gpusort_rows_row_bits(sort->store);

	return (TieBreaker)
	{
		.sort = sort,
		.row_bits = row_bits,
		.row_mask = (UINT64CONST(1) << row_bits) - 1,
		.in_order = true
	};
}

/* Packs rows first .. first + count - 1, with as many leading bits of their codes as fit. */
static void
pack(const TieBreaker *breaker, const KeyCode *code, uint32 first, uint32 count, uint64 *packed)
{
	int			row_bits = breaker->row_bits;

	for (uint32 done = 0; done < count; done += ROWS_ENCODE_SPAN)
	{
		uint32		n = Min(ROWS_ENCODE_SPAN, count - done);

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_encode(code, breaker->sort->store, NULL, first + done, n, ROWS_PACKED_BITS - row_bits, packed + done);
		for (uint32 i = done; i < done + n; i++)
			packed[i] = (packed[i] << row_bits) | (first + i);
	}
}

/* Writes the row numbers of packed integers.  They may take the place of these: writing never overtakes reading. */
static void
unpack(const TieBreaker *breaker, const uint64 *packed, uint32 count, uint32 *rows)
{
	uint64		row_mask = breaker->row_mask;

	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		rows[i] = packed[i] & row_mask;
	}
}

/* Has the rows of the store be in order as they lie. */
void
gpusort_rows_order_as_stored(RowSort *sort)
{
	gpusort_rows_buffer_reserve(sort->context, &sort->packed, sort->store->nrows * sizeof(uint32));
	sort->order = (uint32 *) sort->packed.data;
	for (uint32 row = 0; row < sort->store->nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		sort->order[row] = row;
	}
}

/* Orders rows that are equal in the keys before first_key.  Their numbers must come in ascending order. */
void
gpusort_rows_order_tie(RowSort *sort, uint32 *rows, uint32 count, int first_key)
{
	TieBreaker	breaker = tie_breaker(sort);
	uint64	   *packed = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(uint64));

	for (uint32 i = 0; i < count; i++)
		packed[i] = rows[i];
	breaker.end = packed + count;
	order_tie(&breaker, packed, count, first_key, false, 1);
	unpack(&breaker, packed, count, rows);
	pfree(packed);
}

/*
 * Writes the order of rows first .. first + count - 1, which are before and behind others, to their places of
 * sort->order.  They are sorted on the CPU.  `packed` has space for them.
 */
void
gpusort_rows_order_part(RowSort *sort, const KeyCode *code, uint32 first, uint32 count, uint64 *packed)
{
	TieBreaker	breaker = tie_breaker(sort);
	GpusortSegment segment = {0, count};
	SortRequest request = {
		.spec = {.form = GPUSORT_KEY_INT64},
		.keys = packed,
		.segments = &segment,
		.nsegments = 1,
		.nslots = count
	};

	pack(&breaker, code, first, count, packed);
	if (!is_ascending(packed, count))
		gpusort_cpu_engine_sort(&request);
	breaker.end = packed + count;
	break_ties(&breaker, packed, count, code->nexact, code->spent, 0);
	unpack(&breaker, packed, count, sort->order + first);
}

/*
 * Sets sort->order to the sorted order of the rows in sort->store.  Only the first
 * `wanted` rows, at least one, come in order; the others follow in any order.  Without
 * in_order the wanted rows also come in any order, except that the last of them is last.
 */
void
gpusort_rows_order(RowSort *sort, uint32 wanted, bool in_order)
{
	RowStore   *store = sort->store;
	uint32		nrows = store->nrows;
	RowList		list = {.count = nrows};
	TieBreaker	breaker = tie_breaker(sort);
	int			prefix_bits = ROWS_PACKED_BITS - breaker.row_bits;
	KeyCode    *code;
	uint64	   *packed;

	gpusort_rows_buffer_reserve(sort->context, &sort->packed, (Size) nrows * sizeof(uint64));
	packed = (uint64 *) sort->packed.data;
	code = gpusort_rows_code_fitted(sort->keys, 0, store, &list, prefix_bits, prefix_bits);
	pack(&breaker, code, 0, nrows, packed);
	if (!is_ascending(packed, nrows))
		sort_packed(sort, packed, nrows, true);
	breaker.end = packed + wanted;
	breaker.in_order = in_order;
	break_ties(&breaker, packed, nrows, code->nexact, code->spent, 0);
	gpusort_rows_code_free(code);
	sort->order = (uint32 *) packed;
	unpack(&breaker, packed, nrows, sort->order);
}

/* True if words that are packed and sorted tie many rows whose first keys differ, so that other codes are better. */
static bool
words_tie_many(const TieBreaker *breaker, const uint64 *packed, uint32 count)
{
	uint32		tied = 0;
	uint32		looked_at = 0;
	uint32		same = 0;

	for (uint32 i = 1; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		tied += packed[i - 1] >> breaker->row_bits == packed[i] >> breaker->row_bits;
	}
	if (tied <= count / ROWS_TIED_SHARE)
		return false;
	for (uint32 i = 1; i < count && looked_at < ROWS_TIED_LOOKED_AT; i += Max(count / (4 * ROWS_TIED_LOOKED_AT), 1))
		if (packed[i - 1] >> breaker->row_bits == packed[i] >> breaker->row_bits)
		{
			looked_at++;
			same += is_same(breaker, packed + i - 1, 2, breaker->sort->keys->keys);
		}
	return same <= looked_at / 2;
}

/*
 * Orders all rows of the store as gpusort_rows_order does, by the words that they have, or by those of the sort's common code.
 * Returns false if there are none, or if they are no use.
 */
bool
gpusort_rows_order_by_words(RowSort *sort)
{
	RowStore   *store = sort->store;
	uint32		nrows = store->nrows;
	const uint64 *words = (const uint64 *) store->words.data;
	TieBreaker	breaker = tie_breaker(sort);
	uint64		different = 0;
	uint64	   *packed;
	int			skip;

	if (store->word_kind == 0 && sort->code == NULL)
		return false;
	gpusort_rows_buffer_reserve(sort->context, &sort->packed, (Size) nrows * sizeof(uint64));
	packed = (uint64 *) sort->packed.data;
	if (store->word_kind == 0)
	{
		gpusort_rows_encode(sort->code, store, NULL, 0, nrows, ROWS_WORD_BITS, packed);
		words = packed;
	}
	for (uint32 row = 1; row < nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		different |= words[row] ^ words[0];
	}
	if (different == 0)
		return false;
	gpusort_progress_update(sort->progress, SORT_PHASE_SORTING, 0, 1);
	skip = __builtin_clzll(different);
	for (uint32 row = 0; row < nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		packed[row] = (((words[row] << skip) >> (ROWS_WORD_BITS - ROWS_PACKED_BITS)) & ~breaker.row_mask) | row;
	}
	if (!is_ascending(packed, nrows))
		sort_packed(sort, packed, nrows, true);
	if (words_tie_many(&breaker, packed, nrows))
	{
		sort->code = NULL;
		return false;
	}
	breaker.end = packed + nrows;
	break_ties(&breaker, packed, nrows, 0, false, 0);
	sort->order = (uint32 *) packed;
	unpack(&breaker, packed, nrows, sort->order);
	return true;
}
