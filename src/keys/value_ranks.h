/*
 * value_ranks.h
 *	  Ranks of values of any type, where few of them are distinct.
 *
 * Values of the same bytes are equal in any order and collation.  So they are found by a
 * hash of their bytes, and only the distinct ones are sorted by the comparator.  Those that
 * it calls equal share a rank.
 *
 * Values are not copied: they must stay where they are as long as the ranks are used.
 */
#ifndef GPUSORT_VALUE_RANKS_H
#define GPUSORT_VALUE_RANKS_H

#include "utils/sortsupport.h"

typedef struct ValueRanks
{
	bool		by_value;		/* how the type is stored */
	int16		length;
	uint32		count;			/* distinct values, by their bytes */
	uint32		nranks;			/* set by gpusort_ranks_sort */
	uint32	   *rank_of;		/* set by gpusort_ranks_sort: the rank of each number */
	Datum		last;			/* the value that was found last, */
	uint32		last_number;	/* and its number */
	Datum	   *values;			/* each distinct value, by its number */
	uint32	   *hashes;			/* of these */
	uint32	   *slots;			/* a hash table of their numbers, counted from 1; 0 if free */
	uint64		mask;			/* the number of slots, a power of two, less one */
} ValueRanks;

extern ValueRanks *gpusort_ranks_create(bool by_value, int16 length);

/* The number of a value, counted from 0.  A value that was not seen before gets the next one. */
extern uint32 gpusort_ranks_find(ValueRanks *ranks, Datum value);

/* Sets the ranks of the values that were found so far. */
extern void gpusort_ranks_sort(ValueRanks *ranks, SortSupport compare);

/* True if two values have the same bytes. */
extern bool gpusort_ranks_same_bytes(bool by_value, int16 length, Datum a, Datum b);

extern void gpusort_ranks_free(ValueRanks *ranks);

#endif							/* GPUSORT_VALUE_RANKS_H */
