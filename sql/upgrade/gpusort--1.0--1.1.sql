/*
 * gpusort--1.0--1.1.sql: makes of the objects of 1.0 just what CREATE EXTENSION makes.
 * What users have built on them stays: nothing is dropped that they can depend on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpusort UPDATE TO '1.1'" to load this file. \quit

-- Names without a schema are PostgreSQL's own, whatever lies in the schema already.
SET LOCAL search_path = pg_catalog, pg_temp;

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

-- The built-in unnest is called by its full name.
CREATE OR REPLACE FUNCTION gpusort.unnest_sorted(a anyarray, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM pg_catalog.unnest(gpusort.array_sort(a)) WITH ORDINALITY AS u(value, ord) $$;
CREATE OR REPLACE FUNCTION gpusort.unnest_sorted(a anyarray, descending boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM pg_catalog.unnest(gpusort.array_sort(a, descending)) WITH ORDINALITY AS u(value, ord) $$;
CREATE OR REPLACE FUNCTION gpusort.unnest_sorted(a anyarray, descending boolean, nulls_first boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM pg_catalog.unnest(gpusort.array_sort(a, descending, nulls_first)) WITH ORDINALITY AS u(value, ord) $$;

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

/* With declared types, for callers without an expression that says them: the aggregates below have these. */
CREATE FUNCTION gpusort_internal.values_transition(internal, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_values_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.values_transition(internal, interval) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_values_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, float8, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, float8, float8[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, interval, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, interval, float8[]) RETURNS internal
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
/* What every object is. */

COMMENT ON FUNCTION gpusort.array_argsort(anyarray) IS 'for each place of the sorted array, the position of its element';
COMMENT ON FUNCTION gpusort.array_argsort(anyarray, boolean) IS 'for each place of the sorted array, the position of its element';
COMMENT ON FUNCTION gpusort.array_argsort(anyarray, boolean, boolean) IS 'for each place of the sorted array, the position of its element';
COMMENT ON FUNCTION gpusort.array_is_sorted(anyarray) IS 'whether the array is in order';
COMMENT ON FUNCTION gpusort.array_is_sorted(anyarray, boolean) IS 'whether the array is in order';
COMMENT ON FUNCTION gpusort.array_is_sorted(anyarray, boolean, boolean) IS 'whether the array is in order';
COMMENT ON FUNCTION gpusort.array_sort(anyarray) IS 'the array in order';
COMMENT ON FUNCTION gpusort.array_sort(anyarray, boolean) IS 'the array in order';
COMMENT ON FUNCTION gpusort.array_sort(anyarray, boolean, boolean) IS 'the array in order';
COMMENT ON FUNCTION gpusort.array_sort_by(anyarray, anycompatiblearray) IS 'the values in the order of their keys';
COMMENT ON FUNCTION gpusort.array_sort_by(anyarray, anycompatiblearray, boolean) IS 'the values in the order of their keys';
COMMENT ON FUNCTION gpusort.array_sort_by(anyarray, anycompatiblearray, boolean, boolean) IS 'the values in the order of their keys';
COMMENT ON FUNCTION gpusort.array_sort_distinct(anyarray) IS 'the array in order, each value once';
COMMENT ON FUNCTION gpusort.array_sort_distinct(anyarray, boolean) IS 'the array in order, each value once';
COMMENT ON FUNCTION gpusort.array_sort_distinct(anyarray, boolean, boolean) IS 'the array in order, each value once';
COMMENT ON FUNCTION gpusort.array_sort_pair(anyarray, anycompatiblearray) IS 'values and keys, both in the order of the keys';
COMMENT ON FUNCTION gpusort.array_sort_pair(anyarray, anycompatiblearray, boolean) IS 'values and keys, both in the order of the keys';
COMMENT ON FUNCTION gpusort.array_sort_pair(anyarray, anycompatiblearray, boolean, boolean) IS 'values and keys, both in the order of the keys';
COMMENT ON FUNCTION gpusort.array_take(anyarray, integer[]) IS 'the elements at the given positions';
COMMENT ON FUNCTION gpusort.array_top_n(anyarray, bigint) IS 'the n greatest elements in order, or the n least';
COMMENT ON FUNCTION gpusort.array_top_n(anyarray, bigint, boolean) IS 'the n greatest elements in order, or the n least';
COMMENT ON FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, bigint) IS 'the values of the n greatest keys, or of the n least';
COMMENT ON FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, bigint, boolean) IS 'the values of the n greatest keys, or of the n least';
COMMENT ON FUNCTION gpusort.array_top_n_by(anyarray, anycompatiblearray, bigint, boolean, boolean) IS 'the values of the n greatest keys, or of the n least';
COMMENT ON FUNCTION gpusort.array_disorder(anyarray) IS 'how far the array is from being in order';
COMMENT ON FUNCTION gpusort.array_disorder(anyarray, boolean) IS 'how far the array is from being in order';
COMMENT ON FUNCTION gpusort.array_disorder(anyarray, boolean, boolean) IS 'how far the array is from being in order';
COMMENT ON FUNCTION gpusort.array_sort_approx(anyarray, bigint) IS 'the array in approximate order, by intervals of equal width';
COMMENT ON FUNCTION gpusort.array_sort_approx(anyarray, bigint, boolean) IS 'the array in approximate order, by intervals of equal width';
COMMENT ON FUNCTION gpusort.array_sort_approx(anyarray, bigint, boolean, boolean) IS 'the array in approximate order, by intervals of equal width';
COMMENT ON FUNCTION gpusort.array_sort_approx_within(anyarray, bigint) IS 'the array in approximate order, no element further than the bound from its sorted place';
COMMENT ON FUNCTION gpusort.array_sort_approx_within(anyarray, bigint, boolean) IS 'the array in approximate order, no element further than the bound from its sorted place';
COMMENT ON FUNCTION gpusort.array_sort_approx_within(anyarray, bigint, boolean, boolean) IS 'the array in approximate order, no element further than the bound from its sorted place';
COMMENT ON AGGREGATE gpusort.approx_sorted_agg(anyelement, bigint) IS 'the values as an array in approximate order, by intervals of equal width';
COMMENT ON AGGREGATE gpusort.approx_sorted_agg(anyelement, bigint, boolean) IS 'the values as an array in approximate order, by intervals of equal width';
COMMENT ON AGGREGATE gpusort.approx_sorted_agg(anyelement, bigint, boolean, boolean) IS 'the values as an array in approximate order, by intervals of equal width';
COMMENT ON AGGREGATE gpusort.sorted_agg(anyelement) IS 'the values as an array in order';
COMMENT ON AGGREGATE gpusort.sorted_agg(anyelement, boolean) IS 'the values as an array in order';
COMMENT ON AGGREGATE gpusort.sorted_agg(anyelement, boolean, boolean) IS 'the values as an array in order';
COMMENT ON AGGREGATE gpusort.sorted_agg_by(anyelement, anycompatible) IS 'the values as an array in the order of their keys';
COMMENT ON AGGREGATE gpusort.sorted_agg_by(anyelement, anycompatible, boolean) IS 'the values as an array in the order of their keys';
COMMENT ON AGGREGATE gpusort.sorted_agg_by(anyelement, anycompatible, boolean, boolean) IS 'the values as an array in the order of their keys';
COMMENT ON AGGREGATE gpusort.top_n_agg(anyelement, bigint) IS 'the n greatest values as an array in order, or the n least';
COMMENT ON AGGREGATE gpusort.top_n_agg(anyelement, bigint, boolean) IS 'the n greatest values as an array in order, or the n least';
COMMENT ON AGGREGATE gpusort.top_n_agg(anyelement, bigint, boolean, boolean) IS 'the n greatest values as an array in order, or the n least';
COMMENT ON FUNCTION gpusort.bucket(anyelement, bigint) IS 'the interval that each row falls in when the range of the partition is cut into intervals of equal width';
COMMENT ON FUNCTION gpusort.bucket(anyelement, bigint, boolean) IS 'the interval that each row falls in when the range of the partition is cut into intervals of equal width';
COMMENT ON FUNCTION gpusort.order_by(text, text, boolean, boolean, bigint) IS 'the rows of a query in the order of its columns';
COMMENT ON FUNCTION gpusort.unnest_sorted(anyarray) IS 'the elements as rows in order, each with its place';
COMMENT ON FUNCTION gpusort.unnest_sorted(anyarray, boolean) IS 'the elements as rows in order, each with its place';
COMMENT ON FUNCTION gpusort.unnest_sorted(anyarray, boolean, boolean) IS 'the elements as rows in order, each with its place';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint) IS 'makes the result of a state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint, boolean) IS 'makes the result of a state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint, boolean, boolean) IS 'makes the result of a state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint) IS 'adds a row to the state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint, boolean) IS 'adds a row to the state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint, boolean, boolean) IS 'adds a row to the state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.set_agg_combine(internal, internal) IS 'adds one state of an aggregate to another';
COMMENT ON FUNCTION gpusort_internal.set_agg_deserialize(bytea, internal) IS 'reads a state of an aggregate from bytes';
COMMENT ON FUNCTION gpusort_internal.set_agg_serialize(internal) IS 'writes a state of an aggregate as bytes';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible) IS 'makes the result of a state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible, boolean) IS 'makes the result of a state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible, boolean, boolean) IS 'makes the result of a state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible) IS 'adds a row to the state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean) IS 'adds a row to the state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean, boolean) IS 'adds a row to the state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement) IS 'makes the result of a state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement, boolean) IS 'makes the result of a state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement, boolean, boolean) IS 'makes the result of a state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement) IS 'adds a row to the state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement, boolean) IS 'adds a row to the state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement, boolean, boolean) IS 'adds a row to the state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint) IS 'makes the result of a state of top_n_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint, boolean) IS 'makes the result of a state of top_n_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint, boolean, boolean) IS 'makes the result of a state of top_n_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint) IS 'adds a row to the state of top_n_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint, boolean) IS 'adds a row to the state of top_n_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint, boolean, boolean) IS 'adds a row to the state of top_n_agg';
COMMENT ON FUNCTION gpusort_internal.median_final(internal, float8) IS 'makes the result of a state of median';
COMMENT ON FUNCTION gpusort_internal.median_final(internal, interval) IS 'makes the result of a state of median';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_agg_final(internal, float8, float8) IS 'makes the result of a state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_agg_final(internal, float8, float8[]) IS 'makes the result of a state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_agg_final(internal, interval, float8) IS 'makes the result of a state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_agg_final(internal, interval, float8[]) IS 'makes the result of a state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_final(internal, float8, float8) IS 'makes the result of a state of percentile_cont';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_final(internal, float8, interval) IS 'makes the result of a state of percentile_cont';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_final(internal, float8[], float8) IS 'makes the result of a state of percentile_cont';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_final(internal, float8[], interval) IS 'makes the result of a state of percentile_cont';
COMMENT ON FUNCTION gpusort_internal.percentile_disc_agg_final(internal, anyelement, float8) IS 'makes the result of a state of percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_disc_agg_final(internal, anyelement, float8[]) IS 'makes the result of a state of percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_disc_final(internal, float8, anyelement) IS 'makes the result of a state of percentile_disc';
COMMENT ON FUNCTION gpusort_internal.percentile_disc_final(internal, float8[], anyelement) IS 'makes the result of a state of percentile_disc';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, anyelement, float8) IS 'adds a row to the state of percentile_cont_agg or percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, anyelement, float8[]) IS 'adds a row to the state of percentile_cont_agg or percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.values_transition(internal, anyelement) IS 'adds a row to the state of median, mode, percentile_cont or percentile_disc';
COMMENT ON FUNCTION gpusort_internal.devices_rows() IS 'the rows of the view devices';
COMMENT ON FUNCTION gpusort_internal.jobs_rows() IS 'the rows of the view jobs, without what pg_stat_activity knows';
COMMENT ON FUNCTION gpusort_internal.memory_rows() IS 'the rows of the view memory, without what pg_stat_activity knows';
COMMENT ON FUNCTION gpusort_internal.stats_counters() IS 'what the view stats counts of engines and methods';
COMMENT ON FUNCTION gpusort_internal.stats_fallbacks() IS 'how often and why the GPU was passed over, for the view stats';
COMMENT ON COLUMN gpusort.devices.device IS 'number of the device, from 0';
COMMENT ON COLUMN gpusort.devices.name IS 'name of the device';
COMMENT ON COLUMN gpusort.devices.state IS 'ready, starting, restarting, backing off, unavailable or not preloaded';
COMMENT ON COLUMN gpusort.devices.module IS 'library that drives the device';
COMMENT ON COLUMN gpusort.devices.driver IS 'version of the driver';
COMMENT ON COLUMN gpusort.devices.worker_pid IS 'process of the worker that owns the device';
COMMENT ON COLUMN gpusort.devices.memory_bytes IS 'memory of the device, in bytes';
COMMENT ON COLUMN gpusort.devices.memory_limit IS 'most memory that jobs and sessions may have at a time, in bytes';
COMMENT ON COLUMN gpusort.devices.memory_in_use IS 'memory that jobs and sessions have now, in bytes';
COMMENT ON COLUMN gpusort.devices.memory_peak IS 'most memory that jobs and sessions have had at a time, in bytes';
COMMENT ON COLUMN gpusort.devices.to_device_bytes_per_s IS 'measured rate of copies to the device, in bytes a second';
COMMENT ON COLUMN gpusort.devices.from_device_bytes_per_s IS 'measured rate of copies from the device, in bytes a second';
COMMENT ON COLUMN gpusort.devices.latency_us IS 'measured time of a job without data, in microseconds';
COMMENT ON COLUMN gpusort.devices.queued IS 'jobs that wait for the device';
COMMENT ON COLUMN gpusort.devices.running IS 'jobs that the device does now';
COMMENT ON COLUMN gpusort.devices.jobs IS 'jobs that the device has ended';
COMMENT ON COLUMN gpusort.devices.sorts IS 'those of them that sort';
COMMENT ON COLUMN gpusort.devices.copy_in_ms IS 'time of copies to the device, in milliseconds';
COMMENT ON COLUMN gpusort.devices.sort_ms IS 'time of sorting on the device, in milliseconds';
COMMENT ON COLUMN gpusort.devices.verify_ms IS 'time that checking results added, in milliseconds';
COMMENT ON COLUMN gpusort.devices.copy_out_ms IS 'time of copies from the device, in milliseconds';
COMMENT ON COLUMN gpusort.devices.faults IS 'how often the device or its driver has failed';
COMMENT ON COLUMN gpusort.devices.restarts IS 'how often the worker has started again';
COMMENT ON COLUMN gpusort.devices.verification_failures IS 'results that were found wrong and thrown away';
COMMENT ON COLUMN gpusort.devices.last_error IS 'message of the last fault';
COMMENT ON COLUMN gpusort.devices.last_error_at IS 'time of the last fault';
COMMENT ON COLUMN gpusort.devices.ready_since IS 'time at which the device became ready';
COMMENT ON COLUMN gpusort.devices.hint IS 'what to do where there is no device';
COMMENT ON COLUMN gpusort.stats.engine IS 'cpu or gpu';
COMMENT ON COLUMN gpusort.stats.used_for IS 'who sorted: functions, aggregates, arrays (the node for the arrays of many rows) or rows (the node in the place of Sort)';
COMMENT ON COLUMN gpusort.stats.method IS 'algorithm that sorted';
COMMENT ON COLUMN gpusort.stats.jobs IS 'whole sorts';
COMMENT ON COLUMN gpusort.stats.segments IS 'sets of keys that were each sorted by themselves';
COMMENT ON COLUMN gpusort.stats.keys IS 'keys sorted';
COMMENT ON COLUMN gpusort.stats.bytes IS 'size of the keys and of what moved with them, in bytes';
COMMENT ON COLUMN gpusort.stats.time_ms IS 'time from begin to end of the sorts, in milliseconds';
COMMENT ON COLUMN gpusort.stats.device_sorts IS 'sorts that devices ended, of which a job may take several';
COMMENT ON COLUMN gpusort.stats.fallbacks IS 'sorts by the CPU although a GPU was wanted';
COMMENT ON COLUMN gpusort.stats.fallback_reasons IS 'how often for which reason';
COMMENT ON COLUMN gpusort.stats.verification_failures IS 'results of devices that were found wrong and thrown away';
COMMENT ON COLUMN gpusort.stats.stats_reset IS 'time since which is counted';
COMMENT ON COLUMN gpusort.jobs.pid IS 'process that sorts';
COMMENT ON COLUMN gpusort.jobs.leader_pid IS 'process that it works for, if it is a parallel worker';
COMMENT ON COLUMN gpusort.jobs.datname IS 'database of the process';
COMMENT ON COLUMN gpusort.jobs.usename IS 'user of the process';
COMMENT ON COLUMN gpusort.jobs.engine IS 'cpu or gpu, of an ORDER BY once it has sorted';
COMMENT ON COLUMN gpusort.jobs.used_for IS 'who sorts: functions, aggregates, arrays or rows, as in stats';
COMMENT ON COLUMN gpusort.jobs.method IS 'algorithm that sorts';
COMMENT ON COLUMN gpusort.jobs.keys IS 'values to sort, of an ORDER BY the rows expected until all are read';
COMMENT ON COLUMN gpusort.jobs.started_at IS 'time at which the sort began';
COMMENT ON COLUMN gpusort.jobs.phase IS 'reading, sending, sorting, fetching, writing, merging or returning';
COMMENT ON COLUMN gpusort.jobs.done IS 'share of the phase that is done, from 0 to 1';
COMMENT ON COLUMN gpusort.jobs.rows_read IS 'rows of an ORDER BY read so far';
COMMENT ON COLUMN gpusort.jobs.runs_written IS 'sorted runs of an ORDER BY written to temporary files';
COMMENT ON COLUMN gpusort.jobs.rows_returned IS 'rows of an ORDER BY handed out so far';
COMMENT ON COLUMN gpusort.memory.pid IS 'process that has the memory';
COMMENT ON COLUMN gpusort.memory.leader_pid IS 'process that it works for, if it is a parallel worker';
COMMENT ON COLUMN gpusort.memory.datname IS 'database of the process';
COMMENT ON COLUMN gpusort.memory.usename IS 'user of the process';
COMMENT ON COLUMN gpusort.memory.in_use_bytes IS 'large memory in use, in bytes';
COMMENT ON COLUMN gpusort.memory.kept_bytes IS 'large memory kept for the next sort, in bytes';
COMMENT ON COLUMN gpusort.memory.limit_bytes IS 'most memory that it keeps, in bytes';
COMMENT ON SCHEMA gpusort IS 'sorting of arrays, sets and the results of queries, and views of what the engines do';
COMMENT ON AGGREGATE gpusort_internal.approx_sorted_agg(anyelement, integer) IS 'approx_sorted_agg of version 1.0, for what was built on it';
COMMENT ON AGGREGATE gpusort_internal.approx_sorted_agg(anyelement, integer, boolean) IS 'approx_sorted_agg of version 1.0, for what was built on it';
COMMENT ON AGGREGATE gpusort_internal.top_n_agg(anyelement, integer) IS 'top_n_agg of version 1.0, for what was built on it';
COMMENT ON AGGREGATE gpusort_internal.top_n_agg(anyelement, integer, boolean) IS 'top_n_agg of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, integer) IS 'makes the result of a state of approx_sorted_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, integer, boolean) IS 'makes the result of a state of approx_sorted_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, integer) IS 'adds a row to the state of approx_sorted_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, integer, boolean) IS 'adds a row to the state of approx_sorted_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.array_sort_approx(anyarray, integer) IS 'array_sort_approx of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_sort_approx(anyarray, integer, boolean) IS 'array_sort_approx of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_sort_approx_within(anyarray, integer) IS 'array_sort_approx_within of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_sort_approx_within(anyarray, integer, boolean) IS 'array_sort_approx_within of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_top_n(anyarray, integer) IS 'array_top_n of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_top_n(anyarray, integer, boolean) IS 'array_top_n of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_top_n_by(anyarray, anycompatiblearray, integer) IS 'array_top_n_by of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_top_n_by(anyarray, anycompatiblearray, integer, boolean) IS 'array_top_n_by of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_top_n_by(anyarray, anycompatiblearray, integer, boolean, boolean) IS 'array_top_n_by of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.bucket(anyelement, integer) IS 'bucket of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.bucket(anyelement, integer, boolean) IS 'bucket of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.order_by(text, text, boolean, boolean, integer) IS 'order_by of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, integer) IS 'makes the result of a state of top_n_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, integer, boolean) IS 'makes the result of a state of top_n_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, integer) IS 'adds a row to the state of top_n_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, integer, boolean) IS 'adds a row to the state of top_n_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.count_distinct_final(internal, anyelement) IS 'makes the result of a state of count_distinct';
COMMENT ON FUNCTION gpusort_internal.count_distinct_transition(internal, anyelement) IS 'adds a row to the state of count_distinct';
COMMENT ON FUNCTION gpusort_internal.histogram_agg_final(internal, anyelement, bigint) IS 'makes the result of a state of histogram_agg';
COMMENT ON FUNCTION gpusort_internal.histogram_agg_transition(internal, anyelement, bigint) IS 'adds a row to the state of histogram_agg';
COMMENT ON FUNCTION gpusort_internal.mode_agg_final(internal, anyelement) IS 'makes the result of a state of mode_agg';
COMMENT ON FUNCTION gpusort_internal.mode_agg_transition(internal, anyelement) IS 'adds a row to the state of mode_agg';
COMMENT ON FUNCTION gpusort_internal.mode_final(internal, anyelement) IS 'makes the result of a state of mode';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint) IS 'makes the result of a state of top_n_agg_by';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint, boolean) IS 'makes the result of a state of top_n_agg_by';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint, boolean, boolean) IS 'makes the result of a state of top_n_agg_by';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint) IS 'adds a row to the state of top_n_agg_by';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint, boolean) IS 'adds a row to the state of top_n_agg_by';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint, boolean, boolean) IS 'adds a row to the state of top_n_agg_by';

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
AS $$ SELECT gpusort.array_median($1::pg_catalog.float8[]) $$;
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
AS $$ SELECT gpusort.array_percentile_cont($1::pg_catalog.float8[], $2) $$;
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
AS $$ SELECT gpusort.array_percentile_cont($1::pg_catalog.float8[], $2) $$;
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

