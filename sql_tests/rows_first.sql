-- The first rows of each partition: what a window's run condition lets the rows node drop.
SET gpusort.force_nodes = on;
SET compute_query_id = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4MB';
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers

-- Partition keys p... and order keys o... of many types, with NULLs, NaN, both zeros, and equal values that differ in their bits.
CREATE TABLE first_t WITH (autovacuum_enabled = off) AS
SELECT i AS id, i * 7919 % 40 AS p_int, CASE WHEN i % 9 > 0 THEN (i % 3)::int2 END AS p_null, (4294967290 + i % 5)::oid AS p_oid, i % 2 = 0 AS p_bool,
	(ARRAY['NaN', '-0', '0', 'Infinity', '1.5', NULL])[i % 6 + 1]::float8 AS p_float, ('group ' || i % 30) COLLATE "C" AS p_text,
	(ARRAY[1.0, 1.00, 2, 2.000])[i % 4 + 1] AS p_numeric, (ARRAY['1 mon', '30 days', '2 mons'])[i % 3 + 1]::interval AS p_interval,
	repeat('x', i % 3)::char(4) COLLATE "C" AS p_char, md5((i % 20)::text)::uuid AS p_uuid, '12:00+00'::timetz + make_interval(mins => i % 10) AS p_timetz,
	i::int8 * 104729 % 500 AS o_few, (i::int8 * 104729 % 12007) AS o_many, CASE WHEN i % 7 > 0 THEN (ARRAY['NaN', '-0', '0', '-Infinity'])[i * 31 % 11 + 1]::float8 END AS o_float,
	md5((i * 31 % 2000)::text) COLLATE "C" AS o_text, (i * 17 % 3000) / 10.0 AS o_numeric, repeat('y', i * 13 % 5) AS t
FROM generate_series(1, 12000) i;
ANALYZE first_t;

-- The best of each partition: how many rows came, and whether as with PostgreSQL's Sort. Rows
-- that tie may come in another order, so that row_number() needs an order that has none.
CREATE FUNCTION best(partition text, keys text, condition text, source text DEFAULT 'first_t') RETURNS text LANGUAGE sql AS $$
	SELECT format('%s%s', CASE WHEN same THEN rows::text ELSE 'DIFFERENT' END, CASE WHEN nodes > 0 THEN '' ELSE ', node not used' END)
	FROM pg_temp.compare_node('rows', format('SELECT * FROM (SELECT id, t, p_null, o_few, o_float, %srank() OVER w AS r, dense_rank() OVER w AS d FROM %s WINDOW w AS (%s ORDER BY %s)) q WHERE %s',
		CASE WHEN condition ~ 'n' THEN 'row_number() OVER w AS n, ' ELSE '' END, source, coalesce('PARTITION BY ' || partition, ''), keys, condition), false)
$$;

-- What EXPLAIN says of each function, of both operators, of parameters, and of what bounds nothing.
CREATE FUNCTION keeps(functions text, condition text, definition text DEFAULT 'PARTITION BY p_int ORDER BY o_few') RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((SELECT * FROM pg_temp.explain_lines(format('SELECT * FROM (SELECT id, %s FROM first_t WINDOW w AS (%s)) q WHERE %s', functions, definition, condition), 'COSTS OFF', 'Keeps')), 'keeps all')
$$;
SELECT keeps('row_number() OVER w AS n', 'n <= 3'), keeps('rank() OVER w AS n', 'n < 3'), keeps('dense_rank() OVER w AS n', '3 > n'), keeps('row_number() OVER w AS n', '3::int2 >= n'),
	keeps('row_number() OVER w AS n', 'n = 1'), keeps('row_number() OVER w AS n', 'n <= 3', 'PARTITION BY p_int, p_text ORDER BY o_few'), keeps('rank() OVER w AS n', 'n <= 3', 'ORDER BY o_few');
SELECT keeps('row_number() OVER w AS n', 'n >= 3'), keeps('row_number() OVER w AS n', 'n <= id'), keeps('row_number() OVER w AS n', 'n <= random() * 3'), keeps('ntile(4) OVER w AS n', 'n <= 3'),
	keeps('row_number() OVER w AS n', 'n + 0 <= 3'), keeps('row_number() OVER w AS n', 'n <= (SELECT 3)'), keeps('count(*) OVER w AS n', 'n <= 3');

