/*
 * parallel.c
 *	  Has the replaced aggregates of an Agg without groups computed by parallel workers, or of sorted values.
 *
 * PostgreSQL has no partial form of count(DISTINCT), percentiles and mode, so one process reads and
 * computes whatever the size of the table.  The extension's aggregates have one: each worker sends its
 * state, and the leader combines them.
 *
 *		Aggregate				Finalize Aggregate			Aggregate
 *		  Seq Scan		->		  Gather			<-		  Gather
 *									Partial Aggregate		    Parallel Seq Scan
 *									  Parallel Seq Scan
 *
 * Where all are computed by the order of the same values, of one column or expression, workers sort these together
 * instead, in memory or in files: nodes/rows/parallel.h.  A FILTER that all have becomes one of the scan.
 *
 *		Aggregate				Aggregate					Aggregate
 *		  Seq Scan		->		  Custom Scan		<-		  Gather
 *									Gather					    Parallel Seq Scan
 *									  Parallel Custom Scan
 *									    Parallel Seq Scan
 *
 * States that are sent stay in memory.  So that is done only where the values kept are expected to fit the
 * memory of a hash table, and come from tables alone, whose sizes bound what they can take.  Groups gain less:
 * all their states stay in memory at the same time.
 *
 * In one process, too, the rows node sorts the values of a column for all aggregates, those that a query names itself
 * among them, where it reads a table's rows straight into columns.  To pass each row to the aggregates takes longer than to sort.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"
#include "guc.h"
#include "keys/key_types.h"
#include "keys/sort_keys.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/rows_node.h"

/* Values of no fixed length are only counted, and only if each is expected to be there so many times. */
#define LEAST_TIMES 8.0

/* A state of distinct values may hold each of them so many times. */
#define TIMES_KEPT 4.0

/* Bytes of a value in memory beside it, where its length is not fixed. */
#define VALUE_OVERHEAD 16.0

/* Where estimates of distinct values or of rows are wrong, states may take so many times the memory. */
#define TIMES_EXCEEDED 16.0

/* The tables that a plan reads. */
typedef struct ScannedTables
{
	List	   *scans;			/* SeqScans */
	double		pages;
	double		rows;
	int			workers;		/* their parameter parallel_workers; -1: not set */
} ScannedTables;

/* What the states of an Agg hold. */
typedef struct PartialStates
{
	double		sent;			/* values that workers send to the leader */
	double		bytes;			/* that all states take in the leader */
	double		most;			/* the same if no row is left out, and no value stands twice */
} PartialStates;

/* The aggregates of a partial Agg. */
typedef struct PartialCalls
{
	List	   *targets;		/* its target list */
	List	   *transitions;	/* aggtransno of each in the Agg that it is made of */
} PartialCalls;

/* Adds the tables that a plan scans in sequence.  Returns false if it does anything else, but append. */
static bool
find_tables(Plan *plan, const List *rtable, ScannedTables *tables)
{
	Relation	table;
	BlockNumber pages;
	double		rows;
	double		all_visible;
	ListCell   *cell;

	/* The planner finds no scan safe if the statement may not be parallel. */
	if (!plan->parallel_safe || plan->initPlan != NIL)
		return false;
	if (IsA(plan, Append))
	{
		foreach(cell, ((const Append *) plan)->appendplans)
		{
			if (!find_tables(lfirst(cell), rtable, tables))
				return false;
		}
		return true;
	}
	if (!IsA(plan, SeqScan))
		return false;
	/* The planner has locked it. */
	table = table_open(rt_fetch(((const SeqScan *) plan)->scan.scanrelid, rtable)->relid, NoLock);
	tables->scans = lappend(tables->scans, plan);
	estimate_rel_size(table, NULL, &pages, &rows, &all_visible);
	tables->pages += pages;
	tables->rows += rows;
	tables->workers = Max(tables->workers, RelationGetParallelWorkers(table, -1));
	table_close(table, NoLock);
	return true;
}

/* How many workers the planner would have scan tables; 0 if they are too small. */
static int
count_workers(const ScannedTables *tables)
{
	RelOptInfo *rel = makeNode(RelOptInfo);

	rel->reloptkind = RELOPT_BASEREL;
	rel->rel_parallel_workers = tables->workers;
	return compute_parallel_worker(rel, tables->pages, -1, max_parallel_workers_per_gather);
}

