/*
 * gpusort.c
 *	  Entry of the module: says what is set up when it is loaded.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "device/worker/worker.h"
#include "guc.h"
#include "index/index_build.h"
#include "keys/byte_hash.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/plan_hook.h"
#include "nodes/rows/rows_node.h"

GPUSORT_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	gpusort_guc_define();
	if (gpusort_explain_choices && gpusort_preloaded_by() == NULL)
		ereport(NOTICE,
				(errmsg("gpusort was not preloaded: it has no part in plans made so far in this session"),
				 errhint("ALTER DATABASE ... SET local_preload_libraries = 'gpusort' has new sessions load it. See gpusort.status().")));
	gpusort_hash_init();

	/*
	 * Each plan node is offered to the first two in turn: first to what may go
	 * above it, then to what may replace it.  Aggregates are prepared before that,
	 * on the way down the plan.
	 */
	gpusort_arrays_node_init();
	gpusort_rows_node_init();
	gpusort_plan_hook_init(gpusort_aggregates_prepare);
	gpusort_rows_price_init();
	gpusort_index_init();
	if (process_shared_preload_libraries_in_progress)
		gpusort_device_register();
}
