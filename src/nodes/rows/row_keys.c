/*
 * row_keys.c
 *	  Sort keys of rows, see row_keys.h.
 *
 * Encoding works on blocks of rows that stay in the first-level cache: one
 * simple loop per form loads the codes of a block, others fit and pack them.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "nodes/rows/row_keys.h"

#define ROWS_ENCODE_BLOCK 1024

/*
 * Whether the operator is the default btree order, or its reverse, of a type
 * whose values the engines sort; type is that of the column.
 */
bool
gpusort_rows_key_form(Oid operator, Oid type, GpusortKeyForm *form, bool *descending)
{
	Oid			opfamily;
	Oid			input_type;
	GPUSORT_ORDERING_STRATEGY strategy;
	TypeCacheEntry *cache;

	if (!get_ordering_op_properties(operator, &opfamily, &input_type, &strategy) ||
		!gpusort_keys_form(input_type, form))
		return false;
	cache = lookup_type_cache(input_type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	*descending = operator == cache->gt_opr;
	return (operator == cache->lt_opr || *descending) &&
		get_typbyval(type) && get_typlen(type) == gpusort_key_width(*form);
}

/* Builds the keys from the lists of a plan; in the current memory context. */
RowKeys *
gpusort_rows_keys(TupleDesc desc, List *columns, List *operators, List *collations, List *nulls_first)
{
	RowKeys    *keys = palloc0(sizeof(RowKeys));

	keys->nkeys = list_length(columns);
	keys->keys = palloc0(keys->nkeys * sizeof(RowKey));
	for (int i = 0; i < keys->nkeys; i++)
	{
		RowKey	   *key = &keys->keys[i];
		Oid			operator = list_nth_oid(operators, i);

		key->attribute = list_nth_int(columns, i) - 1;
		key->nulls_first = list_nth_int(nulls_first, i);
		key->is_radix = gpusort_rows_key_form(operator, TupleDescAttr(desc, key->attribute)->atttypid,
											  &key->form, &key->descending);
		if (key->is_radix && keys->nradix == i)
			keys->nradix++;
		key->compare.ssup_cxt = CurrentMemoryContext;
		key->compare.ssup_collation = list_nth_oid(collations, i);
		key->compare.ssup_nulls_first = key->nulls_first;
		key->compare.ssup_attno = key->attribute + 1;
		PrepareSortSupportFromOrderingOp(operator, &key->compare);
	}
	return keys;
}

/* Loads the codes of rows[0..n) or, without rows, of the rows from first on. */
static void
load_codes(const RowKey *key, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
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

static int
bit_length(uint64 value)
{
	return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

static uint64
low_bits(int bits)
{
	return bits >= 64 ? PG_UINT64_MAX : (UINT64CONST(1) << bits) - 1;
}

/* Sets the range of a key's codes over all rows that are not NULL. */
static void
fit_range(KeyField *field, const RowStore *store)
{
	const RowColumn *column = &store->columns[field->key->attribute];
	uint64		codes[ROWS_ENCODE_BLOCK];
	uint64		low = PG_UINT64_MAX;
	uint64		high = 0;

	for (uint32 first = 0; first < store->nrows; first += ROWS_ENCODE_BLOCK)
	{
		uint32		n = Min(ROWS_ENCODE_BLOCK, store->nrows - first);

		load_codes(field->key, store, NULL, first, n, codes);
		for (uint32 i = 0; i < n; i++)
		{
			if (column->has_nulls && column->nulls.data[first + i])
				continue;
			low = Min(low, codes[i]);
			high = Max(high, codes[i]);
		}
	}
	field->low = Min(low, high);
	field->high = high;
	field->bits = bit_length(field->high - field->low);
}

static void
add_field(KeyCode *code, const RowKey *key, bool is_null_bit, int bits)
{
	KeyField   *field = &code->fields[code->nfields++];

	field->key = key;
	field->is_null_bit = is_null_bit;
	field->bits = bits;
	field->low = 0;
	field->high = low_bits(bits);
	code->bits += bits;
}

static KeyCode *
empty_code(const RowKeys *keys)
{
	KeyCode    *code = palloc0(sizeof(KeyCode));

	code->fields = palloc0(2 * Max(keys->nradix, 1) * sizeof(KeyField));
	return code;
}

/* The code whose bits mean the same in every store of the layout. */
KeyCode *
gpusort_rows_code_common(const RowKeys *keys, const RowLayout *layout)
{
	KeyCode    *code = empty_code(keys);

	for (int i = 0; i < keys->nradix; i++)
	{
		if (layout->attributes[keys->keys[i].attribute].is_constant)
			continue;
		add_field(code, &keys->keys[i], true, 1);
		add_field(code, &keys->keys[i], false, gpusort_key_width(keys->keys[i].form) * 8);
	}
	return code;
}

/* The code for the store's rows alone, fitted to their ranges when it is longer than wanted. */
KeyCode *
gpusort_rows_code_fitted(const RowKeys *keys, const RowStore *store, int wanted_bits)
{
	KeyCode    *code = empty_code(keys);

	for (int i = 0; i < keys->nradix; i++)
	{
		const RowKey *key = &keys->keys[i];

		if (store->layout->attributes[key->attribute].is_constant)
			continue;
		if (store->columns[key->attribute].has_nulls)
			add_field(code, key, true, 1);
		add_field(code, key, false, gpusort_key_width(key->form) * 8);
	}
	if (code->bits <= wanted_bits)
		return code;

	code->bits = 0;
	for (int i = 0; i < code->nfields; i++)
	{
		if (!code->fields[i].is_null_bit)
			fit_range(&code->fields[i], store);
		code->bits += code->fields[i].bits;
	}
	return code;
}

void
gpusort_rows_code_free(KeyCode *code)
{
	pfree(code->fields);
	pfree(code);
}

/* Loads the field's values, each below 2^bits, of a block of rows. */
static void
load_field(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const RowColumn *column = &store->columns[field->key->attribute];
	const char *nulls = column->has_nulls ? column->nulls.data : NULL;

	if (field->is_null_bit)
	{
		uint64		flip = field->key->nulls_first ? 1 : 0;

		for (uint32 i = 0; i < n; i++)
			out[i] = (nulls != NULL && nulls[rows ? rows[i] : first + i] ? 1 : 0) ^ flip;
		return;
	}

	load_codes(field->key, store, rows, first, n, out);
	if (field->key->descending)
		for (uint32 i = 0; i < n; i++)
			out[i] = field->high - out[i];
	else if (field->low != 0)
		for (uint32 i = 0; i < n; i++)
			out[i] -= field->low;
	if (nulls != NULL)
		for (uint32 i = 0; i < n; i++)
			out[i] = nulls[rows ? rows[i] : first + i] ? 0 : out[i];
}

/* Shifts a part of each value, the bits above drop and below keep, into out. */
static void
pack_part(uint64 *out, const uint64 *values, uint32 n, int drop_below, int take)
{
	uint64		mask = low_bits(take);

	if (take == 64)
		memcpy(out, values, n * sizeof(uint64));
	else
		for (uint32 i = 0; i < n; i++)
			out[i] = (out[i] << take) | ((values[i] >> drop_below) & mask);
}

/*
 * Writes the bits from from_bit on (0: the most significant one), nbits of them
 * or what there is, of the rows' codes.  The rows are rows[0..nrows) or, without
 * rows, those from first on.
 */
void
gpusort_rows_encode(const KeyCode *code, const RowStore *store, const uint32 *rows, uint32 first,
					uint32 nrows, int from_bit, int nbits, uint64 *out)
{
	uint64		values[ROWS_ENCODE_BLOCK];
	int			end_bit = Min(from_bit + nbits, code->bits);

	for (uint32 done = 0; done < nrows; done += ROWS_ENCODE_BLOCK)
	{
		uint32		n = Min(ROWS_ENCODE_BLOCK, nrows - done);
		int			start = 0;

		memset(out + done, 0, n * sizeof(uint64));
		for (int f = 0; f < code->nfields && start < end_bit; f++)
		{
			const KeyField *field = &code->fields[f];
			int			end = start + field->bits;

			if (field->bits > 0 && end > from_bit)
			{
				load_field(field, store, rows ? rows + done : NULL, first + done, n, values);
				pack_part(out + done, values, n, end - Min(end, end_bit),
						  Min(end, end_bit) - Max(start, from_bit));
			}
			start = end;
		}
	}
}

/* Orders one radix key of two rows, both not NULL. */
static int
compare_codes(const RowKey *key, const RowStore *a, uint32 row_a, const RowStore *b, uint32 row_b)
{
	uint64		code_a;
	uint64		code_b;
	int			order;

	load_codes(key, a, NULL, row_a, 1, &code_a);
	load_codes(key, b, NULL, row_b, 1, &code_b);
	order = code_a < code_b ? -1 : code_a > code_b;
	return key->descending ? -order : order;
}

/* Orders two rows of stores of one layout by the keys from first_key on. */
int
gpusort_rows_compare(const RowKeys *keys, int first_key, const RowStore *a, uint32 row_a,
					 const RowStore *b, uint32 row_b)
{
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
		if (key->is_radix)
		{
			null_a = gpusort_rows_is_null(a, row_a, key->attribute);
			null_b = gpusort_rows_is_null(b, row_b, key->attribute);
			if (null_a || null_b)
				order = null_a == null_b ? 0 : (null_a == key->nulls_first ? -1 : 1);
			else
				order = compare_codes(key, a, row_a, b, row_b);
		}
		else
		{
			value_a = gpusort_rows_store_get(a, row_a, key->attribute, &null_a);
			value_b = gpusort_rows_store_get(b, row_b, key->attribute, &null_b);
			order = ApplySortComparator(value_a, null_a, value_b, null_b, &key->compare);
		}
		if (order != 0)
			return order;
	}
	return 0;
}
