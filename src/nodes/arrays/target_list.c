/*
 * target_list.c
 *	  Finds the calls of a target list that can be sorted in batches, and takes the
 *	  list apart around them.
 *
 * A call is taken only from a place that is evaluated for every row: an argument of a
 * function or operator, but not a branch of CASE, nor an argument of COALESCE, AND or OR
 * behind the first.  Its own arguments must not be volatile.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "nodes/arrays/array_call.h"
#include "nodes/arrays/plan_effects.h"
#include "nodes/arrays/target_list.h"

typedef struct PartSearch
{
	CallSearch *calls;
	bool		found;
} PartSearch;

typedef struct PartsContext
{
	List	   *parts;			/* parts of an expression that columns take the place of */
	int			varno;
	int			first_column;
} PartsContext;

static bool
find_in_part(Node *part, void *context)
{
	PartSearch *parts = context;

	parts->found |= gpusort_target_find_calls(parts->calls, part);
	return false;
}

/* Adds the calls in all parts of an expression that evaluates each of them.  Returns true if there is any. */
static bool
find_in_parts(CallSearch *search, Node *expression)
{
	PartSearch	parts = {.calls = search};

	(void) expression_tree_walker(expression, find_in_part, &parts);
	return parts.found;
}

/* True if only the child can compute the expression. */
static bool
is_leaf(Node *node)
{
	return IsA(node, Var) || IsA(node, Aggref) || IsA(node, GroupingFunc) || IsA(node, WindowFunc);
}

/*
 * Adds the call to the search if it can be taken.  Returns true if it is one of ours, or
 * has one in its arguments.
 */
static bool
consider_call(CallSearch *search, FuncExpr *call, bool has_inner)
{
	ArrayCallKind kind = gpusort_array_call_kind(call->funcid);

	if (kind == ARRAY_CALL_NONE)
		return has_inner;
	if (has_inner || list_member(search->calls, call))
		return true;
	if (!gpusort_array_call_fits(call, kind) || !contain_var_clause((Node *) call->args) ||
		!gpusort_array_call_pays(call, kind, search->plan, search->statement->rtable) ||
		gpusort_expression_has_effects(search->statement, (Node *) call))
		return true;
	search->calls = lappend(search->calls, call);
	search->kinds = lappend_int(search->kinds, kind);
	return true;
}

/*
 * Adds to the search the innermost calls in the parts of an expression that are
 * certain to be evaluated.  Returns true if there is any call in them, taken or not; a
 * call around it cannot be taken yet then.
 */
bool
gpusort_target_find_calls(CallSearch *search, Node *expression)
{
	if (expression == NULL || is_leaf(expression))
		return false;
	check_stack_depth();
	switch (nodeTag(expression))
	{
		case T_FuncExpr:
			return consider_call(search, (FuncExpr *) expression, find_in_parts(search, expression));
		case T_List:
		case T_TargetEntry:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_MinMaxExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_CoerceToDomain:
		case T_FieldSelect:
		case T_NullTest:
		case T_BooleanTest:
			return find_in_parts(search, expression);
		case T_CoalesceExpr:
			return gpusort_target_find_calls(search, linitial(((CoalesceExpr *) expression)->args));
		case T_BoolExpr:
			return gpusort_target_find_calls(search, linitial(((BoolExpr *) expression)->args));
		case T_CaseExpr:
			{
				CaseExpr   *choice = (CaseExpr *) expression;
				Node	   *first = choice->arg ? (Node *) choice->arg :
				(Node *) linitial_node(CaseWhen, choice->args)->expr;

				return gpusort_target_find_calls(search, first);
			}
		case T_SubscriptingRef:
			if (((SubscriptingRef *) expression)->refassgnexpr)
				return false;
			return gpusort_target_find_calls(search, (Node *) ((SubscriptingRef *) expression)->refexpr);
		case T_ArrayCoerceExpr:
			return gpusort_target_find_calls(search, (Node *) ((ArrayCoerceExpr *) expression)->arg);
		default:
			return false;
	}
}

/* The arguments that a node computes for each row of its child, or NULL. */
static List **
fed_arguments(Node *node)
{
	if (IsA(node, Aggref))
		return &((Aggref *) node)->args;
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcretset)
		return &((FuncExpr *) node)->args;
	return NULL;
}

