/*
 * comparator_sort.c
 *	  Stable sorts of Datums through their btree comparator.
 *
 * A comparison through an operator class is costly, so the ways to need few of them are
 * tried in turn:
 *
 *	  values in order, or in reverse order: one comparison per value finds this out
 *	  keys that are bytes (keys/key_bytes.h), where the type has them: 8 bytes at a time
 *		are sorted as a number by the CPU engine.  Values for which these are equal are
 *		sorted by the next 8 bytes, and compared where there are no more.  The server's
 *		sorts ask the operator class whether abbreviated keys tell enough values apart.
 *		Here they are so cheap that this is not asked
 *	  few distinct values: values of the same bytes form a class, found by hashing.  One
 *		value of each class is sorted, and the others follow it.  Where a collation
 *		makes keys costly, this is tried before them
 *	  all others: merge sort, which makes fewer comparisons than quicksort
 *
 * Only positions are moved.  Equal values keep their order even if they look different
 * (numeric 1.0 and 1.00, text in a nondeterministic collation).
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/typcache.h"

#include "arrays/comparator_sort.h"
#include "large_memory.h"
#include "keys/byte_hash.h"
#include "keys/collation_kind.h"
#include "keys/plain_learn.h"
#include "sort/sort.h"

/* Runs of this length are made by insertion before merging begins. */
#define RUN_LENGTH 4

/* For fewer values neither keys nor classes pay. */
#define MIN_PREPARED 32

/* Fewer values than these do not repay learning a collation of glibc or of ICU. */
#define MIN_LEARNED 2048
#define MIN_PLAIN_LEARNED 16384

#define TEXTS_LOOKED_AT 256		/* texts whose keys tell how wide those of all should be */

/* The values of one array. */
typedef struct Values
{
	ComparatorSort *sort;
	SortUse		use;
	const Datum *datums;
} Values;

/* Sets up comparison through a btree operator, with abbreviated keys if wanted. */
static void
prepare_support(SortSupport support, Oid operator, Oid collation, bool abbreviate)
{
	memset(support, 0, sizeof(SortSupportData));
	support->ssup_cxt = CurrentMemoryContext;
	support->ssup_collation = collation;
	support->ssup_nulls_first = false;
	support->abbreviate = abbreviate;
	PrepareSortSupportFromOrderingOp(operator, support);
}

/*
 * Finds out which bytes order the values.  Text in a collation that none are known for, and types
 * that only the server knows, have its abbreviated keys if these order as numbers.
 */
static void
find_bytes(ComparatorSort *sort, Oid type, Oid operator, Oid collation)
{
	ByteSource *bytes = &sort->bytes;
	bool		known = gpusort_key_bytes_source(bytes, type, collation);

	if (known && !gpusort_key_bytes_abbreviated(bytes))
		return;
	prepare_support(&bytes->abbreviate, operator, collation, true);
	if (sizeof(Datum) != sizeof(uint64) || bytes->abbreviate.abbrev_converter == NULL)
		bytes->form = BYTES_NONE;
	else if (!known && bytes->abbreviate.comparator == ssup_datum_unsigned_cmp)
		bytes->form = BYTES_ABBREVIATED;
}

ComparatorSort *
gpusort_comparator_prepare(Oid type, Oid collation, bool descending)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Oid			operator = descending ? entry->gt_opr : entry->lt_opr;
	Oid			simple_collation = gpusort_collation_compares_bytes(collation) ? C_COLLATION_OID : collation;
	ComparatorSort *sort;

	if (!OidIsValid(operator))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an ordering operator for type %s", format_type_be(type)),
				 errhint("Only types with a default btree operator class can be sorted.")));
	sort = palloc0(sizeof(ComparatorSort));
	sort->type = type;
	sort->collation = collation;
	sort->descending = descending;
	sort->by_value = entry->typbyval;
	sort->length = entry->typlen;
	prepare_support(&sort->compare, operator, simple_collation, false);
	find_bytes(sort, entry->btree_opintype, sort->descending ? entry->gt_opr : entry->lt_opr, simple_collation);
	sort->bytes_are_costly = OidIsValid(simple_collation) && simple_collation != C_COLLATION_OID;
	return sort;
}

static inline int
compare(const Values *values, uint32 a, uint32 b)
{
	return gpusort_comparator_compare(values->sort, values->datums[a], values->datums[b]);
}

static void
reverse(uint32 *positions, uint32 n)
{
	for (uint32 i = 0; i < n / 2; i++)
	{
		uint32		position = positions[i];

		positions[i] = positions[n - 1 - i];
		positions[n - 1 - i] = position;
	}
}

