/*
 * numeric_key.c
 *	  The bytes and the hash of a numeric, see numeric_key.h.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "keys/byte_hash.h"
#include "keys/numeric_key.h"

/*
 * The form in which values are stored, which the server keeps to itself: a header of two bytes, or
 * of four with the weight in the last two, then digits of base 10000.
 */
#define STORED_SIGN_MASK 0xC000
#define STORED_NEGATIVE 0x4000
#define STORED_SHORT 0x8000
#define STORED_SPECIAL 0xC000
#define STORED_SPECIAL_MASK 0xF000
#define STORED_INFINITY 0xD000
#define STORED_MINUS_INFINITY 0xF000
#define LONG_SCALE_MASK 0x3FFF
#define SHORT_NEGATIVE 0x2000
#define SHORT_SCALE_MASK 0x1F80
#define SHORT_SCALE_SHIFT 7
#define SHORT_WEIGHT_MASK 0x003F
#define SHORT_WEIGHT_SIGN 0x0040
#define DIGIT_MAX 9999

/*
 * The first byte.  Positive values count up from KEY_ZERO by their weight, negative ones down; a
 * weight beyond these limits follows in two bytes.
 */
#define KEY_MINUS_INFINITY 0
#define KEY_ZERO 128
#define KEY_INFINITY 255		/* with a 1 behind it, NaN */
#define KEY_WEIGHT_MIN (-40)
#define KEY_WEIGHT_MAX 83
#define KEY_SMALL 1				/* from KEY_ZERO: a lesser weight follows */
#define KEY_FIRST 2				/* KEY_WEIGHT_MIN */
#define KEY_GREAT (KEY_FIRST + KEY_WEIGHT_MAX - KEY_WEIGHT_MIN + 1)	/* a greater weight follows */
#define KEY_END 255				/* behind the digits of a negative value: greater than any digit */

/* A word has the first byte, then seven bits for each of so many bytes. */
#define WORD_BYTES 8
#define WORD_BITS 7

static inline uint16
read_uint16(const uint8 *from)
{
	uint16		value;

	memcpy(&value, from, sizeof(value));
	return value;
}

/* Writes the first bytes of a value that is not zero, and returns how many. */
static inline Size
put_weight(int weight, bool negative, uint8 *out)
{
	int			step = weight < KEY_WEIGHT_MIN ? KEY_SMALL
		: weight > KEY_WEIGHT_MAX ? KEY_GREAT : KEY_FIRST + weight - KEY_WEIGHT_MIN;
	uint16		rest = (uint16) (weight - PG_INT16_MIN);

	out[0] = negative ? KEY_ZERO - step : KEY_ZERO + step;
	if (step != KEY_SMALL && step != KEY_GREAT)
		return 1;
	if (negative)
		rest = ~rest;
	out[1] = rest >> 8;
	out[2] = rest;
	return 3;
}

/* The digits of a stored value without zeros at either end, or which of the special values it is. */
typedef struct Digits
{
	const uint8 *first;
	Size		bytes;			/* 0 for zero and special values */
	uint16		special;		/* the header of NaN or an infinity, else 0 */
	int			weight;			/* of the first digit; 0 without digits */
	bool		negative;
} Digits;

static inline Digits
find_digits(const uint8 *stored, Size size)
{
	uint16		header = read_uint16(stored);
	bool		is_short = (header & STORED_SIGN_MASK) == STORED_SHORT;
	const uint8 *digit = stored + (is_short ? 2 : 4);
	const uint8 *end = stored + size;
	int			weight;

	if ((header & STORED_SIGN_MASK) == STORED_SPECIAL)
		return (Digits) {.first = stored,.special = header & STORED_SPECIAL_MASK};
	if (is_short)
		weight = (header & SHORT_WEIGHT_SIGN) != 0 ? (int) (header & SHORT_WEIGHT_MASK) - (SHORT_WEIGHT_MASK + 1)
			: header & SHORT_WEIGHT_MASK;
	else
		weight = (int16) read_uint16(stored + 2);
	for (; digit < end && read_uint16(digit) == 0; digit += 2)
		weight--;
	while (end > digit && read_uint16(end - 2) == 0)
		end -= 2;
	if (digit >= end)
		return (Digits) {.first = stored};
	return (Digits)
	{
		.first = digit,
		.bytes = end - digit,
		.weight = weight,
		.negative = is_short ? (header & SHORT_NEGATIVE) != 0 : (header & STORED_SIGN_MASK) == STORED_NEGATIVE
	};
}

