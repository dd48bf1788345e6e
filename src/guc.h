/*
 * guc.h
 *	  The settings of gpusort, all defined in guc.c.
 */
#ifndef GPUSORT_GUC_H
#define GPUSORT_GUC_H

typedef enum EngineChoice
{
	GPUSORT_ENGINE_AUTO,		/* the GPU where it wins, else the CPU */
	GPUSORT_ENGINE_CPU,
	GPUSORT_ENGINE_GPU			/* the GPU or an error */
} EngineChoice;

extern int	gpusort_buffer_size;
extern int	gpusort_cpu_threads;
extern char *gpusort_device_library;
extern int	gpusort_device_timeout;
extern char *gpusort_devices_used;
extern bool gpusort_enable_arrays_node;
extern bool gpusort_enable_heap_reader;
extern bool gpusort_enable_rows_node;
extern bool gpusort_enable_toast_reader;
extern int	gpusort_engine;
extern bool gpusort_explain_choices;
extern bool gpusort_force_nodes;
extern int	gpusort_gpu_memory_limit;
extern int	gpusort_method;
extern int	gpusort_min_gpu_keys;
extern bool gpusort_verify;

extern void gpusort_guc_define(void);

#endif							/* GPUSORT_GUC_H */
