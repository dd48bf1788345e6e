-- ORDER BY gpusort.bucket(x, n) OVER () as an order by x, beside PostgreSQL's Sort above its WindowAgg.
SET search_path = gpusort, public;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE TABLE cut WITH (autovacuum_enabled = off) AS
SELECT i AS id, CASE WHEN i % 11 > 0 THEN (i * 7919::int8) % 100003 END AS x8, ((i * 31) % 3000)::int2 AS x2, CASE WHEN i % 13 > 0 THEN hashint4(i) END AS x4, (hashint4(i)::int8 + 2147483648)::oid AS xoid,
	CASE i % 900 WHEN 1 THEN 'NaN' WHEN 2 THEN '-inf' WHEN 3 THEN 'inf' WHEN 4 THEN '-0' ELSE exp(i % 700) END::float8 AS f8, (CASE WHEN i % 7 > 0 THEN 1.0 / i END)::float4 AS f4,
	date '2000-01-01' + hashint4(i) % 10000 AS d, timestamptz '2000-01-01 00:00+00' + hashint4(i) * interval '1 second' AS at, NULL::int4 AS nothing, 5 AS same, 'text ' || i AS t, i / 3.0 AS n
FROM generate_series(1, 3000) i;
ANALYZE cut;

-- The plan: one node, with x returned or not; and what it does not take, such as intervals that are returned.
SELECT q, array_to_string(ARRAY(SELECT * FROM pg_temp.explain_lines(q, 'COSTS OFF', '->|Gpusort|WindowAgg|Sort Key: [^O]*$|Keeps')), ' ') AS plan FROM unnest(ARRAY[
	'SELECT id FROM cut ORDER BY bucket(x4, 100) OVER ()', 'SELECT id, x4 FROM cut ORDER BY bucket(x4, 100) OVER () DESC NULLS LAST', 'SELECT t, bucket(x4, 100, true) OVER () AS b, x4 FROM cut ORDER BY b',
	'SELECT id FROM cut ORDER BY bucket(x4, 100) OVER () LIMIT 5', 'SELECT id, bucket(x4, 100) OVER () FROM cut ORDER BY 2 LIMIT 5', 'SELECT id FROM cut ORDER BY bucket(x4, 100) OVER () FETCH FIRST 5 ROWS WITH TIES',
	'SELECT id FROM cut ORDER BY bucket(x4, 100) OVER (), id', 'SELECT id FROM cut ORDER BY bucket(x4 + 1, 100) OVER ()', 'SELECT id FROM cut ORDER BY bucket(x4, id) OVER ()',
	'SELECT id FROM cut ORDER BY bucket(x4, 100) OVER (PARTITION BY x2)', 'SELECT id, row_number() OVER () FROM cut ORDER BY bucket(x4, 100) OVER ()', 'SELECT id FROM cut ORDER BY -bucket(x4, 100) OVER ()',
	'SELECT id FROM cut ORDER BY bucket(x4, 0) OVER ()', 'SELECT id FROM cut ORDER BY bucket(t, 4) OVER ()']) q;
BEGIN;
REVOKE EXECUTE ON FUNCTION bucket(anyelement, bigint) FROM PUBLIC;
SELECT * FROM pg_temp.explain_lines('SELECT id FROM cut ORDER BY bucket(x4, 100) OVER ()', 'COSTS OFF', 'Gpusort|WindowAgg');
ROLLBACK;

