/*
 * offers.h
 *	  What nodes that sort rows offer to the functions of aggregates above them.
 *
 * Sorted values: the state of aggregates that want values at some ranks, or numbers of equal ones.  None is NULL.  The node
 * returns one row of NULLs.
 *
 * Rows behind the one that it has returned: they are in memory, in the batch of its sort.  Where they are of the same group,
 * functions take their values from there, and the node goes on behind them.
 */
#ifndef GPUSORT_OFFERS_H
#define GPUSORT_OFFERS_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "rows/shared_sort.h"

typedef struct SortOffer
{
	RowSort    *sort;			/* NULL: nothing is offered */
	SharedSort *shared;			/* the sort that values are in; NULL: it is that of this process */
	int64	   *last;			/* number of the row returned last; NULL: values are offered */
	int		   *ahead;			/* 0: the next one is looked for by its number */
} SortOffer;

/* The CustomName of nodes that offer something.  EXPLAIN shows that of the plan. */
#define GPUSORT_OFFERS "GpusortOffers"

typedef struct OfferMethods
{
	CustomExecMethods exec;		/* must be first */
	SortOffer	(*offered) (CustomScanState *node);
} OfferMethods;

/* What a node offers; nothing if it is another one. */
static inline SortOffer
gpusort_offer_of(PlanState *node)
{
	CustomScanState *custom = (CustomScanState *) node;

	if (node == NULL || !IsA(node, CustomScanState) || strcmp(custom->methods->CustomName, GPUSORT_OFFERS) != 0)
		return (SortOffer) {NULL};
	return ((const OfferMethods *) custom->methods)->offered(custom);
}

#endif							/* GPUSORT_OFFERS_H */
