/*
 * row_memory.c
 *	  Buffers of a row sort, see row_memory.h.
 */
#include "postgres.h"

#include "rows/row_memory.h"

#define ROWS_MAP_THRESHOLD ((Size) 256 * 1024)	/* smaller buffers come from palloc */
#define ROWS_WASTE 4			/* a mapping may be this many times too large */

/* Makes the buffer at least this large and keeps its content.  An all-zero struct is an empty buffer. */
void
gpusort_rows_buffer_reserve(MemoryContext context, RowBuffer *buffer, Size bytes)
{
	OwnedMapping *mapped = buffer->mapped;

	if (bytes <= buffer->size)
		return;
	if (bytes < ROWS_MAP_THRESHOLD)
	{
		buffer->data = buffer->data == NULL ? MemoryContextAlloc(context, bytes)
			: repalloc(buffer->data, bytes);
		buffer->size = bytes;
		return;
	}

	bytes = TYPEALIGN(ROWS_MAP_THRESHOLD, bytes);
	if (mapped != NULL)
		gpusort_memory_grow_owned(mapped, bytes, bytes * ROWS_WASTE);
	else
	{
		mapped = gpusort_memory_own(context, bytes, bytes * ROWS_WASTE);
		if (buffer->data != NULL)
		{
			memcpy(mapped->mapping.data, buffer->data, buffer->size);
			pfree(buffer->data);
		}
	}
	*buffer = (RowBuffer) {mapped->mapping.data, mapped->mapping.size, mapped};
}

/* Gives the buffer's memory back.  It is empty afterwards. */
void
gpusort_rows_buffer_release(RowBuffer *buffer)
{
	if (buffer->mapped != NULL)
		gpusort_memory_give_owned(buffer->mapped);
	else if (buffer->data != NULL)
		pfree(buffer->data);
	memset(buffer, 0, sizeof(*buffer));
}
