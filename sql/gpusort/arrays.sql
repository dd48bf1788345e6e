/* Functions on arrays; docs/functions.md says what each promises. */

CREATE FUNCTION gpusort.array_sort("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_sort_distinct("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_top_n("array" anyarray, n bigint[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

/* The planner puts the body in the place of the call. */
CREATE FUNCTION gpusort.array_bottom_n("array" anyarray, n bigint[, nulls_first boolean]) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_top_n($1, $2, false[, $3]) $$;

CREATE FUNCTION gpusort.array_is_sorted("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS boolean
AS 'MODULE_PATHNAME', 'gpusort_array_is_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION gpusort.array_argsort("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_argsort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_take("array" anyarray, subscripts integer[]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_take' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION gpusort.array_sort_by(vals anyarray, keys anycompatiblearray[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_sort_pair(vals anyarray, keys anycompatiblearray[, descending boolean[, nulls_first boolean]],
	OUT sorted_vals anyarray, OUT sorted_keys anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpusort_array_sort_pair' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n bigint[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_bottom_n_by(vals anyarray, keys anycompatiblearray, n bigint[, nulls_first boolean]) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3, false[, $4]) $$;

COMMENT ON FUNCTION gpusort.array_bottom_n(anyarray, bigint[, boolean]) IS 'the n least elements in order';
COMMENT ON FUNCTION gpusort.array_bottom_n_by(anyarray, anycompatiblearray, bigint[, boolean]) IS 'the values of the n least keys';

COMMENT ON FUNCTION gpusort.array_argsort(anyarray[, boolean[, boolean]]) IS 'for each place of the sorted array, the position of its element';
COMMENT ON FUNCTION gpusort.array_is_sorted(anyarray[, boolean[, boolean]]) IS 'whether the array is in order';
COMMENT ON FUNCTION gpusort.array_sort(anyarray[, boolean[, boolean]]) IS 'the array in order';
COMMENT ON FUNCTION gpusort.array_sort_by(anyarray, anycompatiblearray[, boolean[, boolean]]) IS 'the values in the order of their keys';
COMMENT ON FUNCTION gpusort.array_sort_distinct(anyarray[, boolean[, boolean]]) IS 'the array in order, each value once';
COMMENT ON FUNCTION gpusort.array_sort_pair(anyarray, anycompatiblearray[, boolean[, boolean]]) IS 'values and keys, both in the order of the keys';
COMMENT ON FUNCTION gpusort.array_take(anyarray, integer[]) IS 'the elements at the given positions';
COMMENT ON FUNCTION gpusort.array_top_n(anyarray, bigint[, boolean[, boolean]]) IS 'the n greatest elements in order, or the n least';
COMMENT ON FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, bigint[, boolean[, boolean]]) IS 'the values of the n greatest keys, or of the n least';
