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

typedef enum ForceChoice
{
	GPUSORT_FORCE_OFF,			/* 0, so that the setting can be asked as a bool */
	GPUSORT_FORCE_ON,
	GPUSORT_FORCE_ROW_BY_ROW	/* on, without readers of pages */
} ForceChoice;

extern int	gpusort_cpu_threads;
extern char *gpusort_device_library;
extern char *gpusort_device_list;	/* gpusort.devices; see device_list.h */
extern int	gpusort_device_timeout; /* ms */
extern bool gpusort_enable_aggregates;
extern bool gpusort_enable_array_sort;
extern bool gpusort_enable_index_build;
extern bool gpusort_enable_sort;
extern int	gpusort_engine;
extern bool gpusort_explain_choices;
extern int	gpusort_force_nodes;
extern int	gpusort_gpu_buffer_size;	/* MB */
extern int	gpusort_gpu_memory_limit;	/* MB, or 0 */
extern int	gpusort_method;
extern int	gpusort_min_gpu_keys;
extern bool gpusort_verify;

extern void gpusort_guc_define(void);

/* The setting by which the library was preloaded, or NULL if it was loaded later. */
extern const char *gpusort_preloaded_by(void);

#endif							/* GPUSORT_GUC_H */
