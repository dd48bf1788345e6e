/*
 * row_plain.c
 *	  Finds keys that are plain texts, see row_plain.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "rows/row_plain.h"

#define UNLEARNED_SHARE 4		/* of rows that were sorted before one in so many counts: they have no use of what is learned now */

static double unlearned_rows;	/* that this process has sorted without knowing what plain texts are */

/* Finds the first listed row, from place `from` of the list on, whose text is not plain.  The key must have one for plain texts. */
static uint32
find_other(const RowKey *key, const RowStore *store, const RowList *list, uint32 from, Datum *value)
{
	uint32		i;

	for (i = from; i < list->count; i++)
	{
		bool		is_null;

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_prefetch(store, list, i, 1);
		*value = gpusort_rows_store_get(store, gpusort_rows_listed(list, i), key->attribute, &is_null);
		if (!is_null && !gpusort_key_bytes_plain(&key->plain->bytes, *value))
			break;
	}
	return i;
}

static bool
are_plain(const RowKey *key, const RowStore *store, const RowList *list)
{
	Datum		other;

	return find_other(key, store, list, 0, &other) == list->count;
}

/* True if a key's texts are plain in all rows of a store.  If the sort has many rows, what plain texts are is widened. */
static bool
all_are_plain(RowKey *key, const RowStore *store, double nrows)
{
	RowList		all_rows = {.count = store->nrows};
	Datum		other;
	uint32		i = find_other(key, store, &all_rows, 0, &other);

	while (i < store->nrows && gpusort_key_bytes_widen(&key->plain->bytes, key->compare.ssup_collation, nrows, other))
		i = find_other(key, store, &all_rows, i, &other);
	return i == store->nrows;
}

/*
 * Finds out whether all rows of a store are plain texts in the first key that may have such.  Of
 * those behind it only what plain texts are is learned.  nrows is how many rows the sort has: that
 * and the rows before decide whether learning pays.  Rows that were `asked` before need not be read again.
 */
void
gpusort_rows_find_plain(RowKeys *keys, const RowStore *store, double nrows, bool asked)
{
	bool		leads = true;

	for (int i = 0; i < keys->ncoded; i++)
	{
		RowKey	   *key = &keys->keys[i];
		bool		known;

		if (key->plain == NULL || store->layout->attributes[key->attribute].is_constant)
			continue;
		known = gpusort_key_bytes_learn_plain(&key->plain->bytes, key->compare.ssup_collation,
											  nrows + unlearned_rows / UNLEARNED_SHARE);
		unlearned_rows += known || asked ? 0 : store->nrows;
		key->all_plain = known && leads && ((asked && key->ever_plain) || all_are_plain(key, store, nrows));
		key->ever_plain &= key->all_plain;
		leads = false;
	}
}

/* The key to encode listed rows by: the plain one if their texts are plain, else itself. */
RowKey *
gpusort_rows_key_of_list(RowKey *key, const RowStore *store, const RowList *list)
{
	if (key->plain == NULL || key->plain->bytes.plain == NULL)
		return key;
	/* Words were made because some text of the store is not plain. */
	if (list->packed == NULL && key->words != NULL)
		return key;
	return key->all_plain || are_plain(key, store, list) ? key->plain : key;
}
