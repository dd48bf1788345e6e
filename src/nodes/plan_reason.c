/*
 * plan_reason.c
 *	  Why a Sort or an aggregate of a plan is taken, or kept as it is.
 */
#include "postgres.h"

#include "utils/ruleutils.h"

#include "nodes/plan_hook.h"
#include "nodes/plan_reason.h"

typedef struct PlanNote
{
	const char *what;			/* the call or sort */
	const char *why_not;		/* NULL: it is taken */
} PlanNote;

static const char *const reason_texts[] = {
#define PLAN_REASON_TEXT(symbol, text) [PLAN_##symbol] = text,
	GPUSORT_PLAN_REASONS(PLAN_REASON_TEXT)
#undef PLAN_REASON_TEXT
};

static void
add_note(PlanWalk *walk, const char *what, const char *why_not)
{
	PlanNote   *note;
	ListCell   *cell;

	for_each_from(cell, walk->notes, walk->first_note)
	{
		if (strcmp(((PlanNote *) lfirst(cell))->what, what) == 0)
			return;
	}
	note = palloc(sizeof(PlanNote));
	*note = (PlanNote) {what, why_not};
	walk->notes = lappend(walk->notes, note);
}

/* An expression of the plan at the place, with the names of columns. */
static char *
shown(const PlanPlace *place, const Plan *plan, const Node *expression)
{
	PlanWalk   *walk = place->walk;

	if (walk->names == NIL)
	{
		List	   *tables = walk->statement->rtable;
		Bitmapset  *all = bms_add_range(NULL, 1, list_length(tables));

		walk->names = deparse_context_for_plan_tree(walk->statement, select_rtable_names_for_explain(tables, all));
	}
	return deparse_expression(unconstify(Node *, expression),
							  set_deparse_context_plan(walk->names, unconstify(Plan *, plan), place->ancestors), true, false);
}

void
gpusort_reason_begin(const PlanPlace *place)
{
	place->walk->first_note = list_length(place->walk->notes);
}

void
gpusort_reason_note_sort(const PlanPlace *place, const Sort *sort, const char *why_not)
{
	StringInfoData what;

	if (!place->walk->explain)
		return;
	initStringInfo(&what);
	for (int i = 0; i < sort->numCols; i++)
	{
		TargetEntry *entry = list_nth(sort->plan.targetlist, sort->sortColIdx[i] - 1);

		appendStringInfo(&what, "%s%s", i == 0 ? "sort on " : ", ", shown(place, &sort->plan, (Node *) entry->expr));
	}
	gpusort_reason_begin(place);
	add_note(place->walk, what.data, why_not);
}

void
gpusort_reason_note_call(const PlanPlace *place, const Plan *plan, const Node *call, PlanReason reason, const char *detail)
{
	if (place->walk->explain)
		add_note(place->walk, shown(place, plan, call), reason == PLAN_TAKEN ? NULL : psprintf(reason_texts[reason], detail));
}

void
gpusort_reason_show(const PlanWalk *walk)
{
	ListCell   *cell;

	foreach(cell, walk->notes)
	{
		const PlanNote *note = lfirst(cell);

		if (note->why_not == NULL)
			ereport(NOTICE, (errmsg("gpusort: %s taken", note->what)));
		else
			ereport(NOTICE, (errmsg("gpusort: %s kept: %s", note->what, note->why_not)));
	}
}
