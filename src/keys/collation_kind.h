/*
 * collation_kind.h
 *	  What is known of the order that a collation gives texts.
 *
 * The one place that knows which collations compare bytes: "C" and "POSIX", locales of the
 * C library that have no rules of their own (C.UTF-8), and the server's builtin ones.
 */
#ifndef GPUSORT_COLLATION_KIND_H
#define GPUSORT_COLLATION_KIND_H

typedef enum CollationKind
{
	COLLATION_COMPARED,			/* nothing is known: texts must be compared */
	COLLATION_BYTES,			/* as memcmp orders the bytes, a prefix before the longer text */
	COLLATION_WEIGHTS,			/* by weights of the C library (linguistic_key.h) */
	COLLATION_ABBREVIATED		/* by ICU, for which the server trusts abbreviated keys */
} CollationKind;

/*
 * Reads the catalogs once per collation, and again after collations were changed.  Returns
 * COLLATION_COMPARED for InvalidOid, and where anything is uncertain.
 */
extern CollationKind gpusort_collation_kind(Oid collation);

/*
 * The name of the collation's locale, allocated, or NULL if the catalogs do not have one, or give the collation rules
 * beside those of its locale.
 */
extern char *gpusort_collation_locale(Oid collation);

static inline bool
gpusort_collation_compares_bytes(Oid collation)
{
	return gpusort_collation_kind(collation) == COLLATION_BYTES;
}

#endif							/* GPUSORT_COLLATION_KIND_H */
