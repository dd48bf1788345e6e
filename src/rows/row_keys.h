/*
 * row_keys.h
 *	  Sort keys of rows: which of them have a code, and the comparison of two rows.
 *
 * The code of a value passed by value is that of keys/key_encoding.h; of others, the
 * bytes of key_bytes.h.  Keys from the first one on that has no code, and a key whose
 * code does not hold all of its order with those behind it, are compared.
 */
#ifndef GPUSORT_ROW_KEYS_H
#define GPUSORT_ROW_KEYS_H

#include "nodes/pg_list.h"
#include "utils/sortsupport.h"

#include "keys/key_types.h"
#include "rows/key_bytes.h"
#include "rows/row_store.h"

typedef enum RowKeyKind
{
	KEY_IS_COMPARED,			/* it has no code */
	KEY_IS_VALUE,				/* passed by value */
	KEY_IS_BYTES
} RowKeyKind;

typedef struct RowKey
{
	int			attribute;
	RowKeyKind	kind;
	bool		descending;
	bool		nulls_first;
	uint8		width;			/* bytes of a KEY_IS_VALUE */
	GpusortKeyForm form;		/* of one wider than a byte */
	ByteForm	bytes;			/* of a KEY_IS_BYTES */
	SortSupportData abbreviate; /* of these, where they are an abbreviation */
	SortSupportData compare;	/* of all keys */
} RowKey;

typedef struct RowKeys
{
	int			nkeys;
	int			ncoded;			/* leading keys that have a code */
	RowKey	   *keys;
} RowKeys;

extern RowKeyKind gpusort_rows_key_kind(RowKey *key, Oid operator, Oid collation, Oid type);
extern RowKeys *gpusort_rows_keys(TupleDesc desc, List *columns, List *operators, List *collations,
								  List *nulls_first);
extern void gpusort_rows_load_codes(const RowKey *key, const RowStore *store, const uint32 *rows,
									uint32 first, uint32 n, uint64 *out);
extern int	gpusort_rows_compare(const RowKeys *keys, int first_key, const RowStore *a, uint32 row_a,
								 const RowStore *b, uint32 row_b);

#endif							/* GPUSORT_ROW_KEYS_H */
