/*
 * hook.c
 *	  Reaches every build of a btree index.
 *
 * PostgreSQL has no hook for it.  But before it builds an index, it asks how many workers to
 * use, and for that plans with an empty query, which it does nowhere else (CLUSTER aside).
 * The table of that query then has the index among its own, and its relcache entry, which is open
 * since before and is used until the end of the build, gets an access method that
 * differs in ambuild alone.  An entry keeps it, so gpusort_index_build looks at the setting itself.
 *
 * With max_parallel_maintenance_workers = 0 PostgreSQL would not ask.  So a statement that may build
 * indexes finds another number there, and each of its builds is told to use no worker.  To users the setting shows 0.
 * What a trigger or a function sets meanwhile stays, and goes back to 0 where it would go back to that number.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "tcop/utility.h"
#include "utils/guc_tables.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "compat.h"
#include "guc.h"
#include "index/index_build.h"

static GPUSORT_TABLE_HOOK_TYPE previous_hook;
static ProcessUtility_hook_type previous_utility_hook;

#define ASKS_FOR_NO_WORKER 1023	/* max_parallel_maintenance_workers in place of 0: nobody sets it to that */

/* The record of max_parallel_maintenance_workers. */
static struct config_generic *workers_setting;

/* Shows max_parallel_maintenance_workers as the user has set it. */
static const char *
show_workers(void)
{
	static char shown[12];

	snprintf(shown, sizeof(shown), "%d",
			 max_parallel_maintenance_workers == ASKS_FOR_NO_WORKER ? 0 : max_parallel_maintenance_workers);
	return shown;
}

static void
put_back(int *workers)
{
	if (*workers == ASKS_FOR_NO_WORKER)
		*workers = 0;
}

/* Has the setting be 0 again, and go back to 0 at the end of functions and transactions that have set it. */
static void
stop_asking(void)
{
	put_back(&max_parallel_maintenance_workers);
	for (GucStack *stack = workers_setting->stack; stack != NULL; stack = stack->prev)
	{
		put_back(&stack->prior.val.intval);
		put_back(&stack->masked.val.intval);
	}
}

/* PostgreSQL's access method with another ambuild. */
static IndexAmRoutine routine;

/* Has the index be built by gpusort_index_build, if it is a btree. */
static void
take_build(Oid oid)
{
	Relation	index = RelationIdGetRelation(oid);

	if (!RelationIsValid(index))
		return;
	if (index->rd_indam != NULL && index->rd_indam->ambuild == btbuild)
	{
		routine = *index->rd_indam;
		routine.ambuild = gpusort_index_build;
		index->rd_indam = &routine;
	}
	RelationClose(index);
}

/* True if the planner is asked for the workers of an index build. */
static bool
plans_index_build(const PlannerInfo *root)
{
	const Query *query = root->parse;

	return query->commandType == CMD_SELECT && query->jointree == NULL && query->targetList == NIL;
}

static void
take_builds(GPUSORT_TABLE_HOOK_PARAMETERS)
{
	Relation	table;
	ListCell   *cell;

	if (previous_hook)
		previous_hook(GPUSORT_TABLE_HOOK_ARGUMENTS);
	if (!plans_index_build(root))
		return;
	if (max_parallel_maintenance_workers == ASKS_FOR_NO_WORKER)
		rel->rel_parallel_workers = 0;
	if (!gpusort_enable_index_build)
		return;
	table = RelationIdGetRelation(GPUSORT_TABLE_HOOK_TABLE);
	if (!RelationIsValid(table))
		return;
	foreach(cell, RelationGetIndexList(table))
		take_build(lfirst_oid(cell));
	RelationClose(table);
}

/* True if a statement may build indexes of tables that have rows, and uses workers for nothing else. */
static bool
may_build_indexes(Node *statement)
{
	ListCell   *cell;

	switch (nodeTag(statement))
	{
		case T_IndexStmt:
		case T_ReindexStmt:
		case T_AlterTableStmt:
		case T_ClusterStmt:
		case T_RefreshMatViewStmt:
			return true;
		case T_VacuumStmt:
			foreach(cell, castNode(VacuumStmt, statement)->options)
			{
				DefElem    *option = lfirst_node(DefElem, cell);

				if (strcmp(option->defname, "full") == 0)
					return defGetBoolean(option);
			}
			return false;
		default:
			return false;
	}
}

static void
run_utility(PlannedStmt *pstmt, const char *query_string, bool read_only_tree, ProcessUtilityContext context,
			ParamListInfo params, QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion)
{
	bool		asks = max_parallel_maintenance_workers == 0 && gpusort_enable_index_build && may_build_indexes(pstmt->utilityStmt);

	if (asks)
		max_parallel_maintenance_workers = ASKS_FOR_NO_WORKER;
	PG_TRY();
	{
		if (previous_utility_hook)
			previous_utility_hook(pstmt, query_string, read_only_tree, context, params, environment, dest, completion);
		else
			standard_ProcessUtility(pstmt, query_string, read_only_tree, context, params, environment, dest, completion);
	}
	PG_FINALLY();
	{
		if (asks)
			stop_asking();
	}
	PG_END_TRY();
}

void
gpusort_index_init(void)
{
	previous_utility_hook = ProcessUtility_hook;
	ProcessUtility_hook = run_utility;
	previous_hook = GPUSORT_TABLE_HOOK;
	GPUSORT_TABLE_HOOK = take_builds;
	workers_setting = GPUSORT_SETTING("max_parallel_maintenance_workers");
	GPUSORT_INT_SETTING(workers_setting)->show_hook = show_workers;
}
