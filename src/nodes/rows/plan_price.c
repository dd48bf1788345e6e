/*
 * plan_price.c
 *	  Has the planner compare the final ORDER BY at the rows node's cost.
 *
 * The node takes a Sort's place when the plan is finished.  Until then the planner knows only
 * what its own Sort costs, and may choose an index scan, or parallel workers below a Gather
 * Merge, that take longer than the node.  So where the node will win, the planner is given
 * Sorts at its cost as well, one of all rows and one for each parallel worker.
 *
 * An index whose order the table does not have leads to another page with each row.  The
 * planner charges for reading that page, once if it expects the cache to hold all of them, but
 * not for finding it in memory each time, which takes ten times as long as reading a row in
 * sequence.  A Sort that is cheaper once that is added gets the better price.
 *
 * A Merge Append of several foreign servers waits for the sort of one after the other.  The
 * planner charges each as if they were at the same server.  Below the node's Sort an Append asks
 * all servers at the same time (enable_async_append), and none has to sort.
 *
 * Window functions read a Sort of all rows, or one of parallel workers.  Where the latter costs less with the node, it takes
 * the place of the former in the planner's path.
 *
 * The planner has only the leader compute window functions: where the order of equal rows is open, another process may
 * find other results.  But of a whole partition only one process computes them.  So where all windows have PARTITION BY, and
 * partitions are many, there is a partial path, a WindowAgg above a rows node that divides rows among processes
 * (ROWS_FOR_GROUPS, see parallel.h).  The planner puts filters, joins and partial aggregates above it, and compares them with
 * those above one process.  So that has the node's cost, then.
 *
 *	  Gather
 *	    ->  WindowAgg, GroupAggregate or Unique
 *	          ->  Parallel Custom Scan (GpusortRows)
 *	                ->  partial plan
 *
 * For DISTINCT and GROUP BY the server has each parallel worker make groups by hashing, and the leader those of all.  Where
 * few rows are equal that takes longer than one sort of all, so that has paths, too, and so do groups that processes divide
 * among them.  No aggregate needs to combine states then.  Hashing in one process costs what sorting does where that takes
 * its place in the finished plan (plan_groups.h).
 *
 * Only these, and the final ORDER BY all of whose rows are wanted, have such paths.  The server offers no hook where it
 * makes the Sorts below merge joins and Appends.  With a LIMIT its
 * Sort keeps few rows, and a cursor may want the first ones soon, which the paths do not say.
 * Of set operations the planner does not note what the ORDER BY's target is, and few of them
 * have other paths.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "executor/nodeAgg.h"
#include "foreign/fdwapi.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "guc.h"
#include "keys/sort_keys.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/rows_node.h"

#define ROWS_COST_FAR 100.0		/* operators to find a row's page in memory, where it is not that of the row before */
#define ROWS_GATHER_SHARE 0.5	/* what a row costs that a Gather takes of any worker that has some, to what the planner says */
#define ROWS_COST_OF_VALUE 10.0	/* operators for a value that aggregates take, beyond what the planner says of it */
#define ROWS_PRICE_BELOW 0.98	/* a path must be cheaper by more than 1 % not to be dropped */

static create_upper_paths_hook_type previous_upper_paths;

/* Adds the key of a Sort plan that a pathkey stands for.  Returns false if the target does not have it. */
static bool
add_key(Sort *sort, const PathKey *key, const PathTarget *target, Relids relids)
{
	for (int i = 0; i < list_length(target->exprs); i++)
	{
		const EquivalenceMember *member = find_ec_member_matching_expr(key->pk_eclass, list_nth(target->exprs, i), relids);

		if (member == NULL)
			continue;
		gpusort_add_sort_key(sort, i + 1, GPUSORT_PATHKEY_OPERATOR(key, member->em_datatype),
								  key->pk_eclass->ec_collation, key->pk_nulls_first);
		return true;
	}
	return false;
}

