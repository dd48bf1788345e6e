/*
 * memory_node.c
 *	  See memory_node.h.
 *
 * The kernel puts a page of shared memory, if it is not told otherwise, on the memory node of
 * the CPU that first uses it.  The postmaster writes job records, not slabs, and backends
 * write to slabs only when a device is ready.  So the first worker that pins the arena puts it
 * on the memory node that it runs on.
 *
 * A slab is of no device: a backend fills it before it picks one.  If the devices are on
 * several memory nodes, the arena is therefore spread over all of these, page by page.
 * Otherwise it would lie where the worker runs that happens to be first.
 *
 * Pages that are pinned stay where they are, whoever pins them later.
 */
#include "postgres.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/shared/arena.h"
#include "device/worker/memory_node.h"
#include "guc.h"

#define CPU_LIST_LENGTH 4096
#define MEMORY_NODES_MAX 1024	/* as many as any kernel can have */
#define BITS_PER_WORD (8 * sizeof(unsigned long))
#define LARGE_PAGE ((size_t) 2 * 1024 * 1024)	/* the kernel takes whole pages only, and these may be huge */

/* Reads the first line of a file that describes the device.  Returns false if there is none. */
static bool
read_line(const char *folder, const char *name, char *line, int size)
{
	char		path[MAXPGPATH];
	FILE	   *file;
	bool		read;

	if (folder[0] == '\0')
		return false;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	if (file == NULL)
		return false;
	read = fgets(line, size, file) != NULL;
	fclose(file);
	return read;
}

static int
memory_node(const char *folder)
{
	char		line[32];
	char	   *end;
	long		number;

	if (!read_line(folder, "numa_node", line, sizeof(line)))
		return GPUSORT_NO_MEMORY_NODE;
	number = strtol(line, &end, 10);
	return end > line && number >= 0 && number < MEMORY_NODES_MAX ? (int) number : GPUSORT_NO_MEMORY_NODE;
}

/* Reads CPUs as the kernel writes them: "0-7,16-23".  Returns false if it is something else. */
static bool
read_cpus(const char *list, cpu_set_t *cpus)
{
	CPU_ZERO(cpus);
	for (const char *next = list;; next++)
	{
		char	   *end;
		long		first = strtol(next, &end, 10);
		long		last = first;

		if (end == next)
			return false;
		if (*end == '-')
		{
			next = end + 1;
			last = strtol(next, &end, 10);
			if (end == next)
				return false;
		}
		for (long cpu = Max(first, 0); cpu <= Min(last, CPU_SETSIZE - 1); cpu++)
			CPU_SET(cpu, cpus);
		next = end;
		if (*next != ',')
			return *next == '\0' || *next == '\n';
	}
}

/* Has this process run on those CPUs near the device that it may run on. */
static void
move_process(const char *folder, int ordinal, int node)
{
	char		list[CPU_LIST_LENGTH];
	cpu_set_t	near;
	cpu_set_t	allowed;
	cpu_set_t	both;

	if (!read_line(folder, "local_cpulist", list, sizeof(list)) || !read_cpus(list, &near) ||
		sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return;
	CPU_AND(&both, &near, &allowed);
	if (CPU_COUNT(&both) == 0 || CPU_EQUAL(&both, &allowed))
		return;
	if (sched_setaffinity(0, sizeof(both), &both) != 0)
		ereport(DEBUG1,
				(errmsg("gpusort device %d is on memory node %d, and its worker may not be moved there: %m", ordinal, node)));
	else
		ereport(LOG,
				(errmsg("gpusort device %d is on memory node %d, and its worker runs on the %d CPUs there that it may use",
						ordinal, node, CPU_COUNT(&both))));
}

/* Sets a bit for the memory node of each device that has a worker.  Returns how many there are. */
static int
memory_nodes(const SysfsFolder *folders, int count, unsigned long *nodes)
{
	uint32		ordinals;
	int			nnodes = 0;

	if (!gpusort_device_list_read(gpusort_device_list, &ordinals))
		return 0;
	for (int device = 0; device < Min(count, GPUSORT_MAX_DEVICES); device++)
	{
		int			node = ordinals & (uint32) 1 << device ? memory_node(folders[device].path) : GPUSORT_NO_MEMORY_NODE;
		unsigned long bit;

		if (node == GPUSORT_NO_MEMORY_NODE)
			continue;
		bit = 1UL << node % BITS_PER_WORD;
		if ((nodes[node / BITS_PER_WORD] & bit) == 0)
			nnodes++;
		nodes[node / BITS_PER_WORD] |= bit;
	}
	return nnodes;
}

/* Has pages of the arena that nobody has used yet come from all these memory nodes in turn. */
static void
spread_arena(const unsigned long *nodes, int nnodes)
{
	char	   *start = (char *) TYPEALIGN(LARGE_PAGE, gpusort_arena->base);
	char	   *end = (char *) TYPEALIGN_DOWN(LARGE_PAGE, gpusort_slab_memory(gpusort_arena->nslabs));

	/* The kernel counts one bit less than it is told. */
	if (start < end &&
		syscall(SYS_mbind, start, (unsigned long) (end - start), MPOL_INTERLEAVE, nodes, MEMORY_NODES_MAX + 1UL, 0) != 0)
		ereport(DEBUG1,
				(errmsg("gpusort devices are on %d memory nodes, and the arena cannot be spread over them: %m", nnodes)));
}

int
gpusort_worker_move_near(const SysfsFolder *folders, int ordinal, int count)
{
	unsigned long nodes[MEMORY_NODES_MAX / BITS_PER_WORD] = {0};
	int			node = memory_node(folders[ordinal].path);
	int			nnodes = memory_nodes(folders, count, nodes);

	if (node != GPUSORT_NO_MEMORY_NODE)
		move_process(folders[ordinal].path, ordinal, node);
	if (nnodes > 1)
		spread_arena(nodes, nnodes);
	return node;
}
