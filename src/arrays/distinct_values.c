/*
 * distinct_values.c
 *	  See distinct_values.h.
 *
 * A hash table with linear probing.  An entry holds where its value stands and 32 bits of
 * its hash, so only values of equal hashes are compared, and the table doubles without
 * looking at values.  Values are hashed a block ahead, which gives their entries time to
 * come from memory.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/lsyscache.h"

#include "arrays/distinct_values.h"
#include "large_memory.h"

#define BLOCK 32
#define FIRST_ENTRIES 128

typedef struct Entry
{
	uint32		place;			/* where the value begins in the set, plus one; 0 in an entry that is not used */
	uint32		hash;
} Entry;

typedef struct Table
{
	const ElementType *element;
	const char *data;			/* what the places count from */
	uint32		count;
	uint32		mask;			/* the number of entries, a power of two, less one */
	Entry	   *entries;
	Entry		local[FIRST_ENTRIES];
} Table;

/* A value as it is stored, and its bytes without the header of a varlena. */
typedef struct Bytes
{
	const char *start;			/* with the header */
	const char *bytes;			/* behind the header */
	uint32		length;
	uint32		stored;			/* bytes to the next value */
	uint32		hash;
} Bytes;

bool
gpusort_distinct_by_bytes(const ElementType *element, Oid collation)
{
	switch (element->oid)
	{
		case BYTEAOID:
		case UUIDOID:
			return true;
		case TEXTOID:
		case VARCHAROID:
			/* Comparing texts without a collation is an error, which the comparator raises. */
			return OidIsValid(collation) && get_collation_isdeterministic(collation);
		default:
			return false;
	}
}

static inline void
read_value(const ElementType *element, const char *start, Bytes *value)
{
	value->start = start;
	value->bytes = start;
	value->length = element->length;
	value->stored = element->stride;
	if (element->length < 0)
	{
		value->bytes = VARDATA_ANY(start);
		value->length = VARSIZE_ANY_EXHDR(start);
		value->stored = att_align_nominal(VARSIZE_ANY(start), element->alignment);
	}
}

static inline bool
is_same(const Table *table, const Entry *entry, const Bytes *value)
{
	Bytes		other;

	read_value(table->element, table->data + entry->place - 1, &other);
	return other.length == value->length && memcmp(other.bytes, value->bytes, value->length) == 0;
}

/* The entry of a value, or the unused one where it belongs. */
static inline Entry *
find_entry(const Table *table, const Bytes *value)
{
	uint32		slot = value->hash & table->mask;

	for (;; slot = (slot + 1) & table->mask)
	{
		Entry	   *entry = &table->entries[slot];

		if (entry->place == 0 || (entry->hash == value->hash && is_same(table, entry, value)))
			return entry;
	}
}

static Entry *
allocate_entries(uint64 count)
{
	Entry	   *entries = gpusort_alloc_large(CurrentMemoryContext, count * sizeof(Entry));

	for (uint64 start = 0; start < count; start += GPUSORT_INTERRUPT_INTERVAL)
	{
		CHECK_FOR_INTERRUPTS();
		memset(entries + start, 0, Min(count - start, GPUSORT_INTERRUPT_INTERVAL) * sizeof(Entry));
	}
	return entries;
}

static void
free_entries(Table *table, Entry *entries)
{
	if (entries != table->local)
		pfree(entries);
}

static void
double_table(Table *table)
{
	Entry	   *old = table->entries;
	uint64		before = (uint64) table->mask + 1;

	table->mask = 2 * before - 1;
	table->entries = allocate_entries(2 * before);
	for (uint64 i = 0; i < before; i++)
	{
		uint32		slot = old[i].hash & table->mask;

		GPUSORT_CHECK_EVERY(i);
		if (old[i].place == 0)
			continue;
		while (table->entries[slot].place != 0)
			slot = (slot + 1) & table->mask;
		table->entries[slot] = old[i];
	}
	free_entries(table, old);
}

/* Reads and hashes the next values and has their entries fetched.  Returns where the values behind them begin. */
static const char *
read_block(const Table *table, const char *next, uint32 count, Bytes *block)
{
	for (uint32 i = 0; i < count; i++)
	{
		read_value(table->element, next, &block[i]);
		block[i].hash = hash_bytes((const unsigned char *) block[i].bytes, block[i].length);
		__builtin_prefetch(&table->entries[block[i].hash & table->mask]);
		next += block[i].stored;
	}
	return next;
}

/* Enters a value.  Returns false if it is there already. */
static inline bool
enter(Table *table, const Bytes *value, const char *place)
{
	Entry	   *entry = find_entry(table, value);

	if (entry->place != 0)
		return false;
	entry->place = place - table->data + 1;
	entry->hash = value->hash;
	table->count++;
	return true;
}

uint32
gpusort_distinct_values(const StoredValues *values, char *kept, Size *kept_bytes)
{
	Table		table = {
		.element = values->element,
		.data = kept != NULL ? kept : values->data,
		.mask = FIRST_ENTRIES - 1
	};
	Bytes		block[BLOCK];
	const char *next = values->data;
	char	   *end = kept;

	table.entries = table.local;
	for (uint32 start = 0; start < values->count; start += BLOCK)
	{
		uint32		count = Min(values->count - start, BLOCK);

		GPUSORT_CHECK_VALUES(start);
		if (table.count + count > table.mask / 2)
			double_table(&table);
		next = read_block(&table, next, count, block);
		for (uint32 i = 0; i < count; i++)
		{
			if (!enter(&table, &block[i], kept != NULL ? end : block[i].start) || kept == NULL)
				continue;
			/* Values only move towards the beginning, and never over one of the block that is still to come. */
			memmove(end, block[i].start, block[i].stored);
			end += block[i].stored;
		}
	}
	if (kept != NULL)
		*kept_bytes = end - kept;
	free_entries(&table, table.entries);
	return table.count;
}
