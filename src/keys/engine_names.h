/*
 * engine_names.h
 *	  Engines and methods, and their names where a user sees them.
 */
#ifndef GPUSORT_ENGINE_NAMES_H
#define GPUSORT_ENGINE_NAMES_H

#include "keys/sort_spec.h"

typedef enum EngineId
{
	ENGINE_NONE,				/* not decided yet */
	ENGINE_CPU,
	ENGINE_GPU,
	ENGINE_COUNT
} EngineId;

/* "cpu" or "gpu", or "none" before an engine was decided on. */
extern const char *gpusort_engine_name(EngineId engine);

/* The name of a method, as in the setting gpusort.method. */
extern const char *gpusort_method_name(GpusortMethod method);

#endif							/* GPUSORT_ENGINE_NAMES_H */
