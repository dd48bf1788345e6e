/*
 * distinct_parts.c
 *	  See distinct_parts.h.
 *
 * Values stand in blocks as an array stores them.  Each part has a block in memory.  A full one goes to
 * the end of the file, behind a head that says where the part's block before it lies.  So a part is
 * read from its last block to its first.  A value longer than a block has one of its own.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "functions/distinct_parts.h"
#include "functions/value_store.h"
#include "large_memory.h"
#include "rows/spill_file.h"

#define BLOCK_BYTES ((Size) 8 * 1024)

/* The blocks in memory take up to half of it. */
#define LEAST_PARTS 4
#define MOST_PARTS 256

/* Values are divided at most so often.  Those that are left in a part have equal hashes. */
#define MOST_LEVELS 16

/* A block of the file. */
typedef struct BlockPlace
{
	int64		start;
	Size		bytes;			/* 0 for none */
} BlockPlace;

typedef struct BlockHead
{
	BlockPlace	before;
	int64		count;			/* values */
} BlockHead;

typedef struct Part
{
	BlockPlace	last;			/* the last block written */
	int64		count;			/* values in the block in memory */
	Size		bytes;			/* that they take */
	char	   *block;
} Part;

struct DistinctParts
{
	ElementType *element;
	MemoryContext context;		/* holds everything */
	Size		memory;
	int			level;			/* how often the values were divided before */
	int			shift;			/* brings the leading bits of a hash down */
	uint32		nparts;
	SpillFile  *file;
	char	   *blocks;			/* NULL while parts are counted */
	Collector	read;			/* the values of one part that were read */
	Part		parts[FLEXIBLE_ARRAY_MEMBER];
};

static DistinctParts *
create_parts(ElementType *element, Size memory, int level)
{
	int			bits = pg_leftmost_one_pos32(Max(LEAST_PARTS, Min(memory / 2 / BLOCK_BYTES, MOST_PARTS)));
	uint32		nparts = 1 << bits;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort distinct values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	DistinctParts *parts = palloc0(offsetof(DistinctParts, parts) + nparts * sizeof(Part));

	parts->element = element;
	parts->context = context;
	parts->memory = memory;
	parts->level = level;
	parts->shift = 32 - bits;
	parts->nparts = nparts;
	parts->file = gpusort_rows_spill_create();
	gpusort_collector_init(&parts->read, element);
	MemoryContextSwitchTo(caller);
	return parts;
}

DistinctParts *
gpusort_parts_create(ElementType *element, Size memory)
{
	return create_parts(element, memory, 0);
}

static void
allocate_blocks(DistinctParts *parts)
{
	parts->blocks = MemoryContextAlloc(parts->context, parts->nparts * BLOCK_BYTES);
	for (uint32 i = 0; i < parts->nparts; i++)
		parts->parts[i].block = parts->blocks + i * BLOCK_BYTES;
}

static inline uint32
hash_value(const ElementType *element, const ValueBytes *value)
{
	if (!element->is_key)
		return gpusort_value_hash_bytes(element, value->bytes, value->length);
	return gpusort_hash_mix(gpusort_key_code(element->form, value->bytes, 0) ^ gpusort_hash_secrets[0], gpusort_hash_secrets[1]);
}

/* Writes values as a block of a part. */
static void
write_values(DistinctParts *parts, Part *part, const char *values, Size bytes, int64 count)
{
	BlockHead	head = {.before = part->last,.count = count};

	part->last = (BlockPlace) {.start = gpusort_rows_spill_size(parts->file),.bytes = sizeof(head) + bytes};
	gpusort_rows_spill_write(parts->file, &head, sizeof(head));
	gpusort_rows_spill_write(parts->file, values, bytes);
}

/* Writes a part's block, and empties it. */
static void
write_block(DistinctParts *parts, Part *part)
{
	write_values(parts, part, part->block, part->bytes, part->count);
	part->count = 0;
	part->bytes = 0;
}

