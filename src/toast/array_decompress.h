/*
 * array_decompress.h
 *	  Decompresses large values so that a query can be cancelled meanwhile.
 */
#ifndef GPUSORT_ARRAY_DECOMPRESS_H
#define GPUSORT_ARRAY_DECOMPRESS_H

extern bool gpusort_decompress(const struct varlena *compressed, char *target, Size size);

#endif							/* GPUSORT_ARRAY_DECOMPRESS_H */
