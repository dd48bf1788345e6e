/*
 * sort_explain.h
 *	  What EXPLAIN shows of a sort, in the same words for all nodes.
 */
#ifndef GPUSORT_SORT_EXPLAIN_H
#define GPUSORT_SORT_EXPLAIN_H

#include "nodes/execnodes.h"

struct ExplainState;

typedef struct SortShown
{
	const char *method;
	bool		cpu;			/* the CPU sorted, or would sort */
	bool		gpu;
	uint64		peak_bytes;		/* of memory */
	uint64		moved_bytes;	/* of keys that went to an engine and back */
	bool		may_spill;		/* to temporary files; what follows is shown only then */
	uint64		device_bytes;	/* of rows in device memory */
	uint32		devices;		/* the devices that had them, a bit for each */
	uint64		disk_bytes;
	int			parts;			/* in files, by intervals; shown only if there are any */
	int			runs;
	int			joined_runs;	/* how many they are once those in sequence are joined */
	int			merge_passes;
} SortShown;

typedef struct PhaseShown
{
	const char *name;			/* "read" in a line of phases */
	const char *property;		/* "Read Time" as a property of its own */
	double		ms;
} PhaseShown;

/* Shows keys, the lists of key_lists.h, as PostgreSQL shows those of a Sort.  They are columns of tlist. */
extern void gpusort_explain_sort_keys(CustomScanState *node, List *tlist, List *keys, List *ancestors, struct ExplainState *es);

/* Shows which engines sorted, and in which memory: one line of text, or properties. */
extern void gpusort_explain_sort(const SortShown *sort, struct ExplainState *es);

/* Shows what will sort, before it runs. */
extern void gpusort_explain_plan(const SortShown *sort, struct ExplainState *es);

/* Shows where the time went: one line of text, or properties.  Nothing with TIMING off. */
extern void gpusort_explain_phases(const PhaseShown *phases, int count, struct ExplainState *es);

#endif							/* GPUSORT_SORT_EXPLAIN_H */
