/*
 * byte_collation.h
 *	  Collations that order text by its bytes under another name than "C".
 */
#ifndef GPUSORT_BYTE_COLLATION_H
#define GPUSORT_BYTE_COLLATION_H

/*
 * The C collation if the given one orders every text as C does, else the given
 * one, InvalidOid too.  Reads the catalogs.
 */
extern Oid	gpusort_collation_simplify(Oid collation);

#endif							/* GPUSORT_BYTE_COLLATION_H */
