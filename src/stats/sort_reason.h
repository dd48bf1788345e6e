/*
 * sort_reason.h
 *	  Why a GPU does not sort: one enum for choosing, failing and counting.  A text is
 *	  made of it only where a user sees it.
 *
 *	  CHOICE	the CPU is meant to sort, which is no fallback
 *	  WAIT		no device is ready, but one may be soon
 *	  REFUSAL	no device will sort it
 *	  LACK		the device has no memory for this now, or cannot do it in this way; another
 *				way may work
 *	  FAULT		the device tried and failed; another device tries next, or the CPU
 */
#ifndef GPUSORT_SORT_REASON_H
#define GPUSORT_SORT_REASON_H

#include <stdbool.h>

#define GPUSORT_SORT_REASONS(X) \
	X(NONE, CHOICE, "") \
	X(ENGINE_CPU, CHOICE, "gpusort.engine is \"cpu\"") \
	X(FEW_KEYS, CHOICE, "there are fewer keys than gpusort.min_gpu_keys") \
	X(CPU_FASTER, CHOICE, "the CPU is estimated to be faster") \
	X(NOT_PRELOADED, CHOICE, "gpusort is not in shared_preload_libraries") \
	X(NOT_CONFIGURED, CHOICE, "there is no device module, or no device is to be used") \
	X(NOT_STARTED, WAIT, "the device worker has not started") \
	X(RESTARTING, WAIT, "the device worker is restarting") \
	X(NO_DEVICE, REFUSAL, "no device is available") \
	X(REFUSED, REFUSAL, "the device does not sort this by this method") \
	X(TOO_MANY_WAITERS, LACK, "too many waiters for the device") \
	X(TOO_MANY_SESSIONS, LACK, "too many sessions") \
	X(OUT_OF_MEMORY, LACK, "out of device memory") \
	X(TOO_MANY_TIES, LACK, "too many keys with equal prefixes") \
	X(UNSUPPORTED, LACK, "not supported by the device") \
	X(NOT_VERIFIED, FAULT, "the device's result failed verification") \
	X(NO_ANSWER, FAULT, "the device worker does not answer") \
	X(DEVICE_FAULT, FAULT, "device fault")

typedef enum SortReason
{
#define SORT_REASON(symbol, kind, text) REASON_##symbol,
	GPUSORT_SORT_REASONS(SORT_REASON)
#undef SORT_REASON
	SORT_REASONS
} SortReason;

typedef enum SortReasonKind
{
	REASON_KIND_CHOICE,
	REASON_KIND_WAIT,
	REASON_KIND_REFUSAL,
	REASON_KIND_LACK,
	REASON_KIND_FAULT
} SortReasonKind;

static inline SortReasonKind
gpusort_reason_kind(SortReason reason)
{
	static const SortReasonKind kinds[SORT_REASONS] = {
#define SORT_REASON(symbol, kind, text) REASON_KIND_##kind,
		GPUSORT_SORT_REASONS(SORT_REASON)
#undef SORT_REASON
	};

	return kinds[reason];
}

extern const char *gpusort_reason_text(SortReason reason);

/* True if a sort by the CPU for this reason is a fallback. */
static inline bool
gpusort_reason_is_fallback(SortReason reason)
{
	return gpusort_reason_kind(reason) != REASON_KIND_CHOICE;
}

/* True if another device may sort what one did not for this reason. */
static inline bool
gpusort_reason_is_of_one_device(SortReason reason)
{
	return reason == REASON_OUT_OF_MEMORY || gpusort_reason_kind(reason) == REASON_KIND_FAULT;
}

#endif							/* GPUSORT_SORT_REASON_H */
