/*
 * array_match.c
 *	  Two sorted arrays of numbers, such as the m/z of two spectra: array_match and
 *	  array_cosine.
 *
 * Two elements may be paired if they differ by no more than the tolerance, and each is
 * used once.  The choice is greedy, as in CosineGreedy of matchms (Huber et al. 2020, doi
 * 10.21105/joss.02411): the best pair is taken first, then the next of which neither is
 * used.  The best pair has the least distance for array_match, the greatest product of
 * intensities for array_cosine.
 *
 * Every element is read, so the order of the arrays is checked.  Numbers are compared as
 * float8.  NULL and NaN are near nothing.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "functions/arguments.h"
#include "large_memory.h"
#include "toast/array_detoast.h"

PG_FUNCTION_INFO_V1(gpusort_array_match);
PG_FUNCTION_INFO_V1(gpusort_array_cosine);

/* An array of numbers as float8. */
typedef struct Numbers
{
	const double *values;
	uint32		length;
	uint32		first;			/* of a sorted array, the first value and the end; outside are NULLs and NaN */
	uint32		end;
} Numbers;

/* Elements that may be paired, by their 0-based positions. */
typedef struct Pair
{
	double		worth;			/* pairs that are worth more are taken first */
	uint32		a;
	uint32		b;
} Pair;

typedef struct PairList
{
	Pair	   *pairs;
	uint32		count;
	uint32		allocated;
	bool		contested;		/* an element is in more than one pair */
} PairList;

/* Converts `count` stored numbers. */
static void
convert_numbers(Oid type, const void *stored, double *values, uint32 count)
{
#define CONVERT(c_type) \
	for (uint32 i = 0; i < count; i++) \
		values[i] = (double) ((const c_type *) stored)[i]

	switch (gpusort_number_type(type, "Cast to float8 or bigint, or to an array of these."))
	{
		case INT2OID:
			CONVERT(int16);
			break;
		case INT4OID:
			CONVERT(int32);
			break;
		case INT8OID:
			CONVERT(int64);
			break;
		case FLOAT4OID:
			CONVERT(float4);
			break;
		default:
			CONVERT(float8);
	}
#undef CONVERT
}

/* Reads an array.  A NULL becomes the given number. */
static Numbers
read_numbers(Datum argument, double null)
{
	ArrayType  *array = gpusort_array_detoast(argument);
	const uint8 *bitmap = ARR_NULLBITMAP(array);
	Numbers		numbers = {.length = gpusort_array_length(array)};
	uint32		stored = numbers.length - gpusort_array_count_nulls(array, numbers.length);
	double	   *values;

	gpusort_array_require_one_dimension(array);
	numbers.end = numbers.length;
	if (ARR_ELEMTYPE(array) == FLOAT8OID && bitmap == NULL)
	{
		numbers.values = (const double *) ARR_DATA_PTR(array);
		return numbers;
	}
	values = gpusort_alloc_large(CurrentMemoryContext, Max(numbers.length, 1) * sizeof(double));
	convert_numbers(ARR_ELEMTYPE(array), ARR_DATA_PTR(array), values, stored);
	/* From the end on, so that no stored number is overwritten before it is moved. */
	for (uint32 i = numbers.length; stored < i; i--)
	{
		GPUSORT_CHECK_EVERY(i);
		values[i - 1] = bitmap[(i - 1) / 8] & (1 << (i - 1) % 8) ? values[--stored] : null;
	}
	numbers.values = values;
	return numbers;
}

/* Reads an array that must be in order, with NULLs at one end. */
static Numbers
read_sorted_numbers(Datum argument)
{
	Numbers		numbers = read_numbers(argument, NAN);

	while (numbers.first < numbers.end && isnan(numbers.values[numbers.first]))
		numbers.first++;
	while (numbers.first < numbers.end && isnan(numbers.values[numbers.end - 1]))
		numbers.end--;
	for (uint32 i = numbers.first + 1; i < numbers.end; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (!(numbers.values[i - 1] <= numbers.values[i]))
			gpusort_refuse_unsorted(i + 1);
	}
	return numbers;
}

static double
distance(double x, double y)
{
	return x == y ? 0 : fabs(x - y);
}

static void
append_pair(PairList *list, double worth, uint32 a, uint32 b)
{
	if (list->count == list->allocated)
	{
		Size		size = 2 * (Size) list->allocated * sizeof(Pair);

		if (!AllocSizeIsValid(size))
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("more than %u pairs of elements are within the tolerance", list->allocated),
					 errhint("Use a smaller tolerance.")));
		list->pairs = repalloc(list->pairs, size);
		list->allocated *= 2;
	}
	GPUSORT_CHECK_EVERY(list->count);
	list->pairs[list->count++] = (Pair) {worth, a, b};
}

/*
 * Finds all pairs within the tolerance.  Products of the intensities are what they are
 * worth, or, without intensities, how near they are.
 */
static PairList
find_pairs(const Numbers *a, const Numbers *b, const Tolerance *tolerance, const double *intensities_a, const double *intensities_b)
{
	PairList	list = {.allocated = 64};
	uint32		start = b->first;
	uint32		contested_before = b->first;

	list.pairs = palloc(list.allocated * sizeof(Pair));
	for (uint32 i = a->first; i < a->end; i++)
	{
		double		x = a->values[i];
		double		limit = gpusort_tolerance_at(tolerance, x);
		uint32		j;

#define LIES_BELOW(y) ((y) < x && distance(x, y) > limit)
		while (start < b->end && LIES_BELOW(b->values[start]))
			start++;
		/* A limit that grows with x may reach further down than the last one. */
		while (start > b->first && !LIES_BELOW(b->values[start - 1]))
			start--;
#undef LIES_BELOW
		GPUSORT_CHECK_EVERY(i);
		for (j = start; j < b->end && distance(x, b->values[j]) <= limit; j++)
			append_pair(&list, intensities_a != NULL ? intensities_a[i] * intensities_b[j] : -distance(x, b->values[j]), i, j);
		list.contested |= j > start + 1 || (j > start && start < contested_before);
		contested_before = Max(contested_before, j);
	}
	return list;
}

