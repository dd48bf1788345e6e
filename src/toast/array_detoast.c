/*
 * array_detoast.c
 *	  Detoasts array arguments so that a query can be canceled meanwhile.
 *
 * PostgreSQL copies a value in one call, which takes long for some 100 MB.  Here large values
 * are copied in pieces, with a check for interrupts before each, and fetched page by page
 * (toast_reader.c).  PostgreSQL decompresses them, in one call that takes up to 0.2 s for
 * 100 MB.  Smaller values are left to PostgreSQL.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/toast_compression.h"

#include "interrupt_interval.h"
#include "large_memory.h"
#include "toast/array_detoast.h"
#include "toast/toast_reader.h"

/* Copies a varlena with a header of 4 bytes. */
static struct varlena *
copy_in_pieces(const void *source)
{
	struct varlena *copy = gpusort_alloc_large(CurrentMemoryContext, VARSIZE(source));

	gpusort_copy_bytes(copy, source, VARSIZE(source));
	return copy;
}

/* Fetches a value from its TOAST table and decompresses it. */
static struct varlena *
fetch(struct varlena *attribute)
{
	Size		size = toast_raw_datum_size(PointerGetDatum(attribute));
	struct varlena *value = gpusort_alloc_large(CurrentMemoryContext, size);
	ToastReader *reader = gpusort_toast_begin();

	gpusort_toast_flatten(reader, PointerGetDatum(attribute), size, (char *) value);
	gpusort_toast_end(reader);
	return value;
}

/* The flat image that an expanded array keeps.  NULL if it keeps none, or if this is no expanded array. */
static const ArrayType *
flat_image(struct varlena *attribute)
{
	const ExpandedArrayHeader *expanded;

	if (!VARATT_IS_EXTERNAL_EXPANDED(attribute))
		return NULL;
	expanded = (const ExpandedArrayHeader *) DatumGetEOHP(PointerGetDatum(attribute));
	return expanded->ea_magic == EA_MAGIC ? expanded->fvalue : NULL;
}

/*
 * Fetches or copies a large value.  Returns NULL for all others, which PostgreSQL detoasts, among them those that only it
 * decompresses, into memory of its own.
 */
static struct varlena *
detoast_huge(struct varlena *attribute, bool copy)
{
	if (VARATT_IS_EXTERNAL_ONDISK(attribute))
		return toast_raw_datum_size(PointerGetDatum(attribute)) > GPUSORT_INTERRUPT_BYTES &&
			toast_get_compression_id(attribute) != TOAST_LZ4_COMPRESSION_ID ? fetch(attribute) : NULL;
	if (!VARATT_IS_COMPRESSED(attribute))
	{
		const void *flat = VARATT_IS_4B_U(attribute) ? attribute : (const void *) flat_image(attribute);

		if (flat != NULL && VARSIZE(flat) > GPUSORT_INTERRUPT_BYTES && (copy || flat != attribute))
			return copy_in_pieces(flat);
	}
	return NULL;
}

/* The array of a Datum, flat and uncompressed.  It must not be changed. */
ArrayType *
gpusort_array_detoast(Datum value)
{
	struct varlena *huge = detoast_huge((struct varlena *) DatumGetPointer(value), false);

	return huge ? (ArrayType *) huge : DatumGetArrayTypeP(value);
}

/* A copy of the array of a Datum, flat and uncompressed, which may be overwritten. */
ArrayType *
gpusort_array_detoast_copy(Datum value)
{
	struct varlena *huge = detoast_huge((struct varlena *) DatumGetPointer(value), true);

	return huge ? (ArrayType *) huge : DatumGetArrayTypePCopy(value);
}
