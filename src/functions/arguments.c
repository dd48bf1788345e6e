/*
 * arguments.c
 *	  What the SQL functions share.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"

#include "functions/arguments.h"

ArrayOrder
gpusort_argument_top(FunctionCallInfo fcinfo, int number)
{
	ArrayOrder	order = {.collation = PG_GET_COLLATION()};
	int32		n = PG_GETARG_INT32(number);

	if (n < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of elements must not be negative: %d", n)));
	order.limit = n;
	order.descending = gpusort_argument_bool(fcinfo, number + 1, true);
	order.nulls_first = gpusort_argument_bool(fcinfo, number + 2, false);
	return order;
}

/* Forms the record that the function's OUT parameters describe. */
Datum
gpusort_return_record(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	CallCache  *cache = gpusort_call_cache(fcinfo);

	if (cache->record == NULL)
	{
		MemoryContext caller;
		TupleDesc	record;

		if (get_call_result_type(fcinfo, NULL, &record) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		cache->record = BlessTupleDesc(CreateTupleDescCopy(record));
		MemoryContextSwitchTo(caller);
	}
	return HeapTupleGetDatum(heap_form_tuple(cache->record, values, nulls));
}
