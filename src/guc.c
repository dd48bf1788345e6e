/*
 * guc.c
 *	  All settings of gpusort, in alphabetical order.
 *
 * Settings of the device workers are read when the server starts, or by the workers, so they
 * exist only where gpusort is in shared_preload_libraries.  Each setting costs a session that
 * loads the library: PostgreSQL 15 sorts all settings for each that is added.
 */
#include "postgres.h"

#include <limits.h>

#include "access/parallel.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#include "compat.h"
#include "device/shared/device_list.h"
#include "guc.h"
#include "keys/sort_spec.h"

#define GPUSORT_BUFFER_SIZE_MIN 1	/* MB */
#define GPUSORT_BUFFER_SIZE_DEFAULT 256
#define GPUSORT_BUFFER_SIZE_MAX (1024 * 1024)
#define GPUSORT_CPU_THREADS_MAX 256
#define GPUSORT_DEVICE_TIMEOUT_DEFAULT (30 * 1000)	/* ms */
#define GPUSORT_DEVICE_TIMEOUT_MIN 100
#define GPUSORT_MIN_GPU_KEYS_DEFAULT 100000

int			gpusort_cpu_threads = 1;
char	   *gpusort_device_library;
char	   *gpusort_device_list;
int			gpusort_device_timeout = GPUSORT_DEVICE_TIMEOUT_DEFAULT;
bool		gpusort_enable_aggregates = true;
bool		gpusort_enable_array_sort = true;
bool		gpusort_enable_index_build = true;
bool		gpusort_enable_sort = true;
int			gpusort_engine = GPUSORT_ENGINE_AUTO;
bool		gpusort_explain_choices = false;
int			gpusort_force_nodes = GPUSORT_FORCE_OFF;
int			gpusort_gpu_buffer_size = GPUSORT_BUFFER_SIZE_DEFAULT;
int			gpusort_gpu_memory_limit = 0;
int			gpusort_method = GPUSORT_METHOD_AUTO;
int			gpusort_min_gpu_keys = GPUSORT_MIN_GPU_KEYS_DEFAULT;
bool		gpusort_verify = true;

static bool preloaded;			/* the module was loaded by shared_preload_libraries */
static bool loaded_at_start;	/* it was loaded before the first statement of the session */

static const struct config_enum_entry engine_options[] = {
	{"auto", GPUSORT_ENGINE_AUTO, false},
	{"cpu", GPUSORT_ENGINE_CPU, false},
	{"gpu", GPUSORT_ENGINE_GPU, false},
	{NULL, 0, false}
};

static const struct config_enum_entry force_options[] = {
	{"off", GPUSORT_FORCE_OFF, false},
	{"on", GPUSORT_FORCE_ON, false},
	{"row_by_row", GPUSORT_FORCE_ROW_BY_ROW, false},
	{NULL, 0, false}
};

static const struct config_enum_entry method_options[] = {
#define METHOD_OPTION(symbol, name) {name, GPUSORT_METHOD_##symbol, false},
	GPUSORT_METHODS(METHOD_OPTION)
#undef METHOD_OPTION
	{NULL, 0, false}
};

/* A list in the configuration file of a server that starts is checked when workers are registered. */
static bool
check_devices(char **newval, void **extra, GucSource source)
{
	uint32		ordinals;

	if (process_shared_preload_libraries_in_progress || gpusort_device_list_read(*newval, &ordinals))
		return true;
	GUC_check_errhint(GPUSORT_DEVICE_LIST_HINT, GPUSORT_MAX_DEVICES - 1);
	return false;
}

/* True if a list of libraries to preload has this one, by its name or its path. */
static bool
names_this_library(const char *libraries)
{
	char	   *list = pstrdup(libraries != NULL ? libraries : "");
	List	   *paths;
	ListCell   *cell;
	bool		found = false;

	if (SplitDirectoriesString(list, ',', &paths))
		foreach(cell, paths)
		{
			const char *name = last_dir_separator(lfirst(cell));

			name = name != NULL ? name + 1 : lfirst(cell);
			found = found || strcmp(name, "gpusort") == 0 || strcmp(name, "gpusort" DLSUFFIX) == 0;
		}
	return found;
}

const char *
gpusort_preloaded_by(void)
{
	if (preloaded)
		return "shared_preload_libraries";
	if (!loaded_at_start)
		return NULL;
	return names_this_library(session_preload_libraries_string) ? "session_preload_libraries" : "local_preload_libraries";
}

