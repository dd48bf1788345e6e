/*
 * value_parts.c
 *	  See value_parts.h.
 *
 * Values stand in blocks as an array stores them.  Each part has a block in memory.  A full one
 * goes to the end of the file and says where the part's block before it lies, so a part is
 * read from its last block to its first.  A value longer than a block has one of its own.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/tupmacs.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "arrays/value_table.h"
#include "functions/value_parts.h"
#include "keys/key_compare.h"
#include "large_memory.h"
#include "rows/spill_file.h"

#define BLOCK_BYTES ((Size) 8 * 1024)

/* The blocks in memory take up to half of work_mem. */
#define LEAST_PARTS 4
#define MOST_PARTS 256

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
	Size		bytes;			/* that they take, with the head */
	char	   *block;
} Part;

struct ValueParts
{
	const ElementType *element;
	uint32		salt;			/* gives each level another hash */
	int			shift;			/* brings the leading bits of a hash down */
	uint32		count;
	SpillFile  *file;
	char	   *blocks;			/* NULL when finished */
	BlockPlace	next;			/* to be read */
	Part		parts[FLEXIBLE_ARRAY_MEMBER];
};

/* A value's bytes, without the header of a varlena. */
typedef struct Bytes
{
	const char *data;
	Size		length;
	void	   *detoasted;		/* a copy to be freed, or NULL */
	Datum		by_value;		/* data may point here */
} Bytes;

bool
gpusort_parts_can_hold(const ElementType *element, Oid collation)
{
	return element->is_key || gpusort_keys_can_hash(element->oid, collation);
}

ValueParts *
gpusort_parts_create(const ElementType *element, int level)
{
	Size		wanted = work_mem * (Size) 1024 / 2 / BLOCK_BYTES;
	int			bits = pg_leftmost_one_pos32(Max(LEAST_PARTS, Min(wanted, MOST_PARTS)));
	uint32		count = 1 << bits;
	ValueParts *parts = palloc0(offsetof(ValueParts, parts) + count * sizeof(Part));

	parts->element = element;
	parts->salt = (level + 1) * 0x9e3779b9;
	parts->shift = 32 - bits;
	parts->count = count;
	parts->file = gpusort_rows_spill_create();
	parts->blocks = palloc(count * BLOCK_BYTES);
	for (uint32 i = 0; i < count; i++)
	{
		parts->parts[i].bytes = sizeof(BlockHead);
		parts->parts[i].block = parts->blocks + i * BLOCK_BYTES;
	}
	return parts;
}

static inline void
get_bytes(const ElementType *element, Datum value, Bytes *bytes)
{
	bytes->detoasted = NULL;
	if (element->by_value)
	{
		store_att_byval(&bytes->by_value, value, element->length);
		bytes->data = (const char *) &bytes->by_value;
		bytes->length = element->length;
	}
	else if (element->length > 0)
	{
		bytes->data = DatumGetPointer(value);
		bytes->length = element->length;
	}
	else
	{
		struct varlena *plain = PG_DETOAST_DATUM_PACKED(value);

		if (plain != (struct varlena *) DatumGetPointer(value))
			bytes->detoasted = plain;
		bytes->data = VARDATA_ANY(plain);
		bytes->length = VARSIZE_ANY_EXHDR(plain);
	}
}

static inline uint32
hash_value(const ElementType *element, const Bytes *bytes)
{
	if (!element->is_key)
		return gpusort_value_hash_bytes(element, bytes->data, bytes->length);
	return gpusort_hash_mix(gpusort_key_code(element->form, bytes->data, 0) ^ gpusort_hash_secrets[0], gpusort_hash_secrets[1]);
}

/* Writes a value as an array stores it. */
static inline void
put_value(const ElementType *element, const Bytes *bytes, char *place, Size stored)
{
	Size		header = element->length < 0 ? VARHDRSZ : 0;

	if (header > 0)
		SET_VARSIZE(place, header + bytes->length);
	memcpy(place + header, bytes->data, bytes->length);
	memset(place + header + bytes->length, 0, stored - header - bytes->length);
}

