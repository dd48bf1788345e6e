/*
 * compat.h
 *	  The only place that asks which PostgreSQL it is built for.
 *
 * Each entry names the server's change.  PostgreSQL 15 to 19 are supported.
 */
#ifndef GPUSORT_COMPAT_H
#define GPUSORT_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "gpusort needs PostgreSQL 15 or newer"
#endif

/* PostgreSQL 18 (9324c8c58) lets a module say its name and version. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "gpusort", .version = GPUSORT_VERSION)
#else
#define GPUSORT_MODULE_MAGIC PG_MODULE_MAGIC
#endif

/* PostgreSQL 18 has pg_noreturn before a declaration, in place of pg_attribute_noreturn() behind it. */
#ifndef pg_noreturn
#define pg_noreturn __attribute__((noreturn))
#endif

/* PostgreSQL 16 (c727f511b) asks for rights on any object by one function. */
#if PG_VERSION_NUM >= 160000
#define GPUSORT_MAY_EXECUTE(function, role) \
	(object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK)
#define GPUSORT_MAY_USE_SCHEMA(schema, role) \
	(object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE) == ACLCHECK_OK)
#else
#define GPUSORT_MAY_EXECUTE(function, role) (pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK)
#define GPUSORT_MAY_USE_SCHEMA(schema, role) (pg_namespace_aclcheck(schema, role, ACL_USAGE) == ACLCHECK_OK)
#endif

/* PostgreSQL 16 (1349d2790) may sort the input of an aggregate below its node. */
#if PG_VERSION_NUM >= 160000
#define GPUSORT_IS_PRESORTED(aggregate) ((aggregate)->aggpresorted)
#define GPUSORT_SET_PRESORTED(aggregate, presorted) ((aggregate)->aggpresorted = (presorted))
#else
#define GPUSORT_IS_PRESORTED(aggregate) false
#define GPUSORT_SET_PRESORTED(aggregate, presorted) ((void) 0)
#endif

/* The server counts the tuples of a scan one by one; the rows node adds many at a time. */
#if PG_VERSION_NUM >= 160000	/* a9c70b46d renames the counters */
#define GPUSORT_HEAP_TUPLES_RETURNED(rel) ((rel)->pgstat_info->counts.tuples_returned)
#else
#define GPUSORT_HEAP_TUPLES_RETURNED(rel) ((rel)->pgstat_info->t_counts.t_tuples_returned)
#endif

/* PostgreSQL 17 (51efe38cb) ends a session whose transaction takes too long. */
#if PG_VERSION_NUM >= 170000
#define GPUSORT_TRANSACTION_TIMED_OUT() (TransactionTimeoutPending && TransactionTimeout > 0)
#else
#define GPUSORT_TRANSACTION_TIMED_OUT() false
#endif

/* PostgreSQL 19 has this function; before it, a callback that is not called any more is taken off the context's list by hand. */
#if PG_VERSION_NUM < 190000
#include "nodes/memnodes.h"

static inline void
MemoryContextUnregisterResetCallback(MemoryContext context, MemoryContextCallback *callback)
{
	MemoryContextCallback **link = &context->reset_cbs;

	while (*link != callback)
		link = &(*link)->next;
	*link = callback->next;
}
#endif

/* PostgreSQL 18 (e22253467) counts the disabled nodes of a plan; EXPLAIN compares a node's count with its children's. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_COPY_DISABLED_NODES(plan, child) ((plan)->disabled_nodes = (child)->disabled_nodes)
#else
#define GPUSORT_COPY_DISABLED_NODES(plan, child) ((void) 0)
#endif

/* PostgreSQL 18 (c65bc2e1d) moves parts of commands/explain.h to headers of their own. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_SPLIT_EXPLAIN
#endif

/* PostgreSQL 17 (024c52111) made a process's number a variable of its own. */
#if PG_VERSION_NUM >= 170000
#define GPUSORT_MY_PROC_NUMBER MyProcNumber
#else
#define GPUSORT_MY_PROC_NUMBER (MyProc->pgprocno)
#endif

