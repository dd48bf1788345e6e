/*
 * value_ranks.c
 *	  Ranks of values, few of them distinct, see value_ranks.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"

#include "keys/byte_hash.h"
#include "keys/datum_sort.h"
#include "keys/value_ranks.h"
#include "large_memory.h"

#define RANKS_FIRST_SLOTS 256	/* of a new table */
#define SLOTS_PER_VALUE 8		/* with 2 a look-up takes half as long again: more probes are predicted wrongly */

/* The bytes of a value, or those of the Datum itself.  Padding and compression are part of them. */
static inline const char *
value_bytes(bool by_value, int16 type_length, const Datum *value, Size *length)
{
	*length = by_value ? sizeof(Datum) : att_addlength_pointer(0, type_length, DatumGetPointer(*value));
	return by_value ? (const char *) value : DatumGetPointer(*value);
}

static inline uint32
hash_of(const ValueRanks *ranks, Datum value)
{
	Size		length;
	const char *bytes = value_bytes(ranks->by_value, ranks->length, &value, &length);

	return gpusort_hash_bytes(bytes, length);
}

static inline bool
same_bytes(bool by_value, int16 type_length, Datum a, Datum b)
{
	Size		length_a;
	Size		length_b;
	const char *bytes_a = value_bytes(by_value, type_length, &a, &length_a);
	const char *bytes_b = value_bytes(by_value, type_length, &b, &length_b);

	if (length_a != length_b || (length_a >= 8 && gpusort_hash_load8(bytes_a) != gpusort_hash_load8(bytes_b)))
		return false;
	return memcmp(bytes_a, bytes_b, length_a) == 0;
}

bool
gpusort_ranks_same_bytes(bool by_value, int16 length, Datum a, Datum b)
{
	return same_bytes(by_value, length, a, b);
}

/* The slot of a value, or the free one where it belongs. */
static inline uint32 *
find_slot(const ValueRanks *ranks, Datum value, uint32 hash)
{
	uint64		slot = hash & ranks->mask;

	while (ranks->slots[slot] != 0 &&
		   (ranks->hashes[ranks->slots[slot] - 1] != hash ||
			!same_bytes(ranks->by_value, ranks->length, ranks->values[ranks->slots[slot] - 1], value)))
		slot = (slot + 1) & ranks->mask;
	return &ranks->slots[slot];
}

/* Makes a table that has SLOTS_PER_VALUE slots for each value that it can have. */
static void
make_table(ValueRanks *ranks, uint64 nslots)
{
	Size		most = nslots / SLOTS_PER_VALUE;

	if (ranks->slots != NULL)
		pfree(ranks->slots);
	ranks->mask = nslots - 1;
	ranks->slots = MemoryContextAllocExtended(CurrentMemoryContext, nslots * sizeof(uint32), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	ranks->values = ranks->values == NULL ? palloc(most * sizeof(Datum)) : repalloc_huge(ranks->values, most * sizeof(Datum));
	ranks->hashes = ranks->hashes == NULL ? palloc(most * sizeof(uint32)) : repalloc_huge(ranks->hashes, most * sizeof(uint32));
	for (uint32 i = 0; i < ranks->count; i++)
	{
		uint64		slot = ranks->hashes[i] & ranks->mask;

		while (ranks->slots[slot] != 0)
			slot = (slot + 1) & ranks->mask;
		ranks->slots[slot] = i + 1;
	}
}

ValueRanks *
gpusort_ranks_create(bool by_value, int16 length)
{
	ValueRanks *ranks = palloc0(sizeof(ValueRanks));

	ranks->by_value = by_value;
	ranks->length = length;
	make_table(ranks, RANKS_FIRST_SLOTS);
	return ranks;
}

/* Looks a value up in the table, and adds it if it is not there. */
static uint32
look_up(ValueRanks *ranks, Datum value)
{
	uint32		hash = hash_of(ranks, value);
	uint32	   *slot = find_slot(ranks, value, hash);

	if (*slot != 0)
		return *slot - 1;
	ranks->values[ranks->count] = value;
	ranks->hashes[ranks->count] = hash;
	*slot = ++ranks->count;
	if (ranks->count == (ranks->mask + 1) / SLOTS_PER_VALUE)
		make_table(ranks, 2 * (ranks->mask + 1));
	return ranks->count - 1;
}

uint32
gpusort_ranks_find(ValueRanks *ranks, Datum value)
{
	/* Often all values are the same, or come one behind the other. */
	if (ranks->count > 0 && same_bytes(ranks->by_value, ranks->length, ranks->last, value))
		return ranks->last_number;
	ranks->last_number = look_up(ranks, value);
	ranks->last = value;
	return ranks->last_number;
}

void
gpusort_ranks_sort(ValueRanks *ranks, SortSupport compare)
{
	const Datum *values = ranks->values;
	uint32	   *order = MemoryContextAllocHuge(CurrentMemoryContext, Max(ranks->count, 1) * sizeof(uint32));
	uint32		rank = 0;

	ranks->rank_of = MemoryContextAllocHuge(CurrentMemoryContext, Max(ranks->count, 1) * sizeof(uint32));
	for (uint32 i = 0; i < ranks->count; i++)
		order[i] = i;
	gpusort_datums_sort(compare, values, order, ranks->count);
	for (uint32 i = 0; i < ranks->count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		rank += i > 0 && ApplySortComparator(values[order[i - 1]], false, values[order[i]], false, compare) != 0;
		ranks->rank_of[order[i]] = rank;
	}
	ranks->nranks = rank + 1;
	pfree(order);
}

void
gpusort_ranks_free(ValueRanks *ranks)
{
	pfree(ranks->slots);
	pfree(ranks->values);
	pfree(ranks->hashes);
	if (ranks->rank_of != NULL)
		pfree(ranks->rank_of);
	pfree(ranks);
}
