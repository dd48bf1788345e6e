/*
 * index_order.c
 *	  The order in which an index scan of a plan delivers its rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "nodes/nodeFuncs.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "nodes/aggregates/index_order.h"

/* The place of an index's column in a target list; 0 if it is not there. */
static AttrNumber
place_of_column(const List *tlist, Relation index, int column, bool index_only)
{
	AttrNumber	wanted = index_only ? column + 1 : index->rd_index->indkey.values[column];
	ListCell   *cell;

	foreach(cell, tlist)
	{
		const TargetEntry *entry = lfirst(cell);
		const Var  *var = (const Var *) entry->expr;

		if (IsA(var, Var) && wanted != 0 && var->varattno == wanted)
			return entry->resno;
	}
	return 0;
}

/*
 * Appends the next column of an index.  Returns false if the scan does not return it, or if
 * it is not in the default order of its type.
 */
static bool
add_column(IndexOrder *order, Relation index, const List *tlist, bool backward, bool index_only)
{
	int			column = order->count;
	int			option = index->rd_indoption[column];
	AttrNumber	place = place_of_column(tlist, index, column, index_only);
	bool		descending = ((option & INDOPTION_DESC) != 0) != backward;
	TypeCacheEntry *type;
	Node	   *value;

	if (place == 0)
		return false;
	value = (Node *) list_nth_node(TargetEntry, tlist, place - 1)->expr;
	type = lookup_type_cache(exprType(value), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR | TYPECACHE_BTREE_OPFAMILY);
	if (type->btree_opf != index->rd_opfamily[column] || index->rd_indcollation[column] != exprCollation(value))
		return false;
	order->columns[column] = place;
	order->operators[column] = descending ? type->gt_opr : type->lt_opr;
	order->collations[column] = index->rd_indcollation[column];
	order->nulls_first[column] = ((option & INDOPTION_NULLS_FIRST) != 0) != backward;
	order->count++;
	return OidIsValid(order->operators[column]);
}

IndexOrder *
gpusort_index_order(const Plan *plan)
{
	bool		index_only = IsA(plan, IndexOnlyScan);
	IndexOrder *order;
	Relation	index;
	ScanDirection direction;

	if (!index_only && !IsA(plan, IndexScan))
		return NULL;
	direction = index_only ? ((const IndexOnlyScan *) plan)->indexorderdir : ((const IndexScan *) plan)->indexorderdir;
	order = palloc0(sizeof(IndexOrder));
	/* The planner has locked the index. */
	index = index_open(index_only ? ((const IndexOnlyScan *) plan)->indexid : ((const IndexScan *) plan)->indexid, NoLock);
	if (index->rd_rel->relam == BTREE_AM_OID)
	{
		while (order->count < IndexRelationGetNumberOfKeyAttributes(index) &&
			   add_column(order, index, plan->targetlist, ScanDirectionIsBackward(direction), index_only))
			continue;
	}
	index_close(index, NoLock);
	return order->count > 0 ? order : NULL;
}
