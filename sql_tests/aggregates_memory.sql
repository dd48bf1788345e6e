-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- Percentiles, mode and count(DISTINCT) beyond work_mem: the values of a group go to temporary
-- files, and results are as in memory.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE SCHEMA spilled;
SET search_path = spilled;
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
SET enable_hashagg = off;

CREATE TABLE many AS SELECT i AS id, i % 3 AS g, i * 7919::bigint % 30011 AS x, CASE i % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' WHEN 2 THEN '-0' ELSE sin(i) END::float8 AS f,
	(i % 1009)::int2 AS few, nullif('t' || i * 31 % 20011, 't7') AS t, i % 5003 * interval '1 minute' AS v, (i * 31 % 10007)::numeric / 7 AS n
FROM generate_series(1, 60000) i;
ANALYZE many;

SELECT call, bool_and(pg_temp.outcome_within(query, '64kB') = pg_temp.outcome_within(query, '64MB')) AS same, count(*)
FROM unnest('{"percentile_disc(0.3) WITHIN GROUP (ORDER BY %s)","percentile_disc(''{0.9,0,NULL,1,0.5}''::float8[]) WITHIN GROUP (ORDER BY %s DESC)","mode() WITHIN GROUP (ORDER BY %s)",
		"mode() WITHIN GROUP (ORDER BY %s DESC)","count_distinct(%s)","mode_agg(%s)","percentile_disc_agg(%s, 0.7)"}'::text[]) call,
	unnest('{x,f,few,t COLLATE \"C\",v,n,g}'::text[]) value, unnest('{"","GROUP BY g"}'::text[]) groups,
	LATERAL (SELECT format('SELECT gpusort.%s FROM many %s', format(call, value), groups) AS query) q
GROUP BY call ORDER BY call COLLATE "C";
SELECT call, bool_and(pg_temp.outcome_within(query, '64kB') = pg_temp.outcome_within(query, '64MB')) AS same, count(*)
FROM unnest('{"percentile_cont(0.3) WITHIN GROUP (ORDER BY %s)","percentile_cont(''{{0.9,0},{NULL,1}}''::float8[]) WITHIN GROUP (ORDER BY %s DESC)","median(%s)",
		"percentile_cont_agg(%s, ''{0.1,0.7}''::float8[])"}'::text[]) call,
	unnest('{x::float8,f,v}'::text[]) value, unnest('{"","GROUP BY g"}'::text[]) groups,
	LATERAL (SELECT format('SELECT gpusort.%s FROM many %s', format(call, value), groups) AS query) q
GROUP BY call ORDER BY call COLLATE "C";
-- The same as PostgreSQL's own; several of one set share a state.
SELECT query, pg_temp.outcome_within(query, '64kB') = pg_temp.outcome_within(replace(query, 'gpusort.', 'pg_catalog.'), '64MB') AS same
FROM (VALUES
	('SELECT gpusort.percentile_disc(0.1) WITHIN GROUP (ORDER BY x), gpusort.percentile_disc(0.9) WITHIN GROUP (ORDER BY x), gpusort.mode() WITHIN GROUP (ORDER BY x) FROM many'),
	('SELECT g, gpusort.percentile_cont(0.1) WITHIN GROUP (ORDER BY f), gpusort.percentile_cont(''{0.2,0.9}''::float8[]) WITHIN GROUP (ORDER BY f) FROM many GROUP BY g'),
	('SELECT gpusort.percentile_cont(0.1) WITHIN GROUP (ORDER BY v) FILTER (WHERE g > 0), gpusort.mode() WITHIN GROUP (ORDER BY t COLLATE "C") FROM many')) q(query);
SELECT bool_and(pg_temp.outcome_within(query, '64kB') = pg_temp.outcome_within(replace(query, 'DISTINCT', ''), '64MB')) AS same
FROM unnest('{x,f,few,v,n}'::text[]) value, LATERAL (SELECT format('SELECT g, count(DISTINCT %s) FROM (SELECT g, %1$s FROM many GROUP BY g, %1$s) q GROUP BY g', value) AS query) q;

-- Whether there are temporary files: as soon as the values exceed work_mem, and not before.
SELECT memory, query, pg_temp.temporary_files(query, memory) FROM unnest('{64kB,64MB}'::text[]) memory, unnest('{"SELECT gpusort.median(f) FROM many","SELECT gpusort.count_distinct(x) FROM many",
	"SELECT gpusort.count_distinct(few) FROM many","SELECT gpusort.mode_agg(t COLLATE \"C\") FROM many","SELECT gpusort.percentile_disc(0.5) WITHIN GROUP (ORDER BY few) FROM many"}'::text[]) query
ORDER BY memory COLLATE "C" DESC, query COLLATE "C";

-- A hash table of groups that spills: results as of sorted groups in memory.
SET enable_hashagg = on;
SET enable_sort = off;
SET hash_mem_multiplier = 1;
SET gpusort.enable_sort = off;
CREATE FUNCTION batches(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
	PERFORM set_config('work_mem', '64kB', true);
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || query INTO plan;
	RETURN plan #> '{0,Plan,HashAgg Batches}';
END $$;
CREATE FUNCTION outcome_sorted(query text) RETURNS text LANGUAGE sql SET enable_hashagg = off SET enable_sort = on SET gpusort.enable_sort = on AS $$ SELECT pg_temp.outcome_within(query, '64MB') $$;
SELECT call, batches(query) > 1 AS spills, pg_temp.outcome_within(query, '64kB') = outcome_sorted(query) AS same
FROM unnest('{sorted_agg(x),sorted_agg(t),"sorted_agg_by(x, f)","top_n_agg(x, 3)","top_n_agg_by(x, id, 3)","approx_sorted_agg(x, 3)",median(f),"percentile_cont_agg(f, ''{0.1,0.7}''::float8[])",
		"percentile_disc_agg(t, 0.3)",mode_agg(x),count_distinct(few),count_distinct(t),"histogram_agg(x, 3)"}'::text[]) call,
	LATERAL (SELECT format('SELECT id %% 6007 AS h, gpusort.%s FROM many GROUP BY h', call) AS query) q
ORDER BY call COLLATE "C";

SET client_min_messages = warning;
DROP SCHEMA spilled CASCADE;