/* Returns true if the values at these positions are in order, or strictly in reverse order, which it then reverses. */
static bool
take_in_order(const Values *values, uint32 *positions, uint32 n)
{
	bool		opposite = n > 1 && compare(values, positions[0], positions[1]) > 0;

	for (uint32 i = 1; i + 1 < n; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		if ((compare(values, positions[i], positions[i + 1]) > 0) != opposite)
			return false;
	}
	if (opposite)
		reverse(positions, n);
	return true;
}

static void
insertion_sort(const Values *values, uint32 *positions, uint32 n)
{
	for (uint32 i = 1; i < n; i++)
	{
		uint32		position = positions[i];
		uint32		place = i;

		while (place > 0 && compare(values, positions[place - 1], position) > 0)
		{
			positions[place] = positions[place - 1];
			place--;
		}
		positions[place] = position;
	}
}

/* Merges the sorted source[0 .. middle) and source[middle .. n) into target. */
static void
merge(const Values *values, const uint32 *source, uint32 middle, uint32 n, uint32 *target)
{
	uint32		left = 0;
	uint32		right = middle;
	uint32		next = 0;

	if (middle >= n || compare(values, source[middle - 1], source[middle]) <= 0)
	{
		memcpy(target, source, n * sizeof(uint32));
		return;
	}
	while (left < middle && right < n)
	{
		GPUSORT_CHECK_VALUES(next);
		if (compare(values, source[left], source[right]) <= 0)
			target[next++] = source[left++];
		else
			target[next++] = source[right++];
	}
	memcpy(target + next, source + left, (middle - left) * sizeof(uint32));
	next += middle - left;
	memcpy(target + next, source + right, (n - right) * sizeof(uint32));
}

/* Sorts positions by their values.  spare is scratch memory for n positions. */
static void
merge_sort(const Values *values, uint32 *positions, uint32 *spare, uint32 n)
{
	uint32	   *from = positions;
	uint32	   *to = spare;

	for (uint64 start = 0; start < n; start += RUN_LENGTH)
	{
		insertion_sort(values, positions + start, Min(RUN_LENGTH, n - start));
		GPUSORT_CHECK_VALUES(start);
	}
	for (uint64 length = RUN_LENGTH; length < n; length *= 2)
	{
		uint32	   *merged = to;

		for (uint64 start = 0; start < n; start += 2 * length)
			merge(values, from + start, Min(length, n - start), Min(2 * length, n - start), to + start);
		to = from;
		from = merged;
	}
	if (from != positions)
		memcpy(positions, from, n * sizeof(uint32));
}

static uint32 *
allocate_positions(uint64 n)
{
	return gpusort_alloc_large(CurrentMemoryContext, n * sizeof(uint32));
}

/* Classes of values that are the same byte for byte, and hence equal. */
typedef struct Classes
{
	uint32	   *class_of;		/* the class of each value, later its rank */
	Datum	   *datums;			/* a value of each class */
	uint32		count;
} Classes;

/* Finds the classes of the values at n positions.  Returns false if they are not few. */
static bool
find_classes(const Values *values, const uint32 *positions, uint32 n, Classes *classes)
{
	const ComparatorSort *sort = values->sort;
	uint32		mask = pg_nextpower2_32(n) - 1;
	uint32	   *class_in = MemoryContextAllocExtended(CurrentMemoryContext, ((Size) mask + 1) * sizeof(uint32),
													  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32		i;

	for (i = 0; i < n; i++)
	{
		Datum		datum = values->datums[positions[i]];
		uint32		slot = gpusort_hash_datum(datum, sort->by_value, sort->length) & mask;

		GPUSORT_CHECK_VALUES(i);
		/* Slots hold a class's number plus one. */
		while (class_in[slot] != 0 &&
			   !datum_image_eq(classes->datums[class_in[slot] - 1], datum, sort->by_value, sort->length))
			slot = (slot + 1) & mask;
		if (class_in[slot] == 0)
		{
			/* There are half as many classes as values, or too many among the first values. */
			if (classes->count == n / 2 || (i >= Max(n / 8, MIN_PREPARED) && classes->count > i - i / 4))
				break;
			classes->datums[classes->count++] = datum;
			class_in[slot] = classes->count;
		}
		classes->class_of[i] = class_in[slot] - 1;
	}
	pfree(class_in);
	return i == n;
}

/* Replaces each value's class by the rank of the class.  Classes that compare equal share a rank. */
static void
rank_classes(ComparatorSort *sort, Classes *classes, uint32 n)
{
	Values		values = {.sort = sort,.datums = classes->datums};
	uint32	   *order = allocate_positions(classes->count);
	uint32	   *rank_of = allocate_positions(classes->count);
	uint32		rank = 0;

	for (uint32 i = 0; i < classes->count; i++)
		order[i] = i;
	merge_sort(&values, order, rank_of, classes->count);
	for (uint32 i = 0; i < classes->count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		if (i > 0 && compare(&values, order[i - 1], order[i]) != 0)
			rank++;
		rank_of[order[i]] = rank;
	}
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		classes->class_of[i] = rank_of[classes->class_of[i]];
	}
	pfree(order);
	pfree(rank_of);
}

