-- The arrays node reads stored values itself: however they are stored, it sees what detoasting sees.
SET gpusort.force_nodes = on;
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4MB';

CREATE FUNCTION numbers(seed int, length int) RETURNS int4[] LANGUAGE sql IMMUTABLE AS
	'SELECT array_agg(hashint4(seed * 7919 + k)) FROM generate_series(1, length) k';
CREATE FUNCTION differences(tab text, col text) RETURNS TABLE (rows bigint, differ bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TEMP TABLE sorted AS SELECT id, gpusort.array_sort(%I) s, gpusort.array_argsort(%1$I) p FROM %I', col, tab);
	SET LOCAL gpusort.enable_array_sort = off;
	RETURN QUERY EXECUTE format('SELECT count(*), count(*) FILTER (WHERE (s, p) IS DISTINCT FROM (gpusort.array_sort(%I), gpusort.array_argsort(%1$I)))
		FROM %I FULL JOIN sorted USING (id)', col, tab);
	DROP TABLE sorted;
	SET LOCAL gpusort.enable_array_sort = on;
END $$;

-- uncompressed, of lengths around the borders of chunks, with a second column between
CREATE TABLE stored (id serial PRIMARY KEY, a int4[], b int4[]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
INSERT INTO stored (a, b)
SELECT numbers(l, l), numbers(l, 600 + l % 3 * 2000)
FROM unnest(ARRAY[1, 2, 493, 494, 495, 496, 497, 990, 991, 992, 993, 994, 995, 1490, 1491, 1492, 1493, 5000, 20000, 3, 700]) l,
	generate_series(1, 4);
SELECT * FROM differences('stored', 'a');
SELECT * FROM differences('stored', 'b');
-- in another order than the stored one
CREATE INDEX ON stored ((cardinality(a)), id DESC);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT count(*), sum(s[1]::int8 + s[cardinality(s)]) FROM (SELECT gpusort.array_sort(a) s FROM stored WHERE cardinality(a) > 100 ORDER BY cardinality(a), id DESC OFFSET 0) q;
SET gpusort.enable_array_sort = off;
SELECT count(*), sum(s[1]::int8 + s[cardinality(s)]) FROM (SELECT gpusort.array_sort(a) s FROM stored WHERE cardinality(a) > 100 ORDER BY cardinality(a), id DESC OFFSET 0) q;
RESET gpusort.enable_array_sort;
RESET enable_seqscan;
RESET enable_bitmapscan;
-- after updates, deletes and reuse of the space
UPDATE stored SET a = numbers(id, 1000) WHERE id % 3 = 0;
UPDATE stored SET b = a, a = b WHERE id % 5 = 0;
DELETE FROM stored WHERE id % 7 = 0;
SELECT * FROM differences('stored', 'a');
VACUUM stored;
INSERT INTO stored (a, b) SELECT numbers(i, 1500 + i), numbers(i, 10) FROM generate_series(1, 30) i;
SELECT * FROM differences('stored', 'a');
SELECT * FROM differences('stored', 'b');
VACUUM FULL stored;
SELECT * FROM differences('stored', 'a');
-- written and read by the same transaction, and rolled back in part
BEGIN;
UPDATE stored SET a = numbers(id, 800) WHERE id % 2 = 0;
SAVEPOINT s;
UPDATE stored SET a = numbers(id, 900);
ROLLBACK TO s;
SELECT * FROM differences('stored', 'a');
ROLLBACK;

-- in buffers of another order, for those of a dropped table are used again from its end on, and in a session's own
CREATE TABLE dropped AS SELECT numbers(i, 3000 + i) AS a FROM generate_series(1, 100) i;
DROP TABLE dropped;
CREATE TABLE backward (id serial, a int4[]);
CREATE TEMP TABLE own (id serial, a int4[]);
ALTER TABLE backward ALTER a SET STORAGE EXTERNAL;
ALTER TABLE own ALTER a SET STORAGE EXTERNAL;
INSERT INTO backward (a) SELECT numbers(i, 700 * (1 + i % 13)) FROM generate_series(1, 60) i;
INSERT INTO own (a) SELECT a FROM backward;
SELECT * FROM differences('backward', 'a');
SELECT * FROM differences('own', 'a');

-- compressed, inside and outside, by both methods
CREATE TABLE compressed (id serial PRIMARY KEY, a int4[]);
DO $$ BEGIN ALTER TABLE compressed ADD l int4[] COMPRESSION lz4; EXCEPTION WHEN feature_not_supported THEN ALTER TABLE compressed ADD l int4[]; END $$;
INSERT INTO compressed (a, l)
SELECT a, a FROM (SELECT (SELECT array_agg(k % l ORDER BY k) FROM generate_series(1, n) k) a
	FROM unnest(ARRAY[1, 5, 100, 600, 3000, 40000]) n, unnest(ARRAY[1, 50, 1000]) l) q;
INSERT INTO compressed (a, l) SELECT q.a || numbers(q.id, 3000), q.l || numbers(q.id, 3000) FROM compressed q WHERE cardinality(q.a) > 500;
SELECT * FROM differences('compressed', 'a');
SELECT * FROM differences('compressed', 'l');
SELECT count(*) FROM compressed WHERE gpusort.array_sort(a) IS DISTINCT FROM gpusort.array_sort(l);

-- of several tables in one plan, and built by expressions
CREATE TABLE part (id int, a int4[]) PARTITION BY LIST ((id % 3));
CREATE TABLE part_0 PARTITION OF part FOR VALUES IN (0);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2);
ALTER TABLE part_1 ALTER a SET STORAGE EXTERNAL;
INSERT INTO part SELECT i, numbers(i, 1000 + i) FROM generate_series(1, 60) i;
SELECT * FROM differences('part', 'a');
SELECT count(*), sum(x[1]::int8), sum(y[1]::int8) FROM (SELECT gpusort.array_sort(p.a) x, gpusort.array_sort(s.a, true) y FROM part p JOIN stored s USING (id) OFFSET 0) q;
SET gpusort.enable_array_sort = off;
SELECT count(*), sum(x[1]::int8), sum(y[1]::int8) FROM (SELECT gpusort.array_sort(p.a) x, gpusort.array_sort(s.a, true) y FROM part p JOIN stored s USING (id) OFFSET 0) q;
RESET gpusort.enable_array_sort;
SELECT count(*), sum(x[1]::int8) FROM (SELECT gpusort.array_sort(array_append(a, id)) x FROM stored OFFSET 0) q;
SET gpusort.enable_array_sort = off;
SELECT count(*), sum(x[1]::int8) FROM (SELECT gpusort.array_sort(array_append(a, id)) x FROM stored OFFSET 0) q;
RESET gpusort.enable_array_sort;

-- The index is asked where guessing fails, for a value with chunks that somebody deleted, and for each value without the reader.
CREATE FUNCTION index_scans(tab regclass) RETURNS bigint LANGUAGE sql AS
	'SELECT sum(pg_stat_get_xact_numscans(indexrelid)) FROM pg_index JOIN pg_class c ON c.reltoastrelid = indrelid WHERE c.oid = tab';
CREATE TABLE fresh (id serial, a int4[]) WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off);
ALTER TABLE fresh ALTER a SET STORAGE EXTERNAL;
INSERT INTO fresh (a) SELECT numbers(i, 700 * (1 + i % 13)) FROM generate_series(1, 100) i;
CREATE VIEW fresh_sums AS SELECT count(*), sum(s[1]::int8) AS least, sum(s[cardinality(s)]::int8) AS greatest
	FROM (SELECT gpusort.array_sort(a) s FROM fresh OFFSET 0) q;
BEGIN;
SELECT index_scans('fresh') AS before \gset
SELECT * FROM fresh_sums;
SELECT index_scans('fresh') - :before < 50 AS guessed;
COMMIT;
BEGIN;
SET LOCAL gpusort.force_nodes = row_by_row;
SELECT index_scans('fresh') AS before \gset
SELECT * FROM fresh_sums;
SELECT index_scans('fresh') - :before = 100 AS by_index;
COMMIT;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM fresh_sums;
SAVEPOINT s;
DELETE FROM fresh;
SELECT index_scans('fresh') AS before \gset
FETCH c;
SELECT index_scans('fresh') - :before >= 100 AS by_index;
SELECT * FROM fresh_sums;
ROLLBACK;
SELECT * FROM fresh_sums;
VACUUM fresh;	-- marks what was not deleted, which pruning may put off for sessions that others have
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 0;
INSERT INTO fresh (a) SELECT a FROM fresh;
SELECT index_scans('fresh') AS before \gset
SELECT * FROM fresh_sums;
SELECT index_scans('fresh') - :before < 200 AS some_guessed;
ROLLBACK;

-- Compressed values, by PostgreSQL 19's default lz4 too, are read past the index just so.
CREATE TABLE by_pglz (id serial, a int4[] COMPRESSION pglz);
CREATE TABLE by_lz4 (id serial, a int4[]);
DO $$ BEGIN ALTER TABLE by_lz4 ALTER a SET COMPRESSION lz4; EXCEPTION WHEN feature_not_supported THEN NULL; END $$;
INSERT INTO by_pglz (a) SELECT numbers(i, 700 * (1 + i % 13)) || array_fill(i, ARRAY[20000]) FROM generate_series(1, 100) i;
INSERT INTO by_lz4 (a) SELECT a FROM by_pglz;
SELECT count(*) FILTER (WHERE pg_column_compression(p.a) IS NOT NULL AND pg_column_size(p.a) > 2500) AS pglz_outside,
	count(*) FILTER (WHERE pg_column_compression(l.a) IS NOT NULL AND pg_column_size(l.a) > 2500) AS lz4_outside FROM by_pglz p JOIN by_lz4 l USING (id);
BEGIN;
SELECT index_scans('by_pglz') AS before \gset
SELECT count(*), sum(s[1]::int8) AS least, sum(s[cardinality(s)]::int8) AS greatest FROM (SELECT gpusort.array_sort(a) s FROM by_pglz OFFSET 0) q;
SELECT index_scans('by_pglz') - :before < 50 AS guessed;
COMMIT;
BEGIN;
SELECT index_scans('by_lz4') AS before \gset
SELECT count(*), sum(s[1]::int8) AS least, sum(s[cardinality(s)]::int8) AS greatest FROM (SELECT gpusort.array_sort(a) s FROM by_lz4 OFFSET 0) q;
SELECT index_scans('by_lz4') - :before < 50 AS guessed;
COMMIT;
SELECT * FROM differences('by_pglz', 'a');
SELECT * FROM differences('by_lz4', 'a');
