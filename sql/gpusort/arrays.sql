/* Functions on arrays; docs/functions.md says what each promises. */

-- The signatures of array_sort are those of PostgreSQL 18: with gpusort before
-- pg_catalog in search_path it takes the place of the built-in function.
CREATE FUNCTION gpusort.array_sort("array" anyarray) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort("array" anyarray, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort("array" anyarray, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_sort_distinct("array" anyarray) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_distinct("array" anyarray, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_distinct("array" anyarray, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_top_n("array" anyarray, n integer) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_top_n("array" anyarray, n integer, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_is_sorted("array" anyarray) RETURNS boolean
AS 'MODULE_PATHNAME', 'gpusort_array_is_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION gpusort.array_is_sorted("array" anyarray, descending boolean) RETURNS boolean
AS 'MODULE_PATHNAME', 'gpusort_array_is_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION gpusort.array_is_sorted("array" anyarray, descending boolean, nulls_first boolean) RETURNS boolean
AS 'MODULE_PATHNAME', 'gpusort_array_is_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION gpusort.array_argsort("array" anyarray) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_argsort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_argsort("array" anyarray, descending boolean) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_argsort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_argsort("array" anyarray, descending boolean, nulls_first boolean) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_argsort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_take("array" anyarray, subscripts integer[]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_take' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION gpusort.array_sort_by(vals anyarray, keys anycompatiblearray) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_sort_by(vals anyarray, keys anycompatiblearray, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_sort_by(vals anyarray, keys anycompatiblearray, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_sort_pair(vals anyarray, keys anycompatiblearray,
	OUT sorted_vals anyarray, OUT sorted_keys anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpusort_array_sort_pair' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_sort_pair(vals anyarray, keys anycompatiblearray, descending boolean,
	OUT sorted_vals anyarray, OUT sorted_keys anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpusort_array_sort_pair' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION gpusort.array_sort_pair(vals anyarray, keys anycompatiblearray, descending boolean, nulls_first boolean,
	OUT sorted_vals anyarray, OUT sorted_keys anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpusort_array_sort_pair' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n integer) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n integer, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n integer, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
