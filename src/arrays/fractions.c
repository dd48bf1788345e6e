/*
 * fractions.c
 *	  See fractions.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "arrays/fractions.h"
#include "large_memory.h"

void
gpusort_fractions_read(Fractions *fractions, Datum argument, bool is_array)
{
	if (is_array)
	{
		fractions->array = DatumGetArrayTypeP(argument);
		deconstruct_array(fractions->array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
						  &fractions->values, &fractions->nulls, (int *) &fractions->count);
		return;
	}
	fractions->array = NULL;
	fractions->count = 1;
	fractions->value = argument;
	fractions->isnull = false;
	fractions->values = &fractions->value;
	fractions->nulls = &fractions->isnull;
}

const Datum *
gpusort_fractions_wrong(const Fractions *fractions)
{
	for (uint32 i = 0; i < fractions->count; i++)
	{
		double		fraction = fractions->nulls[i] ? 0 : DatumGetFloat8(fractions->values[i]);

		GPUSORT_CHECK_EVERY(i);
		if (fraction < 0 || fraction > 1 || isnan(fraction))
			return &fractions->values[i];
	}
	return NULL;
}

void
gpusort_fractions_check(const Fractions *fractions, const char *hint)
{
	const Datum *wrong = gpusort_fractions_wrong(fractions);

	if (wrong != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("percentile value %g is not between 0 and 1", DatumGetFloat8(*wrong)),
				 hint != NULL ? errhint("%s", hint) : 0));
}
