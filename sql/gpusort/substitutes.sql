/*
 * A schema with nothing but what takes the place of built-in functions: before pg_catalog
 * in search_path, a plain array_sort or percentile_cont means that of gpusort. The
 * signatures are those of PostgreSQL 18.
 */

CREATE SCHEMA gpusort_replace;
COMMENT ON SCHEMA gpusort_replace IS 'functions that take the place of built-in ones where it precedes pg_catalog in search_path';
GRANT USAGE ON SCHEMA gpusort_replace TO PUBLIC;

CREATE FUNCTION gpusort_replace.array_sort("array" anyarray[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort_replace.array_sort(anyarray[, boolean[, boolean]]) IS 'gpusort.array_sort in the place of the built-in function';

CREATE AGGREGATE gpusort_replace.percentile_cont(fraction float8 ORDER BY x {float8|interval}) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_cont(float8 ORDER BY {float8|interval}) IS 'gpusort.percentile_cont in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.percentile_cont(fractions float8[] ORDER BY x {float8|interval}) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_cont(float8[] ORDER BY {float8|interval}) IS 'gpusort.percentile_cont in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.percentile_disc({fraction float8|fractions float8[]} ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_disc({float8|float8[]} ORDER BY anyelement) IS 'gpusort.percentile_disc in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.mode(ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.mode_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.mode(ORDER BY anyelement) IS 'gpusort.mode in the place of the built-in aggregate';
