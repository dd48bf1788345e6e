/*
 * key_bytes.h
 *	  Sort keys that are strings of bytes: types whose order is that of memcmp over
 *	  some bytes, the shorter of two strings first where they are equal to its end.
 *
 *	  text, varchar, char(n), name	in collations that compare bytes, as "C" does
 *	  uuid, macaddr, macaddr8		as they are
 *	  timetz, interval				what is compared of them, most significant byte first
 *	  bytea							padded by zeros like the others, so not all of its order
 *	  numeric						PostgreSQL's abbreviation, so not all of its order
 */
#ifndef GPUSORT_KEY_BYTES_H
#define GPUSORT_KEY_BYTES_H

#include "utils/sortsupport.h"

typedef enum ByteForm
{
	BYTES_NONE,					/* the type is not known by its bytes */
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

#define GPUSORT_KEY_BYTES_COMPUTED 16

/* The bytes of one value. */
typedef struct KeyBytes
{
	const uint8 *data;
	Size		length;
	void	   *detoasted;		/* to be freed, or NULL */
	uint8		computed[GPUSORT_KEY_BYTES_COMPUTED];	/* of data that is computed */
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
