/*
 * engine_names.c
 *	  See engine_names.h.
 */
#include "keys/engine_names.h"

const char *
gpusort_engine_name(EngineId engine)
{
	static const char *const names[ENGINE_COUNT] = {"none", "cpu", "gpu"};

	return names[engine];
}

const char *
gpusort_method_name(GpusortMethod method)
{
	static const char *const names[] = {
#define METHOD_NAME(symbol, name) name,
		GPUSORT_METHODS(METHOD_NAME)
#undef METHOD_NAME
	};

	return names[method];
}
