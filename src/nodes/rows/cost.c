/*
 * cost.c
 *	  Estimates what a Sort would cost with the rows node, and whether that wins.
 *
 * PostgreSQL charges a sort two operators per comparison, about log2(rows) times per row,
 * and nothing for copying the row.  The node's cost per row depends little on the number
 * of rows, but much on their columns.  The constants below are in operators, measured
 * beside PostgreSQL's sort on the same machine (bench/run rows).  The cost per sort leaves
 * small sorts to PostgreSQL; the cost of columns leaves it short sorts of wide rows.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "guc.h"
#include "keys/collation_kind.h"
#include "nodes/plan_walk.h"
#include "rows/row_bound.h"
#include "nodes/rows/rows_node.h"

#define ROWS_COST_PER_SORT 6000.0	/* buffers and code that is not yet in the caches */
#define ROWS_COST_PER_ROW 2.0	/* sorting a row by one key, without its columns */
#define ROWS_COST_PER_KEY 1.0	/* each further key */
#define ROWS_COST_COMPARED 4.0	/* added once if a further key has no code and is compared */
#define ROWS_COST_PER_VALUE 2.0 /* a column passed by value: stored and gathered */
#define ROWS_COST_PER_REFERENCE 7.0 /* a column passed by reference */
#define ROWS_COST_PER_BYTE 0.05 /* a byte of the row */
#define ROWS_WHOLE_REFERENCES 4 /* rows with as many columns passed by reference are kept whole, as one of them, */
#define ROWS_WHOLE_NULLS 1.5	/* or if columns take so many times the space of PostgreSQL's rows, */
#define ROWS_WHOLE_KEYS 4		/* unless keys, which are stored once more, take over 1/4 of them */
#define ROWS_MOST_NULLS 3.0		/* rows are not written, unless whole, if columns take so many times that space */
#define ROWS_STORED_HEADER 40.0	/* bytes of such a row beside its values */
#define ROWS_BYTES_PER_PART 6144.0	/* of memory, while rows are divided: those for more parts are divided, and written, twice, */
#define ROWS_MEMORY_OF_SMALL_BLOCKS (64.0 * 1024)	/* which takes twice as long with this memory, and less with more */
#define ROWS_COST_PER_KEY_BYTE 0.025	/* added per byte of the row if the first key is not passed by value */
#define ROWS_COST_DROPPED 1.0	/* a row that the bound's threshold rejects */
#define ROWS_COST_DROPPED_STORED 22.0	/* the same by a text in a linguistic collation, where a
										 * Sort is handed rows as they are stored */

#define ROWS_LINGUISTIC_COMPARISON 2.0	/* what PostgreSQL's comparison of texts in a linguistic
											 * collation takes to what it charges */

#define ROWS_SORT_ALLOCATED 2.0	/* what a row takes in a Sort's memory to its width */

#define ROWS_COST_HASHED 4.0	/* a row that is looked up in a hash table */
#define ROWS_GROUPS_NEAR 64		/* groups of a hash table that the first cache holds */
#define ROWS_GROUPS_SHARE 0.25	/* groups to rows, at least, where keys are not passed by value */
#define ROWS_COST_HASHED_FAR 2.0	/* added whenever the number of groups doubles */
#define ROWS_COST_COLLECTED 4.0 /* added if an aggregate keeps the row's value */

#define ROWS_COST_RETURNED 1.5	/* a row of a part that another process has sorted */
#define ROWS_COST_HANDED_OVER 40.0	/* a row that a Gather Merge reads of another process */

/* If the bound is not known at run time, the node is used only if at least this share of the rows is wanted. */
#define ROWS_BOUND_SHARE 0.25

Cost
gpusort_rows_disk_cost(double bytes)
{
	if (bytes <= work_mem * 1024.0)
		return 0;
	return 2 * ceil(bytes / BLCKSZ) * (seq_page_cost * 0.75 + random_page_cost * 0.25);
}

double
gpusort_rows_bytes(double rows, int width)
{
	return rows * (MAXALIGN(width) + sizeof(uint64));
}

/* True if a target entry shows the input's column of its own number. */
static bool
shows_column(const TargetEntry *entry)
{
	return IsA(entry->expr, Var) && ((const Var *) entry->expr)->varattno == entry->resno;
}

