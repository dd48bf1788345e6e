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
SET gpusort.force_nodes = row_by_row;
CREATE TABLE row_by_row AS SELECT q.query, r.* FROM queries q, read_rows(q.query) r;
SET gpusort.enable_sort = off;
CREATE TABLE by_sort AS SELECT q.query, r.* FROM queries q, read_rows(q.query) r;
SELECT a.query, a.input, b.input, a.nrows, a.digest IS NOT DISTINCT FROM b.digest AND a.digest IS NOT DISTINCT FROM s.digest AS same
FROM from_pages a JOIN row_by_row b USING (query) JOIN by_sort s USING (query) ORDER BY a.query COLLATE "C";
RESET gpusort.enable_sort;
SET gpusort.force_nodes = on;

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

-- Since PostgreSQL 19 EXPLAIN tells how a scan reads ahead, and a scan marks pages that all can see.
CREATE TABLE loaded WITH (autovacuum_enabled = off) AS SELECT i AS x FROM generate_series(1, 5000) i;
CREATE FUNCTION explained_io(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
	told bool := false;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (analyze%s) %s', CASE WHEN current_setting('server_version_num')::int >= 190000 THEN ', io' END, query) LOOP
		told := told OR line ~ 'Prefetch: ';
	END LOOP;
	RETURN told;
END $$;
SELECT explained_io('SELECT x FROM loaded ORDER BY x') = (current_setting('server_version_num')::int >= 190000) AS as_the_server_can;
-- Once no other session runs that began before the rows were there.
DO $$ BEGIN
	FOR i IN 1..300 LOOP
		PERFORM count(*) FROM (SELECT x FROM loaded ORDER BY x DESC OFFSET 0) q;
		ANALYZE loaded;
		EXIT WHEN (SELECT relallvisible > 0 FROM pg_class WHERE oid = 'loaded'::regclass) OR current_setting('server_version_num')::int < 190000;
		COMMIT;
		PERFORM pg_sleep(0.1);
	END LOOP;
END $$;
SELECT (relallvisible > 0) = (current_setting('server_version_num')::int >= 190000) AS as_the_server_can FROM pg_class WHERE oid = 'loaded'::regclass;
DROP TABLE loaded;
DROP FUNCTION explained_io(text);

-- Rows that are kept whole, as their table has them: what is read, and with NULLs, toasted values and columns that older rows lack, as Sort returns it.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE TABLE whole (id int4, gone text, n numeric, t text COLLATE "C", u uuid, c char(4), b bool, a int4[], l text) WITH (autovacuum_enabled = off);
ALTER TABLE whole ALTER l SET STORAGE EXTERNAL, ALTER t SET STORAGE PLAIN;
INSERT INTO whole SELECT i, 'gone', CASE WHEN i % 7 > 0 THEN i * 7919 % 1009 / 3.0 END, 't' || i % 50, md5(i::text)::uuid, i % 300, i % 2 = 0, ARRAY[i, NULL], repeat('l', CASE i % 100 WHEN 50 THEN 4000 ELSE i % 9 END) FROM generate_series(1, 3000) i;
INSERT INTO whole SELECT i, 'gone', i, 't', md5(i::text)::uuid, 'c', true, '{1}', 'l' FROM generate_series(3001, 3900) i;
CREATE TABLE widened WITH (autovacuum_enabled = off) AS SELECT id, n, t, u, c, b, a, l FROM whole;
ALTER TABLE widened ADD late int4, ADD later text;
INSERT INTO widened SELECT i, i, 't', NULL, 'c', true, '{1}', 'l', i, 'later' FROM generate_series(3901, 4000) i;
ALTER TABLE whole DROP gone;
CREATE INDEX ON widened (id);
ANALYZE whole, widened;
CREATE FUNCTION whole_as_sort(memory text) RETURNS TABLE (nodes int, same bool, queries int8) LANGUAGE sql AS $$
	SELECT c.nodes, c.same, count(*)
	FROM set_config('work_mem', memory, true), unnest(ARRAY['widened', 'whole', 'widened WHERE id BETWEEN 100 AND 300']) source,
		unnest(ARRAY['n DESC', 't, b', 'c DESC, a', 'l']) keys, unnest(ARRAY['', 'LIMIT 70 OFFSET 20']) bound,
		pg_temp.compare_node('rows', format('SELECT * FROM %s ORDER BY %s, id %s', source, keys, bound)) c
	GROUP BY 1, 2
$$;
SELECT memory, w.* FROM unnest(ARRAY['100MB', '128kB']) memory, whole_as_sort(memory) w;
SET gpusort.force_nodes = row_by_row;
SELECT memory, w.* FROM unnest(ARRAY['100MB', '128kB']) memory, whole_as_sort(memory) w;
SET gpusort.force_nodes = on;
-- By parallel workers, too.
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SELECT memory, min(nodes) > 0 AS nodes, bool_and(same) AS same, sum(queries) FROM unnest(ARRAY['100MB', '128kB']) memory, whole_as_sort(memory) w GROUP BY 1;
SET max_parallel_workers_per_gather = 0;
-- They go into tables and joins, are read both ways, and are changed by triggers.
CREATE TABLE filled (LIKE widened, place serial);
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.t := NEW.t || '!'; NEW.late := NULL; RETURN NEW; END $$;
CREATE TRIGGER change BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION change();
INSERT INTO filled SELECT * FROM widened ORDER BY n, id;
SELECT count(*), count(late), bool_and(t LIKE '%!') AS changed, md5(string_agg(id::text, ',' ORDER BY place)) = (SELECT md5(string_agg(id::text, ',' ORDER BY n, id)) FROM widened) AS in_order FROM filled;
SELECT count(*), md5(string_agg(s::text, ',' ORDER BY id)) = md5(string_agg(j::text, ',' ORDER BY id)) AS same FROM widened s JOIN (SELECT * FROM widened ORDER BY u OFFSET 0) j USING (id);
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT * FROM widened ORDER BY n, id;
MOVE 1500 IN back;
SELECT id FROM widened WHERE id < 0;
FETCH BACKWARD 2 FROM back;
FETCH LAST FROM back;
FETCH FIRST FROM back;
COMMIT;
SELECT id, n, late FROM (SELECT * FROM widened ORDER BY id FOR UPDATE) q LIMIT 2;
-- So are those of a table whose columns are mostly NULL (rows_memory shows it).
DO $$ BEGIN
	EXECUTE 'CREATE TABLE sparse WITH (autovacuum_enabled = off) AS SELECT i * 7919 % 3001 AS id, ' ||
		(SELECT string_agg('CASE i % 40 WHEN ' || c || ' THEN i END::int8 AS c' || c, ', ') FROM generate_series(1, 40) c) || ' FROM generate_series(1, 3000) i';
END $$;
ALTER TABLE sparse ADD late int4 DEFAULT 7;
INSERT INTO sparse (id, c3) SELECT i, i % 9 FROM generate_series(3002, 3300) i;
CREATE INDEX ON sparse (id);
ANALYZE sparse;
SET work_mem = '64kB';
SELECT nodes, same, count(*)
FROM unnest(ARRAY['c9, id', 'c7 DESC, id', 'c3 NULLS FIRST, late, id']) keys, unnest(ARRAY['', 'WHERE id BETWEEN 100 AND 300']) filter,
	pg_temp.compare_node('rows', format('SELECT * FROM sparse %s ORDER BY %s', filter, keys))
GROUP BY 1, 2;
RESET work_mem;
DROP TABLE whole, widened, filled, sparse;
DROP FUNCTION whole_as_sort, change;
