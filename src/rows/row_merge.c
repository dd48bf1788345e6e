/*
 * row_merge.c
 *	  Merges sorted runs of rows, see row_merge.h.
 *
 * A run has slots of its own in the window, those of earlier runs before those of later
 * ones, so that row numbers order equal rows.  The batch ends with the last row that was
 * read of some run: the one that comes first among the last rows of all runs that have
 * more in their files.  So each batch uses up what was read of a run.
 *
 * A run has as much space for records as its largest block needs, unless this is more than its
 * share of memory.  Then larger blocks, which have a wide row, are read one at a time behind the
 * space of all runs, into the first gap between those that other runs have there.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_merge.h"
#include "rows/row_sort.h"

#define ROWS_WINDOW_BYTES ((Size) 2 * 1024 * 1024)	/* a larger window would leave the caches */
#define ROWS_WINDOW_RUN_BYTES ((Size) 32 * 1024)	/* but with less of each run batches would be short */

struct MergeInput
{
	RunReader	reader;
	uint32		first_slot;		/* of the run in the window */
	Size		first_record;	/* where its records begin and end */
	Size		last_record;
	Size		large_record;	/* where a block's do that did not fit there */
	Size		large_end;		/* 0 if none was read */
	uint32		row;			/* rows row .. end - 1 of the window are not merged yet */
	uint32		end;
	uint32		cut;			/* the batch has those before this one */
	bool		missed;			/* some may have strings that are not all in their words */
};

static inline uint64 *
words_of(const RowMerge *merge)
{
	return (uint64 *) merge->words.data;
}

/* Makes the window's records end there, at least. */
static void
reserve_records(RowMerge *merge, Size end)
{
	if (end > GPUSORT_RECORDS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("rows to be merged at once exceed %zu MB", GPUSORT_RECORDS_MAX / (1024 * 1024)),
				 errhint("Set \"gpusort.enable_sort\" to off for this query.")));
	gpusort_rows_buffer_reserve(merge->sort->memory, &merge->window->records, end);
}

/* Gives the input space for the records of a large block. */
static void
take_large(RowMerge *merge, MergeInput *input, Size bytes)
{
	Size		place = merge->inputs[merge->ninputs - 1].last_record;

	for (int i = 0; i < merge->ninputs; i++)
	{
		const MergeInput *other = &merge->inputs[i];

		if (other->large_end > place && other->large_record < place + bytes)
		{
			place = other->large_end;
			i = -1;
		}
	}
	reserve_records(merge, place + bytes);
	input->large_record = place;
	input->large_end = place + bytes;
}

/* Reads the next blocks of a run that is used up. */
static void
read_blocks(RowMerge *merge, MergeInput *input)
{
	Size		end = input->first_record;

	input->row = input->end = input->first_slot;
	input->large_end = 0;
	for (int i = 0; i < merge->blocks && !gpusort_rows_reader_done(&input->reader); i++)
	{
		BlockHead	head = gpusort_rows_reader_head(&input->reader, merge->blocks - i);

		if (end + head.record_bytes > input->last_record)
		{
			if (i > 0)
				break;
			take_large(merge, input, head.record_bytes);
			end = input->large_record;
		}
		input->end += gpusort_rows_reader_read(&input->reader, &head, merge->window, input->end, &end);
	}
}

/* Reads the next blocks of a run that is used up, and encodes their rows if they are to be compared. */
static void
load_input(RowMerge *merge, MergeInput *input)
{
	read_blocks(merge, input);
	for (uint32 first = input->row; merge->ninputs > 1 && first < input->end; first += ROWS_ENCODE_SPAN)
	{
		CHECK_FOR_INTERRUPTS();
		gpusort_rows_encode(merge->code, merge->window, NULL, first, Min(ROWS_ENCODE_SPAN, input->end - first),
							ROWS_WORD_BITS, words_of(merge) + first);
	}
	if (merge->ninputs > 1)
		input->missed = gpusort_rows_code_missed(merge->code);
}

/* Bytes of a run's largest block or, if all runs together could not have as many, of a usual one. */
static Size
run_block_bytes(const RowSort *sort, const RowRun *run, int nruns)
{
	Size		usual = sort->runs->block_bytes;

	return run->most_bytes <= Max(usual, sort->memory_limit / nruns) ? run->most_bytes : usual;
}

