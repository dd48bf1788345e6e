/*
 * row_memory.c
 *	  Buffers of a row sort, see row_memory.h.
 *
 * A RowMemory lists its mappings, so that they are found when its context ends.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "kept_memory.h"
#include "rows/row_memory.h"

#define ROWS_MAP_THRESHOLD ((Size) 256 * 1024)	/* smaller buffers come from palloc */
#define ROWS_WASTE 4			/* a mapping may be this many times too large */

struct RowMemory
{
	MemoryContext context;
	MemoryContextCallback callback;
	Mapping    *owned;			/* given back when the context ends */
	int			nowned;
	int			owned_slots;
};

/* The place in the list of the mapping at an address. */
static Mapping *
find_owned(RowMemory *memory, const char *data)
{
	for (int i = 0; i < memory->nowned; i++)
	{
		if (memory->owned[i].data == data)
			return &memory->owned[i];
	}
	elog(ERROR, "row buffer at %p is not mapped", data);
}

/* Extends the list before a mapping is made, so that a failure loses none. */
static void
reserve_owner_slot(RowMemory *memory)
{
	if (memory->nowned < memory->owned_slots)
		return;
	memory->owned_slots *= 2;
	memory->owned = repalloc(memory->owned, memory->owned_slots * sizeof(Mapping));
}

static void
give_all(void *arg)
{
	RowMemory  *memory = arg;

	while (memory->nowned > 0)
		gpusort_memory_give(memory->owned[--memory->nowned]);
}

/* Creates an owner of buffers, which lives as long as the memory context. */
RowMemory *
gpusort_rows_memory_create(MemoryContext context)
{
	RowMemory  *memory = MemoryContextAllocZero(context, sizeof(RowMemory));

	memory->context = context;
	memory->owned_slots = 16;
	memory->owned = MemoryContextAlloc(context, memory->owned_slots * sizeof(Mapping));
	memory->callback.func = give_all;
	memory->callback.arg = memory;
	MemoryContextRegisterResetCallback(context, &memory->callback);
	return memory;
}

/* Makes the buffer at least this large and keeps its content.  An all-zero struct is an empty buffer. */
void
gpusort_rows_buffer_reserve(RowMemory *memory, RowBuffer *buffer, Size bytes)
{
	Mapping    *mapping;

	if (bytes <= buffer->size)
		return;
	if (bytes < ROWS_MAP_THRESHOLD)
	{
		buffer->data = buffer->data == NULL ? MemoryContextAlloc(memory->context, bytes)
			: repalloc(buffer->data, bytes);
		buffer->size = bytes;
		return;
	}

	bytes = TYPEALIGN(ROWS_MAP_THRESHOLD, bytes);
	if (buffer->mapped)
	{
		mapping = find_owned(memory, buffer->data);
		*mapping = gpusort_memory_grow(*mapping, bytes, bytes * ROWS_WASTE);
	}
	else
	{
		reserve_owner_slot(memory);
		mapping = &memory->owned[memory->nowned];
		*mapping = gpusort_memory_take(bytes, bytes * ROWS_WASTE);
		memory->nowned++;
		if (buffer->data != NULL)
		{
			memcpy(mapping->data, buffer->data, buffer->size);
			pfree(buffer->data);
		}
	}
	buffer->data = mapping->data;
	buffer->size = mapping->size;
	buffer->mapped = true;
}

/* True if some buffer is mapped.  The memory context does not count such memory. */
bool
gpusort_rows_memory_is_mapped(const RowMemory *memory)
{
	return memory->nowned > 0;
}

/* Gives the buffer's memory back.  It is empty afterwards. */
void
gpusort_rows_buffer_release(RowMemory *memory, RowBuffer *buffer)
{
	if (buffer->mapped)
	{
		Mapping    *owned = find_owned(memory, buffer->data);
		Mapping		mapping = *owned;

		*owned = memory->owned[--memory->nowned];
		gpusort_memory_give(mapping);
	}
	else if (buffer->data != NULL)
		pfree(buffer->data);
	memset(buffer, 0, sizeof(*buffer));
}
