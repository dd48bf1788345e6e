/*
 * cost.c
 *	  Says what a Sort would cost with the rows node, and whether that wins.
 *
 * PostgreSQL charges a sort two operators per comparison, about log2(rows) times
 * per row, and nothing for the row's own way through it.  The node's cost per row
 * hardly depends on the number of rows: the constants below, in operators, are
 * measured beside PostgreSQL's sort on the same machine (bench/rows).  What it
 * spends once per sort keeps small sorts with PostgreSQL.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "guc.h"
#include "keys/sort_spec.h"
#include "nodes/rows/rows_node.h"

#define ROWS_COST_PER_SORT 8000.0	/* buffers and code that is not yet in the caches */
#define ROWS_COST_PER_ROW 6.0	/* a row of two columns sorted by one key */
#define ROWS_COST_PER_KEY 1.0	/* each further key */
#define ROWS_COST_PER_BYTE 0.05	/* of the row: into the column, and gathered */
#define ROWS_COST_DROPPED 1.0	/* a row that is compared with a bound's last row and dropped */

#define ROWS_COST_GATHERED 15.0	/* a row that goes from a worker through a Gather Merge, beside its bytes */

/* Rows that must be wanted of a sort that does not know its bound, to make it worth it. */
#define ROWS_BOUND_SHARE 0.25

/* The disk's part of a sort of so many bytes: written once and read once. */
static Cost
disk_cost(double bytes)
{
	if (bytes <= work_mem * 1024.0)
		return 0;
	return 2 * ceil(bytes / BLCKSZ) * (seq_page_cost * 0.75 + random_page_cost * 0.25);
}

/* What the node costs beyond its input, of whose rows it keeps some and drops the others. */
static Cost
own_cost(const Plan *plan, int nkeys, double rows, double kept)
{
	double		bytes = kept * (MAXALIGN(plan->plan_width) + sizeof(uint64));

	return disk_cost(bytes) + cpu_operator_cost *
		(ROWS_COST_PER_SORT + (rows - kept) * ROWS_COST_DROPPED +
		 kept * (ROWS_COST_PER_ROW + ROWS_COST_PER_KEY * (nkeys - 1) + ROWS_COST_PER_BYTE * plan->plan_width));
}

/*
 * Costs a Sort of which a LIMIT wants about bound rows, 0: all.  Where the node
 * cannot know that bound when it runs, it sorts them all.
 */
RowsCost
gpusort_rows_cost(const Sort *sort, double bound, bool bound_is_known)
{
	double		rows = Max(sort->plan.plan_rows, 1);
	double		kept = bound > 0 && bound_is_known ? Min(2 * bound, rows) : rows;
	RowsCost	cost;

	cost.input = sort->plan.lefttree->total_cost;
	cost.startup = cost.input + own_cost(&sort->plan, sort->numCols, rows, kept);
	cost.total = cost.startup + cpu_operator_cost * rows;
	cost.wins = cost.startup < sort->plan.startup_cost &&
		(bound == 0 || bound_is_known || bound >= rows * ROWS_BOUND_SHARE) &&
		gpusort_method == GPUSORT_METHOD_AUTO;
	return cost;
}

/*
 * Costs the rows node below a Gather Merge when it does without, in one process
 * that scans the whole table; bound as above.
 */
RowsCost
gpusort_rows_cost_alone(const GatherMerge *merge, double bound)
{
	const Plan *node = merge->plan.lefttree;
	const Plan *scan = node->lefttree;
	double		rows = merge->plan.plan_rows;
	double		kept = bound > 0 ? Min(2 * bound, rows) : rows;
	double		gathered = bound > 0 ? Min(bound, rows) : rows;
	Cost		together = node->total_cost + parallel_setup_cost + cpu_operator_cost *
		gathered * (ROWS_COST_GATHERED + ROWS_COST_PER_BYTE * node->plan_width);
	RowsCost	cost;

	cost.input = scan->total_cost + Max(rows - scan->plan_rows, 0) * cpu_tuple_cost;
	cost.startup = cost.input + own_cost(node, merge->numCols, rows, kept);
	cost.total = cost.startup + cpu_operator_cost * rows;
	cost.wins = cost.total < together;
	return cost;
}
