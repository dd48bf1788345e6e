/*
 * status.c
 *	  SQL functions that show devices, the arena, the memory of backends, and the
 *	  state of all in a few lines.
 *
 * Devices and arena are read under the arena's lock.  Rows are formed afterwards.
 */
#include "postgres.h"

#include "commands/dbcommands.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "cpu_engine/cpu_sort.h"
#include "device/shared/device_shared.h"
#include "functions/arguments.h"
#include "guc.h"
#include "kept_memory.h"
#include "stats/sort_progress.h"

#define DEVICE_COLUMNS 28
#define ARENA_COLUMNS 10

PG_FUNCTION_INFO_V1(gpusort_devices);
PG_FUNCTION_INFO_V1(gpusort_arena_status);
PG_FUNCTION_INFO_V1(gpusort_memory);
PG_FUNCTION_INFO_V1(gpusort_status);

static const char *
state_name(DeviceState state)
{
	static const char *const names[] = {
#define DEVICE_STATE_NAME(symbol, name) name,
		DEVICE_STATES(DEVICE_STATE_NAME)
#undef DEVICE_STATE_NAME
	};

	return names[state];
}

/* Text, or NULL if it is empty. */
static void
set_text(Datum *value, bool *isnull, const char *text)
{
	*isnull = text[0] == '\0';
	if (!*isnull)
		*value = CStringGetTextDatum(text);
}

/* A time, or NULL if it is 0. */
static void
set_time(Datum *value, bool *isnull, TimestampTz time)
{
	*isnull = time == 0;
	*value = TimestampTzGetDatum(time);
}

/* Copies what is known of a device.  Returns false if it never had a worker. */
static bool
copy_device(int number, SharedDevice *copy)
{
	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	memcpy(copy, &gpusort_arena->devices[number], sizeof(SharedDevice));
	LWLockRelease(gpusort_arena->lock);
	return copy->state != DEVICE_UNUSED;
}

