/*
 * row_keys.h
 *	  Sort keys of rows: which of them have a code, and the comparison of two rows.
 *
 * A value that is passed by value has the code of keys/key_encoding.h, that of an enum its
 * OID where that gives the order.  Others have the bytes of key_bytes.h.  A key without a
 * complete code has the ranks of its values (keys/value_ranks.h) where few of them are
 * distinct.  Else rows that its partial code does not tell apart are compared, by it and by the
 * keys behind it.
 */
#ifndef GPUSORT_ROW_KEYS_H
#define GPUSORT_ROW_KEYS_H

#include "nodes/plannodes.h"
#include "utils/sortsupport.h"

#include "keys/key_types.h"
#include "keys/key_bytes.h"
#include "keys/value_ranks.h"
#include "rows/row_store.h"

typedef enum RowKeyKind
{
	KEY_IS_COMPARED,			/* it has no code but ranks */
	KEY_IS_VALUE,				/* passed by value */
	KEY_IS_BYTES
} RowKeyKind;

typedef struct RowKey
{
	int			attribute;
	Oid			type;
	Oid			operator;
	int16		length;			/* of the type, as pg_attribute.attlen */
	bool		by_value;
	RowKeyKind	kind;
	bool		descending;
	bool		nulls_first;
	GpusortKeyForm form;		/* KEY_IS_VALUE wider than a byte */
	bool		is_enum;		/* KEY_IS_VALUE: the OIDs of labels */
	ByteSource	bytes;			/* KEY_IS_BYTES */
	uint64	   *words;			/* a word for each row of the store that is sorted, instead of its bytes; or NULL */
	uint64		words_differ;	/* in these bits, where the key is not NULL, */
	uint64		words_set;		/* and these are set in some */
	ValueRanks *ranks;			/* of its values in the store that is sorted, used instead of both; or NULL */
	struct RowKey *plain;		/* this key for rows whose texts are plain; NULL if it has none */
	bool		all_plain;		/* all texts of the store are plain */
	bool		ever_plain;		/* all texts of this store and of those before it are plain */
	SortSupportData compare;	/* set for all keys */
} RowKey;

typedef struct RowKeys
{
	int			nkeys;
	int			ncoded;			/* leading keys that have a code, be it a partial one */
	RowKey	   *keys;
} RowKeys;

/* True if a word is kept for each row of a store while it is sorted, unless the rows show that it is no use. */
static inline bool
gpusort_rows_may_keep_words(const RowKeys *keys)
{
	return keys->ncoded > 0 && keys->keys[0].kind == KEY_IS_BYTES &&
		(gpusort_key_bytes_abbreviated(&keys->keys[0].bytes) || keys->keys[0].bytes.form == BYTES_NUMERIC);
}

/* Bytes that sorting needs for a row in memory: its packed integer, scratch of an engine, and its word. */
static inline Size
gpusort_rows_sort_bytes(const RowKeys *keys)
{
	return (gpusort_rows_may_keep_words(keys) ? 3 : 2) * sizeof(uint64);
}

/* True if rows are equal in a key whenever its code is the same. */
static inline bool
gpusort_rows_key_decides(const RowKey *key)
{
	return key->kind == KEY_IS_VALUE || (key->kind == KEY_IS_BYTES && gpusort_key_bytes_decide(&key->bytes));
}

extern RowKeyKind gpusort_rows_key_kind(RowKey *key, Oid operator, Oid collation, Oid type);

/*
 * The keys of a Sort of rows that a descriptor describes, in the current memory context.  Unless the list of sources is NIL,
 * it names for each attribute the one that has its values, which takes its place.
 */
extern RowKeys *gpusort_rows_keys(TupleDesc desc, const List *sources, const Sort *sort);

extern List *gpusort_rows_key_attributes(const RowKeys *keys);
extern void gpusort_rows_load_codes(const RowKey *key, const RowStore *store, const uint32 *rows,
									uint32 first, uint32 n, uint64 *out);
extern int	gpusort_rows_compare(const RowKeys *keys, int first_key, const RowStore *a, uint32 row_a,
								 const RowStore *b, uint32 row_b);

#endif							/* GPUSORT_ROW_KEYS_H */
