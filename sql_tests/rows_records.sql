-- Stores larger than the caches: values passed by value are at the front of records. The planner is told of more rows than there are, except where rows spill.
SET search_path = gpusort, public;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET work_mem = '17MB';
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE TABLE laid (b bool, x2 int2, gone int4, x4 int4, x8 int8, f4 float4, f8 float8, c "char", d date, t text COLLATE "C", n numeric, u uuid, at timestamptz, e name, id int8) WITH (autovacuum_enabled = off);
INSERT INTO laid SELECT i % 3 = 0, i % 1000, i, CASE WHEN i % 7 > 0 THEN i * 7919 % 10007 END, i * 1000000007::int8, i / 7.0, CASE i % 5 WHEN 0 THEN NULL ELSE exp(i % 50) END, chr(65 + i % 26)::"char",
	date '2000-01-01' + i % 5000, CASE WHEN i % 11 > 0 THEN repeat(chr(97 + i % 26), i % 90) || i % 300 END, i / 3.0, md5(i::text)::uuid, CASE WHEN i % 4 > 0 THEN timestamptz '2020-01-01 00:00+00' + i * interval '1 min' END, 'n' || i % 17, i
FROM generate_series(1, 4000) i;
-- Columns that older rows lack, and one that is gone.
ALTER TABLE laid DROP gone;
ALTER TABLE laid ADD late int4 DEFAULT 5, ADD later text DEFAULT 'later';
INSERT INTO laid SELECT false, 1, 2, 3, 4, 5, 'x', '2001-02-03', 'last', 6, NULL, NULL, NULL, 4000 + i, i, NULL FROM generate_series(1, 200) i;
CREATE TABLE complete WITH (autovacuum_enabled = off) AS SELECT x2, id, b, t, x8, c, f4, n, d, u FROM laid WHERE t IS NOT NULL AND u IS NOT NULL;
ANALYZE laid, complete;
UPDATE pg_class SET reltuples = 1000000, relpages = 1 WHERE oid IN ('laid'::regclass, 'complete'::regclass);

CREATE FUNCTION tried() RETURNS TABLE (nodes int, same bool, queries int8) LANGUAGE sql AS $$
	SELECT c.nodes, c.same, count(*)
	FROM (VALUES ('laid', 'id'), ('laid WHERE id % 3 > 0', 'id'), ('complete', 'id'), ('(SELECT t, x4, b, c, x8 + 1 AS id, n FROM laid OFFSET 0) q', 'id')) s(source, id),
		unnest(ARRAY['t', 'n DESC', 'c, t', 'b DESC', 'b, n, t DESC']) keys, unnest(ARRAY['', 'LIMIT 70 OFFSET 20']) bound,
		pg_temp.compare_node('rows', format('SELECT * FROM %s ORDER BY %s, %s %s', source, keys, id, bound)) c
	GROUP BY 1, 2
$$;
SELECT * FROM tried();
SET gpusort.force_nodes = row_by_row;
SELECT * FROM tried();
SET gpusort.force_nodes = on;
-- Few of the columns, columns twice, constants, columns without a value, groups.
SELECT q, c.* FROM unnest(ARRAY['SELECT id, t FROM laid ORDER BY id DESC', 'SELECT x8, t, x8, 5, NULL, t COLLATE "POSIX", id FROM laid ORDER BY 6, 7', 'SELECT late, later, x2, id FROM laid ORDER BY later, x2, id',
	'SELECT x4, f8, n FROM complete c JOIN (SELECT id AS i, x4, f8 FROM laid) l ON i = id ORDER BY n', 'SELECT DISTINCT ON (c, b) c, b, t, x8, id FROM laid ORDER BY c, b, t, id',
	'SELECT * FROM (SELECT x4, t, f8, b, row_number() OVER (PARTITION BY x2 ORDER BY n, id) AS r FROM laid) q WHERE r <= 2']) q, pg_temp.compare_node('rows', q) c;

-- Beyond work_mem: blocks, merges, and reading both ways.
CREATE TABLE spilled WITH (autovacuum_enabled = off) AS
SELECT i AS id, i * 7919::int8 % 60013 AS k, CASE WHEN i % 5 > 0 THEN (i % 30000)::int2 END AS x2, repeat(md5(i::text), 9) AS t, i % 2 = 0 AS b, CASE WHEN i % 9 > 0 THEN i / 7.0 END AS n, i::float8 AS f FROM generate_series(1, 60000) i;
ANALYZE spilled;
SELECT q, c.* FROM unnest(ARRAY['SELECT * FROM spilled ORDER BY k', 'SELECT * FROM spilled ORDER BY t COLLATE "C" DESC', 'SELECT id, b, f, x2, t FROM spilled WHERE id > 100 ORDER BY b, x2, id']) q, pg_temp.compare_node('rows', q) c;
CREATE FUNCTION spills(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF) ' || query LOOP
		IF line ~ 'Sort Method: external' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT spills('SELECT * FROM spilled ORDER BY k');
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT id, k, x2, left(t, 5), b, n, f, length(t) FROM spilled ORDER BY k;
MOVE ABSOLUTE 40000 IN back;
FETCH 2 FROM back;
FETCH BACKWARD 2 FROM back;
FETCH LAST FROM back;
FETCH FIRST FROM back;
COMMIT;
DROP TABLE laid, complete, spilled;
DROP FUNCTION tried, spills;
