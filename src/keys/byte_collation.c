/*
 * byte_collation.c
 *	  Recognizes collations that compare bytes, see byte_collation.h.
 *
 * C.UTF-8 of the C library is a common default of servers and orders text by its
 * bytes.  PostgreSQL knows that of "C" and "POSIX" only: for C.UTF-8 it copies every
 * text, calls strcoll and has no abbreviated keys.  glibc tells how many rules the
 * collation of a locale has; with none, its strcoll is strcmp.  The name tells
 * nothing: on some systems with a glibc before 2.35, C.UTF-8 had rules.  A mistake
 * would give wrong results, so strcoll is also tried on texts that locales with rules
 * order differently.
 *
 * The builtin provider compares bytes in each of its locales, but one whose name is
 * not listed here is not trusted.  ICU never compares bytes.
 */
#include "postgres.h"

#include <langinfo.h>
#include <locale.h>

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "compat.h"
#include "keys/byte_collation.h"

/* What is known of a collation. */
typedef struct KnownCollation
{
	Oid			collation;		/* hash key */
	bool		compares_bytes;
} KnownCollation;

static HTAB *known_collations;

/* Whether a name is one of a list that ends in NULL. */
static bool
is_one_of(const char *name, const char *const *list)
{
	while (*list != NULL)
	{
		if (strcmp(name, *list++) == 0)
			return true;
	}
	return false;
}

#ifdef __GLIBC__

/* Whether strcoll agrees with strcmp on texts that locales with rules order differently. */
static bool
strcoll_is_strcmp(locale_t locale)
{
	static const char *const ascii[] = {
		"", " ", " b", "!", "\"a", "-", "-b", "0", "10", "9", "A", "AB", "Aa", "B", "CH", "Z",
		"_", "a", "a b", "a-b", "aA", "aB", "aa", "ab", "b", "ch", "cz", "dzs", "ll", "lz", "z", "~", NULL
	};
	/* Accents, combining marks, a soft hyphen, scripts, and the ends of planes and surrogates. */
	static const char *const utf8[] = {
		"a\xcc\x81", "\xc2\xad", "\xc3\x89", "\xc3\x9f", "\xc3\xa9", "\xc4\xb1", "\xce\xb1", "\xd0\xb1",
		"\xe0\xb8\x81", "\xe4\xb8\x80", "\xea\xb0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xac\x81", "\xef\xbf\xbd",
		"\xf0\x90\x80\x80", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", NULL
	};
	const char *texts[lengthof(ascii) + lengthof(utf8)];
	int			count = 0;

	for (int i = 0; ascii[i] != NULL; i++)
		texts[count++] = ascii[i];
	for (int i = 0; utf8[i] != NULL && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0; i++)
		texts[count++] = utf8[i];
	for (int a = 0; a < count; a++)
	{
		for (int b = 0; b < count; b++)
		{
			int			by_bytes = strcmp(texts[a], texts[b]);
			int			by_locale = strcoll_l(texts[a], texts[b], locale);

			if ((by_bytes > 0) != (by_locale > 0) || (by_bytes < 0) != (by_locale < 0))
				return false;
		}
	}
	return true;
}

#endif

/* Whether a locale of the C library compares bytes. */
static bool
libc_compares_bytes(const char *name)
{
	static const char *const c_names[] = {"C", "POSIX", NULL};
	bool		result = false;

	if (is_one_of(name, c_names))
		return true;
#ifdef __GLIBC__
	{
		locale_t	locale = newlocale(LC_COLLATE_MASK | LC_CTYPE_MASK, name, (locale_t) 0);

		if (locale != (locale_t) 0)
		{
			/* A number of 32 bits, returned in the place of a pointer; the other bits are undefined. */
			result = (uint32) (uintptr_t) nl_langinfo_l(_NL_COLLATE_NRULES, locale) == 0 && strcoll_is_strcmp(locale);
			freelocale(locale);
		}
	}
#endif
	return result;
}

/* Whether the locale that a catalog gives a provider compares bytes. */
static bool
locale_compares_bytes(char provider, const char *name)
{
	static const char *const builtin_names[] = {"C", "C.UTF-8", "PG_UNICODE_FAST", NULL};

	switch (provider)
	{
		case COLLPROVIDER_LIBC:
			return libc_compares_bytes(name);
		case GPUSORT_COLLPROVIDER_BUILTIN:
			return is_one_of(name, builtin_names);
		default:
			return false;
	}
}

/* Looks a collation up in the catalogs.  The locale of the default collation is in pg_database. */
static bool
catalog_compares_bytes(Oid collation)
{
	bool		is_default = collation == DEFAULT_COLLATION_OID;
	int			cache = is_default ? DATABASEOID : COLLOID;
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(is_default ? MyDatabaseId : collation));
	char		provider;
	bool		deterministic = true;
	bool		is_builtin;
	bool		is_null;
	Datum		name;
	bool		result = false;

	if (!HeapTupleIsValid(tuple))
		return false;
	if (is_default)
		provider = ((Form_pg_database) GETSTRUCT(tuple))->datlocprovider;
	else
	{
		provider = ((Form_pg_collation) GETSTRUCT(tuple))->collprovider;
		deterministic = ((Form_pg_collation) GETSTRUCT(tuple))->collisdeterministic;
	}
	is_builtin = provider == GPUSORT_COLLPROVIDER_BUILTIN;
	if (is_default)
		name = SysCacheGetAttr(cache, tuple, is_builtin ? GPUSORT_ANUM_DATABASE_LOCALE : Anum_pg_database_datcollate, &is_null);
	else
		name = SysCacheGetAttr(cache, tuple, is_builtin ? GPUSORT_ANUM_COLLATION_LOCALE : Anum_pg_collation_collcollate, &is_null);
	if (!is_null && deterministic)
	{
		char	   *locale = TextDatumGetCString(name);

		result = locale_compares_bytes(provider, locale);
		pfree(locale);
	}
	ReleaseSysCache(tuple);
	return result;
}

/* Called when a collation was changed or dropped: all will be looked up again. */
static void
forget_collations(Datum arg, int cache, uint32 hash)
{
	HASH_SEQ_STATUS status;
	KnownCollation *known;

	hash_seq_init(&status, known_collations);
	while ((known = hash_seq_search(&status)) != NULL)
		hash_search(known_collations, &known->collation, HASH_REMOVE, NULL);
}

bool
gpusort_collation_compares_bytes(Oid collation)
{
	KnownCollation *known;
	bool		compares_bytes;

	if (!OidIsValid(collation))
		return false;
	if (collation == C_COLLATION_OID)
		return true;
	if (known_collations == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(KnownCollation)};

		known_collations = hash_create("gpusort collations", 16, &control, HASH_ELEM | HASH_BLOBS);
		CacheRegisterSyscacheCallback(COLLOID, forget_collations, (Datum) 0);
	}
	known = hash_search(known_collations, &collation, HASH_FIND, NULL);
	if (known != NULL)
		return known->compares_bytes;

	/* The look-up may remove entries, so the new one is made after it. */
	compares_bytes = catalog_compares_bytes(collation);
	known = hash_search(known_collations, &collation, HASH_ENTER, NULL);
	known->compares_bytes = compares_bytes;
	return compares_bytes;
}
