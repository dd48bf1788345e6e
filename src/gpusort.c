/*
 * gpusort.c
 *	  Entry of the module: says what is set up when it is loaded.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "device/device_engine.h"
#include "device/worker.h"
#include "guc.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/plan_hook.h"

GPUSORT_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	gpusort_guc_define();
	gpusort_arrays_node_init();	/* first: the rows node may read a scan's table itself */
	gpusort_nodes_init();
	if (process_shared_preload_libraries_in_progress)
	{
		gpusort_device_register();
		gpusort_sort_set_gpu_engine(&gpusort_device_engine);
	}
}
