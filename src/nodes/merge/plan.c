/*
 * plan.c
 *	  Puts the merge node in the place of MergeAppends of foreign scans.
 *
 * As in the rows node the custom scan is built as setrefs would leave it: it has no scan
 * relation, custom_scan_tlist refers to the rows of the first input by OUTER_VAR, and the
 * target list refers to that.  The first input is its outer plan, so that EXPLAIN finds the
 * names of columns there; the others are its custom plans.
 */
#include "postgres.h"

#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "nodes/extensible.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "guc.h"
#include "nodes/merge/merge_node.h"
#include "nodes/plan_columns.h"
#include "nodes/plan_hook.h"

static const CustomScanMethods merge_scan_methods = {
	.CustomName = "GpusortMerge",
	.CreateCustomScanState = gpusort_merge_create_state,
};

/* The value of postgres_fdw's option async_capable among these, or else `capable`. */
static bool
async_option(List *options, bool capable)
{
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, "async_capable") == 0)
			capable = defGetBoolean(option);
	}
	return capable;
}

/* True if all tables that a foreign scan reads may be scanned asynchronously. */
static bool
tables_are_capable(const ForeignScan *scan, const List *tables, bool server_is_capable)
{
	Bitmapset  *read = scan->scan.scanrelid > 0 ? bms_make_singleton(scan->scan.scanrelid) : scan->fs_relids;
	bool		capable = false;
	int			table = -1;

	while ((table = bms_next_member(read, table)) >= 0)
	{
		RangeTblEntry *entry = rt_fetch(table, tables);

		if (entry->rtekind != RTE_RELATION)
			continue;
		capable = async_option(GetForeignTable(entry->relid)->options, server_is_capable);
		if (!capable)
			return false;
	}
	return capable;
}

/* True for a scan by postgres_fdw that may be asynchronous. */
static bool
is_capable(const Plan *plan, const List *tables)
{
	const ForeignScan *scan = (const ForeignScan *) plan;
	ForeignServer *server;
	char	   *handler;

	if (!IsA(plan, ForeignScan) || scan->operation != CMD_SELECT)
		return false;
	server = GetForeignServer(scan->fs_server);
	handler = get_func_name(GetForeignDataWrapper(server->fdwid)->fdwhandler);
	return handler != NULL && strcmp(handler, "postgres_fdw_handler") == 0 &&
		tables_are_capable(scan, tables, async_option(server->options, false));
}

/* The scans among a MergeAppend's inputs that may be asynchronous; NIL if they are not of several servers. */
static List *
capable_scans(const MergeAppend *merge, const PlanPlace *place)
{
	List	   *scans = NIL;
	List	   *servers = NIL;
	ListCell   *cell;

	foreach(cell, merge->mergeplans)
	{
		Plan	   *plan = lfirst(cell);

		if (!is_capable(plan, place->walk->statement->rtable))
			continue;
		scans = lappend(scans, plan);
		servers = list_append_unique_oid(servers, ((ForeignScan *) plan)->fs_server);
	}
	return list_length(servers) > 1 ? scans : NIL;
}

static Plan *
make_node(const MergeAppend *merge, const PlanPlace *place)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.plan = merge->plan;	/* costs, parameters, node id */
	NodeSetTag(scan, T_CustomScan);
	scan->scan.plan.targetlist = gpusort_plan_own_columns(merge->plan.targetlist);
	scan->scan.plan.lefttree = linitial(merge->mergeplans);
	scan->custom_plans = list_copy_tail(merge->mergeplans, 1);
	scan->custom_private = lappend(gpusort_key_lists(merge->numCols, merge->sortColIdx, merge->sortOperators,
													 merge->collations, merge->nullsFirst),
								   list_make1_int(gpusort_place_wants_all(place)));
	scan->custom_scan_tlist = merge->plan.targetlist;
	scan->custom_relids = merge->apprelids; /* EXPLAIN names tables after these */
	scan->methods = &merge_scan_methods;
	return &scan->scan.plan;
}

/*
 * Takes a MergeAppend with scans of several servers, unless rows are locked, a Gather is
 * above it, or inputs may be left out when it runs.
 */
static void
rewrite_plan(Plan **link, const PlanPlace *place)
{
	MergeAppend *merge = (MergeAppend *) *link;
	List	   *scans;
	ListCell   *cell;

	if (!IsA(merge, MergeAppend) || GPUSORT_PRUNES_AT_RUN_TIME(merge) || place->parallel || place->marks ||
		place->walk->statement->rowMarks != NIL)
		return;
	scans = capable_scans(merge, place);
	if (scans == NIL)
		return;
	foreach(cell, scans)
		((Plan *) lfirst(cell))->async_capable = true;
	*link = make_node(merge, place);
}

/* Sets up the node, and has it put into plans. */
void
gpusort_merge_node_init(void)
{
	static const NodeRoom room = {
		.methods = &merge_scan_methods,
		.enabled = &gpusort_enable_async_merge,
		.rewrite = rewrite_plan
	};

	gpusort_plan_hook_add(&room);
}