/* The Sort plan that would be made of a path, as far as cost.c looks at it; NULL if it cannot be foreseen. */
static Sort *
foresee_sort(const SortPath *path)
{
	const PathTarget *target = path->path.pathtarget;
	Sort	   *sort = makeNode(Sort);
	ListCell   *cell;

	foreach(cell, path->path.pathkeys)
	{
		if (!add_key(sort, lfirst(cell), target, IS_OTHER_REL(path->subpath->parent) ? path->path.parent->relids : NULL))
			return NULL;
	}
	foreach(cell, target->exprs)
		sort->plan.targetlist = lappend(sort->plan.targetlist,
										makeTargetEntry(lfirst(cell), foreach_current_index(cell) + 1, NULL, false));
	sort->plan.plan_rows = path->path.rows;
	sort->plan.plan_width = target->width;
	sort->plan.startup_cost = path->path.startup_cost;
	sort->plan.total_cost = path->path.total_cost;
	sort->plan.lefttree = (Plan *) makeNode(Result);
	sort->plan.lefttree->targetlist = sort->plan.targetlist;
	sort->plan.lefttree->total_cost = path->subpath->total_cost;
	return sort;
}

/* What an index scan costs beyond the planner's estimate. */
static Cost
index_surcharge(PlannerInfo *root, IndexPath *path)
{
	const IndexOptInfo *index = path->indexinfo;
	amcostestimate_function estimate = (amcostestimate_function) index->amcostestimate;
	Selectivity selectivity;
	double		correlation;

	if (path->path.pathtype != T_IndexScan)
		return 0;
	estimate(root, path, 1.0, &(Cost) {0}, &(Cost) {0}, &selectivity, &correlation, &(double) {0});
	return selectivity * index->rel->tuples * (1 - correlation * correlation) * ROWS_COST_FAR * cpu_operator_cost;
}

/* True for a scan of a server that an Append asks while others work. */
static bool
is_asynchronous(ForeignPath *path)
{
	const FdwRoutine *fdw = path->path.parent->fdwroutine;

	return fdw->IsForeignPathAsyncCapable != NULL && fdw->IsForeignPathAsyncCapable(path);
}

/* What the sorts of several servers cost, which a Merge Append waits for in turn. */
static Cost
merge_surcharge(const MergeAppendPath *merge)
{
	List	   *servers = NIL;
	Cost		sum = 0;
	ListCell   *cell;

	foreach(cell, merge->subpaths)
	{
		Path	   *path = lfirst(cell);
		Path		sorted;

		if (IsA(path, ProjectionPath))
			path = ((ProjectionPath *) path)->subpath;
		if (!IsA(path, ForeignPath) || !is_asynchronous((ForeignPath *) path))
			continue;
		servers = list_append_unique_oid(servers, path->parent->serverid);
		GPUSORT_COST_SORT(&sorted, 0, path->rows, path->pathtarget->width, -1.0);
		sum += sorted.total_cost;
	}
	return enable_async_append && list_length(servers) > 1 ? sum : 0;
}

/* The same of all index scans and servers of a path that need no Sort or join. */
static Cost
surcharge(PlannerInfo *root, Path *path)
{
	const List *subpaths = NIL;
	Cost		sum = 0;
	ListCell   *cell;

	if (IsA(path, IndexPath))
		return index_surcharge(root, (IndexPath *) path);
	if (IsA(path, ProjectionPath))
		return surcharge(root, ((ProjectionPath *) path)->subpath);
	if (IsA(path, GatherMergePath))
		return surcharge(root, ((GatherMergePath *) path)->subpath);
	if (IsA(path, AppendPath))
		subpaths = ((AppendPath *) path)->subpaths;
	else if (IsA(path, MergeAppendPath))
	{
		subpaths = ((MergeAppendPath *) path)->subpaths;
		sum = merge_surcharge((MergeAppendPath *) path);
	}
	foreach(cell, subpaths)
		sum += surcharge(root, lfirst(cell));
	return sum;
}

