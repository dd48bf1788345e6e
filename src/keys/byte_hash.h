/*
 * byte_hash.h
 *	  A hash of bytes that no one can foresee: two words of eight bytes at a time are
 *	  multiplied with each other, and with secrets of this server.
 *
 * It is that of wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash, version 4), for a hash
 * of 32 bits with fewer secrets.  Without knowing these nobody can make many values of one hash, which
 * is easy with the server's own hash functions.  So hashes must not leave the server, and no result
 * depends on them.
 */
#ifndef GPUSORT_BYTE_HASH_H
#define GPUSORT_BYTE_HASH_H

extern uint64 gpusort_hash_secrets[2];

/* Draws the secrets.  Called once, when the module is loaded. */
extern void gpusort_hash_init(void);

/* Both halves of a product. */
static inline uint64
gpusort_hash_mix(uint64 a, uint64 b)
{
	unsigned __int128 product = (unsigned __int128) a * b;

	return (uint64) product ^ (uint64) (product >> 64);
}

static inline uint64
gpusort_hash_load8(const char *bytes)
{
	uint64		word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline uint64
gpusort_hash_load4(const char *bytes)
{
	uint32		word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline uint32
gpusort_hash_bytes(const char *bytes, Size length)
{
	const uint64 secret = gpusort_hash_secrets[1];
	uint64		hash = gpusort_hash_secrets[0] ^ length;
	uint64		first = 0;
	uint64		last = 0;

	for (; length > 16; length -= 16, bytes += 16)
		hash = gpusort_hash_mix(gpusort_hash_load8(bytes) ^ secret, gpusort_hash_load8(bytes + 8) ^ hash);

	/* The two words of the rest share bytes where it is shorter. */
	if (length >= 8)
	{
		first = gpusort_hash_load8(bytes);
		last = gpusort_hash_load8(bytes + length - 8);
	}
	else if (length >= 4)
	{
		first = gpusort_hash_load4(bytes);
		last = gpusort_hash_load4(bytes + length - 4);
	}
	else if (length > 0)
		first = (uint64) (uint8) bytes[0] << 16 | (uint64) (uint8) bytes[length / 2] << 8 | (uint8) bytes[length - 1];
	return gpusort_hash_mix(gpusort_hash_mix(first ^ secret, last ^ hash), secret) >> 32;
}

#endif							/* GPUSORT_BYTE_HASH_H */
