/*
 * row_keys.c
 *	  Sort keys of rows, see row_keys.h.
 *
 * Encoding works on blocks of rows that stay in the first-level cache: one
 * simple loop per form loads the codes of a block, others fit and pack them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "nodes/rows/row_keys.h"

#define ROWS_ENCODE_BLOCK 1024
#define ROWS_BYTES_MAX (1024 * 1024)	/* of a key that its code holds at most */
#define ROWS_PREFETCH 8			/* records fetched ahead of the one being read */

/*
 * Sets how values of the type, ordered by the operator, become a code; only the
 * default btree order of a type, or its reverse, has one.
 */
RowKeyKind
gpusort_rows_key_kind(RowKey *key, Oid operator, Oid collation, Oid type)
{
	Oid			opfamily;
	Oid			input_type;
	GPUSORT_ORDERING_STRATEGY strategy;
	TypeCacheEntry *cache;

	key->kind = KEY_IS_COMPARED;
	if (!get_ordering_op_properties(operator, &opfamily, &input_type, &strategy))
		return key->kind;
	cache = lookup_type_cache(input_type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	key->descending = operator == cache->gt_opr;
	if (operator != cache->lt_opr && !key->descending)
		return key->kind;

	key->width = get_typlen(type);
	key->bytes = gpusort_key_bytes_form(input_type, collation);
	if (get_typbyval(type) &&
		(gpusort_keys_form(input_type, &key->form) ? gpusort_key_width(key->form) == key->width
		 : input_type == BOOLOID || input_type == CHAROID))
		key->kind = KEY_IS_VALUE;
	else if (key->bytes != BYTES_NONE)
		key->kind = KEY_IS_BYTES;
	return key->kind;
}

/* Whether a key's whole order is in its code, in whatever code it is fitted to. */
static bool
code_decides(const RowKey *key)
{
	return key->kind == KEY_IS_VALUE || (key->kind == KEY_IS_BYTES && gpusort_key_bytes_decide(key->bytes));
}

/* Builds the keys from the lists of a plan; in the current memory context. */
RowKeys *
gpusort_rows_keys(TupleDesc desc, List *columns, List *operators, List *collations, List *nulls_first)
{
	RowKeys    *keys = palloc0(sizeof(RowKeys));
	bool		coded = true;

	keys->nkeys = list_length(columns);
	keys->keys = palloc0(keys->nkeys * sizeof(RowKey));
	for (int i = 0; i < keys->nkeys; i++)
	{
		RowKey	   *key = &keys->keys[i];
		Oid			operator = list_nth_oid(operators, i);
		Oid			collation = list_nth_oid(collations, i);

		key->attribute = list_nth_int(columns, i) - 1;
		key->nulls_first = list_nth_int(nulls_first, i);
		coded &= gpusort_rows_key_kind(key, operator, collation,
									   TupleDescAttr(desc, key->attribute)->atttypid) != KEY_IS_COMPARED;
		if (coded)
			keys->ncoded++;
		coded &= code_decides(key);
		key->compare.ssup_cxt = CurrentMemoryContext;
		key->compare.ssup_collation = collation;
		key->compare.ssup_nulls_first = key->nulls_first;
		key->compare.ssup_attno = key->attribute + 1;
		key->abbreviate = key->compare;
		key->abbreviate.abbreviate = true;
		PrepareSortSupportFromOrderingOp(operator, &key->compare);
		if (key->kind == KEY_IS_BYTES && key->bytes == BYTES_NUMERIC)
			PrepareSortSupportFromOrderingOp(operator, &key->abbreviate);
	}
	return keys;
}

/* Loads the codes of a key that is a value, of rows[0..n) or, without rows, of the rows from first on. */
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

	if (key->width == 1)
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

/* Gets the bytes of a row's key, to be freed; false if it is NULL. */
static bool
get_bytes(const RowKey *key, const RowStore *store, uint32 row, KeyBytes *bytes)
{
	bool		is_null;
	Datum		value = gpusort_rows_store_get(store, row, key->attribute, &is_null);

	if (!is_null)
		gpusort_key_bytes_get(key->bytes, (SortSupport) &key->abbreviate, value, bytes);
	return !is_null;
}

/* The 8 bytes from a place on as a number; zeros are behind the end. */
static inline uint64
word_at(const KeyBytes *bytes, Size place)
{
	uint64		word = 0;

	if (place + sizeof(word) <= bytes->length)
		memcpy(&word, bytes->data + place, sizeof(word));
	else if (place < bytes->length)
		memcpy(&word, bytes->data + place, bytes->length - place);
	return pg_ntoh64(word);
}

/* The place, from one on up to an end, to which two strings are alike, padded by zeros. */
static Size
equal_bytes(const KeyBytes *a, const KeyBytes *b, Size from, Size end)
{
	while (from < Min(end, Max(a->length, b->length)))
	{
		uint64		difference = word_at(a, from) ^ word_at(b, from);

		if (difference != 0)
			return Min(end, from + __builtin_clzll(difference) / 8);
		from += sizeof(uint64);
	}
	return end;
}

/* Sets the bytes of a key that differ among all rows that are not NULL. */
static void
fit_bytes(KeyField *field, const RowStore *store)
{
	const RowKey *key = field->key;
	bool		vary = gpusort_key_bytes_vary(key->bytes);
	KeyBytes	first = {0};
	KeyBytes	bytes;
	bool		found = false;
	Size		longest = 0;

	for (uint32 row = 0; row < store->nrows && (vary || field->skip > 0 || !found); row++)
	{
		KeyBytes   *place = found ? &bytes : &first;

		CHECK_FOR_INTERRUPTS();
		if (!get_bytes(key, store, row, place))
			continue;
		longest = Max(longest, place->length);
		if (!found)
			field->skip = place->length;
		else
		{
			field->skip = equal_bytes(&first, &bytes, 0, field->skip);
			gpusort_key_bytes_free(&bytes);
		}
		found = true;
	}
	gpusort_key_bytes_free(&first);
	field->bits = 8 * Min(longest - field->skip, ROWS_BYTES_MAX);
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

	code->fields = palloc0(2 * Max(keys->ncoded, 1) * sizeof(KeyField));
	return code;
}

/* The code whose bits mean the same in every store of the layout; of bytes it has a word. */
KeyCode *
gpusort_rows_code_common(const RowKeys *keys, const RowLayout *layout)
{
	KeyCode    *code = empty_code(keys);

	for (int i = 0; i < keys->ncoded; i++)
	{
		const RowKey *key = &keys->keys[i];

		if (layout->attributes[key->attribute].is_constant)
			continue;
		add_field(code, key, true, 1);
		add_field(code, key, false, key->kind == KEY_IS_VALUE ? key->width * 8 : 64);
		if (key->kind == KEY_IS_BYTES)
			break;
	}
	return code;
}

/* The code for the store's rows alone, values fitted to their ranges when it is longer than wanted. */
KeyCode *
gpusort_rows_code_fitted(const RowKeys *keys, const RowStore *store, int wanted_bits)
{
	KeyCode    *code = empty_code(keys);

	for (int i = 0; i < keys->ncoded && code->nexact == i; i++)
	{
		const RowKey *key = &keys->keys[i];
		int			bits = 0;

		if (!store->layout->attributes[key->attribute].is_constant)
		{
			if (store->columns[key->attribute].has_nulls)
				add_field(code, key, true, 1);
			add_field(code, key, false, key->kind == KEY_IS_VALUE ? key->width * 8 : 0);
			if (key->kind == KEY_IS_BYTES)
			{
				fit_bytes(&code->fields[code->nfields - 1], store);
				bits = code->fields[code->nfields - 1].bits;
				code->bits += bits;
			}
		}
		if (code_decides(key) && bits < 8 * ROWS_BYTES_MAX)
			code->nexact++;
	}
	if (code->bits <= wanted_bits)
		return code;

	code->bits = 0;
	for (int i = 0; i < code->nfields; i++)
	{
		if (!code->fields[i].is_null_bit && code->fields[i].key->kind == KEY_IS_VALUE)
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

/* Loads the field's values, each below 2^bits, of a block of rows; not of bytes. */
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

/* Loads bits of a field of bytes, at most 64 from from_bit on, of a block of rows. */
static void
load_bytes(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n,
		   int from_bit, int nbits, uint64 *out)
{
	Size		place = field->skip + from_bit / 8;
	int			shift = from_bit % 8;

	for (uint32 i = 0; i < n; i++)
	{
		KeyBytes	bytes;
		uint64		word;

		if (rows != NULL && i + ROWS_PREFETCH < n)
			__builtin_prefetch(gpusort_rows_record(store, rows[i + ROWS_PREFETCH]));
		out[i] = 0;
		if (!get_bytes(field->key, store, rows ? rows[i] : first + i, &bytes))
			continue;
		word = word_at(&bytes, place);
		if (shift > 0)
			word = (word << shift) | (word_at(&bytes, place + sizeof(word)) >> (64 - shift));
		out[i] = (field->key->descending ? ~word : word) >> (64 - nbits);
		gpusort_key_bytes_free(&bytes);
	}
}

/* Shifts a part of each value, the bits above drop_below and of those take, into out. */
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
		const uint32 *block = rows ? rows + done : NULL;
		uint32		n = Min(ROWS_ENCODE_BLOCK, nrows - done);
		int			start = 0;

		memset(out + done, 0, n * sizeof(uint64));
		for (int f = 0; f < code->nfields && start < end_bit; f++)
		{
			const KeyField *field = &code->fields[f];
			int			end = start + field->bits;
			int			from = Max(start, from_bit);
			int			to = Min(end, end_bit);

			if (from >= to)
				;
			else if (field->is_null_bit || field->key->kind == KEY_IS_VALUE)
			{
				load_field(field, store, block, first + done, n, values);
				pack_part(out + done, values, n, end - to, to - from);
			}
			else
			{
				load_bytes(field, store, block, first + done, n, from - start, to - from, values);
				pack_part(out + done, values, n, 0, to - from);
			}
			start = end;
		}
	}
}

/*
 * The first bit in which codes may differ of rows that are equal up to from_bit:
 * bytes that all of them have alike are passed over.  Rows are the bits of packed
 * in row_mask, at least one.
 */
int
gpusort_rows_skip_equal(const KeyCode *code, const RowStore *store, const uint64 *packed,
						uint64 row_mask, uint32 nrows, int from_bit)
{
	const KeyField *field = code->fields;
	int			start = 0;
	KeyBytes	first;
	KeyBytes	bytes;
	Size		from;
	Size		alike;

	while (start + field->bits <= from_bit)
		start += field++->bits;
	if (field->is_null_bit || field->key->kind == KEY_IS_VALUE)
		return from_bit;
	/* The bit for NULL was equal: all are NULL or none is. */
	if (!get_bytes(field->key, store, packed[0] & row_mask, &first))
		return start + field->bits;
	from = field->skip + (from_bit - start) / 8;
	alike = field->skip + field->bits / 8;
	for (uint32 i = 1; i < nrows && alike > from; i++)
	{
		if (i + ROWS_PREFETCH < nrows)
			__builtin_prefetch(gpusort_rows_record(store, packed[i + ROWS_PREFETCH] & row_mask));
		(void) get_bytes(field->key, store, packed[i] & row_mask, &bytes);
		alike = equal_bytes(&first, &bytes, from, alike);
		gpusort_key_bytes_free(&bytes);
	}
	gpusort_key_bytes_free(&first);
	return Max(from_bit, start + 8 * (int) (alike - field->skip));
}

/* Orders one key of two rows that is a value, both not NULL. */
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
		if (key->kind == KEY_IS_VALUE)
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
