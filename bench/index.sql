-- CREATE INDEX by gpusort and by PostgreSQL, without parallel workers, with two of them, and with
-- max_parallel_maintenance_workers of the server, at its maintenance_work_mem. "floor: read" counts the key in one
-- process. Sections:
--
--   numbers     int4, float8, uuid, numeric
--   text        md5 and names in en_US (C library) and ICU; names and times
--   shapes      texts in C, ascending, few values, text of 500 bytes, a payload, a predicate
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

-- Contenders for an index, beside reading one column. The table says how many workers there are, whatever the memory.
CREATE FUNCTION contenders(from_table text, read text, definition text) RETURNS text[] LANGUAGE sql AS $$
	SELECT ARRAY[ARRAY['floor: read', format('SELECT count(%s) FROM %s', read, from_table), '', '']] || array_agg(ARRAY[
		who || CASE used WHEN 0 THEN ', serial' ELSE format(', %s workers', used) END,
		format('ALTER TABLE %s SET (parallel_workers = %s); DROP INDEX IF EXISTS made; CREATE INDEX made ON %1$s %3$s', from_table, used, definition),
		setting, 'off'] ORDER BY who DESC, used)
	FROM (SELECT DISTINCT least(wanted, current_setting('max_parallel_maintenance_workers')::int) FROM unnest(ARRAY[0, 2, 1024]) wanted) w (used),
		(VALUES ('gpusort', ''), ('PostgreSQL', 'gpusort.enable_index_build')) c (who, setting)
$$;
CREATE PROCEDURE measure_index(data text, type text, n bigint, from_table text, read text, definition text, slow_runs int) LANGUAGE plpgsql AS $$
BEGIN
	CALL gpusort_bench.measure('index', data, type, NULL, n, gpusort_bench.contenders(from_table, read, definition), 'PostgreSQL%', slow_runs);
END $$;

\if :{?numbers}
CALL measure_index('random', 'int4', :many, 'built', 'i4', '(i4)', :slow_runs);
CALL measure_index('random', 'float8', :many, 'built', 'f8', '(f8)', :slow_runs);
CALL measure_index('random', 'uuid', :many, 'built', 'id', '(id)', :slow_runs);
CALL measure_index('random', 'numeric', :many, 'built', 'num', '(num)', :slow_runs);
\endif

\if :{?text}
SELECT collname = 'linguistic' AS linguistic FROM pg_collation WHERE collname IN ('linguistic', 'C') ORDER BY 1 DESC LIMIT 1 \gset
\if :linguistic
CALL measure_index('md5, en_US', 'text', :many, 'built', 'md5', '(md5 COLLATE linguistic)', :slow_runs);
CALL measure_index('names, en_US', 'text', :many, 'built', 'name', '(name COLLATE linguistic)', :slow_runs);
\endif
CALL measure_index('md5, ICU', 'text', :many, 'built', 'md5', '(md5 COLLATE "en-x-icu")', :slow_runs);
CALL measure_index('names, ICU', 'text', :many, 'built', 'name', '(name COLLATE "en-x-icu")', :slow_runs);
CALL measure_index('names, ICU, and times', 'text, timestamp', :many, 'built', 'name', '(name COLLATE "en-x-icu", stamp)', :slow_runs);
\endif

\if :{?shapes}
CALL measure_index('md5, C', 'text', :many, 'built', 'md5', '(md5 COLLATE "C")', :slow_runs);
CALL measure_index('names, C', 'text', :many, 'built', 'name', '(name COLLATE "C")', :slow_runs);
CALL measure_index('ascending', 'int4', :many, 'built', 'rising', '(rising)', :slow_runs);
CALL measure_index('1,000 values', 'int4', :many, 'built', 'few', '(few)', :slow_runs);
CALL measure_index('512 bytes, C', 'text', :fewer, 'wide', 'long', '(long COLLATE "C")', :slow_runs);
CALL measure_index('with a payload', 'int4', :many, 'built', 'i4', '(i4) INCLUDE (name, num)', :slow_runs);
CALL measure_index('a tenth of the rows', 'int4', :many, 'built', 'i4', '(i4) WHERE few < 100', :slow_runs);
\endif

\i bench/report.sql
