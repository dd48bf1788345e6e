/*
 * distinct_values.c
 *	  See distinct_values.h.
 *
 * Values are hashed a block ahead, which gives their entries time to come from memory.  Many
 * values that are only counted are all hashed first, see hashed_values.h.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "arrays/distinct_values.h"
#include "arrays/hashed_values.h"
#include "large_memory.h"

#define BLOCK 32

/* From this many values on all are hashed before they are counted. */
#define HASHED_FROM 16384

/* Reads and hashes the next values and has their entries fetched.  Returns where the values behind them begin. */
static const char *
read_block(const ValueTable *table, const char *next, uint32 count, ValueBytes *block)
{
	for (uint32 i = 0; i < count; i++)
	{
		gpusort_value_hash(table->element, next, &block[i]);
		__builtin_prefetch(&table->entries[block[i].hash & table->mask]);
		next += block[i].stored;
	}
	return next;
}

/*
 * How many entries a table begins with.  The last cut usually kept at least an eighth of the
 * values, so the table starts large enough for these.
 */
static uint32
first_entries(const StoredValues *values, bool are_kept)
{
	return Max(GPUSORT_TABLE_FIRST_ENTRIES, are_kept ? pg_nextpower2_32(values->count / 2 + 1) : 0);
}

uint32
gpusort_distinct_values(const StoredValues *values, char *kept, Size *kept_bytes)
{
	ValueTable	table = {
		.element = values->element,
		.data = kept != NULL ? kept : values->data
	};
	ValueBytes	block[BLOCK];
	const char *next = values->data;
	char	   *end = kept;

	if (kept == NULL && values->count >= HASHED_FROM)
		return gpusort_hashed_count(values);
	gpusort_table_begin(&table, first_entries(values, kept != NULL));
	for (uint32 start = 0; start < values->count; start += BLOCK)
	{
		uint32		count = Min(values->count - start, BLOCK);

		GPUSORT_CHECK_VALUES(start);
		if (table.count + count > table.mask / 2)
			gpusort_table_double(&table);
		next = read_block(&table, next, count, block);
		for (uint32 i = 0; i < count; i++)
		{
			if (!gpusort_table_enter(&table, &block[i], kept != NULL ? end : block[i].start) || kept == NULL)
				continue;
			/* Values only move towards the beginning, and never over one of the block that is still to come. */
			memmove(end, block[i].start, block[i].stored);
			end += block[i].stored;
		}
	}
	if (kept != NULL)
		*kept_bytes = end - kept;
	gpusort_table_free(&table);
	return table.count;
}
