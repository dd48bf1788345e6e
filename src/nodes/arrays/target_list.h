/*
 * target_list.h
 *	  Finds the calls of a target list that can be sorted in batches, and takes the
 *	  list apart around them.
 */
#ifndef GPUSORT_TARGET_LIST_H
#define GPUSORT_TARGET_LIST_H

#include "nodes/plan_hook.h"

typedef struct CallSearch
{
	const PlanPlace *place;
	Plan	   *plan;			/* computes the list */
	List	   *calls;			/* FuncExprs that are taken, no two equal */
	List	   *kinds;			/* ArrayCallKind of each (integers) */
	List	   *fed;			/* arguments with calls in them, no two equal */
	List	   *met;			/* all FuncExprs of ours that were looked at */
} CallSearch;

/* Which calls of a target list are meant. */
typedef enum CallsNoted
{
	CALLS_OWN,					/* those that the plan computes for each row that it returns */
	CALLS_FED,					/* those that aggregates or set-returning functions are fed with */
	CALLS_ALL
} CallsNoted;

extern bool gpusort_target_find_calls(CallSearch *search, Node *expression);
extern void gpusort_target_find_fed_calls(CallSearch *search, Plan *plan);
extern Node *gpusort_target_over_columns(Node *expression, List **columns);
extern Node *gpusort_target_replace(Node *expression, List *calls, int first_column);
extern Node *gpusort_target_replace_fed(Node *expression, List *fed, int first_column);
extern Node *gpusort_target_restore_calls(Node *expression, List *calls, int first_column);
extern Node *gpusort_target_renumber(Node *expression, int from, int to);
extern void gpusort_target_note_search(const CallSearch *search, CallsNoted noted, PlanReason reason);
extern void gpusort_target_note_calls(const PlanPlace *place, const Plan *plan, Node *expression, CallsNoted noted,
									  PlanReason reason, const char *detail, List *met);

#endif							/* GPUSORT_TARGET_LIST_H */
