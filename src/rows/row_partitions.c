/*
 * row_partitions.c
 *	  Tables of partitions, see row_partitions.h.
 *
 * The bytes of a row's keys, one behind the other, are a value, and values are numbered (keys/value_ranks.h).  One
 * key that is passed by value is that itself, and NULL has number 0 then.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "rows/row_partitions.h"

struct RowPartitions
{
	MemoryContext context;		/* holds everything but the struct */
	int			nkeys;
	const RowKey **keys;
	RowBuffer	packed;			/* the keys of a row, as a varlena value */
	ValueRanks *values;			/* of all partitions */
};

RowPartitions *
gpusort_rows_partitions_create(const RowLayout *layout, const RowKeys *keys, int nkeys)
{
	RowPartitions *partitions = palloc0(sizeof(RowPartitions));
	MemoryContext caller;
	bool		single;			/* value, which need not be packed */

	partitions->context = AllocSetContextCreate(CurrentMemoryContext, "gpusort row partitions", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(partitions->context);
	partitions->keys = palloc(nkeys * sizeof(RowKey *));
	for (int i = 0; i < nkeys; i++)
	{
		if (!layout->attributes[keys->keys[i].attribute].is_constant)
			partitions->keys[partitions->nkeys++] = &keys->keys[i];
	}
	gpusort_rows_buffer_reserve(partitions->context, &partitions->packed, VARHDRSZ);
	single = partitions->nkeys == 1 && partitions->keys[0]->by_value;
	partitions->values = gpusort_ranks_create(single, single ? sizeof(Datum) : -1);
	MemoryContextSwitchTo(caller);
	return partitions;
}

/* Makes space for so many bytes of packed keys behind those that there are, and returns where it is. */
static inline char *
reserve(RowPartitions *partitions, Size used, Size more)
{
	if (used + more > partitions->packed.size)
		gpusort_rows_buffer_reserve(partitions->context, &partitions->packed, 2 * (used + more));
	return partitions->packed.data + used;
}

/* Appends a value of a key, behind a byte that says that it is not NULL, to `used` bytes.  Returns the new number of these. */
static inline Size
pack_value(RowPartitions *partitions, const RowKey *key, Datum value, Size used)
{
	char	   *place;
	char	   *bytes = DatumGetPointer(value);
	Size		size = sizeof(Datum);

	if (key->by_value)
	{
		place = reserve(partitions, used, 1 + sizeof(Datum));
		memcpy(place + 1, &value, sizeof(Datum));
	}
	else
	{
		if (key->length == -1 && VARATT_IS_EXTENDED(bytes) && !VARATT_IS_SHORT(bytes))
			bytes = (char *) PG_DETOAST_DATUM_PACKED(value);
		size = att_addlength_pointer(0, key->length, bytes);
		place = reserve(partitions, used, 1 + size);
		memcpy(place + 1, bytes, size);
		if (bytes != DatumGetPointer(value))
			pfree(bytes);
	}
	*place = 1;
	return used + 1 + size;
}

/* Returns the number of packed keys, which are copied if they are new. */
static uint32
number_packed(ValueRanks *values, char *packed)
{
	uint32		known = values->count;
	uint32		number = gpusort_ranks_find(values, PointerGetDatum(packed));

	if (number == known)
		values->values[number] = datumCopy(values->last, false, -1);
	values->last = values->values[number];
	return number;
}

uint32
gpusort_rows_partitions_find(RowPartitions *partitions, RowValueGetter get, void *row)
{
	MemoryContext caller = MemoryContextSwitchTo(partitions->context);
	Size		used = VARHDRSZ;
	uint32		partition = 0;
	bool		is_null;
	Datum		value;

	if (partitions->values->by_value)
	{
		value = get(row, partitions->keys[0]->attribute, &is_null);
		partition = is_null ? 0 : gpusort_ranks_find(partitions->values, value) + 1;
	}
	else
	{
		for (int i = 0; i < partitions->nkeys; i++)
		{
			value = get(row, partitions->keys[i]->attribute, &is_null);
			if (is_null)
				*reserve(partitions, used++, 1) = 0;
			else
				used = pack_value(partitions, partitions->keys[i], value, used);
		}
		SET_VARSIZE(partitions->packed.data, used);
		partition = number_packed(partitions->values, partitions->packed.data);
	}
	MemoryContextSwitchTo(caller);
	return partition;
}

uint32
gpusort_rows_partitions_count(const RowPartitions *partitions)
{
	return partitions->values->count + partitions->values->by_value;
}

Size
gpusort_rows_partitions_bytes(const RowPartitions *partitions)
{
	return MemoryContextMemAllocated(partitions->context, true);
}

void
gpusort_rows_partitions_free(RowPartitions *partitions)
{
	MemoryContextDelete(partitions->context);
	pfree(partitions);
}
