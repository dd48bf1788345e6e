/*
 * cpu_engine.h
 *	  The CPU engine as sort.c knows it.
 *
 * With a payload it leaves keys as they are, unless the method is radix.
 */
#ifndef GPUSORT_CPU_ENGINE_H
#define GPUSORT_CPU_ENGINE_H

#include "sort/sort.h"

extern const SortEngine gpusort_cpu_engine;

#endif							/* GPUSORT_CPU_ENGINE_H */