static void
put_device(ReturnSetInfo *rsinfo, int number, const SharedDevice *device)
{
	Datum		values[DEVICE_COLUMNS] = {0};
	bool		nulls[DEVICE_COLUMNS] = {0};
	bool		known = device->info.name[0] != '\0';
	int			i = 0;

	values[i++] = Int32GetDatum(number);
	set_text(&values[i], &nulls[i], device->info.name), i++;
	values[i++] = CStringGetTextDatum(state_name(device->state));
	set_text(&values[i], &nulls[i], device->library), i++;
	set_text(&values[i], &nulls[i], device->info.driver), i++;
	nulls[i] = device->worker_pid == 0;
	values[i++] = Int32GetDatum(device->worker_pid);
	nulls[i] = !known;
	values[i++] = Int64GetDatum(device->info.memory_bytes);
	nulls[i] = !known;
	values[i++] = Int64GetDatum(device->info.memory_limit);
	values[i++] = Int64GetDatum(device->memory_now);
	values[i++] = Int64GetDatum(device->memory_peak);
	nulls[i] = !known;
	values[i++] = Float8GetDatum(device->info.to_device_bytes_per_s);
	nulls[i] = !known;
	values[i++] = Float8GetDatum(device->info.from_device_bytes_per_s);
	nulls[i] = !known;
	values[i++] = Float8GetDatum(device->info.latency_s * 1e6);
	values[i++] = Int32GetDatum(device->queued);
	values[i++] = Int32GetDatum(device->running);
	values[i++] = Int64GetDatum(device->jobs);
	values[i++] = Int64GetDatum(device->sorts);
	values[i++] = Float8GetDatum(device->copy_in_s * 1e3);
	values[i++] = Float8GetDatum(device->sort_s * 1e3);
	values[i++] = Float8GetDatum(device->verify_s * 1e3);
	values[i++] = Float8GetDatum(device->copy_out_s * 1e3);
	values[i++] = Int64GetDatum(device->faults);
	values[i++] = Int64GetDatum(device->starts > 0 ? device->starts - 1 : 0);
	values[i++] = Int64GetDatum(device->verification_failures);
	set_text(&values[i], &nulls[i], device->last_error), i++;
	set_time(&values[i], &nulls[i], device->last_error_at), i++;
	set_time(&values[i], &nulls[i], device->ready_since), i++;
	nulls[i] = true;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* One row that says why there is no device at all. */
static void
put_no_device(ReturnSetInfo *rsinfo)
{
	Datum		values[DEVICE_COLUMNS] = {0};
	bool		nulls[DEVICE_COLUMNS];

	memset(nulls, true, sizeof(nulls));
	values[2] = CStringGetTextDatum("not preloaded");
	values[DEVICE_COLUMNS - 1] = CStringGetTextDatum("Add gpusort to shared_preload_libraries.");
	nulls[2] = nulls[DEVICE_COLUMNS - 1] = false;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* A row for each device that has or had a worker. */
Datum
gpusort_devices(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	if (gpusort_arena == NULL)
	{
		put_no_device(rsinfo);
		return (Datum) 0;
	}
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		SharedDevice copy;

		if (copy_device(i, &copy))
			put_device(rsinfo, i, &copy);
	}
	return (Datum) 0;
}

/* One row: slabs, slab_bytes, then slabs free, held, queued, running, ended, lost, waiters, sessions. */
Datum
gpusort_arena_status(PG_FUNCTION_ARGS)
{
	int			slabs_in[JOB_LOST + 1] = {0};
	int			sessions = 0;
	int			i = 0;
	Datum		values[ARENA_COLUMNS] = {0};

	if (gpusort_arena == NULL)
		PG_RETURN_NULL();
	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	for (int job = 0; job < gpusort_arena->nslabs; job++)
		slabs_in[gpusort_arena->job[job].state]++;
	for (int job = gpusort_arena->nslabs; job < gpusort_arena->njobs; job++)
		sessions += gpusort_arena->job[job].state != JOB_FREE;
	values[i++] = Int32GetDatum(gpusort_arena->nslabs);
	values[i++] = Int64GetDatum(gpusort_arena->slab_bytes);
	for (int state = JOB_FREE; state <= JOB_LOST; state++)
		values[i++] = Int32GetDatum(slabs_in[state]);
	values[i++] = Int32GetDatum(gpusort_arena->nwaiters);
	LWLockRelease(gpusort_arena->lock);
	values[i++] = Int32GetDatum(sessions);
	return gpusort_return_record(fcinfo, values);
}

/* Rows (pid, in_use_bytes, kept_bytes, limit_bytes), one for each backend that ever had any and may be seen. */
Datum
gpusort_memory(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryUse	use;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; gpusort_memory_look(i, &use); i++)
	{
		Datum		values[4] = {
			Int32GetDatum(use.pid), Int64GetDatum(use.in_use), Int64GetDatum(use.kept), Int64GetDatum(use.limit)
		};
		bool		nulls[4] = {false};

		if (use.pid != 0 && gpusort_may_see_backend(use.pid))
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

static void
put_item(ReturnSetInfo *rsinfo, const char *item, const char *value)
{
	Datum		values[2] = {CStringGetTextDatum(item), CStringGetTextDatum(value)};
	bool		nulls[2] = {false};

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

static void
put_loaded(ReturnSetInfo *rsinfo)
{
	const char *setting = gpusort_preloaded_by();

	if (setting != NULL)
		put_item(rsinfo, "loaded", psprintf("by %s", setting));
	else
	{
		put_item(rsinfo, "loaded", "by a call in this session: earlier statements, and other sessions, are sorted by PostgreSQL alone");
		put_item(rsinfo, "to preload", psprintf("ALTER DATABASE %s SET local_preload_libraries = 'gpusort'",
												quote_identifier(get_database_name(MyDatabaseId))));
	}
}

static void
put_gpus(ReturnSetInfo *rsinfo)
{
	bool		any = false;

	for (int i = 0; gpusort_arena != NULL && i < GPUSORT_MAX_DEVICES; i++)
	{
		SharedDevice copy;

		if (!copy_device(i, &copy))
			continue;
		any = true;
		put_item(rsinfo, psprintf("GPU %d", i),
				 psprintf("%s%s%s%s%s", state_name(copy.state), copy.info.name[0] != '\0' ? ": " : "", copy.info.name,
						  copy.last_error[0] != '\0' ? "; last error: " : "", copy.last_error));
	}
	if (!any)
		put_item(rsinfo, "GPU", gpusort_arena == NULL ? "none: gpusort is not in shared_preload_libraries" :
				 "none: gpusort.devices names none");
}

/* Rows (item, value). */
Datum
gpusort_status(PG_FUNCTION_ARGS)
{
	static const char *const settings[] = {
		"gpusort.engine", "gpusort.enable_sort", "gpusort.enable_array_sort", "gpusort.enable_aggregates",
		"gpusort.min_gpu_keys", "work_mem"
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	put_item(rsinfo, "version", GPUSORT_VERSION);
	put_loaded(rsinfo);
	put_item(rsinfo, "vector unit", gpusort_cpu_vector_unit());
	put_gpus(rsinfo);
	for (int i = 0; i < lengthof(settings); i++)
	{
		const char *value = GetConfigOptionByName(settings[i], NULL, true);

		/* Those of the GPU exist only with shared_preload_libraries. */
		if (value != NULL)
			put_item(rsinfo, settings[i], value);
	}
	return (Datum) 0;
}
