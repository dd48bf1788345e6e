-- Reading plain tables from their pages: the same rows as row by row, whatever the
-- pages hold.
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE kept (x int4, id int4, label text);
INSERT INTO kept SELECT i * 7919 % 1009, i, CASE WHEN i % 7 > 0 THEN repeat('x', i % 50) END FROM generate_series(1, 5000) i;
-- Rows that were deleted, moved and rolled back, and pages with one row or none.
DELETE FROM kept WHERE id BETWEEN 1000 AND 1800 OR id % 5 = 0;
UPDATE kept SET x = -x WHERE id % 3 = 0;
BEGIN;
INSERT INTO kept SELECT i, i, 'never' FROM generate_series(1, 500) i;
ROLLBACK;
-- Columns that older rows lack.
ALTER TABLE kept ADD COLUMN later int8 DEFAULT 42, ADD COLUMN latest text COLLATE "C";
INSERT INTO kept SELECT i, i, 'new', i, 'too' FROM generate_series(6000, 6100) i;
CREATE TABLE one_row AS SELECT 1 AS x, 1 AS id;
CREATE TABLE no_row (x int4, id int4);

-- How the rows of a query come in, how many there are, and what they are in order.
CREATE FUNCTION read_rows(query text, OUT input text, OUT nrows int8, OUT digest text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (analyze, costs off, timing off, summary off, buffers off) ' || query LOOP
		input := coalesce(input, substring(line FROM 'Input: (.*)'));
	END LOOP;
	EXECUTE format('SELECT count(*), md5(string_agg(q::text, %L)) FROM (%s OFFSET 0) q', E'\n', query) INTO nrows, digest;
END $$;
CREATE TABLE queries (query text);
INSERT INTO queries VALUES ('SELECT * FROM kept ORDER BY x, id'), ('SELECT id, x FROM kept ORDER BY x DESC, id'), ('SELECT x, later, id FROM kept ORDER BY x, id'),
	('SELECT * FROM kept ORDER BY latest, id'), ('SELECT id FROM kept ORDER BY id LIMIT 100'), ('SELECT * FROM one_row ORDER BY x'), ('SELECT * FROM no_row ORDER BY x');

CREATE TABLE from_pages AS SELECT q.query, r.* FROM queries q, read_rows(q.query) r;
SET gpusort.enable_page_reader = off;
CREATE TABLE row_by_row AS SELECT q.query, r.* FROM queries q, read_rows(q.query) r;
SET gpusort.enable_sort = off;
CREATE TABLE by_sort AS SELECT q.query, r.* FROM queries q, read_rows(q.query) r;
SELECT a.query, a.input, b.input, a.nrows, a.digest IS NOT DISTINCT FROM b.digest AND a.digest IS NOT DISTINCT FROM s.digest AS same
FROM from_pages a JOIN row_by_row b USING (query) JOIN by_sort s USING (query) ORDER BY a.query COLLATE "C";
RESET gpusort.enable_sort;
RESET gpusort.enable_page_reader;

-- Twice in one query, and going on where another scan of the table is.
SELECT count(*), sum(q.x) FROM (VALUES (1), (2)) v, LATERAL (SELECT x, v.column1 FROM kept ORDER BY x OFFSET 0) q;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM kept ORDER BY id;
FETCH 2 FROM c;
SELECT count(*) FROM (SELECT id FROM kept ORDER BY id OFFSET 0) q;
FETCH 2 FROM c;
COMMIT;
DROP TABLE kept, one_row, no_row, queries, from_pages, row_by_row, by_sort;
DROP FUNCTION read_rows(text);