-- Other functions of the same window must see the rows that they read.
SELECT f AS other, keeps('row_number() OVER w AS n, ' || f || ' OVER w AS other', 'n <= 3'),
	best('p_int', 'id', 'n <= 3', format('(SELECT *, %s OVER (PARTITION BY p_int ORDER BY id) AS other FROM first_t) f', f))
FROM unnest(ARRAY['sum(o_few)', 'first_value(o_few)', 'lag(o_few)', 'lag(o_few, 1)', 'lead(o_few)', 'percent_rank()', 'cume_dist()', 'ntile(3)', 'last_value(o_few)']) f;
SELECT keeps('row_number() OVER w AS n, sum(id) OVER w AS s', 'n <= 3', 'PARTITION BY p_int ORDER BY o_few ROWS BETWEEN 2 PRECEDING AND CURRENT ROW'),
	keeps('row_number() OVER w AS n, sum(id) OVER w AS s', 'n <= 3', 'PARTITION BY p_int ORDER BY o_few GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW'),
	keeps('row_number() OVER w AS n, sum(id) OVER w AS s', 'n <= 3', 'PARTITION BY p_int ORDER BY o_few ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING'),
	keeps('row_number() OVER w AS n, sum(id) OVER w AS s', 'n <= 3', 'PARTITION BY p_int ORDER BY o_few RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING'),
	keeps('row_number() OVER w AS n, row_number() OVER (PARTITION BY p_int ORDER BY t) AS s', 'n <= 3');
SELECT o, (pg_temp.compare_node('rows', format('SELECT * FROM (SELECT p_int, o_few, rank() OVER w AS r, sum(o_few) OVER w AS s, count(*) OVER w AS c FROM first_t WINDOW w AS (PARTITION BY p_int ORDER BY %s)) q WHERE r <= 4', o), false)).*
FROM unnest(ARRAY['o_few', 'o_few DESC', 'o_few GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW', 'o_few RANGE BETWEEN 10 PRECEDING AND CURRENT ROW']) o;

-- Every type of partition and order, by every function, in memory and spilled.
CREATE FUNCTION best_of_all(keys text[], functions text[]) RETURNS TABLE (partition text, best text[]) LANGUAGE sql AS $$
	SELECT p, array_agg(best(p, k || CASE WHEN f = 'n' THEN ', id' ELSE '' END, f || ' <= 2') ORDER BY f, k)
	FROM unnest(ARRAY['p_int', 'p_null', 'p_oid', 'p_bool', 'p_float', 'p_text', 'p_numeric', 'p_interval', 'p_char', 'p_uuid', 'p_timetz', 'p_int, p_text', 'p_null, p_float, p_numeric', NULL]) p,
		unnest(functions) f, unnest(keys) k
	GROUP BY p ORDER BY p COLLATE "C"
$$;
SELECT * FROM best_of_all(ARRAY['o_few', 'o_float DESC NULLS LAST', 'o_text DESC, o_many'], ARRAY['n', 'r', 'd']);
SET work_mem = '64kB';
SELECT * FROM best_of_all(ARRAY['o_numeric'], ARRAY['n', 'r', 'd']);
SET work_mem = '4MB';

-- Rows that an expression makes, rows read one by one, a constant key, empty input.
SELECT best('p_oid', 'o_few', 'r <= 2', '(SELECT *, 1 AS one FROM first_t WHERE id > 5) f'),
	best('p_int', 'o_few, id', 'n <= 2', '(SELECT id, t, p_null, o_few, o_float, (id % 7)::int8 + 1e10::int8 AS p_int FROM first_t) f'),
	best('p_int, p_null', 'o_few', 'd <= 2', '(SELECT id, t, 3 AS p_null, o_few, o_float, p_int FROM first_t) f'),
	best('p_int', 'o_few, o_float', 'r <= 2', '(SELECT id, t, p_null, 7 AS o_few, o_float, p_int FROM first_t) f'),
	best('p_int', 'o_few', 'r <= 2', '(SELECT * FROM first_t WHERE id < 0) f'), best('p_int', 'o_few', 'r <= 2 AND d <= 1');
