/*
 * datum_sort.c
 *	  See datum_sort.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "keys/datum_sort.h"

typedef struct Datums
{
	SortSupport support;
	const Datum *datums;
} Datums;

/* Values that are equal stay in the order of their positions. */
static int
compare_positions(const void *a, const void *b, void *arg)
{
	const Datums *datums = arg;
	uint32		left = *(const uint32 *) a;
	uint32		right = *(const uint32 *) b;
	int			order;

	CHECK_FOR_INTERRUPTS();
	order = ApplySortComparator(datums->datums[left], false, datums->datums[right], false, datums->support);
	return order != 0 ? order : left < right ? -1 : 1;
}

void
gpusort_datums_sort(SortSupport support, const Datum *values, uint32 *positions, uint32 n)
{
	Datums		datums = {support, values};

	qsort_arg(positions, n, sizeof(uint32), compare_positions, &datums);
}
