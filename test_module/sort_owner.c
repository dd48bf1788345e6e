/*
 * sort_owner.c
 *	  A custom scan that knows its child: a Sort, or it raises an error.
 *
 * Extensions that append or merge partitions look at the kinds of their children
 * when they begin, and use what they know of them.  This one stands above the Sort
 * of an ORDER BY while gpusort_test.sort_owner is "list", where the Sort is among
 * its custom_plans, or "left", where it is the left child.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "optimizer/planner.h"
#include "utils/guc.h"

#include "gpusort_test.h"

typedef enum OwnerKind
{
	OWNER_NONE,
	OWNER_LIST,
	OWNER_LEFT
} OwnerKind;

static const struct config_enum_entry owner_kinds[] = {
	{"none", OWNER_NONE, false},
	{"list", OWNER_LIST, false},
	{"left", OWNER_LEFT, false},
	{NULL, 0, false}
};

static int	sort_owner = OWNER_NONE;
static create_upper_paths_hook_type previous_upper_paths;

static Plan *
owned_plan(const CustomScan *scan)
{
	return scan->custom_plans != NIL ? linitial(scan->custom_plans) : scan->scan.plan.lefttree;
}

static void
begin_owner(CustomScanState *state, EState *estate, int eflags)
{
	Plan	   *child = owned_plan((CustomScan *) state->ss.ps.plan);

	if (!IsA(child, Sort))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("the child of SortOwner is no Sort, but a node with tag %d", (int) nodeTag(child))));
	state->custom_ps = list_make1(ExecInitNode(child, estate, eflags));
}

static TupleTableSlot *
run_owner(CustomScanState *state)
{
	return ExecProcNode(linitial(state->custom_ps));
}

static void
end_owner(CustomScanState *state)
{
	ExecEndNode(linitial(state->custom_ps));
}

static void
rescan_owner(CustomScanState *state)
{
	ExecReScan(linitial(state->custom_ps));
}

static const CustomExecMethods exec_methods = {
	.CustomName = "SortOwner",
	.BeginCustomScan = begin_owner,
	.ExecCustomScan = run_owner,
	.EndCustomScan = end_owner,
	.ReScanCustomScan = rescan_owner,
};

static Node *
create_owner_state(CustomScan *scan)
{
	CustomScanState *state = makeNode(CustomScanState);

	state->methods = &exec_methods;
	return (Node *) state;
}

static const CustomScanMethods scan_methods = {
	.CustomName = "SortOwner",
	.CreateCustomScanState = create_owner_state,
};

static Plan *
plan_owner(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *plans)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *sort = linitial(plans);

	scan->scan.plan.targetlist = copyObject(sort->targetlist);
	scan->custom_scan_tlist = copyObject(sort->targetlist);
	if (sort_owner == OWNER_LIST)
		scan->custom_plans = plans;
	else
		scan->scan.plan.lefttree = sort;
	scan->methods = &scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "SortOwner",
	.PlanCustomPath = plan_owner,
};

static Path *
owner_of(Path *sort)
{
	CustomPath *path = makeNode(CustomPath);

	path->path = *sort;
	NodeSetTag(path, T_CustomPath);
	path->path.pathtype = T_CustomScan;
	path->custom_paths = list_make1(sort);
	path->methods = &path_methods;
	return &path->path;
}

static void
own_sorts(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	ListCell   *cell;

	if (previous_upper_paths)
		previous_upper_paths(root, stage, input, output, extra);
	if (sort_owner == OWNER_NONE || stage != UPPERREL_ORDERED)
		return;
	foreach(cell, output->pathlist)
	{
		Path	  **path = (Path **) &lfirst(cell);

		if (IsA(*path, ProjectionPath))
			path = &((ProjectionPath *) *path)->subpath;
		if (IsA(*path, SortPath))
			*path = owner_of(*path);
	}
}

void
test_sort_owner_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
	previous_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = own_sorts;
	DefineCustomEnumVariable("gpusort_test.sort_owner", "Where a node stands above Sort that knows its child.", NULL,
							 &sort_owner, OWNER_NONE, owner_kinds, PGC_USERSET, 0, NULL, NULL, NULL);
}
