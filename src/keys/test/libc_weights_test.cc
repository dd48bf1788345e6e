/*
 * libc_weights_test.cc
 *	  Tests libc_weights.c against strcoll, without a server.
 *
 *	  libc_weights_test pairs locale...		`pairs` random pairs of texts per locale
 *
 * Texts are made of what collations treat in ways of their own: letters that form
 * contractions, ignorable and combining characters, expansions, scripts of two to four
 * bytes, code points without a character, and bytes that are no UTF-8.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern "C" {
#include "keys/libc_weights.h"
}

#define TEXT_MAX 256
#define PIECES_MAX 12

static unsigned long long state = 1;

static unsigned
random_below(unsigned n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned) (state >> 33) % n;
}

static char *
put_character(char *to, unsigned c)
{
	if (c < 0x80)
		*to++ = (char) c;
	else if (c < 0x800)
	{
		*to++ = (char) (0xc0 | c >> 6);
		*to++ = (char) (0x80 | (c & 0x3f));
	}
	else
	{
		if (c >= 0x10000)
		{
			*to++ = (char) (0xf0 | c >> 18);
			*to++ = (char) (0x80 | (c >> 12 & 0x3f));
		}
		else
			*to++ = (char) (0xe0 | c >> 12);
		*to++ = (char) (0x80 | (c >> 6 & 0x3f));
		*to++ = (char) (0x80 | (c & 0x3f));
	}
	return to;
}

static char *
put_piece(char *to)
{
	static const char *const pieces[] = {
		"a", "b", "c", "ch", "cs", "ccs", "d", "dz", "dzs", "ddzs", "dž", "e", "gy", "ggy", "h", "i", "ij", "j", "l", "ll", "lj", "ly", "l·", "n",
		"ng", "nj", "ny", "o", "rr", "s", "sh", "ss", "ß", "ssz", "sz", "t", "th", "ty", "u", "w", "x", "xh", "y", "z", "zh", "zs", "zzs", "aa", "AA",
		"Aa", "CH", "Ch", "cH", "DZS", "ae", "æ", "ø", "å", "ä", "ö", "ü", "é", "ı", "İ", "ñ", "ç", "đ", "þ", "ﬁ", "ﷺ", "0", "1", "9", "10", "٣", "²",
		" ", "-", "_", "'", ".", "/", "\t", "\001", "\177", "\u00a0", "\u00ad", "\u200b", "\u200d", "\u2010", "\ufeff", "\u0301", "\u0308", "\u0327",
		"\u0345", "\u0e40", "\u0e01", "\u0e40\u0e01", "\u0915\u094d\u0937", "\u0dc5", "\u1100", "\u1161", "\u11a8", "\uac00", "\u4e00", "\u9fff",
		"\u3042", "\u30fc", "\u30ab\u30fc", "\u0430", "\u0438\u0306", "\u0439", "\u03b1", "\u03c2", "\u05d0", "\u0627", "\ufdd0", "\uffff",
		"\U00010000", "\U0001f600", "\U00020000", "\U000e0001", "\U0010ffff"
	};
	static const char *const invalid[] = {"\x80", "\xff", "\xc3", "\xe4\xb8", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
	unsigned	kind = random_below(64);
	const char *piece = pieces[random_below(sizeof(pieces) / sizeof(pieces[0]))];

	if (kind < 8)
		return put_character(to, 1 + random_below(0x7f));
	if (kind < 14)
		return put_character(to, 0x80 + random_below(0x780));
	if (kind < 20)
		return put_character(to, 0x800 + random_below(0xd000));
	if (kind < 22)
		return put_character(to, 0x10000 + random_below(0x100000));
	if (kind == 22)
		piece = invalid[random_below(sizeof(invalid) / sizeof(invalid[0]))];
	strcpy(to, piece);
	return to + strlen(piece);
}

static void
make_text(char *text)
{
	unsigned	pieces = random_below(PIECES_MAX);
	char	   *to = text;

	while (pieces-- > 0)
		to = put_piece(to);
	*to = 0;
}

/* A text like another one, but for a piece in the middle. */
static void
make_similar(char *text, const char *other)
{
	size_t		length = strlen(other);
	size_t		kept = random_below((unsigned) length + 1);
	char	   *to;

	memcpy(text, other, kept);
	to = put_piece(text + kept);
	if (random_below(2) == 0)
		*to = 0;
	else
		strcpy(to, other + kept);
}

/* Writes a text's weights, and 0.  Returns how many there are. */
static int
list_weights(const LibcWeights *weights, const char *text, uint32_t *list)
{
	const unsigned char *place = (const unsigned char *) text;
	const unsigned char *end = place + strlen(text);
	int			n = 0;

	while (place < end)
	{
		ElementWeights element;
		uint32_t	weight;

		place = gpusort_libc_weights_element(weights, place, end, &element);
		while ((weight = gpusort_libc_weights_next(&element)) != 0)
			list[n++] = weight;
	}
	list[n] = 0;
	return n;
}

/* Compares a pair.  Returns the order by weights, or 2 if strcoll's is another. */
static int
compare_pair(const LibcWeights *weights, const char *a, const char *b)
{
	static uint32_t list_a[64 * TEXT_MAX];
	static uint32_t list_b[64 * TEXT_MAX];
	int			i = 0;
	int			order;
	int			wanted = strcoll_l(a, b, weights->locale);

	(void) list_weights(weights, a, list_a);
	(void) list_weights(weights, b, list_b);
	while (list_a[i] == list_b[i] && list_a[i] != 0)
		i++;
	order = list_a[i] < list_b[i] ? -1 : list_a[i] > list_b[i];
	return order == 0 || (order < 0 ? wanted < 0 : wanted > 0) ? order : 2;
}

int
main(int argc, char **argv)
{
	int			wrong = 0;
	int			opened = 0;
	long		decided = 0;

	for (int l = 2; l < argc; l++)
	{
		LibcWeights weights;
		clock_t		start = clock();

		if (!gpusort_libc_weights_open(&weights, argv[l]))
		{
			printf("%s: not opened\n", argv[l]);
			continue;
		}
		if (getenv("VERBOSE") != NULL)
			printf("%s: opened in %.2f ms\n", argv[l], 1000.0 * (double) (clock() - start) / CLOCKS_PER_SEC);
		opened++;
		for (long i = 0; i < atol(argv[1]); i++)
		{
			char		a[TEXT_MAX];
			char		b[TEXT_MAX];
			int			order;

			make_text(a);
			if (random_below(2) == 0)
				make_text(b);
			else
				make_similar(b, a);
			order = compare_pair(&weights, a, b);
			decided += order != 0;
			if (order == 2 && wrong++ < 20)
				printf("%s: \"%s\" and \"%s\" compare otherwise\n", argv[l], a, b);
		}
		gpusort_libc_weights_close(&weights);
	}
	printf("%d of %d locales opened, %ld pairs decided by weights, %d wrong\n", opened, argc - 2, decided, wrong);
	return wrong > 0 || opened == 0 || decided == 0;
}