/* True if a scan returns the rows of its table as they are, with all columns in their order. */
static bool
returns_stored_rows(const Plan *plan)
{
	ListCell   *cell;

	foreach(cell, plan->targetlist)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!shows_column(entry) || IS_SPECIAL_VARNO(((const Var *) entry->expr)->varno))
			return false;
	}
	return true;
}

/* True if a Sort returns rows of a table with all columns in their order. */
static bool
sorts_stored_rows(const Sort *sort)
{
	const Plan *input = sort->plan.lefttree;
	ListCell   *cell;

	if (input == NULL || !returns_stored_rows(input) || list_length(sort->plan.targetlist) != list_length(input->targetlist))
		return false;
	foreach(cell, sort->plan.targetlist)
	{
		if (!shows_column(lfirst_node(TargetEntry, cell)))
			return false;
	}
	return true;
}

/* True if rows have many columns passed by reference. */
static bool
has_references(const Sort *sort)
{
	int			references = 0;
	ListCell   *cell;

	foreach(cell, sort->plan.targetlist)
		references += !get_typbyval(exprType((const Node *) lfirst_node(TargetEntry, cell)->expr));
	return references >= ROWS_WHOLE_REFERENCES;
}

/*
 * How many times the space of PostgreSQL's rows those take that a Sort reads, if NULLs of columns passed by value take
 * space.  Columns are mostly NULL where that is more than one.
 */
static double
times_stored(const Sort *sort, const List *rtable)
{
	const Plan *input = sort->plan.lefttree;
	double		width = sort->plan.plan_width;
	double		nulls = 0;
	ListCell   *cell;

	foreach(cell, input->targetlist)
	{
		Oid			type = exprType((const Node *) lfirst_node(TargetEntry, cell)->expr);
		HeapTuple	tuple = gpusort_plan_column_statistics(input, foreach_current_index(cell) + 1, rtable);

		if (!HeapTupleIsValid(tuple))
			continue;
		if (get_typbyval(type))
			nulls += get_typlen(type) * ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
		ReleaseSysCache(tuple);
	}
	return width / (ROWS_STORED_HEADER + Max(width - nulls, 0));
}

bool
gpusort_rows_keep_whole(const Sort *sort, const List *rtable)
{
	int32		width = 0;

	if (!sorts_stored_rows(sort) || !(has_references(sort) || times_stored(sort, rtable) >= ROWS_WHOLE_NULLS))
		return false;
	for (int i = 0; i < sort->numCols; i++)
	{
		const Var  *key = (Var *) list_nth_node(TargetEntry, sort->plan.lefttree->targetlist, sort->sortColIdx[i] - 1)->expr;

		if (!get_typbyval(key->vartype))
			width += get_attavgwidth(rt_fetch(key->varno, rtable)->relid, key->varattno);
	}
	return width * ROWS_WHOLE_KEYS <= sort->plan.plan_width;
}

/* The cost of a row that is kept, in operators. */
static double
row_cost(const Sort *sort)
{
	const Plan *plan = &sort->plan;
	double		cost = ROWS_COST_PER_ROW + ROWS_COST_PER_KEY * (sort->numCols - 1) + ROWS_COST_PER_BYTE * plan->plan_width;
	ListCell   *cell;

	if (!get_typbyval(exprType((Node *) list_nth_node(TargetEntry, plan->targetlist, sort->sortColIdx[0] - 1)->expr)))
		cost += ROWS_COST_PER_KEY_BYTE * plan->plan_width;
	for (int i = 1; i < sort->numCols; i++)
	{
		TargetEntry *entry = list_nth_node(TargetEntry, plan->targetlist, sort->sortColIdx[i] - 1);
		RowKey		key;

		if (gpusort_rows_key_kind(&key, sort->sortOperators[i], sort->collations[i],
								  exprType((Node *) entry->expr)) != KEY_IS_COMPARED)
			continue;
		cost += ROWS_COST_COMPARED;
		break;
	}
	if (sorts_stored_rows(sort) && has_references(sort))
		return cost + sort->numCols * ROWS_COST_PER_VALUE + ROWS_COST_PER_REFERENCE;
	foreach(cell, plan->targetlist)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (!IsA(expr, Const))
			cost += get_typbyval(exprType(expr)) ? ROWS_COST_PER_VALUE : ROWS_COST_PER_REFERENCE;
	}
	return cost;
}

