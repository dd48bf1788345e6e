/*
 * partition_sort.h
 *	  Sorts of arrays too large to be sorted in one go: taken apart first.
 *
 * n counts codes or words; scratch sizes are in bytes.  Every sort returns false
 * if it was told to stop, with its data in any state; nothing else can fail.
 */
#ifndef GPUSORT_PARTITION_SORT_H
#define GPUSORT_PARTITION_SORT_H

#include "cpu_engine/work.h"

namespace gpusort
{
/* Makes words to be sorted of whatever stands at some positions. */
class Packer
{
public:
	virtual void pack(uint32_t start, uint32_t count, int64_t *words) const = 0;
};

/* Turns keys into their codes, where they lie, and codes into keys. */
template <typename Code>
struct Coding
{
	void		(*encode) (Code *keys, size_t n);
	void		(*decode) (Code *codes, size_t n);
};

/* Scratch bytes besides an array of the codes. */
size_t partition_tables_scratch(int threads);

/*
 * Sorts codes in place, or keys with a coding for them; scratch, on a cache line,
 * holds the tables and an array as large.
 */
template <typename Code>
bool partition_sort(Work &work, Code *codes, uint32_t n, char *scratch, bool descending, const Coding<Code> *coding);

/* Scratch bytes for n words and the tables that many of them need. */
size_t sort_words_scratch(uint64_t n, int threads);

/*
 * Writes the n words that packer makes, in ascending order, to words, which are
 * the beginning of such scratch.  Makes each word more than once, and by several
 * threads, where there are many.
 */
bool sort_words(Work &work, const Packer &packer, int64_t *words, uint32_t n);

/* Sorts codes in place without scratch: by halves that are sorted in one go. */
template <typename Code>
bool sort_in_place(Work &work, Code *codes, uint32_t n, bool descending);
}

#endif							/* GPUSORT_PARTITION_SORT_H */