/* PostgreSQL 17 (50c67c201) ties wait event sets to a resource owner, or with NULL to the process, not to a memory context. */
#if PG_VERSION_NUM >= 170000
#define GPUSORT_CREATE_WAIT_EVENT_SET(context, owner, nevents) CreateWaitEventSet(owner, nevents)
#else
#define GPUSORT_CREATE_WAIT_EVENT_SET(context, owner, nevents) CreateWaitEventSet(context, nevents)
#endif

/* PostgreSQL 17 (c9af05465) lets an extension name what it waits for. */
#if PG_VERSION_NUM >= 170000
#define GPUSORT_WAIT_EVENT(name) WaitEventExtensionNew(name)
#else
#define GPUSORT_WAIT_EVENT(name) PG_WAIT_EXTENSION
#endif

/* PostgreSQL 18 (4d82750246) builds the snapshot for TOAST tables itself. */
#if PG_VERSION_NUM >= 180000
#define gpusort_compat_toast_snapshot(memory) get_toast_snapshot()
#else
#define gpusort_compat_toast_snapshot(memory) (init_toast_snapshot(memory), (memory))
#endif

/* PostgreSQL 16 (b0a55e432) renames what says where a relation's files are. */
#if PG_VERSION_NUM >= 160000
#define gpusort_compat_read_recent_buffer(rel, block, buffer) ReadRecentBuffer((rel)->rd_locator, MAIN_FORKNUM, block, buffer)
#else
#define gpusort_compat_read_recent_buffer(rel, block, buffer) ReadRecentBuffer((rel)->rd_node, MAIN_FORKNUM, block, buffer)
#endif

/* PostgreSQL 18 (0fbceae84) counts index searches for EXPLAIN; 19 (dcd8cc1c8) has flags for scans, here those of a Seq Scan. */
#if PG_VERSION_NUM >= 190000
#define gpusort_compat_index_beginscan(heap, index, snapshot, nkeys) index_beginscan(heap, index, snapshot, NULL, nkeys, 0, SO_NONE)
#define gpusort_compat_begin_seq_scan(node) \
	table_beginscan((node)->ss_currentRelation, (node)->ps.state->es_snapshot, 0, NULL, \
					(ScanRelIsReadOnly(node) ? SO_HINT_REL_READ_ONLY : SO_NONE) | \
					(((node)->ps.state->es_instrument & INSTRUMENT_IO) ? SO_SCAN_INSTRUMENT : SO_NONE))
#define gpusort_compat_table_beginscan_parallel(rel, scan) table_beginscan_parallel(rel, scan, SO_NONE)
#else
#if PG_VERSION_NUM >= 180000
#define gpusort_compat_index_beginscan(heap, index, snapshot, nkeys) index_beginscan(heap, index, snapshot, NULL, nkeys, 0)
#else
#define gpusort_compat_index_beginscan(heap, index, snapshot, nkeys) index_beginscan(heap, index, snapshot, nkeys, 0)
#endif
#define gpusort_compat_begin_seq_scan(node) table_beginscan((node)->ss_currentRelation, (node)->ps.state->es_snapshot, 0, NULL)
#define gpusort_compat_table_beginscan_parallel(rel, scan) table_beginscan_parallel(rel, scan)
#endif

/* PostgreSQL 18 (247dea89f) lists grouped columns as a table, which EXPLAIN's names of columns do not count. */
#if PG_VERSION_NUM >= 180000
#define gpusort_compat_explained_tables(es) ((es)->rtable_size)
#else
#define gpusort_compat_explained_tables(es) list_length((es)->rtable)
#endif

