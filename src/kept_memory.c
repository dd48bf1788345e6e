/*
 * kept_memory.c
 *	  The cache of idle mappings of this backend, see kept_memory.h.
 *
 * A mapping belongs either to the code that took it or to the cache.  How much each backend
 * has is in shared memory, in a slot that only that backend writes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* mremap */
#endif
#include "postgres.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"

#include "compat.h"
#include "kept_memory.h"
#include "large_memory.h"

#define KEPT_SLOTS 32
#define KEPT_WARM ((Size) 1024 * 1024)	/* bytes that are kept without offering them to the kernel */

typedef struct KeptMapping
{
	Mapping		mapping;
	bool		is_warm;
} KeptMapping;

typedef struct MemorySlot
{
	pg_atomic_uint32 pid;		/* 0: free */
	pg_atomic_uint64 in_use;
	pg_atomic_uint64 kept;
	pg_atomic_uint64 limit;
} MemorySlot;

static KeptMapping kept[KEPT_SLOTS];
static int	nkept;
static Size kept_bytes;
static Size warm_bytes;			/* of the kept ones */
static Size used_bytes;			/* of all mappings that were taken */

static MemorySlot *slots = NULL;	/* one for each backend */

Size
gpusort_memory_shmem_size(void)
{
	return mul_size(MaxBackends, sizeof(MemorySlot));
}

/* Runs under AddinShmemInitLock. */
void
gpusort_memory_shmem_startup(void)
{
	bool		found;

	slots = ShmemInitStruct("gpusort memory", gpusort_memory_shmem_size(), &found);
	for (int i = 0; !found && i < MaxBackends; i++)
	{
		pg_atomic_init_u32(&slots[i].pid, 0);
		pg_atomic_init_u64(&slots[i].in_use, 0);
		pg_atomic_init_u64(&slots[i].kept, 0);
		pg_atomic_init_u64(&slots[i].limit, 0);
	}
}

static Size
limit(void)
{
	return work_mem * (Size) 1024;
}

static void
at_exit(int code, Datum arg)
{
	pg_atomic_write_u32(&slots[GPUSORT_MY_PROC_NUMBER].pid, 0);
}

/* Shows what this backend has. */
static void
publish(void)
{
	static bool registered = false;
	MemorySlot *slot;

	if (slots == NULL)
		return;
	slot = &slots[GPUSORT_MY_PROC_NUMBER];
	pg_atomic_write_u64(&slot->in_use, used_bytes);
	pg_atomic_write_u64(&slot->kept, kept_bytes);
	pg_atomic_write_u64(&slot->limit, limit());
	if (registered)
		return;
	before_shmem_exit(at_exit, (Datum) 0);
	registered = true;
	pg_atomic_write_u32(&slot->pid, MyProcPid);
}

bool
gpusort_memory_look(int i, MemoryUse *use)
{
	if (slots == NULL)
	{
		*use = (MemoryUse) {MyProcPid, used_bytes, kept_bytes, limit()};
		return i == 0;
	}
	if (i >= MaxBackends)
		return false;
	use->pid = pg_atomic_read_u32(&slots[i].pid);
	use->in_use = pg_atomic_read_u64(&slots[i].in_use);
	use->kept = pg_atomic_read_u64(&slots[i].kept);
	use->limit = pg_atomic_read_u64(&slots[i].limit);
	return true;
}

/* Takes a mapping off the list of kept ones. */
static Mapping
forget(int i)
{
	Mapping		mapping = kept[i].mapping;

	kept_bytes -= mapping.size;
	if (kept[i].is_warm)
		warm_bytes -= mapping.size;
	kept[i] = kept[--nkept];
	return mapping;
}

static void
unmap_kept(void)
{
	Mapping		mapping = forget(nkept - 1);

	munmap(mapping.data, mapping.size);
}