/* The cost of reading tables, which takes so much in one process, by each of several. */
static Cost
divided_cost(Cost cost, const ScannedTables *tables, int workers)
{
	Cost		pages = seq_page_cost * tables->pages;

	return pages + (cost - pages) / gpusort_rows_divisor(workers);
}

/* Adds the parameter of a Gather, which tells a plan below it that it is run again. */
static void
add_param(Plan *plan, int param)
{
	plan->extParam = bms_add_member(bms_copy(plan->extParam), param);
	plan->allParam = bms_add_member(bms_copy(plan->allParam), param);
}

/* Has each process run its part of a plan. */
static void
divide(Plan *plan, double divisor, int param)
{
	plan->plan_rows = clamp_row_est(plan->plan_rows / divisor);
	plan->total_cost = plan->startup_cost + (plan->total_cost - plan->startup_cost) / divisor;
	add_param(plan, param);
}

/* Has workers read their part of tables that a plan scans.  Returns the parameter that tells them that they are run again. */
static int
divide_tables(Plan *input, const ScannedTables *tables, int workers, PlanWalk *walk)
{
	PlannedStmt *statement = walk->statement;
	double		divisor = gpusort_rows_divisor(workers);
	int			param = list_length(statement->paramExecTypes);
	ListCell   *cell;

	statement->paramExecTypes = lappend_oid(statement->paramExecTypes, InvalidOid);
	statement->parallelModeNeeded = true;
	if (!IsA(input, SeqScan))
		divide(input, divisor, param);
	foreach(cell, tables->scans)
	{
		divide(lfirst(cell), divisor, param);
		((Plan *) lfirst(cell))->parallel_aware = true;
	}
	return param;
}

/* Adds what a replaced call keeps.  Returns false if parallel workers would not compute it faster. */
static bool
add_state(PartialStates *states, const Aggref *call, const AggregateCalls *calls, const ScannedTables *tables, int processes)
{
	const Plan *input = calls->agg->plan.lefttree;
	const Expr *value = linitial_node(TargetEntry, call->args)->expr;
	AttrNumber	column = gpusort_aggregate_input_column(value);
	int			length = get_typlen(exprType((const Node *) value));
	double		bytes = length > 0 ? length : input->plan_width + VALUE_OVERHEAD;
	double		rows = input->plan_rows;
	double		distinct = 0;

	if (AGGKIND_IS_ORDERED_SET(call->aggkind))
	{
		if (length < 0)
			return false;
	}
	else if (column > 0)
		distinct = gpusort_rows_distinct_values(input, column, calls->place->walk->statement->rtable);
	if (length < 0 && !gpusort_force_nodes && (distinct == 0 || distinct * LEAST_TIMES > rows))
		return false;
	if (distinct > 0)
		rows = Min(distinct * TIMES_KEPT, rows);
	states->sent += Min(rows * processes, input->plan_rows);
	states->bytes += rows * bytes;
	states->most += tables->rows * bytes;
	return true;
}

/*
 * True if workers may compute all calls, with the same results to the byte, and one is replaced.  Equal keys in
 * an array come in the order of the rows, so an array is not divided.
 */
static bool
are_divisible(const AggregateCalls *calls)
{
	Query	   *query = makeNode(Query);
	bool		any = false;
	ListCell   *cell;

	foreach(cell, calls->list)
	{
		const AggregateCall *call = lfirst(cell);
		Aggref	   *aggregate = call->call;
		bool		replaced = call->treatment == AGGREGATE_REPLACE;
		bool		counts = aggregate->aggtype == INT8OID;

		if (replaced ? !AGGKIND_IS_ORDERED_SET(aggregate->aggkind) && !counts :
			aggregate->aggorder != NIL || aggregate->aggdistinct != NIL || !gpusort_aggregate_ignores_order(aggregate))
			return false;
		if (!gpusort_aggregate_has_partial_form(aggregate->aggfnoid, true))
			return false;
		any |= replaced;
		query->targetList = lappend(query->targetList, makeTargetEntry((Expr *) aggregate, 1, NULL, false));
	}
	return any && max_parallel_hazard(query) == PROPARALLEL_SAFE;
}

/* The values by whose order replaced calls are computed. */
typedef struct SharedValues
{
	Expr	   *value;			/* over the Agg's input, */
	Expr	   *filter;			/* of rows for which this holds; NULL: of all */
	Oid			operator;
	Oid			collation;
	Sort	   *sort;			/* of all rows by them */
	RowsUse		use;
	bool		distinct;		/* only different values are counted */
} SharedValues;

