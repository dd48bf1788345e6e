/*
 * row_parts.c
 *	  Rows beyond work_mem in parts, see row_parts.h.
 *
 * Rows of a part stay in the input's order, so that the sort is stable: blocks are appended in that
 * order, and equal rows are always in one part.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "keys/key_compare.h"
#include "large_memory.h"
#include "rows/row_parts.h"
#include "rows/row_plain.h"
#include "rows/row_scatter.h"
#include "rows/row_strings.h"

#define PARTS_MIN 128			/* the planner may expect far too few rows */
#define PARTS_MAX 256			/* each store writes a block to every part */
#define PARTS_AGAIN_MIN 16		/* the least number of parts that a part is divided into */
#define PARTS_SHARE 1.5			/* a part should take 1 / 1.5 of memory, because the first store is only a sample */
#define PARTS_CACHED_BYTES (2.0 * 1024 * 1024)	/* and no more than this, which the caches hold */
#define PARTS_ROWS_PER_BLOCK 64	/* parts are no more than that a block has so many rows or bytes */
#define PARTS_BYTES_PER_BLOCK (4.0 * 1024)
#define PARTS_DIVIDED_BYTES ((Size) 4 * 1024 * 1024)	/* rows that are divided at a time lie in the caches */
#define PARTS_BLOCK_MIN ((Size) 8 * 1024)
#define PARTS_BLOCK_MAX ((Size) 256 * 1024)	/* a block of one row may be larger */
#define PARTS_BLOCKS_IN_MEMORY 32	/* a block takes 1/32 of work_mem at most */
#define PARTS_SAMPLED 64		/* rows of the sample for each part */
#define PARTS_SAMPLE_SHARE 16	/* the sample takes 1/16 of work_mem at most */
#define PARTS_SAMPLE_MIN ((Size) 16 * 1024)	/* or these bytes */
#define PARTS_SAMPLE_BLOCKS 64	/* blocks of a part that is divided again from which a sample comes, or fewer for few parts */
#define PARTS_COMPARED_MAX 64	/* more would be found by too many comparisons */
#define PARTS_FEW_ROWS 64		/* a sample of fewer rows does not tell whether a code is of use */
#define PARTS_BEYOND_SHARE 16	/* parts are added if one row in 16 comes beyond all before them */
#define PARTS_DRIFT_SHARE 4		/* of input that seems to come in order, so many times fewer parts are made */
#define PARTS_DRIFT_RUNS 8.0	/* or so many that they suffice if as many runs come one after the other */
#define PARTS_DRIFT_ROWS 64		/* rows that are looked at to see that */
#define PARTS_BYTES_PER_PART 1024	/* no more parts are added than would take so much of memory each */
#define PARTS_DEPTH 8			/* rows that were divided as often by codes are compared */

/* Bytes of a row of a store in memory, while it is ordered. */
static double
loaded_row_bytes(const RowSort *sort, const RowStore *store)
{
	return (double) gpusort_rows_store_bytes(store) / store->nrows + gpusort_rows_sort_bytes(sort->keys);
}

Size
gpusort_rows_parts_store_bytes(const RowSort *sort)
{
	/* With a bound a larger store drops more rows. */
	return sort->bound != NULL || sort->look_at > 0 ? sort->memory_limit : Min(sort->memory_limit, PARTS_DIVIDED_BYTES);
}

RowParts *
gpusort_rows_parts_create(RowSort *sort)
{
	RowParts   *parts = palloc0(sizeof(RowParts));

	parts->sort = sort;
	parts->loaded = -1;
	parts->block_bytes = Min(Max(sort->memory_limit / PARTS_BLOCKS_IN_MEMORY, PARTS_BLOCK_MIN), PARTS_BLOCK_MAX);
	return parts;
}

/* Bytes of a part in memory, while it is ordered. */
static Size
part_bytes(const RowSort *sort, const RowPart *part)
{
	return part->bytes + part->nrows * gpusort_rows_sort_bytes(sort->keys);
}

