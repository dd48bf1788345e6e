/*
 * plan_hook.h
 *	  Offers every node of a finished plan to the modules that may rewrite it.
 *
 * Plans are rewritten after setrefs, when all references are resolved.  A module must know
 * what the nodes above do with the rows of a place: reading ahead may be noticed if not all
 * rows are wanted, and a LIMIT bounds a Sort.  A PlanPlace tells this.
 */
#ifndef GPUSORT_PLAN_HOOK_H
#define GPUSORT_PLAN_HOOK_H

#include "nodes/extensible.h"

#include "nodes/plan_reason.h"

/* Of a Sort only the first rows of each group are wanted, in its order. */
typedef struct FirstOfGroups
{
	const Sort *sort;
	int			group_keys;		/* leading keys by which the rows are grouped */
	int			rows;
	double		wanted;			/* how many rows that is expected to be of all groups */
} FirstOfGroups;

/* Whether the nodes above a place read all of its rows, or all rows within the limit. */
typedef enum AllRows
{
	NOT_ALL,					/* they may stop before the last row */
	WITH_EXECUTOR,				/* they do if the executor runs the plan to its end */
	AT_ONCE						/* they do, before they return a row */
} AllRows;

/* How a statement's plan uses one of its subplans. */
typedef struct SubqueryUse
{
	AllRows		rows;
	bool		found;			/* the expression that runs it, */
	bool		parallel;		/* below a Gather */
} SubqueryUse;

/* What holds for the whole statement. */
typedef struct PlanWalk
{
	PlannedStmt *statement;
	bool		to_end;			/* the executor is expected to run the plan to its end: no cursor and no loop reads it */
	SubqueryUse *subqueries;	/* of each of the statement's subplans */
	int			last_id;		/* largest plan_node_id in use; 0: not looked for yet */
	List	   *modules;		/* NodeModules that are asked, in order */
	List	   *first_of_groups;	/* FirstOfGroups of Sorts that the preparation has put into the plan */
	List	   *divided;		/* plan_node_id of each Sort of rows that processes divide, and how many keys make groups */
	bool		explain;		/* reasons are told */
	List	   *names;			/* for showing expressions; NIL: not needed yet */
} PlanWalk;

typedef struct PlanPlace
{
	PlanWalk   *walk;
	Plan	   *parent;			/* or NULL */
	List	   *ancestors;		/* parent first, where reasons are told */
	bool		owned;			/* a node of another module may know the plan: it stays */
	AllRows		all_rows;
	bool		rescanned;		/* it may be run again, also if none of its parameters has changed */
	bool		parallel;		/* below a Gather: it runs in several processes */
	const Limit *limit;			/* bounds the rows wanted, as the executor would tell a Sort
								 * here; or NULL.  Unless all_rows is NOT_ALL, evaluating it has
								 * no effects */
	double		share;			/* of its rows that a LIMIT above is expected to let the nodes above read */
	const Plan *first_rows;		/* nearest node above that returns only the first rows of its
								 * input, or of each partition (a WindowAgg with a run condition,
								 * a LIMIT WITH TIES), and whose column numbers are valid here; or
								 * NULL */
} PlanPlace;

/* True if all rows will be asked for, as far as the plan says. */
static inline bool
gpusort_place_wants_all(const PlanPlace *place)
{
	return place->all_rows != NOT_ALL && place->limit == NULL && place->first_rows == NULL;
}

/* A module that puts nodes into plans. */
typedef struct NodeModule
{
	const CustomScanMethods *methods;	/* of its nodes */
	const bool *enabled;		/* what its setting says */

	/* True if it may have something to do in a statement.  NULL: where a Sort, an Agg or a Gather Merge may change. */
	bool		(*concerns) (const PlannedStmt *statement);

	/*
	 * May replace the plan at the link, or put nodes above it.  All modules have already
	 * been asked about the plans below.
	 */
	void		(*rewrite) (Plan **link, const PlanPlace *place);

	/* Tells why a plan is not offered to it: the place is owned, or it is not enabled.  May be NULL. */
	void		(*keep) (Plan *plan, const PlanPlace *place);
} NodeModule;

/* Changes a plan before the plans below it are offered to the modules. */
typedef void (*PlanPreparation) (Plan *plan, const PlanPlace *place);

/* Sets the hook that lets modules rewrite each plan that the planner makes.  Plans are prepared on the way down. */
extern void gpusort_plan_hook_init(PlanPreparation prepare);

/* Adds a module, which is asked after those added before. */
extern void gpusort_plan_hook_add(const NodeModule *module);

/* A plan_node_id for a node that is added to the statement. */
extern int	gpusort_plan_next_id(PlanWalk *walk);

/* The module that a plan node belongs to, or NULL. */
extern const NodeModule *gpusort_plan_module(const Plan *plan);

#endif							/* GPUSORT_PLAN_HOOK_H */
