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
 * Whether any two texts compare in the collation as their bytes do by memcmp, the
 * shorter one first where they are equal to its end.  False for InvalidOid and
 * wherever that is not certain.  Reads the catalogs, once per collation.
 */
extern bool gpusort_collation_compares_bytes(Oid collation);

#endif							/* GPUSORT_BYTE_COLLATION_H */
