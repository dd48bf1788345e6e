/* Approximate order of arrays, and how far an array is from being sorted. */

CREATE FUNCTION gpusort.array_sort_approx("array" anyarray, buckets bigint[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_disorder("array" anyarray[, descending boolean[, nulls_first boolean]], OUT max_displacement integer, OUT out_of_place integer,
	OUT mean_displacement double precision, OUT inversions bigint, OUT runs integer)
AS 'MODULE_PATHNAME', 'gpusort_array_disorder' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION gpusort.array_disorder(anyarray[, boolean[, boolean]]) IS 'how far the array is from being in order';
COMMENT ON FUNCTION gpusort.array_sort_approx(anyarray, bigint[, boolean[, boolean]]) IS 'the array in approximate order, by intervals of equal width';
