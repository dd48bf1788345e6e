/*
 * key_bytes.c
 *	  Sort keys as strings of bytes, see key_bytes.h.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/date.h"
#include "utils/inet.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "keys/key_bytes.h"
#include "keys/numeric_key.h"
#include "keys/plain_learn.h"

#define EARLY_BYTES 12			/* a weight that ends a narrow key before this many ends it early */

/* With fewer values than these it does not pay to learn what plain texts are; nor to learn that of letters beyond ASCII. */
#define LEARN_PLAIN_MIN 16384
#define WIDEN_MIN 131072
#define WIDEN_MANY_MIN 1500000	/* nor that where there are many contractions, which takes three times as long */
#define MANY_CONTRACTIONS 32

/* The form of a type's values in the order of its default btree operator class. */
static ByteForm
type_form(Oid type)
{
	switch (type)
	{
		case TEXTOID:
			return BYTES_TEXT;
		case BPCHAROID:
			return BYTES_BPCHAR;
		case NAMEOID:
			return BYTES_NAME;
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
		case INETOID:
			return BYTES_INET;
		default:
			return BYTES_NONE;
	}
}

static bool
is_text(ByteForm form)
{
	return form == BYTES_TEXT || form == BYTES_BPCHAR || form == BYTES_NAME;
}

/* Sets how values of a type become bytes.  Returns false if they have none. */
bool
gpusort_key_bytes_source(ByteSource *source, Oid type, Oid collation)
{
	memset(source, 0, sizeof(ByteSource));
	source->form = type_form(type);
	source->order = is_text(source->form) ? gpusort_collation_kind(collation) : COLLATION_BYTES;
	if (source->order == COLLATION_COMPARED)
		source->form = BYTES_NONE;
	return source->form != BYTES_NONE;
}

/* True if the bytes are PostgreSQL's abbreviated key. */
bool
gpusort_key_bytes_abbreviated(const ByteSource *source)
{
	return source->form == BYTES_ABBREVIATED ||
		(source->order == COLLATION_ABBREVIATED && source->plain == NULL);
}

/* True if values are equal whenever their bytes, padded by zeros to one length, are. */
bool
gpusort_key_bytes_decide(const ByteSource *source)
{
	return source->form != BYTES_BYTEA && !gpusort_key_bytes_abbreviated(source) && source->order == COLLATION_BYTES;
}

/* True if the bytes of values differ in length. */
bool
gpusort_key_bytes_vary(const ByteSource *source)
{
	switch (source->form)
	{
		case BYTES_BYTEA:
		case BYTES_NUMERIC:
		case BYTES_INET:
			return true;
		default:
			return is_text(source->form) && !gpusort_key_bytes_abbreviated(source);
	}
}

/* Writes a word so that its bytes order as its value does. */
static void
put_word(uint8 *to, uint64 word)
{
	word = pg_hton64(word);
	memcpy(to, &word, sizeof(word));
}

/* The bytes of a value of text or the like. */
static inline void
get_varlena(Datum value, KeyBytes *bytes)
{
	struct varlena *packed = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_COMPRESSED(packed) || VARATT_IS_EXTERNAL(packed))
		bytes->detoasted = packed = pg_detoast_datum_packed(packed);
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

/*
 * As network_cmp: by the family, the bits of the network that both values have, their number, and the
 * whole address.  The network's bits come padded by zeros, then their number, then the host's bits.
 */
static void
get_inet(Datum value, KeyBytes *bytes)
{
	inet	   *address = DatumGetInetPP(value);
	int			length = ip_addrsize(address);
	int			bits = ip_bits(address);
	uint8	   *network = bytes->computed + 1;
	uint8	   *host = network + length + 1;

	bytes->computed[0] = ip_family(address);
	for (int i = 0; i < length; i++)
	{
		int			own = Min(Max(bits - 8 * i, 0), 8);
		uint8		mask = 0xFF << (8 - own);

		network[i] = ip_addr(address)[i] & mask;
		host[i] = ip_addr(address)[i] & ~mask;
	}
	network[length] = bits;
	bytes->data = bytes->computed;
	bytes->length = 1 + length + 1 + (bits < 8 * length ? length : 0);
	if ((Pointer) address != DatumGetPointer(value))
		pfree(address);
}

