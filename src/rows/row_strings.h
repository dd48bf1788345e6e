/*
 * row_strings.h
 *	  The strings of a key that is bytes: what they have in common, and the characters that
 *	  occur.
 *
 * Abbreviated keys are strings too.  They are expensive, as are those of numeric, so those of the
 * first key are made once for all rows of a store, a word each.
 */
#ifndef GPUSORT_ROW_STRINGS_H
#define GPUSORT_ROW_STRINGS_H

#include "rows/characters.h"
#include "rows/row_list.h"

#define ROWS_LOOKED_BYTES (Size) 256	/* leading bytes of a key that are looked at */

/* What strings of a key have in common. */
typedef struct ByteRange
{
	Size		skip;			/* length of the prefix that all have */
	Size		longest;		/* length of the longest; a lower bound once it exceeds a word */
} ByteRange;

/* Gets the first `limit` bytes of a row's key, to be freed, and maybe more.  Returns false if it is NULL. */
extern bool gpusort_rows_get_bytes(const RowKey *key, const RowStore *store, uint32 row, Size limit, KeyBytes *bytes);

/* The byte range of every step-th row of a list. */
extern ByteRange gpusort_rows_byte_range(const RowKey *key, const RowStore *store, const RowList *list, uint32 step);

/*
 * Counts the characters of a key behind the common prefix, as many places as fill `bits`
 * bits.  Returns false if packing them does not pay for telling nrows rows apart.  Some
 * rows of the list suggest the prefix and the number of places.  Then all rows are read,
 * and again if the prefix was wrong.  Sets *same if the strings of all rows are the same.
 */
extern bool gpusort_rows_find_characters(CharacterSets *sets, const RowKey *key, const RowStore *store,
										 const RowList *list, int bits, double nrows, bool *same);

/* The ranks of a key's values in listed rows, or NULL if many are distinct; has_bytes: its bytes may tell rows apart. */
extern ValueRanks *gpusort_rows_rank_values(RowKey *key, const RowStore *store, const RowList *list, bool has_bytes);

/*
 * Ranks the values of the first key, if it needs that and few are distinct.  Else makes the words
 * of all rows of a store at once, if that key has such: abbreviated keys, which ties need again, or
 * numeric values that fit a word.
 */
extern void gpusort_rows_keep_words(RowKeys *keys, const RowStore *store);

/* Must be called before the store changes, and before another one is ordered. */
extern void gpusort_rows_forget_words(RowKeys *keys);

#endif							/* GPUSORT_ROW_STRINGS_H */
