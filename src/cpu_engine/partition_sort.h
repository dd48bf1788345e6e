/*
 * partition_sort.h
 *	  Sorts large arrays: parts them into pieces first.
 *
 * n counts codes or words; scratch sizes are in bytes.  Every sort returns false if it
 * was told to stop; its data is undefined then.  Nothing else can fail.
 */
#ifndef GPUSORT_PARTITION_SORT_H
#define GPUSORT_PARTITION_SORT_H

#include "cpu_engine/work.h"

namespace gpusort
{
/* Makes the words to be sorted for positions start .. start + count - 1. */
class Packer
{
public:
	virtual void pack(uint32_t start, uint32_t count, int64_t *words) const = 0;
};

/* Turns keys into their codes, in place, and codes into keys. */
template <typename Code>
struct Coding
{
	void		(*encode) (Code *keys, size_t n);
	void		(*decode) (Code *codes, size_t n);
};

/* Scratch bytes of the tables, without the copy of the array. */
size_t partition_tables_scratch(int threads);

/*
 * Sorts codes in place, or keys if there is a coding for them.  scratch begins on a cache
 * line and holds the tables and a copy of the array.
 */
template <typename Code>
bool partition_sort(Work &work, Code *codes, uint32_t n, char *scratch, bool descending, const Coding<Code> *coding);

/* Scratch bytes for n words and the tables that many of them need. */
size_t sort_words_scratch(uint64_t n, int threads);

/*
 * Writes the n words that the packer makes, in ascending order, to words, which must be the
 * beginning of sort_words_scratch bytes.  If there are many, the packer makes each word
 * more than once and is called by several threads.
 */
bool sort_words(Work &work, const Packer &packer, int64_t *words, uint32_t n);

/* Sorts codes in place without scratch, by halving them until each part can be sorted at once. */
template <typename Code>
bool sort_in_place(Work &work, Code *codes, uint32_t n, bool descending);
}

#endif							/* GPUSORT_PARTITION_SORT_H */
