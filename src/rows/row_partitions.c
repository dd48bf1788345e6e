/*
 * row_partitions.c
 *	  A hash table of partitions, see row_partitions.h.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "keys/byte_hash.h"
#include "rows/row_partitions.h"

#define PARTITIONS_FIRST 512
#define PARTITIONS_SCRATCH_FINDS 256	/* after this many look-ups what hash functions left behind is freed */

typedef struct PartitionKey
{
	RowKey	   *key;
	bool		is_integer;		/* values are equal if their bits are */
	bool		is_bytes;		/* values are equal if their bytes are */
	FmgrInfo	hash;			/* of other values */
	Oid			collation;
} PartitionKey;

typedef struct PartitionEntry
{
	uint32		number;			/* of the partition */
	uint32		hash;
	char		status;
} PartitionEntry;

struct RowPartitions
{
	MemoryContext context;		/* holds everything but the struct */
	MemoryContext scratch;		/* what look-ups leave behind */
	int			finds;			/* since scratch was reset */
	int			nkeys;
	PartitionKey *keys;
	Datum	   *row_values;		/* of the row that is looked up */
	bool	   *row_nulls;
	uint32		capacity;			/* partitions that fit values and nulls */
	Datum	   *values;			/* values[partition * nkeys + key] */
	bool	   *nulls;
	struct partition_hash *table;
};

/* True if the row that was hashed belongs to a partition. */
static inline bool
row_is_of(const RowPartitions *partitions, uint32 number)
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

/* A table of partitions.  What is looked up in it is the row that was hashed, whatever the key is. */
#define SH_PREFIX partition
#define SH_ELEMENT_TYPE PartitionEntry
#define SH_KEY_TYPE uint32
#define SH_KEY number
#define SH_EQUAL(tb, a, b) row_is_of((tb)->private_data, a)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_HASH_KEY(tb, key) 0	/* never used: only hashes are looked up */
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/*
 * The hash function of a type, if values are equal to it where an ordering operator says that they
 * are, or InvalidOid.  It takes a seed, so that nobody can make many values of one hash.
 */
static Oid
hash_function(Oid sort_operator, Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_EXTENDED_PROC);

	return get_equality_op_for_ordering_op(sort_operator, NULL) == entry->eq_opr ? entry->hash_extended_proc : InvalidOid;
}

/* True if rows can be looked up by a key of the type that is sorted by this operator. */
bool
gpusort_rows_can_partition(Oid sort_operator, Oid type)
{
	return OidIsValid(hash_function(sort_operator, type));
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
		key->is_bytes = gpusort_keys_equal_by_bytes(getBaseType(key->key->type), key->collation);
		if (!key->is_integer && !key->is_bytes)
			fmgr_info(hash_function(key->key->operator, key->key->type), &key->hash);
	}
	partitions->row_values = palloc(nkeys * sizeof(Datum));
	partitions->row_nulls = palloc(nkeys * sizeof(bool));
	partitions->capacity = PARTITIONS_FIRST;
	partitions->values = palloc((Size) partitions->capacity * nkeys * sizeof(Datum));
	partitions->nulls = palloc((Size) partitions->capacity * nkeys * sizeof(bool));
	partitions->table = partition_create(partitions->context, PARTITIONS_FIRST, partitions);
	MemoryContextSwitchTo(caller);
	return partitions;
}

/* The bits of a value that its type has.  The other bits of a Datum depend on where it comes from. */
static inline uint64
integer_bits(const PartitionKey *key, Datum value)
{
	return value & (PG_UINT64_MAX >> (64 - 8 * key->key->width));
}

/* Reads the keys of a row and returns their hash, which nobody can foresee. */
static uint32
hash_row(RowPartitions *partitions, RowValueGetter get, void *row)
{
	uint64		hash = gpusort_hash_secrets[0];

	for (int i = 0; i < partitions->nkeys; i++)
	{
		PartitionKey *key = &partitions->keys[i];
		Datum		value = get(row, key->key->attribute, &partitions->row_nulls[i]);
		uint64		bits = 0;

		if (partitions->row_nulls[i])
			value = 0;
		else if (key->is_integer)
			bits = value = integer_bits(key, value);
		else if (key->is_bytes)
			bits = gpusort_hash_datum(value, key->key->by_value, key->key->length);
		else
			bits = DatumGetUInt64(FunctionCall2Coll(&key->hash, key->collation, value,
													UInt64GetDatum(gpusort_hash_secrets[0])));
		partitions->row_values[i] = value;
		hash = gpusort_hash_mix(bits ^ gpusort_hash_secrets[1], hash);
	}
	return hash;
}

/* Keeps the keys of the row that was hashed as those of a new partition. */
static void
keep_keys(RowPartitions *partitions, uint32 number)
{
	Size		place = (Size) number * partitions->nkeys;
	MemoryContext caller = MemoryContextSwitchTo(partitions->context);

	if (number == partitions->capacity)
	{
		partitions->capacity *= 2;
		partitions->values = repalloc_huge(partitions->values, (Size) partitions->capacity * partitions->nkeys * sizeof(Datum));
		partitions->nulls = repalloc_huge(partitions->nulls, (Size) partitions->capacity * partitions->nkeys * sizeof(bool));
	}
	for (int i = 0; i < partitions->nkeys; i++)
	{
		const PartitionKey *key = &partitions->keys[i];

		partitions->nulls[place + i] = partitions->row_nulls[i];
		partitions->values[place + i] = partitions->row_nulls[i] || key->is_integer ? partitions->row_values[i]
			: datumCopy(partitions->row_values[i], key->key->by_value, key->key->length);
	}
	MemoryContextSwitchTo(caller);
}

/* Returns the number of a row's partition, which is a new one if no row had these values. */
uint32
gpusort_rows_partitions_find(RowPartitions *partitions, RowValueGetter get, void *row)
{
	MemoryContext caller = MemoryContextSwitchTo(partitions->scratch);
	PartitionEntry *entry;
	uint32		hash;
	bool		found;

	if (++partitions->finds == PARTITIONS_SCRATCH_FINDS)
	{
		partitions->finds = 0;
		MemoryContextReset(partitions->scratch);
	}
	hash = hash_row(partitions, get, row);
	entry = partition_lookup_hash(partitions->table, 0, hash);
	MemoryContextSwitchTo(caller);
	if (entry == NULL)
	{
		entry = partition_insert_hash(partitions->table, 0, hash, &found);
		entry->number = partitions->table->members - 1;
		keep_keys(partitions, entry->number);
	}
	return entry->number;
}

uint32
gpusort_rows_partitions_count(const RowPartitions *partitions)
{
	return partitions->table->members;
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
