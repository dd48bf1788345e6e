/*
 * row_memory.h
 *	  Buffers of a row sort: large ones are mapped, on huge pages where possible.
 *
 * Mappings come from and go back to the backend's cache (kept_memory.h).  A RowMemory owns
 * buffers.  They are given back when its memory context ends, so an error leaks nothing.
 */
#ifndef GPUSORT_ROW_MEMORY_H
#define GPUSORT_ROW_MEMORY_H

#include "utils/palloc.h"

typedef struct RowMemory RowMemory;

typedef struct RowBuffer
{
	char	   *data;
	Size		size;			/* bytes allocated at data */
	bool		mapped;
} RowBuffer;

extern RowMemory *gpusort_rows_memory_create(MemoryContext context);
extern void gpusort_rows_buffer_reserve(RowMemory *memory, RowBuffer *buffer, Size bytes);
extern bool gpusort_rows_memory_is_mapped(const RowMemory *memory);
extern void gpusort_rows_buffer_release(RowMemory *memory, RowBuffer *buffer);

#endif							/* GPUSORT_ROW_MEMORY_H */
