/*
 * fuzz_keys.c
 *	  Rows must come out in the order that the comparators of their keys give, and equal rows
 *	  in the order in which they came, whatever the values are.
 *
 * Input: two keys, then a byte for each row, which says which values it has.  A key is a byte
 * with its type; one with its collation, if the type can have one; one with its directions of
 * order and of NULLs; one with the number of its values; and the values, each as the type's
 * receive function takes it.  Before values of no fixed length, and of name, is a byte with
 * the length.
 */
#include "fuzz.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/catcache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "keys/collation_kind.h"
#include "keys/sort_keys.h"
#include "keys/linguistic_key.h"
#include "keys/plain_learn.h"
#include "rows/row_sort.h"

#define NKEYS 2
#define NCOLUMNS (NKEYS + 1)	/* the last one has the row's number */
#define MOST_VALUES 16
#define MOST_ROWS 256
#define MOST_COLLATIONS 32

static const Oid types[] = {
	NUMERICOID, TEXTOID, INTERVALOID, INETOID, TIMETZOID, BPCHAROID, BYTEAOID, NAMEOID, UUIDOID, MACADDROID, MACADDR8OID,
	FLOAT4OID, FLOAT8OID, INT2OID, INT4OID, INT8OID, BOOLOID, CHAROID, OIDOID, DATEOID, TIMEOID, TIMESTAMPOID, CIDROID, BITOID
};

static Oid	collations[MOST_COLLATIONS];
static int	ncollations;

typedef struct FuzzKey
{
	Oid			type;
	Oid			collation;
	bool		descending;
	bool		nulls_first;
	SortSupportData compare;
	int			nvalues;
	Datum		values[MOST_VALUES];
	bool		nulls[MOST_VALUES];
} FuzzKey;

/* The collations of the database, with what is learned of each. */
static void
prepare(void)
{
	CatCList   *list;
	const char *const names[] = {"C", "hu_HU", "cs_CZ", "da_DK", "en_US", "fr_CA", "en-x-icu", "de-x-icu", "da-x-icu", "hu-x-icu", "sv-x-icu"};

	for (int i = 0; i < lengthof(names); i++)
	{
		list = SearchSysCacheList1(COLLNAMEENCNSP, CStringGetDatum(names[i]));
		for (int j = 0; j < list->n_members && ncollations < MOST_COLLATIONS; j++)
		{
			Oid			collation = ((Form_pg_collation) GETSTRUCT(&list->members[j]->tuple))->oid;
			CollationKind kind = gpusort_collation_kind(collation);
			const void *learned = NULL;

			if (kind == COLLATION_WEIGHTS)
				learned = gpusort_linguistic_key(collation, true);
			else if (kind == COLLATION_ABBREVIATED)
				learned = gpusort_plain_key(collation, true);
			fprintf(stderr, "collation %s: kind %d%s\n", names[i], (int) kind, learned ? ", learned" : "");
			collations[ncollations++] = collation;
		}
		ReleaseCatCacheList(list);
	}
}

/* A value of the type, as its receive function takes it, or NULL if it refuses the bytes. */
static Datum
read_value(FuzzInput *input, Oid type, bool *is_null)
{
	MemoryContext caller = CurrentMemoryContext;
	int16		length = get_typlen(type);
	Size		size = length > 0 && type != NAMEOID ? length : gpusort_fuzz_number(input, 1);
	StringInfoData bytes;
	Oid			receive;
	Oid			parameter;
	Datum		value = (Datum) 0;

	initStringInfo(&bytes);
	for (Size i = 0; i < size && input->place < input->size; i++)
		appendStringInfoChar(&bytes, input->data[input->place++]);
	getTypeBinaryInputInfo(type, &receive, &parameter);
	*is_null = false;
	PG_TRY();
	{
		value = OidReceiveFunctionCall(receive, &bytes, parameter, -1);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		FlushErrorState();
		*is_null = true;
	}
	PG_END_TRY();
	return value;
}