/* What an aggregate of the extension asks for. */
typedef enum ValuesAsked
{
	ASKS_OTHERWISE,				/* or it is another one */
	ASKS_RANKS,
	ASKS_MODE,
	ASKS_COUNT
} ValuesAsked;

static ValuesAsked
what_is_asked(const Aggref *call)
{
	const char *name;

	if (!gpusort_is_own_function(call->aggfnoid))
		return ASKS_OTHERWISE;
	if (AGGKIND_IS_ORDERED_SET(call->aggkind))
		return call->aggdirectargs != NIL ? ASKS_RANKS : ASKS_MODE;
	if (call->aggdistinct != NIL || call->aggorder != NIL)
		return ASKS_OTHERWISE;
	name = get_func_name(call->aggfnoid);
	return strcmp(name, "median") == 0 ? ASKS_RANKS : strcmp(name, "mode_agg") == 0 ? ASKS_MODE
		: strcmp(name, "count_distinct") == 0 ? ASKS_COUNT : ASKS_OTHERWISE;
}

/* True for casts to float8 that keep the order, and so what is at a rank. */
static bool
is_cast_of_number(const Expr *value)
{
	const Oid	casts[] = {F_FLOAT8_INT2, F_FLOAT8_INT4, F_FLOAT8_INT8, F_FLOAT8_FLOAT4};

	for (int i = 0; i < lengthof(casts); i++)
		if (IsA(value, FuncExpr) && ((const FuncExpr *) value)->funcid == casts[i])
			return true;
	return false;
}

/* True if an aggregate wants the greatest values first. */
static bool
descends(const Aggref *call)
{
	Oid			type = exprType((const Node *) linitial_node(TargetEntry, call->args)->expr);

	return call->aggorder != NIL &&
		linitial_node(SortGroupClause, call->aggorder)->sortop == lookup_type_cache(type, TYPECACHE_GT_OPR)->gt_opr;
}

/* The value that a call aggregates, below a cast that keeps its order. */
static Expr **
value_of(const Aggref *call)
{
	Expr	  **value = &linitial_node(TargetEntry, call->args)->expr;

	if (what_is_asked(call) == ASKS_RANKS && is_cast_of_number(*value))
		value = (Expr **) &linitial(((FuncExpr *) *value)->args);
	return value;
}

/*
 * Notes that a call is computed by the order of its values.  Returns false if sorting does not pay, or those before
 * it need another order.  Workers keep no order of equal values, so these must be the same, as numerics of one scale are.
 * To count numerics by a hash table takes half of what sorting them does.  In one process only values passed by value are
 * counted faster by sorting.
 */
