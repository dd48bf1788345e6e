/*
 * partition_sort.cc
 *	  Takes a large array apart into pieces of neighbouring codes, then sorts these.
 *
 * A sample gives the range that most codes lie in.  It is cut into bins of equal
 * width, one more on either side for what lies outside.  The codes of each bin
 * are counted, neighbouring bins are joined into a few hundred pieces of about
 * equal size, and the codes are scattered to their pieces.  A piece fits the
 * cache and is sorted between two questions whether to stop; one that is still
 * too large (skewed codes) is taken apart in its turn, unless it is a bin of one
 * code only.
 *
 * Threads count and scatter shares of the array, then take pieces.
 */
#include "cpu_engine/partition_sort.h"

#include <cstring>
#include <type_traits>

#include "cpu_engine/simd.h"
#include "cpu_engine/threads.h"
#include "cpu_engine/vqsort.h"

namespace gpusort
{
/* Bins; the first and the last hold what lies outside the range of the sample. */
constexpr uint32_t BINS = simd::BINS;

/* Joined bins hold about this many codes, or a PIECES-th of all. */
constexpr uint32_t PIECE_CODES = 1 << 15;
constexpr uint32_t PIECES = 256;

/* Joining leaves no two neighbours that would fit one piece, hence at most twice that many. */
constexpr uint32_t MOST_PIECES = 2 * PIECES + 2;

constexpr uint32_t SAMPLE = 1024;

/* Codes whose bins are computed at a time. */
constexpr uint32_t BLOCK = 1024;

/* Partitions within partitions, after which a piece is sorted however large. */
constexpr int MOST_LEVELS = 10;

struct Piece
{
	uint32_t	start;
	uint32_t	count;
	bool		alike;			/* all its codes are the same */
};

template <typename Code>
struct Partition
{
	const GpusortSpec *spec;
	Code	   *codes;
	Code	   *spare;
	uint32_t	n;
	bool		descending;
	int			level;
	uint32_t	shares;
	Code		least;			/* of the sample */
	int			shift;			/* code - least, shifted, is its bin's number less 1 */
	uint32_t   *counts;			/* of each share: BINS */
	uint32_t   *places;			/* of each share: MOST_PIECES */
	uint16_t	piece_of[BINS];
	Piece		pieces[MOST_PIECES];
	uint32_t	npieces;
};

/* Choose the bins by a sample: least code and shift. */
template <typename Code>
static void
choose_bins(Partition<Code> &partition)
{
	using Distance = std::make_unsigned_t<Code>;
	uint64_t	state = partition.n;
	Code		greatest;
	Distance	range;

	partition.least = greatest = partition.codes[0];
	for (uint32_t i = 1; i < SAMPLE; i++)
	{
		/* A linear congruential generator: any spread of positions will do. */
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

		Code		code = partition.codes[(uint32_t) (((state >> 32) * partition.n) >> 32)];

		partition.least = code < partition.least ? code : partition.least;
		greatest = code > greatest ? code : greatest;
	}
	range = (Distance) ((Distance) greatest - (Distance) partition.least);
	partition.shift = 0;
	while ((Distance) (range >> partition.shift) > BINS - 3)
		partition.shift++;
}

/* Count the codes of each bin in one share. */
template <typename Code>
static void
count_share(Work &work, void *arg, uint32_t share)
{
	Partition<Code> &partition = *(Partition<Code> *) arg;
	uint32_t   *counts = partition.counts + (size_t) share * BINS;
	uint32_t	end = share_start(partition.n, partition.shares, share + 1);
	uint16_t	bins[BLOCK];
	uint32_t	count;

	memset(counts, 0, BINS * sizeof(uint32_t));
	for (uint32_t start = share_start(partition.n, partition.shares, share); start < end; start += count)
	{
		count = end - start < BLOCK ? end - start : BLOCK;
		simd::find_bins(partition.codes + start, count, partition.least, partition.shift, bins);
		for (uint32_t i = 0; i < count; i++)
			counts[bins[i]]++;
		if (work.stop_after(count / 4))
			return;
	}
}

/* Join neighbouring bins into pieces, and find each share's place in each piece. */
template <typename Code>
static void
join_bins(Partition<Code> &partition)
{
	uint32_t	fair = partition.n / PIECES > PIECE_CODES ? partition.n / PIECES : PIECE_CODES;
	Piece	   *piece = partition.pieces;

	*piece = {0, 0, false};
	memset(partition.places, 0, (size_t) partition.shares * MOST_PIECES * sizeof(uint32_t));
	for (uint32_t i = 0; i < BINS; i++)
	{
		uint32_t	bin = partition.descending ? BINS - 1 - i : i;
		bool		one_code = partition.shift == 0 && bin != 0 && bin != BINS - 1;
		uint32_t	count = 0;

		for (uint32_t share = 0; share < partition.shares; share++)
			count += partition.counts[(size_t) share * BINS + bin];
		if (count == 0)
			continue;
		if (piece->count > 0 && (uint64_t) piece->count + count > fair)
		{
			piece[1] = {piece->start + piece->count, 0, false};
			piece++;
		}
		piece->alike = piece->count == 0 && one_code;
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

/* Move the codes of one share to their pieces. */
template <typename Code>
static void
scatter_share(Work &work, void *arg, uint32_t share)
{
	Partition<Code> &partition = *(Partition<Code> *) arg;
	uint32_t   *places = partition.places + (size_t) share * MOST_PIECES;
	uint32_t	end = share_start(partition.n, partition.shares, share + 1);
	uint16_t	bins[BLOCK];
	uint32_t	count;

	for (uint32_t start = share_start(partition.n, partition.shares, share); start < end; start += count)
	{
		count = end - start < BLOCK ? end - start : BLOCK;
		simd::find_bins(partition.codes + start, count, partition.least, partition.shift, bins);
		for (uint32_t i = 0; i < count; i++)
			partition.spare[places[partition.piece_of[bins[i]]]++] = partition.codes[start + i];
		if (work.stop_after(count / 2))
			return;
	}
}

/* Is a piece to be taken apart in its turn? */
template <typename Code>
static bool
is_oversized(const Partition<Code> &partition, const Piece &piece)
{
	return !piece.alike && piece.count > KEYS_BETWEEN_STOPS && partition.level < MOST_LEVELS;
}

/* Bring a piece back to its place, and sort it unless it is oversized. */
template <typename Code>
static void
sort_piece(Work &work, void *arg, uint32_t number)
{
	Partition<Code> &partition = *(Partition<Code> *) arg;
	const Piece &piece = partition.pieces[number];
	Code	   *codes = partition.codes + piece.start;

	memcpy(codes, partition.spare + piece.start, piece.count * sizeof(Code));
	if (piece.alike || is_oversized(partition, piece))
		(void) work.stop_after(piece.count / 4);
	else
	{
		vqsort(codes, piece.count, partition.descending);
		(void) work.stop_after(piece.count);
	}
}

/* One level of partition_sort, and those below it. */
template <typename Code>
static bool
sort_level(Work &work, Code *codes, Code *spare, uint32_t n, uint32_t *counts, bool descending, int level)
{
	int			threads = n >= KEYS_WORTH_THREADS ? work.control->threads : 1;
	Partition<Code> partition;

	partition.codes = codes;
	partition.spare = spare;
	partition.n = n;
	partition.descending = descending;
	partition.level = level;
	partition.shares = threads;
	partition.counts = counts;
	partition.places = counts + (size_t) threads * BINS;
	choose_bins(partition);
	if (!run_shares(work, threads, partition.shares, count_share<Code>, &partition))
		return false;
	join_bins(partition);
	if (!run_shares(work, threads, partition.shares, scatter_share<Code>, &partition) ||
		!run_shares(work, threads, partition.npieces, sort_piece<Code>, &partition))
		return false;
	for (uint32_t i = 0; i < partition.npieces; i++)
	{
		const Piece &piece = partition.pieces[i];

		if (is_oversized(partition, piece) &&
			!sort_level(work, codes + piece.start, spare + piece.start, piece.count, counts, descending, level + 1))
			return false;
	}
	return true;
}

size_t
partition_sort_scratch(uint64_t n, size_t width, int threads)
{
	return lines((size_t) threads * (BINS + MOST_PIECES) * sizeof(uint32_t)) + n * width;
}

template <typename Code>
bool
partition_sort(Work &work, Code *codes, uint32_t n, char *scratch, bool descending)
{
	size_t		tables = partition_sort_scratch(0, 0, work.control->threads);

	return sort_level(work, codes, (Code *) (scratch + tables), n, (uint32_t *) scratch, descending, 0);
}

template bool partition_sort<int16_t>(Work &, int16_t *, uint32_t, char *, bool);
template bool partition_sort<int32_t>(Work &, int32_t *, uint32_t, char *, bool);
template bool partition_sort<int64_t>(Work &, int64_t *, uint32_t, char *, bool);
}
