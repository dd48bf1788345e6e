/* Statistics of one array, and functions over arrays that are sorted. */

CREATE FUNCTION gpusort.array_median("array" {anyarray|interval[]|gpusort.numeric_array}) RETURNS {float8|interval|numeric}
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_median("array" time[]) RETURNS interval
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT gpusort.array_median($1::pg_catalog.interval[]) $$;
COMMENT ON FUNCTION gpusort.array_median({anyarray|interval[]|time[]|gpusort.numeric_array}) IS
	'statistics: the median of the elements, interpolated. Types: integers, floats, numeric, domains over these, interval, time; '
	'others are 0A000. That of numeric is exact; domains over it give float8.';
CREATE FUNCTION gpusort.array_percentile_cont("array" {anyarray|interval[]|gpusort.numeric_array}, fraction float8)
RETURNS {float8|interval|numeric}
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_percentile_cont("array" {anyarray|interval[]|gpusort.numeric_array}, fractions float8[])
RETURNS {float8|interval|numeric}[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_percentile_cont("array" time[], {fraction float8|fractions float8[]}) RETURNS {interval|interval[]}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT gpusort.array_percentile_cont($1::pg_catalog.interval[], $2) $$;
-- {elements} = anyarray interval[] time[] gpusort.numeric_array
COMMENT ON FUNCTION gpusort.array_percentile_cont({elements}, {float8|float8[]}) IS
	'statistics: the percentile of the elements at the given fraction, interpolated; for an array of fractions, an array of '
	'the same shape. Types as array_median. A fraction that is not between 0 and 1 is 22003.';
CREATE FUNCTION gpusort.array_percentile_disc("array" anyarray, fraction float8) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_disc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_percentile_disc("array" anyarray, fractions float8[]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_disc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_disc(anyarray, {float8|float8[]}) IS
	'statistics: the percentile of the elements at the given fraction, which is one of them; fractions as for array_percentile_cont';
CREATE FUNCTION gpusort.array_mode("array" anyarray) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gpusort_array_mode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_mode(anyarray) IS 'statistics: the most frequent element, of several the least';
CREATE FUNCTION gpusort.array_rank("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_rank(anyarray[, boolean[, boolean]]) IS
	'statistics: the rank of each element, as rank() OVER (ORDER BY element) gives it. Equal elements have the same rank, NULLs '
	'too.';

/* The planner puts the bodies of the first two in the place of the calls. */
CREATE FUNCTION gpusort.array_min("array" anyarray) RETURNS anyelement
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT (gpusort.array_top_n($1, 1, false))[1] $$;
COMMENT ON FUNCTION gpusort.array_min(anyarray) IS 'statistics: the least element';
CREATE FUNCTION gpusort.array_max("array" anyarray) RETURNS anyelement
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT (gpusort.array_top_n($1, 1))[1] $$;
COMMENT ON FUNCTION gpusort.array_max(anyarray) IS 'statistics: the greatest element';
CREATE FUNCTION gpusort.array_count_distinct("array" anyarray) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$ SELECT pg_catalog.cardinality(pg_catalog.array_remove(gpusort.array_sort_distinct($1), NULL)) $$;
COMMENT ON FUNCTION gpusort.array_count_distinct(anyarray) IS 'statistics: how many different elements there are; 0 in an array without values';
CREATE FUNCTION gpusort.array_sum("array" {int2|int4|int8|float4|float8|numeric|interval}[]) RETURNS {int8|int8|numeric|float4|float8|numeric|interval}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$ SELECT pg_catalog.sum(x) FROM pg_catalog.unnest($1) x $$;
COMMENT ON FUNCTION gpusort.array_sum({int2|int4|int8|float4|float8|numeric|interval}[]) IS 'statistics: the sum of the elements';
CREATE FUNCTION gpusort.array_avg("array" {int2|int4|int8|float4|float8|numeric|interval}[]) RETURNS {numeric|numeric|numeric|float8|float8|numeric|interval}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$ SELECT pg_catalog.avg(x) FROM pg_catalog.unnest($1) x $$;
COMMENT ON FUNCTION gpusort.array_avg({int2|int4|int8|float4|float8|numeric|interval}[]) IS 'statistics: the mean of the elements';
CREATE FUNCTION gpusort.array_stddev("array" {int2|int4|int8|float4|float8|numeric}[]) RETURNS {numeric|numeric|numeric|float8|float8|numeric}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$ SELECT pg_catalog.stddev(x) FROM pg_catalog.unnest($1) x $$;
COMMENT ON FUNCTION gpusort.array_stddev({int2|int4|int8|float4|float8|numeric}[]) IS 'statistics: the sample standard deviation of the elements';
CREATE FUNCTION gpusort.array_histogram("array" anyarray, buckets bigint) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$ SELECT gpusort.histogram_agg(x, $2) FROM pg_catalog.unnest($1) x $$;
COMMENT ON FUNCTION gpusort.array_histogram(anyarray, bigint) IS 'statistics: how many elements each of the given number of intervals of equal width has';

CREATE FUNCTION gpusort.array_search_sorted("array" anycompatiblearray, value anycompatible, after boolean DEFAULT false) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_search_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_search_sorted(anycompatiblearray, anycompatible, boolean) IS
	'sorted arrays: where the value would be inserted into a sorted array, before its equals or, if after is true, behind them';
CREATE FUNCTION gpusort.array_nearest("array" {int2|int4|int8|float4|float8}[], value {int2|int4|int8|float4|float8}, tolerance float8 DEFAULT 'Infinity', ppm boolean DEFAULT false) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest({int2|int4|int8|float4|float8}[], {int2|int4|int8|float4|float8}, float8, boolean) IS
	'sorted arrays: the position of the number of a sorted array that is nearest to the value, or NULL if there is none within the '
	'tolerance; for targets, an array of these. Of two that are equally near, the lesser one counts; of equal ones, the first.';
/* Of a polymorphic type, so that a second argument without a type is one value. */
CREATE FUNCTION gpusort.array_nearest("array" anycompatiblearray, targets anycompatiblearray, tolerance float8 DEFAULT 'Infinity', ppm boolean DEFAULT false) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_nearest_targets' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort.array_nearest(anycompatiblearray, anycompatiblearray, float8, boolean) IS
	'sorted arrays: the position of the number of a sorted array that is nearest to the value, or NULL if there is none within the '
	'tolerance; for targets, an array of these. Of two that are equally near, the lesser one counts; of equal ones, the first.';
CREATE FUNCTION gpusort.array_between("array" anycompatiblearray, low anycompatible, high anycompatible) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'gpusort_array_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_between(anycompatiblearray, anycompatible, anycompatible) IS 'sorted arrays: the elements of a sorted array from low to high, both included';
CREATE FUNCTION gpusort.array_between_by(vals anyarray, keys anycompatiblearray, low anycompatible, high anycompatible) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_between_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_between_by(anyarray, anycompatiblearray, anycompatible, anycompatible) IS
	'sorted arrays: the values whose keys, which are sorted, are from low to high';
CREATE FUNCTION gpusort.array_merge(a anycompatiblearray, b anycompatiblearray) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'gpusort_array_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.array_merge(anycompatiblearray, anycompatiblearray) IS
	'sorted arrays: the elements of two sorted arrays in order, NULLs last; equal elements stay, those of the first array first. '
	'Arrays that are not in order are sorted.';
CREATE FUNCTION gpusort.array_merge_by(vals_a anyarray, keys_a anycompatiblearray, vals_b anyarray, keys_b anycompatiblearray,
	OUT merged_vals anyarray, OUT merged_keys anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpusort_array_merge_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort.array_merge_by(anyarray, anycompatiblearray, anyarray, anycompatiblearray) IS
	'sorted arrays: values and keys of two lists, each sorted by its keys, in the order of the keys. Of equal keys, those of the '
	'first list come first.';

CREATE FUNCTION gpusort.array_match(a anycompatiblearray, b anycompatiblearray, tolerance float8, ppm boolean DEFAULT false,
	OUT positions_a integer[], OUT positions_b integer[])
AS 'MODULE_PATHNAME', 'gpusort_array_match' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_match(anycompatiblearray, anycompatiblearray, float8, boolean) IS
	'sorted arrays: positions of elements of two sorted arrays that are near each other, each used once, in the order of the first. '
	'Near means that they differ by no more than the tolerance; with ppm that is in millionths of the element of the first.';
CREATE FUNCTION gpusort.array_cosine(mz_a anycompatiblearray, intensity_a anyarray, mz_b anycompatiblearray, intensity_b anyarray, tolerance float8, ppm boolean DEFAULT false) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_cosine(anycompatiblearray, anyarray, anycompatiblearray, anyarray, float8, boolean) IS
	'sorted arrays: the cosine of two peak lists, each sorted by m/z: the sum of the products of the intensities of paired peaks, '
	'over the product of the norms of both lists of intensities';

/* The same operations for an array and for a range, so that what is in the range has one of its bins. */
CREATE FUNCTION gpusort.array_bins("array" float8[], width float8) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$
	SELECT gpusort.array_sort_distinct(ARRAY(SELECT pg_catalog.floor(pg_catalog.float8div(x, $2))::pg_catalog.int8 FROM pg_catalog.unnest($1) x
		WHERE pg_catalog.float8lt(pg_catalog.abs(x), 'infinity')))
$$;
COMMENT ON FUNCTION gpusort.array_bins(float8[], float8) IS
	'sorted arrays: the bins of the elements, floor(x / width), each once and in order. The array need not be sorted. NULL, NaN '
	'and infinity are in no bin.';
CREATE FUNCTION gpusort.bins_between(low float8, high float8, width float8) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$
	SELECT ARRAY(SELECT pg_catalog.generate_series(pg_catalog.floor(pg_catalog.float8div($1, $3))::pg_catalog.int8, pg_catalog.floor(pg_catalog.float8div($2, $3))::pg_catalog.int8))
$$;
COMMENT ON FUNCTION gpusort.bins_between(float8, float8, float8) IS
	'sorted arrays: the bins that a range touches. An array with an element in the range has one of these bins, for a width above 0.';
