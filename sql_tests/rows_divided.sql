-- Rows beyond memory are divided into parts: whatever their words tie on, the order is PostgreSQL's, and equal rows keep
-- the input's order, as Sort gives with ctid as the last key.
SET gpusort.force_nodes = on;
SET gpusort.engine = cpu;	-- a GPU would hold the rows itself
SET max_parallel_workers_per_gather = 0;
SET work_mem = '128kB';
CREATE TABLE divided WITH (autovacuum_enabled = off) AS
SELECT i AS id, hashint4(i) AS random, hashint4(i) % 40 AS few, hashint8(i)::int8 * 4294967296 + hashint4(i + 7) AS wide, 7::int8 AS same,
	CASE WHEN i > 20000 AND i % 3 <> 0 THEN i % 100 END AS late_values, CASE WHEN i < 25000 OR i % 5 <> 0 THEN hashint4(i) % 1000 END AS late_nulls,
	('common prefix of all texts ' || hashint4(i) % 3000) COLLATE "C" AS prefixed, repeat(chr(97 + i % 7), 1 + (i * 7919 % 997 = 0)::int * 9000) COLLATE "C" AS long,
	ARRAY[hashint4(i) % 50] AS compared, CASE WHEN i % 10 = 0 THEN 'text ' || i END AS absent
FROM generate_series(1, 30000) i;
ANALYZE divided;
CREATE FUNCTION divided_as_sort(columns text, keys text, OUT same bool, OUT spilled bool) LANGUAGE plpgsql AS $$
DECLARE
	with_node text;
	without text;
	plan json;
BEGIN
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (SELECT %s FROM divided ORDER BY %s) q', columns, keys) INTO with_node;
	EXECUTE format('EXPLAIN (ANALYZE, FORMAT json) SELECT %s FROM divided ORDER BY %s', columns, keys) INTO plan;
	SET LOCAL gpusort.enable_sort = off;
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (SELECT %s FROM divided ORDER BY %s, ctid) q', columns, keys) INTO without;
	SET LOCAL gpusort.enable_sort = on;
	same := with_node = without;
	spilled := (plan -> 0 -> 'Plan' ->> 'Parts')::int > 1;
END $$;
SELECT columns, keys, m.*
FROM unnest(ARRAY['id, few', 'id, absent', '*']) columns, unnest(ARRAY['random', 'few', 'few DESC, random', 'wide', 'wide DESC', 'same, wide', 'same, same + id % 2',
	'late_values', 'late_values DESC NULLS LAST, late_nulls', 'late_nulls NULLS FIRST, wide', 'prefixed', 'prefixed DESC, few', 'long, few', 'few, compared', 'few, compared DESC, wide']) keys,
	divided_as_sort(columns, keys) m
ORDER BY columns COLLATE "C", keys COLLATE "C";

-- A cursor goes back: parts are read again.
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT id, late_nulls, length(long) FROM divided ORDER BY late_nulls DESC, wide;
MOVE FORWARD 20000 FROM back;
FETCH 2 FROM back;
FETCH LAST FROM back;
FETCH BACKWARD 2 FROM back;
FETCH ABSOLUTE 20001 FROM back;
COMMIT;

-- temp_file_limit holds while rows are written.
CREATE FUNCTION divide_below(memory text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('temp_file_limit', memory, true);
	EXECUTE query;
	RETURN 'done';
EXCEPTION WHEN configuration_limit_exceeded THEN
	RETURN 'too little';
END $$;
SELECT memory, divide_below(memory, 'SELECT count(q) FROM (SELECT * FROM divided ORDER BY random OFFSET 0) q') FROM unnest(ARRAY['1MB', '5000kB', '100MB']) memory;
DROP TABLE divided;
DROP FUNCTION divided_as_sort, divide_below;