/* PostgreSQL 18 (3eea7a0c97) always lets a query run only once. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define GPUSORT_RUN_ARGUMENTS query, direction, count
#else
#define GPUSORT_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define GPUSORT_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/* PostgreSQL 17 (2d819a08a) has collations of its own, and a column for their names and ICU's (f696c0cd5). */
#define GPUSORT_COLLPROVIDER_BUILTIN 'b'
#if PG_VERSION_NUM >= 170000
#define GPUSORT_ANUM_DATABASE_LOCALE Anum_pg_database_datlocale
#define GPUSORT_ANUM_COLLATION_LOCALE Anum_pg_collation_colllocale
#else
#define GPUSORT_ANUM_DATABASE_LOCALE Anum_pg_database_daticulocale
#define GPUSORT_ANUM_COLLATION_LOCALE Anum_pg_collation_colliculocale
#endif

/* PostgreSQL 16 (30a53b792) lets collations of ICU have rules of their own. */
#if PG_VERSION_NUM >= 160000
#define GPUSORT_ANUM_DATABASE_RULES Anum_pg_database_daticurules
#define GPUSORT_ANUM_COLLATION_RULES Anum_pg_collation_collicurules
#endif

/* PostgreSQL 18 (e22253467) counts the disabled nodes of paths, too. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_COST_SORT(path, cost, rows, width, bound) cost_sort(path, NULL, NIL, 0, cost, rows, width, 0.0, work_mem, bound)
#else
#define GPUSORT_COST_SORT(path, cost, rows, width, bound) cost_sort(path, NULL, NIL, cost, rows, width, 0.0, work_mem, bound)
#endif

/* PostgreSQL 18 (8123e91f5) describes ordering operators by comparison type. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_ORDERING_STRATEGY CompareType
#define GPUSORT_ORDERING_GREATER COMPARE_GT
#else
#define GPUSORT_ORDERING_STRATEGY int16
#define GPUSORT_ORDERING_GREATER BTGreaterStrategyNumber
#endif

/* PostgreSQL 19 (c83ac02ec) tells the planner what EXPLAIN was asked for. */
#if PG_VERSION_NUM >= 190000
#define GPUSORT_PLANNER_PARAMETERS \
	Query *query, const char *query_string, int cursor_options, ParamListInfo params, ExplainState *explain
#define GPUSORT_PLANNER_ARGUMENTS query, query_string, cursor_options, params, explain
#else
#define GPUSORT_PLANNER_PARAMETERS Query *query, const char *query_string, int cursor_options, ParamListInfo params
#define GPUSORT_PLANNER_ARGUMENTS query, query_string, cursor_options, params
#endif

/* PostgreSQL 19 (5a79e7850) has a structure of its own for what EXPLAIN ANALYZE counts per plan node. */
#if PG_VERSION_NUM >= 190000
#define GPUSORT_NEEDS_TIMER(instrument) ((instrument)->instr.need_timer)
#else
#define GPUSORT_NEEDS_TIMER(instrument) ((instrument)->need_timer)
#endif

/* PostgreSQL 19 keeps offsets of columns in a tuple descriptor.  When it has all columns, it must be finished. */
#if PG_VERSION_NUM < 190000
#define TupleDescFinalize(desc) ((void) 0)
#endif

/* PostgreSQL 19 has a hook for every table that is planned, in place of one for what is known of it. */
#if PG_VERSION_NUM >= 190000
#define GPUSORT_TABLE_HOOK build_simple_rel_hook
#define GPUSORT_TABLE_HOOK_TYPE build_simple_rel_hook_type
#define GPUSORT_TABLE_HOOK_PARAMETERS PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte
#define GPUSORT_TABLE_HOOK_ARGUMENTS root, rel, rte
#define GPUSORT_TABLE_HOOK_TABLE (rte->relid)
#else
#define GPUSORT_TABLE_HOOK get_relation_info_hook
#define GPUSORT_TABLE_HOOK_TYPE get_relation_info_hook_type
#define GPUSORT_TABLE_HOOK_PARAMETERS PlannerInfo *root, Oid table_oid, bool inhparent, RelOptInfo *rel
#define GPUSORT_TABLE_HOOK_ARGUMENTS root, table_oid, inhparent, rel
#define GPUSORT_TABLE_HOOK_TABLE table_oid
#endif

