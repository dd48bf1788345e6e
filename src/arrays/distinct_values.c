/*
 * distinct_values.c
 *	  See distinct_values.h.
 *
 * The hash table has linear probing.  An entry holds where its value stands and 32 bits of its
 * hash, so only values of equal hashes are compared, and the table grows without looking at
 * values.  Values are hashed a block ahead, which gives their entries time to come from memory.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "arrays/distinct_values.h"
#include "large_memory.h"

#define READ_AHEAD 32

/* Entries that a table begins with, a power of two. */
#define FIRST_ENTRIES 128

/* From this many different values on, a table grows at once to what all values are expected to need. */
#define ENOUGH_VALUES 1024

typedef struct ValueEntry
{
	uint32		place;			/* where the value begins in the set, plus one; 0 in an entry that is not used */
	uint32		hash;
} ValueEntry;

typedef struct ValueTable
{
	const ElementType *element;
	const char *data;			/* what the places count from */
	uint32		count;
	uint32		mask;			/* the number of entries, a power of two, less one */
	ValueEntry *entries;
	ValueEntry	first[FIRST_ENTRIES];
} ValueTable;

static bool
is_same(const ValueTable *table, const ValueEntry *entry, const ValueBytes *value)
{
	ValueBytes	other;

	gpusort_value_read(table->element, table->data + entry->place - 1, &other);
	if (other.length == value->length && memcmp(other.bytes, value->bytes, value->length) == 0)
		return true;
	return table->element->oid == NUMERICOID &&
		gpusort_numeric_equal((const uint8 *) other.bytes, other.length, (const uint8 *) value->bytes, value->length);
}

/* Enters a value, which stands at a place.  Returns false if it is there already. */
static inline bool
enter(ValueTable *table, const ValueBytes *value, const char *place)
{
	for (uint32 slot = value->hash & table->mask;; slot = (slot + 1) & table->mask)
	{
		ValueEntry *entry = &table->entries[slot];

		if (entry->place == 0)
		{
			entry->place = place - table->data + 1;
			entry->hash = value->hash;
			table->count++;
			return true;
		}
		if (entry->hash == value->hash && is_same(table, entry, value))
			return false;
	}
}

static void
free_entries(const ValueTable *table, ValueEntry *entries)
{
	if (entries != table->first)
		pfree(entries);
}

/* Gives a table this many entries, a power of two. */
static void
grow(ValueTable *table, uint64 count)
{
	ValueEntry *old = table->entries;
	uint64		before = (uint64) table->mask + 1;

	table->mask = count - 1;
	table->entries = gpusort_alloc_large(CurrentMemoryContext, count * sizeof(ValueEntry));
	for (uint64 start = 0; start < count; start += GPUSORT_INTERRUPT_INTERVAL)
	{
		CHECK_FOR_INTERRUPTS();
		memset(table->entries + start, 0, Min(count - start, GPUSORT_INTERRUPT_INTERVAL) * sizeof(ValueEntry));
	}
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
read_ahead(const ValueTable *table, const char *next, uint32 count, ValueBytes *block)
{
	for (uint32 i = 0; i < count; i++)
	{
		gpusort_value_read(table->element, next, &block[i]);
		block[i].hash = gpusort_value_hash_bytes(table->element, block[i].bytes, block[i].length);
		__builtin_prefetch(&table->entries[block[i].hash & table->mask]);
		next += block[i].stored;
	}
	return next;
}

/*
 * The new size of a table that is full after `read` of all values: twice the old one, or what all values need if they
 * differ as those so far do.  Growing step by step takes most of the time that a large table takes.
 */
static uint64
entries_for(const ValueTable *table, uint32 read, uint32 all)
{
	uint64		wanted = 2 * ((uint64) table->mask + 1);

	if (table->count >= ENOUGH_VALUES)
		wanted = Max(wanted, pg_nextpower2_64(2 * (uint64) all * table->count / read));
	return wanted;
}

uint32
gpusort_distinct_values(const StoredValues *values, char *kept, Size *kept_bytes)
{
	ValueTable	table = {
		.element = values->element,
		.data = kept != NULL ? kept : values->data,
		.mask = FIRST_ENTRIES - 1,
		.entries = table.first
	};
	ValueBytes	block[READ_AHEAD];
	const char *next = values->data;
	char	   *end = kept;

	for (uint32 start = 0; start < values->count; start += READ_AHEAD)
	{
		uint32		count = Min(values->count - start, READ_AHEAD);

		GPUSORT_CHECK_VALUES(start);
		if (table.count + count > table.mask / 2)
			grow(&table, entries_for(&table, start, values->count));
		next = read_ahead(&table, next, count, block);
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
