/*
 * order_by.c
 *	  order_by(query, key [, descending, nulls_first, buckets]): the rows of any
 *	  query in the order of one of its columns.
 *
 * The query is first prepared alone.  That shows that it is one statement that returns
 * rows and that the key is one of its columns.  Then it runs as a subquery below
 * ORDER BY, where the rows node may sort.  With buckets the order is approximate, by
 * gpusort.bucket.  The query runs read-only with the caller's rights.  Its rows come
 * through a cursor and go to a tuplestore that spills to disk.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/tuplestore.h"

#define ROWS_PER_FETCH 1000

PG_FUNCTION_INFO_V1(gpusort_order_by);

/* The arguments. */
typedef struct OrderByRequest
{
	char	   *query;
	char	   *key;
	bool		descending;
	bool		nulls_first;
	int32		buckets;		/* 0 for exact order */
} OrderByRequest;

static OrderByRequest
read_arguments(FunctionCallInfo fcinfo)
{
	OrderByRequest request = {0};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("query, key and descending must not be NULL")));
	request.query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	request.key = text_to_cstring(PG_GETARG_TEXT_PP(1));
	request.descending = PG_GETARG_BOOL(2);
	request.nulls_first = PG_ARGISNULL(3) ? request.descending : PG_GETARG_BOOL(3);
	if (!PG_ARGISNULL(4))
	{
		request.buckets = PG_GETARG_INT32(4);
		if (request.buckets < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("buckets must be at least 1, not %d", request.buckets)));
	}
	return request;
}

/*
 * Prepares the query, which must be one statement that returns rows, and returns the
 * shape of its rows.  Cuts request->query down to the statement: a semicolon behind it
 * would be a syntax error in a subquery.
 */
static TupleDesc
describe_query(OrderByRequest *request)
{
	SPIPlanPtr	plan = SPI_prepare(request->query, 0, NULL);
	CachedPlanSource *source;
	List	   *sources;
	RawStmt    *statement;

	if (plan == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("could not prepare the query: %s", SPI_result_code_string(SPI_result)),
				 errdetail("Query: %s", request->query)));
	sources = SPI_plan_get_plan_sources(plan);
	source = list_length(sources) == 1 ? linitial(sources) : NULL;
	if (source == NULL || !SPI_is_cursor_plan(plan) || source->resultDesc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must be one statement that returns rows"),
				 errdetail("Query: %s", request->query)));
	statement = source->raw_parse_tree;
	if (statement->stmt_len > 0)	/* 0: up to the end of the text */
		request->query = pnstrdup(request->query + statement->stmt_location, statement->stmt_len);
	return CreateTupleDescCopy(source->resultDesc);
}

static void
check_key(const OrderByRequest *request, TupleDesc shape)
{
	int			found = 0;

	for (int i = 0; i < shape->natts; i++)
		if (strcmp(NameStr(TupleDescAttr(shape, i)->attname), request->key) == 0)
			found++;
	if (found == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("key \"%s\" is not a column of the query", request->key)));
	if (found > 1)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_COLUMN),
				 errmsg("key \"%s\" names more than one column of the query", request->key)));
}

/* Raises an error unless the query's columns are the ones the caller declared. */
static void
check_columns(TupleDesc declared, TupleDesc shape)
{
	if (declared->natts != shape->natts)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("query returns %d columns, but the column definition list has %d",
						shape->natts, declared->natts)));
	for (int i = 0; i < shape->natts; i++)
	{
		Oid			want = TupleDescAttr(declared, i)->atttypid;
		Oid			have = TupleDescAttr(shape, i)->atttypid;

		if (want != have)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of the query has type %s, but the column definition list says %s",
							i + 1, format_type_be(have), format_type_be(want))));
	}
}

/*
 * The ordered query.  The user's text stands on lines of its own, so that a comment at its
 * end does not hide the closing parenthesis.
 */
static char *
ordered_query(const OrderByRequest *request)
{
	StringInfoData sql;
	const char *key = quote_identifier(request->key);

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT * FROM (\n%s\n) AS q ORDER BY ", request->query);
	if (request->buckets > 0)
		appendStringInfo(&sql, "gpusort.bucket(q.%s, %d, %s) OVER () NULLS %s",
						 key, request->buckets, request->descending ? "true" : "false",
						 request->nulls_first ? "FIRST" : "LAST");
	else
		appendStringInfo(&sql, "q.%s %s NULLS %s", key, request->descending ? "DESC" : "ASC",
						 request->nulls_first ? "FIRST" : "LAST");
	return sql.data;
}

/* Raises an error unless the call stands in FROM with a list of columns. */
static void
check_call_site(const ReturnSetInfo *result)
{
	if (result == NULL || !IsA(result, ReturnSetInfo) || result->expectedDesc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("order_by must be called in FROM with a column definition list"),
				 errhint("For example: SELECT * FROM gpusort.order_by('SELECT ...', 'key') AS t(key integer).")));
}

Datum
gpusort_order_by(PG_FUNCTION_ARGS)
{
	OrderByRequest request = read_arguments(fcinfo);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	shape;
	Portal		portal;

	check_call_site(result);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	SPI_connect();
	shape = describe_query(&request);
	check_key(&request, shape);
	check_columns(result->setDesc, shape);
	portal = SPI_cursor_parse_open(NULL, ordered_query(&request),
								   &(SPIParseOpenOptions) {.read_only = true});
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(portal, true, ROWS_PER_FETCH);
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < SPI_processed; i++)
			tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
	PG_RETURN_NULL();
}
