/*
 * key_types.h
 *	  SQL types whose arrays the engines sort, and the form of their keys.
 *
 * Adding a type that shares a form is one line of GPUSORT_KEY_TYPES.  Types not
 * listed are sorted through their btree comparator on the CPU.
 */
#ifndef GPUSORT_KEY_TYPES_H
#define GPUSORT_KEY_TYPES_H

#include "keys/sort_spec.h"

/* X(type oid, key form) */
#define GPUSORT_KEY_TYPES(X) \
	X(INT2OID, GPUSORT_KEY_INT16) \
	X(INT4OID, GPUSORT_KEY_INT32) \
	X(DATEOID, GPUSORT_KEY_INT32) \
	X(OIDOID, GPUSORT_KEY_UINT32) \
	X(INT8OID, GPUSORT_KEY_INT64) \
	X(TIMESTAMPOID, GPUSORT_KEY_INT64) \
	X(TIMESTAMPTZOID, GPUSORT_KEY_INT64) \
	X(TIMEOID, GPUSORT_KEY_INT64) \
	X(CASHOID, GPUSORT_KEY_INT64) \
	X(FLOAT4OID, GPUSORT_KEY_FLOAT32) \
	X(FLOAT8OID, GPUSORT_KEY_FLOAT64)

extern bool gpusort_keys_form(Oid type, GpusortKeyForm *form);

/* True if values of a base type that has no key form can be hashed: by their bytes, or as numeric by its digits. */
extern bool gpusort_keys_can_hash(Oid type, Oid collation);

#endif							/* GPUSORT_KEY_TYPES_H */