Size
gpusort_numeric_key_bytes(const uint8 *stored, Size size, uint8 *out)
{
	const Digits digits = find_digits(stored, size);
	Size		length;

	if (digits.special != 0)
	{
		out[0] = digits.special == STORED_MINUS_INFINITY ? KEY_MINUS_INFINITY : KEY_INFINITY;
		out[1] = 1;
		return digits.special == STORED_MINUS_INFINITY || digits.special == STORED_INFINITY ? 1 : 2;
	}
	if (digits.bytes == 0)
	{
		out[0] = KEY_ZERO;
		return 1;
	}
	length = put_weight(digits.weight, digits.negative, out);
	for (const uint8 *digit = digits.first; digit < digits.first + digits.bytes; digit += 2)
	{
		uint16		value = digits.negative ? DIGIT_MAX - read_uint16(digit) : read_uint16(digit);

		out[length++] = value / 100;
		out[length++] = value % 100;
	}
	if (digits.negative)
		out[length++] = KEY_END;
	else if (out[length - 1] == 0)
		length--;
	return length;
}

uint32
gpusort_numeric_hash(const uint8 *stored, Size size)
{
	const Digits digits = find_digits(stored, size);
	uint32		rest = (uint32) digits.special << 16 ^ (uint32) digits.weight << 1 ^ digits.negative;

	return murmurhash32(gpusort_hash_bytes((const char *) digits.first, digits.bytes) ^ rest);
}

bool
gpusort_numeric_equal(const uint8 *a, Size a_size, const uint8 *b, Size b_size)
{
	const Digits left = find_digits(a, a_size);
	const Digits right = find_digits(b, b_size);

	return left.special == right.special && left.negative == right.negative && left.weight == right.weight &&
		left.bytes == right.bytes && memcmp(left.first, right.first, left.bytes) == 0;
}

bool
gpusort_numeric_to_float8(const uint8 *stored, Size size, double *value)
{
	static const double powers[] = {1, 1e4, 1e8, 1e12, 1e16, 1e20};
	const Digits digits = find_digits(stored, size);
	int			places = (int) (digits.bytes / 2) - digits.weight - 1;	/* digits behind the point */
	uint64		whole = 0;

	if (digits.special != 0 || digits.bytes > 8 || abs(places) >= (int) lengthof(powers))
		return false;
	for (const uint8 *digit = digits.first; digit < digits.first + digits.bytes; digit += 2)
		whole = whole * (DIGIT_MAX + 1) + read_uint16(digit);
	if (whole > UINT64CONST(1) << 53)
		return false;
	*value = places > 0 ? (double) whole / powers[places] : (double) whole * powers[-places];
	if (digits.negative)
		*value = -*value;
	return true;
}

bool
gpusort_numeric_is_valid(const uint8 *stored, Size size)
{
	static const uint16 powers[] = {1, 10, 100, 1000};
	uint16		header = size < sizeof(header) ? 0 : read_uint16(stored);
	bool		is_short = (header & STORED_SIGN_MASK) == STORED_SHORT;
	Size		start = is_short ? 2 : 4;
	Digits		digits;
	int			beyond;			/* decimal digits of the last one that the scale does not have */

	if (size == sizeof(header) && (header & STORED_SIGN_MASK) == STORED_SPECIAL)
		return header == STORED_SPECIAL || header == STORED_INFINITY || header == STORED_MINUS_INFINITY;
	if (size < start || size % 2 != 0 || (size - start) / 2 > PG_INT16_MAX * 2 || (header & STORED_SIGN_MASK) == STORED_SPECIAL)
		return false;
	if (size == start)
		return is_short ? (header & (SHORT_NEGATIVE | SHORT_WEIGHT_SIGN | SHORT_WEIGHT_MASK)) == 0 :
			(header & STORED_SIGN_MASK) == 0 && read_uint16(stored + 2) == 0;
	digits = find_digits(stored, size);
	for (const uint8 *digit = stored + start; digit < stored + size; digit += 2)
		if (read_uint16(digit) > DIGIT_MAX)
			return false;
	beyond = 4 * ((int) (digits.bytes / 2) - digits.weight - 1) -
		(is_short ? (header & SHORT_SCALE_MASK) >> SHORT_SCALE_SHIFT : header & LONG_SCALE_MASK);
	return digits.bytes == size - start &&
		(beyond <= 0 || (beyond < lengthof(powers) && read_uint16(stored + size - 2) % powers[beyond] == 0));
}

bool
gpusort_numeric_key_word(const uint8 *key, Size length, uint64 *word)
{
	int			step = key[0] > KEY_ZERO ? key[0] - KEY_ZERO : KEY_ZERO - key[0];

	if (length > 1 + WORD_BYTES || step == KEY_SMALL || step == KEY_GREAT)
		return false;
	*word = key[0];
	for (Size i = 1; i <= WORD_BYTES; i++)
		*word = (*word << WORD_BITS) | (i < length ? Min(key[i], (1 << WORD_BITS) - 1) : 0);
	return true;
}
