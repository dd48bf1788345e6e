-- Sorts by parallel workers, beside the same query unsorted by one process and PostgreSQL's own
-- plan for as many workers; with a GPU, on that, too. All costs have their defaults. The server needs
-- max_worker_processes = 16. GPUSORT_SLOW_RUNS = 0 leaves PostgreSQL's plans out. DuckDB sorts such rows
-- in memory, with a thread for each process that the others have, into a table. Sections:
--
--   pairs       10 M pairs of int4, work_mem of 4 MB and 1 GB, 0, 2 and 8 workers; this and texts are the essential ones
--   texts       5 M texts in an ICU collation, the same
--   keys        int4, float8, numeric, texts in ICU and glibc, seven columns; 4 MB, 64 MB, 1 GB; 0 to 12 workers
--   first       LIMIT 10, and the first three of 1,000 groups
--   aggregates  median and count(DISTINCT)
\i bench/session.sql
\set section parallel
SET max_parallel_workers = 64;
SELECT (10000000 / :scale)::bigint AS many, (5000000 / :scale)::bigint AS fewer \gset

CREATE FUNCTION parallel_contenders(workers int, unsorted text, sorted text, slow_runs int) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SET LOCAL max_parallel_workers_per_gather = %s; %s', allowed, query), setting, value] ORDER BY ord)
	FROM (VALUES
		(1, 'floor: unsorted, no workers', 0, unsorted, '', ''),
		(2, 'gpusort, CPU engine', workers, sorted, 'gpusort.engine', 'cpu'),
		(3, 'gpusort, engine auto', workers, CASE WHEN EXISTS (SELECT FROM gpusort.devices WHERE state = 'ready') THEN sorted END, 'gpusort.engine', 'auto'),
		(4, 'PostgreSQL', workers, CASE WHEN slow_runs > 0 THEN sorted END, gpusort_bench.alone(), 'off')
	) c (ord, name, allowed, query, setting, value)
	WHERE query IS NOT NULL
$$;

-- Measures a query of a table, with %s where ORDER BY comes, at each work_mem and with each number of workers.
CREATE PROCEDURE measure_workers(data text, type text, n bigint, unsorted text, sorted text, memories text[], workers int[], slow_runs int)
LANGUAGE plpgsql AS $$
DECLARE
	memory text;
	allowed int;
BEGIN
	FOREACH memory IN ARRAY memories
	LOOP
		FOREACH allowed IN ARRAY workers
		LOOP
			PERFORM set_config('work_mem', memory, false);
			CALL gpusort_bench.measure('parallel', format('%s, work_mem %s, %s workers', data, memory, allowed), type, NULL, n,
									   gpusort_bench.parallel_contenders(allowed, unsorted, sorted, slow_runs), 'PostgreSQL', slow_runs);
		END LOOP;
	END LOOP;
END $$;

-- The same for all rows of a table in the order of a key; all columns are read.
CREATE PROCEDURE measure_order(data text, type text, from_table regclass, n bigint, key text, memories text[], workers int[], slow_runs int)
LANGUAGE plpgsql AS $$
DECLARE
	columns name[] := ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = from_table AND attnum > 0 ORDER BY attnum);
	query text := format('SELECT count(%s) FROM (SELECT %s FROM %s %%s OFFSET 0) q', array_to_string(columns, '), count('), array_to_string(columns, ', '), from_table);
BEGIN
	CALL gpusort_bench.measure_workers(data, type, n, format(query, ''), format(query, 'ORDER BY ' || key), memories, workers, slow_runs);
END $$;

\if :{?pairs}
\set needed on
\endif
\if :{?keys}
\set needed on
\endif
\if :{?first}
\set needed on
\endif
\if :{?aggregates}
\set needed on
\endif
\if :{?needed}
CREATE UNLOGGED TABLE pairs WITH (parallel_workers = 12) AS
	SELECT (2147483647 * random())::int4 AS x, i::int4 AS id FROM generate_series(1, :many) i;
VACUUM (FREEZE, ANALYZE) pairs;
\endif
\if :{?pairs}
CALL measure_order('two columns', 'int4', 'pairs', :many, 'x', '{4MB,1GB}', '{0,2,8}', :slow_runs);
\endif

\if :{?texts}
CREATE UNLOGGED TABLE texts WITH (parallel_workers = 12) AS
	SELECT md5(i::text) COLLATE "en-x-icu" AS t, i::int4 AS id FROM generate_series(1, :fewer) i;
VACUUM (FREEZE, ANALYZE) texts;
CALL measure_order('text and a number', 'text, ICU', 'texts', :fewer, 't', '{4MB,1GB}', '{0,2,8}', :slow_runs);
\endif