static bool
add_values(SharedValues *values, const Aggref *call, bool shares)
{
	ValuesAsked asked = what_is_asked(call);
	bool		counts = asked == ASKS_COUNT;
	Expr	   *value = *value_of(call);
	Oid			collation = call->inputcollid;
	const TypeCacheEntry *type = lookup_type_cache(exprType((Node *) value), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Oid			operator = descends(call) ? type->gt_opr : type->lt_opr;

	if (counts && !shares && !type->typbyval)
		return false;
	if (shares && type->type_id == NUMERICOID && (counts || exprTypmod((Node *) value) < 0))
		return false;
	if (counts && OidIsValid(collation) && gpusort_keys_can_hash(type->type_id, collation))
		collation = C_COLLATION_OID;
	if (values->value == NULL)
	{
		values->value = value;
		values->filter = call->aggfilter;
		values->operator = operator;
		values->collation = collation;
	}
	values->use = asked == ASKS_RANKS ? values->use : ROWS_FOR_RUNS;
	values->distinct &= counts;
	return equal(value, values->value) && equal(call->aggfilter, values->filter) && collation == values->collation &&
		operator == values->operator;
}

/* The first column of an input that computes an expression. */
static Var *
make_column(const Expr *value)
{
	const Node *node = (const Node *) value;

	return makeVar(OUTER_VAR, 1, exprType(node), exprTypmod(node), exprCollation(node), 0);
}

/* True if the values are a column of an Agg's input, of all rows. */
static bool
are_column(const SharedValues *values)
{
	return values->filter == NULL && gpusort_aggregate_input_column(values->value) > 0;
}

/*
 * True if volatile functions might be called another number of times for a row.  Scans compute a column as often as
 * the values and their FILTER name it, and what calls have in common once.  Nothing tells what subplans call.
 */
static bool
are_volatile(const SharedValues *values, const ScannedTables *tables)
{
	ListCell   *cell;

	foreach(cell, tables->scans)
	{
		if (gpusort_plan_keeps_evaluation((const Node *) ((const Plan *) lfirst(cell))->targetlist))
			return true;
	}
	return contain_volatile_functions((Node *) values->value) || contain_volatile_functions((Node *) values->filter);
}

/*
 * Finds the values by whose order all calls are computed.  Returns false if there are none, or without tables, if they are
 * not a column.
 */
static bool
find_values(const AggregateCalls *calls, const ScannedTables *tables, SharedValues *values)
{
	AttrNumber	column = 1;
	ListCell   *cell;

	if (gpusort_engine == GPUSORT_ENGINE_GPU)
		return false;
	*values = (SharedValues) {.sort = gpusort_rows_plan_input_sort(calls->agg),.use = ROWS_FOR_RANKS,.distinct = true};
	foreach(cell, calls->list)
	{
		const Aggref *call = ((const AggregateCall *) lfirst(cell))->call;

		if (what_is_asked(call) == ASKS_OTHERWISE || !add_values(values, call, tables != NULL))
			return false;
	}
	if (are_column(values))
		column = gpusort_aggregate_input_column(values->value);
	else if (tables == NULL || are_volatile(values, tables))
		return false;
	else
	{
		values->sort->plan.targetlist = list_make1(makeTargetEntry((Expr *) make_column(values->value), 1, NULL, false));
		values->sort->plan.plan_width = get_typavgwidth(exprType((Node *) values->value), -1);
	}
	gpusort_add_sort_key(values->sort, column, values->operator, values->collation, false);
	return gpusort_rows_take(values->sort, 0);
}

/*
 * True if workers are expected to compute the calls in less time, in the memory that there is.  Where they read
 * the rows already, handing over states costs less than that.
 */
static bool
pays(const AggregateCalls *calls, const ScannedTables *tables, int workers)
{
	const Plan *input = calls->agg->plan.lefttree;
	PartialStates states = {0};
	double		memory = Min(get_hash_memory_limit(), MaxAllocSize / 2);	/* no state holds more */
	Cost		shared = input->total_cost - seq_page_cost * tables->pages;
	ListCell   *cell;

	foreach(cell, calls->list)
	{
		const AggregateCall *call = lfirst(cell);

		if (call->treatment == AGGREGATE_REPLACE &&
			!add_state(&states, call->call, calls, tables, workers + 1))
			return false;
		shared += cpu_operator_cost * input->plan_rows;
	}
	return gpusort_force_nodes ||
		(states.bytes <= memory && states.most <= Min(memory * TIMES_EXCEEDED, MaxAllocSize / 2) &&
		 (IsA(input, Gather) ||
		  parallel_setup_cost + cpu_operator_cost * states.sent < shared * (1 - 1 / gpusort_rows_divisor(workers))));
}

/* True if workers are expected to sort values, where rows are read already or not, in less time than one process. */
static bool
sharing_pays(const Sort *sort, const ScannedTables *tables, int workers)
{
	const Plan *input = sort->plan.lefttree;
	Sort		of_worker = *sort;
	Plan		read = *(IsA(input, Gather) ? input->lefttree : input);

	if (!IsA(input, Gather))
		read.total_cost = divided_cost(read.total_cost, tables, workers);
	of_worker.plan.lefttree = &read;
	of_worker.plan.plan_rows /= gpusort_rows_divisor(workers);
	return gpusort_force_nodes ||
		gpusort_rows_cost_parallel(&of_worker, 0).total < gpusort_rows_cost(sort, 0, false).startup;
}

/* The call of a partial Agg's result: it combines the states in a column of its input. */
static Node *
finish_calls(Node *node, void *context)
{
	PartialCalls *partial = context;
	const Aggref *call = (const Aggref *) node;
	Aggref	   *begin;
	Aggref	   *finish;
	int			column = 0;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Aggref))
		return expression_tree_mutator(node, finish_calls, context);
	while (column < list_length(partial->transitions) && list_nth_int(partial->transitions, column) != call->aggtransno)
		column++;
	if (column == list_length(partial->transitions))
	{
		begin = copyObject(unconstify(Aggref *, call));
		begin->aggsplit = AGGSPLIT_INITIAL_SERIAL;
		begin->aggtype = call->aggtranstype == INTERNALOID ? BYTEAOID : call->aggtranstype;
		begin->aggno = begin->aggtransno = column;
		partial->targets = lappend(partial->targets, makeTargetEntry((Expr *) begin, column + 1, NULL, false));
		partial->transitions = lappend_int(partial->transitions, call->aggtransno);
	}
	finish = makeNode(Aggref);
	*finish = *call;
	finish->aggsplit = AGGSPLIT_FINAL_DESERIAL;
	finish->aggfilter = NULL;
	finish->args = list_make1(makeTargetEntry((Expr *) makeVarFromTargetEntry(OUTER_VAR, list_nth(partial->targets, column)),
											  1, NULL, false));
	return (Node *) finish;
}