-- The same rows with the same intervals, in an order of the intervals. Rows of one interval may come in another order.
CREATE FUNCTION ordered(expression text, options text, keys text, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	call text := format('bucket(%s, %s) OVER ()', expression, options);
	query text := format('SELECT id, t, %s AS b FROM %s ORDER BY b %s', call, source, keys);
	hidden text := format('SELECT id FROM %s ORDER BY %s %s', source, call, keys);
	nodes int;
	by_set bool;
	in_order bool;
	hidden_in_order bool;
	places int8[];
	without int8[];
BEGIN
	SELECT c.nodes, c.same INTO nodes, by_set FROM pg_temp.compare_node('rows', query, false) c;
	SELECT c.same INTO in_order FROM pg_temp.compare_node('rows', format('SELECT b FROM (%s) q', query)) c;
	-- Where the interval is not returned, it is looked up.
	EXECUTE format('SELECT array_agg(id) FROM (%s) q', hidden) INTO places;
	SET LOCAL gpusort.enable_sort = off;
	EXECUTE format('SELECT array_agg(b ORDER BY place) FROM unnest($1) WITH ORDINALITY p(id, place) JOIN (%s) q USING (id)', query) USING places INTO places;
	EXECUTE format('SELECT array_agg(b) FROM (%s) q', query) INTO without;
	SET LOCAL gpusort.enable_sort = on;
	RETURN concat_ws(', ', CASE WHEN by_set AND in_order AND places IS NOT DISTINCT FROM without THEN 'same' ELSE 'DIFFERENT' END, CASE WHEN nodes = 0 THEN 'node not used' END);
END $$;
CREATE FUNCTION try_all(source text) RETURNS TABLE (result text, questions int8) LANGUAGE sql AS $$
	SELECT ordered(x, o, k, source), count(*)
	FROM unnest(ARRAY['x8', 'x2', 'x4', 'xoid', 'f8', 'f4', 'd', 'at', 'nothing', 'same', 'id']) x, unnest(ARRAY['1', '100, true', '2147483647']) o, unnest(ARRAY['', 'DESC NULLS LAST']) k
	GROUP BY 1
$$;
SELECT * FROM try_all('cut');
SET jit = off;	-- too many to compile again
SET work_mem = '64kB';
SET gpusort.force_nodes = row_by_row;
SELECT * FROM try_all('(SELECT * FROM cut WHERE id % 3 > 0) c');
SET gpusort.force_nodes = on;
SELECT * FROM try_all('(SELECT * FROM cut WHERE id < 0) c');
SET work_mem = '4MB';
SELECT * FROM try_all('(SELECT * FROM cut WHERE id % 200 = 0) c');
RESET jit;

-- The rows come in the order of x, which is one order of the intervals, also beyond work_mem.
SET gpusort.engine = 'cpu';
SET work_mem = '64kB';
SELECT bool_and(place = sorted) AS by_x
FROM (SELECT row_number() OVER () AS place, row_number() OVER (ORDER BY x4, id) AS sorted FROM (SELECT id, x4, t FROM cut ORDER BY bucket(x4, 10) OVER () OFFSET 0) q) p;
RESET work_mem;
RESET gpusort.engine;

-- Nodes above do not read the interval.
SET compute_query_id = off;
EXPLAIN (VERBOSE, COSTS OFF) SELECT x4, id FROM cut ORDER BY bucket(x4, 100) OVER () LIMIT 7 OFFSET 1;
EXPLAIN (VERBOSE, COSTS OFF) SELECT count(id), max(x4) FROM (SELECT x4, id FROM cut ORDER BY bucket(x8, 100) OVER () OFFSET 0) q;
RESET compute_query_id;
SELECT count(q) FROM (SELECT x4, id FROM cut ORDER BY bucket(x8, 100) OVER () LIMIT 7 OFFSET 1) q;
SELECT id, 'a' AS a FROM cut WHERE id < 10 ORDER BY bucket(id, 2) OVER () LIMIT 2 OFFSET 1;
SELECT t FROM cut WHERE id < 4 ORDER BY bucket(f8, 2) OVER () DESC;
CREATE TABLE kept AS SELECT x4, id FROM cut ORDER BY bucket(x8, 100) OVER ();
SELECT count(*), count(kept = cut) FROM kept JOIN cut USING (x4, id);
SELECT ARRAY(SELECT id FROM cut WHERE id < 4 ORDER BY bucket(id, 2) OVER () DESC), (SELECT count(*) FROM (SELECT x2, id FROM cut ORDER BY bucket(x2, 7) OVER () OFFSET 0) q);
DROP TABLE kept;

-- A LIMIT gives rows of the first intervals, as many of each as without the node.
CREATE FUNCTION first_intervals(expression text, keys text, wanted int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	with_node int[];
	without int[];
	query text := format('SELECT array_agg(b ORDER BY b) FROM (SELECT id FROM cut ORDER BY bucket(%1$s, 50) OVER () %2$s LIMIT %3$s) q JOIN (SELECT id, bucket(%1$s, 50) OVER () AS b FROM cut) b USING (id)', expression, keys, wanted);
BEGIN
	EXECUTE query INTO with_node;
	SET LOCAL gpusort.enable_sort = off;
	EXECUTE query INTO without;
	SET LOCAL gpusort.enable_sort = on;
	RETURN with_node = without;
END $$;
SELECT x, k, bool_and(first_intervals(x, k, l)) AS same FROM unnest(ARRAY['x8', 'f8', 'xoid', 'same']) x, unnest(ARRAY['', 'DESC', 'NULLS FIRST']) k, unnest(ARRAY[1, 300, 2000]) l GROUP BY x, k ORDER BY x, k;
SELECT b, count(*) FROM (SELECT bucket(x2, 100) OVER () AS b FROM cut ORDER BY b FETCH FIRST 5 ROWS WITH TIES) q GROUP BY b;

-- Cursors, rescans, subqueries, unions, errors.
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT id FROM cut ORDER BY bucket(id, 9) OVER ();
FETCH 1 FROM back;
FETCH ABSOLUTE 1500 FROM back;
FETCH LAST FROM back;
FETCH PRIOR FROM back;
FETCH FIRST FROM back;
COMMIT;
SELECT g, array_agg(b) FROM generate_series(1, 3) g, LATERAL (SELECT bucket(id, g) OVER () AS b FROM cut WHERE id <= g * 2 ORDER BY b OFFSET 0) q GROUP BY g ORDER BY g;
SELECT g, array_agg(b) FROM generate_series(1, 3) g, LATERAL (SELECT bucket(id, 2) OVER () AS b FROM cut WHERE id <= g * 2 ORDER BY b OFFSET 0) q GROUP BY g ORDER BY g;
(SELECT id FROM cut WHERE id < 4 ORDER BY bucket(id, 2) OVER () DESC LIMIT 2) UNION ALL (SELECT id FROM cut WHERE id < 3 ORDER BY bucket(id, 2) OVER () LIMIT 1);
SELECT pg_temp.error_of('SELECT id FROM cut ORDER BY bucket(id, 0) OVER ()');
SELECT pg_temp.error_of('SELECT id FROM cut ORDER BY bucket(t, 4) OVER ()');
SELECT pg_temp.error_of('SELECT bucket(id, 4) OVER (ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM cut ORDER BY 1');
DROP TABLE cut;
DROP FUNCTION ordered, try_all, first_intervals;
