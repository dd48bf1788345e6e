/*
 * sort_keys.c
 *	  See sort_keys.h.
 */
#include "postgres.h"

#include "keys/sort_keys.h"

/* Makes an array one entry longer. */
static void *
grow(void *array, int count, Size entry)
{
	return count == 0 ? palloc(entry) : repalloc(array, (count + 1) * entry);
}

void
gpusort_add_sort_key(Sort *sort, AttrNumber column, Oid operator, Oid collation, bool nulls_first)
{
	int			count = sort->numCols;

	for (int i = 0; i < count; i++)
		if (sort->sortColIdx[i] == column && sort->sortOperators[i] == operator && sort->collations[i] == collation)
			return;
	sort->sortColIdx = grow(sort->sortColIdx, count, sizeof(AttrNumber));
	sort->sortOperators = grow(sort->sortOperators, count, sizeof(Oid));
	sort->collations = grow(sort->collations, count, sizeof(Oid));
	sort->nullsFirst = grow(sort->nullsFirst, count, sizeof(bool));
	sort->sortColIdx[count] = column;
	sort->sortOperators[count] = operator;
	sort->collations[count] = collation;
	sort->nullsFirst[count] = nulls_first;
	sort->numCols++;
}
