/*
 * key_lists.h
 *	  The keys of a sort as lists that a plan can hold.
 */
#ifndef GPUSORT_KEY_LISTS_H
#define GPUSORT_KEY_LISTS_H

#include "access/attnum.h"
#include "nodes/pg_list.h"

/* Which list it is.  Each has an entry for each key. */
typedef enum KeyLists
{
	KEY_COLUMNS,				/* ints: attribute number in the input */
	KEY_OPERATORS,				/* oids */
	KEY_COLLATIONS,				/* oids */
	KEY_NULLS_FIRST,			/* ints */
	KEY_LISTS
} KeyLists;

extern List *gpusort_key_lists(int nkeys, const AttrNumber *columns, const Oid *operators, const Oid *collations,
							   const bool *nulls_first);

#endif							/* GPUSORT_KEY_LISTS_H */
