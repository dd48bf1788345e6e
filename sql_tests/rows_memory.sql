-- Memory of the rows node: ten times work_mem sorts within one and a half times work_mem,
-- by the kernel's count of the backend's pages at their peak.
CREATE FUNCTION peak_kb() RETURNS int8 LANGUAGE sql AS $$
	SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1]::int8
$$;

-- Sorts rows that no table holds, so that no shared page is touched: a few, then many.
CREATE FUNCTION sort_many(columns text, rows int, OUT within_memory bool, OUT times_on_disk int) LANGUAGE plpgsql AS $$
DECLARE
	query text := 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT ' || columns || ', i FROM (SELECT generate_series(1, $1) i) g ORDER BY 1';
	plan jsonb;
	before int8;
BEGIN
	EXECUTE replace(query, '$1', '1000') INTO plan;
	before := peak_kb();
	EXECUTE replace(query, '$1', rows::text) INTO plan;
	within_memory := peak_kb() - before < 1.5 * 4096;
	times_on_disk := (plan #>> '{0,Plan,Disk}')::int8 / 4096;
END $$;

-- Values, short texts, long ones; each in a session of its own, for a peak never falls.
\set settings 'SET gpusort.force_nodes = on; SET gpusort.engine = ''cpu''; SET jit = off; SET work_mem = ''4MB'';'
\c -
:settings
SELECT * FROM sort_many('i * 7919::int8 % 1000003', 3600000);
\c -
:settings
SELECT * FROM sort_many('md5(i::text) COLLATE "C"', 900000);
\c -
:settings
SELECT * FROM sort_many('i % 7, repeat(md5(i::text), 20)', 70000);

-- Wide rows, of which the sample keeps no more than keys; a few values that are larger than memory, which are written without a copy; and many
-- blocks. PostgreSQL's Sort takes 3, 16 and 1 MB.
CREATE FUNCTION grows_by_less(kb int, columns text, few int, rows int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	query text := 'EXPLAIN (ANALYZE, TIMING off) SELECT ' || columns || ', i FROM (SELECT generate_series(1, $1) i) g ORDER BY 1';
	before int8;
BEGIN
	EXECUTE replace(query, '$1', few::text);
	before := peak_kb();
	EXECUTE replace(query, '$1', rows::text);
	RETURN peak_kb() - before < kb;
END $$;
\c -
:settings
SELECT grows_by_less(5000, 'i * 7919::int8 % 1000003, repeat(md5(i::text), 6000)', 20, 500) AS wide;
\c -
:settings
SELECT grows_by_less(24000, 'i * 7919::int8 % 1000003, CASE WHEN i % 5000 = 0 THEN repeat(''x'', 8000000 + i % 2) ELSE ''y'' END', 1000, 100000) AS huge;
\c -
:settings
SET work_mem = '64kB';
SELECT grows_by_less(1500, 'i * 7919::int8 % 1000003, repeat(''x'', 200) || i', 5000, 400000) AS many;
SET work_mem = '4MB';

-- Keys that are wider than the sample: 60 MB of them are written few times, be they different in the first bytes or in the last. PostgreSQL's Sort
-- takes 24 MB.
CREATE FUNCTION written(key text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT FROM generate_series(1, 200) i ORDER BY %s', key) INTO plan;
	RETURN (plan #>> '{0,Plan,Disk}')::int8 / 60000;
END $$;
SELECT written('md5(i::text) || repeat(''x'', 300000) COLLATE "C"') AS first_bytes, written('repeat(''x'', 300000) || i') < 4 AS last_bytes,
	written('convert_to(md5(i::text) || repeat(''x'', 300000), ''UTF8'')') AS bytea, written('i % 7, to_jsonb(repeat(''x'', 300000) || i)') < 4 AS behind;
SET work_mem = '64kB';
SELECT count(*) AS numerics, count(*) FILTER (WHERE n < before) AS not_in_order FROM (SELECT n, lag(n) OVER () AS before FROM (
	SELECT -digits::numeric AS n FROM generate_series(1, 1500) i, LATERAL (SELECT string_agg(translate(md5((i * 1000 + g)::text), 'abcdef', ''), '') AS digits FROM generate_series(1, 400) g) d ORDER BY n OFFSET 0) s) q;
\c -
:settings
SELECT grows_by_less(24000, 'repeat(''x'', 1000000) || i * 7919 % 100', 10, 100) AS keys;
\c -
:settings
SET work_mem = '64kB';
SELECT grows_by_less(6000, 'repeat(''x'', 1000000) || i * 7919 % 100', 1, 40) AS huge_keys;
SET work_mem = '4MB';

-- The word that is kept for each row with a key that PostgreSQL abbreviates counts as well: fewer of such rows fit than of others with as many bytes.
CREATE FUNCTION method_of(query text, OUT method text) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO plan;
	method := plan #>> '{0,Plan,Sort Method}';
END $$;
SELECT method_of('SELECT (i % 5003 + 0.5)::numeric FROM generate_series(1, 105000) i ORDER BY 1'),
	method_of('SELECT (i % 5003 + 1000)::text COLLATE "C" FROM generate_series(1, 105000) i ORDER BY 1');

-- Many columns, read from pages with little memory: memory is filled, however many rows a page may have.  So 6.5 MB are written about twice.
SET work_mem = '64kB';
SET max_parallel_workers_per_gather = 0;
DO $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'CREATE TABLE wide_t WITH (autovacuum_enabled = off) AS SELECT hashint4(i) AS k, ' || (SELECT string_agg('i::int8 AS c' || c, ', ') FROM generate_series(1, 40) c) ||
		' FROM generate_series(1, 20000) i';
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT * FROM wide_t ORDER BY k' INTO plan;
	ASSERT (plan #>> '{0,Plan,Disk}')::int8 < 16500, plan;
	-- Of columns that are mostly NULL they are kept as the table has them, in 1 MB.
	EXECUTE 'CREATE TABLE null_t WITH (autovacuum_enabled = off) AS SELECT hashint4(i) AS k, ' || (SELECT string_agg('CASE i % 100 WHEN ' || c || ' THEN i END::int8 AS c' || c, ', ') FROM generate_series(1, 100) c) ||
		' FROM generate_series(1, 20000) i';
	ANALYZE null_t;
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT * FROM null_t ORDER BY k' INTO plan;
	ASSERT (plan #>> '{0,Plan,Disk}')::int8 < 5000, plan;
	-- With another column they would not be so.
	SET gpusort.force_nodes = off;
	EXECUTE 'EXPLAIN (FORMAT json) SELECT *, k + 1 AS next FROM null_t ORDER BY k' INTO plan;
	ASSERT plan #>> '{0,Plan,Node Type}' = 'Sort', plan;
	-- Fewer columns are written twice, in small blocks, where memory is so little.
	EXECUTE 'EXPLAIN (FORMAT json) SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, k FROM null_t ORDER BY k' INTO plan;
	ASSERT plan #>> '{0,Plan,Node Type}' = 'Sort', plan;
	SET work_mem = '256kB';
	EXECUTE 'EXPLAIN (FORMAT json) SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, k FROM null_t ORDER BY k' INTO plan;
	ASSERT plan #>> '{0,Plan,Node Type}' = 'Custom Scan', plan;
END $$;
DROP TABLE wide_t, null_t;
DROP FUNCTION peak_kb, sort_many, grows_by_less, written, method_of;
