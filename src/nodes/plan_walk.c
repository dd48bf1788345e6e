/*
 * plan_walk.c
 *	  What PostgreSQL lacks for those who read finished plans, see plan_walk.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "nodes/plan_walk.h"

#define EXTENSION "gpusort"
#define MODULE_NAME "gpusort"
#define MAX_EXPRESSIONS 3

typedef struct PlanKind
{
	int			traits;			/* PlanTraits */
	size_t		expressions[MAX_EXPRESSIONS];	/* offsets of fields with expressions; 0: there are no more */
} PlanKind;

#define FIELD(type, field) offsetof(type, field)

/* A kind that is not listed is not known. */
static const PlanKind kinds[] = {
	[T_Result] = {PLAN_KNOWN | PLAN_PROJECTS | PLAN_PASSES_ROWS, {FIELD(Result, resconstantqual)}},
	[T_ProjectSet] = {PLAN_KNOWN},
	[T_ModifyTable] = {PLAN_READS_ALL},
	[T_Append] = {PLAN_KNOWN | PLAN_PASSES_ROWS},
	[T_MergeAppend] = {PLAN_KNOWN | PLAN_PASSES_ROWS},
	[T_RecursiveUnion] = {PLAN_KNOWN},
	[T_BitmapAnd] = {PLAN_KNOWN},
	[T_BitmapOr] = {PLAN_KNOWN},
	[T_SeqScan] = {PLAN_KNOWN | PLAN_PROJECTS},
	[T_SampleScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(SampleScan, tablesample)}},
	[T_IndexScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(IndexScan, indexqual), FIELD(IndexScan, indexorderby)}},
	[T_IndexOnlyScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(IndexOnlyScan, indexqual), FIELD(IndexOnlyScan, indexorderby)}},
	[T_BitmapIndexScan] = {PLAN_KNOWN, {FIELD(BitmapIndexScan, indexqual)}},
	[T_BitmapHeapScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(BitmapHeapScan, bitmapqualorig)}},
	[T_TidScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(TidScan, tidquals)}},
	[T_TidRangeScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(TidRangeScan, tidrangequals)}},
	[T_SubqueryScan] = {PLAN_KNOWN | PLAN_PROJECTS | PLAN_PASSES_ROWS},
	[T_FunctionScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(FunctionScan, functions)}},
	[T_ValuesScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(ValuesScan, values_lists)}},
	[T_TableFuncScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(TableFuncScan, tablefunc)}},
	[T_CteScan] = {PLAN_KNOWN | PLAN_PROJECTS},
	[T_NamedTuplestoreScan] = {PLAN_KNOWN | PLAN_PROJECTS},
	[T_WorkTableScan] = {PLAN_KNOWN | PLAN_PROJECTS},
	[T_ForeignScan] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(ForeignScan, fdw_exprs)}},
	[T_CustomScan] = {0, {FIELD(CustomScan, custom_scan_tlist)}},
	[T_NestLoop] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(NestLoop, join.joinqual)}},
	[T_MergeJoin] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(MergeJoin, join.joinqual), FIELD(MergeJoin, mergeclauses)}},
	[T_HashJoin] = {PLAN_KNOWN | PLAN_PROJECTS, {FIELD(HashJoin, join.joinqual), FIELD(HashJoin, hashclauses)}},
	[T_Material] = {PLAN_KNOWN},
	[T_Memoize] = {PLAN_KNOWN},
	[T_Sort] = {PLAN_KNOWN | PLAN_READS_ALL},
	[T_IncrementalSort] = {PLAN_KNOWN},
	[T_Group] = {PLAN_KNOWN | PLAN_PROJECTS},
	[T_Agg] = {PLAN_KNOWN | PLAN_PROJECTS | PLAN_READS_ALL},
	[T_WindowAgg] = {PLAN_KNOWN | PLAN_PROJECTS,
	{FIELD(WindowAgg, runCondition), FIELD(WindowAgg, startOffset), FIELD(WindowAgg, endOffset)}},
	[T_Unique] = {PLAN_KNOWN},
	[T_Gather] = {PLAN_KNOWN | PLAN_PROJECTS | PLAN_PASSES_ROWS},
	[T_GatherMerge] = {PLAN_KNOWN | PLAN_PROJECTS | PLAN_PASSES_ROWS},
	[T_Hash] = {PLAN_KNOWN | PLAN_READS_ALL},
	[T_SetOp] = {PLAN_KNOWN | PLAN_READS_ALL},
	[T_Limit] = {PLAN_KNOWN, {FIELD(Limit, limitOffset), FIELD(Limit, limitCount)}}
};

static const PlanKind *
kind_of(const Plan *plan)
{
	return &kinds[nodeTag(plan) < lengthof(kinds) ? nodeTag(plan) : T_Invalid];
}

/* What is said of all nodes of a kind is not true of some. */
bool
gpusort_plan_has_trait(const Plan *plan, PlanTraits trait)
{
	if ((kind_of(plan)->traits & trait) == 0)
		return false;
	switch (nodeTag(plan))
	{
		case T_Result:
		case T_SubqueryScan:
			return trait != PLAN_PASSES_ROWS || plan->qual == NIL;
		case T_ModifyTable:
			return ((const ModifyTable *) plan)->returningLists == NIL;
		case T_Agg:
			return trait != PLAN_READS_ALL ||
				((const Agg *) plan)->aggstrategy == AGG_PLAIN || ((const Agg *) plan)->aggstrategy == AGG_HASHED;
		case T_SetOp:
			return trait != PLAN_READS_ALL || ((const SetOp *) plan)->strategy == SETOP_HASHED;
		case T_ForeignScan:
			return ((const ForeignScan *) plan)->operation == CMD_SELECT && (trait != PLAN_PROJECTS || !plan->async_capable);
		default:
			return true;
	}
}

