/*
 * percentile.c
 *	  Percentiles of a set of values.
 *
 * The ranks are computed as PostgreSQL's orderedsetaggs.c computes them, in the same
 * floating-point operations, so that results are the same to the bit.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/numeric.h"

#include "functions/arguments.h"
#include "functions/percentile.h"
#include "keys/intervals.h"
#include "keys/key_compare.h"
#include "large_memory.h"

/* Where the percentile of one fraction lies. */
typedef struct Place
{
	uint64		first;			/* rank */
	uint64		second;			/* the same or the next rank */
	double		proportion;		/* how far from the first to the second */
	Datum		part;			/* the same as a numeric, for numerics */
} Place;

/* The values at all ranks that are needed. */
typedef struct Found
{
	uint64	   *ranks;			/* ascending, each once */
	uint32		nranks;
	Datum	   *values;
} Found;

/* Memory for up to this many fractions lies on the stack. */
#define FEW_FRACTIONS 4

/*
 * The place of a fraction among count values.  For a single fraction PostgreSQL computes
 * the proportion as a product less a whole number.  Where the processor has one instruction
 * for both, as arm64 has, the compiler uses it.  That rounds once, so the last bit may differ
 * from that of two instructions.
 */
static Place
place_of(double fraction, PercentileKind kind, uint64 count, bool single)
{
	Place		place = {0};

	if (kind == PERCENTILE_DISCRETE)
	{
		double		row = ceil(fraction * count);

		place.first = place.second = row < 1 ? 0 : (uint64) row - 1;
	}
	else
	{
		double		exact = fraction * ((double) count - 1);

		place.first = floor(exact);
		place.second = ceil(exact);
		place.proportion = exact - floor(exact);
#ifdef __FP_FAST_FMA
		if (single)
			place.proportion = fma(fraction, (double) count - 1, -floor(exact));
#endif
	}
	return place;
}

/*
 * Sets the place of a fraction among numerics.  It is exact if the fraction is a decimal number of up to 15 digits, as
 * those that are written are.  Others, as a third is, are placed in float8.
 */
static void
place_among_numerics(double fraction, uint64 count, Place *place)
{
	Datum		decimal = DirectFunctionCall1(float8_numeric, Float8GetDatum(fraction));
	Datum		exact;
	Datum		whole;

	if (DatumGetFloat8(DirectFunctionCall1(numeric_float8, decimal)) != fraction)
	{
		place->part = DirectFunctionCall1(float8_numeric, Float8GetDatum(place->proportion));
		return;
	}
	exact = DirectFunctionCall2(numeric_mul, decimal, NumericGetDatum(int64_to_numeric(count - 1)));
	whole = DirectFunctionCall1(numeric_floor, exact);
	place->first = DatumGetInt64(DirectFunctionCall1(numeric_int8, whole));
	place->second = place->first + DatumGetBool(DirectFunctionCall2(numeric_gt, exact, whole));
	place->part = DirectFunctionCall1(numeric_trim_scale, DirectFunctionCall2(numeric_sub, exact, whole));
}

/* Compares two ranks.  Checks for interrupts, because there may be millions of fractions. */
static int
compare_ranks(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return gpusort_compare_codes(a, b);
}

/* Finds the values at the ranks of all places.  found has space for two ranks per fraction. */
static void
find_values(const ValueStore *store, const Fractions *fractions, const Place *places, Found *found)
{
	uint32		total = 0;

	found->nranks = 0;
	for (uint32 i = 0; i < fractions->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (fractions->nulls[i])
			continue;
		found->ranks[total++] = places[i].first;
		found->ranks[total++] = places[i].second;
	}
	if (total > 2)
		qsort(found->ranks, total, sizeof(uint64), compare_ranks);
	for (uint32 i = 0; i < total; i++)
		if (i == 0 || found->ranks[i] != found->ranks[i - 1])
			found->ranks[found->nranks++] = found->ranks[i];
	if (found->nranks > 0)
		gpusort_values_at_ranks(store, found->ranks, found->nranks, found->values);
}

static Datum
value_at(const Found *found, uint64 rank)
{
	const uint64 *place = bsearch(&rank, found->ranks, found->nranks, sizeof(uint64), compare_ranks);

	return found->values[place - found->ranks];
}

/* A key as float8, as PostgreSQL's casts convert it. */
static double
key_as_float8(GpusortKeyForm form, Datum key)
{
	return gpusort_form_is_float(form) ? gpusort_float_of(form, key) : (double) gpusort_integer_of(form, key);
}

