/*
 * gpusort--1.0--1.1.sql: makes of the objects of 1.0 just what CREATE EXTENSION makes.
 * What users have built on them stays: nothing is dropped that they can depend on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpusort UPDATE TO '1.1'" to load this file. \quit

CREATE SCHEMA gpusort_internal;
COMMENT ON SCHEMA gpusort_internal IS 'what the aggregates and views of gpusort are made of';
GRANT USAGE ON SCHEMA gpusort_internal TO PUBLIC;

ALTER FUNCTION gpusort.array_sort_approx(anyarray, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_sort_approx(anyarray, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_sort_approx_within(anyarray, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_sort_approx_within(anyarray, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_top_n(anyarray, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_top_n(anyarray, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, integer, boolean, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_transition(internal, anyelement) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_transition(internal, anyelement, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_by_transition(internal, anyelement, anycompatible) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.top_n_agg_transition(internal, anyelement, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.top_n_agg_transition(internal, anyelement, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.approx_sorted_agg_transition(internal, anyelement, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.approx_sorted_agg_transition(internal, anyelement, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.set_agg_combine(internal, internal) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.set_agg_serialize(internal) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.set_agg_deserialize(bytea, internal) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_final(internal, anyelement) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_final(internal, anyelement, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_by_final(internal, anyelement, anycompatible) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_by_final(internal, anyelement, anycompatible, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.sorted_agg_by_final(internal, anyelement, anycompatible, boolean, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.top_n_agg_final(internal, anyelement, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.top_n_agg_final(internal, anyelement, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.approx_sorted_agg_final(internal, anyelement, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.approx_sorted_agg_final(internal, anyelement, integer, boolean) SET SCHEMA gpusort_internal;
ALTER AGGREGATE gpusort.top_n_agg(anyelement, integer) SET SCHEMA gpusort_internal;
ALTER AGGREGATE gpusort.top_n_agg(anyelement, integer, boolean) SET SCHEMA gpusort_internal;
ALTER AGGREGATE gpusort.approx_sorted_agg(anyelement, integer) SET SCHEMA gpusort_internal;
ALTER AGGREGATE gpusort.approx_sorted_agg(anyelement, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.order_by(text, text, boolean, boolean, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.bucket(anyelement, integer) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.bucket(anyelement, integer, boolean) SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.devices_rows() SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.stats_counters() SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.stats_fallbacks() SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.jobs_rows() SET SCHEMA gpusort_internal;
ALTER FUNCTION gpusort.memory_rows() SET SCHEMA gpusort_internal;

CREATE FUNCTION gpusort.array_sort_approx("array" anyarray, buckets bigint) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_approx("array" anyarray, buckets bigint, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_approx("array" anyarray, buckets bigint, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_approx_within("array" anyarray, max_displacement bigint) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_approx_within("array" anyarray, max_displacement bigint, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_approx_within("array" anyarray, max_displacement bigint, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_disorder("array" anyarray, descending boolean, nulls_first boolean, OUT max_displacement integer, OUT out_of_place integer,
	OUT mean_displacement double precision, OUT inversions bigint, OUT runs integer)
AS 'MODULE_PATHNAME', 'gpusort_array_disorder' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION gpusort.array_top_n("array" anyarray, n bigint) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_top_n("array" anyarray, n bigint, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_top_n("array" anyarray, n bigint, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_bottom_n("array" anyarray, n bigint) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_top_n($1, $2, false) $$;
CREATE FUNCTION gpusort.array_bottom_n("array" anyarray, n bigint, nulls_first boolean) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_top_n($1, $2, false, $3) $$;
CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n bigint) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n bigint, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_top_n_by(vals anyarray, keys anycompatiblearray, n bigint, descending boolean, nulls_first boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_top_n_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
CREATE FUNCTION gpusort.array_bottom_n_by(vals anyarray, keys anycompatiblearray, n bigint) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3, false) $$;
CREATE FUNCTION gpusort.array_bottom_n_by(vals anyarray, keys anycompatiblearray, n bigint, nulls_first boolean) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3, false, $4) $$;
CREATE FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpusort.sorted_agg(x anyelement, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(x anyelement, n bigint) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(x anyelement, n bigint, descending boolean) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(x anyelement, n bigint, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(x anyelement, buckets bigint) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(x anyelement, buckets bigint, descending boolean) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(x anyelement, buckets bigint, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE FUNCTION gpusort.order_by(query text, key text, descending boolean DEFAULT false,
						 nulls_first boolean DEFAULT NULL, buckets bigint DEFAULT NULL)
	RETURNS SETOF record AS 'MODULE_PATHNAME', 'gpusort_order_by' LANGUAGE C VOLATILE;
CREATE FUNCTION gpusort.bucket(x anyelement, buckets bigint) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.bucket(x anyelement, buckets bigint, descending boolean) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpusort.array_top_n(anyarray, bigint, boolean, boolean) IS 'the n greatest elements in order, or the n least';
COMMENT ON FUNCTION gpusort.array_bottom_n(anyarray, bigint) IS 'the n least elements in order';
COMMENT ON FUNCTION gpusort.array_bottom_n(anyarray, bigint, boolean) IS 'the n least elements in order';
COMMENT ON FUNCTION gpusort.array_bottom_n_by(anyarray, anycompatiblearray, bigint) IS 'the values of the n least keys';
COMMENT ON FUNCTION gpusort.array_bottom_n_by(anyarray, anycompatiblearray, bigint, boolean) IS 'the values of the n least keys';

-- Calls of the functions that took an integer become calls of those of today, also in indexes.
CREATE OR REPLACE AGGREGATE gpusort.sorted_agg(x anyelement) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE gpusort.sorted_agg(x anyelement, descending boolean) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE gpusort.sorted_agg_by(x anyelement, key anycompatible) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE gpusort.sorted_agg_by(x anyelement, key anycompatible, descending boolean) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE gpusort.sorted_agg_by(x anyelement, key anycompatible, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE OR REPLACE FUNCTION gpusort_internal.array_top_n("array" anyarray, n integer) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_top_n($1, $2::bigint) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_top_n("array" anyarray, n integer, descending boolean) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_top_n($1, $2::bigint, $3) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_top_n_by(vals anyarray, keys anycompatiblearray, n integer) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3::bigint) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_top_n_by(vals anyarray, keys anycompatiblearray, n integer, descending boolean) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3::bigint, $4) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_top_n_by(vals anyarray, keys anycompatiblearray, n integer, descending boolean, nulls_first boolean) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3::bigint, $4, $5) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_sort_approx("array" anyarray, buckets integer) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_sort_approx($1, $2::bigint) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_sort_approx("array" anyarray, buckets integer, descending boolean) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_sort_approx($1, $2::bigint, $3) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_sort_approx_within("array" anyarray, max_displacement integer) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_sort_approx_within($1, $2::bigint) $$;
CREATE OR REPLACE FUNCTION gpusort_internal.array_sort_approx_within("array" anyarray, max_displacement integer, descending boolean) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_sort_approx_within($1, $2::bigint, $3) $$;

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

/* Percentiles: ordered-set aggregates, and plain ones that can run in parallel. */

