/*
 * byte_hash.c
 *	  The secrets of the hash of bytes, see byte_hash.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "utils/datum.h"

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

uint32
gpusort_hash_datum(Datum value, bool by_value, int length)
{
	struct varlena *bytes;
	uint32		hash;

	if (by_value)
		return gpusort_hash_bytes((const char *) &value, sizeof(value));
	if (length != -1)
		return gpusort_hash_bytes(DatumGetPointer(value), datumGetSize(value, false, length));
	bytes = PG_DETOAST_DATUM_PACKED(value);
	hash = gpusort_hash_bytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	if (bytes != (struct varlena *) DatumGetPointer(value))
		pfree(bytes);
	return hash;
}
