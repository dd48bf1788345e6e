/*
 * array_detoast.c
 *	  Detoasts array arguments so that a query can be canceled meanwhile.
 *
 * PostgreSQL fetches and copies a value in one call, which takes seconds for some 100 MB
 * that are not in shared buffers.  Here large values are fetched and copied in pieces,
 * with a check for interrupts before each.  PostgreSQL decompresses them, in one call that
 * takes up to 0.2 s for 100 MB.  Smaller values are left to PostgreSQL.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "toast/array_detoast.h"
#include "large_memory.h"

/* Bytes handled between two checks for interrupts: whole chunks of a TOAST table. */
#define PIECE (GPUSORT_INTERRUPT_BYTES / TOAST_MAX_CHUNK_SIZE * (Size) TOAST_MAX_CHUNK_SIZE)

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
fetch_in_pieces(const varatt_external *pointer)
{
	int32		size = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
	struct varlena *value = gpusort_alloc_large(CurrentMemoryContext, size + VARHDRSZ);
	Relation	toast = table_open(pointer->va_toastrelid, AccessShareLock);

	for (int32 start = 0; start < size; start += PIECE)
	{
		/* Nothing is written where a slice's header would be: the slice before ends there. */
		struct varlena *slice = (struct varlena *) ((char *) value + start);

		CHECK_FOR_INTERRUPTS();
		table_relation_fetch_toast_slice(toast, pointer->va_valueid, size, start,
										 Min((int32) PIECE, size - start), slice);
	}
	table_close(toast, AccessShareLock);
	if (VARATT_EXTERNAL_IS_COMPRESSED(*pointer))
	{
		struct varlena *compressed = value;

		SET_VARSIZE_COMPRESSED(compressed, size + VARHDRSZ);
		value = detoast_attr(compressed);
		pfree(compressed);
	}
	else
		SET_VARSIZE(value, size + VARHDRSZ);
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

/* Fetches or copies a value of more than a piece.  Returns NULL for all others, which PostgreSQL detoasts. */
static struct varlena *
detoast_huge(struct varlena *attribute, bool copy)
{
	if (VARATT_IS_EXTERNAL_ONDISK(attribute))
	{
		varatt_external pointer;

		VARATT_EXTERNAL_GET_POINTER(pointer, attribute);
		if (pointer.va_rawsize > PIECE)
			return fetch_in_pieces(&pointer);
	}
	else if (!VARATT_IS_COMPRESSED(attribute))
	{
		const void *flat = VARATT_IS_4B_U(attribute) ? attribute : (const void *) flat_image(attribute);

		if (flat != NULL && VARSIZE(flat) > PIECE && (copy || flat != attribute))
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
