/*
 * sort_reason.c
 *	  See sort_reason.h.
 */
#include "stats/sort_reason.h"

const char *
gpusort_reason_text(SortReason reason)
{
	static const char *const texts[SORT_REASONS] = {
#define SORT_REASON(symbol, kind, text) text,
		GPUSORT_SORT_REASONS(SORT_REASON)
#undef SORT_REASON
	};

	return texts[reason];
}
