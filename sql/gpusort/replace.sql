/*
 * A schema with nothing but what takes the place of a built-in function: before pg_catalog
 * in search_path, a plain array_sort means that of gpusort. The signatures are those of
 * PostgreSQL 18.
 */

CREATE SCHEMA gpusort_replace;
COMMENT ON SCHEMA gpusort_replace IS 'functions that take the place of built-in ones where it precedes pg_catalog in search_path';
GRANT USAGE ON SCHEMA gpusort_replace TO PUBLIC;

CREATE FUNCTION gpusort_replace.array_sort("array" anyarray) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort_replace.array_sort("array" anyarray, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort_replace.array_sort("array" anyarray, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort_replace.array_sort(anyarray) IS 'gpusort.array_sort in the place of the built-in function';
COMMENT ON FUNCTION gpusort_replace.array_sort(anyarray, boolean) IS 'gpusort.array_sort in the place of the built-in function';
COMMENT ON FUNCTION gpusort_replace.array_sort(anyarray, boolean, boolean) IS 'gpusort.array_sort in the place of the built-in function';
