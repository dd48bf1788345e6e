/*
 * device_engine.h
 *	  The GPU as an engine of gpusort_sort.
 */
#ifndef GPUSORT_DEVICE_ENGINE_H
#define GPUSORT_DEVICE_ENGINE_H

#include "sort/sort.h"

extern const SortEngine gpusort_device_engine;

#endif							/* GPUSORT_DEVICE_ENGINE_H */
