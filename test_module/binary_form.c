/*
 * binary_form.c
 *	  Values from their binary form, as a client may send them.
 *
 *	  receive(bytes bytea, type anyelement) RETURNS anyelement
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(test_receive);

Datum
test_receive(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	StringInfoData sent;
	Oid			function;
	Oid			parameter;
	Datum		value;

	getTypeBinaryInputInfo(get_fn_expr_argtype(fcinfo->flinfo, 1), &function, &parameter);
	initStringInfo(&sent);
	appendBinaryStringInfo(&sent, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	value = OidReceiveFunctionCall(function, &sent, parameter, -1);
	if (sent.cursor != sent.len)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("bytes are left")));
	PG_RETURN_DATUM(value);
}
