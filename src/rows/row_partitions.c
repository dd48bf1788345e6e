/*
 * row_partitions.c
 *	  A hash table of partitions with open addressing, see row_partitions.h.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "rows/row_partitions.h"

#define PARTITIONS_FIRST_SLOTS 1024 /* a power of two */
#define PARTITIONS_SCRATCH_FINDS 256	/* after this many look-ups what hash functions left behind is freed */

typedef struct PartitionKey
{
	RowKey	   *key;
	bool		is_integer;		/* values are equal if their bits are */
	FmgrInfo	hash;			/* unless is_integer */
	Oid			collation;
} PartitionKey;

typedef struct PartitionSlot
{
	uint32		hash;
	uint32		number;			/* of the partition, counted from 1; 0: the slot is free */
} PartitionSlot;

struct RowPartitions
{
	MemoryContext context;		/* holds everything but the struct */
	MemoryContext scratch;		/* what look-ups leave behind */
	int			finds;			/* since scratch was reset */
	int			nkeys;
	PartitionKey *keys;
	Datum	   *row_values;		/* of the row that is looked up */
	bool	   *row_nulls;
	uint32		count;
	uint32		capacity;			/* partitions that fit values and nulls */
	Datum	   *values;			/* values[partition * nkeys + key] */
	bool	   *nulls;
	PartitionSlot *slots;
	uint32		nslots;			/* a power of two */
};

/* The hash function of the equality that belongs to a sort operator, or InvalidOid. */
static Oid
hash_function(Oid sort_operator)
{
	Oid			equality = get_equality_op_for_ordering_op(sort_operator, NULL);
	RegProcedure left;
	RegProcedure right;

	if (!OidIsValid(equality) || !get_op_hash_functions(equality, &left, &right) || left != right)
		return InvalidOid;
	return left;
}

/*
 * True if rows can be looked up by a key of the type that is sorted by this operator.
 * Elements of an array must have a hash function, too.
 */
bool
gpusort_rows_can_partition(Oid sort_operator, Oid type)
{
	return OidIsValid(hash_function(sort_operator)) &&
		OidIsValid(lookup_type_cache(getBaseType(type), TYPECACHE_HASH_PROC)->hash_proc);
}

/*
 * Makes an empty table of partitions by the first nkeys keys.  gpusort_rows_can_partition must
 * hold for each of them.
 */
