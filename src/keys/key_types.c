/*
 * key_types.c
 *	  Maps SQL types to key forms, and knows those whose values are hashed.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "keys/key_types.h"

/*
 * Returns true and sets *form if the engines sort values of the type.  A domain has the
 * form of its base type.
 */
bool
gpusort_keys_form(Oid type, GpusortKeyForm *form)
{
	static const struct
	{
		Oid			type;
		GpusortKeyForm form;
	}			key_types[] = {
#define KEY_TYPE(type, form) {type, form},
		GPUSORT_KEY_TYPES(KEY_TYPE)
#undef KEY_TYPE
	};

	if (type >= FirstNormalObjectId)
		type = getBaseType(type);
	for (int i = 0; i < lengthof(key_types); i++)
	{
		if (key_types[i].type == type)
		{
			*form = key_types[i].form;
			return true;
		}
	}
	return false;
}

/* True if values of a base type are equal in the collation only if their bytes are. */
static bool
equal_by_bytes(Oid type, Oid collation)
{
	switch (type)
	{
		case BYTEAOID:
		case UUIDOID:
			return true;
		case TEXTOID:
		case VARCHAROID:
			/* Comparing texts without a collation is an error, which the comparator raises. */
			return OidIsValid(collation) && get_collation_isdeterministic(collation);
		default:
			return false;
	}
}

bool
gpusort_keys_can_hash(Oid type, Oid collation)
{
	return type == NUMERICOID || equal_by_bytes(type, collation);
}
