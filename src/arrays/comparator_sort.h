/*
 * comparator_sort.h
 *	  Sorts values of any type through its default btree operator class.
 *
 * Used for types that have no key form.  The caller leaves NULLs out.
 */
#ifndef GPUSORT_COMPARATOR_SORT_H
#define GPUSORT_COMPARATOR_SORT_H

#include "utils/sortsupport.h"

#include "keys/key_bytes.h"
#include "keys/key_encoding.h"
#include "stats/sort_stats.h"

typedef struct ComparatorSort
{
	Oid			collation;
	bool		descending;
	bool		by_value;		/* how the type is stored */
	int16		length;
	SortSupportData compare;	/* full comparison, in the direction wanted */

	/* Keys that are bytes; those of some collations have to be learned, which only many values repay. */
	ByteSource	bytes;
	bool		bytes_are_costly;
	uint64		seen;			/* values sorted so far */
} ComparatorSort;

/*
 * Looks up how values of a type that has an order are ordered.  The result lies in the
 * current memory context and can be used for many arrays.
 */
extern ComparatorSort *gpusort_comparator_prepare(Oid type, Oid collation, bool descending);

/*
 * Writes the 0-based positions of n values in order, stably, to index.  Takes up to 48
 * bytes of memory per value and checks for interrupts.  Sorts of keys are counted as sorts
 * for this use.
 */
extern void gpusort_comparator_sort(ComparatorSort *sort, SortUse use, const Datum *values, uint32 *index, uint32 n);

/* Less than, equal to or greater than 0 as a comes before, is equal to or comes after b in the wanted order. */
static inline int
gpusort_comparator_compare(ComparatorSort *sort, Datum a, Datum b)
{
	return ApplySortComparator(a, false, b, false, &sort->compare);
}

#endif							/* GPUSORT_COMPARATOR_SORT_H */
