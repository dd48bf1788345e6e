/*
 * engine_names.h
 *	  Engines and methods, and their names where a user sees them.
 */
#ifndef GPUSORT_ENGINE_NAMES_H
#define GPUSORT_ENGINE_NAMES_H

#include "keys/sort_spec.h"

typedef enum EngineId
{
	ENGINE_NONE,				/* not known yet */
	ENGINE_CPU,
	ENGINE_GPU,
	ENGINE_COUNT
} EngineId;

/* "cpu" or "gpu". */
extern const char *gpusort_engine_name(EngineId engine);

/* Name of a method, as gpusort.method has it. */
extern const char *gpusort_method_name(GpusortMethod method);

#endif							/* GPUSORT_ENGINE_NAMES_H */
