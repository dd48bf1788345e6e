/*
 * plan_columns.c
 *	  See plan_columns.h.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"

#include "nodes/plan_columns.h"

List *
gpusort_plan_own_columns(const List *tlist)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, tlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst(cell));

		if (IsA(entry->expr, Var))
		{
			Var		   *var = copyObject((Var *) entry->expr);

			var->varno = INDEX_VAR;
			var->varattno = entry->resno;
			entry->expr = (Expr *) var;
		}
		result = lappend(result, entry);
	}
	return result;
}