/*
 * How many parts nrows rows of so many bytes each should have.  If there would be too many, all will be divided
 * again, maybe several times: then parts are as many as each of them is divided into.
 */
static int
wanted_parts(const RowSort *sort, double nrows, double bytes, int at_least)
{
	double		block = Min(PARTS_ROWS_PER_BLOCK * bytes, PARTS_BYTES_PER_BLOCK);
	double		most = Min(Min(sort->memory_limit, PARTS_DIVIDED_BYTES) / block, PARTS_MAX);
	double		wanted = nrows * bytes / Min(sort->memory_limit / PARTS_SHARE, PARTS_CACHED_BYTES);

	if (nrows * bytes > most * sort->memory_limit)
		return Max(Min(pow(wanted, 1 / ceil(log(wanted / PARTS_SHARE) / log(most))), most), 3);
	return Max(Min(Max(wanted, at_least), most), 3);
}

/* True if words of the second half mostly come above those of the first half, or below them. */
static bool
words_drift(const uint64 *words, uint32 n)
{
	uint64		first[PARTS_DRIFT_ROWS];
	int			above = 0;

	if (n < 2 * PARTS_DRIFT_ROWS)
		return false;
	for (uint64 i = 0; i < PARTS_DRIFT_ROWS; i++)
		first[i] = words[i * n / (2 * PARTS_DRIFT_ROWS)];
	qsort(first, PARTS_DRIFT_ROWS, sizeof(uint64), gpusort_compare_codes);
	for (uint64 i = PARTS_DRIFT_ROWS; i < 2 * PARTS_DRIFT_ROWS; i++)
		above += words[i * n / (2 * PARTS_DRIFT_ROWS)] > first[PARTS_DRIFT_ROWS / 2];
	return above < PARTS_DRIFT_ROWS / 8 || above > PARTS_DRIFT_ROWS - PARTS_DRIFT_ROWS / 8;
}

/* Makes count parts without rows before part `at`. */
static void
insert_parts(PartSet *set, int at, int count)
{
	if (set->nparts + count > set->slots)
	{
		set->slots = 2 * (set->nparts + count);
		set->parts = set->parts == NULL ? palloc(set->slots * sizeof(RowPart))
			: repalloc_huge(set->parts, set->slots * sizeof(RowPart));
	}
	memmove(set->parts + at + count, set->parts + at, (set->nparts - at) * sizeof(RowPart));
	memset(set->parts + at, 0, count * sizeof(RowPart));
	set->nparts += count;
	if (at <= set->dropped_from)
		set->dropped_from += count;
}

/*
 * Makes nparts parts or so of the rows of a part, or of all rows, of which the first ones are in the store; nrows in all.
 * A part is not divided by a code that is of no use.
 */
static void
begin(RowParts *parts, PartSet *set, const RowPart *part, int nparts, double nrows)
{
	RowSort    *sort = parts->sort;
	int			first_key = part == NULL ? 0 : part->first_key;
	int			depth = part == NULL ? 0 : part->depth;

	memset(set, 0, sizeof(PartSet));
	if (depth < PARTS_DEPTH)
	{
		RowStore   *sample = gpusort_rows_parts_sample(sort, part, nparts * PARTS_SAMPLED, Min(nparts, PARTS_SAMPLE_BLOCKS), false);

		set->division = gpusort_rows_division_make(sort->keys, first_key, sample, nrows, nparts);
		if (set->division->vain && (depth > 0 || sample->nrows >= PARTS_FEW_ROWS))
		{
			gpusort_rows_division_free(set->division);
			set->division = NULL;
		}
		gpusort_rows_store_free(sample);
	}
	if (set->division == NULL)
	{
		RowStore   *sample = gpusort_rows_parts_sample(sort, part, nparts * PARTS_SAMPLED, Min(nparts, PARTS_SAMPLE_BLOCKS), true);

		set->division = gpusort_rows_division_compared(sort->keys, first_key, sample, Min(nparts, PARTS_COMPARED_MAX));
	}
	set->first_nparts = nparts;
	insert_parts(set, 0, set->division->nparts);
	set->dropped_from = set->nparts;
	set->file = gpusort_rows_spill_create();
}

