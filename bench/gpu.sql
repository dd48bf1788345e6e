-- Arrays of many rows on the GPU beside the CPU engine, what people use today, and
-- the floor: the same query that only reads each array. Wants a few GB of shared_buffers,
-- or reading from disk is measured. Sections:
--
--   short    400,000 arrays of 1,000 values; 5,000 beside what is in use today; and with eight parallel workers
--   spectra  MassBank, repeated to a million spectra
--   long     2,000 arrays of 100,000 values
--   groups   array_sort(array_agg(x)) of 100,000 groups of 200
--   giant    one value of 1 GB
\i bench/session.sql
\set section gpu
SELECT 400000 / :scale AS thousands, 5000 / :scale AS few, 2000 / :scale AS longs, 100000 / :scale AS ngroups \gset

-- The two engines on one expression over one table.
CREATE FUNCTION engine_contenders(floor_query text, query text, others text[] DEFAULT '{}') RETURNS text[] LANGUAGE sql AS $$
	SELECT ARRAY[
		['floor: read', floor_query, '', ''],
		['gpusort, GPU engine', query, 'gpusort.engine', 'gpu'],
		['gpusort, CPU engine', query, 'gpusort.engine', 'cpu']] || others
$$;

-- Arrays of 1,000 values, which bench/backends wants, too.
\if :{?short}
\set thousand on
\endif
\if :{?thousand}
CREATE UNLOGGED TABLE thousand (id serial, a float4[]);
ALTER TABLE thousand ALTER a SET STORAGE EXTERNAL;
CREATE TEMP TABLE seeds AS
	SELECT ARRAY(SELECT random()::float4 FROM generate_series(1, 1000) WHERE g = g) AS a FROM generate_series(1, 20000) g;
INSERT INTO thousand (a) SELECT a FROM seeds, generate_series(1, greatest(1, :thousands / 20000));
SELECT count(*) AS thousands FROM thousand \gset
VACUUM ANALYZE thousand;
\endif

\if :{?short}
CALL measure('gpu', 'uniform', 'float4', 1000, :thousands, engine_contenders(
	'SELECT sum((a || ''{}'')[1]) FROM gpusort_bench.thousand',
	'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.thousand',
	ARRAY[['gpusort, engine auto', 'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.thousand', '', '']]));

-- The slow contenders on fewer arrays, with a floor of their own.
CREATE UNLOGGED TABLE few (a float4[], i int4[]);
ALTER TABLE few ALTER a SET STORAGE EXTERNAL, ALTER i SET STORAGE EXTERNAL;
INSERT INTO few SELECT a, ARRAY(SELECT (x * 2147483647)::int4 FROM unnest(a) x) FROM thousand WHERE id <= :few;
VACUUM ANALYZE few;
CALL measure('gpu', 'uniform, in use today', 'float4', 1000, :few, ARRAY[
	['floor: read', 'SELECT sum((a || ''{}'')[1]) FROM gpusort_bench.few', '', ''],
	['gpusort, GPU engine', 'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.few', 'gpusort.engine', 'gpu'],
	['gpusort, CPU engine', 'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.few', 'gpusort.engine', 'cpu'],
	['intarray sort', 'SELECT sum((' || gpusort_bench.intarray_sort() || '(i))[1]) FROM gpusort_bench.few', '', ''],
	['ARRAY(SELECT ... ORDER BY ...)', 'SELECT sum((ARRAY(SELECT x FROM unnest(a) x ORDER BY x))[1]) FROM gpusort_bench.few', '', '']]);
DROP TABLE few;

-- One query with parallel workers.
SET max_parallel_workers_per_gather = 8;
ALTER TABLE thousand SET (parallel_workers = 8);
CALL measure('gpu', 'uniform, 8 parallel workers', 'float4', 1000, :thousands, engine_contenders(
	'SELECT sum((a || ''{}'')[1]) FROM gpusort_bench.thousand',
	'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.thousand'));
SET max_parallel_workers_per_gather = 0;
\endif

