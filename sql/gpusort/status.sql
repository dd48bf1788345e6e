/* What the engines do: devices, counters, running sorts. */

CREATE FUNCTION gpusort_internal.devices_rows(OUT device int4, OUT name text, OUT state text, OUT module text, OUT driver text,
    OUT worker_pid int4, OUT memory_bytes int8, OUT memory_limit int8, OUT memory_in_use int8, OUT memory_peak int8,
    OUT to_device_bytes_per_s float8, OUT from_device_bytes_per_s float8, OUT latency_us float8,
    OUT queued int4, OUT running int4, OUT jobs int8, OUT sorts int8, OUT copy_in_ms float8, OUT sort_ms float8, OUT verify_ms float8,
    OUT copy_out_ms float8, OUT faults int8, OUT restarts int8, OUT verification_failures int8,
    OUT last_error text, OUT last_error_at timestamptz, OUT ready_since timestamptz, OUT hint text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_devices' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW gpusort.devices AS SELECT * FROM gpusort_internal.devices_rows();
COMMENT ON VIEW gpusort.devices IS 'each device: state, memory, measured rates, time spent, faults';

CREATE FUNCTION gpusort_internal.stats_counters(OUT engine text, OUT used_for text, OUT method text, OUT jobs int8, OUT segments int8, OUT keys int8,
    OUT bytes int8, OUT time_ms float8, OUT device_sorts int8, OUT verification_failures int8, OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_stats_counters' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION gpusort_internal.stats_fallbacks(OUT used_for text, OUT method text, OUT reason text, OUT count int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_stats_fallbacks' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

-- A fallback is counted with the engine that was passed over.
CREATE VIEW gpusort.stats AS
SELECT c.engine, c.used_for, c.method, c.jobs, c.segments, c.keys, c.bytes, c.time_ms,
       c.device_sorts, coalesce(f.fallbacks, 0) AS fallbacks, f.fallback_reasons, c.verification_failures, c.stats_reset
FROM gpusort_internal.stats_counters() c
LEFT JOIN (SELECT 'gpu' AS engine, used_for, method, sum(count)::int8 AS fallbacks, pg_catalog.jsonb_object_agg(reason, count) AS fallback_reasons
           FROM gpusort_internal.stats_fallbacks() GROUP BY used_for, method) f
    ON f.engine = c.engine AND f.used_for = c.used_for AND f.method = c.method
WHERE c.jobs > 0 OR c.device_sorts > 0 OR f.fallbacks > 0 OR c.verification_failures > 0;
COMMENT ON VIEW gpusort.stats IS 'what was sorted, by engine, method and for whom, and why the GPU was passed over';

CREATE FUNCTION gpusort.stats_reset() RETURNS void
AS 'MODULE_PATHNAME', 'gpusort_stats_reset' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpusort.stats_reset() IS 'state: sets the counters of the view stats to zero';

CREATE FUNCTION gpusort_internal.jobs_rows(OUT pid int4, OUT engine text, OUT used_for text, OUT method text, OUT keys int8, OUT started_at timestamptz,
    OUT phase text, OUT done float8, OUT rows_read int8, OUT parts int8, OUT rows_returned int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_jobs' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW gpusort.jobs AS
SELECT j.pid, a.leader_pid, a.datname, a.usename, j.engine, j.used_for, j.method, j.keys, j.started_at, j.phase, j.done,
       j.rows_read, j.parts, j.rows_returned
FROM gpusort_internal.jobs_rows() j LEFT JOIN pg_catalog.pg_stat_activity a USING (pid);
COMMENT ON VIEW gpusort.jobs IS 'long sorts, each ORDER BY by the rows node, and index builds, that are running: phase, and the share of the phase that is done';

CREATE FUNCTION gpusort_internal.memory_rows(OUT pid int4, OUT in_use_bytes int8, OUT kept_bytes int8, OUT limit_bytes int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_memory' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE VIEW gpusort.memory AS
SELECT m.pid, a.leader_pid, a.datname, a.usename, m.in_use_bytes, m.kept_bytes, m.limit_bytes
FROM gpusort_internal.memory_rows() m LEFT JOIN pg_catalog.pg_stat_activity a USING (pid);
COMMENT ON VIEW gpusort.memory IS 'large memory that backends sort in, and keep for their next sort';

CREATE FUNCTION gpusort.arena(OUT slabs int4, OUT slab_bytes int8, OUT free int4, OUT held int4, OUT queued int4,
    OUT running int4, OUT ended int4, OUT lost int4, OUT waiters int4, OUT sessions int4)
AS 'MODULE_PATHNAME', 'gpusort_arena_status' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort.arena() IS 'state: slabs of the shared arena by state, and who waits for one';

CREATE FUNCTION gpusort.status(OUT item text, OUT value text) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpusort_status' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpusort.status() IS 'state: version, how the library was loaded, vector unit, GPUs, and the settings that decide what is sorted';


-- Every role sees the views; jobs_rows and memory_rows leave out other roles' processes.
REVOKE ALL ON FUNCTION gpusort.stats_reset() FROM PUBLIC;
GRANT SELECT ON gpusort.devices, gpusort.stats, gpusort.jobs, gpusort.memory TO PUBLIC;
GRANT USAGE ON SCHEMA gpusort TO PUBLIC;

COMMENT ON FUNCTION gpusort_internal.devices_rows() IS 'the rows of the view devices';
COMMENT ON FUNCTION gpusort_internal.jobs_rows() IS 'the rows of the view jobs, without what pg_stat_activity knows';
COMMENT ON FUNCTION gpusort_internal.memory_rows() IS 'the rows of the view memory, without what pg_stat_activity knows';
COMMENT ON FUNCTION gpusort_internal.stats_counters() IS 'what the view stats counts of engines and methods';
COMMENT ON FUNCTION gpusort_internal.stats_fallbacks() IS 'how often and why the GPU was passed over, for the view stats';
COMMENT ON COLUMN gpusort.devices.device IS 'number of the device, from 0';
COMMENT ON COLUMN gpusort.devices.name IS 'name of the device';
COMMENT ON COLUMN gpusort.devices.state IS 'ready, not answering, starting, restarting, backing off, unavailable or not preloaded';
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
COMMENT ON COLUMN gpusort.jobs.phase IS 'reading, sending, sorting, fetching, writing or returning';
COMMENT ON COLUMN gpusort.jobs.done IS 'share of the phase that is done, from 0 to 1';
COMMENT ON COLUMN gpusort.jobs.rows_read IS 'rows that an ORDER BY or an index build has read so far';
COMMENT ON COLUMN gpusort.jobs.parts IS 'parts of an ORDER BY in temporary files';
COMMENT ON COLUMN gpusort.jobs.rows_returned IS 'rows of an ORDER BY handed out so far';
COMMENT ON COLUMN gpusort.memory.pid IS 'process that has the memory';
COMMENT ON COLUMN gpusort.memory.leader_pid IS 'process that it works for, if it is a parallel worker';
COMMENT ON COLUMN gpusort.memory.datname IS 'database of the process';
COMMENT ON COLUMN gpusort.memory.usename IS 'user of the process';
COMMENT ON COLUMN gpusort.memory.in_use_bytes IS 'large memory in use, in bytes';
COMMENT ON COLUMN gpusort.memory.kept_bytes IS 'large memory kept for the next sort, in bytes';
COMMENT ON COLUMN gpusort.memory.limit_bytes IS 'most memory that it keeps, in bytes';
COMMENT ON SCHEMA gpusort IS 'sorting of arrays, sets and the results of queries, and views of what the engines do';
