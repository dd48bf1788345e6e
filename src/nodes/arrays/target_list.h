/*
 * target_list.h
 *	  Finds the calls of a target list that can be sorted in batches, and takes the
 *	  list apart around them.
 */
#ifndef GPUSORT_TARGET_LIST_H
#define GPUSORT_TARGET_LIST_H

#include "nodes/plannodes.h"

typedef struct CallSearch
{
	PlannedStmt *statement;
	Plan	   *plan;			/* computes the list */
	List	   *calls;			/* FuncExprs that are taken, no two equal */
	List	   *kinds;			/* ArrayCallKind of each (integers) */
	List	   *fed;			/* arguments with calls in them, no two equal */
} CallSearch;

extern bool gpusort_target_find_calls(CallSearch *search, Node *expression);
extern void gpusort_target_find_fed_calls(CallSearch *search, Plan *plan);
extern Node *gpusort_target_over_columns(Node *expression, List **columns);
extern Node *gpusort_target_replace(Node *expression, List *calls, int first_column);
extern Node *gpusort_target_replace_fed(Node *expression, List *fed, int first_column);
extern Node *gpusort_target_restore_calls(Node *expression, List *calls, int first_column);
extern Node *gpusort_target_renumber(Node *expression, int from, int to);

#endif							/* GPUSORT_TARGET_LIST_H */