/* The head of the block that is written next, and is then the last one of its part. */
static BlockHead
begin_block(const ValueParts *parts, Part *part, Size bytes, int64 count)
{
	BlockHead	head = {.before = part->last,.count = count};

	part->last = (BlockPlace) {.start = gpusort_rows_spill_size(parts->file),.bytes = bytes};
	return head;
}

/* Writes a part's block, and empties it. */
static void
write_block(ValueParts *parts, Part *part)
{
	BlockHead	head = begin_block(parts, part, part->bytes, part->count);

	memcpy(part->block, &head, sizeof(head));
	gpusort_rows_spill_write(parts->file, part->block, part->bytes);
	part->count = 0;
	part->bytes = sizeof(head);
}

/* Writes a varlena that is longer than a block. */
static void
write_long(ValueParts *parts, Part *part, const Bytes *bytes, Size stored)
{
	BlockHead	head = begin_block(parts, part, sizeof(BlockHead) + stored, 1);
	varattrib_4b header;
	char		gap[MAXIMUM_ALIGNOF] = {0};

	SET_VARSIZE(&header, VARHDRSZ + bytes->length);
	gpusort_rows_spill_write(parts->file, &head, sizeof(head));
	gpusort_rows_spill_write(parts->file, &header, VARHDRSZ);
	for (Size done = 0; done < bytes->length; done += GPUSORT_INTERRUPT_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		gpusort_rows_spill_write(parts->file, bytes->data + done, Min(bytes->length - done, GPUSORT_INTERRUPT_BYTES));
	}
	gpusort_rows_spill_write(parts->file, gap, stored - VARHDRSZ - bytes->length);
}

void
gpusort_parts_append(ValueParts *parts, Datum value)
{
	const ElementType *element = parts->element;
	Bytes		bytes;
	Size		stored;
	Part	   *part;

	get_bytes(element, value, &bytes);
	stored = att_align_nominal((element->length < 0 ? VARHDRSZ : 0) + bytes.length, element->alignment);
	part = &parts->parts[murmurhash32(hash_value(element, &bytes) + parts->salt) >> parts->shift];
	if (unlikely(part->bytes + stored > BLOCK_BYTES && part->count > 0))
		write_block(parts, part);
	if (unlikely(sizeof(BlockHead) + stored > BLOCK_BYTES))
		write_long(parts, part, &bytes, stored);
	else
	{
		put_value(element, &bytes, part->block + part->bytes, stored);
		part->bytes += stored;
		part->count++;
	}
	if (unlikely(bytes.detoasted != NULL))
		pfree(bytes.detoasted);
}

uint32
gpusort_parts_finish(ValueParts *parts)
{
	if (parts->blocks != NULL)
	{
		for (uint32 i = 0; i < parts->count; i++)
			if (parts->parts[i].count > 0)
				write_block(parts, &parts->parts[i]);
		pfree(parts->blocks);
		parts->blocks = NULL;
	}
	return parts->count;
}

void
gpusort_parts_open(ValueParts *parts, uint32 number)
{
	parts->next = parts->parts[number].last;
}

Size
gpusort_parts_next_bytes(const ValueParts *parts)
{
	return parts->next.bytes;
}

void
gpusort_parts_read(ValueParts *parts, Collector *collector, MemoryContext context)
{
	Size		bytes = parts->next.bytes;
	BlockHead	head;
	char	   *place;

	gpusort_rows_spill_seek(parts->file, parts->next.start, parts->next.start + bytes);
	gpusort_rows_spill_read(parts->file, &head, sizeof(head));
	bytes -= sizeof(head);
	place = gpusort_collector_extend(collector, context, head.count, bytes);
	for (Size done = 0; done < bytes; done += GPUSORT_INTERRUPT_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		gpusort_rows_spill_read(parts->file, place + done, Min(bytes - done, GPUSORT_INTERRUPT_BYTES));
	}
	parts->next = head.before;
}

void
gpusort_parts_free(ValueParts *parts)
{
	gpusort_rows_spill_close(parts->file);
	if (parts->blocks != NULL)
		pfree(parts->blocks);
	pfree(parts);
}