SET gpusort.force_nodes = row_by_row;
SELECT best('p_text', 'o_few, id', 'n <= 2'), best('p_oid', 'o_numeric', 'r <= 2');
SET gpusort.force_nodes = on;
SELECT b, best('p_int', 'id', 'n <= ' || b), best('p_int', 'id', 'n < ' || b)
FROM unnest(ARRAY['0', '-1', '1', '9223372036854775807', '-9223372036854775808', '400']) b;

-- Rows in the input's order, and its reverse; partitions one behind the other; all rows equal.
SELECT best('p_int', 'id', 'n <= 3', '(SELECT * FROM first_t ORDER BY id DESC OFFSET 0) f'), best('p_int', 'id', 'n <= 3', '(SELECT * FROM first_t ORDER BY p_int, t OFFSET 0) f'),
	best('p_bool', 'same', 'r <= 1', '(SELECT *, id * 0 AS same FROM first_t) f');

-- Many groups of few rows: the bound is given up.
SELECT best('id / 2', 'o_few, id', 'n <= 1'), best('id', 'o_few', 'r <= 3'), best('p_text, id / 3', 'o_few, id', 'n <= 2');
SET work_mem = '64kB';
SELECT best('id / 2', 'o_few, id', 'n <= 1'), best('id', 'o_few', 'r <= 3'), best('md5((id % 3000)::text) COLLATE "C"', 'o_many, id', 'n <= 1'), best('id % 3000', 'o_many, id', 'n <= 1');
SET work_mem = '4MB';