/* Puts a Gather below an Agg, with the tables' scans divided among the workers. */
static void
add_gather(Agg *agg, const ScannedTables *tables, int workers, PlanWalk *walk)
{
	Plan	   *input = agg->plan.lefttree;
	Gather	   *gather = makeNode(Gather);

	gather->plan = *input;
	gather->plan.type = T_Gather;
	gather->plan.plan_node_id = gpusort_plan_next_id(walk);
	gather->plan.qual = NIL;
	gather->plan.lefttree = input;
	gather->num_workers = workers;
	gather->rescan_param = divide_tables(input, tables, workers, walk);
	agg->plan.lefttree = &gather->plan;
}

/* Puts a partial Agg below the Gather of an Agg, which then combines states. */
static void
add_partial(Agg *agg, PlanWalk *walk)
{
	Gather	   *gather = (Gather *) agg->plan.lefttree;
	Plan	   *input = gather->plan.lefttree;
	PartialCalls calls = {0};
	Agg		   *partial = makeNode(Agg);
	ListCell   *cell;

	*partial = *agg;
	partial->plan.plan_node_id = gpusort_plan_next_id(walk);
	agg->plan.targetlist = (List *) finish_calls((Node *) agg->plan.targetlist, &calls);
	agg->plan.qual = (List *) finish_calls((Node *) agg->plan.qual, &calls);
	agg->aggsplit = AGGSPLIT_FINAL_DESERIAL;

	partial->aggsplit = AGGSPLIT_INITIAL_SERIAL;
	partial->plan.targetlist = calls.targets;
	partial->plan.qual = NIL;
	partial->plan.parallel_safe = true;
	partial->plan.lefttree = input;
	partial->plan.extParam = bms_copy(input->extParam);
	partial->plan.allParam = bms_copy(input->allParam);
	partial->plan.startup_cost = partial->plan.total_cost =
		input->total_cost + cpu_operator_cost * list_length(calls.targets) * input->plan_rows;

	gather->plan.lefttree = &partial->plan;
	gather->plan.targetlist = NIL;
	foreach(cell, calls.targets)
		gather->plan.targetlist = lappend(gather->plan.targetlist,
										  makeTargetEntry((Expr *) makeVarFromTargetEntry(OUTER_VAR, lfirst(cell)),
														  list_length(gather->plan.targetlist) + 1, NULL, false));
	gather->plan.plan_rows = gather->num_workers;
	gather->plan.plan_width = partial->plan.plan_width;
	gather->plan.startup_cost = partial->plan.startup_cost + parallel_setup_cost;
	gather->plan.total_cost = gather->plan.startup_cost + parallel_tuple_cost * gather->num_workers;
	agg->plan.startup_cost = agg->plan.total_cost =
		gather->plan.total_cost + cpu_operator_cost * list_length(calls.targets) * gather->num_workers;
}

/* An expression over the columns of a scan in the place of one over its rows. */
static Node *
over_table(Node *node, void *targets)
{
	if (node != NULL && IsA(node, Var) && ((Var *) node)->varno == OUTER_VAR)
		return copyObject((Node *) list_nth_node(TargetEntry, targets, ((Var *) node)->varattno - 1)->expr);
	return node == NULL ? NULL : expression_tree_mutator(node, over_table, targets);
}

