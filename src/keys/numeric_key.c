/*
 * numeric_key.c
 *	  The bytes of a numeric, see numeric_key.h.
 */
#include "postgres.h"

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
#define SHORT_NEGATIVE 0x2000
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

Size
gpusort_numeric_key_bytes(const uint8 *stored, Size size, uint8 *out)
{
	uint16		header = read_uint16(stored);
	bool		is_short = (header & STORED_SIGN_MASK) == STORED_SHORT;
	bool		negative = is_short ? (header & SHORT_NEGATIVE) != 0 : (header & STORED_SIGN_MASK) == STORED_NEGATIVE;
	const uint8 *digit = stored + (is_short ? 2 : 4);
	const uint8 *end = stored + size;
	int			weight;
	Size		length;

	if ((header & STORED_SIGN_MASK) == STORED_SPECIAL)
	{
		header &= STORED_SPECIAL_MASK;
		out[0] = header == STORED_MINUS_INFINITY ? KEY_MINUS_INFINITY : KEY_INFINITY;
		out[1] = 1;
		return header == STORED_MINUS_INFINITY || header == STORED_INFINITY ? 1 : 2;
	}
	if (is_short)
		weight = (header & SHORT_WEIGHT_SIGN) != 0 ? (int) (header & SHORT_WEIGHT_MASK) - (SHORT_WEIGHT_MASK + 1)
			: header & SHORT_WEIGHT_MASK;
	else
		weight = (int16) read_uint16(stored + 2);
	for (; digit < end && read_uint16(digit) == 0; digit += 2)
		weight--;
	while (end > digit && read_uint16(end - 2) == 0)
		end -= 2;
	if (digit == end)
	{
		out[0] = KEY_ZERO;
		return 1;
	}
	length = put_weight(weight, negative, out);
	for (; digit < end; digit += 2)
	{
		uint16		value = negative ? DIGIT_MAX - read_uint16(digit) : read_uint16(digit);

		out[length++] = value / 100;
		out[length++] = value % 100;
	}
	if (negative)
		out[length++] = KEY_END;
	else if (out[length - 1] == 0)
		length--;
	return length;
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