void
gpusort_parts_append(DistinctParts *parts, const Collector *values)
{
	const ElementType *element = parts->element;
	const char *next = values->data;

	if (parts->blocks == NULL)
		allocate_blocks(parts);
	for (int64 i = 0; i < values->count; i++)
	{
		ValueBytes	value;
		Part	   *part;

		GPUSORT_CHECK_VALUES(i);
		gpusort_value_read(element, next, &value);
		part = &parts->parts[murmurhash32(hash_value(element, &value) + (parts->level + 1) * 0x9e3779b9) >> parts->shift];
		if (unlikely(part->bytes + value.stored > BLOCK_BYTES && part->count > 0))
			write_block(parts, part);
		if (unlikely(value.stored > BLOCK_BYTES))
			write_values(parts, part, next, value.stored, 1);
		else
		{
			memcpy(part->block + part->bytes, next, value.stored);
			part->bytes += value.stored;
			part->count++;
		}
		next += value.stored;
	}
}

/* Appends the values of a block to those that were read.  Returns the place of the block before. */
static BlockPlace
read_block(DistinctParts *parts, BlockPlace place)
{
	Size		bytes = place.bytes - sizeof(BlockHead);
	BlockHead	head;

	gpusort_rows_spill_seek(parts->file, place.start, place.start + place.bytes);
	gpusort_rows_spill_read(parts->file, &head, sizeof(head));
	gpusort_rows_spill_read(parts->file, gpusort_collector_extend(&parts->read, parts->context, head.count, bytes), bytes);
	return head.before;
}

static ValueStore
values_read(const DistinctParts *parts)
{
	return (ValueStore)
	{
		.values.element = parts->element,
		.values.data = parts->read.data,
		.values.count = parts->read.count,
		.order.limit = PG_UINT32_MAX,
		.order.collation = C_COLLATION_OID,
		.order.use = USED_FOR_AGGREGATES
	};
}

/*
 * Creates parts of a deeper level, unless a cut of the values that were read leaves few enough.  Returns NULL then.
 * One long value is left, too, if a collector can hold so many bytes more.
 */
static DistinctParts *
divide(DistinctParts *parts, Size more)
{
	ValueStore	store = values_read(parts);

	parts->read.count = gpusort_values_make_distinct(&store.values, parts->read.data, &parts->read.bytes);
	if (parts->read.bytes <= parts->memory / 4 || parts->level == MOST_LEVELS ||
		(parts->read.count == 1 && AllocSizeIsValid(parts->read.bytes + more)))
		return NULL;
	return create_parts(parts->element, parts->memory, parts->level + 1);
}

static void
move_to(DistinctParts *deeper, Collector *values)
{
	gpusort_parts_append(deeper, values);
	values->count = 0;
	values->bytes = 0;
}

/* Counts the part whose last block lies at a place. */
static int64
count_part(DistinctParts *parts, BlockPlace place)
{
	Collector  *read = &parts->read;
	DistinctParts *deeper = NULL;
	ValueStore	store;
	int64		distinct;

	while (place.bytes > 0)
	{
		if (deeper == NULL && read->count > 0 && read->bytes + place.bytes > parts->memory / 2)
			deeper = divide(parts, place.bytes);
		if (deeper != NULL)
			move_to(deeper, read);
		place = read_block(parts, place);
	}
	if (deeper != NULL)
	{
		move_to(deeper, read);
		distinct = gpusort_parts_count(deeper);
		gpusort_parts_free(deeper);
		return distinct;
	}
	store = values_read(parts);
	distinct = gpusort_values_count_distinct(&store);
	read->count = 0;
	read->bytes = 0;
	return distinct;
}

int64
gpusort_parts_count(DistinctParts *parts)
{
	MemoryContext caller = MemoryContextSwitchTo(parts->context);
	int64		distinct = 0;

	if (parts->blocks != NULL)
	{
		for (uint32 i = 0; i < parts->nparts; i++)
			if (parts->parts[i].count > 0)
				write_block(parts, &parts->parts[i]);
		pfree(parts->blocks);
		parts->blocks = NULL;
	}
	for (uint32 i = 0; i < parts->nparts; i++)
		distinct += count_part(parts, parts->parts[i].last);
	MemoryContextSwitchTo(caller);
	return distinct;
}

void
gpusort_parts_free(DistinctParts *parts)
{
	gpusort_rows_spill_close(parts->file);
	MemoryContextDelete(parts->context);
}
