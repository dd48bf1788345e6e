/* What the engines do: devices, counters, running sorts. */

CREATE FUNCTION gpusort_internal.devices_rows(OUT device int4, OUT name text, OUT state text, OUT module text, OUT driver text,
    OUT worker_pid int4, OUT memory_bytes int8, OUT memory_limit int8, OUT memory_in_use int8, OUT memory_peak int8,
    OUT to_device_bytes_per_s float8, OUT from_device_bytes_per_s float8, OUT latency_us float8,
    OUT queued int4, OUT running int4, OUT jobs int8, OUT sorts int8, OUT copy_in_ms float8, OUT sort_ms float8, OUT verify_ms float8,
    OUT copy_out_ms float8, OUT faults int8, OUT restarts int8, OUT verification_failures int8,
    OUT last_error text, OUT last_error_at timestamptz, OUT ready_since timestamptz, OUT hint text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_devices' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW devices AS SELECT * FROM gpusort_internal.devices_rows();
COMMENT ON VIEW devices IS 'each device: state, memory, measured rates, time spent, faults';

CREATE FUNCTION gpusort_internal.stats_counters(OUT engine text, OUT used_for text, OUT method text, OUT jobs int8, OUT segments int8, OUT keys int8,
    OUT bytes int8, OUT time_ms float8, OUT device_sorts int8, OUT verification_failures int8, OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_stats_counters' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION gpusort_internal.stats_fallbacks(OUT used_for text, OUT method text, OUT reason text, OUT count int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_stats_fallbacks' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

-- A fallback is counted with the engine that was passed over.
CREATE VIEW stats AS
SELECT c.engine, c.used_for, c.method, c.jobs, c.segments, c.keys, c.bytes, c.time_ms,
       c.device_sorts, coalesce(f.fallbacks, 0) AS fallbacks, f.fallback_reasons, c.verification_failures, c.stats_reset
FROM gpusort_internal.stats_counters() c
LEFT JOIN (SELECT 'gpu' AS engine, used_for, method, sum(count)::int8 AS fallbacks, jsonb_object_agg(reason, count) AS fallback_reasons
           FROM gpusort_internal.stats_fallbacks() GROUP BY used_for, method) f
    ON f.engine = c.engine AND f.used_for = c.used_for AND f.method = c.method
WHERE c.jobs > 0 OR c.device_sorts > 0 OR f.fallbacks > 0 OR c.verification_failures > 0;
COMMENT ON VIEW stats IS 'what was sorted, by engine, method and for whom, and why the GPU was passed over';

CREATE FUNCTION stats_reset() RETURNS void
AS 'MODULE_PATHNAME', 'gpusort_stats_reset' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION stats_reset() IS 'sets the counters of the view stats to zero';

CREATE FUNCTION gpusort_internal.jobs_rows(OUT pid int4, OUT engine text, OUT used_for text, OUT method text, OUT keys int8, OUT started_at timestamptz,
    OUT phase text, OUT done float8, OUT rows_read int8, OUT runs_written int8, OUT rows_returned int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_jobs' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW jobs AS
SELECT j.pid, a.leader_pid, a.datname, a.usename, j.engine, j.used_for, j.method, j.keys, j.started_at, j.phase, j.done,
       j.rows_read, j.runs_written, j.rows_returned
FROM gpusort_internal.jobs_rows() j LEFT JOIN pg_stat_activity a USING (pid);
COMMENT ON VIEW jobs IS 'long sorts, and each ORDER BY by the rows node, that are running: phase, and the share of the phase that is done';

CREATE FUNCTION gpusort_internal.memory_rows(OUT pid int4, OUT in_use_bytes int8, OUT kept_bytes int8, OUT limit_bytes int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_memory' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE VIEW memory AS
SELECT m.pid, a.leader_pid, a.datname, a.usename, m.in_use_bytes, m.kept_bytes, m.limit_bytes
FROM gpusort_internal.memory_rows() m LEFT JOIN pg_stat_activity a USING (pid);
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

REVOKE ALL ON FUNCTION gpusort_internal.devices_rows(), gpusort_internal.stats_counters(), gpusort_internal.stats_fallbacks(), stats_reset(), gpusort_internal.jobs_rows(), gpusort_internal.memory_rows(), arena() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpusort_internal.devices_rows(), gpusort_internal.stats_counters(), gpusort_internal.stats_fallbacks(), gpusort_internal.jobs_rows(), gpusort_internal.memory_rows(), arena() TO pg_monitor;
GRANT SELECT ON devices, stats, jobs, memory TO pg_monitor;
GRANT USAGE ON SCHEMA gpusort TO PUBLIC;
