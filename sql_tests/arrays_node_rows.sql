-- The arrays node does not change what else a query does: which rows are computed,
-- which errors are raised, how cursors move, what is written.
SET client_min_messages = warning;
SET gpusort.force_nodes = on;
SET compute_query_id = off;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE points (id int PRIMARY KEY, x float4[], y int4[], n int) WITH (autovacuum_enabled = off);
INSERT INTO points
SELECT i, (SELECT array_agg(((i * 31 + k * 17) % 101)::float4) FROM generate_series(1, i % 9 + 1) k),
	ARRAY[i % 3, 5, i % 7], i % 10
FROM generate_series(1, 500) i;
ANALYZE points;

-- what will run, and what did
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
SELECT pg_temp.explain_lines($$SELECT id, gpusort.array_sort(x), n FROM points$$, 'COSTS OFF, VERBOSE');
SELECT pg_temp.explain_lines($$SELECT gpusort.array_top_n(gpusort.array_sort(x), 2) FROM points ORDER BY id LIMIT 3$$);
SELECT pg_temp.explain_lines($$SELECT n, gpusort.array_sort(array_agg(id), true) FROM points GROUP BY n$$, 'COSTS OFF, VERBOSE');
SELECT pg_temp.explain_lines($$SELECT n, sum((gpusort.array_sort(y))[1]), max(gpusort.array_sort(y)) FROM points GROUP BY n$$, 'COSTS OFF, VERBOSE');
SELECT pg_temp.explain_lines($$INSERT INTO points SELECT id + 1000, gpusort.array_sort(x), y, n FROM points$$);
SELECT pg_temp.explain_lines('SELECT gpusort.array_sort(x) FROM points', 'ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF, SUMMARY OFF');
SELECT pg_temp.explain_lines('SELECT gpusort.array_sort(x) FROM points LIMIT 7', 'ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF, SUMMARY OFF');
SELECT pg_temp.explain_lines('SELECT gpusort.array_sort(NULLIF(x, x)) FROM points WHERE id < 4', 'ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF, SUMMARY OFF');
SET gpusort.enable_array_sort = off;
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(x) FROM points$$);
RESET gpusort.enable_array_sort;
RESET gpusort.force_nodes;
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(x) FROM points WHERE id = 3$$);
SELECT query, (SELECT count(*) FROM pg_temp.explain_lines(query, pattern => 'GpusortArrays')) AS nodes FROM (VALUES
	('SELECT gpusort.array_sort(x) FROM points'), ('SELECT gpusort.array_sort(x) FROM points LIMIT 250'),
	('SELECT gpusort.array_sort(ARRAY[id, n]) FROM points'), ('SELECT gpusort.array_sort(ARRAY[id, n]), gpusort.array_sort(y) FROM points')) q (query);
SET gpusort.force_nodes = on;
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(x) FROM points WHERE id = 3$$);

-- left alone: options of the row, types that are compared, places that may not be evaluated
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(x, n > 5) FROM points$$);
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(ARRAY[id::text, n::text]) FROM points$$);
SELECT pg_temp.explain_lines($$SELECT CASE WHEN n > 5 THEN gpusort.array_sort(x) END FROM points$$);
CREATE FUNCTION top_without_n(int[]) RETURNS int[] IMMUTABLE STRICT LANGUAGE c AS '$libdir/gpusort', 'gpusort_array_top_n';
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT query, (SELECT count(*) FROM pg_temp.explain_lines(query, pattern => 'GpusortArrays')) AS nodes FROM (VALUES
	('SELECT top_without_n(y) FROM points'),
	('SELECT gpusort.array_sort(gpusort.array_sort(x, n > 5)) FROM points'),
	('SELECT gpusort.array_sort(ARRAY[random()]) FROM points'),
	('SELECT gpusort.array_sort(y || random()::int) FROM points'),
	('SELECT gpusort.array_sort(ARRAY[random()])'),
	('SELECT max(gpusort.array_sort(x)) OVER () FROM points'),
	('SELECT max(gpusort.array_sort(x)) FILTER (WHERE n > 5) FROM points HAVING gpusort.array_sort(array_agg(id)) <> ''{1}'''),
	('SELECT unnest(y), gpusort.array_sort(x) FROM points'),
	('UPDATE points SET n = n RETURNING gpusort.array_sort(x)'),
	('SELECT id FROM points, unnest(gpusort.array_sort(x)) WHERE gpusort.array_sort(x, true) <> ''{1}'''),
	('SELECT l.s, r.s FROM (SELECT id, gpusort.array_sort(x) IS NULL AS s FROM points) l FULL JOIN (SELECT id, gpusort.array_sort(y) IS NULL AS s FROM points) r USING (id)')) q (query);