/* True if a path is the server's Sort of an input's rows, of which the node takes the place as well. */
static bool
sorts_input(const Path *path, const Path *input)
{
	if (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	return IsA(path, SortPath) && ((const SortPath *) path)->subpath == input;
}

/* What a Sort of an input must cost to be chosen for all rows, if that is right although it really costs `cost`. */
static Cost
price_to_win(PlannerInfo *root, const RelOptInfo *ordered, const Path *input, Cost cost)
{
	Cost		price = cost;
	ListCell   *cell;

	foreach(cell, ordered->pathlist)
	{
		Path	   *other = lfirst(cell);

		if (sorts_input(other, input))
			continue;
		if (other->total_cost + surcharge(root, other) <= cost)
			return cost;
		price = Min(price, other->total_cost * ROWS_PRICE_BELOW);
	}
	return price;
}

/* What the server adds to a Sort's cost where it computes columns of the target after sorting. */
static Cost
cost_after_sort(PlannerInfo *root, RelOptInfo *ordered, Path *sort)
{
	PathTarget *target = root->upper_targets[UPPERREL_ORDERED];

	if (sort->pathtarget == target)
		return 0;
	return apply_projection_to_path(root, ordered, sort, target)->total_cost - sort->total_cost;
}

/* True if the rows of a Sort seem to need more temporary files than a session may write.  An index scan needs none. */
static bool
exceeds_temp_files(const Sort *sort)
{
	double		bytes = sort->plan.plan_rows * sort->plan.plan_width;

	return temp_file_limit >= 0 && bytes > work_mem * 1024.0 && bytes > temp_file_limit * 1024.0;
}

/* The Sort of a path's rows that the planner would make, if the rows node would take its place, else NULL. */
static Sort *
foresee_taken(PlannerInfo *root, RelOptInfo *rel, Path *input, List *pathkeys, SortPath **path)
{
	Sort	   *sort;

	if (pathkeys_contained_in(pathkeys, input->pathkeys))
		return NULL;
	*path = create_sort_path(root, rel, input, pathkeys, -1.0);
	sort = foresee_sort(*path);
	return sort != NULL && gpusort_rows_take(sort, 0) && !exceeds_temp_files(sort) ? sort : NULL;
}

/* A Sort of a path's rows at the cost of the rows node, or NULL if that would not take its place. */
static Path *
price(PlannerInfo *root, RelOptInfo *ordered, Path *input)
{
	SortPath   *path;
	Sort	   *sort = foresee_taken(root, ordered, input, root->sort_pathkeys, &path);
	RowsCost	cost;
	Cost		after;

	if (sort == NULL)
		return NULL;
	cost = gpusort_rows_cost(sort, 0, false);
	after = cost_after_sort(root, ordered, &path->path);
	path->path.total_cost = Max(price_to_win(root, ordered, input, cost.total + after) - after, 0);
	path->path.startup_cost = Min(cost.startup, path->path.total_cost);
	return &path->path;
}

/*
 * A Sort of the rows of parallel workers below a Gather Merge, at the cost of what takes their place (parallel.h), or
 * NULL if the rows node would not take the Sort's place.
 */
static GatherMergePath *
cost_parallel(PlannerInfo *root, RelOptInfo *rel, const RelOptInfo *input, List *pathkeys)
{
	double		rows = input->cheapest_total_path->rows;
	SortPath   *path;
	Sort	   *sort;
	RowsCost	cost;
	GatherMergePath *merge;

	if (!rel->consider_parallel || input->partial_pathlist == NIL)
		return NULL;
	sort = foresee_taken(root, rel, linitial(input->partial_pathlist), pathkeys, &path);
	if (sort == NULL)
		return NULL;
	cost = gpusort_rows_cost_parallel(sort, rows);
	merge = create_gather_merge_path(root, rel, &path->path, path->path.pathtarget, pathkeys, NULL, &rows);
	merge->path.startup_cost = cost.startup;
	merge->path.total_cost = cost.total;
	return merge;
}

/* The same for the final ORDER BY, at the price with which it is chosen if that is right. */
static Path *
price_parallel(PlannerInfo *root, RelOptInfo *ordered, const RelOptInfo *input)
{
	GatherMergePath *merge = cost_parallel(root, ordered, input, root->sort_pathkeys);

	/* Columns that are computed after sorting would stand between the two. */
	if (merge == NULL || !equal(merge->path.pathtarget->exprs, root->upper_targets[UPPERREL_ORDERED]->exprs))
		return NULL;
	merge->path.total_cost = price_to_win(root, ordered, linitial(input->partial_pathlist), merge->path.total_cost);
	merge->path.startup_cost = Min(merge->path.startup_cost, merge->path.total_cost);
	return &merge->path;
}

/* Adds a path that returns the rows of another one as the ORDER BY's relation has them. */
static void
add_ordered(PlannerInfo *root, RelOptInfo *ordered, Path *path)
{
	PathTarget *target = root->upper_targets[UPPERREL_ORDERED];

	if (path->pathtarget != target)
		path = apply_projection_to_path(root, ordered, path, target);
	add_path(ordered, path);
}

/* True if the server's own Sort is all that there is to choose from, and so cheap that no one compiles for it. */
static bool
has_no_rival(const RelOptInfo *input, const RelOptInfo *ordered)
{
	const Path *path = linitial(ordered->pathlist);

	return list_length(ordered->pathlist) == 1 && input->partial_pathlist == NIL &&
		path->total_cost < jit_above_cost && sorts_input(path, input->cheapest_total_path);
}

static void
add_priced_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *ordered)
{
	Path	   *path;

	if (has_no_rival(input, ordered))
		return;
	path = price(root, ordered, input->cheapest_total_path);
	if (path != NULL)
		add_ordered(root, ordered, path);
	path = price_parallel(root, ordered, input);
	if (path != NULL)
		add_ordered(root, ordered, path);
}

