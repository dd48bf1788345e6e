-- Large memory that batches of arrays and sorts of rows give back is kept in one cache, up to work_mem.
\set VERBOSITY terse
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
SET gpusort.engine = cpu;
CREATE TABLE kept AS SELECT i, (i * 7919) % 100003 AS x, ARRAY[i, i % 7, -i] AS a FROM generate_series(1, 60000) i;
ANALYZE kept;
CREATE VIEW own AS SELECT in_use_bytes, kept_bytes > 0 AS keeps, kept_bytes <= limit_bytes AS keeps_within_limit, limit_bytes
    FROM gpusort.memory WHERE pid = pg_backend_pid();
SET work_mem = '8MB';
SELECT count(DISTINCT s) FROM (SELECT gpusort.array_sort(a) AS s FROM kept OFFSET 0) q;
SELECT in_use_bytes, keeps_within_limit FROM own;
SELECT sum(x) FROM (SELECT x, i FROM kept ORDER BY x, i OFFSET 0) q;
SELECT * FROM own;
-- Both in one query, and while it runs.
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT x, gpusort.array_sort(a) FROM kept ORDER BY x, i;
MOVE 10 IN c;
SELECT in_use_bytes > 0 AS in_use, keeps_within_limit FROM own;
COMMIT;
SELECT * FROM own;
-- After an error nothing is in use.
SELECT 1 / (x - x) FROM (SELECT x, i FROM kept ORDER BY x, i OFFSET 0) q;
SELECT * FROM own;
-- A lower limit holds from the next sort on, and for what is given back.
BEGIN;
SET LOCAL work_mem = '256kB';
DECLARE c NO SCROLL CURSOR FOR SELECT x, i FROM kept ORDER BY x, i;
MOVE 10 IN c;
SELECT keeps_within_limit FROM own;
COMMIT;
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT x, gpusort.array_sort(a) FROM kept ORDER BY x, i;
MOVE 10 IN c;
SET work_mem = '256kB';
COMMIT;
SELECT in_use_bytes, keeps_within_limit, limit_bytes FROM own;
DROP VIEW own;
DROP TABLE kept;