RESET enable_hashjoin;
RESET enable_nestloop;
DROP FUNCTION top_without_n;

-- volatile functions: called as often as without the node, in the same order
CREATE SEQUENCE s;
SELECT count(v), sum(cardinality(a)) FROM (SELECT nextval('s') v, gpusort.array_sort(x) a FROM points LIMIT 50) q;
SELECT nextval('s');
SELECT bool_and(v = id + 51) FROM (SELECT nextval('s') v, id, gpusort.array_sort(x) FROM (SELECT * FROM points ORDER BY id OFFSET 0) p) q;
CREATE FUNCTION touch(i int) RETURNS bool LANGUAGE plpgsql VOLATILE AS $$ BEGIN PERFORM nextval('s'); RETURN true; END $$;
SELECT setval('s', 1);
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(x) FROM points WHERE touch(id) LIMIT 5$$);
SELECT gpusort.array_sort(x) FROM points WHERE touch(id) LIMIT 5;
SELECT nextval('s');
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(x) FROM (SELECT * FROM points FOR UPDATE) p LIMIT 1$$);
SELECT pg_temp.explain_lines($$SELECT gpusort.array_sort(x) FROM points FOR UPDATE$$);
SELECT gpusort.array_sort(ARRAY[random(), 2, 1]) IS NOT NULL FROM points LIMIT 1;

-- errors: those of the rows that are returned, and no others
SELECT id, gpusort.array_sort(ARRAY[1 / (id - 5), 3, 2]) FROM points ORDER BY id LIMIT 4;
SELECT id, gpusort.array_sort(ARRAY[1 / (id - 5), 3, 2]) FROM points ORDER BY id LIMIT 5;
SELECT id, 1 / (id - 5), gpusort.array_sort(y) FROM points LIMIT 4;
SELECT id, 1 / (id - 5), gpusort.array_sort(y) FROM points LIMIT 5;
SELECT id, gpusort.array_top_n(x, -1) FROM points LIMIT 0;
SELECT id, gpusort.array_top_n(x, -1) FROM points;
SELECT id, gpusort.array_sort_by(y, x) FROM points WHERE id < 5 ORDER BY id LIMIT 2;
INSERT INTO points VALUES (501, '{{1,2},{3,4}}', '{1}', 0);
SELECT count(a) FROM (SELECT gpusort.array_argsort(x) a FROM points LIMIT 500) q;
SELECT count(a) FROM (SELECT gpusort.array_argsort(x) a FROM points OFFSET 0) q;
DO $$
DECLARE r record; seen int := 0;
BEGIN
	FOR r IN SELECT id, gpusort.array_sort(ARRAY[1 / (id - 30), 3]) a FROM points WHERE id <= 40 ORDER BY id LOOP
		seen := seen + 1;
		EXIT WHEN seen = 29;
	END LOOP;
	RAISE WARNING 'saw % rows', seen;
	FOR r IN SELECT id, gpusort.array_sort(ARRAY[1 / (id - 30), 3]) a FROM points WHERE id <= 40 LOOP
		seen := seen + 1;
	END LOOP;
EXCEPTION WHEN division_by_zero THEN
	RAISE WARNING 'then % rows', seen;
END $$;
DELETE FROM points WHERE id = 501;

-- LIMIT of parameters, of NULL, WITH TIES, and in subqueries
PREPARE few(int, int) AS SELECT id, gpusort.array_sort(y) FROM points ORDER BY id LIMIT $1 OFFSET $2;
SET plan_cache_mode = force_generic_plan;
EXECUTE few(2, 3);
EXECUTE few(NULL, 498);
EXECUTE few(0, 0);
EXECUTE few(-1, 0);
PREPARE flags(bool, bool) AS SELECT gpusort.array_sort(ARRAY[id, 7, NULL], $1, $2) FROM points WHERE id < 3 ORDER BY id;
EXECUTE flags(true, true);
EXECUTE flags(false, true);
EXECUTE flags(NULL, true);
PREPARE plain(bool) AS SELECT gpusort.array_sort(y, $1) FROM points WHERE id < 3 ORDER BY id;
SELECT pg_temp.explain_lines($$EXECUTE plain(true)$$);
EXECUTE plain(true);
EXECUTE plain(NULL);
RESET plan_cache_mode;
SELECT n, gpusort.array_sort(y) FROM points WHERE id < 20 ORDER BY n FETCH FIRST 1 ROW WITH TIES;
SELECT p.id, q.* FROM (VALUES (1), (3), (0)) p (id), LATERAL (SELECT gpusort.array_sort(y) a FROM points LIMIT p.id) q;