/* How many groups the keys of a Sort make at least.  Of expressions the planner may expect far too many values. */
static double
least_groups(PlannerInfo *root, const Sort *sort)
{
	double		least = 1;

	for (int i = 0; i < sort->numCols; i++)
	{
		Node	   *key = (Node *) list_nth_node(TargetEntry, sort->plan.targetlist, sort->sortColIdx[i] - 1)->expr;

		if (IsA(key, Var))
			least = Max(least, estimate_num_groups(root, list_make1(key), sort->plan.plan_rows, NULL, NULL));
	}
	return least;
}

/*
 * Sorts of all rows of an input, by parallel workers if there may be some, and in one process, as paths at what these cost;
 * none where a hash table of so few groups as there may be, which the server makes otherwise, would be faster.
 */
static List *
cost_sorts(PlannerInfo *root, RelOptInfo *input, List *pathkeys, bool hashes)
{
	SortPath   *path;
	Sort	   *sort = foresee_taken(root, input, input->cheapest_total_path, pathkeys, &path);
	GatherMergePath *merge;
	RowsCost	cost;

	if (sort == NULL)
		return NIL;
	cost = hashes ? gpusort_rows_cost_groups(sort, least_groups(root, sort), false) : gpusort_rows_cost(sort, 0, false);
	if (cost.why_not != NULL && !gpusort_force_nodes)
		return NIL;
	merge = cost_parallel(root, input, input, pathkeys);
	path->path.startup_cost = cost.startup;
	path->path.total_cost = cost.total;
	return merge ? list_make2(merge, path) : list_make1(path);
}

/* Window functions over one Sort of all rows of an input, or over Sorts of those of workers. */
typedef struct Windows
{
	WindowAggPath top;			/* a copy: adding another path may free it */
	const Path *sort;			/* or a Gather Merge */
	List	   *partitions;		/* leading keys of it by which all windows have partitions */
} Windows;

/* Finds window functions over a Sort of an input.  Returns false if a path is another one. */
static bool
find_windows(const Path *path, const Path *input, Windows *windows)
{
	List	   *common;
	List	   *clauses = NIL;

	if (!IsA(path, WindowAggPath))
		return false;
	*windows = (Windows) {.top = *(const WindowAggPath *) path};
	common = windows->top.winclause->partitionClause;
	for (; IsA(path, WindowAggPath); path = ((const WindowAggPath *) path)->subpath)
	{
		const WindowClause *window = ((const WindowAggPath *) path)->winclause;

		common = list_intersection(common, window->partitionClause);
		clauses = list_concat_copy(window->partitionClause, window->orderClause);
	}
	for (int i = 0; i < list_length(clauses) && list_member(common, list_nth(clauses, i)); i++)
		windows->partitions = lappend(windows->partitions, list_nth(clauses, i));
	windows->sort = path;
	return IsA(path, GatherMergePath) || (IsA(path, SortPath) && ((const SortPath *) path)->subpath == input);
}

