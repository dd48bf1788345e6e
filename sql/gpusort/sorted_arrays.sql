/*
 * A float4 array beside float8 values, as clients send them. As anycompatible it would become
 * a float8 array, and declared as float4[] it would also be found for arrays of integers. So it
 * is of a type that nothing else is cast to, and that is preferred among arrays.
 */
CREATE TYPE gpusort.float4_array;
CREATE FUNCTION gpusort_internal.float4_array_in(cstring) RETURNS gpusort.float4_array
AS 'MODULE_PATHNAME', 'gpusort_float4_array_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.float4_array_in(cstring) IS 'asks for the type of an untyped array';
CREATE FUNCTION gpusort_internal.float4_array_out(gpusort.float4_array) RETURNS cstring
AS 'array_out' LANGUAGE internal STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.float4_array_out(gpusort.float4_array) IS 'writes the text of a float4 array';
CREATE TYPE gpusort.float4_array (INPUT = gpusort_internal.float4_array_in, OUTPUT = gpusort_internal.float4_array_out,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'A', PREFERRED = true);
COMMENT ON TYPE gpusort.float4_array IS 'a float4 array as an argument, beside float8 values that are rounded to float4';
CREATE FUNCTION gpusort_internal.float4_array(float4[]) RETURNS gpusort.float4_array
AS 'MODULE_PATHNAME', 'gpusort_float4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.float4_array(float4[]) IS 'the same array';
CREATE CAST (float4[] AS gpusort.float4_array) WITH FUNCTION gpusort_internal.float4_array(float4[]) AS IMPLICIT;
COMMENT ON CAST (float4[] AS gpusort.float4_array) IS 'a float4 array as an argument';
CREATE FUNCTION gpusort.array_search_sorted("array" gpusort.float4_array, v float8[, after boolean]) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_search_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_search_sorted(gpusort.float4_array, float8[, boolean]) IS 'where the value, rounded to float4, would be inserted into a sorted array';
CREATE FUNCTION gpusort.array_nearest("array" gpusort.float4_array, v float8[, tolerance float8[, ppm boolean]]) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(gpusort.float4_array, float8[, float8[, boolean]]) IS 'the position of the number of a sorted array that is nearest to the value, rounded to float4';
CREATE FUNCTION gpusort.array_between("array" gpusort.float4_array, low float8, high float8) RETURNS float4[]
AS 'MODULE_PATHNAME', 'gpusort_array_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_between(gpusort.float4_array, float8, float8) IS 'the elements of a sorted array from low to high, both rounded to float4';
CREATE FUNCTION gpusort.array_between_by(vals anyarray, keys gpusort.float4_array, low float8, high float8) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_between_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_between_by(anyarray, gpusort.float4_array, float8, float8) IS 'the values whose keys, which are sorted, are from low to high, both rounded to float4';