/* Puts positions in the order of their values' ranks, stably. */
static void
order_by_rank(const uint32 *ranks, uint32 nranks, uint32 *positions, uint32 n)
{
	uint32	   *places = allocate_positions((uint64) nranks + 1);
	uint32	   *source = allocate_positions(n);

	memset(places, 0, ((Size) nranks + 1) * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		places[ranks[i] + 1]++;
	}
	for (uint32 i = 0; i < nranks; i++)
		places[i + 1] += places[i];
	gpusort_copy_bytes(source, positions, (Size) n * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		positions[places[ranks[i]]++] = source[i];
	}
	pfree(places);
	pfree(source);
}

/* Sorts positions if few of their values are distinct.  Returns false, and sorts nothing, if many are. */
static bool
sort_by_class(const Values *values, uint32 *positions, uint32 n)
{
	Classes		classes = {
		.class_of = allocate_positions(n),
		.datums = gpusort_alloc_large(CurrentMemoryContext, (Size) (n / 2) * sizeof(Datum))
	};
	bool		few = find_classes(values, positions, n, &classes);

	if (few)
	{
		rank_classes(values->sort, &classes, n);
		order_by_rank(classes.class_of, classes.count, positions, n);
	}
	pfree(classes.class_of);
	pfree(classes.datums);
	return few;
}

/* Sorts positions without keys. */
static void
sort_by_comparison(const Values *values, uint32 *positions, uint32 n)
{
	uint32	   *spare;

	if (take_in_order(values, positions, n) || (n >= MIN_PREPARED && sort_by_class(values, positions, n)))
		return;
	spare = allocate_positions(n);
	merge_sort(values, positions, spare, n);
	pfree(spare);
}

/* Decides whether the keys of texts in a collation of glibc are wide. */
static void
choose_width(const Values *values, uint32 n)
{
	ByteSource *bytes = &values->sort->bytes;
	uint32		step = Max(n / TEXTS_LOOKED_AT, 1);
	uint32		early = 0;

	for (uint32 i = 0; i < n; i += step)
		early += gpusort_key_bytes_end_early(bytes, values->datums[i]);
	gpusort_key_bytes_choose_width(bytes, n / step, early);
}

/* True if all values are plain texts. */
static bool
all_are_plain(const Values *values, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		if (!gpusort_key_bytes_plain(&values->sort->bytes, values->datums[i]))
			return false;
	}
	return true;
}

/* Learns what the bytes of the values need.  Returns false if they have none. */
static bool
learn_bytes(const Values *values, uint32 n)
{
	ComparatorSort *sort = values->sort;
	ByteSource *bytes = &sort->bytes;

	sort->seen += n;
	if (gpusort_key_bytes_unlearned(bytes))
	{
		gpusort_key_bytes_learn(bytes, sort->collation, sort->seen >= MIN_LEARNED);
		if (bytes->linguistic == NULL)
			return false;
		choose_width(values, n);
	}
	if (bytes->order == COLLATION_ABBREVIATED)
	{
		bytes->plain = gpusort_plain_key(sort->collation, sort->seen >= MIN_PLAIN_LEARNED);
		if (bytes->plain != NULL && !all_are_plain(values, n))
			bytes->plain = NULL;
	}
	return bytes->form != BYTES_NONE;
}

/* Whether keys whose bytes so far are equal have more bytes. */
typedef enum MoreBytes
{
	NO_MORE_BYTES,
	MORE_BYTES,
	MORE_BYTES_UNUSED			/* there may be more, but the values are to be compared */
} MoreBytes;

/*
 * Writes 8 bytes, from a place on, of the key of each value.  Returns whether some keys have more.
 * Bytes that are computed are complete but for the last few before their limit.
 */