/* Of pairs that are equally near, that of the first elements comes first. */
static int
compare_distances(const void *left, const void *right)
{
	const Pair *l = left;
	const Pair *r = right;

	CHECK_FOR_INTERRUPTS();
	if (l->worth != r->worth)
		return l->worth > r->worth ? -1 : 1;
	return l->a != r->a ? (l->a < r->a ? -1 : 1) : (l->b > r->b) - (l->b < r->b);
}

/* Of equal products, that of the last elements comes first, as matchms reverses a stable sort.  NaN comes last. */
static int
compare_products(const void *left, const void *right)
{
	const Pair *l = left;
	const Pair *r = right;

	CHECK_FOR_INTERRUPTS();
	if (isnan(l->worth) != isnan(r->worth))
		return isnan(l->worth) ? 1 : -1;
	if (l->worth != r->worth && !isnan(l->worth))
		return l->worth > r->worth ? -1 : 1;
	return l->a != r->a ? (l->a > r->a ? -1 : 1) : (l->b < r->b) - (l->b > r->b);
}

/* Keeps the best pairs in which each element is used once. */
static void
choose_pairs(PairList *list, const Numbers *a, const Numbers *b, int (*compare) (const void *, const void *))
{
	bool	   *used_a;
	bool	   *used_b;
	uint32		kept = 0;

	if (!list->contested)
		return;
	used_a = palloc0(a->length * sizeof(bool));
	used_b = palloc0(b->length * sizeof(bool));
	qsort(list->pairs, list->count, sizeof(Pair), compare);
	for (uint32 i = 0; i < list->count; i++)
	{
		Pair		pair = list->pairs[i];

		GPUSORT_CHECK_EVERY(i);
		if (used_a[pair.a] || used_b[pair.b])
			continue;
		used_a[pair.a] = used_b[pair.b] = true;
		list->pairs[kept++] = pair;
	}
	list->count = kept;
	pfree(used_a);
	pfree(used_b);
}

static int
compare_positions(const void *left, const void *right)
{
	const Pair *l = left;
	const Pair *r = right;

	CHECK_FOR_INTERRUPTS();
	return (l->a > r->a) - (l->a < r->a);
}

/* array_match(a, b, tolerance [, ppm]): positions of elements that are near each other, each used once. */
Datum
gpusort_array_match(PG_FUNCTION_ARGS)
{
	Tolerance	tolerance = gpusort_argument_tolerance(fcinfo, 2);
	Numbers		a = read_sorted_numbers(PG_GETARG_DATUM(0));
	Numbers		b = read_sorted_numbers(PG_GETARG_DATUM(1));
	PairList	list = find_pairs(&a, &b, &tolerance, NULL, NULL);
	Datum		results[2];

	choose_pairs(&list, &a, &b, compare_distances);
	if (list.contested)
		qsort(list.pairs, list.count, sizeof(Pair), compare_positions);
	for (int side = 0; side < 2; side++)
	{
		ArrayType  *positions = gpusort_array_allocate_integers(list.count);
		int32	   *values = (int32 *) ARR_DATA_PTR(positions);

		for (uint32 i = 0; i < list.count; i++)
			values[i] = (side == 0 ? list.pairs[i].a : list.pairs[i].b) + 1;
		results[side] = PointerGetDatum(positions);
	}
	return gpusort_return_record(fcinfo, results);
}

/* The intensities of peaks; those that are NULL count as 0. */
static const double *
read_intensities(FunctionCallInfo fcinfo, int argument, const Numbers *mz, double *norm)
{
	Numbers		intensities = read_numbers(PG_GETARG_DATUM(argument), 0);
	double		squares = 0;

	if (intensities.length != mz->length)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of m/z and intensities must have the same length, not %u and %u", mz->length, intensities.length)));
	for (uint32 i = 0; i < intensities.length; i++)
		squares += intensities.values[i] * intensities.values[i];
	*norm = sqrt(squares);
	return intensities.values;
}

/*
 * array_cosine(mz_a, intensity_a, mz_b, intensity_b, tolerance [, ppm]): the products of the intensities of
 * paired peaks, summed up, by the lengths of both as vectors; 0 if nothing pairs.
 */
Datum
gpusort_array_cosine(PG_FUNCTION_ARGS)
{
	Tolerance	tolerance = gpusort_argument_tolerance(fcinfo, 4);
	Numbers		a = read_sorted_numbers(PG_GETARG_DATUM(0));
	Numbers		b = read_sorted_numbers(PG_GETARG_DATUM(2));
	double		norm_a;
	double		norm_b;
	const double *intensities_a = read_intensities(fcinfo, 1, &a, &norm_a);
	const double *intensities_b = read_intensities(fcinfo, 3, &b, &norm_b);
	PairList	list = find_pairs(&a, &b, &tolerance, intensities_a, intensities_b);
	double		sum = 0;

	choose_pairs(&list, &a, &b, compare_products);
	for (uint32 i = 0; i < list.count; i++)
		sum += list.pairs[i].worth;
	PG_RETURN_FLOAT8(sum == 0 ? 0 : sum / (norm_a * norm_b));
}