/* Takes the smallest kept mapping of at least size and at most `most` bytes.  Returns false if there is none. */
static bool
reuse(Size size, Size most, Mapping *mapping)
{
	int			best = -1;

	for (int i = 0; i < nkept; i++)
	{
		Size		available = kept[i].mapping.size;

		if (available >= size && available <= most && (best < 0 || available < kept[best].mapping.size))
			best = i;
	}
	if (best < 0)
		return false;
	*mapping = forget(best);
	return true;
}

/*
 * Maps memory, aligned to huge pages when it spans some, because only there can they be
 * used.  Kept mappings are given up while all mappings together would exceed work_mem.
 */
static Mapping
map(Size size)
{
	Mapping		mapping = {NULL, size};
	Size		slack = size >= GPUSORT_HUGE_PAGES_FROM ? GPUSORT_HUGE_PAGE : 0;
	Size		before;
	char	   *data;

	while (nkept > 0 && used_bytes + kept_bytes + size > limit())
		unmap_kept();
	data = mmap(NULL, size + slack, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("Failed on a mapping of %zu bytes for a sort.", size)));
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

static Size
round_up(Size bytes)
{
	return TYPEALIGN(bytes < GPUSORT_HUGE_PAGES_FROM ? GPUSORT_PAGE : GPUSORT_HUGE_PAGE, bytes);
}

/* Returns memory of at least so many bytes.  A kept mapping may have up to `most` bytes. */
static Mapping
take(Size bytes, Size most)
{
	Size		size = round_up(bytes);
	Mapping		mapping;

	if (!reuse(size, most, &mapping))
		mapping = map(size);
	used_bytes += mapping.size;
	publish();
	return mapping;
}

/* Keeps a mapping that was taken, or unmaps it. */
static void
give(Mapping mapping)
{
	used_bytes -= mapping.size;
	while (nkept > 0 && kept_bytes > limit())
		unmap_kept();
	if (nkept < KEPT_SLOTS && kept_bytes + mapping.size <= limit())
	{
		bool		is_warm = warm_bytes + mapping.size <= KEPT_WARM;

		if (is_warm)
			warm_bytes += mapping.size;
		else
			madvise(mapping.data, mapping.size, MADV_FREE);
		kept[nkept++] = (KeptMapping) {mapping, is_warm};
		kept_bytes += mapping.size;
	}
	else
		munmap(mapping.data, mapping.size);
	publish();
}

static void
at_context_end(void *arg)
{
	give(((OwnedMapping *) arg)->mapping);
}

OwnedMapping *
gpusort_memory_own(MemoryContext context, Size bytes, Size most)
{
	OwnedMapping *owned = MemoryContextAlloc(context, sizeof(OwnedMapping));

	owned->mapping = take(bytes, most);
	owned->context = context;
	owned->callback.func = at_context_end;
	owned->callback.arg = owned;
	MemoryContextRegisterResetCallback(context, &owned->callback);
	return owned;
}

void
gpusort_memory_give_owned(OwnedMapping *owned)
{
	MemoryContextUnregisterResetCallback(owned->context, &owned->callback);
	give(owned->mapping);
	pfree(owned);
}

void
gpusort_memory_grow_owned(OwnedMapping *owned, Size bytes, Size most)
{
	Size		size = round_up(bytes);
	Mapping		mapping = owned->mapping;
	Mapping		larger;

	if (reuse(size, most, &larger))
	{
		used_bytes += larger.size;
		memcpy(larger.data, mapping.data, mapping.size);
		owned->mapping = larger;
		give(mapping);
		return;
	}
	larger = map(size);
	used_bytes += larger.size;

	/* Pages are moved rather than bytes, and the old mapping is gone then. */
	if (mremap(mapping.data, mapping.size, mapping.size, MREMAP_MAYMOVE | MREMAP_FIXED, larger.data) == MAP_FAILED)
	{
		memcpy(larger.data, mapping.data, mapping.size);
		munmap(mapping.data, mapping.size);
	}
	else
		gpusort_advise_huge_pages(larger.data, larger.size);
	used_bytes -= mapping.size;
	publish();
	owned->mapping = larger;
}

void
gpusort_memory_trim(void)
{
	while (nkept > 0)
		unmap_kept();
	publish();
}
