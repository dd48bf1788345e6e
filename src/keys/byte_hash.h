/*
 * byte_hash.h
 *	  A hash of bytes: the server's checksum, which processors compute eight bytes at a time.
 *
 * A checksum's bits are sums of the bytes' bits.  They are mixed, so that any few of them tell
 * values apart.  As with the server's hash functions, values of one hash are easily made, so
 * nothing but time may depend on there being few.
 */
#ifndef GPUSORT_BYTE_HASH_H
#define GPUSORT_BYTE_HASH_H

#include "common/hashfn.h"
#include "port/pg_crc32c.h"

static inline uint32
gpusort_hash_bytes(const void *bytes, Size length)
{
	pg_crc32c	sum;

	INIT_CRC32C(sum);
	COMP_CRC32C(sum, bytes, length);
	return murmurhash32(sum);
}

#endif							/* GPUSORT_BYTE_HASH_H */