void
gpusort_guc_define(void)
{
	preloaded = process_shared_preload_libraries_in_progress;
	loaded_at_start = debug_query_string == NULL;

	DefineCustomIntVariable("gpusort.cpu_threads",
							"Threads that the CPU engine may use for one sort.",
							"No more than max_worker_processes are used.",
							&gpusort_cpu_threads,
							1, 1, GPUSORT_CPU_THREADS_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	if (preloaded)
	{
		DefineCustomStringVariable("gpusort.device_library",
								   "Module that drives the device.",
								   "Tests put the emulated device in the place of the real one.",
								   &gpusort_device_library, "$libdir/gpusort_cuda",
								   PGC_POSTMASTER, GUC_NOT_IN_SAMPLE,
								   NULL, NULL, NULL);
		DefineCustomIntVariable("gpusort.device_timeout",
								"Time after which a device that has work and ends none of it counts as hung.",
								"Its worker then restarts, and the CPU does what it left.",
								&gpusort_device_timeout,
								GPUSORT_DEVICE_TIMEOUT_DEFAULT, GPUSORT_DEVICE_TIMEOUT_MIN, INT_MAX,
								PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
		DefineCustomStringVariable("gpusort.devices",
								   "Devices that get a worker: \"all\", \"none\", or a list of ordinals.",
								   NULL, &gpusort_device_list, "all",
								   PGC_POSTMASTER, GUC_LIST_INPUT, check_devices, NULL, NULL);
	}
	DefineCustomBoolVariable("gpusort.enable_aggregates",
							 "Sort for built-in aggregates where that is cheaper than their own sorts.",
							 "percentile_cont, percentile_disc, mode, count(DISTINCT) and array_agg with ORDER BY are computed by aggregates of the extension, and the input of others with ORDER BY is sorted.",
							 &gpusort_enable_aggregates, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.enable_array_sort",
							 "Sort the arrays of many rows at once where a plan's target list asks for it.",
							 NULL, &gpusort_enable_array_sort, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.enable_index_build",
							 "Build btree indexes by gpusort's sort where that is cheaper.",
							 "The index is the same, byte for byte.",
							 &gpusort_enable_index_build, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.enable_sort",
							 "Replace Sort nodes by gpusort's where that is cheaper.",
							 NULL, &gpusort_enable_sort, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpusort.engine",
							 "Engine that sorts.",
							 "\"gpu\" makes it an error when the GPU cannot.",
							 &gpusort_engine, GPUSORT_ENGINE_AUTO, engine_options,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.explain_choices",
							 "Tell for each Sort and each aggregate that sorts of a statement that is planned why it is taken or kept.",
							 NULL, &gpusort_explain_choices, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpusort.force_nodes",
							 "Use gpusort's nodes wherever they can be used, whatever they cost.",
							 "With \"row_by_row\" they do not read pages of tables, but ask scans for each row, and PostgreSQL for stored arrays.",
							 &gpusort_force_nodes, GPUSORT_FORCE_OFF, force_options,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	if (preloaded)
	{
		DefineCustomIntVariable("gpusort.gpu_buffer_size",
								"Size of the shared arena that data passes through on its way to a GPU.",
								"None is allocated where no device or no device module is there when the server starts.",
								&gpusort_gpu_buffer_size,
								GPUSORT_BUFFER_SIZE_DEFAULT, GPUSORT_BUFFER_SIZE_MIN, GPUSORT_BUFFER_SIZE_MAX,
								PGC_POSTMASTER, GUC_UNIT_MB, NULL, NULL, NULL);
		DefineCustomIntVariable("gpusort.gpu_memory_limit",
								"Device memory that gpusort may use on each GPU; 0 means all but a reserve.",
								NULL, &gpusort_gpu_memory_limit,
								0, 0, INT_MAX,
								PGC_POSTMASTER, GUC_UNIT_MB, NULL, NULL, NULL);
	}
	DefineCustomEnumVariable("gpusort.method",
							 "Method that sorts; one that cannot sort what is asked is an error.",
							 NULL, &gpusort_method, GPUSORT_METHOD_AUTO, method_options,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	if (preloaded)
	{
		DefineCustomIntVariable("gpusort.min_gpu_keys",
								"Keys that a sort must have before the GPU is considered for it.",
								NULL, &gpusort_min_gpu_keys,
								GPUSORT_MIN_GPU_KEYS_DEFAULT, 0, INT_MAX,
								PGC_USERSET, 0, NULL, NULL, NULL);
		DefineCustomBoolVariable("gpusort.verify",
								 "Check on the device that every result is ordered and complete.",
								 NULL, &gpusort_verify, true,
								 PGC_SUSET, 0, NULL, NULL, NULL);
	}
	/* It warns of names that are not defined, which the leader has been told. */
	if (!IsParallelWorker())
		MarkGUCPrefixReserved("gpusort");
}
