/*
 * row_memory.h
 *	  Buffers of a row sort: large ones are mapped, on huge pages where possible.
 *
 * Mappings come from and go back to the backend's cache (kept_memory.h).  A buffer is given back
 * when its memory context ends, so an error leaks nothing.
 */
#ifndef GPUSORT_ROW_MEMORY_H
#define GPUSORT_ROW_MEMORY_H

#include "kept_memory.h"

typedef struct RowBuffer
{
	char	   *data;
	Size		size;			/* bytes allocated at data */
	OwnedMapping *mapped;		/* the mapping at data, which its memory context does not count; or NULL */
} RowBuffer;

extern void gpusort_rows_buffer_reserve(MemoryContext context, RowBuffer *buffer, Size bytes);
extern void gpusort_rows_buffer_release(RowBuffer *buffer);

#endif							/* GPUSORT_ROW_MEMORY_H */