-- cursors: forward, backward, to a place; UPDATE and DELETE of the row they are on
BEGIN;
DECLARE c CURSOR FOR SELECT id, gpusort.array_sort(y, true) FROM points;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH 2 FROM c;
MOVE FORWARD ALL IN c;
FETCH BACKWARD 2 FROM c;
FETCH FORWARD 3 FROM c;
FETCH ABSOLUTE 250 FROM c;
FETCH FIRST FROM c;
FETCH PRIOR FROM c;
FETCH NEXT FROM c;
CLOSE c;
DECLARE c CURSOR FOR SELECT id, gpusort.array_sort(y, true) FROM points WHERE id > 10;
MOVE 100 IN c;
FETCH BACKWARD 3 FROM c;
CLOSE c;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT id, gpusort.array_sort(gpusort.array_sort(y, true)) FROM points ORDER BY id;
COMMIT;
FETCH LAST FROM c;
FETCH RELATIVE -498 FROM c;
CLOSE c;
BEGIN;
DECLARE c CURSOR FOR SELECT id, gpusort.array_sort(y) FROM points;
MOVE 20 IN c;
FETCH c;
UPDATE points SET n = -1 WHERE CURRENT OF c RETURNING id;
FETCH c;
DELETE FROM points WHERE CURRENT OF c RETURNING id;
FETCH BACKWARD 2 FROM c;
UPDATE points SET n = -1 WHERE CURRENT OF c RETURNING id;
CLOSE c;
DECLARE c CURSOR FOR SELECT id, gpusort.array_sort(y) FROM points ORDER BY id FOR UPDATE;
FETCH 3 FROM c;
UPDATE points SET n = -2 WHERE CURRENT OF c RETURNING id;
ROLLBACK;

-- writing
CREATE TABLE copies AS SELECT id, gpusort.array_sort(x) x, gpusort.array_sort(y) y FROM points;
SELECT count(*) FROM copies JOIN points p USING (id) WHERE copies.x = gpusort.array_sort(p.x) AND copies.y = gpusort.array_sort(p.y);
CREATE TABLE numbered (id serial, x float4[]);
INSERT INTO numbered (x) SELECT gpusort.array_sort(x) FROM points ORDER BY id;
SELECT count(*) FROM numbered JOIN copies USING (id, x);
UPDATE points SET x = gpusort.array_sort(x), y = gpusort.array_sort(y, true) WHERE id % 2 = 0;
SELECT count(*) FROM points p JOIN copies c USING (id) WHERE p.x = c.x AND p.y = gpusort.array_sort(c.y, true) AND id % 2 = 0;
INSERT INTO copies SELECT id, gpusort.array_sort(x), y FROM points WHERE id < 4 RETURNING id, gpusort.array_sort(x, true);
WITH gone AS (DELETE FROM copies WHERE id < 3 RETURNING y) SELECT gpusort.array_sort(y) FROM gone;
WITH RECURSIVE r AS (SELECT 1 AS i, '{3,1,2}'::int[] AS a UNION ALL SELECT i + 1, gpusort.array_sort(a, i % 2 = 0) FROM r WHERE i < 4) SELECT * FROM r;
WITH RECURSIVE r AS (SELECT id AS i, y AS a FROM points WHERE id <= 2 UNION ALL SELECT i + 100, gpusort.array_sort(a, true) FROM r WHERE i < 300) SELECT * FROM r ORDER BY i;

-- permissions, and functions under other names
CREATE ROLE reader;
GRANT SELECT ON points TO reader;
GRANT USAGE ON SCHEMA gpusort TO reader;
REVOKE EXECUTE ON FUNCTION gpusort.array_sort(anyarray) FROM public;
SET ROLE reader;
SELECT gpusort.array_sort(y) FROM points LIMIT 1;
RESET ROLE;
GRANT EXECUTE ON FUNCTION gpusort.array_sort(anyarray) TO public;
DROP OWNED BY reader;
DROP ROLE reader;
CREATE FUNCTION array_sort(text, int) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
SELECT array_sort('a', id) FROM points WHERE id < 3;

-- repeated by a nested loop
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_memoize = off;
SELECT sum(p.id), sum(q.a[1]) FROM points p JOIN (SELECT id, gpusort.array_sort(y) a FROM points OFFSET 0) q ON q.id % 50 = p.id WHERE p.id < 20;
RESET enable_hashjoin;
RESET enable_mergejoin;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT count(*), sum(q.a[1]) FROM points p LEFT JOIN (SELECT id, n, gpusort.array_sort(y) a FROM points) q ON q.id = p.id;
SELECT count(*), sum(q.a[1]) FROM (SELECT id, n, gpusort.array_sort(y) a FROM points ORDER BY n) q JOIN points p ON p.n = q.n;
