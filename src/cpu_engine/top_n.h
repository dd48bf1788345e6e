/*
 * top_n.h
 *	  The first entries of a segment's order without sorting all of it.
 */
#ifndef GPUSORT_TOP_N_H
#define GPUSORT_TOP_N_H

#include "cpu_engine/forms.h"
#include "cpu_engine/work.h"

namespace gpusort
{
/* True if the limit is so small, compared to n, that this is faster than a sort. */
bool top_n_pays(uint64_t n, uint64_t limit);

/* Scratch bytes for keys of the given width. */
size_t top_n_scratch(uint64_t limit, size_t width, int threads);

enum class TopN
{
	DONE,
	STOPPED,
	NOT_WORTH_IT				/* too many candidates; nothing has changed */
};

/* Brings the first spec->limit entries to the front. */
template <GpusortKeyForm F>
TopN top_n(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n);
}

#endif							/* GPUSORT_TOP_N_H */