static void
read_key(FuzzInput *input, FuzzKey *key)
{
	int			flags;
	TypeCacheEntry *cache;

	key->type = types[gpusort_fuzz_number(input, 1) % lengthof(types)];
	key->collation = OidIsValid(get_typcollation(key->type)) ? collations[gpusort_fuzz_number(input, 1) % ncollations] : InvalidOid;
	if (key->type == NAMEOID)
		key->collation = C_COLLATION_OID;
	flags = gpusort_fuzz_number(input, 1);
	key->descending = flags & 1;
	key->nulls_first = flags & 2;
	key->nvalues = 1 + gpusort_fuzz_number(input, 1) % MOST_VALUES;
	for (int i = 0; i < key->nvalues; i++)
		key->values[i] = read_value(input, key->type, &key->nulls[i]);
	cache = lookup_type_cache(key->type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	key->compare.ssup_cxt = CurrentMemoryContext;
	key->compare.ssup_collation = key->collation;
	key->compare.ssup_nulls_first = key->nulls_first;
	PrepareSortSupportFromOrderingOp(key->descending ? cache->gt_opr : cache->lt_opr, &key->compare);
}

static RowSort *
begin(const FuzzKey *keys, int nrows)
{
	TupleDesc	desc = CreateTemplateTupleDesc(NCOLUMNS);
	List	   *tlist = NIL;
	Sort	   *sort = makeNode(Sort);

	for (int i = 0; i < NCOLUMNS; i++)
	{
		Oid			type = i < NKEYS ? keys[i].type : INT4OID;
		Oid			collation = i < NKEYS ? keys[i].collation : InvalidOid;
		TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

		TupleDescInitEntry(desc, i + 1, "c", type, -1, 0);
		TupleDescInitEntryCollation(desc, i + 1, collation);
		tlist = lappend(tlist, makeTargetEntry((Expr *) makeVar(1, i + 1, type, -1, collation, 0), i + 1, NULL, false));
		if (i == NKEYS)
			break;
		gpusort_add_sort_key(sort, i + 1, keys[i].descending ? cache->gt_opr : cache->lt_opr, collation, keys[i].nulls_first);
	}
	return gpusort_rows_sort_begin(desc, tlist, NIL, sort, nrows, 32, (RowBoundSpec) {0}, false, false,
								   work_mem * (Size) 1024);
}

/* Fails unless row b may follow row a. */
static void
check_order(FuzzKey *keys, const uint8 *picks, int nrows, int a, int b)
{
	if (b < 0 || b >= nrows)
		gpusort_fuzz_fail("row %d comes out of %d rows", b, nrows);
	for (int i = 0; i < NKEYS; i++)
	{
		FuzzKey    *key = &keys[i];
		int			left = (picks[a] >> (4 * i)) % key->nvalues;
		int			right = (picks[b] >> (4 * i)) % key->nvalues;
		int			order = ApplySortComparator(key->values[left], key->nulls[left],
												key->values[right], key->nulls[right], &key->compare);

		if (order > 0)
			gpusort_fuzz_fail("key %d, of type %u: value %d comes before value %d", i, key->type, left, right);
		if (order < 0)
			return;
	}
	if (a >= b)
		gpusort_fuzz_fail("rows %d and %d are equal and have changed places", b, a);
}

static void
run(FuzzInput *input)
{
	FuzzKey    *keys = palloc0(NKEYS * sizeof(FuzzKey));
	const uint8 *picks;
	int			nrows;
	RowSort    *sort;
	int			last = -1;

	for (int i = 0; i < NKEYS; i++)
		read_key(input, &keys[i]);
	picks = input->data + input->place;
	nrows = Min(input->size - input->place, MOST_ROWS);
	if (nrows < 2)
		return;
	sort = begin(keys, nrows);
	for (int row = 0; row < nrows; row++)
	{
		Datum		values[NCOLUMNS] = {[NKEYS] = Int32GetDatum(row)};
		bool		nulls[NCOLUMNS] = {false};

		for (int i = 0; i < NKEYS; i++)
		{
			int			pick = (picks[row] >> (4 * i)) % keys[i].nvalues;

			values[i] = keys[i].values[pick];
			nulls[i] = keys[i].nulls[pick];
		}
		gpusort_rows_sort_reserve(sort, 1);
		gpusort_rows_store_append(sort->store, values, nulls);
	}
	gpusort_rows_sort_finish(sort);
	if (sort->nrows != nrows)
		gpusort_fuzz_fail("%d rows became " UINT64_FORMAT, nrows, sort->nrows);
	for (int row = 0; row < nrows; row++)
	{
		RowBatch   *batch = gpusort_rows_sort_read(sort, row);
		int			number = DatumGetInt32(batch->values[(row - batch->first) * batch->natts + NKEYS]);

		if (last >= 0)
			check_order(keys, picks, nrows, last, number);
		last = number;
	}
	gpusort_rows_sort_free(sort);
}

const FuzzTarget gpusort_fuzz_keys = {.name = "keys",.prepare = prepare,.run = run};
