/*
 * rows_node.h
 *	  The rows node: a custom scan in the place of a Sort plan node.
 *
 * plan.c puts it into finished plans where cost.c says that it wins, exec.c runs
 * it over a RowSort (row_sort.h), explain.c shows what it did.  See README.md.
 */
#ifndef GPUSORT_ROWS_NODE_H
#define GPUSORT_ROWS_NODE_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "nodes/plan_reason.h"
#include "rows/row_sort.h"

/* What custom_private holds.  custom_exprs holds the expressions of a bound. */
typedef enum RowsPrivate
{
	ROWS_KEYS,					/* a Sort that has the keys and nothing else */
	ROWS_KEPT,					/* ints: see RowsKeptInts */
	ROWS_ROLE					/* ints: a RowsRole, a RowsUse, and for ROWS_FOR_GROUPS how many leading keys tell groups apart */
} RowsPrivate;

/* The keys in a node's custom_private. */
#define GPUSORT_ROWS_KEYS(private) list_nth_node(Sort, private, ROWS_KEYS)

/* What a node does. */
typedef enum RowsRole
{
	ROWS_ALONE,					/* it sorts its input */
	ROWS_SHARE,					/* all processes that run it sort their inputs together: parallel.h */
	ROWS_RETURN					/* it returns what such nodes have sorted */
} RowsRole;

/* What the rows are wanted for.  Those of one process are for the order or for aggregates. */
typedef enum RowsUse
{
	ROWS_FOR_ORDER,				/* to be returned */
	ROWS_FOR_GROUPS,			/* each process returns groups of its own to the nodes above it, in order */
	ROWS_FOR_RANKS,				/* aggregates above the node ask for values, of which none is NULL, by their ranks, */
	ROWS_FOR_RUNS				/* and for the numbers of equal ones: parallel.h */
} RowsUse;

/* The use in a node's custom_private. */
#define GPUSORT_ROWS_USE(private) ((RowsUse) lsecond_int(list_nth(private, ROWS_ROLE)))

struct ExplainState;
struct PlanPlace;

/* What bounds the rows that are wanted of a Sort. */
typedef struct RowsBound
{
	RowBoundKind kind;
	int			partition_keys; /* leading keys that make partitions */
	bool		is_less;		/* fewer than the value are wanted, not as many */
	List	   *expressions;	/* count and offset of a LIMIT, or the value in a run condition;
								 * NIL: no bound, or it is not known at run time */
	double		wanted;			/* the planner's estimate of how many rows; 0: all, or not known */
} RowsBound;

/* Which rows a node keeps, and how, as the integers of a list. */
typedef enum RowsKeptInts
{
	ROWS_KEPT_KIND,				/* a RowBoundKind */
	ROWS_KEPT_PARTITION_KEYS,
	ROWS_KEPT_IS_LESS,
	ROWS_KEPT_WHOLE				/* 1 if rows are kept as their table has them */
} RowsKeptInts;

/* What a Sort costs with the node. */
typedef struct RowsCost
{
	Cost		input;			/* total cost of the plan below */
	Cost		startup;
	Cost		total;
	const char *why_not;		/* why the Sort is kept; NULL: the node wins */
} RowsCost;

/* plan.c */
extern void gpusort_rows_node_init(void);
/* True if the node will take the place of a Sort of which about so many rows are wanted; 0 means all. */
extern bool gpusort_rows_take(const Sort *sort, double wanted);
/* Has a plan read a Sort again where the planner has made a node of one for rows that processes divide: others know Sorts. */
extern void gpusort_rows_prepare(Plan *plan, const struct PlanPlace *place);
/*
 * The input of an Agg whose aggregates read the one key of a Sort: in the place of a Gather of the Sort's input, or if that is
 * NULL, of the Sort's input.  With distinct, one of equal values is enough.
 */
extern Plan *gpusort_rows_plan_values(const Gather *gather, Sort *sort, RowsUse use, bool distinct, const struct PlanPlace *place);

/*
 * Of a path whose one input is a Sort of the rows of each parallel worker.  Instead these divide rows by groups, which as
 * many leading keys tell apart as its custom_private says, and each returns those of its groups in order.
 */
extern const CustomPathMethods gpusort_rows_divided_methods;

/* plan_price.c */
extern void gpusort_rows_price_init(void);

/* plan_bound.c */
extern RowsBound gpusort_rows_plan_bound(const Sort *sort, const struct PlanPlace *place);
/* True if expressions have subplans or parameters that only the executor sets. */
extern bool gpusort_rows_depend_on_executor(Node *node, void *context);
/* Reads a run condition of a window as a bound.  Returns false if it is none. */
extern bool gpusort_rows_read_condition(const WindowAgg *window, const OpExpr *condition, RowsBound *bound);

/* plan_intervals.c */
/* For a Sort by gpusort.bucket(x, n) OVER (), which nobody reads, returns a Sort by x, else NULL. */
extern Sort *gpusort_rows_plan_intervals(const Sort *sort, const struct PlanPlace *place);

/* cost.c */
#define ROWS_SHARED_PASSES 2.0	/* the work of a shared sort to that of one process */

extern bool gpusort_rows_may_win(const Sort *sort);
extern RowsCost gpusort_rows_cost(const Sort *sort, double bound, bool bound_is_known);
extern bool gpusort_rows_may_group(const Agg *agg);
extern RowsCost gpusort_rows_cost_groups(const Sort *sort, double groups, bool collect);
/* True if rows are kept as their table has them.  Only their keys are read. */
extern bool gpusort_rows_keep_whole(const Sort *sort, const List *rtable);
/* Leaves rows that are sorted by values to PostgreSQL if files would hold their columns, which are mostly NULL. */
extern void gpusort_rows_leave_nulls(RowsCost *cost, const Sort *sort, double bound, const List *rtable);
/* Bytes that so many rows of a width, as the planner estimates it, take with the node. */
extern double gpusort_rows_bytes(double rows, int width);
/* The cost of writing this many bytes once and reading them once; 0 if they fit work_mem. */
extern Cost gpusort_rows_disk_cost(double bytes);
/* The cost of returning rows that parallel workers have sorted. */
extern Cost gpusort_rows_return_cost(double rows);
extern RowsCost gpusort_rows_cost_parallel(const Sort *sort, double rows);
/* True if sharing what nodes below a Gather Merge sort costs less than handing over the share of its rows that is read. */
extern bool gpusort_rows_sharing_wins(const GatherMerge *merge, double share);
/* How many processes the work is divided among, by the planner's estimate. */
extern double gpusort_rows_divisor(int workers);

/* exec.c */
extern Node *gpusort_rows_create_alone(RowsUse use);
/*
 * Columns of a child's target list as a node above it returns them (OUTER_VAR), or of a custom_scan_tlist as its scan does
 * (INDEX_VAR).  Constants may stay constants.
 */
extern List *gpusort_rows_columns_of(const List *tlist, int varno, bool keep_constants);
/* Gives the columns of a plan the names, and what else is said of them, that they have in another. */
extern void gpusort_rows_name_columns(Plan *plan, const Plan *named);

/* explain.c */
extern void gpusort_rows_explain(CustomScanState *node, List *ancestors, struct ExplainState *es);
extern void gpusort_rows_explain_keys(CustomScanState *node, List *ancestors, struct ExplainState *es);

#endif							/* GPUSORT_ROWS_NODE_H */
