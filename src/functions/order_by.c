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
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/plancache.h"
#include "utils/tuplestore.h"

#include "functions/arguments.h"

#define ROWS_PER_FETCH 1000

/* A list of keys is parsed behind these words. */
#define BEFORE_KEYS "SELECT ORDER BY "

PG_FUNCTION_INFO_V1(gpusort_order_by);

/* The arguments. */
typedef struct OrderByRequest
{
	char	   *query;
	char	   *key;
	bool		descending;
	bool		nulls_first;
	bool		nulls_first_given;	/* if not, the NULLs of a key follow its direction */
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

/* How many columns of the rows have this name. */
static int
columns_named(TupleDesc shape, const char *name)
{
	int			found = 0;

	for (int i = 0; i < shape->natts; i++)
		if (strcmp(NameStr(TupleDescAttr(shape, i)->attname), name) == 0)
			found++;
	return found;
}

/* Shows the list of keys, not the statement around it, with a syntax error. */
static void
keys_error_context(void *arg)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position - strlen(BEFORE_KEYS));
		internalerrquery(arg);
	}
	errcontext("list of keys of order_by");
}

/*
 * The items of a list of keys, as SortBy nodes.  The server's own parser reads it, behind
 * ORDER BY of a statement that is never run: only names and directions are taken from it.
 */
static List *
parse_keys(char *keys)
{
	ErrorContextCallback context = {.callback = keys_error_context,.arg = keys,.previous = error_context_stack};
	List	   *statements;
	SelectStmt *statement;
	ListCell   *cell;
	bool		valid;

	error_context_stack = &context;
	statements = raw_parser(psprintf(BEFORE_KEYS "%s\n", keys), RAW_PARSE_DEFAULT);
	error_context_stack = context.previous;
	statement = (SelectStmt *) linitial_node(RawStmt, statements)->stmt;
	valid = list_length(statements) == 1 && statement->limitCount == NULL && statement->limitOffset == NULL &&
		statement->lockingClause == NIL;
	foreach(cell, statement->sortClause)
	{
		SortBy	   *item = lfirst_node(SortBy, cell);

		valid &= item->sortby_dir != SORTBY_USING && IsA(item->node, ColumnRef) &&
			list_length(((ColumnRef *) item->node)->fields) == 1 && IsA(linitial(((ColumnRef *) item->node)->fields), String);
	}
	if (!valid)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys must be columns of the query, each with ASC, DESC, NULLS FIRST or NULLS LAST"),
				 errdetail("Keys: %s", keys),
				 errhint("Name an expression as a column of the query, and that column as the key.")));
	return statement->sortClause;
}

/* Appends a key of the ORDER BY clause.  What the key itself leaves open, the function's arguments say. */
static void
append_key(StringInfo order, const OrderByRequest *request, TupleDesc shape, const char *name,
		   SortByDir direction, SortByNulls nulls)
{
	int			found = columns_named(shape, name);
	bool		descending = direction == SORTBY_DEFAULT ? request->descending : direction == SORTBY_DESC;
	bool		nulls_first = request->nulls_first_given ? request->nulls_first : descending;
	const char *column = quote_identifier(name);

	if (found == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("key \"%s\" is not a column of the query", name)));
	if (found > 1)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_COLUMN),
				 errmsg("key \"%s\" names more than one column of the query", name)));
	if (nulls != SORTBY_NULLS_DEFAULT)
		nulls_first = nulls == SORTBY_NULLS_FIRST;
	if (order->len > 0)
		appendStringInfoString(order, ", ");
	if (request->buckets > 0)
		appendStringInfo(order, "gpusort.bucket(q.%s, %d, %s) OVER ()", column, request->buckets, descending ? "true" : "false");
	else
		appendStringInfo(order, "q.%s %s", column, descending ? "DESC" : "ASC");
	appendStringInfoString(order, nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

/* The ORDER BY clause: the column that the key names, or all that it lists. */
static char *
order_clause(OrderByRequest *request, TupleDesc shape)
{
	StringInfoData order;
	List	   *keys;
	ListCell   *cell;

	initStringInfo(&order);
	if (columns_named(shape, request->key) > 0)
	{
		append_key(&order, request, shape, request->key, SORTBY_DEFAULT, SORTBY_NULLS_DEFAULT);
		return order.data;
	}
	keys = parse_keys(request->key);
	if (request->buckets > 0 && list_length(keys) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("approximate order takes a single key"),
				 errdetail("Keys: %s", request->key)));
	foreach(cell, keys)
	{
		SortBy	   *item = lfirst_node(SortBy, cell);

		append_key(&order, request, shape, strVal(linitial(castNode(ColumnRef, item->node)->fields)),
				   item->sortby_dir, item->sortby_nulls);
	}
	return order.data;
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
	char	   *order;
	Portal		portal;

	check_call_site(result);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	SPI_connect();
	shape = describe_query(&request);
	order = order_clause(&request, shape);
	check_columns(result->setDesc, shape);
	/* A line end before the parenthesis ends a comment that the query ends in. */
	portal = SPI_cursor_parse_open(NULL, psprintf("SELECT * FROM (\n%s\n) AS q ORDER BY %s", request.query, order),
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
