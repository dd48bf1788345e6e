/*
 * ordered_values.h
 *	  A set of values in order, which changes by one value at a time: what an aggregate over a moving window keeps.
 *
 * A counted B-tree (Tatham, "Counted B-Trees", 2001): a B-tree in which each page knows how many values are below it.
 * Adding, removing, and finding the value at a rank or the most frequent one take O(log n).  Pages are given back when
 * they are empty, not merged (Johnson and Shasha, "B-trees with inserts and deletes: why free-at-empty is better than
 * merge-at-half", 1993).  Equal values share a place, where they wait in the order in which they were added.  The first
 * of them is removed first, as rows leave a window, so that only values of the window are found.  NULLs are not among them.
 */
#ifndef GPUSORT_ORDERED_VALUES_H
#define GPUSORT_ORDERED_VALUES_H

#include "arrays/element_type.h"

typedef struct OrderedValues OrderedValues;

/* An empty set.  The element type must outlive it.  Values are removed only if values_leave. */
extern OrderedValues *gpusort_ordered_create(MemoryContext context, ElementType *element, Oid collation, bool values_leave);

/* Adds a copy of a value. */
extern void gpusort_ordered_add(OrderedValues *set, Datum value);

/* Removes the oldest of the values that equal this one.  Returns false if there is none. */
extern bool gpusort_ordered_remove(OrderedValues *set, Datum value);

extern uint64 gpusort_ordered_count(const OrderedValues *set);
extern uint64 gpusort_ordered_count_distinct(const OrderedValues *set);

/* The value at a rank, which counts from 0; the most frequent value, and of several the first.  They belong to the set. */
extern Datum gpusort_ordered_at(const OrderedValues *set, uint64 rank);
extern Datum gpusort_ordered_mode(const OrderedValues *set);

#endif							/* GPUSORT_ORDERED_VALUES_H */
