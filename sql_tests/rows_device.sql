-- Rows beyond work_mem: with a device those of values passed by value are sorted in its memory.  Random sorts, row by row beside PostgreSQL's own Sort, whose last key is the input's order;
-- cursors that go back, merge joins that restore a mark, bounds, intervals, parallel workers.
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64kB';

-- i is the input's order.  Keys have few or many values, NULLs or none, and ranges from a byte to 64 bits.
CREATE TABLE held AS
SELECT i, (i * 7919::int8 % 6007)::int4 AS every, (i * 31 % 7)::int2 AS few, i % 3 = 0 AS bool,
	CASE WHEN i % 11 > 0 THEN (i * 48271::int8 % 2147483647)::int4 - 1000000000 END AS wide,
	CASE WHEN i % 1000 > 0 THEN (i * 1000003::int8 % 65537) * 140737488355327 END AS int8,
	(i * 48271::int8 % 2147483647) * 4294967311 AS word,
	CASE i % 5 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN -0.0::float8 WHEN 2 THEN 0 ELSE i * 7919 % 1009 / 7.0 END AS float8,
	CASE WHEN i > 4000 THEN (i * 31 % 977)::float4 / 3 END AS float4,
	timestamptz '2026-01-01 00:00+00' + make_interval(secs => i * 7919 % 10007) AS time,
	date '2026-01-01' + i % 100 AS day, (i % 600)::oid AS oid, NULL::int4 AS never,
	1000000000000 + i / 1500 AS tied,
	(i % 3) * 4000000000000000000 AS far, (i % 500) * 18000000000000000 AS apart
FROM generate_series(1, 6000) i;
ANALYZE held;

-- The rows' md5 in order, by the node and by PostgreSQL.
CREATE FUNCTION rows_in_order(columns text, keys text, node bool, rows regclass DEFAULT 'held') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('gpusort.enable_sort', node::text, true);
	EXECUTE format('SELECT md5(string_agg(q::text, '' '')) FROM (SELECT %s FROM %s ORDER BY %s%s OFFSET 0) q',
				   columns, rows, keys, CASE WHEN node THEN '' ELSE ', i' END) INTO result;
	RETURN result;
END $$;

SELECT keys FROM unnest(array[
	'every', 'every DESC', 'few', 'few DESC, bool', 'bool, few NULLS FIRST', 'wide', 'wide DESC', 'wide NULLS FIRST, every', 'wide DESC NULLS LAST',
	'int8', 'int8 DESC', 'int8 NULLS FIRST', 'word', 'word DESC', 'few, word', 'tied, word', 'word, int8', 'bool, int8 DESC, word',
	'float8', 'float8 DESC, float4', 'float4 NULLS FIRST, few', 'float4 DESC, wide', 'time', 'time DESC, day', 'day, time', 'oid, i DESC',
	'never', 'never, wide', 'never::text COLLATE "C", every DESC', 'never DESC, never', 'few, never, bool', 'tied', 'tied DESC', 'i', 'i DESC',
	'far, word', 'far DESC, i DESC', 'apart, word, i', 'apart DESC, float8, few',
	'few, day, bool, oid', 'few, wide, int8, word', 'wide, few, float8, word, int8']) keys
WHERE rows_in_order('*', keys, true) IS DISTINCT FROM rows_in_order('*', keys, false)
	OR rows_in_order('i', keys, true) IS DISTINCT FROM rows_in_order('i', keys, false);

-- Rows with records, which no device takes: values of other types, short and long ones, many of them equal or NULL, some of them keys.
CREATE TABLE recorded AS
SELECT i, md5(i::text) COLLATE "C" AS hash, CASE WHEN i % 7 > 0 THEN 'name ' || i * 7919 % 499 END COLLATE "C" AS name,
	(i * 48271::int8 % 2147483647)::numeric / 100 AS number, md5((i % 2000)::text)::uuid AS uuid,
	substring(decode(md5(i::text), 'hex') FROM 1 + i % 3 FOR i % 11) AS bytes,
	make_interval(days => i * 31 % 100, secs => i % 86400) AS interval, ('c' || i % 77)::char(10) AS code, i % 5 AS few,
	CASE WHEN i % 2 = 0 THEN '' END AS empty, NULL::text AS never, left(md5(i::text), 1 + i % 8) AS hex
FROM generate_series(1, 6000) i;
ANALYZE recorded;
SELECT columns, keys
FROM unnest(array['*', 'i, name', 'number, hex', 'never, empty', 'i']) columns, unnest(array[
	'hash', 'hash DESC', 'name, hash', 'name DESC NULLS LAST, i', 'number', 'number DESC, hash', 'uuid, i DESC', 'bytes', 'bytes DESC, name', 'interval',
	'interval DESC, uuid', 'code, hash DESC', 'few, hash', 'few DESC, name NULLS FIRST, number', 'empty, hash', 'never, number', 'i', 'i DESC', 'hex', 'hex COLLATE "C" DESC',
	'hex, few', 'few, hex, hash']) keys