static Datum
interpolate_intervals(Datum low, Datum high, const Place *place)
{
	Datum		difference = DirectFunctionCall2(interval_mi, high, low);
	Datum		part = DirectFunctionCall2(interval_mul, difference, Float8GetDatum(place->proportion));

	return DirectFunctionCall2(interval_pl, part, low);
}

/* The exact value between two. */
static Datum
interpolate_numerics(Datum low, Datum high, const Place *place)
{
	Datum		difference = DirectFunctionCall2(numeric_sub, high, low);
	Datum		part = DirectFunctionCall2(numeric_mul, difference, place->part);

	return DirectFunctionCall2(numeric_add, low, part);
}

/* The continuous percentile at a place. */
static Datum
interpolate(const ElementType *element, const Found *found, const Place *place)
{
	Datum		first = value_at(found, place->first);
	Datum		second = value_at(found, place->second);
	double		low;
	double		high;

	if (!element->is_key && place->first == place->second)
		return first;
	if (!element->is_key)
		return (element->oid == NUMERICOID ? interpolate_numerics : interpolate_intervals) (first, second, place);
	low = key_as_float8(element->form, first);
	high = key_as_float8(element->form, second);
	return Float8GetDatum(place->first == place->second ? low : low + place->proportion * (high - low));
}

/* The type of the percentiles. */
static void
result_type(ElementType *result, const ElementType *element, PercentileKind kind)
{
	*result = *element;
	if (kind == PERCENTILE_CONTINUOUS && element->is_key)
	{
		result->oid = FLOAT8OID;
		result->length = sizeof(float8);
		result->by_value = FLOAT8PASSBYVAL;
		result->alignment = TYPALIGN_DOUBLE;
	}
}

/* The percentiles of values, at least one. */
static Datum
compute_percentiles(const ValueStore *store, PercentileKind kind, const Fractions *fractions)
{
	const ElementType *element = store->values.element;
	uint64		count = gpusort_values_count(store);
	Place		few_places[FEW_FRACTIONS];
	Datum		few_results[FEW_FRACTIONS];
	uint64		few_ranks[2 * FEW_FRACTIONS];
	Datum		few_values[2 * FEW_FRACTIONS];
	bool		few = fractions->count <= FEW_FRACTIONS;
	Place	   *places = few ? few_places : palloc(fractions->count * sizeof(Place));
	Datum	   *results = few ? few_results : palloc(fractions->count * sizeof(Datum));
	Found		found = {
		.ranks = few ? few_ranks : palloc(2 * fractions->count * sizeof(uint64)),
		.values = few ? few_values : palloc(2 * fractions->count * sizeof(Datum))
	};
	ElementType type;

	for (uint32 i = 0; i < fractions->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (fractions->nulls[i])
			continue;
		places[i] = place_of(DatumGetFloat8(fractions->values[i]), kind, count, fractions->array == NULL);
		if (kind == PERCENTILE_CONTINUOUS && element->oid == NUMERICOID)
			place_among_numerics(DatumGetFloat8(fractions->values[i]), count, &places[i]);
	}
	find_values(store, fractions, places, &found);
	for (uint32 i = 0; i < fractions->count; i++)
	{
		if (fractions->nulls[i])
			continue;
		results[i] = kind == PERCENTILE_DISCRETE ? value_at(&found, places[i].first) :
			interpolate(element, &found, &places[i]);
	}

	result_type(&type, element, kind);
	if (fractions->array == NULL)
		return datumCopy(results[0], type.by_value, type.length);
	if (fractions->count == 0)
		return PointerGetDatum(construct_empty_array(type.oid));
	return PointerGetDatum(construct_md_array(results, fractions->nulls, ARR_NDIM(fractions->array),
											  ARR_DIMS(fractions->array), ARR_LBOUND(fractions->array),
											  type.oid, type.length, type.by_value, type.alignment));
}

void
gpusort_percentile_fractions(FunctionCallInfo fcinfo, bool has_fraction, Fractions *fractions)
{
	if (has_fraction)
		gpusort_fractions_read(fractions, PG_GETARG_DATUM(1), gpusort_argument_type(fcinfo, 1) == FLOAT8ARRAYOID);
	else
		gpusort_fractions_read(fractions, Float8GetDatum(0.5), false);
	gpusort_fractions_check(fractions, NULL);
}

void
gpusort_percentile_require_number(Oid type)
{
	(void) gpusort_number_type(type, "Convert the values to float8. Discrete percentiles take every type that has an order.");
}

Datum
gpusort_return_percentiles(FunctionCallInfo fcinfo, const ValueStore *store, PercentileKind kind, const Fractions *fractions)
{
	if (gpusort_values_count(store) == 0 || (fractions->array == NULL && fractions->isnull))
		PG_RETURN_NULL();
	return compute_percentiles(store, kind, fractions);
}
