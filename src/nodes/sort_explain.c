/*
 * sort_explain.c
 *	  See sort_explain.h.
 *
 * Text has the words and the layout of PostgreSQL's Sort.  The other formats have the
 * Sort's properties too, for programs that read plans.
 */
#include "postgres.h"

#include "nodes/sort_explain.h"

static const char *
engines(bool cpu, bool gpu)
{
	if (!cpu && !gpu)
		return "none needed";
	return cpu && gpu ? "gpu, cpu" : gpu ? "gpu" : "cpu";
}

static uint64
kilobytes(uint64 bytes)
{
	return (bytes + 1023) / 1024;
}

/* The numbers of the devices that had rows, as strings. */
static List *
device_numbers(uint32 devices)
{
	List	   *numbers = NIL;

	for (int i = 0; devices >> i != 0; i++)
		if (devices >> i & 1)
			numbers = lappend(numbers, psprintf("%d", i));
	return numbers;
}

/* Shows how much device memory had rows, and on which devices. */
static void
show_device_memory(const SortCounters *sort, StringInfo text)
{
	List	   *numbers = device_numbers(sort->devices);
	ListCell   *cell;

	appendStringInfo(text, "  Device Memory: " UINT64_FORMAT "kB  Devices: ", kilobytes(sort->device_bytes));
	foreach(cell, numbers)
		appendStringInfo(text, "%s%s", cell == list_head(numbers) ? "" : ", ", (char *) lfirst(cell));
}

void
gpusort_explain_sort(const SortCounters *sort, const char *method, bool may_spill, ExplainState *es)
{
	bool		spilled = sort->shared ? sort->disk_bytes > 0 : sort->parts > 0;
	uint64		memory = kilobytes(sort->peak_bytes);
	uint64		device = kilobytes(sort->device_bytes);
	uint64		disk = kilobytes(sort->disk_bytes);

	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Sort Method: %s  Engine: %s  Memory: " UINT64_FORMAT "kB", method, engines(sort->used_cpu, sort->used_gpu), memory);
		if (sort->device_bytes > 0)
			show_device_memory(sort, es->str);
		if (disk > 0)
			appendStringInfo(es->str, "  Disk: " UINT64_FORMAT "kB", disk);
		if (sort->parts > 0)
			appendStringInfo(es->str, "  Parts: %d", sort->parts);
		appendStringInfo(es->str, "  Moved: " UINT64_FORMAT "kB\n", kilobytes(sort->moved_bytes));
		return;
	}
	gpusort_explain_plan(method, sort->used_cpu, sort->used_gpu, es);
	ExplainPropertyUInteger("Sort Space Used", "kB", spilled ? disk : device > 0 ? device : memory, es);
	ExplainPropertyText("Sort Space Type", spilled ? "Disk" : device > 0 ? "Device Memory" : "Memory", es);
	ExplainPropertyUInteger("Memory", "kB", memory, es);
	if (may_spill)
	{
		ExplainPropertyUInteger("Device Memory", "kB", device, es);
		ExplainPropertyList("Devices", device_numbers(sort->devices), es);
		ExplainPropertyUInteger("Disk", "kB", disk, es);
		ExplainPropertyInteger("Parts", NULL, sort->parts, es);
	}
	ExplainPropertyUInteger("Moved", "kB", kilobytes(sort->moved_bytes), es);
}

void
gpusort_explain_plan(const char *method, bool cpu, bool gpu, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Sort Method: %s  Engine: %s\n", method, engines(cpu, gpu));
		return;
	}
	ExplainPropertyText("Sort Method", method, es);
	ExplainPropertyText("Engine", engines(cpu, gpu), es);
}

void
gpusort_explain_phases(const PhaseShown *phases, int count, ExplainState *es)
{
	if (!es->timing)
		return;
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		for (int i = 0; i < count; i++)
			ExplainPropertyFloat(phases[i].property, "ms", phases[i].ms, 3, es);
		return;
	}
	appendStringInfoSpaces(es->str, es->indent * 2);
	for (int i = 0; i < count; i++)
		appendStringInfo(es->str, "%s %s %.3f ms", i == 0 ? "Phases:" : ",", phases[i].name, phases[i].ms);
	appendStringInfoChar(es->str, '\n');
}

static void
add_counters(SortCounters *total, const SortCounters *part)
{
	total->sorted |= part->sorted;
	total->used_cpu |= part->used_cpu;
	total->used_gpu |= part->used_gpu;
	total->peak_bytes += part->peak_bytes;
	total->moved_bytes += part->moved_bytes;
	total->read_directly |= part->read_directly;
	total->shared |= part->shared;
	total->bounded |= part->bounded;
	total->disk_bytes += part->disk_bytes;
	total->device_bytes += part->device_bytes;
	total->devices |= part->devices;
	total->parts += part->parts;
	if (part->batches > 0)
		total->method = part->method;
	total->rows_by_function += part->rows_by_function;
	total->batches += part->batches;
	total->segments += part->segments;
	total->keys += part->keys;
	INSTR_TIME_ADD(total->read_time, part->read_time);
	INSTR_TIME_ADD(total->sort_time, part->sort_time);
	INSTR_TIME_ADD(total->spill_time, part->spill_time);
	INSTR_TIME_ADD(total->gather_time, part->gather_time);
	INSTR_TIME_ADD(total->wait_time, part->wait_time);
	total->device_ms += part->device_ms;
}

/* Shows the counters of a parallel worker below its name. */
static void
explain_worker(const SortScanState *scan, int worker, SortExplainer show, ExplainState *es)
{
	const SortCounters *counters = gpusort_parallel_stats_of(scan, worker);

	if (!counters->sorted)
		return;
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Worker %d:\n", worker);
		es->indent++;
		show(counters, es);
		es->indent--;
		return;
	}
	ExplainOpenGroup("Worker", NULL, true, es);
	ExplainPropertyInteger("Worker Number", NULL, worker, es);
	show(counters, es);
	ExplainCloseGroup("Worker", NULL, true, es);
}

void
gpusort_explain_work(const SortScanState *scan, SortExplainer show, ExplainState *es)
{
	SortCounters total = scan->counters;

	for (int i = 0; i < scan->nworkers; i++)
		add_counters(&total, gpusort_parallel_stats_of(scan, i));
	if (!total.sorted)
		return;
	show(&total, es);
	if (!es->verbose || scan->nworkers == 0)
		return;
	ExplainOpenGroup("Sort Workers", "Sort Workers", false, es);
	for (int i = 0; i < scan->nworkers; i++)
		explain_worker(scan, i, show, es);
	ExplainCloseGroup("Sort Workers", "Sort Workers", false, es);
}
