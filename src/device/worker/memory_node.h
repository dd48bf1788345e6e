/*
 * memory_node.h
 *	  Where a worker runs, and where the arena lies, on a host with several memory nodes.
 */
#ifndef GPUSORT_MEMORY_NODE_H
#define GPUSORT_MEMORY_NODE_H

/* The folder in which sysfs describes a device; empty if there is none. */
typedef struct SysfsFolder
{
	char		path[MAXPGPATH];
} SysfsFolder;

/*
 * Moves this process to the CPUs of its device's memory node, and has the kernel spread the
 * arena over the memory nodes of all devices that have workers, of which there may be `count`.
 * Called before the arena is pinned.  What the kernel does not tell or allow stays as it is.
 * Returns the memory node of the device, or GPUSORT_NO_MEMORY_NODE if the kernel names none.
 */
extern int	gpusort_worker_move_near(const SysfsFolder *folders, int ordinal, int count);

#endif							/* GPUSORT_MEMORY_NODE_H */
