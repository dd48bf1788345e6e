-- Needs gpusort.engine = 'auto': rows that a GPU sorts are not kept. Sorts that are run again and again.
CREATE SCHEMA rows_repeated;
SET search_path = rows_repeated, public;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
\set ECHO queries
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET enable_material = off;
SET enable_memoize = off;
-- A server may lack ICU.
DO $$
BEGIN
	CREATE COLLATION linguistic (provider = icu, locale = 'en');
EXCEPTION WHEN OTHERS THEN
	CREATE COLLATION linguistic FROM "C";
END $$;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE items AS SELECT i AS id, i * 7919 % 601 AS x, CASE WHEN i % 7 <> 0 THEN md5((i % 50)::text) END AS t, (i * 7919 % 601 / 7.0)::numeric(9, 3) AS n,
	('{sad,ok,happy}'::mood[])[i % 3 + 1] AS m, repeat(chr(65 + i % 26), CASE WHEN i % 100 = 0 THEN 5000 ELSE i % 9 END) AS long
FROM generate_series(1, 3000) i;
ANALYZE items;

-- Of 0 to 3,000 rows, a few of them most times, in orders of every kind.
SELECT keys, (compare_node).* FROM unnest(ARRAY['id', 'id DESC', 'x, id', 'x DESC NULLS LAST, id DESC', 't COLLATE "C", id', 't COLLATE "C" DESC, id', 't COLLATE linguistic, id', 'm DESC, id',
	'm, t COLLATE linguistic NULLS FIRST, n, id', 'n, id', 'long COLLATE "C", id', 'long COLLATE linguistic DESC, n DESC, id', 'x, t COLLATE "C", id']) keys,
	pg_temp.compare_node('rows', format('SELECT k, q.* FROM generate_series(0, 60) k, LATERAL (SELECT * FROM items WHERE id <= CASE WHEN k %% 20 = 19 THEN 50 * k ELSE k END ORDER BY %s OFFSET 0) q', keys));
-- The first of them, as many as each execution wants.
SELECT bound, (compare_node).* FROM unnest(ARRAY['LIMIT 1', 'LIMIT 3', 'LIMIT k % 4', 'LIMIT NULLIF(k % 4, 3) OFFSET k % 3', 'OFFSET k % 5']) bound,
	pg_temp.compare_node('rows', format('SELECT k, q.* FROM generate_series(0, 60) k, LATERAL (SELECT * FROM items WHERE id <= CASE WHEN k %% 20 = 19 THEN 50 * k ELSE k END ORDER BY t COLLATE "C", id %s) q', bound));
-- Rows that are read from their pages, all of them each time: of one page and of many.
CREATE TABLE few AS SELECT * FROM items WHERE id <= 5;
ANALYZE few;
SELECT source, (compare_node).* FROM unnest('{few,items}'::text[]) source,
	pg_temp.compare_node('rows', format('SELECT k, q.* FROM generate_series(1, 20) k, LATERAL (SELECT * FROM (SELECT x, t, n, id FROM %s ORDER BY x, id OFFSET 0) s WHERE s.id %% k = 0) q', source));
SELECT (compare_node).* FROM pg_temp.compare_node('rows', 'SELECT k, (SELECT string_agg(t, '','' ORDER BY x, id) FROM items WHERE id < k % 7), (SELECT array_agg(id ORDER BY n, id) FROM few WHERE few.id <> k) FROM generate_series(1, 50) k');

-- An execution holds no more than those before it.
CREATE FUNCTION pg_temp.bytes_held() RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'gpusort row%' OR name = 'ExecutorState'
$$;
SELECT max(bytes) - min(bytes) < 1000 AS same FROM (SELECT k, pg_temp.bytes_held() AS bytes
	FROM generate_series(1, 100) k, LATERAL (SELECT * FROM (SELECT x, t, id FROM few ORDER BY x, id OFFSET 0) s WHERE s.id <> k LIMIT 1) q) r WHERE k > 2;
SELECT max(bytes) - min(bytes) < 1000 AS same FROM (SELECT k, pg_temp.bytes_held() AS bytes
	FROM generate_series(1, 100) k, LATERAL (SELECT * FROM items WHERE id <= k % 12 + 1 ORDER BY t COLLATE linguistic, id LIMIT 1) q) r WHERE k > 24;