-- Real spectra, repeated to a million.
\if :{?spectra}
SELECT count(*) AS loaded FROM spectra \gset
SELECT greatest(1, 1000000 / :scale / :loaded) AS copies \gset
CREATE UNLOGGED TABLE million AS SELECT mz, intensity FROM spectra, generate_series(1, :copies);
SELECT count(*) AS million FROM million \gset
VACUUM ANALYZE million;
CALL measure('gpu', 'spectra: intensity sorted', 'float4', NULL, :million, engine_contenders(
	'SELECT sum((intensity || ''{}'')[1]) FROM gpusort_bench.million',
	'SELECT sum((gpusort.array_sort(intensity))[1]) FROM gpusort_bench.million'));
CALL measure('gpu', 'spectra: m/z by intensity', 'float8', NULL, :million, engine_contenders(
	'SELECT sum((mz || ''{}'')[1] + (intensity || ''{}'')[1]) FROM gpusort_bench.million',
	'SELECT sum((gpusort.array_sort_by(mz, intensity))[1]) FROM gpusort_bench.million'));
DROP TABLE million;
\endif

-- Long arrays.
\if :{?long}
CREATE UNLOGGED TABLE longs (a float4[]);
ALTER TABLE longs ALTER a SET STORAGE EXTERNAL;
CREATE TEMP TABLE long_seeds AS
	SELECT ARRAY(SELECT random()::float4 FROM generate_series(1, 100000) WHERE g = g) AS a FROM generate_series(1, 100) g;
INSERT INTO longs SELECT a FROM long_seeds, generate_series(1, greatest(1, :longs / 100));
SELECT count(*) AS longs FROM longs \gset
VACUUM ANALYZE longs;
CALL measure('gpu', 'uniform', 'float4', 100000, :longs, engine_contenders(
	'SELECT sum((a || ''{}'')[1]) FROM gpusort_bench.longs',
	'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.longs'));
DROP TABLE longs;
\endif

-- Aggregated groups, whose rows lie together or, for a quarter as many, as far apart
-- as they can.  These and the next take long enough to be timed once.
UPDATE host SET runs = 1;
\if :{?groups}
SELECT greatest(1, :ngroups / 4) AS nfewer \gset
CREATE FUNCTION group_contenders(from_table text) RETURNS text[] LANGUAGE sql AS $$
	SELECT engine_contenders(
		format('SELECT sum(a[1]) FROM (SELECT array_agg(x) AS a FROM gpusort_bench.%s GROUP BY g) q', from_table),
		format('SELECT sum(a[1]) FROM (SELECT gpusort.array_sort(array_agg(x)) AS a FROM gpusort_bench.%s GROUP BY g) q', from_table),
		ARRAY[['array_agg(x ORDER BY x)',
			format('SELECT sum(a[1]) FROM (SELECT array_agg(x ORDER BY x) AS a FROM gpusort_bench.%s GROUP BY g) q', from_table),
			alone(), 'off']])
$$;
CREATE UNLOGGED TABLE together AS
	SELECT i / 200 AS g, random()::float4 AS x FROM generate_series(0, 200 * :ngroups - 1) i;
CREATE UNLOGGED TABLE apart AS
	SELECT i % :nfewer AS g, random()::float4 AS x FROM generate_series(0, 200 * :nfewer - 1) i;
VACUUM ANALYZE together, apart;
CALL measure('gpu', 'groups together, array_agg sorted', 'float4', 200, :ngroups, group_contenders('together'));
CALL measure('gpu', 'groups apart, array_agg sorted', 'float4', 200, :nfewer, group_contenders('apart'));
DROP TABLE together, apart;
\endif

-- One value near 1 GB, and the most device memory that gpusort has used by then: an
-- array holds at most 134,217,727 elements.
\if :{?giant}
CREATE UNLOGGED TABLE giant (a float8[]);
ALTER TABLE giant ALTER a SET STORAGE EXTERNAL;
INSERT INTO giant SELECT a || a FROM (SELECT array_agg(random()) AS a FROM generate_series(1, 67000000 / :scale)) q;
SET gpusort.engine = 'gpu';
SELECT sum((gpusort.array_sort(a))[1]) IS NOT NULL AS sorted FROM giant \gset
RESET gpusort.engine;
SELECT format('one value of 1 GB, %s MB of device memory', memory_peak / 1000000) AS giant FROM gpusort.devices LIMIT 1 \gset
CALL measure('gpu', :'giant', 'float8', 134000000 / :scale, 1, engine_contenders(
	'SELECT sum((a || ''{}'')[1]) FROM gpusort_bench.giant',
	'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.giant'));
DROP TABLE giant;
\endif

\i bench/report.sql