/* Rows held at most at a time when only `bound` rows are wanted; a bound of 0 means all. */
static double
kept_rows(double rows, double bound)
{
	return bound > 0 ? Min(bound + Max(bound, GPUSORT_BOUND_SURPLUS), rows) : rows;
}

/* True if PostgreSQL compares texts by the rules of this collation, which takes long. */
static bool
is_linguistic(Oid collation)
{
	CollationKind kind = gpusort_collation_kind(collation);

	return kind == COLLATION_WEIGHTS || kind == COLLATION_ABBREVIATED;
}

/* The cost of a row that is dropped, in operators. */
static double
dropped_cost(const Sort *sort)
{
	return is_linguistic(sort->collations[0]) && sort->plan.lefttree != NULL && returns_stored_rows(sort->plan.lefttree)
		? ROWS_COST_DROPPED_STORED : ROWS_COST_DROPPED;
}

/* The node's own cost, without its input, when it keeps `kept` of its rows and drops the others. */
static Cost
own_cost(const Sort *sort, double rows, double kept)
{
	return gpusort_rows_disk_cost(gpusort_rows_bytes(kept, sort->plan.plan_width)) + cpu_operator_cost *
		(ROWS_COST_PER_SORT + (rows - kept) * dropped_cost(sort) + kept * row_cost(sort));
}

/*
 * What the planner leaves out of the cost of sorting rows: it charges all comparisons alike,
 * and those of texts in a linguistic collation take longer.  Where `bound` rows fit in
 * work_mem, a Sort compares most rows once, and is charged more than that.
 */
static Cost
linguistic_cost(const Sort *sort, double bound)
{
	double		rows = Max(sort->plan.plan_rows, 2);

	if (bound > 0 && ROWS_SORT_ALLOCATED * bound * sort->plan.plan_width <= work_mem * 1024.0)
		return 0;
	for (int i = 0; i < sort->numCols; i++)
	{
		if (is_linguistic(sort->collations[i]))
			return (ROWS_LINGUISTIC_COMPARISON - 1) * 2 * cpu_operator_cost * rows * log2(rows);
	}
	return 0;
}

/*
 * What a Sort costs until its first row, and an Incremental Sort until its last.  The node
 * sorts all rows before it returns any.  A Sort whose path had the node's price (plan_price.c)
 * may seem to cost less than its input, so it costs at least what the server estimates for
 * `bound` rows; 0 means all.
 */
static Cost
cost_until_sorted(const Sort *sort, double bound)
{
	Path		path;

	if (IsA(sort, IncrementalSort))
		return sort->plan.total_cost;
	GPUSORT_COST_SORT(&path, sort->plan.lefttree->total_cost, sort->plan.plan_rows, sort->plan.plan_width,
					  bound > 0 ? bound : -1.0);
	return Max(path.startup_cost, sort->plan.startup_cost) + linguistic_cost(sort, bound);
}

/* True if a Sort costs enough that the node may win: a quick first check. */
bool
gpusort_rows_may_win(const Sort *sort)
{
	return cost_until_sorted(sort, 0) - sort->plan.lefttree->total_cost > cpu_operator_cost * ROWS_COST_PER_SORT;
}

static const char slower[] = "PostgreSQL's Sort is expected to be faster";

/*
 * Estimates a Sort of which a LIMIT wants about `bound` rows; 0 means all.  If the node
 * cannot know that bound at run time, it sorts all rows.
 */
RowsCost
gpusort_rows_cost(const Sort *sort, double bound, bool bound_is_known)
{
	double		rows = Max(sort->plan.plan_rows, 1);
	double		kept = kept_rows(rows, bound_is_known ? bound : 0);
	RowsCost	cost;

	cost.input = sort->plan.lefttree->total_cost;
	cost.startup = cost.input + own_cost(sort, rows, kept);
	cost.total = cost.startup + cpu_operator_cost * rows;
	if (gpusort_method != GPUSORT_METHOD_AUTO)
		cost.why_not = "gpusort.method names a method";
	else if (bound > 0 && !bound_is_known && bound < rows * ROWS_BOUND_SHARE)
		cost.why_not = "the LIMIT may be small, and is not known while planning";
	else
		cost.why_not = cost.startup < cost_until_sorted(sort, bound) ? NULL : slower;
	return cost;
}