-- What was kept, and in how many rows it was found.
CREATE FUNCTION found(query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT regexp_replace(line, '(Memory|Disk|Moved|Parts): \d+(kB)?', '\1: N', 'g')
	FROM pg_temp.explain_lines(query, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF', 'Gpusort|Keeps|Sort Method') line
$$;
SELECT found('SELECT * FROM (SELECT id, rank() OVER (PARTITION BY p_int ORDER BY o_many) AS r FROM first_t) q WHERE r <= 3');
SELECT found('SELECT * FROM (SELECT id, rank() OVER (PARTITION BY id ORDER BY o_many) AS r FROM first_t) q WHERE r <= 3');
-- Values of one partition that are written in several ways.
SELECT found('SELECT * FROM (SELECT id, rank() OVER (PARTITION BY p_numeric ORDER BY o_many) AS r FROM first_t) q WHERE r <= 3');

-- LIMIT WITH TIES keeps the rows that are equal to the last.
SELECT found('SELECT id, o_few FROM first_t ORDER BY o_few FETCH FIRST 5 ROWS WITH TIES');
SELECT k, (pg_temp.compare_node('rows', format('SELECT %1$s FROM first_t ORDER BY %1$s OFFSET 2 FETCH FIRST 100 ROWS WITH TIES', k), false)).*
FROM unnest(ARRAY['o_few', 'o_few, o_text', 'o_float', 'id', 'o_text, o_numeric', 'p_bool']) k;
SET work_mem = '64kB';
SELECT k, (pg_temp.compare_node('rows', format('SELECT id, o_few, o_float, o_text FROM first_t ORDER BY %s FETCH FIRST 100 ROWS WITH TIES', k), false)).*
FROM unnest(ARRAY['o_few', 'o_text, o_numeric', 'p_bool']) k;
SET work_mem = '4MB';
DECLARE ties_cursor SCROLL CURSOR WITH HOLD FOR SELECT o_few FROM first_t ORDER BY o_few FETCH FIRST 3 ROWS WITH TIES;
FETCH LAST FROM ties_cursor;
MOVE FIRST FROM ties_cursor;
FETCH 2 FROM ties_cursor;
CLOSE ties_cursor;

-- Prepared plans, rescans with other parameters, cursors.
PREPARE of_each(int8) AS SELECT * FROM (SELECT p_int, id, row_number() OVER (PARTITION BY p_int ORDER BY id) AS n FROM first_t WHERE p_int < 3) q WHERE n < $1;
SET plan_cache_mode = force_generic_plan;
SELECT * FROM pg_temp.explain_lines('EXECUTE of_each(2)', 'COSTS OFF', 'Gpusort|Keeps');
EXECUTE of_each(3);
EXECUTE of_each(2);
EXECUTE of_each(NULL);
RESET plan_cache_mode;
DEALLOCATE of_each;
SELECT (pg_temp.compare_node('rows', 'SELECT o.x, i.id, i.n FROM generate_series(1, 4) o(x) CROSS JOIN LATERAL (SELECT * FROM (SELECT id, p_int, row_number() OVER (PARTITION BY p_int ORDER BY id DESC) AS n FROM first_t WHERE p_int > o.x * 8) w WHERE n <= 2) i')).*;
SELECT (pg_temp.compare_node('rows', 'SELECT o.x, i.id, i.n FROM generate_series(1, 4) o(x) CROSS JOIN LATERAL (SELECT * FROM (SELECT id, p_int, row_number() OVER (PARTITION BY p_int ORDER BY id DESC) AS n FROM first_t) w WHERE n <= o.x) i')).*;

-- The rows are cut several times while they are read one by one.
CREATE TABLE first_cuts WITH (autovacuum_enabled = off) AS SELECT i AS id, hashint4(i) & 1 AS p_int, CASE hashint4(i) & 1 WHEN 0 THEN 1000000000 ELSE 0 END - i AS o_many FROM generate_series(1, 60000) i;
ANALYZE first_cuts;
SELECT (pg_temp.compare_node('rows', 'SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY p_int ORDER BY o_many) AS n FROM first_cuts WHERE id > 0) q WHERE n <= 3')).*;
-- Partitions of a type without a hash function.
SELECT (pg_temp.compare_node('rows', 'SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY ARRAY[(p_int)::money] ORDER BY id) AS n FROM first_cuts) q WHERE n <= 3')).same;
DROP TABLE first_cuts;

-- Parallel workers keep the first rows of their parts.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM pg_temp.explain_lines('SELECT * FROM (SELECT id, rank() OVER (PARTITION BY p_text ORDER BY o_few) AS r FROM first_t) q WHERE r <= 3', 'COSTS OFF', 'Gpusort|Keeps|Gather');
SELECT best('p_text', 'o_few', 'r <= 3'), best('p_float', 'id DESC', 'n <= 3'), best('p_int, p_null', 'o_float', 'd <= 3');
SELECT (pg_temp.compare_node('rows', 'SELECT id, o_few FROM first_t ORDER BY o_few FETCH FIRST 100 ROWS WITH TIES', false)).*;

-- A bound that only the leader can tell.
PREPARE counted AS SELECT 1;
CREATE FUNCTION restricted_rows() RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS 'BEGIN RETURN 1 + 9 * (SELECT count(*) FROM pg_prepared_statements WHERE name = ''counted''); END';
SELECT count(*) FROM (SELECT o_few FROM first_t WHERE id % 2 = 0 ORDER BY o_few LIMIT restricted_rows()) q;
DEALLOCATE counted;
DROP FUNCTION restricted_rows;

-- Partition keys whose products with a constant of hash functions have no high bits: k times its inverse modulo 2^64. They take no longer than others.
CREATE TABLE crafted AS SELECT CASE WHEN h >= 9223372036854775808 THEN h - 18446744073709551616 ELSE h END::int8 AS p, x
FROM generate_series(1, 50000) k, LATERAL (SELECT k * 17428512612931826493::numeric % 18446744073709551616 AS h) m, generate_series(1, 12) x;
ANALYZE crafted;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64MB';
SET statement_timeout = '10s';
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY p ORDER BY x) AS n FROM crafted) q WHERE n <= 1;
SELECT * FROM pg_temp.explain_lines('SELECT * FROM (SELECT row_number() OVER (PARTITION BY p ORDER BY x) AS n FROM crafted) q WHERE n <= 1', 'COSTS OFF', 'Gpusort|Keeps');
RESET statement_timeout;
DROP TABLE crafted;

DROP TABLE first_t;
DROP FUNCTION best, keeps, best_of_all, found;
