/*
 * key_encoding.h
 *	  Forms of sort keys, and their order-preserving unsigned encoding.
 *
 * C without PostgreSQL or CUDA headers.  The server's module, the device module and the
 * CPU engine all include it, so that every engine orders keys by the very same rule:
 * PostgreSQL's btree order.
 *
 *	  integers	the sign bit is flipped
 *	  floats	negative values are inverted, the others get the sign bit;
 *				every NaN becomes one value, above infinity
 *
 * Values that PostgreSQL calls equal may differ in their bits, and what comes out
 * must be the same bytes whichever engine and method sorted it:
 *
 *	  with a payload	"encode_tied" gives -0 and +0 one code, and all NaNs another.
 *						Keys of one code are tied and keep their order.
 *	  keys alone		"encode" keeps -0 and +0 apart, so -0 comes before +0.  An
 *						engine may leave any bits in a NaN; the caller of the sort
 *						gives all NaNs the same bits afterwards.
 *	  intervals			keys move unchanged, and keep their order within an interval.
 *
 * Descending order is ascending order of the inverted code.
 */
#ifndef GPUSORT_KEY_ENCODING_H
#define GPUSORT_KEY_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GPUSORT_INLINE static __host__ __device__ __forceinline__
#else
#define GPUSORT_INLINE static inline
#endif

typedef enum GpusortKeyForm
{
	GPUSORT_KEY_INT16,
	GPUSORT_KEY_INT32,
	GPUSORT_KEY_UINT32,
	GPUSORT_KEY_INT64,
	GPUSORT_KEY_UINT64,
	GPUSORT_KEY_FLOAT32,
	GPUSORT_KEY_FLOAT64,
	GPUSORT_KEY_FORMS			/* how many there are */
} GpusortKeyForm;

/* Bytes of one key. */
GPUSORT_INLINE uint32_t
gpusort_key_width(GpusortKeyForm form)
{
	return form == GPUSORT_KEY_INT16 ? 2 :
		(form == GPUSORT_KEY_INT32 || form == GPUSORT_KEY_UINT32 || form == GPUSORT_KEY_FLOAT32) ? 4 : 8;
}

GPUSORT_INLINE uint16_t
gpusort_encode16(uint16_t bits)
{
	return bits ^ UINT16_C(0x8000);
}

/* The bits of every NaN in a sorted array: those of PostgreSQL's 'NaN'. */
#define GPUSORT_NAN32 UINT32_C(0x7fc00000)
#define GPUSORT_NAN64 UINT64_C(0x7ff8000000000000)

GPUSORT_INLINE bool
gpusort_is_nan32(uint32_t bits)
{
	return (bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000);
}

GPUSORT_INLINE bool
gpusort_is_nan64(uint64_t bits)
{
	return (bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000);
}

GPUSORT_INLINE uint32_t
gpusort_encode_float32(uint32_t bits)
{
	if (gpusort_is_nan32(bits))
		bits = GPUSORT_NAN32;
	return bits ^ ((uint32_t) ((int32_t) bits >> 31) | UINT32_C(0x80000000));
}

GPUSORT_INLINE uint32_t
gpusort_decode_float32(uint32_t code)
{
	return code ^ ((uint32_t) ((int32_t) ~code >> 31) | UINT32_C(0x80000000));
}

GPUSORT_INLINE uint64_t
gpusort_encode_float64(uint64_t bits)
{
	if (gpusort_is_nan64(bits))
		bits = GPUSORT_NAN64;
	return bits ^ ((uint64_t) ((int64_t) bits >> 63) | UINT64_C(0x8000000000000000));
}

GPUSORT_INLINE uint64_t
gpusort_decode_float64(uint64_t code)
{
	return code ^ ((uint64_t) ((int64_t) ~code >> 63) | UINT64_C(0x8000000000000000));
}

/* The code of a 32-bit key of any form.  Codes order as unsigned numbers. */
GPUSORT_INLINE uint32_t
gpusort_encode32(GpusortKeyForm form, uint32_t bits)
{
	if (form == GPUSORT_KEY_FLOAT32)
		return gpusort_encode_float32(bits);
	return form == GPUSORT_KEY_INT32 ? bits ^ UINT32_C(0x80000000) : bits;
}

GPUSORT_INLINE uint32_t
gpusort_decode32(GpusortKeyForm form, uint32_t code)
{
	if (form == GPUSORT_KEY_FLOAT32)
		return gpusort_decode_float32(code);
	return form == GPUSORT_KEY_INT32 ? code ^ UINT32_C(0x80000000) : code;
}

/* As gpusort_encode32, but -0 and +0 get one code. */
GPUSORT_INLINE uint32_t
gpusort_encode32_tied(GpusortKeyForm form, uint32_t bits)
{
	if (form == GPUSORT_KEY_FLOAT32 && bits == UINT32_C(0x80000000))
		bits = 0;
	return gpusort_encode32(form, bits);
}

/* The code of a 64-bit key of any form.  Codes order as unsigned numbers. */
GPUSORT_INLINE uint64_t
gpusort_encode64(GpusortKeyForm form, uint64_t bits)
{
	if (form == GPUSORT_KEY_FLOAT64)
		return gpusort_encode_float64(bits);
	return form == GPUSORT_KEY_INT64 ? bits ^ UINT64_C(0x8000000000000000) : bits;
}

GPUSORT_INLINE uint64_t
gpusort_decode64(GpusortKeyForm form, uint64_t code)
{
	if (form == GPUSORT_KEY_FLOAT64)
		return gpusort_decode_float64(code);
	return form == GPUSORT_KEY_INT64 ? code ^ UINT64_C(0x8000000000000000) : code;
}

/* As gpusort_encode64, but -0 and +0 get one code. */
GPUSORT_INLINE uint64_t
gpusort_encode64_tied(GpusortKeyForm form, uint64_t bits)
{
	if (form == GPUSORT_KEY_FLOAT64 && bits == UINT64_C(0x8000000000000000))
		bits = 0;
	return gpusort_encode64(form, bits);
}

#endif							/* GPUSORT_KEY_ENCODING_H */
