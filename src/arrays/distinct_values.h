/*
 * distinct_values.h
 *	  The different values of a set, found by hashing instead of sorting.
 *
 * Used where gpusort_keys_can_hash.  The values are not put in order.
 */
#ifndef GPUSORT_DISTINCT_VALUES_H
#define GPUSORT_DISTINCT_VALUES_H

#include "catalog/pg_type.h"

#include "arrays/element_type.h"
#include "keys/byte_hash.h"
#include "keys/numeric_key.h"

/* Values that stand behind each other as an array stores them, with no NULL among them. */
typedef struct StoredValues
{
	ElementType *element;
	const char *data;
	uint32		count;
} StoredValues;

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

/* The hash of a value by its bytes, without the header of a varlena. */
static inline uint32
gpusort_value_hash_bytes(const ElementType *element, const char *bytes, Size length)
{
	if (element->oid == NUMERICOID)
		return gpusort_numeric_hash((const uint8 *) bytes, length);
	return gpusort_hash_bytes(bytes, length);
}

/*
 * Returns how many different values there are.  Unless kept is NULL, writes each of them
 * there once, in the order in which they first occur, and how many bytes they take to
 * kept_bytes.  kept may be the values' own data.  Takes up to 32 bytes of memory per
 * value, and 48 while the table grows.  Checks for interrupts.
 */
extern uint32 gpusort_distinct_values(const StoredValues *values, char *kept, Size *kept_bytes);

#endif							/* GPUSORT_DISTINCT_VALUES_H */