/* Bytes of a value of any length: those of a long one are allocated. */
static void
get_numeric(Datum value, KeyBytes *bytes)
{
	uint8	   *out = bytes->computed;
	void	   *detoasted;

	get_varlena(value, bytes);
	detoasted = bytes->detoasted;
	bytes->detoasted = NULL;
	if (GPUSORT_NUMERIC_KEY_BYTES(bytes->length) > GPUSORT_KEY_BYTES_COMPUTED)
		bytes->detoasted = out = palloc(GPUSORT_NUMERIC_KEY_BYTES(bytes->length));
	bytes->length = gpusort_numeric_key_bytes(bytes->data, bytes->length, out);
	bytes->data = out;
	if (detoasted != NULL)
		pfree(detoasted);
}

/* Points to the bytes of a text as it is stored. */
static void
get_text(ByteForm form, Datum value, KeyBytes *bytes)
{
	if (form == BYTES_NAME)
	{
		bytes->length = strnlen((const char *) bytes->data, NAMEDATALEN);
		return;
	}
	get_varlena(value, bytes);
	while (form == BYTES_BPCHAR && bytes->length > 0 && bytes->data[bytes->length - 1] == ' ')
		bytes->length--;
}

/* Opens a text that is not NULL. */
static void
open_text(const ByteSource *source, Datum value, KeyBytes *bytes)
{
	bytes->data = (const uint8 *) DatumGetPointer(value);
	bytes->detoasted = NULL;
	get_text(source->form, value, bytes);
}

/* True if the order of the source's texts has to be learned. */
bool
gpusort_key_bytes_unlearned(const ByteSource *source)
{
	return source->order == COLLATION_WEIGHTS && source->linguistic == NULL;
}

/*
 * Learns the order of the source's texts.  Learning does not pay for few texts: then only what this backend
 * has learned before is used.  Returns false if the order is not known.
 */
bool
gpusort_key_bytes_learn(ByteSource *source, Oid collation, double nvalues)
{
	source->linguistic = gpusort_linguistic_key(collation, nvalues >= GPUSORT_LEARN_MIN);
	return source->linguistic != NULL;
}

/*
 * Makes keys wide if the narrow ones of more than one in 16 texts, some of all and none of them NULL, end
 * among their first bytes although the text goes on.
 */
void
gpusort_key_bytes_choose_width(ByteSource *source, const Datum *texts, uint32 count)
{
	uint32		early = 0;

	for (uint32 i = 0; i < count; i++)
	{
		KeyBytes	bytes;

		CHECK_FOR_INTERRUPTS();
		open_text(source, texts[i], &bytes);
		early += gpusort_linguistic_key_ends_early(source->linguistic, bytes.data, bytes.length, EARLY_BYTES);
		gpusort_key_bytes_free(&bytes);
	}
	source->wide = early > count / 16;
}

/* Learns what plain texts are, of nvalues in all, as gpusort_key_bytes_learn does.  Returns false if that is not known. */
bool
gpusort_key_bytes_learn_plain(ByteSource *source, Oid collation, double nvalues)
{
	if (source->plain == NULL)
		source->plain = gpusort_plain_key(collation, nvalues >= LEARN_PLAIN_MIN);
	return source->plain != NULL;
}

/* True if a text that is not NULL is plain.  The source must have a plain key. */
bool
gpusort_key_bytes_plain(const ByteSource *source, Datum value)
{
	KeyBytes	bytes;
	bool		plain;

	open_text(source, value, &bytes);
	plain = gpusort_plain_key_has(source->plain, bytes.data, bytes.length);
	gpusort_key_bytes_free(&bytes);
	return plain;
}

/*
 * Widens the plain key of a source so that it has a text, which it does not have.  Returns false, with
 * nothing changed, if that cannot be, or if it is not known yet and nvalues do not repay learning it.
 */
