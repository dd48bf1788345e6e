/*
 * forms.h
 *	  Key forms as C++ types: their bits, and their codes.
 *
 * A code here is a signed integer that orders as the key does.  Codes are signed because
 * vector units compare signed integers best, and because signed keys are then their own
 * codes.
 */
#ifndef GPUSORT_FORMS_H
#define GPUSORT_FORMS_H

#include <type_traits>

#include "keys/key_encoding.h"

namespace gpusort
{
template <GpusortKeyForm F> struct Form
{
	static constexpr GpusortKeyForm form = F;
	static constexpr bool wide = F == GPUSORT_KEY_INT64 || F == GPUSORT_KEY_UINT64 || F == GPUSORT_KEY_FLOAT64;
	static constexpr bool narrow = F == GPUSORT_KEY_INT16;
	static constexpr bool floating = F == GPUSORT_KEY_FLOAT32 || F == GPUSORT_KEY_FLOAT64;

	/* True if the keys are their own codes. */
	static constexpr bool is_own_code = F == GPUSORT_KEY_INT16 || F == GPUSORT_KEY_INT32 || F == GPUSORT_KEY_INT64;

	using Code = std::conditional_t<wide, int64_t, std::conditional_t<narrow, int16_t, int32_t>>;
	using Bits = std::make_unsigned_t<Code>;

	static constexpr Bits sign = (Bits) ((Bits) 1 << (8 * sizeof(Bits) - 1));

	static inline Code
	encode(Bits bits)
	{
		if constexpr (wide)
			return (Code) (gpusort_encode64(F, bits) ^ sign);
		else if constexpr (narrow)
			return (Code) bits;
		else
			return (Code) (gpusort_encode32(F, bits) ^ sign);
	}

	/* As encode, but -0 and +0 get one code. */
	static inline Code
	encode_tied(Bits bits)
	{
		if (floating && bits == sign)
			bits = 0;
		return encode(bits);
	}

	static inline Bits
	decode(Code code)
	{
		if constexpr (wide)
			return gpusort_decode64(F, (Bits) code ^ sign);
		else if constexpr (narrow)
			return (Bits) code;
		else
			return gpusort_decode32(F, (Bits) code ^ sign);
	}
};

/* The forms whose keys are as wide as T.  Of 16 bits there is only one. */
template <typename T> struct FormsOf
{
	static constexpr bool wide = sizeof(T) == 8;
	static constexpr bool narrow = sizeof(T) == 2;
	static constexpr GpusortKeyForm integer = wide ? GPUSORT_KEY_INT64 : narrow ? GPUSORT_KEY_INT16 : GPUSORT_KEY_INT32;
	static constexpr GpusortKeyForm natural = wide ? GPUSORT_KEY_UINT64 : narrow ? GPUSORT_KEY_INT16 : GPUSORT_KEY_UINT32;
	static constexpr GpusortKeyForm floating = wide ? GPUSORT_KEY_FLOAT64 : narrow ? GPUSORT_KEY_INT16 : GPUSORT_KEY_FLOAT32;
};

/* The next pseudo-random position below n, for a sample. */
static inline uint32_t
next_position(uint64_t &state, uint32_t n)
{
	/* A linear congruential generator. */
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (((state >> 32) * n) >> 32);
}

#define GPUSORT_EACH_FORM(X) \
	X(GPUSORT_KEY_INT16) \
	X(GPUSORT_KEY_INT32) \
	X(GPUSORT_KEY_UINT32) \
	X(GPUSORT_KEY_INT64) \
	X(GPUSORT_KEY_UINT64) \
	X(GPUSORT_KEY_FLOAT32) \
	X(GPUSORT_KEY_FLOAT64)

/* Returns body(Form<F>()) for a form F, so that it is a constant in the body. */
template <typename Body>
static inline auto
with_form(GpusortKeyForm form, Body body)
{
	switch (form)
	{
#define CALL(form) \
		case form: \
			return body(Form<form>());
		GPUSORT_EACH_FORM(CALL)
#undef CALL
		case GPUSORT_KEY_FORMS:
			break;
	}
	__builtin_unreachable();
}
}

#endif							/* GPUSORT_FORMS_H */
