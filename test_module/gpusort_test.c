/*
 * gpusort_test.c
 *	  Another extension, for the tests: it does what gpusort must bear from others.
 *
 * It shares nothing with gpusort but the server.  Tests load it before or after
 * gpusort and create the functions that they need from its symbols.
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
