/*
 * partition_sort.cc
 *	  Parts a large array into pieces of neighboring codes, then sorts the pieces.
 *
 * A sample gives the range that nearly all codes lie in.  The range is cut into bins of
 * equal width, with one more bin on either side for codes outside.  The codes of each
 * bin are counted.  Neighboring bins are joined into a few hundred pieces of about equal
 * size, and the codes are scattered to their pieces.  A piece fits the cache and is sorted
 * between two checks whether to stop.  A piece that is too large, because codes are
 * skewed, is first halved in place.
 *
 * An array of codes is scattered to scratch memory, and each piece is copied back.  Words
 * of a packer are made twice, to be counted and to be scattered, and are sorted where
 * they were scattered to.  So a large sort with a payload needs no memory beside the
 * words and the tables.
 *
 * Threads count and scatter shares of the array, then take pieces.
 */
#include "cpu_engine/partition_sort.h"

#include <cstring>
#include <type_traits>

#include <hwy/cache_control.h>

#include "cpu_engine/code_sort.h"
#include "cpu_engine/forms.h"
#include "cpu_engine/simd.h"
#include "cpu_engine/threads.h"
#include "cpu_engine/vqsort.h"

namespace gpusort
{
/* The first and the last bin hold the codes outside the range of the sample. */
constexpr uint32_t BINS = simd::BINS;

/* A piece holds about PIECE_CODES codes, or one PIECES-th of all if that is more. */
constexpr uint32_t PIECE_CODES = 1 << 15;
constexpr uint32_t PIECES = 256;

/* Joining leaves no two neighbors that would fit one piece, so there are at most twice as many pieces. */
constexpr uint32_t MOST_PIECES = 2 * PIECES + 2;

/* Codes in a sample, and how many on either side of it are ignored for the range. */
constexpr uint32_t SAMPLE = 1024;
constexpr uint32_t OUTLIERS = 2;

/* Codes sampled to find one near the middle of a piece. */
constexpr uint32_t HALVING_SAMPLE = 63;

/* Codes whose bins are computed at a time. */
constexpr uint32_t BLOCK = 1024;

struct Piece
{
	uint32_t	start;
	uint32_t	count;
};

template <typename Code>
struct Partition
{
	const Packer *packer;		/* makes the codes, which are words; nullptr if they are given */
	Code	   *codes;			/* the codes; nullptr with a packer */
	const Coding<Code> *coding; /* for codes that are keys before and afterwards, else nullptr */
	Code	   *scattered;
	uint32_t	n;
	bool		descending;
	uint32_t	shares;
	Code		least;			/* least code of the sample, without outliers */
	int			shift;			/* a code's bin is 1 + ((code - least) >> shift) */
	uint32_t   *counts;			/* BINS for each share */
	uint32_t   *places;			/* MOST_PIECES for each share */
	uint16_t	piece_of[BINS];
	Piece		pieces[MOST_PIECES];
	uint32_t	npieces;
};

/* Returns at most BLOCK codes: those of the array, or made in buffer. */
template <typename Code>
static inline const Code *
read_codes(const Partition<Code> &partition, uint32_t start, uint32_t count, Code *buffer)
{
	if constexpr (std::is_same_v<Code, int64_t>)
	{
		if (partition.packer != nullptr)
		{
			partition.packer->pack(start, count, buffer);
			return buffer;
		}
	}
	return partition.codes + start;
}

/* Chooses least code and shift of the bins by a sample. */
template <typename Code>
static void
choose_bins(Partition<Code> &partition)
{
	using Distance = std::make_unsigned_t<Code>;
	Code		sample[SAMPLE];
	uint64_t	state = partition.n;
	Distance	range;

	for (uint32_t i = 0; i < SAMPLE; i++)
	{
		Code		buffer;

		sample[i] = *read_codes(partition, next_position(state, partition.n), 1, &buffer);
	}
	if (partition.coding != nullptr)
		partition.coding->encode(sample, SAMPLE);
	vqsort(sample, SAMPLE, false);
	partition.least = sample[OUTLIERS];
	range = (Distance) ((Distance) sample[SAMPLE - 1 - OUTLIERS] - (Distance) partition.least);
	partition.shift = 0;
	while ((Distance) (range >> partition.shift) > BINS - 3)
		partition.shift++;
}

/* Counts the codes of each bin in one share.  Keys become codes on the way. */
template <typename Code>
static void
count_share(Work &work, void *arg, uint32_t share)
{
	Partition<Code> &partition = *(Partition<Code> *) arg;
	uint32_t   *counts = partition.counts + (size_t) share * BINS;
	uint32_t	end = share_start(partition.n, partition.shares, share + 1);
	Code		buffer[BLOCK];
	uint16_t	bins[BLOCK];
	uint32_t	count;

	memset(counts, 0, BINS * sizeof(uint32_t));
	for (uint32_t start = share_start(partition.n, partition.shares, share); start < end; start += count)
	{
		count = end - start < BLOCK ? end - start : BLOCK;
		if (partition.coding != nullptr)
			partition.coding->encode(partition.codes + start, count);
		simd::kernels<Code>().find_bins(read_codes(partition, start, count, buffer), count, partition.least, partition.shift, bins);
		for (uint32_t i = 0; i < count; i++)
			counts[bins[i]]++;
		if (work.stop_after(count / 4))
			return;
	}
}

/* Joins neighboring bins into pieces, and finds the place of each share in each piece. */
template <typename Code>
static void
join_bins(Partition<Code> &partition)
{
	uint32_t	fair = partition.n / PIECES > PIECE_CODES ? partition.n / PIECES : PIECE_CODES;
	Piece	   *piece = partition.pieces;

	*piece = {0, 0};
	memset(partition.places, 0, (size_t) partition.shares * MOST_PIECES * sizeof(uint32_t));
	for (uint32_t i = 0; i < BINS; i++)
	{
		uint32_t	bin = partition.descending ? BINS - 1 - i : i;
		uint32_t	count = 0;

		for (uint32_t share = 0; share < partition.shares; share++)
			count += partition.counts[(size_t) share * BINS + bin];
		if (count == 0)
			continue;
		if (piece->count > 0 && (uint64_t) piece->count + count > fair)
		{
			piece[1] = {piece->start + piece->count, 0};
			piece++;
		}
		piece->count += count;
		partition.piece_of[bin] = (uint16_t) (piece - partition.pieces);
		for (uint32_t share = 0; share < partition.shares; share++)
			partition.places[(size_t) share * MOST_PIECES + partition.piece_of[bin]] +=
				partition.counts[(size_t) share * BINS + bin];
	}
	partition.npieces = (uint32_t) (piece - partition.pieces) + 1;
	for (uint32_t i = 0; i < partition.npieces; i++)
	{
		uint32_t	place = partition.pieces[i].start;

		for (uint32_t share = 0; share < partition.shares; share++)
		{
			uint32_t   *share_place = &partition.places[(size_t) share * MOST_PIECES + i];
			uint32_t	count = *share_place;

			*share_place = place;
			place += count;
		}
	}
}

/* Moves the codes of one share to their pieces. */
template <typename Code>
static void
scatter_share(Work &work, void *arg, uint32_t share)
{
	constexpr uint32_t LINE = simd::Scattering<Code>::LINE;
	Partition<Code> &partition = *(Partition<Code> *) arg;
	uint32_t   *places = partition.places + (size_t) share * MOST_PIECES;
	uint32_t	end = share_start(partition.n, partition.shares, share + 1);
	uint32_t	starts[MOST_PIECES];
	alignas(64) Code staged[MOST_PIECES * LINE];
	Code		buffer[BLOCK];
	uint16_t	bins[BLOCK];
	uint32_t	count;

	memcpy(starts, places, partition.npieces * sizeof(uint32_t));
	for (uint32_t start = share_start(partition.n, partition.shares, share); start < end; start += count)
	{
		const Code *codes;

		count = end - start < BLOCK ? end - start : BLOCK;
		codes = read_codes(partition, start, count, buffer);
		simd::kernels<Code>().find_bins(codes, count, partition.least, partition.shift, bins);
		simd::kernels<Code>().scatter(codes, bins, count, {partition.piece_of, starts, places, staged, partition.scattered});
		if (work.stop_after(count / 2))
			return;
	}
	for (uint32_t piece = 0; piece < partition.npieces; piece++)
	{
		uint32_t	line = places[piece] / LINE * LINE;
		uint32_t	first = starts[piece] > line ? starts[piece] : line;

		memcpy(partition.scattered + first, staged + piece * LINE + first % LINE, (places[piece] - first) * sizeof(Code));
	}
	hwy::FlushStream();
}

/* Moves the codes that are wanted to the front and sets *kept to their number.  Returns false if told to stop. */
template <typename Code, typename Wanted>
static bool
bring_forward(Work &work, Code *codes, uint32_t n, Wanted wanted, uint32_t *kept)
{
	uint32_t	front = 0;

	if (!in_blocks(work, n, [&](uint32_t start, uint32_t count) {
			for (uint32_t i = start; i < start + count; i++)
			{
				Code		code = codes[i];

				codes[i] = codes[front];
				codes[front] = code;
				front += wanted(code);
			}
		}))
		return false;
	*kept = front;
	return true;
}

template <typename Code>
bool
sort_in_place(Work &work, Code *codes, uint32_t n, bool descending)
{
	while (n > GPUSORT_INTERRUPT_KEYS)
	{
		Code		sample[HALVING_SAMPLE];
		uint64_t	state = n;
		uint32_t	before;
		uint32_t	alike;

		for (Code &code : sample)
			code = codes[next_position(state, n)];
		vqsort(sample, HALVING_SAMPLE, descending);

		const Code	middle = sample[HALVING_SAMPLE / 2];

		if (!(descending ? bring_forward(work, codes, n, [=](Code code) { return code > middle; }, &before)
			  : bring_forward(work, codes, n, [=](Code code) { return code < middle; }, &before)) ||
			!bring_forward(work, codes + before, n - before, [=](Code code) { return code == middle; }, &alike) ||
			!sort_in_place(work, codes, before, descending))
			return false;
		codes += before + alike;
		n -= before + alike;
	}
	return sort_codes(work, codes, n, nullptr, descending);
}

/*
 * Sorts a piece.  Copies it back before, if it was scattered from an array.  Turns codes
 * into keys again, if they were keys.
 */
template <typename Code>
static void
sort_piece(Work &work, void *arg, uint32_t number)
{
	Partition<Code> &partition = *(Partition<Code> *) arg;
	const Piece &piece = partition.pieces[number];
	Code	   *codes = partition.scattered + piece.start;

	if (partition.packer == nullptr)
	{
		codes = partition.codes + piece.start;
		if (!copy_in_blocks(work, codes, partition.scattered + piece.start, piece.count))
			return;
	}
	if (!sort_in_place(work, codes, piece.count, partition.descending))
		return;
	if (partition.coding != nullptr)
		(void) in_blocks(work, piece.count, [&](uint32_t start, uint32_t count) {
			partition.coding->decode(codes + start, count);
		});
}

/* Runs all phases for a partition whose input and output are set. */
template <typename Code>
static bool
run_partition(Work &work, Partition<Code> &partition, char *tables)
{
	int			threads = partition.n >= KEYS_WORTH_THREADS ? work.control->threads : 1;

	partition.shares = threads;
	partition.counts = (uint32_t *) tables;
	partition.places = partition.counts + (size_t) threads * BINS;
	choose_bins(partition);
	if (!run_shares(work, threads, partition.shares, count_share<Code>, &partition))
		return false;
	join_bins(partition);
	return run_shares(work, threads, partition.shares, scatter_share<Code>, &partition) &&
		run_shares(work, threads, partition.npieces, sort_piece<Code>, &partition);
}

size_t
partition_tables_scratch(int threads)
{
	return lines((size_t) threads * (BINS + MOST_PIECES) * sizeof(uint32_t));
}

template <typename Code>
bool
partition_sort(Work &work, Code *codes, uint32_t n, char *scratch, bool descending, const Coding<Code> *coding)
{
	Partition<Code> partition;

	partition.packer = nullptr;
	partition.codes = codes;
	partition.coding = coding;
	partition.scattered = (Code *) (scratch + partition_tables_scratch(work.control->threads));
	partition.n = n;
	partition.descending = descending;
	return run_partition(work, partition, scratch);
}

size_t
sort_words_scratch(uint64_t n, int threads)
{
	return lines(n * sizeof(int64_t)) + (n > GPUSORT_INTERRUPT_KEYS ? partition_tables_scratch(threads) : 0);
}

bool
sort_words(Work &work, const Packer &packer, int64_t *words, uint32_t n)
{
	Partition<int64_t> partition;

	if (n <= GPUSORT_INTERRUPT_KEYS)
	{
		packer.pack(0, n, words);
		return sort_codes(work, words, n, nullptr, false);
	}
	partition.packer = &packer;
	partition.codes = nullptr;
	partition.coding = nullptr;
	partition.scattered = words;
	partition.n = n;
	partition.descending = false;
	return run_partition(work, partition, (char *) words + lines(n * sizeof(int64_t)));
}

template bool partition_sort<int16_t>(Work &, int16_t *, uint32_t, char *, bool, const Coding<int16_t> *);
template bool partition_sort<int32_t>(Work &, int32_t *, uint32_t, char *, bool, const Coding<int32_t> *);
template bool partition_sort<int64_t>(Work &, int64_t *, uint32_t, char *, bool, const Coding<int64_t> *);
template bool sort_in_place<int64_t>(Work &, int64_t *, uint32_t, bool);
}
