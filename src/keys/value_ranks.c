/*
 * value_ranks.c
 *	  Ranks of values of which few are distinct, see value_ranks.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "miscadmin.h"

#include "keys/byte_hash.h"
#include "keys/value_ranks.h"

#define RANKS_FIRST_SIZE 64		/* entries of a new table */

typedef struct RankedValue
{
	Datum		value;
	uint32		hash;
	uint32		number:31;
	uint32		status:1;
} RankedValue;

/* The bytes of a value, or those of the Datum itself.  Padding and compression are part of them. */
static inline const char *
value_bytes(const ValueRanks *ranks, const Datum *value, Size *length)
{
	*length = ranks->by_value ? sizeof(Datum) : att_addlength_pointer(0, ranks->length, DatumGetPointer(*value));
	return ranks->by_value ? (const char *) value : DatumGetPointer(*value);
}

static inline uint32
hash_value(const ValueRanks *ranks, Datum value)
{
	Size		length;
	const char *bytes = value_bytes(ranks, &value, &length);

	return gpusort_hash_bytes(bytes, length);
}

static inline bool
same_bytes(const ValueRanks *ranks, Datum a, Datum b)
{
	Size		length_a;
	Size		length_b;
	const char *bytes_a = value_bytes(ranks, &a, &length_a);
	const char *bytes_b = value_bytes(ranks, &b, &length_b);

	return length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
}

#define SH_PREFIX ranked
#define SH_ELEMENT_TYPE RankedValue
#define SH_KEY_TYPE Datum
#define SH_KEY value
#define SH_HASH_KEY(table, key) hash_value((table)->private_data, key)
#define SH_EQUAL(table, a, b) same_bytes((table)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

ValueRanks *
gpusort_ranks_create(bool by_value, int16 length)
{
	ValueRanks *ranks = palloc0(sizeof(ValueRanks));

	ranks->by_value = by_value;
	ranks->length = length;
	return ranks;
}

/* Looks a value up in the table, and adds it if it is not there. */
static uint32
look_up(ValueRanks *ranks, Datum value)
{
	bool		found;
	RankedValue *entry = ranked_insert(ranks->table, value, &found);

	if (!found)
		entry->number = ranks->count++;
	return entry->number;
}

uint32
gpusort_ranks_find(ValueRanks *ranks, Datum value)
{
	/* Often all values are the same, or come one behind the other. */
	if (ranks->count > 0 && same_bytes(ranks, ranks->last, value))
		return ranks->last_number;
	if (ranks->count == 0)
		ranks->last_number = ranks->count++;
	else
	{
		if (ranks->table == NULL)
		{
			ranks->table = ranked_create(CurrentMemoryContext, RANKS_FIRST_SIZE, ranks);
			ranks->count = 0;
			(void) look_up(ranks, ranks->last);
		}
		ranks->last_number = look_up(ranks, value);
	}
	ranks->last = value;
	return ranks->last_number;
}

static int
compare_values(const void *a, const void *b, void *compare)
{
	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator(((const RankedValue *) a)->value, false, ((const RankedValue *) b)->value, false, compare);
}

void
gpusort_ranks_sort(ValueRanks *ranks, SortSupport compare)
{
	RankedValue *values = MemoryContextAllocHuge(CurrentMemoryContext, Max(ranks->count, 1) * sizeof(RankedValue));
	ranked_iterator iterator;
	RankedValue *entry;
	uint32		n = 0;
	uint32		rank = 0;

	ranks->rank_of = MemoryContextAllocHuge(CurrentMemoryContext, Max(ranks->count, 1) * sizeof(uint32));
	ranks->rank_of[0] = 0;
	if (ranks->table != NULL)
	{
		ranked_start_iterate(ranks->table, &iterator);
		while ((entry = ranked_iterate(ranks->table, &iterator)) != NULL)
			values[n++] = *entry;
		qsort_arg(values, n, sizeof(RankedValue), compare_values, compare);
	}
	for (uint32 i = 0; i < n; i++)
	{
		rank += i > 0 && compare_values(&values[i - 1], &values[i], compare) != 0;
		ranks->rank_of[values[i].number] = rank;
	}
	ranks->nranks = rank + 1;
	pfree(values);
}

void
gpusort_ranks_free(ValueRanks *ranks)
{
	if (ranks->table != NULL)
		ranked_destroy(ranks->table);
	if (ranks->rank_of != NULL)
		pfree(ranks->rank_of);
	pfree(ranks);
}