\if :{?keys}
CREATE UNLOGGED TABLE seven WITH (parallel_workers = 12) AS
	SELECT (2e9 * random())::int4 AS a, i AS b, random() AS c, md5(i::text) AS t, (1e6 * random())::numeric(12, 2) AS n,
		timestamptz '2020-01-01' + i * interval '1 s' AS ts, i::int4 AS e
	FROM generate_series(1::int8, :fewer) i;
CREATE UNLOGGED TABLE floats WITH (parallel_workers = 12) AS SELECT c, e FROM seven;
CREATE UNLOGGED TABLE numerics WITH (parallel_workers = 12) AS SELECT n, e FROM seven;
CREATE UNLOGGED TABLE keyed WITH (parallel_workers = 12) AS SELECT t, e FROM seven;
VACUUM (FREEZE, ANALYZE) seven, floats, numerics, keyed;
SELECT format('CALL measure_order(%L, %L, %L, %s, %L, ''{4MB,64MB,1GB}'', ''{0,1,2,4,8,12}'', %s)', data, type, tab, n, key, :slow_runs)
FROM (VALUES (1, 'two columns', 'int4', 'pairs', :many, 'x'), (2, 'two columns', 'float8', 'floats', :fewer, 'c'),
	(3, 'two columns', 'numeric', 'numerics', :fewer, 'n'), (4, 'text and a number', 'text, ICU', 'keyed', :fewer, 't COLLATE "en-x-icu"'),
	(5, 'text and a number', 'text, the database''s collation', 'keyed', :fewer, 't'), (6, 'seven columns', 'int4', 'seven', :fewer, 'a')) t (i, data, type, tab, n, key)
ORDER BY i \gexec
DROP TABLE seven, floats, numerics, keyed;
\endif

\if :{?first}
CREATE UNLOGGED TABLE grouped WITH (parallel_workers = 12) AS SELECT id % 1000 AS g, x FROM pairs;
VACUUM (FREEZE, ANALYZE) grouped;
CALL measure_workers('LIMIT 10', 'int4', :many, 'SELECT count(x), count(id) FROM pairs', 'SELECT x, id FROM pairs ORDER BY x LIMIT 10', '{4MB}', '{0,1,2,4,8,12}', :slow_runs);
CALL measure_workers('the first 3 of 1,000 groups', 'int4', :many, 'SELECT count(g), count(x) FROM grouped',
	'SELECT count(g), count(x) FROM (SELECT g, x, row_number() OVER (PARTITION BY g ORDER BY x) AS r FROM grouped) q WHERE r <= 3', '{4MB,1GB}', '{0,1,2,4,8,12}', :slow_runs);
\endif

\if :{?aggregates}
CALL measure_workers('median', 'int4', :many, 'SELECT count(x) FROM pairs', 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM pairs',
	'{4MB,1GB}', '{0,1,2,4,8,12}', :slow_runs);
CALL measure_workers('count(DISTINCT)', 'int4', :many, 'SELECT count(x) FROM pairs', 'SELECT count(DISTINCT x) FROM pairs', '{4MB,1GB}', '{0,1,2,4,8,12}', :slow_runs);
\endif

\i bench/report.sql

CREATE TABLE duckdb (data text, type text, query text);
INSERT INTO duckdb VALUES
('two columns', 'int4', 'CREATE OR REPLACE TEMP TABLE sorted AS SELECT x, id FROM pairs ORDER BY x'),
('text and a number', 'text, ICU', 'CREATE OR REPLACE TEMP TABLE sorted AS SELECT t, id FROM texts ORDER BY t'),
('LIMIT 10', 'int4', 'SELECT x, id FROM pairs ORDER BY x LIMIT 10'),
('the first 3 of 1,000 groups', 'int4',
	'SELECT count(g), count(x) FROM (SELECT g, x, row_number() OVER (PARTITION BY g ORDER BY x) AS r FROM grouped) q WHERE r <= 3'),
('median', 'int4', 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM pairs'),
('count(DISTINCT)', 'int4', 'SELECT count(DISTINCT x) FROM pairs');
CREATE TABLE duckdb_schema AS SELECT format('CREATE TABLE pairs AS SELECT (2147483647 * random())::int4 AS x, i::int4 AS id FROM range(%s) r (i);'
	' CREATE TABLE grouped AS SELECT id %% 1000 AS g, x FROM pairs; CREATE TABLE texts (t text COLLATE en, id int4);'
	' INSERT INTO texts SELECT md5(i::text), i FROM range(%s) r (i)', :many, :fewer);
\cd :made
\copy duckdb_schema TO 'schema.sql'
\copy (SELECT r.id, 'DuckDB', substring(r.data FROM '(\d+) workers')::int + 1, 'run', query FROM results r JOIN duckdb d ON r.type = d.type AND r.data LIKE d.data || ', work_mem 4MB%' WHERE r.contender LIKE 'floor%' ORDER BY r.id) TO 'queries.csv' WITH (FORMAT csv)