/* How many blocks of each run fit the window, at least one. */
static int
blocks_at_a_time(const RowSort *sort, RowRun **runs, int nruns)
{
	Size		bytes = 0;

	for (int i = 0; i < nruns; i++)
		bytes += run_block_bytes(sort, runs[i], nruns) + runs[i]->most_rows * GPUSORT_RUN_ROW_BYTES;
	return Max(Min(sort->memory_limit, Max(ROWS_WINDOW_BYTES, nruns * ROWS_WINDOW_RUN_BYTES)) / Max(bytes, 1), 1);
}

/*
 * Starts a merge of runs, which come in the input's order, by a code that is common to them.
 * A single run needs no code.
 */
RowMerge *
gpusort_rows_merge_begin(RowSort *sort, const KeyCode *code, RowRun **runs, int nruns)
{
	RowMerge   *merge = palloc0(sizeof(RowMerge));
	Size		record_bytes = 0;
	uint32		slots = 0;

	merge->sort = sort;
	merge->code = code;
	merge->inputs = palloc0(nruns * sizeof(MergeInput));
	merge->ninputs = nruns;
	merge->blocks = blocks_at_a_time(sort, runs, nruns);
	merge->window = gpusort_rows_store_create(sort->memory, sort->layout);
	for (int i = 0; i < nruns; i++)
	{
		int			blocks = Min(merge->blocks, runs[i]->nblocks);

		merge->inputs[i].reader = gpusort_rows_reader_begin(runs[i]);
		merge->inputs[i].first_slot = slots;
		merge->inputs[i].first_record = record_bytes;
		slots += blocks * runs[i]->most_rows + 1;
		record_bytes += blocks * Min(runs[i]->most_record_bytes, run_block_bytes(sort, runs[i], nruns));
		merge->inputs[i].last_record = record_bytes;
	}
	gpusort_rows_store_reserve(merge->window, slots);
	reserve_records(merge, record_bytes);
	gpusort_rows_buffer_reserve(sort->memory, &merge->packed, slots * sizeof(uint64));
	if (nruns > 1)
		gpusort_rows_buffer_reserve(sort->memory, &merge->words, slots * sizeof(uint64));
	merge->window->nrows = slots;
	return merge;
}

/* Compares two rows of the window whose words are equal. */
static int
compare_in_window(const RowMerge *merge, uint32 a, uint32 b)
{
	return gpusort_rows_compare(merge->sort->keys, merge->code->nexact, merge->window, a, merge->window, b);
}

/* Finds the run whose last row in the window is the last row of the batch.  NULL if all rows of all runs were read. */
static const MergeInput *
find_last(const RowMerge *merge)
{
	const uint64 *words = words_of(merge);
	const MergeInput *best = NULL;

	for (int i = 0; i < merge->ninputs; i++)
	{
		const MergeInput *input = &merge->inputs[i];

		if (gpusort_rows_reader_done(&input->reader))
			continue;
		if (best == NULL || words[input->end - 1] < words[best->end - 1] ||
			(words[input->end - 1] == words[best->end - 1] && compare_in_window(merge, input->end - 1, best->end - 1) < 0))
			best = input;
	}
	return best;
}

/* The first row from `row` on, but before `end`, whose word is not less; else `end`.  It is expected to be near. */
static uint32
find_word(const uint64 *words, uint32 row, uint32 end, uint64 word)
{
	uint32		step = 1;

	for (; row + step <= end && words[row + step - 1] < word; step *= 2)
		row += step;
	return gpusort_rows_find_word(words, row, Min(row + step - 1, end), word);
}