/* The same for rows of which the first ones are in the store. */
static void
begin_all(RowParts *parts, double nrows)
{
	RowSort    *sort = parts->sort;

	begin(parts, &parts->set, NULL, wanted_parts(sort, nrows, loaded_row_bytes(sort, sort->store), PARTS_MIN), nrows);
}

static inline bool
is_beyond(uint64 word, uint64 limit, bool above)
{
	return above ? word > limit : word < limit;
}

/* Writes every step-th of n words, if it is beyond a limit.  Returns how many it wrote, or counts them only if `beyond` is NULL. */
static uint32
list_beyond(const uint64 *words, uint32 n, uint32 step, uint64 limit, bool above, uint64 *beyond)
{
	uint32		count = 0;

	for (uint32 i = 0; i < n; i += step)
	{
		GPUSORT_CHECK_EVERY(i);
		if (beyond != NULL && is_beyond(words[i], limit, above))
			beyond[count] = words[i];
		count += is_beyond(words[i], limit, above);
	}
	return count;
}

/*
 * Adds parts beyond the greatest word so far, or the lowest, if many of these words are there.  `nearest` is the one
 * of them that is most likely not.
 */
static void
grow_end(const RowSort *sort, PartSet *set, const uint64 *words, uint32 n, uint64 nearest, bool above)
{
	uint64		limit = above ? set->greatest : set->lowest;
	uint32		count = is_beyond(nearest, limit, above) ? n : list_beyond(words, n, 1, limit, above, NULL);
	uint32		step;
	uint64	   *sample;
	uint64	   *least;
	int			wanted;

	if (count == 0 || count < n / PARTS_BEYOND_SHARE)
		return;
	wanted = (double) set->first_nparts * count / n;
	if (words_drift(words, n))
		wanted = Min(wanted / PARTS_DRIFT_SHARE, PARTS_DRIFT_RUNS * set->first_nparts * count / sort->expected_rows);
	if (wanted == 0 || set->nparts > sort->memory_limit / PARTS_BYTES_PER_PART)
		wanted = 1;
	step = Max(count / (wanted * PARTS_SAMPLED), 1);
	sample = palloc((n / step + 1) * sizeof(uint64));
	count = list_beyond(words, n, step, limit, above, sample);
	qsort(sample, count, sizeof(uint64), gpusort_compare_codes);
	least = palloc(wanted * sizeof(uint64));
	least[0] = above ? limit + 1 : 0;
	/* The sample may have none of them. */
	count = 1 + gpusort_rows_division_cut(sample, count, count == 0 ? 1 : wanted, least[0], least + 1);
	if (least[count - 1] >= limit && !above && count > 1)
		count--;
	gpusort_rows_division_insert(set->division, above ? set->nparts : 0, least, count);
	insert_parts(set, above ? set->nparts : 0, count);
	if (!above)
		set->division->least[count] = limit;
	pfree(least);
	pfree(sample);
}

typedef enum WordOrder
{
	WORDS_ASCEND,				/* each greater than the one before it */
	WORDS_DESCEND,
	WORDS_IN_NO_ORDER
} WordOrder;

/* How the words come.  Other words than sorted ones show that soon. */
static WordOrder
word_order(const uint64 *words, uint32 n)
{
	bool		ascend = n < 2 || words[1] > words[0];

	for (uint32 i = 1; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (ascend ? words[i] <= words[i - 1] : words[i] >= words[i - 1])
			return WORDS_IN_NO_ORDER;
	}
	return ascend ? WORDS_ASCEND : WORDS_DESCEND;
}