WHERE rows_in_order(columns, keys, true, 'recorded') IS DISTINCT FROM rows_in_order(columns, keys, false, 'recorded');

-- A record that is much longer comes late.
INSERT INTO recorded (i, hash, hex) VALUES (6001, repeat('5', 500), 'late');
SELECT keys FROM unnest(array['hash', 'few, i DESC', 'number']) keys
WHERE rows_in_order('*', keys, true, 'recorded') IS DISTINCT FROM rows_in_order('*', keys, false, 'recorded');

-- Random keys over random columns.
CREATE FUNCTION try_random_keys(tries int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	keys text;
	columns text;
BEGIN
	PERFORM setseed(0.5);
	FOR t IN 1 .. tries LOOP
		SELECT string_agg(c || (array['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])[1 + trunc(random() * 4)::int], ', ')
		FROM (SELECT c FROM unnest(array['every', 'few', 'bool', 'wide', 'int8', 'word', 'float8', 'float4', 'time', 'day', 'oid', 'tied', 'apart']) c
			  ORDER BY random() LIMIT 1 + trunc(random() * 4)) k INTO keys;
		SELECT string_agg(c, ', ') FROM (SELECT c FROM unnest(array['i', 'few', 'wide', 'int8', 'bool', 'float4', 'never']) c
			  ORDER BY random() LIMIT 1 + trunc(random() * 4)) k INTO columns;
		PERFORM set_config('work_mem', (array['64kB', '128kB', '256kB'])[1 + trunc(random() * 3)::int], true);
		IF rows_in_order(columns, keys, true) IS DISTINCT FROM rows_in_order(columns, keys, false) THEN
			RETURN format('SELECT %s ORDER BY %s differs with work_mem = %s', columns, keys, current_setting('work_mem'));
		END IF;
	END LOOP;
	RETURN 'all alike';
END $$;
SELECT try_random_keys(25);

-- Back and forth in a cursor, rows across blocks.
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT every, i FROM held ORDER BY every;
FETCH 2 FROM c;
FETCH ABSOLUTE 5999 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH ABSOLUTE 1 FROM c;
MOVE FORWARD ALL IN c;
FETCH BACKWARD 2 FROM c;
FETCH ABSOLUTE 3000 FROM c;
MOVE BACKWARD ALL IN c;
FETCH 1 FROM c;
COMMIT;

-- A cursor that stops in the middle, and one that outlives its transaction.
BEGIN;
DECLARE d NO SCROLL CURSOR FOR SELECT few, i FROM held ORDER BY few, wide;
FETCH 2 FROM d;
SAVEPOINT s;
DECLARE e CURSOR WITH HOLD FOR SELECT day, i FROM held ORDER BY day DESC, every;
FETCH 1 FROM e;
SELECT 1 / 0;
ROLLBACK TO s;
FETCH 1 FROM d;
DECLARE e CURSOR WITH HOLD FOR SELECT day - date '2026-01-01' AS day, i FROM held ORDER BY day DESC, every;
COMMIT;
FETCH 2 FROM e;
CLOSE e;

-- Merge joins restore marks.
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT count(*), sum(a.i::int8 * b.i % 1009) FROM held a JOIN held b ON a.every = b.every AND a.i < 3000;
SELECT count(*), sum(a.i::int8 * b.i % 1009) FROM (SELECT * FROM held WHERE i % 60 = 0) a JOIN held b ON a.oid = b.oid;
RESET enable_hashjoin;
RESET enable_nestloop;

-- Bounds, groups, intervals and rescans.
SELECT sum(i * n) FROM (SELECT i, row_number() OVER (ORDER BY wide, i DESC) % 1009 AS n FROM held) q;
SELECT sum(i), min(i), max(i) FROM (SELECT i FROM held ORDER BY wide LIMIT 5000) q;
SELECT sum(n) FROM (SELECT i % 1009 * row_number() OVER (ORDER BY every) AS n FROM held WHERE i % 2 = 0 ORDER BY wide OFFSET 0) q;
SELECT count(*), sum(d) FROM (SELECT DISTINCT every % 4000 AS d, few FROM held) q;
SELECT g, (SELECT sum(i * (n % 97)) FROM (SELECT i, row_number() OVER () AS n FROM (SELECT i FROM held WHERE i > g ORDER BY word OFFSET 0) s) t)
FROM generate_series(0, 2) g;

-- Parallel workers.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*), bool_and(every >= before) FROM (SELECT every, lag(every, 1, 0) OVER () AS before FROM (SELECT every, i FROM held ORDER BY every, i OFFSET 0) s) q;

DROP FUNCTION rows_in_order, try_random_keys;
DROP TABLE held, recorded;
