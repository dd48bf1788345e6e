/*
 * byte_collation.c
 *	  Recognizes locales of the C library that have no rules of their own.
 *
 * C.UTF-8, a common default of servers, orders text by its bytes, but PostgreSQL
 * knows that of "C" and "POSIX" only, copies every text and calls strcoll, and
 * has no abbreviated keys.  glibc says itself how many rules the collation of a
 * locale has: with none, strcoll is strcmp.
 */
#include "postgres.h"

#include <langinfo.h>
#include <locale.h>

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "cpu_engine/byte_collation.h"

/* Does strcoll compare bytes in this locale? */
static bool
compares_bytes(const char *name)
{
	bool		result = false;

#ifdef __GLIBC__
	locale_t	locale = newlocale(LC_COLLATE_MASK, name, (locale_t) 0);

	if (locale != (locale_t) 0)
	{
		/* A number of 32 bits, returned as if it were a string; the other bits are anything. */
		result = (uint32) (uintptr_t) nl_langinfo_l(_NL_COLLATE_NRULES, locale) == 0;
		freelocale(locale);
	}
#endif
	return result;
}

/* The C library's locale of a collation, or NULL if another library orders by it. */
static char *
locale_name(Oid collation)
{
	bool		is_default = collation == DEFAULT_COLLATION_OID;
	int			cache = is_default ? DATABASEOID : COLLOID;
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(is_default ? MyDatabaseId : collation));
	char		provider;
	bool		is_null;
	Datum		name;
	char	   *result = NULL;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	provider = is_default ? ((Form_pg_database) GETSTRUCT(tuple))->datlocprovider
		: ((Form_pg_collation) GETSTRUCT(tuple))->collprovider;
	name = SysCacheGetAttr(cache, tuple, is_default ? Anum_pg_database_datcollate : Anum_pg_collation_collcollate, &is_null);
	if (provider == COLLPROVIDER_LIBC && !is_null)
		result = TextDatumGetCString(name);
	ReleaseSysCache(tuple);
	return result;
}

Oid
gpusort_collation_simplify(Oid collation)
{
	char	   *name;
	bool		simple;

	if (!OidIsValid(collation) || collation == C_COLLATION_OID)
		return collation;
	name = locale_name(collation);
	if (name == NULL)
		return collation;
	simple = compares_bytes(name);
	pfree(name);
	return simple ? C_COLLATION_OID : collation;
}
