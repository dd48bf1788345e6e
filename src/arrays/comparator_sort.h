/*
 * comparator_sort.h
 *	  Sorts of values of any type through its default btree operator class.
 *
 * For types that have no key form.  NULLs never come here.
 */
#ifndef GPUSORT_COMPARATOR_SORT_H
#define GPUSORT_COMPARATOR_SORT_H

#include "utils/sortsupport.h"

#include "keys/key_encoding.h"
#include "stats/sort_stats.h"

typedef struct ComparatorSort
{
	Oid			type;
	Oid			collation;
	bool		descending;
	bool		by_value;		/* how the type is stored */
	int16		length;
	SortSupportData compare;	/* full comparison; descending is in it */

	/* Abbreviated keys, which order as numbers do, if the type has such. */
	bool		has_abbreviation;
	bool		abbreviation_is_dear;
	bool		abbreviation_inverted;	/* the greatest number comes first */
	GpusortKeyForm abbreviation_form;
	SortSupportData abbreviate;
} ComparatorSort;

/*
 * Looks up how values of a type are ordered, in the current memory context: keep
 * the result and use it for many arrays.  Raises UNDEFINED_FUNCTION for a type
 * without an order.
 */
extern ComparatorSort *gpusort_comparator_prepare(Oid type, Oid collation, bool descending);

/*
 * Writes the 0-based positions of n values in their order, stably, to index.
 * Takes up to 16 bytes of memory a value, and checks for interrupts.  Sorts of
 * abbreviated keys are counted for the use.
 */
extern void gpusort_comparator_sort(ComparatorSort *sort, SortUse use, const Datum *values, uint32 *index, uint32 n);

/* <0, 0 or >0 as a comes before, ties with or comes after b in the wanted order. */
static inline int
gpusort_comparator_compare(ComparatorSort *sort, Datum a, Datum b)
{
	return ApplySortComparator(a, false, b, false, &sort->compare);
}

#endif							/* GPUSORT_COMPARATOR_SORT_H */
