/*
 * price.c
 *	  Tells whether a build by one process beats PostgreSQL's by several.
 *
 * Workers of PostgreSQL share the reading and the sorting, and leave merging and writing to the leader.
 * gpusort reads alone, and sorts in less time.  A row's cost is counted in units of what a short row costs to read.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "index/index_build.h"

typedef struct RowPrice
{
	double		theirs;			/* PostgreSQL's sort */
	double		merge;			/* and the merge of what its workers have sorted */
	double		ours;			/* gpusort's sort */
} RowPrice;

static const RowPrice value_price = {3.0, 0.7, 0.6};
static const RowPrice ascending_price = {1.0, 0.7, 0.45};
static const RowPrice bytes_price = {GPUSORT_PRICE_OF_BYTES, 0.7, 2.9};
static const RowPrice text_price = {23.0, 6.0, 3.4};	/* where comparing is more than memcmp */

#define PAYLOAD_PRICE 0.8		/* what else of variable length the sort carries */
#define ASCENDING_MIN 0.99		/* the correlation of a column that is nearly sorted */

/* True if a column of the table is nearly in ascending order, as far as is known. */
static bool
is_ascending(Relation heap, AttrNumber column)
{
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(RelationGetRelid(heap)), Int16GetDatum(column),
										BoolGetDatum(false));
	AttStatsSlot slot;
	bool		result = false;

	if (!HeapTupleIsValid(tuple))
		return false;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_CORRELATION, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		result = slot.nnumbers == 1 && slot.numbers[0] >= ASCENDING_MIN;
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return result;
}

static RowPrice
row_price(Relation heap, const IndexInfo *info, const RowKey *first_key)
{
	if (first_key->kind == KEY_IS_BYTES)
		return first_key->bytes.order == COLLATION_BYTES ? bytes_price : text_price;
	if (info->ii_IndexAttrNumbers[0] != 0 && is_ascending(heap, info->ii_IndexAttrNumbers[0]))
		return ascending_price;
	return value_price;
}

static bool
has_payload(Relation index)
{
	for (int i = 1; i < RelationGetDescr(index)->natts; i++)
	{
		if (TupleDescAttr(RelationGetDescr(index), i)->attlen < 0)
			return true;
	}
	return false;
}

bool
gpusort_index_beats_workers(Relation heap, Relation index, const IndexInfo *info, const RowKey *first_key)
{
	RowPrice	price = row_price(heap, info, first_key);
	double		processes = info->ii_ParallelWorkers + 1;
	double		reading;
	double		ours = price.ours;
	QualCost	expressions;

	if (info->ii_ParallelWorkers == 0)
		return true;
	/* Of most rows nothing is left but the reading. */
	if (info->ii_Predicate != NIL)
		return false;
	cost_qual_eval(&expressions, info->ii_Expressions, NULL);
	reading = 1 + expressions.per_tuple / cpu_tuple_cost;
	if (has_payload(index))
		ours += PAYLOAD_PRICE;
	return reading + ours < (reading + price.theirs) / processes + price.merge;
}
