/*
 * plain_key.c
 *	  Keys of plain texts in collations of ICU, see plain_key.h.
 */
#include "postgres.h"

#include "keys/plain_key.h"

/* The bytes of the letter at a place of a text.  They are not plain if there is none that the key has. */
static inline PlainBytes
letter_bytes(const PlainKey *key, const uint8 *text, const uint8 *end)
{
	int			letter = gpusort_plain_key_letter(text, end);

	if (letter < PLAIN_LETTER_FIRST || letter > PLAIN_LETTER_LAST)
		return (PlainBytes) {PLAIN_NOT, PLAIN_NOTHING};
	return key->letters[letter - PLAIN_LETTER_FIRST];
}

/*
 * Gets the bytes of the contraction at a place of a text, or of the character that might begin
 * one, and returns its length.  Not inline: most collations never call it.
 */
static pg_noinline int
contraction_bytes(const PlainKey *key, const uint8 *text, const uint8 *end, PlainBytes *bytes)
{
	int			number = gpusort_plain_key_contraction(key, text, end);

	if (number == 0)
	{
		*bytes = (PlainBytes) {key->alone[*text], PLAIN_NOTHING};
		return 1;
	}
	*bytes = key->contractions[number - 1].bytes;
	return key->contractions[number - 1].length;
}

/* True if eight bytes are printable characters of ASCII. */
static inline bool
are_printable(const uint8 *text)
{
	const uint64 highest = UINT64CONST(0x8080808080808080);
	uint64		bytes;

	memcpy(&bytes, text, sizeof(bytes));
	/* No byte is beyond 0x7f, is 0x7f or precedes 0x20. */
	bytes |= (bytes + UINT64CONST(0x0101010101010101)) | ~((bytes | highest) - UINT64CONST(0x2020202020202020));
	return (bytes & highest) == 0;
}

bool
gpusort_plain_key_has(const PlainKey *key, const uint8 *text, Size length)
{
	const uint8 *end = text + length;

	while (key->all_ascii && end - text >= sizeof(uint64) && are_printable(text))
		text += sizeof(uint64);
	while (text < end)
	{
		uint8		byte = key->bytes[*text];

		if (byte < PLAIN_LETTER)
			text++;
		else if (byte == PLAIN_LETTER && letter_bytes(key, text, end).first != PLAIN_NOT)
			text += PLAIN_LETTER_BYTES;
		else
			return false;
	}
	return true;
}

Size
gpusort_plain_key_bytes(const PlainKey *key, const uint8 *text, Size length, uint8 *out, Size limit)
{
	const uint8 *text_end = text + length;
	const uint8 *out_end = out + limit;
	uint8	   *place = out;

	while (text < text_end && place < out_end)
	{
		uint8		byte = key->bytes[*text];

		if (byte < PLAIN_CONTRACTS)
		{
			*place = byte;
			place += byte != PLAIN_NOTHING;
			text++;
		}
		else if (byte == PLAIN_LETTER)
		{
			PlainBytes	letter = letter_bytes(key, text, text_end);

			*place++ = letter.first;
			if (letter.second != PLAIN_NOTHING && place < out_end)
				*place++ = letter.second;
			text += PLAIN_LETTER_BYTES;
		}
		else
		{
			PlainBytes	bytes;

			text += contraction_bytes(key, text, text_end, &bytes);
			*place = bytes.first;
			place += bytes.first != PLAIN_NOTHING;
			if (bytes.second != PLAIN_NOTHING && place < out_end)
				*place++ = bytes.second;
		}
	}
	return place - out;
}
