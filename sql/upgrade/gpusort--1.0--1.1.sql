/*
 * gpusort--1.0--1.1.sql: makes of the objects of 1.0 just what CREATE EXTENSION makes.
 * What users have built on them stays: nothing is dropped that they can depend on.
 * Here they are moved to their schemas.  sql/since adds what is new or replaced.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpusort UPDATE TO '1.1'" to load this file. \quit

-- Names without a schema are PostgreSQL's own, whatever lies in the schema already.
SET LOCAL search_path = pg_catalog, pg_temp;

-- The schema becomes the extension's, which is in another one's then.
DELETE FROM pg_depend WHERE classid = 'pg_extension'::regclass AND objid = (SELECT oid FROM pg_extension WHERE extname = 'gpusort')
    AND refclassid = 'pg_namespace'::regclass;
UPDATE pg_extension SET extnamespace = 'pg_catalog'::regnamespace WHERE extname = 'gpusort';
ALTER EXTENSION gpusort ADD SCHEMA gpusort;

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
