/*
 * sort_counters.h
 *	  What the sorts of a plan node did, for EXPLAIN ANALYZE.
 *
 * The struct has no pointers, because it is copied between processes.
 */
#ifndef GPUSORT_SORT_COUNTERS_H
#define GPUSORT_SORT_COUNTERS_H

#include "portability/instr_time.h"

#include "keys/sort_spec.h"

typedef struct SortCounters
{
	bool		sorted;			/* there is something to be shown */
	bool		used_cpu;		/* engines that sorted keys */
	bool		used_gpu;
	Size		peak_bytes;		/* of memory, without slabs */
	int64		moved_bytes;	/* of keys and columns that went to an engine and back */
	instr_time	read_time;		/* reading the input and storing its rows */
	instr_time	sort_time;		/* encoding, sorting keys and breaking ties; of arrays, on the CPU */

	/* Of rows. */
	bool		read_directly;	/* the input was not read through ExecProcNode */
	bool		shared;			/* several processes sorted the rows together */
	bool		bounded;		/* rows beyond a bound were dropped */
	uint64		rows_read;
	int64		disk_bytes;		/* written to temporary files */
	int64		device_bytes;	/* of rows beyond work_mem that were in device memory */
	uint32		devices;		/* that held these rows, a bit for each */
	int			parts;			/* in temporary files */
	instr_time	spill_time;		/* writing rows to files and reading them */
	instr_time	gather_time;	/* reading batches */

	/* Of arrays. */
	GpusortMethod method;		/* of the last batch */
	uint64		rows_by_function;
	uint64		batches;
	uint64		segments;
	uint64		keys;
	instr_time	wait_time;		/* for the GPU */
	double		device_ms;
} SortCounters;

#endif							/* GPUSORT_SORT_COUNTERS_H */