List *
gpusort_plan_expressions(const Plan *plan)
{
	const PlanKind *kind = kind_of(plan);
	List	   *expressions = list_make1(plan->qual);

	for (int i = 0; i < MAX_EXPRESSIONS && kind->expressions[i] > 0; i++)
		expressions = lappend(expressions, *(Node *const *) ((const char *) plan + kind->expressions[i]));
	return expressions;
}

static void
visit_list(List *plans, PlanVisitor visit, void *arg)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (lfirst(cell) != NULL)
			visit((Plan **) &lfirst(cell), arg);
	}
}

void
gpusort_plan_each_tree(PlannedStmt *statement, PlanVisitor visit, void *arg)
{
	visit(&statement->planTree, arg);
	visit_list(statement->subplans, visit, arg);
}

void
gpusort_plan_each_child(Plan *plan, PlanVisitor visit, void *arg)
{
	if (plan->lefttree)
		visit(&plan->lefttree, arg);
	if (plan->righttree)
		visit(&plan->righttree, arg);
	switch (nodeTag(plan))
	{
		case T_Append:
			visit_list(((Append *) plan)->appendplans, visit, arg);
			break;
		case T_MergeAppend:
			visit_list(((MergeAppend *) plan)->mergeplans, visit, arg);
			break;
		case T_BitmapAnd:
			visit_list(((BitmapAnd *) plan)->bitmapplans, visit, arg);
			break;
		case T_BitmapOr:
			visit_list(((BitmapOr *) plan)->bitmapplans, visit, arg);
			break;
		case T_SubqueryScan:
			visit(&((SubqueryScan *) plan)->subplan, arg);
			break;
		case T_CustomScan:
			visit_list(((CustomScan *) plan)->custom_plans, visit, arg);
			break;
		default:
			break;
	}
}

/* True if a library's name, without folder and suffix, is that of this module. */
static bool
in_this_module(const char *library)
{
	const char *slash = strrchr(library, '/');
	const char *name = slash ? slash + 1 : library;
	size_t		length = strlen(MODULE_NAME);

	return strncmp(name, MODULE_NAME, length) == 0 && (name[length] == '\0' || strcmp(name + length, DLSUFFIX) == 0);
}

bool
gpusort_plan_keeps_evaluation(const Node *expressions)
{
	Node	   *node = unconstify(Node *, expressions);

	return contain_volatile_functions(node) || contain_subplans(node);
}

bool
gpusort_plan_hands_on_columns(const List *tlist, const List *input_tlist)
{
	ListCell   *cell;
	ListCell   *input;

	forboth(cell, tlist, input, input_tlist)
	{
		TargetEntry *entry = lfirst(cell);
		Var		   *var = (Var *) entry->expr;

		if (IsA(var, Const) && equal(var, ((TargetEntry *) lfirst(input))->expr))
			continue;
		if (!IsA(var, Var) || var->varno != OUTER_VAR || var->varattno != entry->resno)
			return false;
	}
	return list_length(tlist) == list_length(input_tlist);
}

/* The column of a table that a plan's target entry shows; its relid is InvalidOid if it is none. */
static AttrNumber
table_column(const Plan *plan, AttrNumber resno, const List *rtable, Oid *relid)
{
	const Var  *var = (const Var *) list_nth_node(TargetEntry, plan->targetlist, resno - 1)->expr;

	*relid = InvalidOid;
	if (!IsA(var, Var) || var->varattno <= 0)
		return 0;
	if (var->varno == OUTER_VAR && plan->lefttree != NULL)
		return table_column(plan->lefttree, var->varattno, rtable, relid);
	if (var->varno == INNER_VAR && plan->righttree != NULL)
		return table_column(plan->righttree, var->varattno, rtable, relid);
	if (IsA(plan, SubqueryScan))
		return table_column(((const SubqueryScan *) plan)->subplan, var->varattno, rtable, relid);
	if (!IS_SPECIAL_VARNO(var->varno))
		*relid = rt_fetch(var->varno, rtable)->relid;
	return var->varattno;
}

HeapTuple
gpusort_plan_column_statistics(const Plan *plan, AttrNumber resno, const List *rtable)
{
	Oid			relid;
	AttrNumber	column = table_column(plan, resno, rtable, &relid);

	return OidIsValid(relid) ?
		SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relid), Int16GetDatum(column), BoolGetDatum(false)) : NULL;
}

char *
gpusort_module_symbol(HeapTuple proc)
{
	Datum		library;
	Datum		symbol;
	bool		isnull;

	if (((Form_pg_proc) GETSTRUCT(proc))->prolang != ClanguageId)
		return NULL;
	library = SysCacheGetAttr(PROCOID, proc, Anum_pg_proc_probin, &isnull);
	if (isnull || !in_this_module(TextDatumGetCString(library)))
		return NULL;
	symbol = SysCacheGetAttr(PROCOID, proc, Anum_pg_proc_prosrc, &isnull);
	return isnull ? NULL : TextDatumGetCString(symbol);
}

bool
gpusort_is_own_function(Oid function)
{
	/* In a database without the extension neither of the two is valid. */
	Oid			owner = function < FirstNormalObjectId ? InvalidOid : getExtensionOfObject(ProcedureRelationId, function);

	return OidIsValid(owner) && owner == get_extension_oid(EXTENSION, true);
}