CREATE FUNCTION gpusort_internal.values_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_values_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, anyelement, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, anyelement, float8[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpusort_internal.percentile_cont_final(internal, float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_final(internal, float8, interval) RETURNS interval
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_final(internal, float8[], float8) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_final(internal, float8[], interval) RETURNS interval[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_disc_final(internal, float8, anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_disc_final(internal, float8[], anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_agg_final(internal, float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_agg_final(internal, interval, float8) RETURNS interval
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_agg_final(internal, float8, float8[]) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_agg_final(internal, interval, float8[]) RETURNS interval[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_disc_agg_final(internal, anyelement, float8) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_disc_agg_final(internal, anyelement, float8[]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.median_final(internal, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_median_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.median_final(internal, interval) RETURNS interval
	AS 'MODULE_PATHNAME', 'gpusort_median_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpusort.percentile_cont(fraction float8 ORDER BY x float8) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8 ORDER BY float8) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont(fraction float8 ORDER BY x interval) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8 ORDER BY interval) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont(fractions float8[] ORDER BY x float8) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8[] ORDER BY float8) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_cont(fractions float8[] ORDER BY x interval) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8[] ORDER BY interval) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_disc(fraction float8 ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc(float8 ORDER BY anyelement) IS 'the percentile at the given fraction, a value of the set';
CREATE AGGREGATE gpusort.percentile_disc(fractions float8[] ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc(float8[] ORDER BY anyelement) IS 'the percentiles at the given fractions, values of the set';

CREATE AGGREGATE gpusort.median(x float8) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.median_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.median(float8) IS 'the median, interpolated';
CREATE AGGREGATE gpusort.median(x interval) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.median_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.median(interval) IS 'the median, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(x float8, fraction float8) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(float8, float8) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(x interval, fraction float8) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(interval, float8) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(x float8, fractions float8[]) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(float8, float8[]) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(x interval, fractions float8[]) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(interval, float8[]) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_disc_agg(x anyelement, fraction float8) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc_agg(anyelement, float8) IS 'the percentile at the given fraction, a value of the set';
CREATE AGGREGATE gpusort.percentile_disc_agg(x anyelement, fractions float8[]) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc_agg(anyelement, float8[]) IS 'the percentiles at the given fractions, values of the set';

/* Aggregates of values: the most frequent, how many differ, how many in each interval; and the first n by a key. */

CREATE FUNCTION gpusort_internal.mode_agg_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_mode_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.count_distinct_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_count_distinct_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.histogram_agg_transition(internal, anyelement, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_histogram_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpusort_internal.mode_final(internal, anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_mode_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.mode_agg_final(internal, anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_mode_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.count_distinct_final(internal, anyelement) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_count_distinct_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.histogram_agg_final(internal, anyelement, bigint) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpusort_histogram_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpusort.mode(ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.mode_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.mode(ORDER BY anyelement) IS 'the most frequent value, of several the first';
CREATE AGGREGATE gpusort.mode_agg(x anyelement) (
	SFUNC = gpusort_internal.mode_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.mode_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.mode_agg(anyelement) IS 'the most frequent value, of several the least';
CREATE AGGREGATE gpusort.count_distinct(x anyelement) (
	SFUNC = gpusort_internal.count_distinct_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.count_distinct_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.count_distinct(anyelement) IS 'how many different values there are';
CREATE AGGREGATE gpusort.histogram_agg(x anyelement, buckets bigint) (
	SFUNC = gpusort_internal.histogram_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.histogram_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.histogram_agg(anyelement, bigint) IS 'how many values each of so many intervals of equal width has';
CREATE AGGREGATE gpusort.top_n_agg_by(x anyelement, key anycompatible, n bigint) (
	SFUNC = gpusort_internal.top_n_agg_by_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.top_n_agg_by(anyelement, anycompatible, bigint) IS 'values of the n greatest keys, greatest first';
CREATE AGGREGATE gpusort.top_n_agg_by(x anyelement, key anycompatible, n bigint, descending boolean) (
	SFUNC = gpusort_internal.top_n_agg_by_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.top_n_agg_by(anyelement, anycompatible, bigint, boolean) IS 'values of the n greatest keys, or of the n least, in order';
CREATE AGGREGATE gpusort.top_n_agg_by(x anyelement, key anycompatible, n bigint, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.top_n_agg_by_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.top_n_agg_by(anyelement, anycompatible, bigint, boolean, boolean) IS 'values of the n greatest keys, or of the n least, in order';

CREATE AGGREGATE gpusort_replace.percentile_cont(fraction float8 ORDER BY x float8) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_cont(float8 ORDER BY float8) IS 'gpusort.percentile_cont in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.percentile_cont(fraction float8 ORDER BY x interval) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_cont(float8 ORDER BY interval) IS 'gpusort.percentile_cont in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.percentile_cont(fractions float8[] ORDER BY x float8) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_cont(float8[] ORDER BY float8) IS 'gpusort.percentile_cont in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.percentile_cont(fractions float8[] ORDER BY x interval) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_cont(float8[] ORDER BY interval) IS 'gpusort.percentile_cont in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.percentile_disc(fraction float8 ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_disc(float8 ORDER BY anyelement) IS 'gpusort.percentile_disc in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.percentile_disc(fractions float8[] ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.percentile_disc(float8[] ORDER BY anyelement) IS 'gpusort.percentile_disc in the place of the built-in aggregate';
CREATE AGGREGATE gpusort_replace.mode(ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.mode_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_replace.mode(ORDER BY anyelement) IS 'gpusort.mode in the place of the built-in aggregate';

/* Statistics of one array, and functions over arrays that are sorted. */

CREATE FUNCTION gpusort.array_median("array" int2[]) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_median(int2[]) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_median("array" int4[]) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_median(int4[]) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_median("array" int8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_median(int8[]) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_median("array" float4[]) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_median(float4[]) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_median("array" float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_median(float8[]) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_median("array" interval[]) RETURNS interval
AS 'MODULE_PATHNAME', 'gpusort_array_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_median(interval[]) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_median("array" numeric[]) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT gpusort.array_median($1::float8[]) $$;
COMMENT ON FUNCTION gpusort.array_median(numeric[]) IS 'the median of the elements, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" int2[], fraction float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(int2[], float8) IS 'the percentile of the elements at the given fraction, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" int4[], fraction float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(int4[], float8) IS 'the percentile of the elements at the given fraction, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" int8[], fraction float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(int8[], float8) IS 'the percentile of the elements at the given fraction, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" float4[], fraction float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(float4[], float8) IS 'the percentile of the elements at the given fraction, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" float8[], fraction float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(float8[], float8) IS 'the percentile of the elements at the given fraction, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" interval[], fraction float8) RETURNS interval
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(interval[], float8) IS 'the percentile of the elements at the given fraction, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" numeric[], fraction float8) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT gpusort.array_percentile_cont($1::float8[], $2) $$;
COMMENT ON FUNCTION gpusort.array_percentile_cont(numeric[], float8) IS 'the percentile of the elements at the given fraction, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" int2[], fractions float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(int2[], float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" int4[], fractions float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(int4[], float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" int8[], fractions float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(int8[], float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" float4[], fractions float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(float4[], float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" float8[], fractions float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(float8[], float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" interval[], fractions float8[]) RETURNS interval[]
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_cont(interval[], float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_cont("array" numeric[], fractions float8[]) RETURNS float8[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT gpusort.array_percentile_cont($1::float8[], $2) $$;
COMMENT ON FUNCTION gpusort.array_percentile_cont(numeric[], float8[]) IS 'the percentiles of the elements at the given fractions, interpolated';
CREATE FUNCTION gpusort.array_percentile_disc("array" anyarray, fraction float8) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_disc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_disc(anyarray, float8) IS 'the percentile of the elements at the given fraction, which is one of them';
CREATE FUNCTION gpusort.array_percentile_disc("array" anyarray, fractions float8[]) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_percentile_disc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_percentile_disc(anyarray, float8[]) IS 'the percentiles of the elements at the given fractions, which are among them';
CREATE FUNCTION gpusort.array_mode("array" anyarray) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gpusort_array_mode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_mode(anyarray) IS 'the most frequent element, of several the least';
CREATE FUNCTION gpusort.array_rank("array" anyarray) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_rank(anyarray) IS 'the rank of each element';
CREATE FUNCTION gpusort.array_rank("array" anyarray, descending boolean) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_rank(anyarray, boolean) IS 'the rank of each element';
CREATE FUNCTION gpusort.array_rank("array" anyarray, descending boolean, nulls_first boolean) RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpusort_array_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION gpusort.array_rank(anyarray, boolean, boolean) IS 'the rank of each element';

CREATE FUNCTION gpusort.array_search_sorted("array" anycompatiblearray, v anycompatible) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_search_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_search_sorted(anycompatiblearray, anycompatible) IS 'where the value would be inserted into a sorted array, before its equals';
CREATE FUNCTION gpusort.array_search_sorted("array" anycompatiblearray, v anycompatible, after boolean) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_search_sorted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_search_sorted(anycompatiblearray, anycompatible, boolean) IS 'where the value would be inserted into a sorted array, before its equals or after them';
CREATE FUNCTION gpusort.array_nearest("array" int2[], v int2) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(int2[], int2) IS 'the position of the number of a sorted array that is nearest to the value';
CREATE FUNCTION gpusort.array_nearest("array" int2[], v int2, tolerance float8) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(int2[], int2, float8) IS 'the position of the number of a sorted array that is nearest to the value and within the tolerance';
CREATE FUNCTION gpusort.array_nearest("array" int4[], v int4) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(int4[], int4) IS 'the position of the number of a sorted array that is nearest to the value';
CREATE FUNCTION gpusort.array_nearest("array" int4[], v int4, tolerance float8) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(int4[], int4, float8) IS 'the position of the number of a sorted array that is nearest to the value and within the tolerance';
CREATE FUNCTION gpusort.array_nearest("array" int8[], v int8) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(int8[], int8) IS 'the position of the number of a sorted array that is nearest to the value';
CREATE FUNCTION gpusort.array_nearest("array" int8[], v int8, tolerance float8) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(int8[], int8, float8) IS 'the position of the number of a sorted array that is nearest to the value and within the tolerance';
CREATE FUNCTION gpusort.array_nearest("array" float4[], v float4) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(float4[], float4) IS 'the position of the number of a sorted array that is nearest to the value';
CREATE FUNCTION gpusort.array_nearest("array" float4[], v float4, tolerance float8) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(float4[], float4, float8) IS 'the position of the number of a sorted array that is nearest to the value and within the tolerance';
CREATE FUNCTION gpusort.array_nearest("array" float8[], v float8) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(float8[], float8) IS 'the position of the number of a sorted array that is nearest to the value';
CREATE FUNCTION gpusort.array_nearest("array" float8[], v float8, tolerance float8) RETURNS integer
AS 'MODULE_PATHNAME', 'gpusort_array_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION gpusort.array_nearest(float8[], float8, float8) IS 'the position of the number of a sorted array that is nearest to the value and within the tolerance';
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
