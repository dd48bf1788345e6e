-- ORDER BY bucket(x, n) OVER () beyond work_mem, which sorts by x.
-- Rows and intervals are those of PostgreSQL's Sort above its WindowAgg.
CREATE SCHEMA rows_intervals;
SET search_path = rows_intervals, gpusort;
SET gpusort.force_nodes = on;
SET gpusort.engine = 'cpu';
SET max_parallel_workers_per_gather = 0;

CREATE TABLE spread WITH (autovacuum_enabled = off) AS
SELECT i AS id, hashint4(i) AS every, hashint8(i) * 2147483647::int8 AS int8, (hashint4(i) % 30000)::int2 AS int2,
	exp(20 * (hashint4(i)::float8 / 4294967296)) AS skewed, (hashint4(i)::float8 / 7)::float4 AS float4,
	CASE WHEN i % 5 = 0 THEN NULL WHEN i % 97 = 1 THEN 'NaN' WHEN i % 97 = 2 THEN 'inf' WHEN i % 97 = 3 THEN '-inf' ELSE tan(hashint4(i) / 1367130552.0) END::float8 AS tails,
	CASE WHEN i % 2 = 0 THEN 7 ELSE hashint4(i) % 1000 END AS half, CASE WHEN i % 53 = 0 THEN hashint4(i) END AS mostly_null,
	CASE WHEN i = 29999 THEN 2000000000 ELSE hashint4(i) % 10000 END AS outlier, timestamptz '2026-01-01 00:00+00' + hashint4(i) * interval '1 ms' AS time,
	i * 3 AS ascending, -i AS descending, (i / 9000)::int2 AS steps, CASE WHEN i < 20000 THEN hashint4(i) % 1000 ELSE i END AS late,
	repeat('x', i % 50) || i AS text, CASE WHEN i % 3 = 0 THEN i % 7 = 0 END AS flag
FROM generate_series(1, 30000) i;
ANALYZE spread;

-- The rows as a sum, and whether each interval is no less than the one before it; and what EXPLAIN shows of the sort.
CREATE FUNCTION rows_of(query text, direction text, OUT sum numeric, OUT in_order bool) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT sum(hashtextextended(r, 0)), bool_and((b %s last) IS NOT FALSE) FROM (SELECT q::text AS r, b, lag(b) OVER () AS last FROM (%s OFFSET 0) q OFFSET 0) q',
		CASE WHEN direction LIKE 'DESC%' THEN '<=' ELSE '>=' END, query) INTO sum, in_order;
END $$;
CREATE FUNCTION compared(x text, n text, columns text, direction text, memory text, source text DEFAULT 'spread') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT %s, bucket(%s, %s) OVER () AS b FROM %s ORDER BY b %s', columns, x, n, source, direction);
	plan json;
	own record;
	servers record;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ' || query INTO plan;
	own := rows_of(query, direction);
	PERFORM set_config('gpusort.enable_sort', 'off', true);
	servers := rows_of(query, direction);
	PERFORM set_config('gpusort.enable_sort', 'on', true);
	RETURN concat_ws(', ', CASE WHEN own = servers AND own.in_order THEN 'same' ELSE 'DIFFERENT' END, plan -> 0 -> 'Plan' ->> 'Sort Method', plan -> 0 -> 'Plan' ->> 'Sort Space Type');
END $$;

-- Columns alone and with texts; one interval, few, and more than rows; memory for a small part of the rows, and for most.  In some
-- many rows are alike.
SELECT x COLLATE "C" AS x, compared(x, n, 'id, mostly_null', direction, memory) AS result, count(*)
FROM unnest(ARRAY['every', 'int8', 'int2', 'float4', 'skewed', 'tails', 'half', 'mostly_null', 'outlier', 'time']) x, unnest(ARRAY['1', '100', '2147483647, true']) n,
	(VALUES ('', '96kB'), ('DESC NULLS LAST', '256kB')) m(direction, memory)
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT x, compared(x, '100', 'id, text, flag', 'NULLS FIRST', '512kB') AS result FROM unnest(ARRAY['every', 'tails', 'half', 'mostly_null']) x;
-- Rows that come in order, or whose range moves.
SELECT x, compared(x, '100', 'id', '', memory) AS result, count(*) FROM unnest(ARRAY['ascending', 'descending', 'steps', 'late']) x, unnest(ARRAY['64kB', '256kB']) memory GROUP BY 1, 2 ORDER BY 1, 2;
-- Many more rows than the planner expects.
SELECT memory, compared('x', '100', 'id', '', memory, '(SELECT i AS id, hashint4(i) AS x FROM generate_series(1, (SELECT 200000)) i OFFSET 0) q') AS result FROM unnest(ARRAY['64kB', '1MB']) memory;
-- One part would be larger than memory: as the first rows tell, and as later ones do.
SELECT n, compared('x', n, 'id', '', '96kB', format('(SELECT id, CASE WHEN id > %s AND id %% 5 > 1 THEN id %% 3 * 60000 ELSE hashint4(id) END AS x FROM spread OFFSET 0) q', rows)) AS result FROM unnest(ARRAY['100', '2147483647']) n, unnest(ARRAY[0, 12000]) rows;

-- Which interval a row has is not always returned.  Rows are read again for a nested loop, and a cursor goes back.
SET work_mem = '96kB';
SET enable_material = off;
SELECT g, count(*), count(DISTINCT id), bool_and(b >= last) AS in_order
FROM generate_series(1, 3) g, LATERAL (SELECT id, b, lag(b) OVER () AS last FROM (SELECT id, bucket(every, 50) OVER () AS b FROM spread WHERE id % 3 < g ORDER BY b OFFSET 0) q) q GROUP BY g ORDER BY g;
SELECT count(*), sum(every), sum(id) FROM (SELECT every, id FROM spread ORDER BY bucket(every, 1000) OVER () OFFSET 0) q;
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT bucket(every, 9) OVER () AS b, id, every FROM spread ORDER BY b;
FETCH LAST FROM back;
FETCH FIRST FROM back;
COMMIT;
-- A query that ends early leaves no file.
SELECT count(*) FROM (SELECT id FROM spread ORDER BY bucket(every, 100) OVER () LIMIT 25000) q;
DO $$ BEGIN PERFORM 1 / (id - 20000) FROM (SELECT id FROM spread ORDER BY bucket(every, 100) OVER () OFFSET 0) q; EXCEPTION WHEN division_by_zero THEN RAISE NOTICE 'division by zero'; END $$;
SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE format('pgsql_tmp%s.%%', pg_backend_pid());
SET client_min_messages = warning;
DROP SCHEMA rows_intervals CASCADE;