static bool
find_fed_walker(Node *node, void *context)
{
	CallSearch *search = context;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (fed_arguments(node) == NULL)
		return expression_tree_walker(node, find_fed_walker, context);

	/* Nothing is computed for rows that a FILTER rejects. */
	if (IsA(node, Aggref) && ((Aggref *) node)->aggfilter != NULL)
		return false;
	foreach(cell, *fed_arguments(node))
	{
		Node	   *argument = lfirst(cell);

		if (IsA(argument, TargetEntry))
			argument = (Node *) ((TargetEntry *) argument)->expr;
		/* Equal arguments become one, unless they are volatile. */
		if (!contain_volatile_functions(argument) && gpusort_target_find_calls(search, argument))
			search->fed = list_append_unique(search->fed, argument);
	}
	return false;
}

/*
 * Adds to the search the calls that an Agg or ProjectSet evaluates for every row of
 * its child, and the arguments of aggregates and of set-returning functions that
 * they are part of.
 */
void
gpusort_target_find_fed_calls(CallSearch *search, Plan *plan)
{
	(void) find_fed_walker((Node *) plan->targetlist, search);
	(void) find_fed_walker((Node *) plan->qual, search);
}

static Var *
column_of(List **columns, Node *leaf)
{
	int			column = 1;
	ListCell   *cell;

	foreach(cell, *columns)
	{
		if (equal(lfirst(cell), leaf))
			break;
		column++;
	}
	if (cell == NULL)
		*columns = lappend(*columns, copyObject(leaf));
	return makeVar(INDEX_VAR, column, exprType(leaf), exprTypmod(leaf), exprCollation(leaf), 0);
}

/*
 * The expression over a scan tuple of columns: every Var, aggregate and window
 * function in it is added to the columns, and replaced by a Var of that column.
 */
Node *
gpusort_target_over_columns(Node *expression, List **columns)
{
	if (expression == NULL)
		return NULL;
	if (is_leaf(expression))
		return (Node *) column_of(columns, expression);
	return expression_tree_mutator(expression, gpusort_target_over_columns, columns);
}

static Node *
replace_mutator(Node *node, PartsContext *context)
{
	int			column = context->first_column;
	ListCell   *cell;

	if (node == NULL)
		return NULL;
	foreach(cell, context->parts)
	{
		if (equal(lfirst(cell), node))
			return (Node *) makeVar(context->varno, column, exprType(node), exprTypmod(node), exprCollation(node), 0);
		column++;
	}
	return expression_tree_mutator(node, replace_mutator, context);
}

/* The expression with each of the calls replaced by a Var of INDEX_VAR, numbered from first_column on. */
Node *
gpusort_target_replace(Node *expression, List *calls, int first_column)
{
	PartsContext context = {.parts = calls, .varno = INDEX_VAR, .first_column = first_column};

	return replace_mutator(expression, &context);
}

static Node *
replace_fed_mutator(Node *node, PartsContext *context)
{
	if (node == NULL)
		return NULL;
	if (fed_arguments(node) != NULL)
	{
		Node	   *result = copyObject(node);
		List	  **arguments = fed_arguments(result);

		*arguments = (List *) replace_mutator((Node *) *arguments, context);
		return result;
	}
	return expression_tree_mutator(node, replace_fed_mutator, context);
}

/* The same for arguments, by Vars of OUTER_VAR, and only where gpusort_target_find_fed_calls looks for calls. */
Node *
gpusort_target_replace_fed(Node *expression, List *fed, int first_column)
{
	PartsContext context = {.parts = fed, .varno = OUTER_VAR, .first_column = first_column};

	return replace_fed_mutator(expression, &context);
}

static Node *
restore_calls_mutator(Node *node, PartsContext *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == context->varno &&
		((Var *) node)->varattno >= context->first_column)
		return copyObject(list_nth(context->parts, ((Var *) node)->varattno - context->first_column));
	return expression_tree_mutator(node, restore_calls_mutator, context);
}

/* Undoes gpusort_target_replace. */
Node *
gpusort_target_restore_calls(Node *expression, List *calls, int first_column)
{
	PartsContext context = {.parts = calls, .varno = INDEX_VAR, .first_column = first_column};

	return restore_calls_mutator(expression, &context);
}

/* The expression with Vars of one varno turned into Vars of another. */
Node *
gpusort_target_renumber(Node *expression, int from, int to)
{
	Node	   *result = copyObject(expression);

	ChangeVarNodes(result, from, to, 0);
	return result;
}
