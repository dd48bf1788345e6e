/*
 * key_bytes.h
 *	  Sort keys that are strings of bytes, in memcmp order; a prefix sorts before
 *	  the longer string.
 *
 *	  text, varchar, char(n), name	in collations that compare bytes, as "C" does, their own
 *									bytes; in those of glibc the bytes of
 *									keys/linguistic_key.h, in those of ICU PostgreSQL's
 *									abbreviated key or, of plain texts among themselves, the
 *									bytes of keys/plain_key.h; different texts may be tied
 *	  uuid, macaddr, macaddr8		their own bytes
 *	  timetz, interval				the numbers that PostgreSQL compares, most
 *									significant byte first
 *	  bytea							its own bytes; padded by zeros, some different values
 *									are tied
 *	  numeric						the bytes of keys/numeric_key.h
 *	  inet, cidr					family, network, its bits, host
 */
#ifndef GPUSORT_KEY_BYTES_H
#define GPUSORT_KEY_BYTES_H

#include "port/pg_bswap.h"
#include "utils/sortsupport.h"

#include "keys/collation_kind.h"
#include "keys/linguistic_key.h"
#include "keys/plain_key.h"

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
	BYTES_NUMERIC,
	BYTES_INET,
	BYTES_ABBREVIATED			/* of any other type: PostgreSQL's abbreviated key, an unsigned number */
} ByteForm;

/* How the bytes of a key are made. */
typedef struct ByteSource
{
	ByteForm	form;
	CollationKind order;		/* of texts; COLLATION_BYTES for what has no collation */
	SortSupportData abbreviate; /* makes bytes that are an abbreviated key; set by the caller */
	const LinguisticKey *linguistic;	/* COLLATION_WEIGHTS: NULL until learned, and texts have no bytes then */
	bool		wide;
	const PlainKey *plain;		/* if not NULL, all texts are plain, and this makes their bytes */
} ByteSource;

#define GPUSORT_LEARN_MIN 2048	/* with fewer values learning a collation does not pay */

/* The most bytes that are computed without allocating memory. */
#define GPUSORT_KEY_BYTES_COMPUTED 256

/* The bytes of one value. */
typedef struct KeyBytes
{
	const uint8 *data;
	Size		length;
	void	   *detoasted;		/* a copy to be freed, or NULL */
	uint8		computed[GPUSORT_KEY_BYTES_COMPUTED];	/* data points here if it was computed */
} KeyBytes;

extern bool gpusort_key_bytes_source(ByteSource *source, Oid type, Oid collation);
extern bool gpusort_key_bytes_abbreviated(const ByteSource *source);
extern bool gpusort_key_bytes_decide(const ByteSource *source);
extern bool gpusort_key_bytes_vary(const ByteSource *source);
extern bool gpusort_key_bytes_unlearned(const ByteSource *source);
extern bool gpusort_key_bytes_learn(ByteSource *source, Oid collation, double nvalues);
extern void gpusort_key_bytes_choose_width(ByteSource *source, const Datum *texts, uint32 count);
extern bool gpusort_key_bytes_learn_plain(ByteSource *source, Oid collation, double nvalues);
extern bool gpusort_key_bytes_plain(const ByteSource *source, Datum value);
extern bool gpusort_key_bytes_widen(ByteSource *source, Oid collation, double nvalues, Datum value);
extern bool gpusort_key_bytes_may_be_single(const ByteSource *source);
extern uint8 gpusort_key_bytes_single(const ByteSource *source, uint8 byte);
extern void gpusort_key_bytes_set(uint64 word, KeyBytes *bytes);
extern void gpusort_key_bytes_get(const ByteSource *source, Datum value, Size limit, KeyBytes *bytes);

/* The 8 bytes from a place on as a number, padded by zeros behind the end. */
static inline uint64
gpusort_key_bytes_word(const KeyBytes *bytes, Size place)
{
	uint64		word = 0;

	if (place + sizeof(word) <= bytes->length)
		memcpy(&word, bytes->data + place, sizeof(word));
	else if (place < bytes->length)
		memcpy(&word, bytes->data + place, bytes->length - place);
	return pg_ntoh64(word);
}

static inline void
gpusort_key_bytes_free(KeyBytes *bytes)
{
	if (bytes->detoasted != NULL)
		pfree(bytes->detoasted);
}

#endif							/* GPUSORT_KEY_BYTES_H */
