-- Rows beyond memory whose division is a wrong guess, or of no use: whatever comes, rows are those of PostgreSQL's Sort,
-- and equal ones keep the input's order, as Sort gives with the row's number as the last key.
CREATE SCHEMA rows_spilled;
SET search_path = rows_spilled, public;
SET gpusort.force_nodes = on;
SET gpusort.engine = cpu;	-- a GPU would hold the rows itself
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;

CREATE TABLE spilled WITH (autovacuum_enabled = off) AS
SELECT i AS id, i AS up, -i AS down, i % 3001 AS sequences, 5 AS one, (hashint4(i) & 1)::int8 AS two, hashint4(i) AS random,
	repeat('tie ', 60) || hashint4(i) % 50 AS ties, repeat('tie ', 60) || hashint4(i) AS long,
	CASE WHEN i < 3000 THEN i ELSE 1000000 + hashint4(i) % 100000 END AS first_unlike, CASE WHEN i < 4000 OR i % 3 = 0 THEN 7 ELSE hashint4(i) END AS sampled_alike,
	CASE WHEN i % 16 = 0 THEN 0 ELSE hashint4(i) % 1000 END AS every_16th, i * 10 + hashint4(i) % 200 AS growing, timestamptz '2026-01-01 00:00+00' + i * interval '1 s' + hashint4(i) % 5000 * interval '1 s' AS slowly,
	CASE WHEN i % 1000 <> 0 THEN i END AS up_nulls, CASE WHEN i > 11500 THEN hashint4(i) END AS late, exp((hashint4(i) % 500)::float8) AS skewed, (hashint4(i) % 700)::numeric / 7 AS numbers,
	CASE hashint4(i) % 5 WHEN 0 THEN '-infinity' WHEN 1 THEN 'infinity' ELSE timestamp '2026-01-01' + hashint4(i) % 9 * interval '1 day' END AS infinite,
	CASE hashint4(i) % 4 WHEN 0 THEN -9223372036854775808 WHEN 1 THEN -9223372036854775807 WHEN 2 THEN 9223372036854775807 END AS ends,
	ARRAY[hashint4(i) % 2000] AS list, int4range(0, 1 + abs(hashint4(i) % 3)) AS ranges, CASE WHEN i = 12000 THEN E'\u00e9t\u4e2d\u0301' ELSE 'plain ' || hashint4(i) END AS plain
FROM generate_series(1, 12000) i;
ANALYZE spilled;

-- The sizes of memory with which the order is not Sort's.
CREATE FUNCTION differ(keys text, memories text[], source text DEFAULT 'spilled', behind text DEFAULT 'OFFSET 0') RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT md5(string_agg(hash_record_extended(q, 0)::text, '','')) FROM (SELECT * FROM %s ORDER BY %s %s) q';
	memory text;
	own text;
	servers text;
	result text[] := '{}';
BEGIN
	PERFORM set_config('gpusort.enable_sort', 'off', true), set_config('work_mem', '64MB', true);
	EXECUTE format(query, source, keys || ', id', behind) INTO servers;
	PERFORM set_config('gpusort.enable_sort', 'on', true);
	FOREACH memory IN ARRAY memories LOOP
		PERFORM set_config('work_mem', memory, true);
		EXECUTE format(query, source, keys, behind) INTO own;
		IF own <> servers THEN result := result || memory; END IF;
	END LOOP;
	RETURN result;
END $$;
SELECT keys, differ(keys, '{64kB,1MB,4MB,1GB}')
FROM unnest(ARRAY['up', 'down', 'up DESC', 'sequences', 'one', 'two', 'two DESC, random', 'ties COLLATE "C"', 'ties COLLATE "C", random', 'long COLLATE "C"', 'long COLLATE "C" DESC',
	'first_unlike', 'first_unlike DESC', 'sampled_alike', 'sampled_alike, down', 'every_16th', 'growing', 'growing DESC', 'slowly', 'slowly DESC', 'up_nulls', 'up_nulls NULLS FIRST', 'up_nulls DESC',
	'late', 'late DESC', 'skewed', 'skewed DESC', 'numbers', 'numbers, random', 'infinite', 'infinite DESC, random', 'ends', 'ends NULLS FIRST', 'ends DESC', 'ends DESC NULLS LAST',
	'one, list', 'one, ranges, random', 'plain', 'plain DESC', 'random']) keys;