/*
 * Estimates how many rows the run condition leaves.  Ranks may tie.  Only what a Gather costs depends on it: of `= 1` the
 * server keeps the condition above, too, and would count it twice.
 */
static double
estimate_rows(PlannerInfo *root, const Windows *windows)
{
	const WindowClause *window = windows->top.winclause;
	List	   *keys = get_sortgrouplist_exprs(window->partitionClause, root->processed_tlist);
	List	   *order = get_sortgrouplist_exprs(window->orderClause, root->processed_tlist);
	double		all = windows->top.path.rows;
	double		partitions = estimate_num_groups(root, keys, all, NULL, NULL);
	double		peers = all / estimate_num_groups(root, list_concat(order, keys), all, NULL, NULL);
	double		rows = all;
	RowsBound	bound = {0};
	ListCell   *cell;

	foreach(cell, GPUSORT_RUN_CONDITION(&windows->top))
	{
		const Const *most;

		if (!gpusort_rows_read_condition(NULL, lfirst(cell), &bound))
			continue;
		most = (const Const *) estimate_expression_value(root, linitial(bound.expressions));
		if (!IsA(most, Const) || most->constisnull)
			continue;
		rows = Min(rows, Max(DatumGetInt64(most->constvalue), 1) * partitions * (bound.kind == BOUND_ROWS ? 1 : peers));
	}
	return rows;
}

/* A path of window functions with another one in the place of the Sort below them all, where they cost this share. */
static Path *
replace_sort(const WindowAggPath *window, const Path *sort, Path *path, double share)
{
	WindowAggPath *copy = makeNode(WindowAggPath);
	Cost		own = window->path.total_cost - window->subpath->total_cost;

	*copy = *window;
	copy->path.rows = clamp_row_est(window->path.rows * path->rows / sort->rows);
	copy->path.startup_cost = Max(window->path.startup_cost - sort->startup_cost + path->startup_cost, 0);
	if (IsA(window->subpath, WindowAggPath))
		path = replace_sort((WindowAggPath *) window->subpath, sort, path, share);
	copy->subpath = path;
	copy->path.total_cost = Max(path->total_cost + own * share, 0);
	copy->path.parallel_workers = path->parallel_workers;
	copy->path.parallel_safe = path->parallel_workers > 0;
	return &copy->path;
}