bool
gpusort_key_bytes_widen(ByteSource *source, Oid collation, double nvalues, Datum value)
{
	bool		repaid = nvalues >= (source->plain->ncontractions > MANY_CONTRACTIONS ? WIDEN_MANY_MIN : WIDEN_MIN);
	KeyBytes	bytes;
	const PlainKey *wide;

	open_text(source, value, &bytes);
	wide = gpusort_plain_key_widen(source->plain, collation, bytes.data, bytes.length, repaid);
	gpusort_key_bytes_free(&bytes);
	if (wide != NULL)
		source->plain = wide;
	return wide != NULL;
}

/* True if the key of some texts has a byte for each of theirs, as gpusort_key_bytes_single says. */
bool
gpusort_key_bytes_may_be_single(const ByteSource *source)
{
	return source->form == BYTES_TEXT && !gpusort_key_bytes_abbreviated(source) && !source->wide;
}

/* The byte of the key for a byte of a text that has just that, whatever follows; else 0. */
uint8
gpusort_key_bytes_single(const ByteSource *source, uint8 byte)
{
	if (source->plain != NULL)
		return source->plain->bytes[byte] < PLAIN_CONTRACTS ? source->plain->bytes[byte] : PLAIN_NOTHING;
	if (source->linguistic != NULL)
		return gpusort_linguistic_key_single(source->linguistic, byte);
	return source->order == COLLATION_BYTES ? byte : 0;
}

/* Replaces the bytes of a text by those of its key. */
static void
translate(const ByteSource *source, Size limit, KeyBytes *bytes)
{
	Size		length = 0;

	limit = Min(limit, GPUSORT_KEY_BYTES_COMPUTED);
	if (source->plain != NULL)
		length = gpusort_plain_key_bytes(source->plain, bytes->data, bytes->length, bytes->computed, limit);
	else if (source->linguistic != NULL)
		length = gpusort_linguistic_key_bytes(source->linguistic, source->wide, bytes->data, bytes->length, bytes->computed,
											  limit);
	gpusort_key_bytes_free(bytes);
	bytes->detoasted = NULL;
	bytes->data = bytes->computed;
	bytes->length = length;
}

/* Sets the bytes to those of a word, whose highest bits hold the first byte. */
void
gpusort_key_bytes_set(uint64 word, KeyBytes *bytes)
{
	put_word(bytes->computed, word);
	bytes->data = bytes->computed;
	bytes->length = sizeof(word);
	bytes->detoasted = NULL;
}

/* Gets the abbreviated key of a value, an unsigned number. */
static void
get_abbreviated(const ByteSource *source, Datum value, KeyBytes *bytes)
{
	SortSupport abbreviate = (SortSupport) &source->abbreviate;

	bytes->data = bytes->computed;
	bytes->length = 0;
	if (abbreviate->abbrev_converter == NULL)
		return;
	put_word(bytes->computed, abbreviate->abbrev_converter(value, abbreviate));
	bytes->length = 8;
}

/*
 * Gets the bytes of a value that is not NULL, or only the first `limit` of them or more.  Of the
 * bytes of a collation there are at most GPUSORT_KEY_BYTES_COMPUTED.
 */
void
gpusort_key_bytes_get(const ByteSource *source, Datum value, Size limit, KeyBytes *bytes)
{
	bytes->detoasted = NULL;
	if (source->form == BYTES_TEXT && source->order == COLLATION_BYTES)
	{
		get_varlena(value, bytes);
		return;
	}
	bytes->data = (const uint8 *) DatumGetPointer(value);
	if (gpusort_key_bytes_abbreviated(source))
	{
		get_abbreviated(source, value, bytes);
		return;
	}
	switch (source->form)
	{
		case BYTES_TEXT:
		case BYTES_BPCHAR:
		case BYTES_NAME:
			get_text(source->form, value, bytes);
			break;
		case BYTES_BYTEA:
			get_varlena(value, bytes);
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
		case BYTES_INET:
			get_inet(value, bytes);
			break;
		case BYTES_NUMERIC:
			get_numeric(value, bytes);
			break;
		case BYTES_INTERVAL:
			get_interval(DatumGetIntervalP(value), bytes);
			break;
		default:
			bytes->length = UUID_LEN;
			break;
	}
	if (source->order == COLLATION_WEIGHTS || source->plain != NULL)
		translate(source, limit, bytes);
}