/* Notes the range of words, and adds parts where they go beyond the former one, if the parts may grow.  Returns how they come. */
static WordOrder
note_words(const RowSort *sort, PartSet *set, const uint64 *words, uint32 n, bool may_grow)
{
	WordOrder	order = word_order(words, n);
	uint64		lowest = Min(words[0], words[n - 1]);
	uint64		greatest = Max(words[0], words[n - 1]);

	for (uint32 i = 0; i < n && order == WORDS_IN_NO_ORDER; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		lowest = Min(lowest, words[i]);
		greatest = Max(greatest, words[i]);
	}
	/* Words of keys that were cut for the sample are not those of the rows. */
	if (!set->seen && set->nparts > 1)
	{
		lowest = Min(lowest, set->division->least[1]);
		greatest = Max(greatest, set->division->least[set->nparts - 1]);
	}
	if (set->seen && may_grow && lowest < set->lowest)
		grow_end(sort, set, words, n, greatest, false);
	if (set->seen && may_grow && greatest > set->greatest && set->dropped_from == set->nparts)
		grow_end(sort, set, words, n, lowest, true);
	set->lowest = set->seen ? Min(set->lowest, lowest) : lowest;
	set->greatest = set->seen ? Max(set->greatest, greatest) : greatest;
	set->seen = true;
	return order;
}

/* Notes whether a row that is added to a part behind others, if it has some, is in order, as far as the word tells. */
static inline void
note_order(RowPart *part, bool has_some, uint64 word, bool decides)
{
	if (has_some)
	{
		part->out_of_order |= word < part->last || (word == part->last && !decides);
		part->not_reversed |= word >= part->last;
	}
	part->last = word;
}

/* Divides rows first .. first + n - 1 of a store.  Returns how many were not wanted. */
static uint64
divide_some(RowParts *parts, PartSet *set, const RowStore *store, uint32 first, uint32 n, bool may_grow)
{
	RowSort    *sort = parts->sort;
	Division   *division = set->division;
	bool		decides = false;
	WordOrder	order = WORDS_IN_NO_ORDER;
	uint64		dropped = 0;
	uint64	   *words;
	uint32	   *numbers;
	uint32	   *rows;
	uint32	   *ends;

	gpusort_rows_buffer_reserve(sort->context, &sort->packed, (Size) n * 2 * sizeof(uint64));
	words = (uint64 *) sort->packed.data;
	numbers = (uint32 *) (words + n);
	rows = numbers + n;
	if (division->code != NULL)
	{
		gpusort_rows_division_encode(division, store, first, n, words);
		decides = gpusort_rows_division_decides(division);
		order = note_words(sort, set, words, n, may_grow);
	}
	ends = palloc0(set->nparts * sizeof(uint32));
	if (order != WORDS_IN_NO_ORDER)
		gpusort_rows_division_find_sorted(division, words, n, order == WORDS_DESCEND, ends);
	else
	{
		if (division->code != NULL)
			gpusort_rows_division_find(division, words, n, numbers, ends);
		else
			gpusort_rows_division_compare(division, store, first, n, numbers, ends);
		gpusort_rows_division_list(division, numbers, first, n, ends, rows);
	}
	for (int p = 0; p < set->nparts; p++)
	{
		RowPart    *part = &set->parts[p];
		int			before = order == WORDS_DESCEND ? p + 1 : p - 1;
		uint32		begin = before >= 0 && before < set->nparts ? ends[before] : 0;
		uint32		count = ends[p] - begin;

		if (p >= set->dropped_from)
			dropped += count;
		if (count == 0 || p >= set->dropped_from)
			continue;
		if (order != WORDS_IN_NO_ORDER)
		{
			note_order(part, part->nrows > 0, words[begin], decides);
			if (count > 1)
				note_order(part, true, words[ends[p] - 1], decides);
			gpusort_rows_part_append(part, set->file, store, NULL, first + begin, count, parts->block_bytes);
			continue;
		}
		for (uint32 i = begin; i < ends[p] && !(part->out_of_order && part->not_reversed); i++)
		{
			if (division->code == NULL)
				part->out_of_order = part->not_reversed = true;
			else
				note_order(part, part->nrows > 0 || i > begin, words[rows[i] - first], decides);
		}
		gpusort_rows_part_append(part, set->file, store, rows + begin, 0, count, parts->block_bytes);
	}
	pfree(ends);
	return dropped;
}

