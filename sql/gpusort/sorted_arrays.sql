/* Functions over sorted arrays of float4 beside float8 values. */

CREATE FUNCTION gpusort.array_search_sorted("array" gpusort.float4_array, value float8, after boolean DEFAULT false) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_search_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_search_sorted(gpusort.float4_array, float8, boolean) IS 'sorted arrays: where the value, rounded to float4, would be inserted into a sorted array';
CREATE FUNCTION gpusort.array_nearest("array" gpusort.float4_array, value float8, tolerance float8 DEFAULT 'Infinity', ppm boolean DEFAULT false) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(gpusort.float4_array, float8, float8, boolean) IS 'sorted arrays: the position of the number of a sorted array that is nearest to the value, rounded to float4';
CREATE FUNCTION gpusort.array_between("array" gpusort.float4_array, low float8, high float8) RETURNS float4[]
AS 'MODULE_PATHNAME', 'gpusort_array_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_between(gpusort.float4_array, float8, float8) IS 'sorted arrays: the elements of a sorted array from low to high, both rounded to float4';
CREATE FUNCTION gpusort.array_between_by(vals anyarray, keys gpusort.float4_array, low float8, high float8) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_between_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_between_by(anyarray, gpusort.float4_array, float8, float8) IS 'sorted arrays: the values whose keys, which are sorted, are from low to high, both rounded to float4';