/* True if all keys of a Sort are passed by value. */
static bool
sorts_values(const Sort *sort)
{
	for (int i = 0; i < sort->numCols; i++)
	{
		if (!get_typbyval(exprType((Node *) list_nth_node(TargetEntry, sort->plan.targetlist, sort->sortColIdx[i] - 1)->expr)))
			return false;
	}
	return true;
}

void
gpusort_rows_leave_nulls(RowsCost *cost, const Sort *sort, double bound, const List *rtable)
{
	double		memory = work_mem * 1024.0;
	double		bytes = gpusort_rows_bytes(kept_rows(sort->plan.plan_rows, bound), sort->plan.plan_width);
	bool		written_twice = bytes > memory / ROWS_BYTES_PER_PART * memory;
	double		weight = written_twice ? 1 + ROWS_MEMORY_OF_SMALL_BLOCKS / memory : 1;

	if (bytes > memory && sorts_values(sort) && weight * times_stored(sort, rtable) >= ROWS_MOST_NULLS &&
		!gpusort_rows_keep_whole(sort, rtable))
		cost->why_not = slower;
}

/* What grouping a row by a hash table costs, in operators. */
static double
hashed_row_cost(double groups, bool collect)
{
	return ROWS_COST_HASHED + ROWS_COST_HASHED_FAR * Max(log2(groups / ROWS_GROUPS_NEAR), 0) +
		(collect ? ROWS_COST_COLLECTED : 0);
}

/* True if an Agg groups by a hash table that costs enough that the node may win: a quick first check. */
bool
gpusort_rows_may_group(const Agg *agg)
{
	double		rows = agg->plan.lefttree->plan_rows;

	return agg->aggstrategy == AGG_HASHED && rows * hashed_row_cost(Max(rows, 1), true) > ROWS_COST_PER_SORT;
}

/*
 * Estimates the rows node below grouping that would hash otherwise, and compares the two
 * without what the hash table would spill.  A hash table of few texts takes as little as 0.8 of
 * the time of sorting them where rows are not read directly.  With collect, aggregates keep the
 * values of each group: a hash table keeps all of them in memory, sorted groups spill beyond work_mem.
 */
RowsCost
gpusort_rows_cost_groups(const Sort *sort, double groups, bool collect)
{
	RowsCost	cost = gpusort_rows_cost(sort, 0, false);
	double		rows = sort->plan.plan_rows;

	cost.why_not = slower;
	if (gpusort_method == GPUSORT_METHOD_AUTO && (groups >= ROWS_GROUPS_SHARE * rows || sorts_values(sort)) &&
		!(collect && 2 * rows / groups * sort->plan.plan_width > work_mem * 1024.0) &&
		cost.startup - cost.input < cpu_operator_cost * hashed_row_cost(groups, collect) * rows)
		cost.why_not = NULL;
	return cost;
}

Cost
gpusort_rows_return_cost(double rows)
{
	return cpu_operator_cost * ROWS_COST_RETURNED * rows;
}

/*
 * Estimates a Sort of rows of one parallel worker, of `rows` in all, which all workers share.  Its input is
 * each worker's.  Each row is sorted with those of its worker, and again with those of its part.
 */
RowsCost
gpusort_rows_cost_parallel(const Sort *sort, double rows)
{
	RowsCost	cost = gpusort_rows_cost(sort, 0, false);

	cost.startup += (ROWS_SHARED_PASSES - 1) * (cost.startup - cost.input) + parallel_setup_cost;
	cost.total = cost.startup + gpusort_rows_return_cost(rows);
	return cost;
}

bool
gpusort_rows_sharing_wins(const GatherMerge *merge, double share)
{
	const Plan *rows = merge->plan.lefttree;

	return (ROWS_SHARED_PASSES - 1) * (rows->startup_cost - rows->lefttree->total_cost) <
		cpu_operator_cost * ROWS_COST_HANDED_OVER * share * merge->plan.plan_rows;
}

double
gpusort_rows_divisor(int workers)
{
	return workers + (parallel_leader_participation ? Max(0, 1 - 0.3 * workers) : 0);
}
