/*
 * plan_reason.c
 *	  Tells why a Sort or an aggregate of a plan is taken, or kept as it is.
 */
#include "postgres.h"

#include "utils/ruleutils.h"

#include "nodes/plan_hook.h"
#include "nodes/plan_reason.h"

/* An expression of the plan at the place, with the names of columns. */
static char *
shown(const PlanPlace *place, const Plan *plan, const Expr *expression)
{
	PlanWalk   *walk = place->walk;

	if (walk->names == NIL)
	{
		List	   *tables = walk->statement->rtable;
		Bitmapset  *all = bms_add_range(NULL, 1, list_length(tables));

		walk->names = deparse_context_for_plan_tree(walk->statement, select_rtable_names_for_explain(tables, all));
	}
	return deparse_expression((Node *) unconstify(Expr *, expression),
							  set_deparse_context_plan(walk->names, unconstify(Plan *, plan), place->ancestors), true, false);
}

static void
tell(const char *what, const char *why_not)
{
	if (why_not == NULL)
		ereport(NOTICE, (errmsg("gpusort: %s taken", what)));
	else
		ereport(NOTICE, (errmsg("gpusort: %s kept: %s", what, why_not)));
}

void
gpusort_reason_tell_sort(const PlanPlace *place, const Sort *sort, const char *why_not)
{
	StringInfoData what;

	if (!place->walk->explain)
		return;
	initStringInfo(&what);
	for (int i = 0; i < sort->numCols; i++)
	{
		const TargetEntry *entry = list_nth(sort->plan.targetlist, sort->sortColIdx[i] - 1);

		appendStringInfo(&what, "%s%s", i == 0 ? "sort on " : ", ", shown(place, &sort->plan, entry->expr));
	}
	tell(what.data, why_not);
}

void
gpusort_reason_tell_aggregate(const PlanPlace *place, const Plan *plan, const Aggref *call, const char *why_not)
{
	if (place->walk->explain)
		tell(shown(place, plan, (const Expr *) call), why_not);
}