/* The type sorted_set: sets that are kept in tables, sent between servers and merged. */

CREATE TYPE gpusort.sorted_set;
CREATE FUNCTION gpusort_internal.sorted_set_in(cstring) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_in' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_out(gpusort.sorted_set) RETURNS cstring
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_out' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_recv(internal) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_recv' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_send(gpusort.sorted_set) RETURNS bytea
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_send' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE TYPE gpusort.sorted_set (
	INPUT = gpusort_internal.sorted_set_in, OUTPUT = gpusort_internal.sorted_set_out,
	RECEIVE = gpusort_internal.sorted_set_recv, SEND = gpusort_internal.sorted_set_send,
	INTERNALLENGTH = VARIABLE, STORAGE = extended);
COMMENT ON TYPE gpusort.sorted_set IS 'values of one type in order, to be kept and merged';
COMMENT ON FUNCTION gpusort_internal.sorted_set_in(cstring) IS 'reads the text of a sorted set';
COMMENT ON FUNCTION gpusort_internal.sorted_set_out(gpusort.sorted_set) IS 'writes the text of a sorted set';
COMMENT ON FUNCTION gpusort_internal.sorted_set_recv(internal) IS 'reads the binary form of a sorted set';
COMMENT ON FUNCTION gpusort_internal.sorted_set_send(gpusort.sorted_set) IS 'writes the binary form of a sorted set';

