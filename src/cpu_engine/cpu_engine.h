/*
 * cpu_engine.h
 *	  The CPU engine as sort.c knows it.
 */
#ifndef GPUSORT_CPU_ENGINE_H
#define GPUSORT_CPU_ENGINE_H

#include "sort/sort.h"

extern const SortEngine gpusort_cpu_engine;

#endif							/* GPUSORT_CPU_ENGINE_H */
