/*
 * value_table.h
 *	  A hash table of values that stand behind each other as an array stores them.
 *
 * It has linear probing.  An entry holds where its value stands and 32 bits of its hash, so
 * only values of equal hashes are compared, and the table doubles without looking at values.
 * Used where gpusort_keys_can_hash.
 */
#ifndef GPUSORT_VALUE_TABLE_H
#define GPUSORT_VALUE_TABLE_H

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"

#include "arrays/element_type.h"
#include "keys/byte_hash.h"
#include "keys/numeric_key.h"

#define GPUSORT_TABLE_FIRST_ENTRIES 128

/* Values that stand behind each other, with no NULL among them. */
typedef struct StoredValues
{
	ElementType *element;
	const char *data;
	uint32		count;
} StoredValues;

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
	ValueEntry	local[GPUSORT_TABLE_FIRST_ENTRIES];
} ValueTable;

/* A value as it is stored, and its bytes without the header of a varlena. */
typedef struct ValueBytes
{
	const char *start;			/* with the header */
	const char *bytes;			/* behind the header */
	uint32		length;
	uint32		stored;			/* bytes to the next value */
	uint32		hash;
} ValueBytes;

static inline void
gpusort_value_read(const ElementType *element, const char *start, ValueBytes *value)
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

/* The hash of a value, of which these are the bytes without the header of a varlena. */
static inline uint32
gpusort_value_hash_bytes(const ElementType *element, const char *bytes, Size length)
{
	if (element->oid == NUMERICOID)
		return gpusort_numeric_hash((const uint8 *) bytes, length);
	return gpusort_hash_bytes(bytes, length);
}

/* Reads a value and hashes it. */
static inline void
gpusort_value_hash(const ElementType *element, const char *start, ValueBytes *value)
{
	gpusort_value_read(element, start, value);
	value->hash = gpusort_value_hash_bytes(element, value->bytes, value->length);
}

static inline bool
gpusort_table_is_same(const ValueTable *table, const ValueEntry *entry, const ValueBytes *value)
{
	ValueBytes	other;

	gpusort_value_read(table->element, table->data + entry->place - 1, &other);
	if (other.length == value->length && memcmp(other.bytes, value->bytes, value->length) == 0)
		return true;
	return table->element->oid == NUMERICOID &&
		gpusort_numeric_equal((const uint8 *) other.bytes, other.length, (const uint8 *) value->bytes, value->length);
}

/* The entry of a value, or the unused one where it belongs. */
static inline ValueEntry *
gpusort_table_find(const ValueTable *table, const ValueBytes *value)
{
	uint32		slot = value->hash & table->mask;

	for (;; slot = (slot + 1) & table->mask)
	{
		ValueEntry *entry = &table->entries[slot];

		if (entry->place == 0 || (entry->hash == value->hash && gpusort_table_is_same(table, entry, value)))
			return entry;
	}
}

/* Enters a value, which stands at a place.  Returns false if it is there already. */
static inline bool
gpusort_table_enter(ValueTable *table, const ValueBytes *value, const char *place)
{
	ValueEntry *entry = gpusort_table_find(table, value);

	if (entry->place != 0)
		return false;
	entry->place = place - table->data + 1;
	entry->hash = value->hash;
	table->count++;
	return true;
}

/* Begins with this many entries, a power of two. */
extern void gpusort_table_begin(ValueTable *table, uint32 entries);

/* Doubles the number of entries.  Checks for interrupts. */
extern void gpusort_table_double(ValueTable *table);

extern void gpusort_table_free(ValueTable *table);

#endif							/* GPUSORT_VALUE_TABLE_H */
