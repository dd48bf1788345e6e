/*
 * plain_learn.h
 *	  Learns keys of plain texts (plain_key.h) from ICU.
 *
 * The weights come from PostgreSQL's abbreviated keys of single characters.  A text of two
 * characters whose weights are not those of its characters is a contraction, as "ch" in
 * Czech.  What stands beside a contraction may make a longer one, as in "dzs" and "ccs" of
 * Hungarian, and so may a character between its two, as in "c'h" of Breton: that is looked
 * at, too.  Longer ones without any of this are not looked for; ICU's locales have none.
 *
 * Weights are trusted only if they order all texts of two plain characters, and all of a
 * contraction beside a character or another contraction, as the first level of ICU's own
 * keys does.  A collation in which digits count by the number that they make has none.  Nor
 * has one with rules of its own.
 *
 * What is learned of a locale is kept until the backend ends.
 */
#ifndef GPUSORT_PLAIN_LEARN_H
#define GPUSORT_PLAIN_LEARN_H

#include "keys/plain_key.h"

/*
 * The key of a collation that is COLLATION_ABBREVIATED.  Learning its locale takes two to
 * seven milliseconds, once; without may_learn it is not learned.  Returns NULL if it is not
 * known, or if its weights cannot be trusted.
 */
extern const PlainKey *gpusort_plain_key(Oid collation, bool may_learn);

/*
 * The key of the same collation with the alphabets, too, of a text that `key` does not have.
 * Learning it takes up to a tenth of a second, once; without may_learn it is not learned.
 * Returns NULL if it is not known, if the text cannot be plain, or if the weights cannot be trusted.
 */
extern const PlainKey *gpusort_plain_key_widen(const PlainKey *key, Oid collation, const uint8 *text, Size length,
											   bool may_learn);

#endif							/* GPUSORT_PLAIN_LEARN_H */