/* Where the batch's rows of a run end, if the batch ends with the last row in the window of run `last`. */
static uint32
find_cut(const RowMerge *merge, const MergeInput *input, const MergeInput *last)
{
	const uint64 *words = words_of(merge);
	uint64		word = words[last->end - 1];
	uint32		low = find_word(words, input->row, input->end, word);
	uint32		high = low;

	if (low < input->end && words[low] == word)
		high = word == PG_UINT64_MAX ? input->end : find_word(words, low, input->end, word + 1);
	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = compare_in_window(merge, middle, last->end - 1);

		if (order < 0 || (order == 0 && input < last))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Cuts off what belongs to the next batch.  Returns how many runs have rows in the batch. */
static int
cut_inputs(RowMerge *merge)
{
	const MergeInput *last = merge->ninputs > 1 ? find_last(merge) : NULL;
	int			contributing = 0;

	merge->nrows = 0;
	for (int i = 0; i < merge->ninputs; i++)
	{
		MergeInput *input = &merge->inputs[i];

		CHECK_FOR_INTERRUPTS();
		input->cut = last == NULL || input == last ? input->end : find_cut(merge, input, last);
		merge->nrows += input->cut - input->row;
		contributing += input->cut > input->row;
	}
	return contributing;
}

/*
 * Lists the batch's rows run by run, as packed integers.  Above its number a row has the
 * bits of its word that tell the batch's words apart, as far as they fit.  Returns how many
 * of them did not fit.
 */
static int
pack_batch(RowMerge *merge, int row_bits)
{
	const uint64 *words = words_of(merge);
	uint64	   *packed = (uint64 *) merge->packed.data;
	uint64		low = PG_UINT64_MAX;
	uint64		high = 0;
	int			dropped_bits;

	for (int i = 0; i < merge->ninputs; i++)
	{
		const MergeInput *input = &merge->inputs[i];

		if (input->row == input->cut)
			continue;
		low = Min(low, words[input->row]);
		high = Max(high, words[input->cut - 1]);
	}
	dropped_bits = Max(gpusort_rows_bit_length(high - low) + row_bits - ROWS_PACKED_BITS, 0);
	for (int i = 0; i < merge->ninputs; i++)
	{
		for (uint32 row = merge->inputs[i].row; row < merge->inputs[i].cut; row++)
			*packed++ = (((words[row] - low) >> dropped_bits) << row_bits) | row;
	}
	return dropped_bits;
}

/* Leading keys in which rows of the batch that have one word are equal. */
static int
exact_keys(const RowMerge *merge)
{
	bool		missed = false;

	for (int i = 0; i < merge->ninputs; i++)
		missed |= merge->inputs[i].row < merge->inputs[i].cut && merge->inputs[i].missed;
	return gpusort_rows_code_exact_keys(merge->code, missed);
}

/* Sorts the batch. */
static void
order_batch(RowMerge *merge)
{
	uint64	   *packed = (uint64 *) merge->packed.data;
	int			row_bits = gpusort_rows_row_bits(merge->window);
	int			dropped_bits = pack_batch(merge, row_bits);

	gpusort_rows_order_packed(merge->sort, merge->window, packed, merge->nrows, row_bits,
							  dropped_bits == 0 ? exact_keys(merge) : 0, merge->code->spent);
	gpusort_rows_unpack(packed, merge->nrows, row_bits, (uint32 *) packed);
}

/* Lists the batch's rows, which are all of one run and so in order. */
static void
list_batch(RowMerge *merge)
{
	uint32	   *order = (uint32 *) merge->packed.data;

	for (int i = 0; i < merge->ninputs; i++)
	{
		for (uint32 row = merge->inputs[i].row; row < merge->inputs[i].cut; row++)
			*order++ = row;
	}
}

/* Makes the next batch.  Overwrites rows of the one before.  Returns false if there are no more rows. */
bool
gpusort_rows_merge_next(RowMerge *merge)
{
	int			contributing;

	for (int i = 0; i < merge->ninputs; i++)
	{
		MergeInput *input = &merge->inputs[i];

		if (input->row == input->end && !gpusort_rows_reader_done(&input->reader))
			load_input(merge, input);
	}
	contributing = cut_inputs(merge);
	if (contributing > 1)
		order_batch(merge);
	else
		list_batch(merge);
	merge->order = (const uint32 *) merge->packed.data;
	for (int i = 0; i < merge->ninputs; i++)
		merge->inputs[i].row = merge->inputs[i].cut;
	return merge->nrows > 0;
}

/* Frees the merge.  The runs stay. */
void
gpusort_rows_merge_end(RowMerge *merge)
{
	gpusort_rows_store_free(merge->window);
	gpusort_rows_buffer_release(&merge->words);
	gpusort_rows_buffer_release(&merge->packed);
	pfree(merge->inputs);
	pfree(merge);
}