/* Has scans return nothing but the values. */
static void
compute_value(Plan *plan, const SharedValues *values)
{
	Node	   *value = (Node *) make_column(values->value);
	ListCell   *cell;

	if (IsA(plan, Append))
	{
		foreach(cell, ((Append *) plan)->appendplans)
			compute_value(lfirst(cell), values);
	}
	else
	{
		value = over_table((Node *) values->value, plan->targetlist);
		if (values->filter != NULL)
			plan->qual = lappend(plan->qual, over_table((Node *) values->filter, plan->targetlist));
	}
	plan->targetlist = list_make1(makeTargetEntry((Expr *) value, 1, NULL, false));
	plan->plan_width = values->sort->plan.plan_width;
}

/* Has a call aggregate the only column of its Agg's input, which has no rows that its FILTER rejects. */
static void
take_column(Aggref *call)
{
	Expr	  **value = value_of(call);

	*value = (Expr *) make_column(*value);
	call->aggfilter = NULL;
}

/* Has the workers below the Gather of an Agg sort the values that this reads. */
static void
share_values(const AggregateCalls *calls, const SharedValues *values)
{
	Agg		   *agg = calls->agg;
	const PlanPlace *place = calls->place;
	const Gather *gather = (const Gather *) agg->plan.lefttree;
	Plan	   *input = gather->plan.lefttree;
	Sort	   *sort = values->sort;
	ListCell   *cell;

	if (!are_column(values))
	{
		compute_value(input, values);
		foreach(cell, calls->list)
			take_column(((const AggregateCall *) lfirst(cell))->call);
	}
	sort->plan.lefttree = input;
	sort->plan.plan_rows = input->plan_rows;
	sort->plan.parallel_safe = true;
	sort->plan.extParam = bms_copy(input->extParam);
	sort->plan.allParam = bms_copy(input->allParam);
	agg->plan.lefttree = gpusort_rows_plan_values(gather, sort, values->use, values->distinct, place);
	agg->plan.startup_cost = agg->plan.total_cost = agg->plan.lefttree->total_cost;
}

/* Has parallel workers compute the calls of an Agg, once they are replaced.  Returns false if that does not cost less. */
static bool
divide_calls(const AggregateCalls *calls)
{
	Agg		   *agg = calls->agg;
	const PlanPlace *place = calls->place;
	Gather	   *gather = IsA(agg->plan.lefttree, Gather) ? (Gather *) agg->plan.lefttree : NULL;
	Plan	   *input = gather != NULL ? gather->plan.lefttree : agg->plan.lefttree;
	ScannedTables tables = {.workers = -1};
	SharedValues values;
	int			workers;
	bool		shares;

	/* Parameters may have other values each time. */
	if (!bms_is_empty(agg->plan.allParam) || place->parallel || place->rescanned ||
		max_parallel_workers_per_gather == 0 || !are_divisible(calls) ||
		!find_tables(input, place->walk->statement->rtable, &tables))
		return false;
	if (gather != NULL && (gather->single_copy || !gpusort_plan_hands_on_columns(gather->plan.targetlist, input->targetlist)))
		return false;
	workers = gather != NULL ? gather->num_workers : count_workers(&tables);
	if (workers == 0)
		return false;
	shares = (gather == NULL || gather->plan.initPlan == NIL) && find_values(calls, &tables, &values) &&
		sharing_pays(values.sort, &tables, workers);
	/* States take less than sorting what is computed of all rows. */
	if (shares && values.filter == NULL && !are_column(&values) && !gpusort_force_nodes)
		shares = !pays(calls, &tables, workers);
	if (!shares && !pays(calls, &tables, workers))
		return false;
	if (gather == NULL)
		add_gather(agg, &tables, workers, place->walk);
	if (shares)
		share_values(calls, &values);
	else
		add_partial(agg, place->walk);
	return true;
}

void
gpusort_aggregates_share(const AggregateCalls *calls)
{
	Agg		   *agg = calls->agg;
	const Plan *input = agg->plan.lefttree;
	SharedValues values;

	if (agg->aggstrategy != AGG_PLAIN || divide_calls(calls))
		return;
	if (!gpusort_force_nodes && !(IsA(input, SeqScan) && input->qual == NIL))
		return;
	if (!find_values(calls, NULL, &values))
		return;
	agg->plan.lefttree = gpusort_rows_plan_values(NULL, values.sort, values.use, values.distinct, calls->place);
	agg->plan.startup_cost = agg->plan.total_cost = agg->plan.lefttree->total_cost;
}
