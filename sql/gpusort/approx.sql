/* Approximate order of arrays. */

CREATE FUNCTION gpusort.array_sort_approx("array" anyarray, buckets bigint[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION gpusort.array_sort_approx(anyarray, bigint[, boolean[, boolean]]) IS
	'approximate order: the array in approximate order, by the given number of intervals of equal width, from the least to the '
	'greatest element. Within an interval elements keep the array''s order.';
