/*
 * plan_walk.h
 *	  What PostgreSQL lacks for those who read finished plans: traits, expressions and children
 *	  of plan nodes, and which functions are the extension's.
 */
#ifndef GPUSORT_PLAN_WALK_H
#define GPUSORT_PLAN_WALK_H

#include "access/htup.h"
#include "nodes/plannodes.h"

typedef enum PlanTraits
{
	PLAN_KNOWN = 1,				/* it changes and locks no rows, and all its expressions are known */
	PLAN_PROJECTS = 2,			/* it computes a target list of its own, which may be changed */
	PLAN_READS_ALL = 4,			/* it reads all rows of its child before it returns its first row */
	PLAN_PASSES_ROWS = 8		/* it returns each row that it reads, so ExecSetTupleBound descends through it */
} PlanTraits;

extern bool gpusort_plan_has_trait(const Plan *plan, PlanTraits trait);

/* The expressions of a plan node beside its target list. */
extern List *gpusort_plan_expressions(const Plan *plan);

/* Called with the link to a plan, which it may change. */
typedef void (*PlanVisitor) (Plan **link, void *arg);

/* Visits the plan of a statement, then those of its subqueries. */
extern void gpusort_plan_each_tree(PlannedStmt *statement, PlanVisitor visit, void *arg);

/* Visits the children of a plan node. */
extern void gpusort_plan_each_child(Plan *plan, PlanVisitor visit, void *arg);

/* True if expressions must be evaluated for rows in the plan's order: they are volatile, or run subplans, which may be. */
extern bool gpusort_plan_keeps_evaluation(const Node *expressions);

/* True if a target list returns the input's columns unchanged. */
extern bool gpusort_plan_hands_on_columns(const List *tlist, const List *input_tlist);

/* What the statistics say of a column of a plan; NULL if nothing. */
extern HeapTuple gpusort_plan_column_statistics(const Plan *plan, AttrNumber resno, const List *rtable);


/* The entry point that a row of pg_proc names in this module; NULL if the function is another one. */
extern char *gpusort_module_symbol(HeapTuple proc);

/* True if a function or an aggregate is a member of the extension. */
extern bool gpusort_is_own_function(Oid function);

#endif							/* GPUSORT_PLAN_WALK_H */
