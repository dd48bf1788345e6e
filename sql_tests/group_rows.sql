-- Needs gpusort.engine = 'auto': sorts numerics and texts, which no GPU sorts.
-- Aggregates take the rows of a group that the rows node has in a batch: results are as where each comes by a call, which they do from a Sort.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE SCHEMA group_rows;
SET search_path = group_rows;
SET gpusort.force_nodes = on;
SET enable_hashagg = off;
SET jit = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;

CREATE TABLE items AS SELECT i AS id, nullif(i % 5, 4) AS g, CASE WHEN i % 11 > 0 THEN 't' || i % 40 END AS t, ('c' || i % 3)::char(4) AS c, CASE i % 3 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 ELSE i % 7 END::numeric AS n,
	CASE i % 4 WHEN 0 THEN '-0' WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE (i % 9)::float8 END AS z, i % 600 AS many, nullif(i * 7919 % 4999, 17) AS x, (i * 31 % 1009)::numeric(12, 2) / 4 AS v, (i * 13 % 10007)::int8 AS l
FROM generate_series(1, 20000) i;
ANALYZE items;
CREATE FUNCTION same(query text, memory text, workers int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	without text;
	taken text;
BEGIN
	PERFORM set_config('work_mem', memory, true), set_config('max_parallel_workers_per_gather', workers::text, true), set_config('gpusort.enable_sort', 'off', true);
	without := pg_temp.outcome(query);
	PERFORM set_config('gpusort.enable_sort', 'on', true);
	taken := pg_temp.outcome(query);
	IF taken <> without THEN RAISE WARNING E'%\n% instead of %', query, taken, without; END IF;
	RETURN taken = without AND without LIKE CASE WHEN query ~ '1000 /' THEN '22012%' ELSE '(%' END;
END $$;

SELECT call, bool_and(same(format('SELECT %s FROM items GROUP BY %s', call, groups), memory, workers)) AS same, count(*)
FROM unnest('{"percentile_cont(0.4) WITHIN GROUP (ORDER BY v)","count(DISTINCT x), mode() WITHIN GROUP (ORDER BY x), percentile_disc(0.7) WITHIN GROUP (ORDER BY l DESC)",
		"array_agg(x ORDER BY x), array_agg(id ORDER BY id DESC NULLS LAST)","gpusort.median(l), gpusort.count_distinct(t), gpusort.mode_agg(x)","gpusort.percentile_cont_agg(x, 0.3), gpusort.percentile_disc_agg(v, ''{0,1}''::float8[])",
		"gpusort.sorted_agg(x, true), gpusort.sorted_agg_by(l, id)","count(DISTINCT x) FILTER (WHERE l > 900), mode() WITHIN GROUP (ORDER BY l)","count(DISTINCT x), count(*), sum(l)","count(DISTINCT x + l), gpusort.sorted_agg(upper(t))",
		"percentile_cont(0.5) WITHIN GROUP (ORDER BY v::float8 / 2), mode() WITHIN GROUP (ORDER BY CASE WHEN l > 40 THEN x END)","count(DISTINCT (SELECT max(m) FROM generate_series(1, g) m))"}'::text[]) call,
	unnest('{g,"t COLLATE \"C\"","c COLLATE \"C\"","n, g",z,many,"g, c COLLATE \"C\"",id / 700}'::text[]) groups, (VALUES ('64kB', 0), ('64MB', 0), ('64kB', 2)) v (memory, workers)
WHERE call !~ 'max' OR groups = 'g'
GROUP BY call ORDER BY call COLLATE "C";
SELECT query, same(query, '64kB', 0) AS same FROM (VALUES
	('SELECT g, count(DISTINCT x) FROM items GROUP BY g HAVING count(DISTINCT x) > 3 AND mode() WITHIN GROUP (ORDER BY x) > 0'),
	('SELECT gpusort.median(x), gpusort.count_distinct(t) FROM (SELECT x, t FROM items ORDER BY x, t COLLATE "C" OFFSET 0) s'),
	('SELECT gpusort.median(DISTINCT x) FROM items UNION ALL SELECT gpusort.median(DISTINCT x) FROM items GROUP BY g'),
	('SELECT g, gpusort.median(x) FROM items GROUP BY ROLLUP (g)'),
	('SELECT count(DISTINCT c) FROM (SELECT g, count(DISTINCT x) AS c FROM items GROUP BY g) s'),
	('SELECT g, count(DISTINCT a) FROM (SELECT g, array_agg(x ORDER BY x) AS a FROM items GROUP BY g, many) s GROUP BY g'),
	('SELECT i, q.* FROM generate_series(1, 3) i, LATERAL (SELECT g, gpusort.median(x) FROM items WHERE id % 3 < i GROUP BY g OFFSET 0) q'),
	('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY 1000 / (x - 40)) FROM items GROUP BY g'),
	('SELECT g, mode() WITHIN GROUP (ORDER BY x) FROM items GROUP BY g LIMIT 2')) q (query);
-- Each volatile function is called once for a row.
CREATE SEQUENCE calls;
SELECT max(c), max(m) FROM (SELECT g, count(DISTINCT nextval('calls')) AS c, count(DISTINCT x) AS m FROM items GROUP BY g) s;
SELECT last_value FROM calls;
-- Rows that the node has returned are counted.
SET max_parallel_workers_per_gather = 0;
SELECT line FROM pg_temp.explain_lines('SELECT g, count(DISTINCT x) FROM items GROUP BY g', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ 'Aggregate|Custom|Seq';
DROP SCHEMA group_rows CASCADE;