/* Divides all rows of a store, so many at a time as lie in the caches.  Returns how many were not wanted. */
static uint64
divide(RowParts *parts, PartSet *set, const RowStore *store, bool may_grow)
{
	uint32		step = Max(PARTS_DIVIDED_BYTES / loaded_row_bytes(parts->sort, store), PARTS_ROWS_PER_BLOCK);
	int64		before = gpusort_rows_spill_size(set->file);
	uint64		dropped = 0;

	for (uint32 first = 0; first < store->nrows; first += step)
		dropped += divide_some(parts, set, store, first, Min(step, store->nrows - first), may_grow);
	parts->disk_bytes += gpusort_rows_spill_size(set->file) - before;
	return dropped;
}

/* Divides the rows of a part, which is read into a store piece by piece within so much memory. */
static void
divide_part(RowParts *parts, PartSet *set, const RowPart *part, RowStore *store, Size limit)
{
	PartReader	reader = gpusort_rows_part_read(part);

	gpusort_rows_store_clear(store);
	while (gpusort_rows_part_fill(&reader, store, gpusort_rows_sort_bytes(parts->sort->keys), limit))
	{
		(void) divide(parts, set, store, false);
		gpusort_rows_store_clear(store);
	}
}

/* Divides all rows so far in another way, which the store suggests.  Its rows stay there. */
static void
divide_otherwise(RowParts *parts, double nrows)
{
	RowSort    *sort = parts->sort;
	RowStore   *piece = gpusort_rows_store_create(sort->context, sort->layout);
	PartSet		former = parts->set;

	begin_all(parts, nrows);
	for (int p = 0; p < former.nparts; p++)
	{
		if (former.parts[p].nrows > 0)
			divide_part(parts, &parts->set, &former.parts[p], piece, sort->memory_limit / PARTS_SAMPLE_SHARE);
		gpusort_rows_part_clear(&former.parts[p]);
	}
	gpusort_rows_store_free(piece);
	gpusort_rows_division_free(former.division);
	pfree(former.parts);
	gpusort_rows_spill_close(former.file);
}

/* Drops parts behind so many rows.  Returns how many rows they had. */
static uint64
drop_parts(PartSet *set, uint64 wanted)
{
	uint64		rows = 0;
	uint64		dropped = 0;

	for (int p = 0; p < set->dropped_from; p++)
	{
		rows += set->parts[p].nrows;
		if (rows < wanted)
			continue;
		for (int behind = p + 1; behind < set->dropped_from; behind++)
		{
			dropped += set->parts[behind].nrows;
			set->parts[behind].nrows = 0;
			gpusort_rows_part_clear(&set->parts[behind]);
		}
		set->dropped_from = p + 1;
	}
	return dropped;
}

uint64
gpusort_rows_parts_take(RowParts *parts, uint64 wanted)
{
	RowSort    *sort = parts->sort;
	double		nrows = Max(sort->expected_rows, sort->nrows + sort->store->nrows);
	uint64		dropped;

	gpusort_rows_find_plain(sort->keys, sort->store, nrows, false);
	gpusort_rows_forget_words(sort->keys);
	if (parts->set.division == NULL)
		begin_all(parts, nrows);
	else if (gpusort_rows_division_is_outdated(parts->set.division))
		divide_otherwise(parts, nrows);
	dropped = divide(parts, &parts->set, sort->store, true);
	if (wanted > 0)
		dropped += drop_parts(&parts->set, wanted);
	return dropped;
}