/* The record of a setting: PostgreSQL 16 (3057465ac) finds it by name, 19 has one struct for all kinds. */
#if PG_VERSION_NUM >= 190000
#define GPUSORT_INT_SETTING(setting) (&(setting)->_int)
#else
#define GPUSORT_INT_SETTING(setting) ((struct config_int *) (setting))
#endif
#if PG_VERSION_NUM >= 160000
#define GPUSORT_SETTING(name) find_option(name, false, false, ERROR)
#else
#include "utils/guc_tables.h"
#define GPUSORT_SETTING(name) gpusort_compat_find_setting(name)

static inline struct config_generic *
gpusort_compat_find_setting(const char *name)
{
	struct config_generic **settings = get_guc_variables();

	while (strcmp((*settings)->name, name) != 0)
		settings++;
	return *settings;
}
#endif

/* PostgreSQL 19 has one kind of path for what is distinct. */
#if PG_VERSION_NUM >= 190000
#define create_upper_unique_path create_unique_path
#endif

/* PostgreSQL 16 leaves what a query groups by as it was written, and lets the order of aggregates follow that of groups. */
#if PG_VERSION_NUM >= 160000
#define GPUSORT_GROUP_CLAUSE(root) ((root)->processed_groupClause)
#define GPUSORT_GROUP_KEYS(root) ((root)->num_groupby_pathkeys)
#else
#define GPUSORT_GROUP_CLAUSE(root) ((root)->parse->groupClause)
#define GPUSORT_GROUP_KEYS(root) list_length((root)->group_pathkeys)
#endif

/* The operator by which a pathkey orders values of a type: PostgreSQL 18 (8123e91f5) no longer has btree's strategies in it. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_PATHKEY_OPERATOR(key, type) get_opfamily_member_for_cmptype((key)->pk_opfamily, type, type, (key)->pk_cmptype)
#else
#define GPUSORT_PATHKEY_OPERATOR(key, type) get_opfamily_member((key)->pk_opfamily, type, type, (key)->pk_strategy)
#endif

/* PostgreSQL 17 (9d36b883b) moves the run condition of a window from its clause to the path. */
#if PG_VERSION_NUM >= 170000
#define GPUSORT_RUN_CONDITION(path) ((path)->runCondition)
#else
#define GPUSORT_RUN_CONDITION(path) ((path)->winclause->runCondition)
#endif

/* PostgreSQL 19 has CLUSTER among the commands of REPACK. */
#if PG_VERSION_NUM >= 190000
#define T_ClusterStmt T_RepackStmt
#endif

/* PostgreSQL 17 (8af256524) writes the pages of a new relation in bulk. */
#if PG_VERSION_NUM >= 170000
#define GPUSORT_BULK_WRITE
#endif

/* PostgreSQL 16 aligns pages for direct I/O (faeedbcef), and renames a relation's place (b0a55e432). */
#if PG_VERSION_NUM >= 160000
#define GPUSORT_ALLOC_PAGE(context) MemoryContextAllocAligned(context, BLCKSZ, PG_IO_ALIGN_SIZE, 0)
#define GPUSORT_LOCATOR(rel) (&(rel)->rd_locator)
#else
#define GPUSORT_ALLOC_PAGE(context) MemoryContextAlloc(context, BLCKSZ)
#define GPUSORT_LOCATOR(rel) (&(rel)->rd_node)
#endif

/* PostgreSQL 18 makes the limit of a btree's tuples a constant. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_BT_MAX_ITEM_SIZE BTMaxItemSize
#else
#define GPUSORT_BT_MAX_ITEM_SIZE BTMaxItemSize((Page) &(PageHeaderData) {.pd_pagesize_version = BLCKSZ})
#endif

/* PostgreSQL 18 has faster hash tables: DISTINCT of texts takes 35 to 38 ms on 19, and 51 to 55 on 15 (2b75b72, a Xeon). */
#define GPUSORT_HASHING_IS_FAST (PG_VERSION_NUM >= 180000)

#endif							/* GPUSORT_COMPAT_H */