/* Replaces window functions by calls, of which the server tells whether workers may run them. */
static Node *
as_calls(Node *node, void *context)
{
	if (node != NULL && IsA(node, WindowFunc))
	{
		const WindowFunc *call = (const WindowFunc *) node;
		List	   *arguments = (List *) as_calls((Node *) list_make2(call->args, call->aggfilter), context);

		return (Node *) makeFuncExpr(call->winfnoid, call->wintype, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	}
	return node == NULL ? NULL : expression_tree_mutator(node, as_calls, context);
}

/* True if workers may compute windows. */
static bool
are_safe(PlannerInfo *root, const Windows *windows)
{
	const WindowAggPath *window = &windows->top;

	for (; IsA(window, WindowAggPath); window = (const WindowAggPath *) window->subpath)
	{
		const WindowClause *clause = window->winclause;
		List	   *expressions = list_make5(window->path.pathtarget->exprs, window->qual, GPUSORT_RUN_CONDITION(window),
											 clause->startOffset, clause->endOffset);
		Node	   *calls = as_calls((Node *) expressions, NULL);

		/* The server does not have workers know the parameters of a run condition. */
		if (!is_parallel_safe(root, calls) || contain_volatile_functions(calls) ||
			gpusort_rows_depend_on_executor((Node *) GPUSORT_RUN_CONDITION(window), NULL))
			return false;
	}
	return true;
}

/* How many of so many processes rows can be divided among by their groups.  One of them has the largest group. */
static double
groups_divisor(PlannerInfo *root, const List *clauses, double rows, double processes)
{
	List	   *keys = get_sortgrouplist_exprs(unconstify(List *, clauses), root->processed_tlist);
	double		largest = 1;
	ListCell   *cell;

	foreach(cell, keys)
	{
		VariableStatData data;
		bool		is_default;

		examine_variable(root, lfirst(cell), 0, &data);
		if (HeapTupleIsValid(data.statsTuple))
			largest = Min(largest, gpusort_rows_most_frequent(data.statsTuple, get_variable_numdistinct(&data, &is_default)));
		ReleaseVariableStats(data);
	}
	return Min(Min(processes, estimate_num_groups(root, keys, rows, NULL, NULL)), 1 / largest);
}

/* How many groups there may be.  The planner expects few groups by several columns. */
static double
most_groups(PlannerInfo *root, const List *clauses, double rows)
{
	double		most = 1;
	ListCell   *cell;

	foreach(cell, get_sortgrouplist_exprs(unconstify(List *, clauses), root->processed_tlist))
		most *= estimate_num_groups(root, list_make1(lfirst(cell)), rows, NULL, NULL);
	return Min(most, rows);
}

/* Rows that processes divide among them. */
typedef struct DividedRows
{
	Path	   *path;			/* of what each of them gets, in order */
	double		processes;
	double		divisor;		/* how many of them have as much to do as the one with the largest group */
} DividedRows;

/*
 * Has processes sort rows together, and divide them by groups, which so many leading keys tell apart.  Returns false where
 * that cannot be, or one group has most rows.
 */
static bool
divide_rows(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, List *pathkeys, int keys, const List *groups,
			DividedRows *rows)
{
	Path	   *partial = linitial(input->partial_pathlist);
	CustomPath *divided = makeNode(CustomPath);
	SortPath   *path;
	Sort	   *sort;
	RowsCost	cost;

	/* For functions that return sets the server puts nodes above that it does not take for safe. */
	if (keys == 0 || output->partial_pathlist != NIL || gpusort_engine == GPUSORT_ENGINE_GPU || root->parse->hasTargetSRFs)
		return false;
	rows->processes = gpusort_rows_divisor(partial->parallel_workers);
	rows->divisor = groups_divisor(root, groups, input->cheapest_total_path->rows, rows->processes);
	if (gpusort_force_nodes)
		rows->divisor = rows->processes;
	if (rows->divisor < Min(rows->processes, 2))
		return false;
	sort = foresee_taken(root, output, partial, pathkeys, &path);
	if (sort == NULL)
		return false;
	cost = gpusort_rows_cost(sort, 0, false);
	divided->path = path->path;
	NodeSetTag(divided, T_CustomPath);
	divided->path.pathtype = T_CustomScan;
	divided->path.parallel_aware = divided->path.parallel_safe = true;
	divided->path.startup_cost = cost.input + (cost.startup - cost.input) * ROWS_SHARED_PASSES * rows->processes / rows->divisor;
	divided->path.total_cost = divided->path.startup_cost + gpusort_rows_return_cost(path->path.rows);
	divided->custom_paths = list_make1(path);
	divided->custom_private = list_make1_int(keys);
	divided->methods = &gpusort_rows_divided_methods;
	rows->path = &divided->path;
	return true;
}

/* Adds a path of what each process makes of its rows, so many in all, and those that gather it. */
static void
add_divided(PlannerInfo *root, RelOptInfo *output, Path *path, double rows)
{
	double		all = path->rows * gpusort_rows_divisor(path->parallel_workers);
	GatherPath *gather = create_gather_path(root, output, path, path->pathtarget, NULL, &rows);
	GatherMergePath *merge = create_gather_merge_path(root, output, path, path->pathtarget, path->pathkeys, NULL, &rows);

	add_partial_path(output, path);
	gather->path.total_cost -= (1 - ROWS_GATHER_SHARE) * parallel_tuple_cost * rows;
	gather->path.rows = merge->path.rows = all;
	add_path(output, &gather->path);
	/* A Gather takes rows of any process that has some. */
	if (root->window_pathkeys != NIL || root->distinct_pathkeys != NIL || root->sort_pathkeys != NIL || root->parent_root != NULL)
		add_path(output, &merge->path);
}

/*
 * Has hashing in one process cost what sorting there does, and a little less: what takes its place may sort in any order.
 * It stays cheaper than the server's other paths, which would be chosen instead.
 */
static void
raise_hashed(RelOptInfo *output, const Path *input, const Path *sorted)
{
	Path	   *hashed = NULL;
	double		least = sorted->total_cost;
	ListCell   *cell;

	foreach(cell, output->pathlist)
	{
		AggPath    *path = lfirst(cell);

		if (IsA(path, AggPath) && path->aggstrategy == AGG_HASHED && path->aggsplit == AGGSPLIT_SIMPLE && path->subpath == input)
			hashed = &path->path;
		else
			least = Min(least, path->path.total_cost);
	}
	if (hashed != NULL)
		hashed->total_cost = Max(hashed->total_cost, least * ROWS_PRICE_BELOW);
}

/* Adds paths of window functions whose rows parallel workers sort, where they cost less than a Sort of all rows. */
static void
add_window_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output)
{
	Windows		windows;
	List	   *sorts;
	Path	   *merge;
	Path	   *alone;
	int			keys;
	DividedRows rows;
	ListCell   *cell;

	foreach(cell, output->pathlist)
	{
		if (find_windows(lfirst(cell), input->cheapest_total_path, &windows))
			break;
	}
	sorts = cell ? cost_sorts(root, input, windows.sort->pathkeys, false) : NIL;
	if (list_length(sorts) < 2)
		return;
	merge = linitial(sorts);
	alone = lsecond(sorts);
	if (merge->total_cost < alone->total_cost)
		add_path(output, replace_sort(&windows.top, windows.sort, merge, 1));
	keys = list_length(make_pathkeys_for_sortclauses(root, windows.partitions, root->processed_tlist));
	if (!are_safe(root, &windows) || !divide_rows(root, input, output, windows.sort->pathkeys, keys, windows.partitions, &rows))
		return;
	output->consider_parallel = true;
	add_divided(root, output, replace_sort(&windows.top, windows.sort, rows.path, 1 / rows.divisor), estimate_rows(root, &windows));
	add_path(output, replace_sort(&windows.top, windows.sort, alone, 1));
}

