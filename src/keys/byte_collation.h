/*
 * byte_collation.h
 *	  Collations that order text by its bytes, whatever their name.
 *
 * The one place that knows them: "C" and "POSIX", locales of the C library that
 * have no rules of their own (C.UTF-8), and the server's builtin ones.
 */
#ifndef GPUSORT_BYTE_COLLATION_H
#define GPUSORT_BYTE_COLLATION_H

/*
 * True if the collation orders any two texts as memcmp orders their bytes, a prefix
 * before the longer text.  False for InvalidOid, and wherever that is not certain.
 * Reads the catalogs once per collation.
 */
extern bool gpusort_collation_compares_bytes(Oid collation);

#endif							/* GPUSORT_BYTE_COLLATION_H */
