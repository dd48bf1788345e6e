/*
 * byte_hash.c
 *	  The secrets of the hash of bytes, see byte_hash.h.
 */
#include "postgres.h"

#include "keys/byte_hash.h"

uint64		gpusort_hash_secrets[2];

void
gpusort_hash_init(void)
{
	if (!pg_strong_random(gpusort_hash_secrets, sizeof(gpusort_hash_secrets)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	/* A product with an even number loses a bit, and one with 0 all. */
	gpusort_hash_secrets[1] |= 1;
}