static MoreBytes
get_words(const Values *values, const uint32 *positions, uint32 n, Size place, uint64 *words)
{
	bool		more = false;

	for (uint32 i = 0; i < n; i++)
	{
		KeyBytes	bytes;

		GPUSORT_CHECK_VALUES(i);
		gpusort_key_bytes_get(&values->sort->bytes, values->datums[positions[i]], place + 2 * sizeof(uint64), &bytes);
		words[i] = gpusort_key_bytes_word(&bytes, place);
		more |= bytes.length > place + sizeof(uint64);
		gpusort_key_bytes_free(&bytes);
	}
	if (!more)
		return gpusort_key_bytes_decide(&values->sort->bytes) ? NO_MORE_BYTES : MORE_BYTES_UNUSED;
	return place + 3 * sizeof(uint64) <= GPUSORT_KEY_BYTES_COMPUTED ? MORE_BYTES : MORE_BYTES_UNUSED;
}

/* Writes the positions of words in order to index.  The words do not move. */
static void
sort_words(const Values *values, uint64 *words, uint32 *index, uint32 n)
{
	GpusortSegment segment = {.start = 0,.count = n};
	SortRequest request = {
		.spec = {
			.form = GPUSORT_KEY_UINT64,
			.payload = GPUSORT_PAYLOAD_INDEX,
			.method = GPUSORT_METHOD_NETWORK,
			.descending = values->sort->descending
		},
		.keys = words,
		.payload = index,
		.segments = &segment,
		.nsegments = 1,
		.nslots = n,
		.use = values->use
	};

	gpusort_sort_on_cpu(&request);
}

/* Values at some positions, one behind the other, that the bytes so far do not tell apart. */
typedef struct Tie
{
	uint32		start;
	uint32		count;
} Tie;

static void sort_by_bytes(const Values *values, uint32 *positions, uint32 n, Size place);

/* Sorts the positions of a tie, whose values may have more bytes from a place on.  Equal values are in order. */
static void
sort_tie(const Values *values, uint32 *positions, uint32 n, MoreBytes more, Size place)
{
	if (n < 2 || more == NO_MORE_BYTES)
		return;
	if (more == MORE_BYTES_UNUSED || n < MIN_PREPARED)
		sort_by_comparison(values, positions, n);
	else if (!take_in_order(values, positions, n))
		sort_by_bytes(values, positions, n, place);
}

/*
 * Sorts positions by 8 bytes of their values, and then each tie.  A tie of more than half of
 * the values that have more bytes is left to the caller, and returned.
 */
static Tie
sort_by_word(const Values *values, uint32 *positions, uint32 n, Size place)
{
	uint64	   *words = gpusort_alloc_large(CurrentMemoryContext, (Size) n * sizeof(uint64));
	uint32	   *order = allocate_positions(n);
	uint32	   *sorted = allocate_positions(n);
	MoreBytes	more = get_words(values, positions, n, place, words);
	Tie			large = {0};
	Tie			tie = {0};

	sort_words(values, words, order, n);
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		sorted[i] = positions[order[i]];
	}
	gpusort_copy_bytes(positions, sorted, (Size) n * sizeof(uint32));
	pfree(sorted);
	for (; tie.start < n; tie.start += tie.count)
	{
		GPUSORT_CHECK_VALUES(tie.start);
		tie.count = 1;
		while (tie.start + tie.count < n && words[order[tie.start + tie.count]] == words[order[tie.start]])
			tie.count++;
		if (more == MORE_BYTES && tie.count > n / 2 && tie.count >= MIN_PREPARED)
			large = tie;
		else
			sort_tie(values, positions + tie.start, tie.count, more, place + sizeof(uint64));
	}
	pfree(words);
	pfree(order);
	return large;
}

/*
 * Sorts positions by the bytes of their values from a place on, and by the values where these are
 * equal.  The largest tie is sorted when the memory for the words is free again, so it is never
 * needed for more than twice as many values.
 */
static void
sort_by_bytes(const Values *values, uint32 *positions, uint32 n, Size place)
{
	check_stack_depth();
	do
	{
		Tie			large = sort_by_word(values, positions, n, place);

		positions += large.start;
		n = large.count;
		place += sizeof(uint64);
	} while (n > 0 && !take_in_order(values, positions, n));
}

void
gpusort_comparator_sort(ComparatorSort *sort, SortUse use, const Datum *values, uint32 *index, uint32 n)
{
	Values		all = {.sort = sort,.use = use,.datums = values};

	for (uint32 i = 0; i < n; i++)
		index[i] = i;
	if (sort->bytes.form == BYTES_NONE || n < MIN_PREPARED)
		sort_by_comparison(&all, index, n);
	else if (take_in_order(&all, index, n) ||
			 (sort->bytes_are_costly && sort_by_class(&all, index, n)))
		return;
	else if (learn_bytes(&all, n))
		sort_by_bytes(&all, index, n, 0);
	else
		sort_by_comparison(&all, index, n);
}
