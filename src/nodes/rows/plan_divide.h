/*
 * plan_divide.h
 *	  Divides work of a finished plan among parallel workers, where the planner had one process do it.
 *
 * Workers read the tables that a plan scans in sequence.  What is computed of groups of rows that come in order is computed
 * where these are: rows are divided by their groups (ROWS_FOR_GROUPS, see parallel.h), and each process returns
 * what the nodes above make of its own.
 *
 *	  GroupAggregate                     Gather Merge
 *	    ->  rows node              =>      ->  GroupAggregate
 *	          ->  Seq Scan on s                  ->  Parallel Custom Scan (GpusortRows)
 *	                                                   ->  Parallel Seq Scan on s
 *
 * Few rows pass the Gather Merge, and no aggregate needs to combine states.  The same is done where the rows node returns
 * to one process what parallel workers have sorted.
 */
#ifndef GPUSORT_PLAN_DIVIDE_H
#define GPUSORT_PLAN_DIVIDE_H

#include "nodes/plannodes.h"

#include "nodes/plan_hook.h"

/* A Gather takes rows of workers when they have some: these cost less than the planner says for those of a Gather Merge. */
#define ROWS_GATHER_SHARE 0.5

/* The tables that a plan reads. */
typedef struct ScannedTables
{
	List	   *scans;			/* SeqScans */
	double		pages;
	double		rows;
	int			workers;		/* their parameter parallel_workers; -1: not set */
} ScannedTables;

/* Adds the tables that a plan scans in sequence.  Returns false if it does anything else, but append. */
extern bool gpusort_rows_find_tables(Plan *plan, const List *rtable, ScannedTables *tables);

/* How many workers the planner would have scan tables; 0 if they are too small. */
extern int	gpusort_rows_count_workers(const ScannedTables *tables);

/* How many processes the work is divided among, by the planner's estimate. */
extern double gpusort_rows_divisor(int workers);

/* The cost of reading tables, which takes so much in one process, by each of several. */
extern Cost gpusort_rows_divided_cost(Cost cost, const ScannedTables *tables, int workers);

/* Has workers read their part of tables that a plan scans.  Returns the parameter that tells them that they are run again. */
extern int	gpusort_rows_divide_tables(Plan *input, const ScannedTables *tables, int workers, PlanWalk *walk);

/*
 * Returns a Gather Merge above what groups the rows of a rows node, if workers can divide these among them and that costs
 * less; else the plan.
 */
extern Plan *gpusort_rows_divide_groups(Plan *plan, const PlanPlace *place);

#endif							/* GPUSORT_PLAN_DIVIDE_H */
