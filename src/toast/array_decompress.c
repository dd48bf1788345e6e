/*
 * array_decompress.c
 *	  Decompresses large values so that a query can be cancelled meanwhile.
 *
 * PostgreSQL decompresses a value in one call, which takes half a second for some
 * 100 MB.  Both formats that it stores are simple, and will not change, because they lie
 * on disks.  They consist of literal bytes, and of matches, which repeat earlier bytes.
 *
 *	  pglz	a byte of eight flags, lowest first, then eight items.  An item is a literal
 *			byte, or a match in two bytes: 4 upper bits of the offset, 4 bits of the
 *			length less 3, 8 lower bits of the offset.  If the length is 18, a third
 *			byte is added to it
 *	  lz4	sequences of: a token with 4 bits for the number of literals and 4 bits for
 *			the match's length less 4, the literals, and the match's offset in two
 *			bytes, lower byte first.  To a number of 15 further bytes are added, up to
 *			and including the first below 255.  The last sequence has no match,
 *			and at least five literals if others come before it.  No match begins in
 *			the last 12 bytes of the value
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "miscadmin.h"

#include "toast/array_decompress.h"
#include "toast/array_detoast.h"
#include "large_memory.h"

/* How an lz4 stream ends: the library refuses one that ends otherwise. */
#define LZ4_LAST_LITERALS 5
#define LZ4_LAST_MATCH 12

/* Bytes copied at a time.  A copy may go beyond its end if source and target are long enough. */
#define STRIDE 16

typedef struct Decompression
{
	const uint8 *source;		/* bytes not yet read */
	const uint8 *source_end;
	uint8	   *target;			/* where the next byte goes */
	uint8	   *target_start;
	uint8	   *target_end;
} Decompression;

/* Writes a match of at most GPUSORT_INTERRUPT_BYTES bytes. */
static inline void
copy_match(Decompression *state, Size offset, Size length)
{
	uint8	   *target = state->target;
	const uint8 *source = target - offset;

	state->target += length;
	if (offset >= STRIDE && state->target_end - target >= length + STRIDE)
	{
		for (Size done = 0; done < length; done += STRIDE)
			memcpy(target + done, source + done, STRIDE);
		return;
	}
	/* A match may repeat its own bytes: what can be copied doubles each time. */
	while (offset < length)
	{
		memcpy(target, source, offset);
		target += offset;
		length -= offset;
		offset += offset;
	}
	memcpy(target, source, length);
}

/* True if an offset leads to bytes that were written. */
static inline bool
offset_is_valid(const Decompression *state, Size offset)
{
	return offset > 0 && offset <= state->target - state->target_start;
}

static bool
decompress_pglz(Decompression *state)
{
	const uint8 *source = state->source;
	const uint8 *source_end = state->source_end;
	uint8	   *check = state->target_start;

	while (source < source_end && state->target < state->target_end)
	{
		uint8		flags = *source++;

		if (state->target >= check)
		{
			CHECK_FOR_INTERRUPTS();
			check = state->target + Min(GPUSORT_INTERRUPT_BYTES, state->target_end - state->target);
		}
		for (int item = 0; item < 8 && source < source_end && state->target < state->target_end; item++, flags >>= 1)
		{
			Size		offset;
			Size		length;

			if (!(flags & 1))
			{
				*state->target++ = *source++;
				continue;
			}
			if (source_end - source < 2)
				return false;
			length = (source[0] & 0x0f) + 3;
			offset = (source[0] & 0xf0) << 4 | source[1];
			source += 2;
			if (length == 18)
			{
				if (source == source_end)
					return false;
				length += *source++;
			}
			if (!offset_is_valid(state, offset))
				return false;
			copy_match(state, offset, Min(length, state->target_end - state->target));
		}
	}
	return source == source_end && state->target == state->target_end;
}

/* Adds the bytes that follow a number of 15.  Returns false if the source ends. */
static inline bool
read_length(Decompression *state, Size *length)
{
	uint8		more;

	if (*length < 15)
		return true;
	do
	{
		if (state->source == state->source_end)
			return false;
		more = *state->source++;
		*length += more;
	} while (more == 255);
	return true;
}

static bool
decompress_lz4(Decompression *state)
{
	uint8	   *check = state->target_start;

	while (state->source < state->source_end)
	{
		uint8		token = *state->source++;
		Size		length = token >> 4;
		Size		offset;

		if (state->target >= check)
		{
			CHECK_FOR_INTERRUPTS();
			check = state->target + Min(GPUSORT_INTERRUPT_BYTES, state->target_end - state->target);
		}

		/* Literals. */
		if (length < STRIDE - 1 && state->source_end - state->source >= STRIDE &&
			state->target_end - state->target >= STRIDE)
			memcpy(state->target, state->source, STRIDE);
		else
		{
			if (!read_length(state, &length) || length > state->source_end - state->source ||
				length > state->target_end - state->target)
				return false;
			gpusort_copy_bytes(state->target, state->source, length);
		}
		state->source += length;
		state->target += length;
		if (state->source == state->source_end)
			return state->target == state->target_end;

		/* A match.  Behind it come a token and the last literals. */
		if (state->source_end - state->source < 2 + 1 + LZ4_LAST_LITERALS ||
			state->target_end - state->target < LZ4_LAST_MATCH)
			return false;
		offset = state->source[0] | state->source[1] << 8;
		state->source += 2;
		length = token & 15;
		if (!read_length(state, &length) || !offset_is_valid(state, offset))
			return false;
		length += 4;
		if (length > state->target_end - state->target - LZ4_LAST_LITERALS)
			return false;
		for (; length > GPUSORT_INTERRUPT_BYTES; length -= GPUSORT_INTERRUPT_BYTES)
		{
			CHECK_FOR_INTERRUPTS();
			copy_match(state, offset, GPUSORT_INTERRUPT_BYTES);
		}
		copy_match(state, offset, length);
	}
	return false;
}

/*
 * Writes the bytes of a compressed value, without a header, to target.  Returns false if
 * they are not exactly size bytes, if they are not valid, or if the compression method is
 * unknown; some bytes may have been written then.  Never writes beyond size.
 */
bool
gpusort_decompress(const struct varlena *compressed, char *target, Size size)
{
	Decompression state = {
		.source = (const uint8 *) compressed + VARHDRSZ_COMPRESSED,
		.source_end = (const uint8 *) compressed + VARSIZE(compressed),
		.target = (uint8 *) target,
		.target_start = (uint8 *) target,
		.target_end = (uint8 *) target + size
	};

	switch (TOAST_COMPRESS_METHOD(compressed))
	{
		case TOAST_PGLZ_COMPRESSION_ID:
			return decompress_pglz(&state);
		case TOAST_LZ4_COMPRESSION_ID:
			return decompress_lz4(&state);
		default:
			return false;
	}
}
