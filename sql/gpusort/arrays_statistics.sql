/* Statistics of one array, and functions over arrays that are sorted. */

CREATE FUNCTION gpusort.array_median("array" {anyarray|interval[]}) RETURNS {float8|interval}
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_median("array" time[]) RETURNS interval
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT gpusort.array_median($1::pg_catalog.interval[]) $$;
COMMENT ON FUNCTION gpusort.array_median({anyarray|interval[]|time[]}) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" {anyarray|interval[]}, fraction float8)
RETURNS {float8|interval}
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_percentile_cont("array" {anyarray|interval[]}, fractions float8[])
RETURNS {float8|interval}[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_percentile_cont("array" time[], {fraction float8|fractions float8[]}) RETURNS {interval|interval[]}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT gpusort.array_percentile_cont($1::pg_catalog.interval[], $2) $$;
COMMENT ON FUNCTION gpusort.array_percentile_cont({anyarray|interval[]|time[]}, float8) IS 'the percentile of the elements at the given fraction, interpolated';
COMMENT ON FUNCTION gpusort.array_percentile_cont({anyarray|interval[]|time[]}, float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_disc("array" anyarray, fraction float8) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_disc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_disc(anyarray, float8) IS 'the percentile of the elements at the given fraction, which is one of them';
CREATE FUNCTION gpusort.array_percentile_disc("array" anyarray, fractions float8[]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_disc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_disc(anyarray, float8[]) IS 'the percentiles of the elements at the given fractions, which are among them';
CREATE FUNCTION gpusort.array_mode("array" anyarray) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gpusort_array_mode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_mode(anyarray) IS 'the most frequent element, of several the least';
CREATE FUNCTION gpusort.array_rank("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_rank(anyarray[, boolean[, boolean]]) IS 'the rank of each element';

CREATE FUNCTION gpusort.array_search_sorted("array" anycompatiblearray, v anycompatible) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_search_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_search_sorted(anycompatiblearray, anycompatible) IS 'where the value would be inserted into a sorted array, before its equals';
CREATE FUNCTION gpusort.array_search_sorted("array" anycompatiblearray, v anycompatible, after boolean) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_search_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_search_sorted(anycompatiblearray, anycompatible, boolean) IS 'where the value would be inserted into a sorted array, before its equals or after them';
CREATE FUNCTION gpusort.array_nearest("array" {int2|int4|int8|float4|float8}[], v {int2|int4|int8|float4|float8}[, tolerance float8]) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest({int2|int4|int8|float4|float8}[], {int2|int4|int8|float4|float8}) IS 'the position of the number of a sorted array that is nearest to the value';
COMMENT ON FUNCTION gpusort.array_nearest({int2|int4|int8|float4|float8}[], {int2|int4|int8|float4|float8}, float8) IS 'the position of the number of a sorted array that is nearest to the value and within the tolerance';
CREATE FUNCTION gpusort.array_between("array" anycompatiblearray, low anycompatible, high anycompatible) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'gpusort_array_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_between(anycompatiblearray, anycompatible, anycompatible) IS 'the elements of a sorted array from low to high';
CREATE FUNCTION gpusort.array_merge(a anycompatiblearray, b anycompatiblearray) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'gpusort_array_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.array_merge(anycompatiblearray, anycompatiblearray) IS 'the elements of two sorted arrays in order';
CREATE FUNCTION gpusort.array_merge_by(vals_a anyarray, keys_a anycompatiblearray, vals_b anyarray, keys_b anycompatiblearray,
	OUT merged_vals anyarray, OUT merged_keys anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpusort_array_merge_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort.array_merge_by(anyarray, anycompatiblearray, anyarray, anycompatiblearray) IS 'values and keys of two lists, each sorted by its keys, in the order of the keys';
