/*
 * gpusort.c
 *	  Entry of the module: says what is set up when it is loaded.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "guc.h"
#include "nodes/plan_hook.h"

GPUSORT_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	gpusort_guc_define();
	gpusort_nodes_init();
}