/* Adds paths of DISTINCT that sort all rows. */
static void
add_distinct_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output)
{
	int			keys = list_length(root->distinct_pathkeys);
	List	   *pathkeys = list_length(root->sort_pathkeys) > keys ? root->sort_pathkeys : root->distinct_pathkeys;
	const List *clauses = root->parse->distinctClause;
	double		groups = ((Path *) linitial(output->pathlist))->rows;
	const Path *all = input->cheapest_total_path;
	bool		by_hash = gpusort_rows_distinct_by_hash(root->processed_tlist, all->rows, all->pathtarget->width, groups);
	List	   *sorts = cost_sorts(root, input, pathkeys, !root->parse->hasDistinctOn);
	DividedRows rows;
	Path	   *path;

	for (int i = list_length(sorts) - 1; i >= 0; i--)
	{
		path = (Path *) create_upper_unique_path(root, output, list_nth(sorts, i), keys, groups);
		if (i == list_length(sorts) - 1 && !by_hash)
			raise_hashed(output, all, path);
		add_path(output, path);
	}
	if (list_length(sorts) == 2 && divide_rows(root, input, output, pathkeys, keys, clauses, &rows))
		add_divided(root, output, (Path *) create_upper_unique_path(root, output, rows.path, keys, groups / rows.processes),
					most_groups(root, clauses, all->rows));
}

