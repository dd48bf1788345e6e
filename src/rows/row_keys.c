/*
 * row_keys.c
 *	  Sort keys of rows, see row_keys.h.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "keys/collation_kind.h"
#include "keys/enum_order.h"
#include "rows/row_keys.h"

/*
 * True for the *_pattern_ops operator classes of text and char(n), which compare bytes in
 * any collation.
 */
static bool
is_pattern_order(Oid opfamily)
{
	return opfamily == TEXT_PATTERN_BTREE_FAM_OID || opfamily == BPCHAR_PATTERN_BTREE_FAM_OID;
}

/*
 * Sets how values of the type, ordered by the operator, become a code.  There is one only
 * for the default btree order of a type, for *_pattern_ops, and for their reverse.
 */
RowKeyKind
gpusort_rows_key_kind(RowKey *key, Oid operator, Oid collation, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Oid			opfamily = cache->btree_opf;
	Oid			input_type = cache->btree_opintype;
	GPUSORT_ORDERING_STRATEGY strategy;

	key->kind = KEY_IS_COMPARED;
	key->is_enum = false;
	key->length = cache->typlen;
	key->by_value = cache->typbyval;
	key->descending = operator == cache->gt_opr;
	if (operator != cache->lt_opr && operator != cache->gt_opr)
	{
		if (!get_ordering_op_properties(operator, &opfamily, &input_type, &strategy))
			return key->kind;
		cache = lookup_type_cache(input_type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
		if (!is_pattern_order(opfamily) && operator != cache->lt_opr && operator != cache->gt_opr)
			return key->kind;
		key->descending = strategy == GPUSORT_ORDERING_GREATER;
	}
	if (key->by_value &&
		(gpusort_keys_form(input_type, &key->form) ? gpusort_key_width(key->form) == key->length
		 : input_type == BOOLOID || input_type == CHAROID))
		key->kind = KEY_IS_VALUE;
	else if (input_type == ANYENUMOID && gpusort_enum_orders_by_oid(type))
	{
		key->kind = KEY_IS_VALUE;
		key->form = GPUSORT_KEY_UINT32;
		key->is_enum = true;
	}
	else if (gpusort_key_bytes_source(&key->bytes, input_type, is_pattern_order(opfamily) ? C_COLLATION_OID : collation))
		key->kind = KEY_IS_BYTES;
	return key->kind;
}

RowKeys *
gpusort_rows_keys(TupleDesc desc, const List *sources, const Sort *sort)
{
	RowKeys    *keys = palloc0(sizeof(RowKeys) + sort->numCols * sizeof(RowKey));
	bool		coded = true;

	keys->nkeys = sort->numCols;
	keys->keys = (RowKey *) (keys + 1);
	for (int i = 0; i < keys->nkeys; i++)
	{
		RowKey	   *key = &keys->keys[i];
		Oid			operator = sort->sortOperators[i];
		Oid			collation = sort->collations[i];

		key->attribute = sort->sortColIdx[i] - 1;
		if (sources != NIL)
			key->attribute = list_nth_int(sources, key->attribute);
		key->type = TupleDescAttr(desc, key->attribute)->atttypid;
		key->operator = operator;
		key->nulls_first = sort->nullsFirst[i];
		coded &= gpusort_rows_key_kind(key, operator, collation, key->type) != KEY_IS_COMPARED;
		if (coded)
			keys->ncoded++;
		key->compare.ssup_cxt = CurrentMemoryContext;
		/* The C collation gives texts the same order, and PostgreSQL compares faster in it. */
		key->compare.ssup_collation = key->kind == KEY_IS_BYTES && gpusort_collation_compares_bytes(collation) ?
			C_COLLATION_OID : collation;
		key->compare.ssup_nulls_first = key->nulls_first;
		key->compare.ssup_attno = key->attribute + 1;
		if (key->kind == KEY_IS_BYTES && gpusort_key_bytes_abbreviated(&key->bytes))
		{
			key->bytes.abbreviate = key->compare;
			key->bytes.abbreviate.abbreviate = true;
			PrepareSortSupportFromOrderingOp(operator, &key->bytes.abbreviate);
		}
		PrepareSortSupportFromOrderingOp(operator, &key->compare);
		if (key->kind == KEY_IS_BYTES && key->bytes.order == COLLATION_ABBREVIATED)
		{
			key->plain = palloc(sizeof(RowKey));
			*key->plain = *key;
			key->plain->plain = NULL;
			key->ever_plain = true;
		}
	}
	return keys;
}

/*
 * Refuses labels that were put between others since the sort began: a function may meet one
 * that another transaction has just made.  The rows are as load_codes takes them.
 */
static void
check_labels(const RowKey *key, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, const uint64 *labels)
{
	uint64		all = 0;

	for (uint32 i = 0; i < n; i++)
		all |= labels[i];
	if (GPUSORT_ENUM_LABEL_IS_EVEN(all))
		return;
	for (uint32 i = 0; i < n; i++)
	{
		if (!GPUSORT_ENUM_LABEL_IS_EVEN(labels[i]) && !gpusort_rows_is_null(store, rows ? rows[i] : first + i, key->attribute))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("an enum got a new label while its values were sorted"),
					 errhint("Run the query again.")));
	}
}

