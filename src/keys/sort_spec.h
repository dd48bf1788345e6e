/*
 * sort_spec.h
 *	  What a sort is asked to do: the words shared by every engine.
 *
 * C without PostgreSQL or CUDA headers, for the server's module and the device module.
 * The data of a sort is a buffer of keys in native form, cut into segments; each
 * segment is sorted by itself.  A gap between segments belongs to the caller and is
 * never written: an array header can stand there.
 */
#ifndef GPUSORT_SORT_SPEC_H
#define GPUSORT_SORT_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "keys/key_encoding.h"

/* What moves along with the keys.  Every payload sort is stable. */
typedef enum GpusortPayload
{
	GPUSORT_PAYLOAD_NONE,		/* the keys are sorted in place */
	GPUSORT_PAYLOAD_CARRIED,	/* payload[i] moves with key i */
	GPUSORT_PAYLOAD_INDEX		/* payload[] is output: 0-based positions in the segment */
} GpusortPayload;

/*
 * The methods, in the order of gpusort.method's values.  X(symbol, SQL name)
 */
#define GPUSORT_METHODS(X) \
	X(AUTO, "auto") \
	X(ARRAY_SORT, "array_sort")		/* GPU-ArraySort */ \
	X(TAGGED, "tagged")				/* STA: tags and two stable sorts */ \
	X(HYBRID, "hybrid")				/* HMP: heap-sorted chunks, bitonic merges */ \
	X(MATRIX, "matrix")				/* GPU Matrix Sort */ \
	X(COUNTING, "counting")			/* comparison-free */ \
	X(APPROXIMATE, "approximate")	/* interval projection */ \
	X(NETWORK, "network")			/* GPU: sorting networks in registers; CPU: partition and SIMD quicksort */ \
	X(RADIX, "radix")

typedef enum GpusortMethod
{
#define GPUSORT_METHOD_SYMBOL(symbol, name) GPUSORT_METHOD_##symbol,
	GPUSORT_METHODS(GPUSORT_METHOD_SYMBOL)
#undef GPUSORT_METHOD_SYMBOL
	GPUSORT_METHOD_COUNT
} GpusortMethod;

/* The order and extent wanted; the same for all segments of a request. */
typedef struct GpusortSpec
{
	GpusortKeyForm form;
	GpusortPayload payload;
	GpusortMethod method;
	bool		descending;
	uint64_t	limit;			/* how many of the first entries of each segment are
								 * wanted, or 0 for all; entries past them come back
								 * undefined */
	uint32_t	buckets;		/* 0 for exact order; else the number of intervals per
								 * segment of approximate order, in which the input's
								 * order is kept within an interval */
} GpusortSpec;

/* Why no device sorts by the spec's method, as static text, or NULL. */
GPUSORT_INLINE const char *
gpusort_device_refuses(const GpusortSpec *spec)
{
	return spec->method == GPUSORT_METHOD_APPROXIMATE && spec->buckets == 0 ?
		"It does not give the exact order that is asked for." : NULL;
}

/* The most keys of a segment on a device, where sums of keys share 32 bits with marks that tell sums from counts. */
#define GPUSORT_LONGEST_SEGMENT (UINT32_MAX - (UINT32_C(1) << 16) + 1)

/* A stretch of the buffer that is sorted by itself; both numbers count keys. */
typedef struct GpusortSegment
{
	uint32_t	start;
	uint32_t	count;
} GpusortSegment;

/*
 * Length classes of segments: class 0 holds counts 0 and 1, class c counts in
 * (2^(c-1), 2^c].  Each class has four bins, 4c to 4c + 3, for counts of up to five,
 * six, seven and eight eighths of 2^c.  Packers count segments by bin as they go, so
 * that an engine can size its launches without reading the segments.
 */
#define GPUSORT_LENGTH_CLASSES 33
#define GPUSORT_LENGTH_BINS (4 * GPUSORT_LENGTH_CLASSES)

GPUSORT_INLINE uint32_t
gpusort_length_class(uint32_t count)
{
	uint32_t	length_class = 0;

	while (length_class < 32 && (UINT64_C(1) << length_class) < count)
		length_class++;
	return length_class;
}

GPUSORT_INLINE uint32_t
gpusort_length_bin(uint32_t count)
{
	uint32_t	length_class = gpusort_length_class(count);

	return 4 * length_class + ((UINT64_C(8) * count - 1) >> length_class & 3);
}

/* The length of the longest segments of a bin, in keys. */
GPUSORT_INLINE uint64_t
gpusort_bin_longest(uint32_t bin)
{
	return (UINT64_C(5) + bin % 4) << (bin / 4) >> 3;
}

/* How many segments of a class a histogram of bins counts. */
GPUSORT_INLINE uint32_t
gpusort_class_count(const uint32_t *histogram, uint32_t length_class)
{
	const uint32_t *bins = histogram + 4 * length_class;

	return bins[0] + bins[1] + bins[2] + bins[3];
}

#endif							/* GPUSORT_SORT_SPEC_H */
