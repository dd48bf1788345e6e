/*
 * guc.c
 *	  All settings of gpusort, in alphabetical order.
 *
 * Settings that size shared memory or name modules are POSTMASTER and exist only
 * when gpusort is in shared_preload_libraries: without it there is no device
 * worker that could use them.  The others may be set by anyone at any time.
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

#include "guc.h"
#include "keys/sort_spec.h"

#define GPUSORT_BUFFER_SIZE_MIN 1	/* MB */
#define GPUSORT_BUFFER_SIZE_DEFAULT 256
#define GPUSORT_BUFFER_SIZE_MAX (1024 * 1024)
#define GPUSORT_CPU_THREADS_MAX 256
#define GPUSORT_DEVICE_TIMEOUT_DEFAULT (30 * 1000)	/* ms */
#define GPUSORT_DEVICE_TIMEOUT_MIN 100
#define GPUSORT_MIN_GPU_KEYS_DEFAULT 100000

int			gpusort_buffer_size = GPUSORT_BUFFER_SIZE_DEFAULT;
int			gpusort_cpu_threads = 1;
char	   *gpusort_device_library;
int			gpusort_device_timeout = GPUSORT_DEVICE_TIMEOUT_DEFAULT;
char	   *gpusort_devices_used;
bool		gpusort_enable_arrays_node = true;
bool		gpusort_enable_heap_reader = true;
bool		gpusort_enable_rows_node = true;
bool		gpusort_enable_toast_reader = true;
int			gpusort_engine = GPUSORT_ENGINE_AUTO;
bool		gpusort_explain_choices = false;
bool		gpusort_force_nodes = false;
int			gpusort_gpu_memory_limit = 0;
int			gpusort_method = GPUSORT_METHOD_AUTO;
int			gpusort_min_gpu_keys = GPUSORT_MIN_GPU_KEYS_DEFAULT;
bool		gpusort_verify = true;

static const struct config_enum_entry engine_options[] = {
	{"auto", GPUSORT_ENGINE_AUTO, false},
	{"cpu", GPUSORT_ENGINE_CPU, false},
	{"gpu", GPUSORT_ENGINE_GPU, false},
	{NULL, 0, false}
};

static const struct config_enum_entry method_options[] = {
#define METHOD_OPTION(symbol, name) {name, GPUSORT_METHOD_##symbol, false},
	GPUSORT_METHODS(METHOD_OPTION)
#undef METHOD_OPTION
	{NULL, 0, false}
};

void
gpusort_guc_define(void)
{
	if (process_shared_preload_libraries_in_progress)
	{
		DefineCustomIntVariable("gpusort.buffer_size",
								"Size of the shared arena that data passes through on its way to a GPU.",
								NULL, &gpusort_buffer_size,
								GPUSORT_BUFFER_SIZE_DEFAULT, GPUSORT_BUFFER_SIZE_MIN, GPUSORT_BUFFER_SIZE_MAX,
								PGC_POSTMASTER, GUC_UNIT_MB, NULL, NULL, NULL);
	}
	DefineCustomIntVariable("gpusort.cpu_threads",
							"Threads that the CPU engine may use for one sort.",
							NULL, &gpusort_cpu_threads,
							1, 1, GPUSORT_CPU_THREADS_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	if (process_shared_preload_libraries_in_progress)
	{
		DefineCustomStringVariable("gpusort.device_library",
								   "Module that drives the device.",
								   "Tests put the emulated device in the place of the real one.",
								   &gpusort_device_library, "$libdir/gpusort_cuda",
								   PGC_POSTMASTER, 0, NULL, NULL, NULL);
		DefineCustomIntVariable("gpusort.device_timeout",
								"Time after which a device that has work and ends none of it counts as hung.",
								"Its worker then restarts, and the CPU does what it left.",
								&gpusort_device_timeout,
								GPUSORT_DEVICE_TIMEOUT_DEFAULT, GPUSORT_DEVICE_TIMEOUT_MIN, INT_MAX,
								PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
		DefineCustomStringVariable("gpusort.devices_used",
								   "Devices that get a worker: \"all\", or a list of ordinals.",
								   NULL, &gpusort_devices_used, "all",
								   PGC_POSTMASTER, 0, NULL, NULL, NULL);
	}
	DefineCustomBoolVariable("gpusort.enable_arrays_node",
							 "Sort the arrays of many rows at once where a plan's target list asks for it.",
							 NULL, &gpusort_enable_arrays_node, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.enable_heap_reader",
							 "Read the rows of a plain table from its pages, a page at a time.",
							 "The rows node does so; else it asks the scan below it for each row.",
							 &gpusort_enable_heap_reader, true,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.enable_rows_node",
							 "Replace Sort nodes by gpusort's where that is cheaper.",
							 NULL, &gpusort_enable_rows_node, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.enable_toast_reader",
							 "Read stored arrays from the pages of their TOAST table in the order in which they lie there.",
							 "The arrays node does so; else PostgreSQL fetches them by index.",
							 &gpusort_enable_toast_reader, true,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpusort.engine",
							 "Engine that sorts.",
							 "\"gpu\" makes it an error when the GPU cannot.",
							 &gpusort_engine, GPUSORT_ENGINE_AUTO, engine_options,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.explain_choices",
							 "Tell for each Sort and array call of a statement that is planned why it is taken or kept.",
							 NULL, &gpusort_explain_choices, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.force_nodes",
							 "Use gpusort's nodes wherever they can be used, whatever they cost.",
							 NULL, &gpusort_force_nodes, false,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	if (process_shared_preload_libraries_in_progress)
		DefineCustomIntVariable("gpusort.gpu_memory_limit",
								"Device memory that gpusort may use on each GPU; 0 means all but a reserve.",
								NULL, &gpusort_gpu_memory_limit,
								0, 0, INT_MAX,
								PGC_POSTMASTER, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpusort.method",
							 "Method that sorts; one that cannot sort what is asked is an error.",
							 NULL, &gpusort_method, GPUSORT_METHOD_AUTO, method_options,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpusort.min_gpu_keys",
							"Keys that a sort must have before the GPU is considered for it.",
							NULL, &gpusort_min_gpu_keys,
							GPUSORT_MIN_GPU_KEYS_DEFAULT, 0, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpusort.verify",
							 "Check on the device that every result is ordered and complete.",
							 NULL, &gpusort_verify, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);

	MarkGUCPrefixReserved("gpusort");
}
