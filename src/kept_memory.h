/*
 * kept_memory.h
 *	  Large memory that a backend keeps for its next sort: one cache, one limit.
 *
 * Fresh pages cost more than sorting, because the kernel clears each one at its first
 * touch.  So a mapping that a sort gives back is kept for the next one,
 * up to work_mem in all.  The first megabyte stays as it is.  Beyond that the kernel may
 * take the pages when memory is short (MADV_FREE).  The view gpusort.memory shows it.
 */
#ifndef GPUSORT_KEPT_MEMORY_H
#define GPUSORT_KEPT_MEMORY_H

#include "utils/palloc.h"

/* A mapping, aligned to huge pages where it spans some. */
typedef struct Mapping
{
	char	   *data;
	Size		size;
} Mapping;

/* What a backend has mapped, in bytes. */
typedef struct MemoryUse
{
	int			pid;
	uint64		in_use;
	uint64		kept;
	uint64		limit;			/* of what is kept */
} MemoryUse;

/* A mapping that is given back when its memory context ends, at the latest. */
typedef struct OwnedMapping
{
	Mapping		mapping;
	MemoryContext context;
	MemoryContextCallback callback;
} OwnedMapping;

/*
 * Returns memory of at least so many bytes, or raises an error.  A kept mapping may have
 * up to `most` bytes.  The contents are undefined.
 */
extern OwnedMapping *gpusort_memory_own(MemoryContext context, Size bytes, Size most);

/* Makes a mapping larger, with the contents that it has. */
extern void gpusort_memory_grow_owned(OwnedMapping *owned, Size bytes, Size most);

/* Keeps a mapping for the next sort, or unmaps it. */
extern void gpusort_memory_give_owned(OwnedMapping *owned);

/* Unmaps all that is kept, for when memory is short. */
extern void gpusort_memory_trim(void);

/* What backend number i has mapped; false beyond the last one.  Without preloading there is only this backend. */
extern bool gpusort_memory_look(int i, MemoryUse *use);

extern Size gpusort_memory_shmem_size(void);
extern void gpusort_memory_shmem_startup(void);

#endif							/* GPUSORT_KEPT_MEMORY_H */
