/*
 * key_bytes.c
 *	  Sort keys as strings of bytes, see key_bytes.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "port/pg_bswap.h"
#include "utils/date.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "keys/byte_collation.h"
#include "rows/key_bytes.h"

/* How values of a type become bytes that order as its default btree operator class does. */
ByteForm
gpusort_key_bytes_form(Oid type, Oid collation)
{
	switch (type)
	{
		case TEXTOID:
			return gpusort_collation_compares_bytes(collation) ? BYTES_TEXT : BYTES_NONE;
		case BPCHAROID:
			return gpusort_collation_compares_bytes(collation) ? BYTES_BPCHAR : BYTES_NONE;
		case NAMEOID:
			return gpusort_collation_compares_bytes(collation) ? BYTES_NAME : BYTES_NONE;
		case BYTEAOID:
			return BYTES_BYTEA;
		case UUIDOID:
			return BYTES_UUID;
		case MACADDROID:
			return BYTES_MACADDR;
		case MACADDR8OID:
			return BYTES_MACADDR8;
		case TIMETZOID:
			return BYTES_TIMETZ;
		case INTERVALOID:
			return BYTES_INTERVAL;
		case NUMERICOID:
			return BYTES_NUMERIC;
		default:
			return BYTES_NONE;
	}
}

/* True if values are equal whenever their bytes, padded by zeros to one length, are. */
bool
gpusort_key_bytes_decide(ByteForm form)
{
	return form != BYTES_BYTEA && form != BYTES_NUMERIC;
}

/* True if the values of the form differ in length. */
bool
gpusort_key_bytes_vary(ByteForm form)
{
	return form == BYTES_TEXT || form == BYTES_BPCHAR || form == BYTES_NAME || form == BYTES_BYTEA;
}

/* Writes a word so that its bytes order as its value does. */
static void
put_word(uint8 *to, uint64 word)
{
	word = pg_hton64(word);
	memcpy(to, &word, sizeof(word));
}

/* The bytes of a value of text or the like. */
static void
get_varlena(Datum value, KeyBytes *bytes)
{
	struct varlena *packed = pg_detoast_datum_packed((struct varlena *) DatumGetPointer(value));

	if (packed != (struct varlena *) DatumGetPointer(value))
		bytes->detoasted = packed;
	bytes->data = (const uint8 *) VARDATA_ANY(packed);
	bytes->length = VARSIZE_ANY_EXHDR(packed);
}

/* As interval_cmp_value computes it: a month has 30 days, a day 24 hours. */
static void
get_interval(const Interval *interval, KeyBytes *bytes)
{
	int128		days = (int128) interval->month * DAYS_PER_MONTH + interval->day;
	int128		span = days * USECS_PER_DAY + interval->time;

	put_word(bytes->computed, (uint64) (span >> 64) ^ (UINT64CONST(1) << 63));
	put_word(bytes->computed + 8, (uint64) span);
	bytes->data = bytes->computed;
	bytes->length = 16;
}

/* As timetz_cmp_internal: by the time in GMT, then by the zone. */
static void
get_timetz(const TimeTzADT *time, KeyBytes *bytes)
{
	int64		gmt = time->time + time->zone * USECS_PER_SEC;

	put_word(bytes->computed, (uint64) gmt ^ (UINT64CONST(1) << 63));
	put_word(bytes->computed + 8, (uint64) (uint32) (time->zone ^ PG_INT32_MIN) << 32);
	bytes->data = bytes->computed;
	bytes->length = 12;
}

/* Gets the bytes of a value that is not NULL.  abbreviate is the sort support for BYTES_NUMERIC. */
void
gpusort_key_bytes_get(ByteForm form, SortSupport abbreviate, Datum value, KeyBytes *bytes)
{
	bytes->data = (const uint8 *) DatumGetPointer(value);
	bytes->detoasted = NULL;
	switch (form)
	{
		case BYTES_TEXT:
		case BYTES_BYTEA:
			get_varlena(value, bytes);
			break;
		case BYTES_BPCHAR:
			get_varlena(value, bytes);
			while (bytes->length > 0 && bytes->data[bytes->length - 1] == ' ')
				bytes->length--;
			break;
		case BYTES_NAME:
			bytes->length = strnlen((const char *) bytes->data, NAMEDATALEN);
			break;
		case BYTES_MACADDR:
			bytes->length = 6;
			break;
		case BYTES_MACADDR8:
			bytes->length = 8;
			break;
		case BYTES_TIMETZ:
			get_timetz(DatumGetTimeTzADTP(value), bytes);
			break;
		case BYTES_INTERVAL:
			get_interval(DatumGetIntervalP(value), bytes);
			break;
		case BYTES_NUMERIC:
			/* Abbreviated keys are signed numbers.  A greater value has a lesser one. */
			put_word(bytes->computed, ~(abbreviate->abbrev_converter(value, abbreviate) ^ (UINT64CONST(1) << 63)));
			bytes->data = bytes->computed;
			bytes->length = 8;
			break;
		default:
			bytes->length = UUID_LEN;
			break;
	}
}
