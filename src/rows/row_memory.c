/*
 * row_memory.c
 *	  Buffers of a row sort, see row_memory.h.
 *
 * A mapping belongs either to one RowMemory or to the backend's cache of idle mappings.  A
 * RowMemory lists its mappings, so that they are found when its context ends.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* mremap */
#endif
#include "postgres.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "large_memory.h"
#include "rows/row_memory.h"

#define ROWS_MAP_THRESHOLD ((Size) 256 * 1024)	/* smaller buffers come from palloc */
#define ROWS_IDLE_SLOTS 32
#define ROWS_IDLE_WASTE 4		/* an idle mapping may be this many times too large */

typedef struct Mapping
{
	char	   *data;
	Size		size;
} Mapping;

struct RowMemory
{
	MemoryContext context;
	MemoryContextCallback callback;
	Mapping    *owned;			/* given back when the context ends */
	int			nowned;
	int			owned_slots;
};

static Mapping idle[ROWS_IDLE_SLOTS];
static int	nidle;
static Size idle_bytes;
static Size owned_bytes;		/* of all mappings in use */

/* Keeps a mapping for the backend's next sort, or unmaps it. */
static void
retire_mapping(Mapping mapping)
{
	if (nidle < ROWS_IDLE_SLOTS && idle_bytes + mapping.size <= work_mem * (Size) 1024)
	{
		madvise(mapping.data, mapping.size, MADV_FREE);
		idle[nidle++] = mapping;
		idle_bytes += mapping.size;
	}
	else
		munmap(mapping.data, mapping.size);
}

/* Takes the smallest idle mapping that is large enough.  Returns false if none is, or if it is far too large. */
static bool
reuse_mapping(Size size, Mapping *mapping)
{
	int			best = -1;

	for (int i = 0; i < nidle; i++)
	{
		if (idle[i].size >= size && idle[i].size / ROWS_IDLE_WASTE <= size &&
			(best < 0 || idle[i].size < idle[best].size))
			best = i;
	}
	if (best < 0)
		return false;
	*mapping = idle[best];
	idle_bytes -= mapping->size;
	idle[best] = idle[--nidle];
	return true;
}

static void
unmap_idle(void)
{
	nidle--;
	idle_bytes -= idle[nidle].size;
	munmap(idle[nidle].data, idle[nidle].size);
}

/*
 * Maps memory.  A large mapping is aligned to huge pages, which can be used only then.
 * Unmaps idle mappings until all of the backend's mappings fit work_mem.
 */
static Mapping
new_mapping(Size size)
{
	Mapping		mapping = {NULL, size};
	Size		slack = size >= GPUSORT_HUGE_PAGES_FROM ? GPUSORT_HUGE_PAGE : 0;
	Size		before;
	char	   *data;

	while (nidle > 0 && owned_bytes + idle_bytes + size > work_mem * (Size) 1024)
		unmap_idle();
	data = mmap(NULL, size + slack, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("Failed on a mapping of %zu bytes for sorted rows.", size)));
	mapping.data = data;
	if (slack > 0)
	{
		mapping.data = (char *) TYPEALIGN(GPUSORT_HUGE_PAGE, (uintptr_t) data);
		before = mapping.data - data;
		if (before > 0)
			munmap(data, before);
		if (before < slack)
			munmap(mapping.data + size, slack - before);
		gpusort_advise_huge_pages(mapping.data, size);
	}
	return mapping;
}

/* Puts a mapping on the list of owned ones. */
static void
own_mapping(RowMemory *memory, Mapping mapping)
{
	memory->owned[memory->nowned++] = mapping;
	owned_bytes += mapping.size;
}

/* Takes the mapping at an address off the list of owned ones. */
static Mapping
disown_mapping(RowMemory *memory, const char *data)
{
	for (int i = 0; i < memory->nowned; i++)
	{
		if (memory->owned[i].data == data)
		{
			Mapping		mapping = memory->owned[i];

			memory->owned[i] = memory->owned[--memory->nowned];
			owned_bytes -= mapping.size;
			return mapping;
		}
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
retire_all(void *arg)
{
	RowMemory  *memory = arg;

	while (memory->nowned > 0)
	{
		Mapping		mapping = memory->owned[--memory->nowned];

		owned_bytes -= mapping.size;
		retire_mapping(mapping);
	}
}

/* Unmaps all idle mappings. */
void
gpusort_rows_memory_trim(void)
{
	while (nidle > 0)
		unmap_idle();
}

/* Creates an owner of buffers, which lives as long as the memory context. */
RowMemory *
gpusort_rows_memory_create(MemoryContext context)
{
	RowMemory  *memory = MemoryContextAllocZero(context, sizeof(RowMemory));

	memory->context = context;
	memory->owned_slots = 16;
	memory->owned = MemoryContextAlloc(context, memory->owned_slots * sizeof(Mapping));
	memory->callback.func = retire_all;
	memory->callback.arg = memory;
	MemoryContextRegisterResetCallback(context, &memory->callback);
	return memory;
}

/* Moves the content of a mapping to the beginning of a larger one, by moving its pages where possible, and unmaps it. */
static void
move_mapping(Mapping to, Mapping from)
{
	if (mremap(from.data, from.size, from.size, MREMAP_MAYMOVE | MREMAP_FIXED, to.data) == MAP_FAILED)
	{
		memcpy(to.data, from.data, from.size);
		munmap(from.data, from.size);
	}
	else
		gpusort_advise_huge_pages(to.data, to.size);
}

/* Makes the buffer at least this large and keeps its content.  An all-zero struct is an empty buffer. */
void
gpusort_rows_buffer_reserve(RowMemory *memory, RowBuffer *buffer, Size bytes)
{
	Mapping		mapping;
	bool		reused;

	if (bytes <= buffer->size)
		return;
	if (bytes < ROWS_MAP_THRESHOLD)
	{
		buffer->data = buffer->data == NULL ? MemoryContextAlloc(memory->context, bytes)
			: repalloc(buffer->data, bytes);
		buffer->size = bytes;
		return;
	}

	bytes = TYPEALIGN(bytes < GPUSORT_HUGE_PAGES_FROM ? ROWS_MAP_THRESHOLD : GPUSORT_HUGE_PAGE, bytes);
	reserve_owner_slot(memory);
	reused = reuse_mapping(bytes, &mapping);
	if (!reused)
		mapping = new_mapping(bytes);
	if (buffer->mapped)
	{
		Mapping		old = disown_mapping(memory, buffer->data);

		if (reused)
		{
			memcpy(mapping.data, old.data, old.size);
			retire_mapping(old);
		}
		else
			move_mapping(mapping, old);
	}
	else if (buffer->data != NULL)
	{
		memcpy(mapping.data, buffer->data, buffer->size);
		pfree(buffer->data);
	}
	own_mapping(memory, mapping);
	buffer->data = mapping.data;
	buffer->size = mapping.size;
	buffer->mapped = true;
}

/* Gives the buffer's memory back.  It is empty afterwards. */
void
gpusort_rows_buffer_release(RowMemory *memory, RowBuffer *buffer)
{
	if (buffer->mapped)
		retire_mapping(disown_mapping(memory, buffer->data));
	else if (buffer->data != NULL)
		pfree(buffer->data);
	memset(buffer, 0, sizeof(*buffer));
}
