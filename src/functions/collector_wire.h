/*
 * collector_wire.h
 *	  A collector's values as bytes that another process can read.
 *
 * Format; numbers are in network order:
 *	 how the values are written	a letter of ValueWay
 *	 number of values			4 bytes
 *	 is there a bitmap?			a byte
 *	 bitmap of NULLs			if there is one
 *	 values						an image of all of them behind its length (4 bytes), or
 *								one after the other, each behind its length
 *
 * Reading trusts nothing, for bytes may be forged: there are extensions that let any role call
 * an aggregate's deserializing function.  Every number is checked against the bytes that are
 * there before it is used.  Every value that is read one by one comes from the receive or input
 * function of its type, so it is as valid as that function makes it.  Such functions may
 * allocate much memory before they check what they read.  That is prevented for arrays
 * only; any client that sends binary parameters can do the same.
 *
 * For numbers and texts a function call per value would cost more than everything else.
 * They are written as the image that they have in an array, in the byte order of the
 * writer.  The reader makes the checks of the receive function on the image.
 *
 * Rows of a type without a name (ROW(...)) have no receive function, and are refused.
 */
#ifndef GPUSORT_COLLECTOR_WIRE_H
#define GPUSORT_COLLECTOR_WIRE_H

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "compat.h"
#include "functions/collector.h"

/* How values are written.  The letters are part of the format. */
typedef enum ValueWay
{
	VALUE_IMAGE = 'i',			/* all, as they lie in an array */
	VALUE_BINARY = 'b',			/* each by send and receive functions */
	VALUE_PRINTED = 'p'			/* each by output and input functions */
} ValueWay;

/* What a codec may write. */
typedef enum CodecForm
{
	CODEC_SENT,
	CODEC_STORED				/* with OIDs that pg_upgrade preserves: those of types and enum labels */
} CodecForm;

/* How values of a type are written and read. */
typedef struct ValueCodec
{
	Collector	none;			/* the type, and no values */
	bool		is_array;		/* the values are arrays, written by their send function */
	ValueWay	way;
	FmgrInfo	writer;			/* send or output function */
	FmgrInfo	reader;			/* receive or input function */
	Oid			parameter;		/* type argument of the reader */
} ValueCodec;

extern ValueCodec *gpusort_codec_create(Oid type, CodecForm form, MemoryContext context);
extern Size gpusort_collector_wire_size(const Collector *collector);
extern void gpusort_collector_write(StringInfo bytes, const Collector *collector, ValueCodec *codec);
extern void gpusort_collector_read(StringInfo bytes, Collector *collector, ValueCodec *codec);
pg_noreturn extern void gpusort_codec_refuse(const char *detail);

#endif							/* GPUSORT_COLLECTOR_WIRE_H */