SELECT keys, differ(keys, '{64kB,256kB}', behind => 'LIMIT ' || rows) AS first, differ(keys, '{64kB}', behind => 'OFFSET 100 LIMIT ' || rows) AS next
FROM unnest(ARRAY['down', 'random', 'two', 'one, list', 'growing', 'infinite']) keys, unnest(ARRAY[1, 5000, 11999]) rows;

-- Plain texts of ICU until the last row, and texts of which the first ones are not plain.
DO $$
BEGIN
	CREATE COLLATION german (provider = icu, locale = 'de');
	CREATE TABLE turning AS SELECT id, (CASE WHEN id < 12000 THEN 'text ' || random ELSE E'\u00e9t\u4e2d\u0301' END) COLLATE german AS late,
		(CASE WHEN id = 1 THEN E'\u00e9t\u4e2d\u0301' ELSE 'text ' || random END) COLLATE german AS early FROM spilled;
	ANALYZE turning;
	ASSERT (SELECT bool_and(differ(keys, '{64kB,256kB,1MB}', 'turning') = '{}') FROM unnest(ARRAY['late', 'late DESC', 'early', 'early, late']) keys), 'texts that turn';
EXCEPTION WHEN feature_not_supported OR undefined_object THEN
	NULL;
END $$;

-- Keys of a megabyte, alike in all but their ends, and rows of 30 MB among short ones.
SELECT differ('key COLLATE "C"', '{64kB,4MB}', '(SELECT i AS id, CASE WHEN i % 10 = 0 THEN repeat(''x'', 1000000) || i * 7 % 30 ELSE ''x'' || i END AS key FROM generate_series(1, 300) i OFFSET 0) s');
SELECT differ('key', '{64kB}', '(SELECT i AS id, i * 7919 % 1009 AS key, CASE WHEN i % 1000 = 500 THEN repeat(''y'', 30000000) ELSE ''z'' || i END AS value FROM generate_series(1, 3000) i OFFSET 0) s');
SELECT differ('key', '{64kB}', '(SELECT i AS id, i % 2 AS key, CASE WHEN i % 1000 = 1 THEN repeat(''y'', 5000000) END AS value FROM generate_series(1, 4000) i OFFSET 0) s');

-- Cursors back and forth across parts: what is fetched again is as it was.
CREATE FUNCTION fetched_again(keys text, memory text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	rows int[];
	c refcursor;
	place int;
	id int;
	same bool := true;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	EXECUTE format('SELECT array_agg(id) FROM (SELECT id FROM spilled ORDER BY %s OFFSET 0) q', keys) INTO rows;
	OPEN c SCROLL FOR EXECUTE 'SELECT id FROM spilled ORDER BY ' || keys;
	FOR i IN 1 .. 400 LOOP
		place := 1 + abs(hashint4(i) % 12000);
		FETCH ABSOLUTE place FROM c INTO id;
		same := same AND id = rows[place];
		FETCH PRIOR FROM c INTO id;
		same := same AND id IS NOT DISTINCT FROM rows[place - 1];
	END LOOP;
	MOVE LAST FROM c;
	FOR i IN REVERSE 11999 .. 1 LOOP
		FETCH PRIOR FROM c INTO id;
		same := same AND id = rows[i];
	END LOOP;
	CLOSE c;
	RETURN same;
END $$;
SELECT keys, fetched_again(keys, '128kB') FROM unnest(ARRAY['random', 'up', 'down', 'one', 'two', 'one, list', 'ties COLLATE "C"']) keys;

-- Rescans, with other rows each time, and marks.
SET work_mem = '64kB';
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_material = off;
SELECT count(*), sum(a.id::int8 * b.id) FROM spilled a JOIN spilled b ON a.sequences = b.sequences AND a.two = b.two;
SET enable_nestloop = on;
SELECT g, count(*), sum(id), md5(string_agg(id::text, ',')) FROM generate_series(1, 3) g, LATERAL (SELECT id FROM spilled WHERE id % 3 < g ORDER BY random LIMIT 9000) l GROUP BY g ORDER BY g;
SET gpusort.enable_sort = off;
SELECT count(*), sum(a.id::int8 * b.id) FROM spilled a JOIN spilled b ON a.sequences = b.sequences AND a.two = b.two;
SELECT g, count(*), sum(id), md5(string_agg(id::text, ',')) FROM generate_series(1, 3) g, LATERAL (SELECT id FROM spilled WHERE id % 3 < g ORDER BY random LIMIT 9000) l GROUP BY g ORDER BY g;
RESET gpusort.enable_sort;
-- No file is left.
SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE format('pgsql_tmp%s.%%', pg_backend_pid());
DROP SCHEMA rows_spilled CASCADE;
