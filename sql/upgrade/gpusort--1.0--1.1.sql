/*
 * gpusort--1.0--1.1.sql: makes of the objects of 1.0 just what CREATE EXTENSION makes.
 * What users have built on them stays: nothing is dropped that they can depend on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpusort UPDATE TO '1.1'" to load this file. \quit

-- Names without a schema are PostgreSQL's own, whatever lies in the schema already.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA gpusort_internal;
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
