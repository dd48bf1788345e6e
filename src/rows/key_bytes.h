/*
 * key_bytes.h
 *	  Sort keys that are strings of bytes, in memcmp order; a prefix sorts before
 *	  the longer string.
 *
 *	  text, varchar, char(n), name	in collations that compare bytes, as "C" does
 *	  uuid, macaddr, macaddr8		their own bytes
 *	  timetz, interval				the numbers that PostgreSQL compares, most
 *									significant byte first
 *	  bytea							its own bytes; padded by zeros, some different values
 *									are tied
 *	  numeric						PostgreSQL's abbreviated key; different values may be
 *									tied
 */
#ifndef GPUSORT_KEY_BYTES_H
#define GPUSORT_KEY_BYTES_H

#include "utils/sortsupport.h"

typedef enum ByteForm
{
	BYTES_NONE,					/* the type has no such bytes */
	BYTES_TEXT,
	BYTES_BPCHAR,
	BYTES_NAME,
	BYTES_BYTEA,
	BYTES_UUID,
	BYTES_MACADDR,
	BYTES_MACADDR8,
	BYTES_TIMETZ,
	BYTES_INTERVAL,
	BYTES_NUMERIC
} ByteForm;

/* The most bytes that are computed from a value. */
#define GPUSORT_KEY_BYTES_COMPUTED 16

/* The bytes of one value. */
typedef struct KeyBytes
{
	const uint8 *data;
	Size		length;
	void	   *detoasted;		/* a copy to be freed, or NULL */
	uint8		computed[GPUSORT_KEY_BYTES_COMPUTED];	/* data points here if it was computed */
} KeyBytes;

extern ByteForm gpusort_key_bytes_form(Oid type, Oid collation);
extern bool gpusort_key_bytes_decide(ByteForm form);
extern bool gpusort_key_bytes_vary(ByteForm form);
extern void gpusort_key_bytes_get(ByteForm form, SortSupport abbreviate, Datum value, KeyBytes *bytes);

static inline void
gpusort_key_bytes_free(KeyBytes *bytes)
{
	if (bytes->detoasted != NULL)
		pfree(bytes->detoasted);
}

#endif							/* GPUSORT_KEY_BYTES_H */
