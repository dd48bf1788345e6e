/*
 * value_table.c
 *	  The memory of hash tables of values, see value_table.h.
 */
#include "postgres.h"

#include "arrays/value_table.h"
#include "large_memory.h"

static ValueEntry *
allocate_entries(uint64 count)
{
	ValueEntry *entries = gpusort_alloc_large(CurrentMemoryContext, count * sizeof(ValueEntry));

	for (uint64 start = 0; start < count; start += GPUSORT_INTERRUPT_INTERVAL)
	{
		CHECK_FOR_INTERRUPTS();
		memset(entries + start, 0, Min(count - start, GPUSORT_INTERRUPT_INTERVAL) * sizeof(ValueEntry));
	}
	return entries;
}

static void
free_entries(const ValueTable *table, ValueEntry *entries)
{
	if (entries != table->local)
		pfree(entries);
}

void
gpusort_table_begin(ValueTable *table, uint32 entries)
{
	table->count = 0;
	table->mask = entries - 1;
	if (entries > GPUSORT_TABLE_FIRST_ENTRIES)
		table->entries = allocate_entries(entries);
	else
	{
		memset(table->local, 0, sizeof(table->local));
		table->entries = table->local;
	}
}

void
gpusort_table_double(ValueTable *table)
{
	ValueEntry *old = table->entries;
	uint64		before = (uint64) table->mask + 1;

	table->mask = 2 * before - 1;
	table->entries = allocate_entries(2 * before);
	for (uint64 i = 0; i < before; i++)
	{
		uint32		slot = old[i].hash & table->mask;

		GPUSORT_CHECK_EVERY(i);
		if (old[i].place == 0)
			continue;
		while (table->entries[slot].place != 0)
			slot = (slot + 1) & table->mask;
		table->entries[slot] = old[i];
	}
	free_entries(table, old);
}

void
gpusort_table_free(ValueTable *table)
{
	free_entries(table, table->entries);
}
