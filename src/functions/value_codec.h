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
 */
#ifndef GPUSORT_VALUE_CODEC_H
#define GPUSORT_VALUE_CODEC_H

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "compat.h"

/* How values are written.  The letters are part of the format. */
typedef enum ValueWay
{
	VALUE_NUMBERS = 'n',		/* image, fixed length, any bytes are a value */
	VALUE_DATES = 'd',			/* image, numbers within a range */
	VALUE_TEXTS = 't',			/* image, in the database's encoding */
	VALUE_DECIMALS = 'm',		/* image, numeric */
	VALUE_BYTES = 'y',			/* image, any bytes */
	VALUE_BINARY = 'b',			/* each by send and receive functions */
	VALUE_PRINTED = 'p',		/* each by output and input functions */
	VALUE_RECORD = 'r'			/* each a row of a type without a name */
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
	CODEC_EACH,					/* values one by one */
	CODEC_SENT,					/* images, too */
	CODEC_STORED				/* images, and OIDs that pg_upgrade preserves: those of types and enum labels */
} CodecForm;

typedef struct RecordShape RecordShape;

typedef struct ValueCodec
{
	Oid			type;
	CatalogName type_name;
	int16		length;			/* pg_type.typlen */
	bool		by_value;
	char		alignment;
	bool		is_array;		/* the values are arrays, written by their send function */
	ValueWay	way;
	MemoryContext context;		/* holds the codec */
	FmgrInfo	writer;			/* send or output function */
	FmgrInfo	reader;			/* receive or input function */
	Oid			parameter;		/* type argument of the reader */
	RecordShape *shape;			/* of the last row; NULL before the first */
} ValueCodec;

static inline bool
gpusort_codec_is_image(const ValueCodec *codec)
{
	return codec->way != VALUE_BINARY && codec->way != VALUE_PRINTED && codec->way != VALUE_RECORD;
}

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
