/*
 * gpusort_test.c
 *	  Another extension, for the tests: it does what gpusort must bear from others.
 *
 * It calls nothing of the gpusort that the server has loaded: the code of gpusort that it
 * tests is linked to it as well.  Tests load it before or after gpusort and create the
 * functions that they need from its symbols.
 */
#include "postgres.h"

#include "fmgr.h"

#include "gpusort_test.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	test_aggregate_calls_init();
	test_sort_owner_init();
}
