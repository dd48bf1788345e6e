/*
 * distinct_values.c
 *	  See distinct_values.h.
 *
 * A hash table with linear probing.  An entry holds where its value stands and 32 bits of
 * its hash, so only values of equal hashes are compared, and the table doubles without
 * looking at values.  Values are hashed a block ahead, which gives their entries time to
 * come from memory.
 *
 * Many values that are only counted are hashed first, and their entries brought into parts
 * by the leading bits of the hash.  Each part has a table that fits a processor's cache.
 * Values with the hash of an earlier one wait in a queue while both come from memory.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "port/pg_bitutils.h"

#include "arrays/distinct_values.h"
#include "keys/byte_hash.h"
#include "large_memory.h"

#define BLOCK 32
#define FIRST_ENTRIES 128

/* From this many values on they are counted in parts, each of about PART_VALUES. */
#define PARTS_FROM 16384
#define PART_VALUES 4096
#define MOST_PARTS_BITS 12

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
		block[i].hash = gpusort_hash_bytes(block[i].bytes, block[i].length);
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

/* Entries by the leading bits of their hashes. */
typedef struct Parts
{
	int			shift;			/* brings the leading bits of a hash down */
	uint32		count;
	Entry	   *entries;
	uint32		ends[1 << MOST_PARTS_BITS];	/* where each part ends */
} Parts;

/* Hashes all values.  Counts how many of each part there are. */
static Entry *
hash_values(const StoredValues *values, const Table *table, Parts *parts)
{
	Entry	   *entries = gpusort_alloc_large(CurrentMemoryContext, values->count * sizeof(Entry));
	const char *next = values->data;
	Bytes		value;

	for (uint32 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		read_value(table->element, next, &value);
		entries[i].place = next - table->data + 1;
		entries[i].hash = gpusort_hash_bytes(value.bytes, value.length);
		parts->ends[entries[i].hash >> parts->shift]++;
		next += value.stored;
	}
	return entries;
}

/* Brings the entries of all values into parts, in each of which they stand in the values' order. */
static Parts *
split(const StoredValues *values, const Table *table)
{
	Parts	   *parts = palloc0(sizeof(Parts));
	int			bits = Min(pg_leftmost_one_pos32(values->count / PART_VALUES), MOST_PARTS_BITS);
	Entry	   *entries;
	uint32		start = 0;

	parts->count = 1 << bits;
	parts->shift = 32 - bits;
	entries = hash_values(values, table, parts);
	for (uint32 i = 0; i < parts->count; i++)
	{
		uint32		size = parts->ends[i];

		parts->ends[i] = start;
		start += size;
	}
	parts->entries = gpusort_alloc_large(CurrentMemoryContext, values->count * sizeof(Entry));
	for (uint32 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		parts->entries[parts->ends[entries[i].hash >> parts->shift]++] = entries[i];
	}
	pfree(entries);
	return parts;
}

/* Values whose hash was there before. */
typedef struct Queue
{
	uint32		count;
	Entry		entries[BLOCK];
} Queue;

/* Enters the values of a queue and empties it. */
static void
enter_queue(Table *table, Queue *queue)
{
	for (uint32 i = 0; i < queue->count; i++)
	{
		const char *place = table->data + queue->entries[i].place - 1;
		Bytes		value;

		read_value(table->element, place, &value);
		value.hash = queue->entries[i].hash;
		enter(table, &value, place);
	}
	queue->count = 0;
}

/* Enters a value, or puts it in the queue if there is one with its hash. */
static inline void
enter_or_wait(Table *table, Queue *queue, const Entry *value)
{
	for (uint32 slot = value->hash & table->mask;; slot = (slot + 1) & table->mask)
	{
		Entry	   *entry = &table->entries[slot];

		if (entry->place == 0)
		{
			*entry = *value;
			table->count++;
			return;
		}
		if (entry->hash != value->hash)
			continue;
		__builtin_prefetch(table->data + entry->place - 1);
		__builtin_prefetch(table->data + value->place - 1);
		queue->entries[queue->count++] = *value;
		return;
	}
}

/* Counts the different values of a part. */
static uint32
count_part(Table *table, const Entry *part, uint32 count)
{
	Queue		queue = {0};

	table->count = 0;
	memset(table->entries, 0, ((Size) table->mask + 1) * sizeof(Entry));
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		if (table->count + BLOCK > table->mask / 4 * 3)
			double_table(table);
		enter_or_wait(table, &queue, &part[i]);
		if (queue.count == BLOCK)
			enter_queue(table, &queue);
	}
	enter_queue(table, &queue);
	return table->count;
}

/* Counts the different values part by part. */
static uint32
count_in_parts(const StoredValues *values, Table *table)
{
	Parts	   *parts = split(values, table);
	uint32		start = 0;
	uint32		distinct = 0;

	/* A part of many different values doubles it. */
	table->mask = pg_nextpower2_32(2 * (values->count / parts->count + 1)) - 1;
	table->entries = allocate_entries((uint64) table->mask + 1);
	for (uint32 i = 0; i < parts->count; i++)
	{
		distinct += count_part(table, parts->entries + start, parts->ends[i] - start);
		start = parts->ends[i];
	}
	pfree(table->entries);
	pfree(parts->entries);
	pfree(parts);
	return distinct;
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

	if (kept == NULL && values->count >= PARTS_FROM)
		return count_in_parts(values, &table);
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
