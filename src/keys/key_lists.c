/*
 * key_lists.c
 *	  See key_lists.h.
 */
#include "postgres.h"

#include "keys/key_lists.h"

List *
gpusort_key_lists(int nkeys, const AttrNumber *columns, const Oid *operators, const Oid *collations,
				  const bool *nulls_first)
{
	List	   *lists[KEY_LISTS] = {NIL};

	for (int key = 0; key < nkeys; key++)
	{
		lists[KEY_COLUMNS] = lappend_int(lists[KEY_COLUMNS], columns[key]);
		lists[KEY_OPERATORS] = lappend_oid(lists[KEY_OPERATORS], operators[key]);
		lists[KEY_COLLATIONS] = lappend_oid(lists[KEY_COLLATIONS], collations[key]);
		lists[KEY_NULLS_FIRST] = lappend_int(lists[KEY_NULLS_FIRST], nulls_first[key]);
	}
	return list_make4(lists[KEY_COLUMNS], lists[KEY_OPERATORS], lists[KEY_COLLATIONS], lists[KEY_NULLS_FIRST]);
}
