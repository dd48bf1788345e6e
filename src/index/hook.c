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
 * With max_parallel_maintenance_workers = 0 nothing is planned, and PostgreSQL builds.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "nodes/pathnodes.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "compat.h"
#include "guc.h"
#include "index/index_build.h"

static GPUSORT_TABLE_HOOK_TYPE previous_hook;

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
	if (!gpusort_enable_index_build || !plans_index_build(root))
		return;
	table = RelationIdGetRelation(GPUSORT_TABLE_HOOK_TABLE);
	if (!RelationIsValid(table))
		return;
	foreach(cell, RelationGetIndexList(table))
		take_build(lfirst_oid(cell));
	RelationClose(table);
}

void
gpusort_index_init(void)
{
	previous_hook = GPUSORT_TABLE_HOOK;
	GPUSORT_TABLE_HOOK = take_builds;
}
