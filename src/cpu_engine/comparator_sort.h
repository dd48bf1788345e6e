/*
 * comparator_sort.h
 *	  Sorts of values of any type through its default btree operator class.
 *
 * For types that have no key form.  NULLs never come here.
 */
#ifndef GPUSORT_COMPARATOR_SORT_H
#define GPUSORT_COMPARATOR_SORT_H

#include "utils/sortsupport.h"

typedef struct ComparatorSort
{
	Oid			type;
	Oid			collation;
	bool		descending;
	SortSupportData compare;	/* full comparison; descending is in it */
	SortSupportData abbreviate; /* on abbreviated keys; abbrev_converter NULL if
								 * the type has none */
	MemoryContext context;		/* that it lives in */
} ComparatorSort;

/*
 * Looks up how values of a type are ordered, in the current memory context: keep
 * the result and use it for many arrays.  Raises UNDEFINED_FUNCTION for a type
 * without an order.
 */
extern ComparatorSort *gpusort_comparator_prepare(Oid type, Oid collation, bool descending);

/*
 * Sorts n values in place, stably.  If index is not NULL it gets their former
 * 0-based positions.  Checks for interrupts.
 */
extern void gpusort_comparator_sort(ComparatorSort *sort, Datum *values, uint32 *index, uint32 n);

/* <0, 0 or >0 as a comes before, ties with or comes after b in the wanted order. */
static inline int
gpusort_comparator_compare(ComparatorSort *sort, Datum a, Datum b)
{
	return ApplySortComparator(a, false, b, false, &sort->compare);
}

#endif							/* GPUSORT_COMPARATOR_SORT_H */
