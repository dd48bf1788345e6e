/*
 * order_by.c
 *	  order_by(query, key [, descending, nulls_first, buckets]): the rows of any
 *	  query in the order of one or more of its columns.
 *
 * The query is first prepared alone.  That shows that it is one statement that reads
 * rows, and what columns they have.  Then it runs as a subquery below
 * ORDER BY, where the rows node may sort.  With buckets the order is approximate, by
 * gpusort.bucket.  The query runs read-only with the caller's rights.  Its rows come
 * through a cursor and go to a tuplestore that spills to disk.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/plancache.h"
#include "utils/tuplestore.h"

#include "functions/arguments.h"

#define ROWS_PER_FETCH 1000

PG_FUNCTION_INFO_V1(gpusort_order_by);

/* The arguments. */
typedef struct OrderByRequest
{
	char	   *query;
	char	   *key;
	bool		descending;
	bool		nulls_first;
	bool		nulls_first_given;	/* if not, NULLs follow the direction */
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
	request.nulls_first_given = !PG_ARGISNULL(3);
	request.nulls_first = request.nulls_first_given && PG_GETARG_BOOL(3);
	if (!PG_ARGISNULL(4))
		request.buckets = gpusort_argument_buckets(fcinfo, 4);
	return request;
}

/* True if the query or one below it locks rows, which a query that is run read-only may not. */
static bool
locks_rows(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return ((Query *) node)->rowMarks != NIL || query_tree_walker((Query *) node, locks_rows, context, 0);
	return expression_tree_walker(node, locks_rows, context);
}

/*
 * Prepares the query, which must be one statement that reads rows, and returns the
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
	if (source == NULL || !SPI_is_cursor_plan(plan) || !IsA(source->raw_parse_tree->stmt, SelectStmt) ||
		linitial_node(Query, source->query_list)->hasModifyingCTE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must be one statement that reads rows: SELECT, VALUES or TABLE"),
				 errdetail("Query: %s", request->query)));
	if (locks_rows(linitial(source->query_list), NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must not lock rows with FOR UPDATE or FOR SHARE"),
				 errdetail("Query: %s", request->query)));
	statement = source->raw_parse_tree;
	if (statement->stmt_len > 0)	/* 0: up to the end of the text */
		request->query = pnstrdup(request->query + statement->stmt_location, statement->stmt_len);
	return CreateTupleDescCopy(source->resultDesc);
}

/* True if one of the query's columns, as it is written, is the key. */
static bool
is_column(TupleDesc shape, const char *key)
{
	for (int i = 0; i < shape->natts; i++)
		if (strcmp(NameStr(TupleDescAttr(shape, i)->attname), key) == 0)
			return true;
	return false;
}

/* What ORDER BY gets: the column that the key names, in the order that the arguments say, or the key as a list of columns. */
static char *
order_clause(const OrderByRequest *request, bool is_list)
{
	const char *column = quote_identifier(request->key);
	const char *nulls = (request->nulls_first_given ? request->nulls_first : request->descending) ? "NULLS FIRST" : "NULLS LAST";

	if (is_list && (request->descending || request->nulls_first_given || request->buckets > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not a column of the query, and a list of keys takes no descending, nulls_first and buckets", request->key),
				 errhint("Write DESC and NULLS FIRST behind the columns of the list.")));
	if (is_list)
		return request->key;
	if (request->buckets > 0)
		return psprintf("gpusort.bucket(q.%s, %d, %s) OVER () %s", column, request->buckets, request->descending ? "true" : "false", nulls);
	return psprintf("q.%s %s %s", column, request->descending ? "DESC" : "ASC", nulls);
}

/* True if the text behind ORDER BY in a statement is a list of the columns and directions, and nothing follows it. */
static bool
is_list_of_columns(const SelectStmt *statement, TupleDesc shape)
{
	ListCell   *cell;

	foreach(cell, statement->sortClause)
	{
		const SortBy *item = lfirst_node(SortBy, cell);

		const List *fields = IsA(item->node, ColumnRef) ? ((ColumnRef *) item->node)->fields : NIL;

		/* A name that is no column could be the subquery's, and mean its whole rows. */
		if (item->sortby_dir == SORTBY_USING || list_length(fields) != 1 || !is_column(shape, strVal(linitial(fields))))
			return false;
	}
	return statement->limitCount == NULL && statement->limitOffset == NULL && statement->lockingClause == NIL;
}

/* Prepares the query as a subquery below ORDER BY.  That a list of keys is nothing else is checked before anything runs. */
static SPIPlanPtr
prepare_ordered(const OrderByRequest *request, TupleDesc shape)
{
	bool		is_list = !is_column(shape, request->key);
	SPIPlanPtr	plan;
	List	   *sources;

	/* A line end before the parenthesis ends a comment that the query ends in. */
	plan = SPI_prepare(psprintf("SELECT * FROM (\n%s\n) AS q ORDER BY %s", request->query, order_clause(request, is_list)), 0, NULL);
	sources = plan == NULL ? NIL : SPI_plan_get_plan_sources(plan);
	if (list_length(sources) != 1 ||
		(is_list && !is_list_of_columns((SelectStmt *) ((CachedPlanSource *) linitial(sources))->raw_parse_tree->stmt, shape)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys must be columns of the query, each with ASC, DESC, NULLS FIRST or NULLS LAST"),
				 errdetail("Keys: %s", request->key),
				 errhint("Name an expression as a column of the query, and that column as the key.")));
	return plan;
}

/*
 * Raises an error unless the query's columns are the ones the caller declared.  A type that
 * is declared without a modifier (numeric) takes values of any modifier, as in PL/pgSQL.
 */
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
		Form_pg_attribute want = TupleDescAttr(declared, i);
		Form_pg_attribute have = TupleDescAttr(shape, i);

		if (want->atttypid != have->atttypid || (want->atttypmod >= 0 && want->atttypmod != have->atttypmod))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of the query has type %s, but the column definition list says %s", i + 1,
							format_type_with_typemod(have->atttypid, have->atttypmod),
							format_type_with_typemod(want->atttypid, want->atttypmod))));
	}
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
	check_columns(result->setDesc, shape);
	portal = SPI_cursor_open(NULL, prepare_ordered(&request, shape), NULL, NULL, true);
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