/* Loads the codes of a key that is a value.  The rows are rows[0..n) or, if rows is NULL, first .. first + n - 1. */
void
gpusort_rows_load_codes(const RowKey *key, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const char *values = store->columns[key->attribute].values.data;

#define LOAD(type, encoding) \
	do { \
		const type *in = (const type *) values; \
		if (rows == NULL) \
			for (uint32 i = 0; i < n; i++) \
			{ \
				type		bits = in[first + i]; \
				out[i] = encoding; \
			} \
		else \
			for (uint32 i = 0; i < n; i++) \
			{ \
				type		bits = in[rows[i]]; \
				out[i] = encoding; \
			} \
	} while (0)

	if (key->length == 1)
	{
		LOAD(uint8, bits);
		return;
	}
	switch (key->form)
	{
		case GPUSORT_KEY_INT16:
			LOAD(uint16, gpusort_encode16(bits));
			break;
		case GPUSORT_KEY_INT32:
			LOAD(uint32, gpusort_encode32_tied(GPUSORT_KEY_INT32, bits));
			break;
		case GPUSORT_KEY_UINT32:
			LOAD(uint32, bits);
			if (key->is_enum)
				check_labels(key, store, rows, first, n, out);
			break;
		case GPUSORT_KEY_FLOAT32:
			LOAD(uint32, gpusort_encode32_tied(GPUSORT_KEY_FLOAT32, bits));
			break;
		case GPUSORT_KEY_FLOAT64:
			LOAD(uint64, gpusort_encode64_tied(GPUSORT_KEY_FLOAT64, bits));
			break;
		case GPUSORT_KEY_UINT64:
			LOAD(uint64, bits);
			break;
		default:
			LOAD(uint64, gpusort_encode64_tied(GPUSORT_KEY_INT64, bits));
			break;
	}
#undef LOAD
}

/* Compares rows of two stores of one layout by the keys from first_key on.  Words tell most of those apart that have some. */
int
gpusort_rows_compare(const RowKeys *keys, int first_key, const RowStore *a, uint32 row_a,
					 const RowStore *b, uint32 row_b)
{
	if (first_key == 0 && keys->nkeys > 0 && a->word_kind != 0 && a->word_kind == b->word_kind)
	{
		uint64		word_a = ((const uint64 *) a->words.data)[row_a];
		uint64		word_b = ((const uint64 *) b->words.data)[row_b];

		if (word_a != word_b)
			return word_a < word_b ? -1 : 1;
	}
	for (int i = first_key; i < keys->nkeys; i++)
	{
		RowKey	   *key = &keys->keys[i];
		bool		null_a;
		bool		null_b;
		Datum		value_a;
		Datum		value_b;
		int			order;

		if (a->layout->attributes[key->attribute].is_constant)
			continue;
		value_a = gpusort_rows_store_get(a, row_a, key->attribute, &null_a);
		value_b = gpusort_rows_store_get(b, row_b, key->attribute, &null_b);
		order = ApplySortComparator(value_a, null_a, value_b, null_b, &key->compare);
		if (order != 0)
			return order;
	}
	return 0;
}

List *
gpusort_rows_key_attributes(const RowKeys *keys)
{
	List	   *attributes = NIL;

	for (int i = 0; i < keys->nkeys; i++)
		attributes = lappend_int(attributes, keys->keys[i].attribute);
	return attributes;
}
