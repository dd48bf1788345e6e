/*
 * plan_groups.h
 *	  The rows node below grouping by a hash table, which then groups sorted rows.
 *
 * DISTINCT, UNION and GROUP BY are planned as an Agg that hashes where a Sort would cost
 * more.  The node costs less than a hash table of many groups, which are far apart in memory,
 * and less again where the table exceeds its memory.  Of the extension's aggregates that keep
 * the values of a group, such as median, a hash table keeps those of all groups in memory.
 */
#ifndef GPUSORT_PLAN_GROUPS_H
#define GPUSORT_PLAN_GROUPS_H

#include "access/htup.h"
#include "nodes/plannodes.h"

/* True if a call gives the same result for any order of rows. */
extern bool gpusort_aggregate_ignores_order(const Aggref *call);

/* True if an aggregate's state can be sent to another process and combined there.  One of `internal` type may keep the values. */
extern bool gpusort_aggregate_has_partial_form(Oid aggregate, bool internal);

/* True if the order of rows may be seen in the calls of an expression of a query, beyond what the server lets workers change. */
extern bool gpusort_aggregates_depend_on_order(Node *node, void *context);

/* The columns of the input that an Agg reads, from 1. */
extern Bitmapset *gpusort_rows_columns_read(const Agg *agg);

/*
 * Returns a Sort of an Agg's input without keys.  What the Agg does not read is a constant in
 * its target list.  Its costs and its plan_node_id are not set.
 */
extern Sort *gpusort_rows_plan_input_sort(const Agg *agg);

/* What aggregates an Agg computes. */
typedef struct GroupedAggregates
{
	int			count;
	bool		collect;		/* one of the extension's that keeps the values of a group */
} GroupedAggregates;

/*
 * Returns a Sort of an Agg's input by the columns that it groups by, in_order or not, and sets *aggregates.  The
 * Agg must hash.  Returns NULL if it cannot group sorted rows, or if only these would need files.
 */
extern Sort *gpusort_rows_plan_groups(const Agg *agg, bool in_order, GroupedAggregates *aggregates);

/* True if so many rows of such a width need files to be sorted, where a hash table of so many bytes needs none. */
extern bool gpusort_rows_only_sort_needs_files(double rows, int width, double hashed);

/*
 * True if this is so for rows of which a table keeps the different ones, and the table takes less time: from 18 on, where not all
 * columns are passed by value.  DISTINCT of texts takes 1.0 to 1.1 of its time by a sort then, and 0.8 to 0.95 on 15 (8eb1d6f0).
 */
extern bool gpusort_rows_distinct_by_hash(const List *targets, double rows, int width, double groups);

/* How many distinct values a column of a plan has by the statistics of its table; 0 if they are not known. */
extern double gpusort_rows_distinct_values(const Plan *plan, AttrNumber resno, const List *rtable);

/* The share that the most frequent of so many distinct values of a column has, by its statistics. */
extern double gpusort_rows_most_frequent(HeapTuple statistics, double distinct);

/*
 * The number of groups that an Agg has at least: the most distinct values of one column that it
 * groups by.  The planner's estimate may be far more than there are where it knows nothing of
 * an expression, or takes columns for independent.
 */
extern double gpusort_rows_least_groups(const Agg *agg, const List *rtable);

/* Drops from such a Sort the columns that the Agg does not read.  The Agg then reads the others in their new places. */
extern void gpusort_rows_plan_drop_columns(Agg *agg, Sort *sort);

#endif							/* GPUSORT_PLAN_GROUPS_H */