/* Adds paths of GROUP BY that sort all rows. */
static void
add_group_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, const GroupPathExtraData *extra)
{
	List	   *clauses = GPUSORT_GROUP_CLAUSE(root);
	List	   *having = (List *) extra->havingQual;
	List	   *expressions = list_make2(output->reltarget->exprs, having);
	double		all = input->cheapest_total_path->rows;
	bool		hashes = (extra->flags & GROUPING_CAN_USE_HASH) != 0;
	bool		wants_few;
	AggClauseCosts costs = {0};
	int			width;
	double		hashed;
	List	   *sorts;
	double		groups;
	DividedRows rows;
	Path	   *path;

	/* From version 16 on there are keys without groups: the order of aggregates. */
	if (clauses == NIL || root->parse->groupingSets != NIL || (extra->flags & GROUPING_CAN_USE_SORT) == 0)
		return;
	groups = estimate_num_groups(root, get_sortgrouplist_exprs(clauses, extra->targetList), all, NULL, NULL);
	wants_few = root->tuple_fraction >= 1 && root->tuple_fraction < groups &&
		pathkeys_contained_in(root->sort_pathkeys, root->group_pathkeys);
	sorts = cost_sorts(root, input, root->group_pathkeys, hashes);
	if (sorts == NIL)
		return;
	/* Aggregates with an order of their own may get it from a Sort below them, but not from a Gather Merge. */
	if (!hashes)
		sorts = list_make1(llast(sorts));
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	width = input->cheapest_total_path->pathtarget->width;
	hashed = groups * hash_agg_entry_size(list_length(root->aggtransinfos), width, costs.transitionSpace);
	for (int i = list_length(sorts) - 1; i >= 0; i--)
	{
		path = (Path *) create_agg_path(root, output, list_nth(sorts, i), output->reltarget, AGG_SORTED, AGGSPLIT_SIMPLE, clauses,
										having, &costs, groups);
		if (i == list_length(sorts) - 1 && !wants_few && !gpusort_rows_only_sort_needs_files(all, width, hashed))
			raise_hashed(output, input->cheapest_total_path, path);
		add_path(output, path);
	}
	/* Before the first group is returned, each process would compute one. */
	if (wants_few || !output->consider_parallel || gpusort_plan_keeps_evaluation((Node *) expressions) ||
		gpusort_aggregates_depend_on_order((Node *) expressions, NULL) ||
		!divide_rows(root, input, output, root->group_pathkeys, GPUSORT_GROUP_KEYS(root), clauses, &rows))
		return;
	path = (Path *) create_agg_path(root, output, rows.path, output->reltarget, AGG_SORTED, AGGSPLIT_SIMPLE, clauses, having,
									&costs, groups / rows.processes);
	path->total_cost = Max(path->total_cost - cpu_operator_cost * ROWS_COST_OF_VALUE * rows.path->rows * (rows.divisor - 1),
						   path->startup_cost);
	add_divided(root, output, path, path->rows * rows.processes * most_groups(root, clauses, all) / groups);
}

static void
offer_priced_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	bool		wants_few = root->tuple_fraction >= 1 || limit_needed(root->parse);	/* below 1: a cursor, ANY or ALL */

	if (previous_upper_paths)
		previous_upper_paths(root, stage, input, output, extra);
	if (!gpusort_enable_sort || !enable_sort)
		return;
	if (stage == UPPERREL_ORDERED && root->sort_pathkeys != NIL && !wants_few && root->tuple_fraction <= 0 &&
		!gpusort_force_nodes && root->parse->setOperations == NULL)
		add_priced_paths(root, input, output);
	if (input == NULL || input->partial_pathlist == NIL)
		return;
	if (stage == UPPERREL_WINDOW && !wants_few && !gpusort_force_nodes)
		add_window_paths(root, input, output);
	if (stage == UPPERREL_DISTINCT && root->distinct_pathkeys != NIL && !wants_few)
		add_distinct_paths(root, input, output);
	if (stage == UPPERREL_GROUP_AGG && root->group_pathkeys != NIL)
		add_group_paths(root, input, output, extra);
}

void
gpusort_rows_price_init(void)
{
	previous_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = offer_priced_paths;
}
