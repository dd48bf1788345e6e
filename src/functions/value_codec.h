/*
 * value_codec.h
 *	  Values of one SQL type as bytes that another process can read.
 *
 * Bytes that are sent name types by schema and name, never by OID.  Numbers in them are in network
 * order.  Each value stands behind its length and is written by the send function of its
 * type, or by the output function if there is none.
 *
 * Bytes may be forged: there are extensions that let any role call an aggregate's
 * deserializing function.  Every value that is read comes from the receive or input
 * function of its type, so it is as valid as that function makes it.  Such functions may
 * allocate much memory before they check what they read.  That is prevented for arrays
 * only; any client that sends binary parameters can do the same.
 *
 * For numbers and texts a function call per value would cost more than everything else.
 * They are written as the image that they have in an array, in the byte order of the
 * writer.  The collector's reader makes the checks of the receive function on the image.
 *
 * Rows of a type without a name (ROW(...)) have no receive function, and are refused.
 */
#ifndef GPUSORT_VALUE_CODEC_H
#define GPUSORT_VALUE_CODEC_H

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "compat.h"

/* How values are written.  The letters are part of the format. */
typedef enum ValueWay
{
	VALUE_IMAGE = 'i',			/* all, as they lie in an array */
	VALUE_BINARY = 'b',			/* each by send and receive functions */
	VALUE_PRINTED = 'p'			/* each by output and input functions */
} ValueWay;

/* The name of a type or collation.  Both parts are empty for none. */
typedef struct CatalogName
{
	char		schema[NAMEDATALEN];
	char		name[NAMEDATALEN];
} CatalogName;

/* What a codec may write. */
typedef enum CodecForm
{
	CODEC_SENT,
	CODEC_STORED				/* with OIDs that pg_upgrade preserves: those of types and enum labels */
} CodecForm;

typedef struct ValueCodec
{
	Oid			type;
	CatalogName type_name;
	int16		length;			/* pg_type.typlen */
	bool		by_value;
	char		alignment;
	bool		is_array;		/* the values are arrays, written by their send function */
	ValueWay	way;
	FmgrInfo	writer;			/* send or output function */
	FmgrInfo	reader;			/* receive or input function */
	Oid			parameter;		/* type argument of the reader */
} ValueCodec;

extern ValueCodec *gpusort_codec_create(Oid type, CodecForm form, MemoryContext context);
extern void gpusort_codec_write(StringInfo bytes, ValueCodec *codec, Datum value);
extern Datum gpusort_codec_read(StringInfo bytes, ValueCodec *codec);

extern void gpusort_catalog_name_of_collation(CatalogName *name, Oid collation);
extern Oid	gpusort_catalog_find_type(const CatalogName *name);
extern Oid	gpusort_catalog_find_collation(const CatalogName *name);
extern void gpusort_catalog_name_write(StringInfo bytes, const CatalogName *name);
extern void gpusort_catalog_name_read(StringInfo bytes, CatalogName *name);

pg_noreturn extern void gpusort_codec_refuse(const char *detail);

#endif							/* GPUSORT_VALUE_CODEC_H */
