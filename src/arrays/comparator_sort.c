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
 *	  all others: the server's qsort
 *
 * Only positions are moved.  Equal values keep their order even if they look different
 * (numeric 1.0 and 1.00, text in a nondeterministic collation).
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "utils/typcache.h"

#include "arrays/comparator_sort.h"
#include "large_memory.h"
#include "keys/collation_kind.h"
#include "keys/datum_sort.h"
#include "keys/value_ranks.h"
#include "sort/sort.h"

/* For fewer values neither keys nor classes pay. */
#define MIN_PREPARED 32

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
	ComparatorSort *sort = palloc0(sizeof(ComparatorSort));

	sort->collation = collation;
	sort->descending = descending;
	sort->by_value = entry->typbyval;
	sort->length = entry->typlen;
	prepare_support(&sort->compare, operator, simple_collation, false);
	find_bytes(sort, entry->btree_opintype, operator, simple_collation);
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

static uint32 *
allocate_positions(uint64 n)
{
	return gpusort_alloc_large(CurrentMemoryContext, n * sizeof(uint32));
}

/*
 * Writes the class of each value, whose values are the same byte for byte.  Returns the ranks of the
 * classes, or NULL if these are not few.
 */
static ValueRanks *
find_classes(const Values *values, const uint32 *positions, uint32 n, uint32 *class_of)
{
	ComparatorSort *sort = values->sort;
	ValueRanks *ranks = gpusort_ranks_create(sort->by_value, sort->length);

	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		class_of[i] = gpusort_ranks_find(ranks, values->datums[positions[i]]);
		/* There are more than half as many classes as values, or too many among the first values. */
		if (ranks->count > n / 2 || (i >= Max(n / 8, MIN_PREPARED) && ranks->count > i - i / 4 + 1))
		{
			gpusort_ranks_free(ranks);
			return NULL;
		}
	}
	gpusort_ranks_sort(ranks, &sort->compare);
	return ranks;
}

/* Puts positions in the order of their values' ranks, stably. */
static void
order_by_rank(const ValueRanks *ranks, const uint32 *class_of, uint32 *positions, uint32 n)
{
	const uint32 *rank_of = ranks->rank_of;
	uint32	   *places = allocate_positions((uint64) ranks->nranks + 1);
	uint32	   *source = allocate_positions(n);

	memset(places, 0, ((Size) ranks->nranks + 1) * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		places[rank_of[class_of[i]] + 1]++;
	}
	for (uint32 i = 0; i < ranks->nranks; i++)
		places[i + 1] += places[i];
	gpusort_copy_bytes(source, positions, (Size) n * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		positions[places[rank_of[class_of[i]]]++] = source[i];
	}
	pfree(places);
	pfree(source);
}

/* Sorts positions if few of their values are distinct.  Returns false, and sorts nothing, if many are. */
static bool
sort_by_class(const Values *values, uint32 *positions, uint32 n)
{
	uint32	   *class_of = allocate_positions(n);
	ValueRanks *ranks = find_classes(values, positions, n, class_of);

	if (ranks != NULL)
	{
		order_by_rank(ranks, class_of, positions, n);
		gpusort_ranks_free(ranks);
	}
	pfree(class_of);
	return ranks != NULL;
}

/* Sorts positions without keys. */
static void
sort_by_comparison(const Values *values, uint32 *positions, uint32 n)
{
	if (!take_in_order(values, positions, n) && !(n >= MIN_PREPARED && sort_by_class(values, positions, n)))
		gpusort_datums_sort(&values->sort->compare, values->datums, positions, n);
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
		uint32		step = n / TEXTS_LOOKED_AT + 1;
		Datum		sample[TEXTS_LOOKED_AT];
		uint32		count = 0;

		if (!gpusort_key_bytes_learn(bytes, sort->collation, sort->seen))
			return false;
		for (uint32 i = 0; i < n; i += step)
			sample[count++] = values->datums[i];
		gpusort_key_bytes_choose_width(bytes, sample, count);
	}
	if (bytes->order == COLLATION_ABBREVIATED &&
		gpusort_key_bytes_learn_plain(bytes, sort->collation, sort->seen) && !all_are_plain(values, n))
		bytes->plain = NULL;
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
