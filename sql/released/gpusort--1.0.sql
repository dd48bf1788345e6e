/* gpusort--1.0.sql: everything lives in the schema gpusort. */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpusort" to load this file. \quit

/* Approximate order of arrays, and how far an array is from being sorted. */

CREATE FUNCTION gpusort.array_sort_approx("array" anyarray, buckets integer) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_approx("array" anyarray, buckets integer, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_sort_approx_within("array" anyarray, max_displacement integer) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION gpusort.array_sort_approx_within("array" anyarray, max_displacement integer, descending boolean) RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpusort_array_sort_approx_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE FUNCTION gpusort.array_disorder("array" anyarray, OUT max_displacement integer, OUT out_of_place integer,
	OUT mean_displacement double precision, OUT inversions bigint, OUT runs integer)
AS 'MODULE_PATHNAME', 'gpusort_array_disorder' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION gpusort.array_disorder("array" anyarray, descending boolean, OUT max_displacement integer, OUT out_of_place integer,
	OUT mean_displacement double precision, OUT inversions bigint, OUT runs integer)
AS 'MODULE_PATHNAME', 'gpusort_array_disorder' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
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
/* Aggregates that return sorted arrays, and functions that return ordered rows. */

CREATE FUNCTION gpusort.sorted_agg_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_transition(internal, anyelement, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_by_transition(internal, anyelement, anycompatible) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.top_n_agg_transition(internal, anyelement, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.top_n_agg_transition(internal, anyelement, integer, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.approx_sorted_agg_transition(internal, anyelement, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.approx_sorted_agg_transition(internal, anyelement, integer, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpusort.set_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.set_agg_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort.set_agg_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION gpusort.sorted_agg_final(internal, anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_final(internal, anyelement, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_by_final(internal, anyelement, anycompatible) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_by_final(internal, anyelement, anycompatible, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.sorted_agg_by_final(internal, anyelement, anycompatible, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.top_n_agg_final(internal, anyelement, integer) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.top_n_agg_final(internal, anyelement, integer, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.approx_sorted_agg_final(internal, anyelement, integer) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.approx_sorted_agg_final(internal, anyelement, integer, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

/*
 * SSPACE = -1: the state grows with its rows.  PostgreSQL 19 aggregates below a
 * join only what has another, for the states of all groups stay in memory there.
 * A state of top_n_agg is bounded.
 */
CREATE AGGREGATE gpusort.sorted_agg(anyelement) (
	SFUNC = gpusort.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg(anyelement, boolean) (
	SFUNC = gpusort.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg_by(anyelement, anycompatible) (
	SFUNC = gpusort.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg_by(anyelement, anycompatible, boolean) (
	SFUNC = gpusort.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg_by(anyelement, anycompatible, boolean, boolean) (
	SFUNC = gpusort.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(anyelement, integer) (
	SFUNC = gpusort.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(anyelement, integer, boolean) (
	SFUNC = gpusort.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(anyelement, integer) (
	SFUNC = gpusort.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(anyelement, integer, boolean) (
	SFUNC = gpusort.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);

/* unnest_sorted: inlined by the planner, so it costs no more than unnest. */
CREATE FUNCTION gpusort.unnest_sorted(a anyarray, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a)) WITH ORDINALITY AS u(value, ord) $$;
CREATE FUNCTION gpusort.unnest_sorted(a anyarray, descending boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a, descending)) WITH ORDINALITY AS u(value, ord) $$;
CREATE FUNCTION gpusort.unnest_sorted(a anyarray, descending boolean, nulls_first boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a, descending, nulls_first)) WITH ORDINALITY AS u(value, ord) $$;

CREATE FUNCTION gpusort.order_by(query text, key text, descending boolean DEFAULT false,
						 nulls_first boolean DEFAULT NULL, buckets integer DEFAULT NULL)
	RETURNS SETOF record AS 'MODULE_PATHNAME', 'gpusort_order_by' LANGUAGE C VOLATILE;

CREATE FUNCTION gpusort.bucket(x anyelement, buckets integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.bucket(x anyelement, buckets integer, descending boolean) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
/* What the engines do: devices, counters, running sorts. */

CREATE FUNCTION devices_rows(OUT device int4, OUT name text, OUT state text, OUT module text, OUT driver text,
    OUT worker_pid int4, OUT memory_bytes int8, OUT memory_limit int8, OUT memory_in_use int8, OUT memory_peak int8,
    OUT to_device_bytes_per_s float8, OUT from_device_bytes_per_s float8, OUT latency_us float8,
    OUT queued int4, OUT running int4, OUT jobs int8, OUT sorts int8, OUT copy_in_ms float8, OUT sort_ms float8, OUT verify_ms float8,
    OUT copy_out_ms float8, OUT faults int8, OUT restarts int8, OUT verification_failures int8,
    OUT last_error text, OUT last_error_at timestamptz, OUT ready_since timestamptz, OUT hint text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_devices' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW devices AS SELECT * FROM devices_rows();
COMMENT ON VIEW devices IS 'each device: state, memory, measured rates, time spent, faults';

CREATE FUNCTION stats_counters(OUT engine text, OUT used_for text, OUT method text, OUT jobs int8, OUT segments int8, OUT keys int8,
    OUT bytes int8, OUT time_ms float8, OUT device_sorts int8, OUT verification_failures int8, OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_stats_counters' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION stats_fallbacks(OUT used_for text, OUT method text, OUT reason text, OUT count int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_stats_fallbacks' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

-- A fallback is counted with the engine that was passed over.
CREATE VIEW stats AS
SELECT c.engine, c.used_for, c.method, c.jobs, c.segments, c.keys, c.bytes, c.time_ms,
       c.device_sorts, coalesce(f.fallbacks, 0) AS fallbacks, f.fallback_reasons, c.verification_failures, c.stats_reset
FROM stats_counters() c
LEFT JOIN (SELECT 'gpu' AS engine, used_for, method, sum(count)::int8 AS fallbacks, jsonb_object_agg(reason, count) AS fallback_reasons
           FROM stats_fallbacks() GROUP BY used_for, method) f
    ON f.engine = c.engine AND f.used_for = c.used_for AND f.method = c.method
WHERE c.jobs > 0 OR c.device_sorts > 0 OR f.fallbacks > 0 OR c.verification_failures > 0;
COMMENT ON VIEW stats IS 'what was sorted, by engine, method and for whom, and why the GPU was passed over';

CREATE FUNCTION stats_reset() RETURNS void
AS 'MODULE_PATHNAME', 'gpusort_stats_reset' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION stats_reset() IS 'sets the counters of the view stats to zero';

CREATE FUNCTION jobs_rows(OUT pid int4, OUT engine text, OUT used_for text, OUT method text, OUT keys int8, OUT started_at timestamptz,
    OUT phase text, OUT done float8, OUT rows_read int8, OUT runs_written int8, OUT rows_returned int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_jobs' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW jobs AS
SELECT j.pid, a.leader_pid, a.datname, a.usename, j.engine, j.used_for, j.method, j.keys, j.started_at, j.phase, j.done,
       j.rows_read, j.runs_written, j.rows_returned
FROM jobs_rows() j LEFT JOIN pg_stat_activity a USING (pid);
COMMENT ON VIEW jobs IS 'long sorts, and each ORDER BY by the rows node, that are running: phase, and the share of the phase that is done';

CREATE FUNCTION memory_rows(OUT pid int4, OUT in_use_bytes int8, OUT kept_bytes int8, OUT limit_bytes int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_memory' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE VIEW memory AS
SELECT m.pid, a.leader_pid, a.datname, a.usename, m.in_use_bytes, m.kept_bytes, m.limit_bytes
FROM memory_rows() m LEFT JOIN pg_stat_activity a USING (pid);
COMMENT ON VIEW memory IS 'large memory that backends sort in, and keep for their next sort';

CREATE FUNCTION arena(OUT slabs int4, OUT slab_bytes int8, OUT free int4, OUT held int4, OUT queued int4,
    OUT running int4, OUT ended int4, OUT lost int4, OUT waiters int4, OUT sessions int4)
AS 'MODULE_PATHNAME', 'gpusort_arena_status' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION arena() IS 'slabs of the shared arena by state, and who waits for one';

CREATE FUNCTION methods(OUT method text, OUT engine text, OUT key_type text, OUT keys bool, OUT pairs bool,
    OUT top_n bool, OUT approximate bool, OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_methods' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION methods() IS 'what each method can sort, and on which engine';

REVOKE ALL ON FUNCTION devices_rows(), stats_counters(), stats_fallbacks(), stats_reset(), jobs_rows(), memory_rows(), arena() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION devices_rows(), stats_counters(), stats_fallbacks(), jobs_rows(), memory_rows(), arena() TO pg_monitor;
GRANT SELECT ON devices, stats, jobs, memory TO pg_monitor;
GRANT USAGE ON SCHEMA gpusort TO PUBLIC;
