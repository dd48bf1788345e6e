/* Functions on arrays; docs/functions.md says what each promises. */

/*
 * An array whose elements are not to be taken for those of another type: a float4 array beside float8
 * values, as clients send them, would become a float8 array, and the median of a numeric array is of
 * numeric.  Declared as float4[] or numeric[] the functions would also be found for arrays of integers.
 * So it is of a type that nothing else is cast to, and that is preferred among arrays.
 */
CREATE TYPE gpusort.{float4_array|numeric_array};
CREATE FUNCTION gpusort_internal.{float4_array_in|numeric_array_in}(cstring) RETURNS gpusort.{float4_array|numeric_array}
AS 'MODULE_PATHNAME', 'gpusort_typed_array_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.{float4_array_in|numeric_array_in}(cstring) IS 'asks for the type of an untyped array';
CREATE FUNCTION gpusort_internal.{float4_array_out|numeric_array_out}(gpusort.{float4_array|numeric_array}) RETURNS cstring
AS 'array_out' LANGUAGE internal STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.{float4_array_out|numeric_array_out}(gpusort.{float4_array|numeric_array}) IS 'writes the text of an array';
CREATE TYPE gpusort.{float4_array|numeric_array} (INPUT = gpusort_internal.{float4_array_in|numeric_array_in}, OUTPUT = gpusort_internal.{float4_array_out|numeric_array_out},
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'A', PREFERRED = true);
COMMENT ON TYPE gpusort.float4_array IS 'a float4 array as an argument, beside float8 values that are rounded to float4';
COMMENT ON TYPE gpusort.numeric_array IS 'a numeric array as an argument of functions whose result is numeric';
CREATE FUNCTION gpusort_internal.{float4_array|numeric_array}({float4|numeric}[]) RETURNS gpusort.{float4_array|numeric_array}
AS 'MODULE_PATHNAME', 'gpusort_typed_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.{float4_array|numeric_array}({float4|numeric}[]) IS 'the same array';
CREATE CAST ({float4|numeric}[] AS gpusort.{float4_array|numeric_array}) WITH FUNCTION gpusort_internal.{float4_array|numeric_array}({float4|numeric}[]) AS IMPLICIT;
COMMENT ON CAST ({float4|numeric}[] AS gpusort.{float4_array|numeric_array}) IS 'an array as an argument';

CREATE FUNCTION gpusort.array_sort("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_sort_distinct("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_top_n("array" anyarray, n bigint, descending boolean DEFAULT true, nulls_first boolean DEFAULT false, with_ties boolean DEFAULT false) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

/* The planner puts the body in the place of the call. */
CREATE FUNCTION gpusort.array_bottom_n("array" anyarray, n bigint, nulls_first boolean DEFAULT false, with_ties boolean DEFAULT false) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_top_n($1, $2, false, $3, $4) $$;

CREATE FUNCTION gpusort.array_is_sorted("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS boolean
AS 'MODULE_PATHNAME', 'gpusort_array_is_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION gpusort.array_argsort("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_argsort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_take("array" anyarray, positions integer[]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_take' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION gpusort.array_sort_by(vals anyarray, keys anycompatiblearray[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_sort_pair(vals anyarray, keys anycompatiblearray[, descending boolean[, nulls_first boolean]],
	OUT sorted_vals anyarray, OUT sorted_keys anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpusort_array_sort_pair' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n bigint, descending boolean DEFAULT true, nulls_first boolean DEFAULT false,
	with_ties boolean DEFAULT false) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

CREATE FUNCTION gpusort.array_bottom_n_by(vals anyarray, keys anycompatiblearray, n bigint, nulls_first boolean DEFAULT false, with_ties boolean DEFAULT false) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3, false, $4, $5) $$;

COMMENT ON FUNCTION gpusort.array_bottom_n(anyarray, bigint, boolean, boolean) IS 'order: the n least elements in order, as array_top_n gives them with descending false';
COMMENT ON FUNCTION gpusort.array_bottom_n_by(anyarray, anycompatiblearray, bigint, boolean, boolean) IS
	'order by keys: the values of the n least keys, as array_top_n_by gives them with descending false';

COMMENT ON FUNCTION gpusort.array_argsort(anyarray[, boolean[, boolean]]) IS
	'order by keys: for each place of the sorted array, the position of its element. So array_take(a, array_argsort(a)) is '
	'array_sort(a). Stable.';
COMMENT ON FUNCTION gpusort.array_is_sorted(anyarray[, boolean[, boolean]]) IS 'order: whether the array is in order, as array_sort with the same arguments gives it';
COMMENT ON FUNCTION gpusort.array_sort(anyarray[, boolean[, boolean]]) IS
	'order: the array in order, as PostgreSQL 18''s built-in function of this name gives it. A multidimensional array is sorted by '
	'slices of its first dimension. Dimensions and lower bounds stay.';
COMMENT ON FUNCTION gpusort.array_sort_by(anyarray, anycompatiblearray[, boolean[, boolean]]) IS
	'order by keys: the values in the order of their keys: vals[i] belongs to keys[i]. Values may be of any type. Stable.';
COMMENT ON FUNCTION gpusort.array_sort_distinct(anyarray[, boolean[, boolean]]) IS
	'order: the array in order, each value once, NULL included. Of equal values the first is kept; of the two zeros -0, or 0 if '
	'descending.';
COMMENT ON FUNCTION gpusort.array_sort_pair(anyarray, anycompatiblearray[, boolean[, boolean]]) IS 'order by keys: values and keys, both in the order of the keys. Stable.';
COMMENT ON FUNCTION gpusort.array_take(anyarray, integer[]) IS
	'order by keys: the elements at the given positions, in that order, each as often as it is named; NULL where a position is '
	'NULL. The type needs no order.';
COMMENT ON FUNCTION gpusort.array_top_n(anyarray, bigint, boolean, boolean, boolean) IS
	'order: the n greatest elements in order, or the n least if descending is false; all elements if there are fewer. NULLs come '
	'last, in both directions, unless nulls_first is true.';
COMMENT ON FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, bigint, boolean, boolean, boolean) IS
	'order by keys: the values of the n greatest keys, or of the n least if descending is false, in order. NULL keys come last '
	'unless nulls_first is true.';
