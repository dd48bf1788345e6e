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

SET client_min_messages = warning;
DROP SCHEMA parallel CASCADE;
