/*
 * collation_kind.c
 *	  Tells kinds of collations apart, see collation_kind.h.
 *
 * C.UTF-8 of the C library is a common default of servers and orders text by its
 * bytes.  PostgreSQL knows that of "C" and "POSIX" only: for C.UTF-8 it copies every
 * text, calls strcoll and has no abbreviated keys.  glibc tells how many rules the
 * collation of a locale has; with none, its strcoll calls strcmp.  The name tells
 * nothing: on some systems with a glibc before 2.35, C.UTF-8 had rules.
 *
 * The builtin provider compares bytes in each of its locales, but one whose name is
 * not listed here is not trusted.  ICU never compares bytes.
 *
 * Other locales of glibc have tables of weights.  Those are read only when a sort is large
 * enough; until then it is enough that there are rules, and that the database's encoding
 * tells which bytes are one character.
 */
#include "postgres.h"

#include <langinfo.h>
#include <locale.h>

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "compat.h"
#include "keys/collation_kind.h"

/* What is known of a collation. */
typedef struct KnownCollation
{
	Oid			collation;		/* hash key */
	CollationKind kind;
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

/* The kind of a locale of the C library. */
static CollationKind
libc_kind(const char *name)
{
	static const char *const c_names[] = {"C", "POSIX", NULL};
	CollationKind kind = COLLATION_COMPARED;

	if (is_one_of(name, c_names))
		return COLLATION_BYTES;
#ifdef __GLIBC__
	{
		locale_t	locale = newlocale(LC_COLLATE_MASK | LC_CTYPE_MASK, name, (locale_t) 0);

		if (locale == (locale_t) 0)
			return COLLATION_COMPARED;
		/* A number of 32 bits, returned in the place of a pointer; the other bits are undefined. */
		if ((uint32) (uintptr_t) nl_langinfo_l(_NL_COLLATE_NRULES, locale) != 0)
			kind = GetDatabaseEncoding() == PG_SQL_ASCII ? COLLATION_COMPARED : COLLATION_WEIGHTS;
		else
			kind = COLLATION_BYTES;
		freelocale(locale);
	}
#endif
	return kind;
}

/* The kind of the locale that a catalog gives a provider. */
static CollationKind
locale_kind(char provider, const char *name)
{
	static const char *const builtin_names[] = {"C", "C.UTF-8", "PG_UNICODE_FAST", NULL};

	switch (provider)
	{
		case COLLPROVIDER_LIBC:
			return libc_kind(name);
		case COLLPROVIDER_ICU:
			return COLLATION_ABBREVIATED;
		case GPUSORT_COLLPROVIDER_BUILTIN:
			return is_one_of(name, builtin_names) ? COLLATION_BYTES : COLLATION_COMPARED;
		default:
			return COLLATION_COMPARED;
	}
}

/*
 * Looks a collation up in the catalogs.  The locale of the default collation is in
 * pg_database.  Returns the locale's name, or NULL if there is none.
 */
static char *
catalog_locale(Oid collation, char *provider, bool *deterministic, bool *has_rules)
{
	bool		is_default = collation == DEFAULT_COLLATION_OID;
	int			cache = is_default ? DATABASEOID : COLLOID;
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(is_default ? MyDatabaseId : collation));
	bool		is_libc;
	bool		is_null;
	Datum		name;
	char	   *result;

	*deterministic = true;
	*has_rules = false;
	if (!HeapTupleIsValid(tuple))
		return NULL;
	if (is_default)
		*provider = ((Form_pg_database) GETSTRUCT(tuple))->datlocprovider;
	else
	{
		*provider = ((Form_pg_collation) GETSTRUCT(tuple))->collprovider;
		*deterministic = ((Form_pg_collation) GETSTRUCT(tuple))->collisdeterministic;
	}
	is_libc = *provider == COLLPROVIDER_LIBC;
	if (is_default)
		name = SysCacheGetAttr(cache, tuple, is_libc ? Anum_pg_database_datcollate : GPUSORT_ANUM_DATABASE_LOCALE, &is_null);
	else
		name = SysCacheGetAttr(cache, tuple, is_libc ? Anum_pg_collation_collcollate : GPUSORT_ANUM_COLLATION_LOCALE, &is_null);
	result = is_null ? NULL : TextDatumGetCString(name);
#ifdef GPUSORT_ANUM_COLLATION_RULES
	(void) SysCacheGetAttr(cache, tuple, is_default ? GPUSORT_ANUM_DATABASE_RULES : GPUSORT_ANUM_COLLATION_RULES, &is_null);
	*has_rules = !is_null;
#endif
	ReleaseSysCache(tuple);
	return result;
}

/* The kind of a collation, by the catalogs. */
static CollationKind
catalog_kind(Oid collation)
{
	char		provider;
	bool		deterministic;
	bool		has_rules;
	char	   *locale = catalog_locale(collation, &provider, &deterministic, &has_rules);
	CollationKind kind;

	if (locale == NULL)
		return COLLATION_COMPARED;
	kind = locale_kind(provider, locale);
	pfree(locale);
	/* Abbreviated keys order only texts whose keys differ.  That also holds where more texts are equal. */
	return deterministic || kind == COLLATION_ABBREVIATED ? kind : COLLATION_COMPARED;
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

CollationKind
gpusort_collation_kind(Oid collation)
{
	KnownCollation *known;
	CollationKind kind;

	if (!OidIsValid(collation))
		return COLLATION_COMPARED;
	if (collation == C_COLLATION_OID)
		return COLLATION_BYTES;
	if (known_collations == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(KnownCollation)};

		known_collations = hash_create("gpusort collations", 16, &control, HASH_ELEM | HASH_BLOBS);
		CacheRegisterSyscacheCallback(COLLOID, forget_collations, (Datum) 0);
	}
	known = hash_search(known_collations, &collation, HASH_FIND, NULL);
	if (known != NULL)
		return known->kind;

	/* The look-up may remove entries, so the new one is made after it. */
	kind = catalog_kind(collation);
	known = hash_search(known_collations, &collation, HASH_ENTER, NULL);
	known->kind = kind;
	return kind;
}

char *
gpusort_collation_locale(Oid collation)
{
	char		provider;
	bool		deterministic;
	bool		has_rules;
	char	   *locale = catalog_locale(collation, &provider, &deterministic, &has_rules);

	return has_rules ? NULL : locale;
}
