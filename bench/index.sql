-- CREATE INDEX by gpusort beside PostgreSQL's, in one process and with max_parallel_maintenance_workers of the
-- server, at its maintenance_work_mem. "floor: read" counts the key in one process. Sections:
--
--   numbers     int4, float8, uuid, numeric
--   text        md5 and names in en_US (C library), ICU and C
--   shapes      two columns, ascending, few values, text of 500 bytes, a payload, a predicate
\i bench/session.sql
\set section index
SELECT (3000000 / :scale)::bigint AS many, (300000 / :scale)::bigint AS fewer \gset
DO $$ BEGIN CREATE COLLATION linguistic (locale = 'en_US.UTF-8'); EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN NULL; END $$;

CREATE TABLE built AS SELECT i::int4 AS rising, (2147483647 * random())::int4 AS i4, random() AS f8, md5(i::text)::uuid AS id, (1e6 * random())::numeric(12, 2) AS num,
	i % 1000 AS few, md5(i::text) AS md5, '2020-01-01'::timestamp + hashint8(-i) * interval '1 second' AS stamp,
	(ARRAY['Anna', 'Maria', 'John', 'Olga'])[1 + (hashint8(i) & 3)] || ' ' || (ARRAY['Smith', 'Garcia', 'Wang'])[1 + i % 3] || ' ' || hashint8(i) % 20000 AS name
	FROM generate_series(1, :many) i;
CREATE TABLE wide AS SELECT repeat(md5(i::text), 16) AS long FROM generate_series(1, :fewer) i;
ALTER TABLE wide ALTER long SET STORAGE EXTERNAL;
VACUUM (FREEZE, ANALYZE) built, wide;

-- Contenders for an index, beside reading one column. The table says how many workers there may be, whatever the memory.
CREATE FUNCTION contenders(from_table text, read text, definition text) RETURNS text[] LANGUAGE sql AS $$
	SELECT ARRAY[ARRAY['floor: read', format('SELECT count(%s) FROM %s', read, from_table), '', '']] || array_agg(ARRAY[name,
		format('ALTER TABLE %s SET (parallel_workers = %s); DROP INDEX IF EXISTS made; CREATE INDEX made ON %1$s %3$s', from_table, used, definition),
		setting, 'off'] ORDER BY ord)
	FROM current_setting('max_parallel_maintenance_workers') workers, LATERAL (VALUES (1, 'gpusort', '', workers), (2, 'PostgreSQL, serial', 'gpusort.enable_index_build', '0'),
		(3, 'PostgreSQL, ' || workers || ' workers', 'gpusort.enable_index_build', workers)) c (ord, name, setting, used)
$$;

\if :{?numbers}
CALL measure('index', 'random', 'int4', NULL, :many, contenders('built', 'i4', '(i4)'));
CALL measure('index', 'random', 'float8', NULL, :many, contenders('built', 'f8', '(f8)'));
CALL measure('index', 'random', 'uuid', NULL, :many, contenders('built', 'id', '(id)'));
CALL measure('index', 'random', 'numeric', NULL, :many, contenders('built', 'num', '(num)'));
\endif

\if :{?text}
SELECT collname = 'linguistic' AS linguistic FROM pg_collation WHERE collname IN ('linguistic', 'C') ORDER BY 1 DESC LIMIT 1 \gset
\if :linguistic
CALL measure('index', 'md5, en_US', 'text', NULL, :many, contenders('built', 'md5', '(md5 COLLATE linguistic)'));
CALL measure('index', 'names, en_US', 'text', NULL, :many, contenders('built', 'name', '(name COLLATE linguistic)'));
\endif
CALL measure('index', 'md5, ICU', 'text', NULL, :many, contenders('built', 'md5', '(md5 COLLATE "en-x-icu")'));
CALL measure('index', 'names, ICU', 'text', NULL, :many, contenders('built', 'name', '(name COLLATE "en-x-icu")'));
CALL measure('index', 'md5, C', 'text', NULL, :many, contenders('built', 'md5', '(md5 COLLATE "C")'));
CALL measure('index', 'names, C', 'text', NULL, :many, contenders('built', 'name', '(name COLLATE "C")'));
\endif

\if :{?shapes}
CALL measure('index', 'names, ICU, and times', 'text, timestamp', NULL, :many, contenders('built', 'name', '(name COLLATE "en-x-icu", stamp)'));
CALL measure('index', 'ascending', 'int4', NULL, :many, contenders('built', 'rising', '(rising)'));
CALL measure('index', '1,000 values', 'int4', NULL, :many, contenders('built', 'few', '(few)'));
CALL measure('index', '512 bytes, C', 'text', NULL, :fewer, contenders('wide', 'long', '(long COLLATE "C")'));
CALL measure('index', 'with a payload', 'int4', NULL, :many, contenders('built', 'i4', '(i4) INCLUDE (name, num)'));
CALL measure('index', 'a tenth of the rows', 'int4', NULL, :many, contenders('built', 'i4', '(i4) WHERE few < 100'));
\endif

\i bench/report.sql
