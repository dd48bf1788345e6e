-- Needs gpusort.engine = 'auto': sorts texts, which no GPU sorts.
-- gpusort.enable_aggregates in parallel plans, over partitions, in prepared statements and in
-- functions: every result is as without.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE SCHEMA parallel;
SET search_path = parallel;
SET gpusort.force_nodes = on;
SET compute_query_id = off;
SET jit = off;

-- How many calls that aggregates of the plan compute are those of gpusort.
CREATE FUNCTION taken(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE line text; total int := 0; computed bool := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line !~ '^ *[A-Z][A-Za-z ]+: ' THEN
			computed := line ~ 'Aggregate';
		ELSIF computed THEN
			total := total + (SELECT count(*) FROM regexp_matches(line, '\mgpusort(_internal)?\.', 'g'));
		END IF;
	END LOOP;
	RETURN total;
END $$;
CREATE FUNCTION gathers(query text) RETURNS bool LANGUAGE sql AS $$ SELECT EXISTS (SELECT FROM pg_temp.explain_lines(query, 'COSTS OFF', 'Gather')) $$;

-- A key tells all rows apart, so that there is one order.
CREATE TABLE items AS SELECT i AS id, i % 3 AS g, i % 7 AS k, i * 7919 % 2003 AS u, nullif(i * 31 % 2011, 12) AS v, nullif(i * 7919 % 509, 5) AS int4,
	CASE i WHEN 7 THEN 'NaN' WHEN 8 THEN 'Infinity' WHEN 9 THEN '-Infinity' WHEN 10 THEN NULL ELSE i * 31 % 1013 / 7.0 - 50 END::float8 AS float8,
	't' || nullif(i % 701, 3) AS t, ('v' || i % 97)::varchar(5) AS short, decode(md5((i % 599)::text), 'hex') AS bytes, md5((i % 601)::text)::uuid AS uuid
FROM generate_series(1, 2000) i;
CREATE TABLE parts (LIKE items) PARTITION BY LIST (g);
CREATE TABLE parts0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES IN (2);
INSERT INTO parts TABLE items;
ANALYZE items, parts;

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET enable_partitionwise_aggregate = on;

CREATE TABLE calls (family text, calls text);
INSERT INTO calls VALUES
	('arrays of keys', 'array_agg(int4 ORDER BY u), array_agg(float8 ORDER BY v DESC), array_agg(id ORDER BY id)'),
	('arrays of texts', 'array_agg(t ORDER BY u DESC), array_agg(bytes ORDER BY u DESC)'),
	('first elements', '(array_agg(t ORDER BY v NULLS FIRST))[1:2], (array_agg(uuid ORDER BY u))[3], (array_agg(id ORDER BY id DESC))[1]'),
	('texts', 'string_agg(t, '','' ORDER BY u), string_agg(bytes, ''\x00'' ORDER BY u)'),
	('distinct values', 'count(DISTINCT t), count(DISTINCT short), count(DISTINCT bytes), count(DISTINCT uuid), count(DISTINCT int4)'),
	('percentiles', 'percentile_cont(0.3) WITHIN GROUP (ORDER BY float8), percentile_disc(''{0.1,0.9}''::float8[]) WITHIN GROUP (ORDER BY int4 DESC), mode() WITHIN GROUP (ORDER BY int4)'),
	('filtered', 'array_agg(int4 ORDER BY u) FILTER (WHERE k > 2), count(DISTINCT t) FILTER (WHERE k < 2), mode() WITHIN GROUP (ORDER BY k) FILTER (WHERE v > 100), count(*)');
CREATE VIEW queries AS SELECT family, source, format('SELECT %s FROM %s %s', calls, source, groups) AS query
FROM calls, unnest('{items,parts}'::text[]) source,
	unnest('{"","WHERE id < 0","GROUP BY g","GROUP BY g HAVING count(DISTINCT int4) > 5 AND (array_agg(k ORDER BY u))[1] < 5","GROUP BY ROLLUP (g)","GROUP BY GROUPING SETS ((g), (k), ())"}'::text[]) groups;

-- In memory and beyond it; texts are not made by gpusort, but of rows that it sorts. Then with all that may run in a worker running in one.
SET work_mem = '4MB';
SELECT family, source, bool_or(taken > 0 AND query !~ 'HAVING') AS taken, bool_or(gathers(query)) AS gathers, bool_and(same) AS same
FROM queries, pg_temp.compare_aggregates(query) GROUP BY family, source ORDER BY family COLLATE "C", source COLLATE "C";
SET work_mem = '64kB';
SELECT bool_and(same) AS same, count(*) FROM queries, pg_temp.compare_aggregates(query) WHERE query !~ 'ROLLUP|SETS';
SELECT set_config(name, 'on', false) AS forced FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
SELECT bool_and(gathers(query)) AS gathers, bool_and(same) AS same, count(*) FROM queries, pg_temp.compare_aggregates(query) WHERE source = 'items';
SELECT set_config(name, 'off', false) AS forced FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
RESET work_mem;

-- Generic plans of a prepared statement, and of the statements of functions.
SET plan_cache_mode = force_generic_plan;
SELECT format('SELECT g, ROW(%s)::text AS list FROM parts WHERE id > $1 GROUP BY g', string_agg(calls, ', ' ORDER BY family)) AS query FROM calls \gset
SELECT format('BEGIN RETURN QUERY %s; END', :'query') AS body \gset
PREPARE prepared(int) AS :query;
SET gpusort.enable_aggregates = off;
CREATE TABLE alone AS EXECUTE prepared(100);
DEALLOCATE prepared;
PREPARE prepared(int) AS :query;
CREATE FUNCTION with_plan(int) RETURNS SETOF alone LANGUAGE plpgsql STABLE AS :'body';
CREATE FUNCTION inlined(int) RETURNS SETOF alone LANGUAGE sql STABLE AS :'query';
SET gpusort.enable_aggregates = on;
SELECT taken('EXECUTE prepared(100)') > 0 AS taken, taken('SELECT * FROM inlined(100)') > 0 AS taken_inlined;
CREATE TABLE prepared AS EXECUTE prepared(100);
SELECT count(*), (SELECT count(*) FROM (TABLE alone EXCEPT TABLE prepared) d) AS prepared, (SELECT count(*) FROM (TABLE alone EXCEPT SELECT * FROM inlined(100)) d) AS inlined,
	(SELECT count(*) FROM (TABLE alone EXCEPT SELECT * FROM with_plan(100)) d) AS with_plan, (SELECT count(*) FROM (TABLE alone EXCEPT SELECT * FROM with_plan(200)) d) AS others FROM alone;

-- Without groups the workers compute them, too, where their input are tables alone.
RESET plan_cache_mode;
RESET parallel_tuple_cost;
CREATE FUNCTION divided(query text) RETURNS bool LANGUAGE sql AS $$ SELECT EXISTS (SELECT FROM pg_temp.explain_lines(query, 'COSTS OFF', 'Partial Aggregate|Parallel Custom Scan')) AND NOT EXISTS (SELECT FROM pg_temp.explain_lines(query, 'COSTS OFF', 'GroupAggregate')) $$;
SELECT query, divided(query) AS divided, same FROM (VALUES
	('SELECT count(DISTINCT t), count(DISTINCT float8), count(DISTINCT id), count(*), sum(k), avg(int4) FILTER (WHERE k > 3), max(u), bool_and(id > 0) FROM parts'),
	('SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY float8), percentile_cont(''{0.9,0.1}''::float8[]) WITHIN GROUP (ORDER BY float8), mode() WITHIN GROUP (ORDER BY int4) FROM items'),
	('SELECT percentile_disc(0.3) WITHIN GROUP (ORDER BY int4 DESC), percentile_disc(0.3) WITHIN GROUP (ORDER BY int4), mode() WITHIN GROUP (ORDER BY int4 DESC) FROM items'),
	('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY v), count(DISTINCT v) FROM items WHERE v IS NULL'),
	('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY v), count(DISTINCT v) FROM items WHERE id = 7'),
	('SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY v) FROM items WHERE id < 0'),
	('SELECT percentile_disc(''{0.5,1.5}''::float8[]) WITHIN GROUP (ORDER BY v) FROM items'),
	('SELECT count(DISTINCT t) + 1 FROM items HAVING count(DISTINCT t) > 5 AND mode() WITHIN GROUP (ORDER BY u) > 0'),
	('SELECT count(DISTINCT t COLLATE "C"), count(DISTINCT upper(t)), count(DISTINCT round(int4 / 2.0, 1)) FROM items'),
	('SELECT id, (SELECT count(DISTINCT t) FROM items) FROM parts WHERE int4 > (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY int4) FROM items)'),
	('WITH q AS MATERIALIZED (SELECT count(DISTINCT t) AS n FROM items) SELECT * FROM q a, q b, (SELECT mode() WITHIN GROUP (ORDER BY k) FROM parts WHERE t > ''t5'') c'),
	('SELECT * FROM (SELECT k FROM items ORDER BY id LIMIT 3) a, LATERAL (SELECT count(DISTINCT t) FROM parts OFFSET 0) b'),
	-- These are not.
	('SELECT count(DISTINCT int4), sum(float8) FROM items'),
	('SELECT count(DISTINCT int4), max(t), array_agg(id ORDER BY id) FROM items'),
	('SELECT count(DISTINCT int4), sum(DISTINCT int4) FROM items'),
	('SELECT count(DISTINCT int4), rank(5) WITHIN GROUP (ORDER BY int4) FROM items'),
	('SELECT mode() WITHIN GROUP (ORDER BY (id % 10)::numeric) FROM items'),
	('SELECT count(DISTINCT int4) FROM items WHERE random() >= 0'),
	('SELECT percentile_cont((SELECT 0.5)) WITHIN GROUP (ORDER BY int4) FROM items'),
	('SELECT k, (SELECT count(DISTINCT t) FROM parts WHERE parts.k = items.k) FROM items WHERE id < 5'),
	('SELECT count(DISTINCT items.t) FROM items JOIN parts ON items.id + 0 = parts.u'),
	('SELECT g, count(DISTINCT int4) FROM items GROUP BY g')) v(query), pg_temp.compare_aggregates(query);
SELECT pg_temp.explain_lines('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), count(DISTINCT t) FROM items HAVING count(*) > 1');
SELECT line FROM pg_temp.explain_lines('SELECT count(DISTINCT t), mode() WITHIN GROUP (ORDER BY u) FROM parts WHERE g < 2', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line
	WHERE line ~ 'Aggregate|Gather';
-- The same where the planner has had rows gathered.
SET parallel_tuple_cost = 0;
SELECT pg_temp.explain_lines('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY u) FROM parts WHERE k = 3');
SELECT bool_and(divided(query)) AS divided, bool_and(same) AS same, count(*) FROM queries, pg_temp.compare_aggregates(query) WHERE query ~ '(items|parts) $' AND family = 'percentiles';
RESET parallel_tuple_cost;
-- No worker can be had; none but the leader's own part; the leader only waits.
SET max_parallel_workers = 0;
SELECT bool_and(divided(query)) AS divided, bool_and(same) AS same, count(*) FROM queries, pg_temp.compare_aggregates(query) WHERE query ~ '(items|parts) $' AND family ~ 'distinct|percentiles';
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT bool_and(divided(query)) AS divided, bool_and(same) AS same, count(*) FROM queries, pg_temp.compare_aggregates(query) WHERE query ~ '(items|parts) $' AND family ~ 'distinct|percentiles';
RESET parallel_leader_participation;
-- A cursor and a function's SELECT INTO run without workers.
BEGIN;
DECLARE c CURSOR FOR SELECT count(DISTINCT t), mode() WITHIN GROUP (ORDER BY u) FROM items;
FETCH c;
COMMIT;
CREATE FUNCTION counted(int, OUT n int8) LANGUAGE plpgsql AS $$ BEGIN SELECT count(DISTINCT t) INTO n FROM items WHERE id > $1; END $$;
SELECT counted(100), counted(1500), counted(2000);
-- Prepared statements, with values that a plan has and that it gets, and one that outlives the extension.
PREPARE median(int, float8) AS SELECT percentile_cont($2) WITHIN GROUP (ORDER BY float8), count(DISTINCT t) FROM parts WHERE id > $1;
EXECUTE median(100, 0.25);
SELECT divided('EXECUTE median(100, 0.25)');
SET plan_cache_mode = force_generic_plan;
EXECUTE median(100, 0.25);
EXECUTE median(1900, 0.5);
SELECT divided('EXECUTE median(100, 0.25)');
BEGIN;
SET LOCAL client_min_messages = warning;
DROP EXTENSION gpusort CASCADE;
EXECUTE median(1900, 0.5);
ROLLBACK;
EXECUTE median(1900, 0.5);
RESET plan_cache_mode;
-- A role that may read some rows, and through a view.
CREATE VIEW summary WITH (security_barrier) AS SELECT count(DISTINCT t) AS n, mode() WITHIN GROUP (ORDER BY k) AS k FROM items WHERE g < 2;
CREATE ROLE regress_gpusort_parallel;
GRANT USAGE ON SCHEMA parallel TO regress_gpusort_parallel;
GRANT SELECT ON items, summary TO regress_gpusort_parallel;
ALTER TABLE items ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON items USING (id < 500);
SET ROLE regress_gpusort_parallel;
SELECT query, divided(query) AS divided, same, pg_temp.outcome(query) FROM unnest('{"SELECT * FROM summary","SELECT count(DISTINCT t), mode() WITHIN GROUP (ORDER BY k) FROM items"}'::text[]) query, pg_temp.compare_aggregates(query);
RESET ROLE;
DROP OWNED BY regress_gpusort_parallel;
DROP ROLE regress_gpusort_parallel;

-- Random queries.
SELECT setseed(0.0815);
SELECT count(*), count(*) FILTER (WHERE divided(query)) > 100 AS many_divided, bool_and(same) AS same
FROM (SELECT format('SELECT %s FROM %s WHERE id %% %s <> 1 AND id < %s', string_agg(format(
		CASE (random() * 5)::int WHEN 0 THEN 'count(DISTINCT %s)' WHEN 1 THEN 'mode() WITHIN GROUP (ORDER BY %s)' WHEN 2 THEN 'percentile_cont(0.7) WITHIN GROUP (ORDER BY %s DESC)'
			WHEN 3 THEN 'percentile_disc(''{0,0.2,0.9}''::float8[]) WITHIN GROUP (ORDER BY %s) FILTER (WHERE k > 2)' WHEN 4 THEN 'max(%s) FILTER (WHERE g > 0)' ELSE 'count(DISTINCT %s) FILTER (WHERE k < 3)' END, name)
			|| ' AS ' || name, ', '), (ARRAY['items', 'parts'])[1 + (random() > 0.5)::int], 2 + (random() * 5)::int, (random() * 2500)::int) AS query
	FROM (SELECT q, name FROM generate_series(1, 150) q, unnest('{u,v,int4,k,id}'::text[]) name WHERE random() < 0.5 OR name = 'v') t GROUP BY q) r, pg_temp.compare_aggregates(query);

-- What the costs decide: workers cost something, and what is kept must fit the memory that there is.
RESET gpusort.force_nodes;
CREATE TABLE many AS SELECT i, i % 100 AS few, (i % 100)::text AS t, i::text AS u FROM generate_series(1, 30000) i;
ANALYZE many;
CREATE FUNCTION divided_with(query text, memory text, cost text DEFAULT '0', workers text DEFAULT '2') RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('work_mem', memory, true), set_config('parallel_setup_cost', cost, true), set_config('max_parallel_workers_per_gather', workers, true);
	RETURN divided(query);
END $$;
SELECT query, divided_with(query, '64kB') AS in_little_memory, divided_with(query, '4MB') AS divided, divided_with(query, '4MB', '1000') AS with_dear_workers, divided_with(query, '4MB', '0', '0') AS without
FROM unnest('{count(DISTINCT few),count(DISTINCT t),count(DISTINCT i),count(DISTINCT u),percentile_cont(0.5) WITHIN GROUP (ORDER BY i)}'::text[]) call, format('SELECT %s FROM many', call) query;
SET parallel_setup_cost = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE many SET (parallel_workers = 0);
SELECT divided('SELECT count(DISTINCT few) FROM many');
ALTER TABLE many SET (parallel_workers = 1);
SELECT pg_temp.explain_lines('SELECT count(DISTINCT few) FROM many', 'COSTS OFF', 'Workers');

SET client_min_messages = warning;
DROP SCHEMA parallel CASCADE;