/* Notes what is known of the rows of all parts of a set that has all its rows, which were divided so often. */
static void
end(RowParts *parts, PartSet *set, int depth)
{
	int			nkeys = parts->sort->keys->nkeys;

	for (int p = 0; p < set->nparts; p++)
	{
		RowPart    *part = &set->parts[p];

		part->depth = depth;
		part->first_key = gpusort_rows_division_equal_keys(set->division, p);
		if (part->first_key == nkeys)
			part->out_of_order = false;
		parts->count += part->nrows > 0;
	}
	if (set->division->code == parts->sort->code)
		set->division->code = NULL;
	gpusort_rows_division_free(set->division);
	set->division = NULL;
	gpusort_rows_spill_close(set->file);
}

void
gpusort_rows_parts_finish(RowParts *parts)
{
	KeyCode    *code = parts->set.division->code;
	const ByteSource *bytes = code != NULL && code->nfields > 0 ? &code->fields[code->nfields - 1].key->bytes : NULL;

	/* To fit another to a part all strings of that are read first.  A numeric of few digits has a word by itself. */
	if (bytes != NULL && code->nexact == 0 && gpusort_key_bytes_vary(bytes) && bytes->form != BYTES_NUMERIC)
		parts->sort->code = code;
	end(parts, &parts->set, 1);
}

/* True if the rows of a part can be loaded at once. */
static bool
fits(const RowSort *sort, const RowPart *part)
{
	return part->nblocks <= 1 ||
		(part_bytes(sort, part) <= sort->memory_limit &&
		 part->nrows < GPUSORT_ROWS_STORE_MAX && part->record_bytes < GPUSORT_RECORDS_MAX - MaxAllocSize);
}

/* Puts parts in the place of a part. */
static void
replace_part(RowParts *parts, int p, const RowPart *pieces, int count)
{
	PartSet    *set = &parts->set;

	gpusort_rows_part_clear(&set->parts[p]);
	insert_parts(set, p, count - 1);
	memcpy(set->parts + p, pieces, count * sizeof(RowPart));
}

/* Cuts a part whose rows are in order into parts that fit memory. */
static void
cut_part(RowParts *parts, int p)
{
	const RowPart *part = &parts->set.parts[p];
	PartReader	reader = gpusort_rows_part_read(part);
	Size		per_row = gpusort_rows_sort_bytes(parts->sort->keys);
	RowPart    *pieces = palloc0(sizeof(RowPart));
	int			slots = 1;
	int			count = 1;

	while (!gpusort_rows_part_done(&reader))
	{
		StoredRows	head;
		RowPart    *piece = &pieces[count - 1];

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_part_head(&reader, true, &head);
		if (piece->nrows > 0 && piece->bytes + head.bytes + (piece->nrows + head.nrows) * per_row > parts->sort->memory_limit)
		{
			if (count == slots)
				pieces = repalloc_huge(pieces, (slots *= 2) * sizeof(RowPart));
			piece = &pieces[count++];
			memset(piece, 0, sizeof(RowPart));
		}
		gpusort_rows_part_cut(&reader, &head, piece);
	}
	replace_part(parts, p, pieces, count);
	pfree(pieces);
}

