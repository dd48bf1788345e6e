/*
 * value_codec.h
 *	  Values of one SQL type as bytes that another process can read.
 *
 * The bytes name types by schema and name, never by OID, and numbers in them are
 * in network order.  Each value stands behind its length and is written by the
 * type's own send function, or its output function if it has none.
 *
 * Whoever reads must expect forged bytes: there are extensions that let any role
 * call an aggregate's deserialising function.  A value that was read is one that
 * its type's receive or input function returned.  What those functions let pass
 * is up to the type, and so is how much memory they ask for before they look
 * closer, which only of arrays is looked after here: any client that sends binary
 * parameters can ask the same of them.
 *
 * Numbers and texts are many, and for them a function call per value would cost
 * more than all the rest.  They travel as the image that they have in an array,
 * in the byte order of the sender, and the collector's reader checks of each image
 * what the receive function would check.
 */
#ifndef GPUSORT_VALUE_CODEC_H
#define GPUSORT_VALUE_CODEC_H

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "compat.h"

/* How values travel; the letters are part of the format. */
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

/* The name of a type or collation; both empty: none. */
typedef struct CatalogName
{
	char		schema[NAMEDATALEN];
	char		name[NAMEDATALEN];
} CatalogName;

typedef struct RecordShape RecordShape;

typedef struct ValueCodec
{
	Oid			type;
	CatalogName type_name;
	int16		length;			/* pg_type.typlen */
	bool		by_value;
	char		alignment;
	bool		is_array;		/* each value, in binary form */
	ValueWay	way;
	MemoryContext context;		/* that this lives in */
	FmgrInfo	writer;			/* send or output function */
	FmgrInfo	reader;			/* receive or input function */
	Oid			parameter;		/* of the reader */
	RecordShape *shape;			/* of the last row, or NULL */
} ValueCodec;

static inline bool
gpusort_codec_is_image(const ValueCodec *codec)
{
	return codec->way != VALUE_BINARY && codec->way != VALUE_PRINTED && codec->way != VALUE_RECORD;
}

extern ValueCodec *gpusort_codec_create(Oid type, bool images, MemoryContext context);
extern void gpusort_codec_write(StringInfo bytes, ValueCodec *codec, Datum value);
extern Datum gpusort_codec_read(StringInfo bytes, ValueCodec *codec);

extern void gpusort_catalog_name_of_collation(CatalogName *name, Oid collation);
extern Oid	gpusort_catalog_find_type(const CatalogName *name);
extern Oid	gpusort_catalog_find_collation(const CatalogName *name);
extern void gpusort_catalog_name_write(StringInfo bytes, const CatalogName *name);
extern void gpusort_catalog_name_read(StringInfo bytes, CatalogName *name);

pg_noreturn extern void gpusort_codec_refuse(const char *detail);

#endif							/* GPUSORT_VALUE_CODEC_H */