CREATE FUNCTION gpusort_internal.merge_agg_transition(internal, gpusort.sorted_set) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_merge_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_final(internal) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.merge_agg_transition(internal, gpusort.sorted_set) IS 'adds a row to the state of merge_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_set_final(internal) IS 'makes the result of a state of sorted_set_agg or merge_agg';

CREATE AGGREGATE gpusort.sorted_set_agg(x anyelement) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_set_agg(x anyelement, descending boolean) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_set_agg(x anyelement, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.merge_agg(s gpusort.sorted_set) (
	SFUNC = gpusort_internal.merge_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.merge_agg(gpusort.sorted_set) IS 'all sorted sets merged into one';
COMMENT ON AGGREGATE gpusort.sorted_set_agg(anyelement) IS 'the values as a sorted set';
COMMENT ON AGGREGATE gpusort.sorted_set_agg(anyelement, boolean) IS 'the values as a sorted set';
COMMENT ON AGGREGATE gpusort.sorted_set_agg(anyelement, boolean, boolean) IS 'the values as a sorted set';

CREATE FUNCTION gpusort.merge(a gpusort.sorted_set, b gpusort.sorted_set) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort.merge(gpusort.sorted_set, gpusort.sorted_set) IS 'two sorted sets merged into one';
CREATE FUNCTION gpusort.sorted_array(s gpusort.sorted_set, element anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_sorted_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_array(gpusort.sorted_set, anyelement) IS 'the values of a sorted set as an array; the second argument gives their type';
CREATE FUNCTION gpusort.sorted_set_count(s gpusort.sorted_set) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_count(gpusort.sorted_set) IS 'how many values a sorted set has';
CREATE FUNCTION gpusort.sorted_set_count_distinct(s gpusort.sorted_set) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_count_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_count_distinct(gpusort.sorted_set) IS 'how many different values a sorted set has';
CREATE FUNCTION gpusort.sorted_set_median(s gpusort.sorted_set) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_median' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_median(gpusort.sorted_set) IS 'the median of a sorted set, interpolated';
CREATE FUNCTION gpusort.sorted_set_percentile_cont(s gpusort.sorted_set, fraction float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_cont(gpusort.sorted_set, float8) IS 'the percentile of a sorted set at the given fraction, interpolated';
CREATE FUNCTION gpusort.sorted_set_percentile_cont(s gpusort.sorted_set, fractions float8[]) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_cont(gpusort.sorted_set, float8[]) IS 'the percentiles of a sorted set at the given fractions, interpolated';
CREATE FUNCTION gpusort.sorted_set_percentile_disc(s gpusort.sorted_set, fraction float8, element anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_disc' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_disc(gpusort.sorted_set, float8, anyelement) IS 'the percentile of a sorted set at the given fraction, a value of the set; the third argument gives its type';
CREATE FUNCTION gpusort.sorted_set_percentile_disc(s gpusort.sorted_set, fractions float8[], element anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_disc' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_disc(gpusort.sorted_set, float8[], anyelement) IS 'the percentiles of a sorted set at the given fractions, values of the set; the third argument gives their type';

COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, float8, float8) IS 'adds a row to the state of percentile_cont_agg or percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, float8, float8[]) IS 'adds a row to the state of percentile_cont_agg or percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, interval, float8) IS 'adds a row to the state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, interval, float8[]) IS 'adds a row to the state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.values_transition(internal, float8) IS 'adds a row to the state of median or percentile_cont';
COMMENT ON FUNCTION gpusort_internal.values_transition(internal, interval) IS 'adds a row to the state of median or percentile_cont';
