-- The rows node in every place where a Sort may stand, beside PostgreSQL's Sort.
SET gpusort.force_nodes = on;
SET compute_query_id = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4MB';
CREATE TABLE rows_t (k int4, f float8, small int2, label text, amount numeric, at timestamptz) WITH (autovacuum_enabled = off);
INSERT INTO rows_t SELECT i * 7919 % 500, CASE WHEN i % 10 > 0 THEN (i * 104729 % 1000)::float8 END, i % 3,
	'label ' || i * 31 % 2000, (i * 17 % 300) / 10.0, timestamptz '2024-01-01 00:00+00' + make_interval(mins => i * 13 % 4000)
FROM generate_series(1, 2000) i;
ANALYZE rows_t;

-- Whether a query returns the same rows, in order, with the node and without.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE FUNCTION same_rows(query text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN same THEN 'same' ELSE 'DIFFERENT' END || CASE WHEN nodes > 0 THEN '' ELSE ', node not used' END
	FROM pg_temp.compare_node('rows', query)
$$;

-- Which keys the node takes, and what EXPLAIN says.
EXPLAIN (costs off) SELECT * FROM rows_t ORDER BY k;
EXPLAIN (costs off, verbose) SELECT label, k + 1 AS k1, 7 AS seven FROM rows_t ORDER BY f DESC NULLS LAST, label COLLATE "C", amount;
EXPLAIN (costs off) SELECT * FROM rows_t ORDER BY array[label], k;
SET gpusort.enable_sort = off;
EXPLAIN (costs off) SELECT * FROM rows_t ORDER BY k;
RESET gpusort.enable_sort;
RESET gpusort.force_nodes;
EXPLAIN (costs off) SELECT * FROM rows_t WHERE k < 5 ORDER BY k;
SET gpusort.force_nodes = on;
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (analyze, costs off, timing off, summary off, buffers off) ' || query LOOP
		RETURN NEXT regexp_replace(regexp_replace(regexp_replace(line, '(Memory|Disk|Moved): \d+kB', '\1: NkB', 'g'), '(rows=\d+)\.00', '\1'), 'Engine: ([cg]pu|none needed)', 'Engine: any');
	END LOOP;
END $$;
SELECT explained('SELECT k, label FROM rows_t ORDER BY k');
SET work_mem = '64kB';
SET gpusort.engine = 'cpu';
SELECT explained('SELECT * FROM rows_t WHERE k >= 0 ORDER BY k');
RESET gpusort.engine;
SET work_mem = '4MB';
CREATE FUNCTION explained_json(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (analyze, verbose, format json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan';
END $$;
SELECT j ?& array['Read Time', 'Sort Time', 'Spill Time', 'Gather Time', 'Memory', 'Disk', 'Parts', 'Moved'] AS figures,
	   j ->> 'Sort Method' AS method, j ->> 'Input' AS input, j -> 'Sort Key' AS key
FROM explained_json('SELECT k FROM rows_t ORDER BY k DESC') j;

-- As of a Sort: the space used, of memory or, where rows were written, on disk.
SELECT j ->> 'Sort Space Type' AS type, j -> 'Sort Space Used' = j -> 'Memory' AS memory, j -> 'Sort Space Used' = j -> 'Disk' AS disk
FROM explained_json('SELECT k FROM rows_t ORDER BY k DESC') j;
SET work_mem = '64kB';
SET gpusort.engine = 'cpu';
SELECT j ->> 'Sort Space Type' AS type, j -> 'Sort Space Used' = j -> 'Memory' AS memory, j -> 'Sort Space Used' = j -> 'Disk' AS disk
FROM explained_json('SELECT * FROM rows_t ORDER BY k DESC') j;
RESET gpusort.engine;
SET work_mem = '4MB';

-- Single keys, mixed directions, NULLs, further keys that are compared.
SELECT keys, same_rows('SELECT * FROM rows_t ORDER BY ' || keys || ', label, f, at')
FROM unnest(array['k', 'k DESC', 'f', 'f DESC', 'f NULLS FIRST', 'f DESC NULLS LAST', 'small, f DESC', 'small DESC, k, f',
				  'k, f, small DESC', 'small, label COLLATE "C" DESC', 'k, amount DESC, at', 'at DESC', 'f, k, small, at, amount']) keys;

-- Keys that are not passed by value: with prefixes that all share and some share,
-- NULLs, trailing blanks and zeros, few and many distinct values.
CREATE TABLE rows_bytes AS SELECT i AS id, ('https://example.com/' || repeat('deep/', i % 7) || i * 7919 % 1000) COLLATE "C" AS url, repeat('a', i % 4)::char(9) COLLATE "C" AS blanks,
	CASE WHEN i % 5 > 0 THEN (ARRAY['red', 'green', 'a colour with a very long name'])[i % 3 + 1] END COLLATE "POSIX" AS colour, ('n' || i % 40)::name COLLATE "C" AS name, decode(repeat('00', i % 5) || repeat('01', i % 2), 'hex') AS zeros,
	md5((i % 900)::text)::uuid AS uuid, (i % 50)::numeric AS few, (1 / (i % 700 + 1.0))::numeric AS fractions, make_interval(months => i % 3, days => -i % 90, hours => i % 24) AS span, (i % 24 || ':00+' || i % 7)::timetz AS timetz,
	('08:00:2b:01:02:' || i % 90 + 10)::macaddr AS mac, ('08:00:2b:01:02:03:04:' || i % 90 + 10)::macaddr8 AS mac8, i % 2 = 0 AS even, chr(65 + i % 26)::"char" AS letter, repeat('x', i % 3 * 3000) || i AS long
FROM generate_series(1, 3000) i;
INSERT INTO rows_bytes (id, few, fractions) VALUES (-1, 'NaN', 'Infinity'), (-2, '-Infinity', '-1e-20'), (-3, 'Infinity', 'NaN'), (-4, NULL, 1e300), (-5, -0.0, -1e300);
ANALYZE rows_bytes;
SELECT keys, same_rows('SELECT id FROM rows_bytes ORDER BY ' || keys || ', id'), same_rows('SELECT id FROM rows_bytes ORDER BY ' || keys || ' DESC, id DESC LIMIT 400')
FROM unnest(array['url', 'blanks', 'colour', 'name', 'zeros', 'uuid', 'few', 'fractions', 'span', 'timetz', 'mac', 'mac8', 'even', 'letter', 'long COLLATE "C"',
				  'colour DESC NULLS LAST, url', 'even, url DESC, few', 'few, colour', 'zeros DESC, colour, letter']) keys;
SET work_mem = '64kB';
SELECT keys, same_rows('SELECT id FROM rows_bytes ORDER BY ' || keys || ', id') FROM unnest(array['url', 'colour, zeros', 'uuid DESC', 'fractions', 'long COLLATE "C" DESC']) keys;
SET work_mem = '4MB';

-- NaN, infinities and both zeros; zeros tie.
CREATE TABLE rows_floats (id int4, f4 float4, f8 float8);
INSERT INTO rows_floats SELECT row_number() OVER (), v::float4, v
FROM unnest(array['0', '-0', 'NaN', 'Infinity', '1', '-Infinity', '-0', NULL, '0', '-1', 'NaN', '1e-30']::float8[]) v;
SELECT string_agg(format('%s %s', id, f8), ', ') FROM (SELECT * FROM rows_floats ORDER BY f8) q;
SELECT string_agg(format('%s %s', id, f4), ', ') FROM (SELECT * FROM rows_floats ORDER BY f4 DESC) q;

-- Places of a Sort.
SET enable_hashagg = off;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT same_rows('SELECT a.k, a.f, b.label FROM rows_t a JOIN rows_t b ON a.k = b.k AND a.f = b.f ORDER BY a.k, a.f, b.label, a.label');
SELECT same_rows('SELECT count(*) FROM rows_t a FULL JOIN rows_t b ON a.k = b.small');
SELECT same_rows('SELECT k, count(*), sum(f) FROM rows_t GROUP BY k');
SELECT same_rows('SELECT DISTINCT k, small FROM rows_t');
SELECT same_rows('SELECT DISTINCT ON (k) k, label FROM rows_t ORDER BY k, label');
SELECT same_rows('SELECT k, label, rank() OVER (PARTITION BY small ORDER BY k, label), sum(f) OVER (PARTITION BY small ORDER BY k ROWS 3 PRECEDING) FROM rows_t ORDER BY small, k, label');
SELECT same_rows('SELECT k FROM rows_t INTERSECT SELECT small FROM rows_t');
SELECT same_rows('SELECT k FROM rows_t EXCEPT ALL SELECT small FROM rows_t');
SELECT same_rows('SELECT small, k, count(*) FROM rows_t GROUP BY ROLLUP (small, k)');
SELECT same_rows('WITH c AS MATERIALIZED (SELECT k, label FROM rows_t ORDER BY k, label) SELECT * FROM c UNION ALL SELECT * FROM c');
SELECT same_rows('SELECT k, label FROM rows_t ORDER BY k, label LIMIT 10 OFFSET 5');
SELECT same_rows('SELECT k, (SELECT string_agg(label, '','') FROM (SELECT label FROM rows_t i WHERE i.k = o.k ORDER BY i.f, label) q) FROM (SELECT DISTINCT k FROM rows_t WHERE k < 20) o');
SELECT same_rows('SELECT o.k, l.label FROM (VALUES (3), (5), (NULL), (3)) o(k) LEFT JOIN LATERAL (SELECT label FROM rows_t i WHERE i.k = o.k ORDER BY i.at DESC, label LIMIT 2) l ON true');
SELECT same_rows('SELECT k, array_agg(label ORDER BY f, label) FROM rows_t GROUP BY k');
SELECT same_rows('SELECT t.k, t.ctid, t.tableoid::regclass, t FROM rows_t t ORDER BY k, label');
SELECT same_rows('SELECT NULL::text AS nothing, k, ''x'' AS x FROM rows_t ORDER BY k');
SELECT same_rows('SELECT k FROM rows_t TABLESAMPLE SYSTEM (100) REPEATABLE (1) ORDER BY k');
SELECT same_rows('SELECT g FROM generate_series(1, 3000) g ORDER BY g % 7, g DESC');
SELECT same_rows('SELECT repeat(label, 300) AS long FROM rows_t ORDER BY k, label LIMIT 500');
RESET enable_hashagg;
RESET enable_hashjoin;
RESET enable_nestloop;

-- A merge join whose inner side is marked and restored, in memory and spilled.
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_material = off;
EXPLAIN (costs off) SELECT count(*) FROM rows_t a JOIN rows_t b USING (small, k);
SELECT same_rows('SELECT count(*), sum(a.f * b.k) FROM rows_t a JOIN rows_t b USING (small, k)');
SET work_mem = '64kB';
SELECT same_rows('SELECT count(*), sum(a.f * b.k) FROM rows_t a JOIN rows_t b USING (small, k)');
RESET enable_hashjoin;
RESET enable_nestloop;
RESET enable_material;

-- Cursors back and forth, in memory and spilled.
CREATE FUNCTION walk_cursor() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c SCROLL CURSOR FOR SELECT k, label FROM rows_t ORDER BY k, label;
	r record;
	seen text := '';
	move text;
BEGIN
	OPEN c;
	FOREACH move IN ARRAY array['NEXT', 'NEXT', 'PRIOR', 'PRIOR', 'NEXT', 'LAST', 'NEXT', 'PRIOR', 'PRIOR', 'ABSOLUTE 1000', 'RELATIVE -999', 'FIRST', 'PRIOR', 'NEXT'] LOOP
		CASE move
			WHEN 'NEXT' THEN FETCH NEXT FROM c INTO r;
			WHEN 'PRIOR' THEN FETCH PRIOR FROM c INTO r;
			WHEN 'LAST' THEN FETCH LAST FROM c INTO r;
			WHEN 'FIRST' THEN FETCH FIRST FROM c INTO r;
			WHEN 'ABSOLUTE 1000' THEN FETCH ABSOLUTE 1000 FROM c INTO r;
			ELSE FETCH RELATIVE -999 FROM c INTO r;
		END CASE;
		seen := seen || coalesce(r.k || ':' || r.label, '-') || ' ';
	END LOOP;
	RETURN seen;
END $$;
SELECT walk_cursor() AS spilled;
SET work_mem = '4MB';
SELECT walk_cursor() AS in_memory;
SET gpusort.enable_sort = off;
SELECT walk_cursor() AS without;
RESET gpusort.enable_sort;
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT k, label FROM rows_t ORDER BY k DESC, label;
FETCH 2 FROM held;
COMMIT;
FETCH 2 FROM held;
CLOSE held;

-- Prepared plans, parameters, rescans with and without a new parameter.
PREPARE sorted(int) AS SELECT k, label FROM rows_t WHERE small = $1 ORDER BY k, label LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE sorted(0);
EXECUTE sorted(2);
RESET plan_cache_mode;
DEALLOCATE sorted;
SET enable_material = off;
SELECT same_rows('SELECT o.x, i.k FROM (VALUES (1), (2), (3)) o(x) CROSS JOIN LATERAL (SELECT k FROM rows_t WHERE small = o.x % 3 ORDER BY k LIMIT 4 OFFSET o.x) i');
SELECT same_rows('SELECT count(*), sum(i.k * o.x) FROM generate_series(1, 3) o(x) LEFT JOIN (SELECT k, label FROM rows_t ORDER BY k, label OFFSET 0) i ON i.k > o.x');
RESET enable_material;

-- Partitions and inheritance with columns in another order.
CREATE TABLE rows_p (k int4, label text) PARTITION BY RANGE (k);
CREATE TABLE rows_p1 PARTITION OF rows_p FOR VALUES FROM (0) TO (250);
CREATE TABLE rows_p2 (label text, gone int4, k int4);
ALTER TABLE rows_p2 DROP COLUMN gone;
ALTER TABLE rows_p ATTACH PARTITION rows_p2 FOR VALUES FROM (250) TO (500);
INSERT INTO rows_p SELECT k, label FROM rows_t;
ALTER TABLE rows_p ADD COLUMN later int8 DEFAULT 42;
INSERT INTO rows_p SELECT k, label, NULL FROM rows_t WHERE k < 3;
SELECT same_rows('SELECT * FROM rows_p ORDER BY k, label, later');
SELECT same_rows('SELECT later, label, k FROM rows_p WHERE label > ''label 5'' ORDER BY k DESC, label, later');

-- Other transactions' and deleted rows are not seen; rows changed by this one are.
BEGIN;
DELETE FROM rows_p WHERE k % 2 = 0;
UPDATE rows_p SET label = 'changed' WHERE k = 3;
SELECT same_rows('SELECT * FROM rows_p ORDER BY k, label, later');
ROLLBACK;

-- Writing statements, and locked rows.
CREATE TABLE rows_sorted AS SELECT * FROM rows_t ORDER BY at, label;
SELECT bool_and(at >= before) FROM (SELECT at, lag(at) OVER (ORDER BY ctid) before FROM rows_sorted) q;
INSERT INTO rows_sorted SELECT * FROM rows_t ORDER BY k DESC;
SELECT count(*) FROM rows_sorted;
CREATE TABLE rows_changed (k int4, small int2, seven int4) PARTITION BY RANGE (k);
CREATE TABLE rows_changed_all PARTITION OF rows_changed DEFAULT;
CREATE FUNCTION change_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.k < 100 THEN
		NEW.small := NULL;
		NEW.seven := 8;
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER change BEFORE INSERT ON rows_changed_all FOR EACH ROW EXECUTE FUNCTION change_row();
INSERT INTO rows_changed SELECT k, small, 7 FROM rows_t ORDER BY k;
SELECT k < 100 AS changed, small IS NULL AS is_null, seven, count(*) FROM rows_changed GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT same_rows('SELECT k, label FROM rows_t ORDER BY k, label FOR UPDATE');

-- Parallel plans: below Gather Merge, and read directly by each worker.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (costs off) SELECT k, label FROM rows_t ORDER BY k, label;
SELECT same_rows('SELECT k, label FROM rows_t ORDER BY k, label');
SELECT same_rows('SELECT k, count(*) FROM rows_t GROUP BY k ORDER BY k');
SET parallel_leader_participation = off;
SELECT (p -> 'Workers Planned')::int AS workers, p #> '{Plans,0,Engine}' IN ('"cpu"', '"gpu"', '"gpu, cpu"', '"none needed"') AS engine, (p #> '{Plans,0,Memory}')::int > 30 AS all_memory, jsonb_array_length(p #> '{Plans,0,Sort Workers}') BETWEEN 1 AND 2 AS each_worker
FROM (SELECT j #> '{Plans,0}' AS p FROM explained_json('SELECT k, label FROM rows_t ORDER BY k, label') j) q;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;

-- temp_file_limit counts the rows; an interrupted sort leaves nothing behind.
SET work_mem = '64kB';
SET temp_file_limit = '100kB';
\set VERBOSITY sqlstate
SELECT count(*) FROM (SELECT * FROM generate_series(1, 100000) g ORDER BY g DESC OFFSET 0) q;
\set VERBOSITY default
RESET temp_file_limit;
SELECT count(*), min(g) FROM (SELECT * FROM generate_series(1, 100000) g ORDER BY g DESC OFFSET 0) q;
SELECT count(*) FROM pg_ls_tmpdir();
SET work_mem = '4MB';

-- A LIMIT's rows alone are kept: whatever the input's order, among equal keys and
-- NULLs, with rows dropped before and after rows were written.
SELECT explained('SELECT k, label FROM rows_t ORDER BY k, label LIMIT 10');
SELECT keys, bound, same_rows('SELECT * FROM (SELECT * FROM rows_t UNION ALL SELECT * FROM rows_t WHERE small > 0) q ORDER BY ' || keys || ', label, amount, at LIMIT ' || bound)
FROM unnest(array['at', 'at DESC', 'f NULLS FIRST', 'f DESC NULLS LAST', 'f DESC', 'small, k DESC']) keys, unnest(array['1', '10 OFFSET 3', '700', '3000']) bound
ORDER BY keys, bound;
SELECT same_rows('SELECT NULLIF(k, k) AS nothing, label FROM rows_t ORDER BY nothing, label LIMIT 9');
SET work_mem = '64kB';
SELECT same_rows('SELECT * FROM rows_t ORDER BY k DESC, label LIMIT 1200');
SELECT same_rows('SELECT g, repeat(''x'', g % 300) FROM generate_series(1, 20000) g ORDER BY -g LIMIT 900');
SET work_mem = '4MB';
-- An arrays node between LIMIT and Sort reads no further than the LIMIT wants.
SELECT line FROM explained('SELECT gpusort.array_sort(ARRAY[k, 1]), label FROM (SELECT * FROM rows_t ORDER BY k, label OFFSET 0) q LIMIT 10') line WHERE line ~ 'Gpusort|Sort Method: (top|in|ext)';
SELECT same_rows('SELECT gpusort.array_sort(ARRAY[k, 1]), label FROM (SELECT * FROM rows_t ORDER BY k, label OFFSET 0) q LIMIT 10 OFFSET 300');
SELECT explained('SELECT k, label FROM rows_t ORDER BY k, label LIMIT NULL');
SELECT explained('SELECT k FROM rows_t ORDER BY k FETCH FIRST 3 ROWS WITH TIES');
SELECT explained('SELECT k, label FROM rows_t ORDER BY k, label LIMIT 5 + (random() * 0)::int8');
SELECT same_rows('SELECT k, label FROM rows_t ORDER BY k, label LIMIT (SELECT 5)');
SELECT same_rows('SELECT o.x, i.k FROM (VALUES (1), (2), (3), (0)) o(x) CROSS JOIN LATERAL (SELECT k, label FROM rows_t ORDER BY k, label LIMIT o.x) i');
PREPARE first_rows(int8, int4) AS SELECT k, label FROM rows_t ORDER BY k DESC, label LIMIT $1 OFFSET $2;
SET plan_cache_mode = force_generic_plan;
SELECT explained('EXECUTE first_rows(3, 2)');
EXECUTE first_rows(3, 2);
EXECUTE first_rows(2, NULL);
SELECT explained('EXECUTE first_rows(NULL, 1997)');
EXECUTE first_rows(NULL, 1997);
EXECUTE first_rows(9223372036854775807, 1998);
RESET plan_cache_mode;
DEALLOCATE first_rows;
BEGIN;
DECLARE bounded SCROLL CURSOR FOR SELECT k, label FROM rows_t ORDER BY k, label LIMIT 5;
FETCH LAST FROM bounded;
FETCH BACKWARD 2 FROM bounded;
FETCH 9 FROM bounded;
COMMIT;

-- A Sort whose bound only the executor knows stays.
RESET gpusort.force_nodes;
CREATE TABLE rows_many AS SELECT i * 7919 % 100003 AS k, i FROM generate_series(1, 60000) i;
CREATE INDEX ON rows_many (i);
ANALYZE rows_many;
EXPLAIN (costs off) SELECT * FROM rows_many ORDER BY k;
EXPLAIN (costs off) SELECT * FROM rows_many ORDER BY k LIMIT 10;
EXPLAIN (costs off) SELECT * FROM rows_many ORDER BY k LIMIT (random() * 10)::int;

-- An Incremental Sort of large groups is taken if all of its rows are wanted.
CREATE TABLE rows_grouped AS SELECT (i - 1) / 12000 AS large, i, CASE WHEN i % 9 > 0 THEN i * 7919 % 100003 END AS k FROM generate_series(1, 60000) i;
CREATE INDEX ON rows_grouped (large);
CREATE INDEX ON rows_grouped (i);
ANALYZE rows_grouped;
SET enable_seqscan = off;
EXPLAIN (costs off) SELECT * FROM rows_grouped ORDER BY large, k;
SELECT same_rows('SELECT * FROM rows_grouped ORDER BY large, k DESC, i');
EXPLAIN (costs off) SELECT * FROM rows_grouped ORDER BY i, k;
EXPLAIN (costs off) SELECT * FROM rows_grouped ORDER BY large, k LIMIT 100;
EXPLAIN (costs off) DECLARE c CURSOR FOR SELECT * FROM rows_grouped ORDER BY large, k;
SET enable_incremental_sort = off;
RESET enable_incremental_sort;
RESET enable_seqscan;
EXPLAIN (costs off) SELECT * FROM rows_many WHERE i < 50 ORDER BY k;

-- One process that reads and sorts a whole table is done before workers have handed
-- over theirs, unless a LIMIT wants few rows or workers have more to do.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (costs off) SELECT i AS number, 'x' AS x FROM rows_many ORDER BY k;
SELECT same_rows('SELECT i AS number, 1 AS one FROM rows_many ORDER BY k');
EXPLAIN (costs off) SELECT i FROM rows_many ORDER BY k LIMIT 10;
EXPLAIN (costs off) SELECT i FROM rows_many WHERE k % 7 > 0 ORDER BY k;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE rows_t, rows_bytes, rows_floats, rows_p, rows_sorted, rows_changed, rows_many, rows_grouped;
DROP FUNCTION same_rows, explained, explained_json, walk_cursor, change_row;
