/*
 * hashed_values.c
 *	  See hashed_values.h.
 *
 * The entries of a part stand in chunks.  A chunk begins with a link to the chunk before it, in
 * the place of an entry, and is aligned to its size, so an address tells where it ends.
 *
 * A part is read twice.  First each hash sets a bit, and another one if it finds that set.  Then only
 * values that may be there twice by these bits are entered in a table, or all if these are many.  Those
 * with the hash of an earlier one wait in a queue while both come from memory.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "arrays/hashed_values.h"
#include "kept_memory.h"
#include "large_memory.h"

#define CHUNK_BYTES ((Size) 4096)
#define CHUNK_ENTRIES (CHUNK_BYTES / sizeof(ValueEntry))

/* Chunks are mapped this many bytes at a time, or as many as the values need. */
#define PIECE_BYTES GPUSORT_HUGE_PAGES_FROM

/* A part is to have about PART_VALUES, if that does not make too many parts. */
#define PART_VALUES 4096
#define MOST_PARTS_BITS 9

/* An entry's memory is fetched when this many before it are written: in the cache line behind theirs. */
#define AHEAD 12

#define QUEUE 32

/* Words of a part's bits, and entries that its table begins with; powers of two that a processor's nearest cache holds. */
#define SEEN_WORDS 2048
#define FIRST_ENTRIES 4096

typedef struct HashedValues
{
	int			shift;			/* brings the leading bits of a hash down */
	uint32		nparts;
	Size		piece;			/* bytes of a piece */
	char	   *free;			/* chunks that no part has */
	char	   *end;
	MemoryContext context;		/* of the chunks */
	ValueEntry *ends[FLEXIBLE_ARRAY_MEMBER];	/* where each part's next entry goes; NULL before the first */
} HashedValues;

/* Bits of hashes that were there at least once, and at least twice. */
typedef struct SeenBits
{
	uint64		once;
	uint64		again;
} SeenBits;

/* Values whose hash was there before. */
typedef struct Queue
{
	uint32		count;
	ValueEntry	entries[QUEUE];
} Queue;

/* For so many values. */
static HashedValues *
create_hashed(uint32 count)
{
	int			bits = Min(pg_leftmost_one_pos32(Max(count / PART_VALUES, 2)), MOST_PARTS_BITS);
	uint32		nparts = 1 << bits;
	HashedValues *hashed = palloc0(offsetof(HashedValues, ends) + nparts * sizeof(ValueEntry *));

	hashed->shift = 32 - bits;
	hashed->nparts = nparts;
	hashed->piece = Min(PIECE_BYTES, TYPEALIGN(CHUNK_BYTES, count * sizeof(ValueEntry)) + nparts * CHUNK_BYTES);
	hashed->context = AllocSetContextCreate(CurrentMemoryContext, "gpusort hashed values", ALLOCSET_DEFAULT_SIZES);
	return hashed;
}

/* Begins a chunk for a part, with a link to the end of the one before.  Returns where its first entry goes. */
static pg_noinline ValueEntry *
begin_chunk(HashedValues *hashed, ValueEntry *before)
{
	ValueEntry *chunk;

	if (hashed->free == hashed->end)
	{
		Mapping		piece = gpusort_memory_own(hashed->context, hashed->piece, 2 * hashed->piece)->mapping;

		hashed->free = piece.data;
		hashed->end = piece.data + piece.size;
	}
	chunk = (ValueEntry *) hashed->free;
	hashed->free += CHUNK_BYTES;
	memcpy(chunk, &before, sizeof(before));
	return chunk + 1;
}

static inline void
add_entry(HashedValues *hashed, ValueEntry entry)
{
	ValueEntry **end = &hashed->ends[entry.hash >> hashed->shift];
	ValueEntry *next = *end;

	/* The end of a chunk, or NULL. */
	if (unlikely((uintptr_t) next % CHUNK_BYTES == 0))
		next = begin_chunk(hashed, next);
	*next = entry;
	*end = next + 1;
	__builtin_prefetch(next + AHEAD, 1);
}

static void
add_values(HashedValues *hashed, const StoredValues *values)
{
	const char *next = values->data;
	ValueBytes	value;

	for (uint32 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		gpusort_value_hash(values->element, next, &value);
		add_entry(hashed, (ValueEntry) {.place = next - values->data + 1,.hash = value.hash});
		next += value.stored;
	}
}