RowStore *
gpusort_rows_parts_sample(RowSort *sort, const RowPart *part, uint32 nrows, uint32 most_blocks, bool whole)
{
	RowStore   *sample = gpusort_rows_sample_create(sort->context, sort->layout, sort->keys);
	Size		bytes = Max(sort->memory_limit / PARTS_SAMPLE_SHARE, PARTS_SAMPLE_MIN);
	PartReader	reader;
	uint64		step;
	uint64		blocks;

	if (part == NULL)
	{
		gpusort_rows_sample_add(sample, sort->keys, sort->store, nrows, bytes, 1, whole);
		return sample;
	}
	reader = gpusort_rows_part_read(part);
	step = Max(part->nblocks / most_blocks, 1);
	blocks = part->nblocks / step;
	for (uint64 block = 0, sampled = 0; block < blocks * step; block++)
	{
		StoredRows	head;

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_part_head(&reader, true, &head);
		if (block % step != step / 2)
		{
			gpusort_rows_part_skip(&reader, &head);
			continue;
		}
		gpusort_rows_store_clear(sort->store);
		gpusort_rows_part_next(&reader, &head, sort->store);
		gpusort_rows_sample_add(sample, sort->keys, sort->store, Max(nrows / blocks, 1), bytes, (double) ++sampled / blocks, whole);
	}
	return sample;
}

/* Divides a part again, into parts that take its place. */
static void
divide_again(RowParts *parts, int p)
{
	RowSort    *sort = parts->sort;
	RowPart		part = parts->set.parts[p];
	double		row_bytes = (double) part.bytes / part.nrows + gpusort_rows_sort_bytes(sort->keys);
	int			nparts = wanted_parts(sort, part.nrows, row_bytes, PARTS_AGAIN_MIN);
	PartSet		set;

	begin(parts, &set, &part, nparts, part.nrows);
	divide_part(parts, &set, &part, sort->store, Min(sort->memory_limit / 2, PARTS_DIVIDED_BYTES));
	gpusort_rows_spill_rest(set.file);
	end(parts, &set, part.depth + 1);
	replace_part(parts, p, set.parts, set.nparts);
	pfree(set.parts);
}

/* Finds the part that holds a row, and divides it until it fits memory.  Returns its number, and sets sort->first_row. */
static int
find_part(RowParts *parts, uint64 row)
{
	uint64	   *first_row = &parts->sort->first_row;
	bool		forward = row >= parts->end_row;
	int			p = forward ? parts->loaded + 1 : 0;

	*first_row = forward ? parts->end_row : 0;
	for (;;)
	{
		const RowPart *part = &parts->set.parts[p];

		Assert(p < parts->set.nparts);
		if (row >= *first_row + part->nrows)
			*first_row += parts->set.parts[p++].nrows;
		else if (fits(parts->sort, part))
			return p;
		else if (part->out_of_order)
			divide_again(parts, p);
		else
			cut_part(parts, p);
	}
}

bool
gpusort_rows_parts_load(RowParts *parts, uint64 row)
{
	RowSort    *sort = parts->sort;
	RowPart    *part;
	PartReader	reader;
	uint32		nrows;

	parts->loaded = find_part(parts, row);
	part = &parts->set.parts[parts->loaded];
	nrows = part->nrows;
	parts->end_row = sort->first_row + nrows;
	gpusort_rows_store_clear(sort->store);
	gpusort_rows_store_reserve(sort->store, nrows + 1);
	gpusort_rows_store_reserve_records(sort->store, part->record_bytes);
	reader = gpusort_rows_part_read(part);
	(void) gpusort_rows_part_fill(&reader, sort->store, 0, SIZE_MAX);
	if (!sort->random_access)
		gpusort_rows_part_clear(part);
	if (part->out_of_order && part->not_reversed)
		return false;
	sort->order = NULL;
	if (part->out_of_order)
		gpusort_rows_order_as_stored(sort);
	for (uint32 i = 0; i < nrows && part->out_of_order; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		sort->order[i] = nrows - 1 - i;
	}
	return true;
}

void
gpusort_rows_parts_free(RowParts *parts)
{
	for (int p = 0; p < parts->set.nparts; p++)
		gpusort_rows_part_clear(&parts->set.parts[p]);
	if (parts->set.division != NULL)
		gpusort_rows_spill_close(parts->set.file);
}
