/*
 * worker_module.c
 *	  Loads the module that drives the device, in the worker process only, and calls it
 *	  where a driver may hang.
 *
 * The module is not a PostgreSQL extension and exports one symbol.  It is opened with local
 * symbols, so that its names cannot clash with those of the server or of other libraries.
 *
 * $libdir is the folder that this library was loaded from: both are installed together, but
 * not always where the server keeps its own (dynamic_library_path).
 */
#include "postgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "device/shared/arena.h"
#include "device/worker/worker.h"
#include "guc.h"

#define LIBDIR "$libdir"

typedef struct ModuleCall
{
	void		(*function) (void *argument);
	void	   *argument;
	int			event_fd;
	pg_atomic_uint32 returned;
} ModuleCall;

bool
gpusort_worker_module_path(char *path, size_t size)
{
	const char *name = gpusort_device_library;
	bool		relative = strncmp(name, LIBDIR, strlen(LIBDIR)) == 0;
	size_t		length = strlen(name);
	const char *suffix = length > 3 && strcmp(name + length - 3, ".so") == 0 ? "" : ".so";
	char		folder[MAXPGPATH] = "";
	Dl_info		self;

	if (relative)
	{
		name += strlen(LIBDIR);
		if (dladdr((void *) gpusort_worker_module_path, &self) == 0)
			elog(ERROR, "gpusort's own library has no path");
		strlcpy(folder, self.dli_fname, sizeof(folder));
		get_parent_directory(folder);
	}
	snprintf(path, size, "%s%s%s", folder, name, suffix);
	return access(path, F_OK) == 0;
}

/* Loads the module.  Returns NULL and sets *error on failure. */
static const GpusortDeviceModule *
load_module(const char *path, GpusortDeviceError *error)
{
	void	   *library;
	GpusortDeviceModuleFunction function;
	const GpusortDeviceModule *module;

	if (access(path, F_OK) != 0)
	{
		snprintf(error->message, sizeof(error->message), "there is no device module \"%s\"", path);
		return NULL;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	function = library ? (GpusortDeviceModuleFunction) dlsym(library, "gpusort_device_module") : NULL;
	if (function == NULL)
	{
		snprintf(error->message, sizeof(error->message), "%s", dlerror());
		return NULL;
	}
	module = function();
	if (module->abi != GPUSORT_DEVICE_ABI)
	{
		snprintf(error->message, sizeof(error->message), "device module \"%s\" has interface %u, not %u",
				 path, module->abi, (unsigned) GPUSORT_DEVICE_ABI);
		return NULL;
	}
	return module;
}

void
gpusort_worker_find_devices(void *argument)
{
	DeviceOpening *opening = argument;
	GpusortDeviceError *error = &opening->error;

	error->status = GPUSORT_DEVICE_UNAVAILABLE;
	opening->module = load_module(opening->path, error);
	if (opening->module == NULL)
		return;
	error->status = GPUSORT_DEVICE_OK;
	opening->count = opening->module->device_count(error);
	if (error->status == GPUSORT_DEVICE_OK && opening->ordinal >= opening->count)
	{
		error->status = GPUSORT_DEVICE_UNAVAILABLE;
		snprintf(error->message, sizeof(error->message), "there are %d devices", opening->count);
	}
}

void
gpusort_worker_open_found(void *argument)
{
	DeviceOpening *opening = argument;

	opening->error.status = GPUSORT_DEVICE_OK;
	opening->device = opening->module->open(opening->ordinal, (uint64_t) gpusort_gpu_memory_limit * 1024 * 1024,
											gpusort_arena->base,
											gpusort_arena->slab_bytes * gpusort_arena->nslabs,
											opening->event_fd, &opening->info, &opening->error);
}

static void *
run_call(void *argument)
{
	ModuleCall *call = argument;
	const uint64_t one = 1;

	call->function(call->argument);
	(void) pg_atomic_exchange_u32(&call->returned, 1);	/* a barrier: what the function wrote comes first */
	while (write(call->event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

static pthread_t
start_thread(ModuleCall *call)
{
	pthread_t	thread;
	sigset_t	all_signals;
	sigset_t	old_signals;

	sigfillset(&all_signals);
	pthread_sigmask(SIG_SETMASK, &all_signals, &old_signals);
	errno = pthread_create(&thread, NULL, run_call, call);
	pthread_sigmask(SIG_SETMASK, &old_signals, NULL);
	if (errno != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not start a thread: %m")));
	return thread;
}

bool
gpusort_worker_call(void (*function) (void *argument), void *argument, int event_fd, long timeout_ms)
{
	static ModuleCall call;		/* a thread that hangs keeps it until the process ends */
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), timeout_ms);
	pthread_t	thread;

	call = (ModuleCall) {.function = function, .argument = argument, .event_fd = event_fd};
	pg_atomic_init_u32(&call.returned, 0);
	thread = start_thread(&call);
	while (pg_atomic_read_u32(&call.returned) == 0)
	{
		long		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until);
		uint64_t	count;

		if (left == 0)
			return false;
		(void) WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
								 event_fd, left, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		if (read(event_fd, &count, sizeof(count)) < 0 && errno != EAGAIN && errno != EINTR)
			elog(ERROR, "could not read an eventfd: %m");
		CHECK_FOR_INTERRUPTS();
		if (ShutdownRequestPending)
			proc_exit(1);
	}
	pthread_join(thread, NULL);
	return true;
}