/* Enters the values of a queue and empties it. */
static void
enter_queue(ValueTable *table, Queue *queue)
{
	for (uint32 i = 0; i < queue->count; i++)
	{
		const char *place = table->data + queue->entries[i].place - 1;
		ValueBytes	value;

		gpusort_value_read(table->element, place, &value);
		value.hash = queue->entries[i].hash;
		gpusort_table_enter(table, &value, place);
	}
	queue->count = 0;
}

/* Enters a value, or puts it in the queue if there is one with its hash. */
static inline void
enter_or_wait(ValueTable *table, Queue *queue, const ValueEntry *value)
{
	for (uint32 slot = value->hash & table->mask;; slot = (slot + 1) & table->mask)
	{
		ValueEntry *entry = &table->entries[slot];

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

/* The chunk that holds the entry before an address. */
static inline const ValueEntry *
chunk_of(const ValueEntry *end)
{
	return (const ValueEntry *) TYPEALIGN_DOWN(CHUNK_BYTES, (uintptr_t) (end - 1));
}

/* The end of the chunk before, or NULL. */
static inline const ValueEntry *
end_before(const ValueEntry *end)
{
	const ValueEntry *before;

	memcpy(&before, chunk_of(end), sizeof(before));
	return before;
}

/* Sets the bits of the hashes of a chunk, while the chunk before comes from memory.  Returns how many were set before. */
static uint32
set_bits_of_chunk(SeenBits *bits, const ValueEntry *end)
{
	const ValueEntry *chunk = chunk_of(end);
	const ValueEntry *before = end_before(end) == NULL ? chunk : chunk_of(end_before(end));
	uint32		set = 0;

	for (Size i = 1; chunk + i < end; i++)
	{
		SeenBits   *seen = &bits[chunk[i].hash / 64 % SEEN_WORDS];
		uint64		bit = UINT64CONST(1) << chunk[i].hash % 64;

		__builtin_prefetch(before + i);
		set += (seen->once & bit) != 0;
		seen->again |= seen->once & bit;
		seen->once |= bit;
	}
	return set;
}

/* Sets the bits of the hashes of a part, which has this end.  Returns false as soon as many were set before. */
static bool
set_bits(SeenBits *bits, const ValueEntry *end)
{
	memset(bits, 0, SEEN_WORDS * sizeof(SeenBits));
	for (; end != NULL; end = end_before(end))
	{
		CHECK_FOR_INTERRUPTS();
		if (set_bits_of_chunk(bits, end) > CHUNK_ENTRIES / 4)
			return false;
	}
	return true;
}

/* True if no other value has the hash. */
static inline bool
is_alone(const SeenBits *bits, uint32 hash)
{
	return (bits[hash / 64 % SEEN_WORDS].again >> hash % 64 & 1) == 0;
}

/* Enters the values of a chunk.  If there are bits, those that are alone are left out, and their number is returned. */
static uint32
enter_chunk(ValueTable *table, const SeenBits *bits, Queue *queue, const ValueEntry *end)
{
	uint32		alone = 0;

	while (table->count + CHUNK_ENTRIES > table->mask / 2)
		gpusort_table_double(table);
	for (const ValueEntry *entry = chunk_of(end) + 1; entry < end; entry++)
	{
		if (bits != NULL && is_alone(bits, entry->hash))
		{
			alone++;
			continue;
		}
		enter_or_wait(table, queue, entry);
		if (queue->count == QUEUE)
			enter_queue(table, queue);
	}
	return alone;
}

/* Counts the different values of a part, which has this end. */
static uint32
count_part(ValueTable *table, SeenBits *bits, const ValueEntry *end)
{
	bool		are_set = set_bits(bits, end);
	Queue		queue = {0};
	uint32		alone = 0;

	table->count = 0;
	memset(table->entries, 0, ((Size) table->mask + 1) * sizeof(ValueEntry));
	for (; end != NULL; end = end_before(end))
	{
		CHECK_FOR_INTERRUPTS();
		alone += enter_chunk(table, are_set ? bits : NULL, &queue, end);
	}
	enter_queue(table, &queue);
	return alone + table->count;
}

uint32
gpusort_hashed_count(const StoredValues *values)
{
	HashedValues *hashed = create_hashed(values->count);
	ValueTable	table = {.element = values->element,.data = values->data};
	SeenBits   *bits = palloc(SEEN_WORDS * sizeof(SeenBits));
	uint32		distinct = 0;

	add_values(hashed, values);
	gpusort_table_begin(&table, FIRST_ENTRIES);
	for (uint32 i = 0; i < hashed->nparts; i++)
		distinct += count_part(&table, bits, hashed->ends[i]);
	gpusort_table_free(&table);
	pfree(bits);
	MemoryContextDelete(hashed->context);
	pfree(hashed);
	return distinct;
}
