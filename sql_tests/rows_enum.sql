-- The rows node orders enums whose labels have even OIDs by these, and leaves others to comparisons.
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'Away', 'zzz');
ALTER TYPE mood ADD VALUE 'last';
CREATE DOMAIN good_mood AS mood CHECK (VALUE <> 'sad');
CREATE TYPE priority AS ENUM ('low', 'high');
ALTER TYPE priority ADD VALUE 'middle' BEFORE 'high';
CREATE TABLE enum_t AS SELECT i, (enum_range(NULL::mood))[nullif(i * 7919 % 7, 6) + 1] AS m, (enum_range(NULL::mood))[i * 31 % 5 + 2]::good_mood AS g,
	(enum_range(NULL::priority))[nullif(i * 131 % 4, 3) + 1] AS p
FROM generate_series(1, 3000) i;
ANALYZE enum_t;

SELECT keys, explained.*, compared.* FROM (VALUES ('m, i'), ('m DESC, i'), ('m DESC NULLS LAST, p, i'), ('g, i DESC'), ('p, m, i'), ('m, p DESC, g, i')) k(keys),
	LATERAL (SELECT count(*) AS nodes_planned FROM pg_temp.explain_lines('SELECT * FROM enum_t ORDER BY ' || keys, 'COSTS OFF', 'GpusortRows')) explained,
	LATERAL pg_temp.compare_node('rows', 'SELECT * FROM enum_t ORDER BY ' || keys) compared;
SET work_mem = '64kB';
SELECT * FROM pg_temp.compare_node('rows', 'SELECT a.m, a.i, repeat(''x'', 50) FROM enum_t a, enum_t b WHERE b.i < 10 ORDER BY a.m DESC, a.i');
RESET work_mem;
SELECT * FROM pg_temp.compare_node('rows', 'SELECT * FROM (SELECT m, i, row_number() OVER (PARTITION BY m ORDER BY g DESC, i) AS n FROM enum_t) q WHERE n <= 3');
SELECT * FROM pg_temp.compare_node('rows', 'SELECT m, i FROM enum_t ORDER BY m, i LIMIT 10');
-- Ties of rows that are all passed by value.
SELECT * FROM pg_temp.compare_node('rows', 'SELECT hashint8extended(i % 7, 0) AS h, p, i FROM enum_t ORDER BY h, p, i');

-- Many ties of rows that are passed by value, which are ordered by an enum that is compared.
CREATE TABLE enum_ties AS SELECT i, CASE WHEN i % 3 > 0 THEN (i * 7919 % 3001 - 1500) / 7.0 END::float8 AS e, (enum_range(NULL::priority))[i % 5 % 3 + 1] AS p FROM generate_series(1, 12000) i;
SELECT * FROM pg_temp.compare_node('rows', 'SELECT * FROM enum_ties ORDER BY e, p, i');

DROP TABLE enum_t, enum_ties;
DROP TYPE mood CASCADE;
DROP TYPE priority;
