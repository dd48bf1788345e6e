/*
 * worker_module.c
 *	  Loads the module that drives the device, in the worker process only.
 *
 * The module is not a PostgreSQL extension and exports one symbol.  It is opened with local
 * symbols, so that its names cannot clash with those of the server or of other libraries.
 *
 * $libdir is the folder that this library was loaded from: both are installed together, but
 * not always where the server keeps its own (dynamic_library_path).
 */
#include "postgres.h"

#include <dlfcn.h>
#include <unistd.h>

#include "device/worker/worker.h"
#include "guc.h"

#define LIBDIR "$libdir"

/* Writes the path of the module, with folder and suffix. */
static void
module_path(char *path, size_t size)
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
		if (dladdr((void *) module_path, &self) == 0)
			elog(ERROR, "gpusort's own library has no path");
		strlcpy(folder, self.dli_fname, sizeof(folder));
		get_parent_directory(folder);
	}
	snprintf(path, size, "%s%s%s", folder, name, suffix);
}

/* True if the module's file exists. */
bool
gpusort_worker_module_installed(void)
{
	char		path[MAXPGPATH];

	module_path(path, sizeof(path));
	return access(path, F_OK) == 0;
}

/* Loads the module.  Returns NULL and sets *error on failure.  *installed tells whether the file exists. */
const GpusortDeviceModule *
gpusort_worker_load_module(GpusortDeviceError *error, bool *installed)
{
	char		path[MAXPGPATH];
	void	   *library;
	GpusortDeviceModuleFunction function;
	const GpusortDeviceModule *module;

	error->status = GPUSORT_DEVICE_UNAVAILABLE;
	module_path(path, sizeof(path));
	*installed = access(path, F_OK) == 0;
	if (!*installed)
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
	error->status = GPUSORT_DEVICE_OK;
	return module;
}