RowPartitions *
gpusort_rows_partitions_create(const RowLayout *layout, const RowKeys *keys, int nkeys)
{
	RowPartitions *partitions = palloc0(sizeof(RowPartitions));
	MemoryContext caller;

	partitions->context = AllocSetContextCreate(CurrentMemoryContext, "gpusort row partitions", ALLOCSET_DEFAULT_SIZES);
	partitions->scratch = AllocSetContextCreate(partitions->context, "gpusort row hashes", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(partitions->context);
	partitions->keys = palloc0(nkeys * sizeof(PartitionKey));
	for (int i = 0; i < nkeys; i++)
	{
		PartitionKey *key = &partitions->keys[partitions->nkeys];

		if (layout->attributes[keys->keys[i].attribute].is_constant)
			continue;
		partitions->nkeys++;
		key->key = &keys->keys[i];
		key->collation = key->key->compare.ssup_collation;
		key->is_integer = key->key->kind == KEY_IS_VALUE &&
			(key->key->width == 1 || (key->key->form != GPUSORT_KEY_FLOAT32 && key->key->form != GPUSORT_KEY_FLOAT64));
		if (!key->is_integer)
			fmgr_info(hash_function(key->key->operator), &key->hash);
	}
	partitions->row_values = palloc(nkeys * sizeof(Datum));
	partitions->row_nulls = palloc(nkeys * sizeof(bool));
	partitions->capacity = PARTITIONS_FIRST_SLOTS / 2;
	partitions->values = palloc((Size) partitions->capacity * nkeys * sizeof(Datum));
	partitions->nulls = palloc((Size) partitions->capacity * nkeys * sizeof(bool));
	partitions->nslots = PARTITIONS_FIRST_SLOTS;
	partitions->slots = palloc0(partitions->nslots * sizeof(PartitionSlot));
	MemoryContextSwitchTo(caller);
	return partitions;
}

static inline uint32
hash_bits(uint64 bits)
{
	return (bits * UINT64CONST(0x9E3779B97F4A7C15)) >> 32;
}

/* The bits of a value that its type has.  The other bits of a Datum depend on where it comes from. */
static inline uint64
integer_bits(const PartitionKey *key, Datum value)
{
	return value & (PG_UINT64_MAX >> (64 - 8 * key->key->width));
}

/* Reads the keys of a row and returns their hash. */
static uint32
hash_row(RowPartitions *partitions, RowValueGetter get, void *row)
{
	uint32		hash = 0;

	for (int i = 0; i < partitions->nkeys; i++)
	{
		PartitionKey *key = &partitions->keys[i];
		Datum		value = get(row, key->key->attribute, &partitions->row_nulls[i]);

		if (partitions->row_nulls[i])
			value = 0;
		else if (key->is_integer)
			value = integer_bits(key, value);
		partitions->row_values[i] = value;
		if (partitions->row_nulls[i] || key->is_integer)
			hash = hash_combine(hash, hash_bits(value));
		else
			hash = hash_combine(hash, DatumGetUInt32(FunctionCall1Coll(&key->hash, key->collation, value)));
	}
	return hash;
}

/* True if the row that was hashed belongs to a partition. */
static inline bool
row_is_of(RowPartitions *partitions, uint32 number)
{
	const Datum *values = partitions->values + (Size) number * partitions->nkeys;
	const bool *nulls = partitions->nulls + (Size) number * partitions->nkeys;

	for (int i = 0; i < partitions->nkeys; i++)
	{
		PartitionKey *key = &partitions->keys[i];

		if (nulls[i] != partitions->row_nulls[i])
			return false;
		if (nulls[i])
			continue;
		if (key->is_integer ? values[i] != partitions->row_values[i]
			: ApplySortComparator(values[i], false, partitions->row_values[i], false, &key->key->compare) != 0)
			return false;
	}
	return true;
}

/* The slot where the search for a hash begins. */
static inline uint32
first_slot(const RowPartitions *partitions, uint32 hash)
{
	return hash & (partitions->nslots - 1);
}

static inline uint32
next_slot(const RowPartitions *partitions, uint32 slot)
{
	return (slot + 1) & (partitions->nslots - 1);
}

/* Doubles the table, so that at most half of its slots are taken. */
static void
grow(RowPartitions *partitions)
{
	PartitionSlot *old = partitions->slots;
	uint32		nold = partitions->nslots;

	partitions->capacity *= 2;
	partitions->values = repalloc_huge(partitions->values, (Size) partitions->capacity * partitions->nkeys * sizeof(Datum));
	partitions->nulls = repalloc_huge(partitions->nulls, (Size) partitions->capacity * partitions->nkeys * sizeof(bool));
	partitions->nslots *= 2;
	partitions->slots = MemoryContextAllocExtended(partitions->context, (Size) partitions->nslots * sizeof(PartitionSlot),
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < nold; i++)
	{
		uint32		slot = first_slot(partitions, old[i].hash);

		if (old[i].number == 0)
			continue;
		while (partitions->slots[slot].number != 0)
			slot = next_slot(partitions, slot);
		partitions->slots[slot] = old[i];
	}
	pfree(old);
}

/* Adds a partition of the row that was hashed. */
static void
add_partition(RowPartitions *partitions, uint32 slot, uint32 hash)
{
	Size		place = (Size) partitions->count * partitions->nkeys;
	MemoryContext caller = MemoryContextSwitchTo(partitions->context);

	for (int i = 0; i < partitions->nkeys; i++)
	{
		const PartitionKey *key = &partitions->keys[i];

		partitions->nulls[place + i] = partitions->row_nulls[i];
		partitions->values[place + i] = partitions->row_nulls[i] || key->is_integer ? partitions->row_values[i]
			: datumCopy(partitions->row_values[i], key->key->by_value, key->key->length);
	}
	MemoryContextSwitchTo(caller);
	partitions->slots[slot] = (PartitionSlot) {hash, ++partitions->count};
	if (partitions->count == partitions->capacity)
		grow(partitions);
}

/* Returns the number of a row's partition, which is a new one if no row had these values. */
uint32
gpusort_rows_partitions_find(RowPartitions *partitions, RowValueGetter get, void *row)
{
	MemoryContext caller = MemoryContextSwitchTo(partitions->scratch);
	uint32		hash;
	uint32		slot;

	if (++partitions->finds == PARTITIONS_SCRATCH_FINDS)
	{
		partitions->finds = 0;
		MemoryContextReset(partitions->scratch);
	}
	hash = hash_row(partitions, get, row);
	slot = first_slot(partitions, hash);
	while (partitions->slots[slot].number != 0 &&
		   (partitions->slots[slot].hash != hash || !row_is_of(partitions, partitions->slots[slot].number - 1)))
		slot = next_slot(partitions, slot);
	MemoryContextSwitchTo(caller);
	if (partitions->slots[slot].number != 0)
		return partitions->slots[slot].number - 1;
	add_partition(partitions, slot, hash);
	return partitions->count - 1;
}

uint32
gpusort_rows_partitions_count(const RowPartitions *partitions)
{
	return partitions->count;
}

/* Memory that the table takes. */
Size
gpusort_rows_partitions_bytes(const RowPartitions *partitions)
{
	return MemoryContextMemAllocated(partitions->context, true);
}

void
gpusort_rows_partitions_free(RowPartitions *partitions)
{
	MemoryContextDelete(partitions->context);
	pfree(partitions);
}
