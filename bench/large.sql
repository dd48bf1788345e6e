-- Single arrays of 50 million values. "network" is the SIMD sort on the CPU.
\i bench/session.sql
\set section large
SELECT 50000000 / :scale AS n \gset

CREATE UNLOGGED TABLE large (a float4[]);
ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
INSERT INTO large SELECT array_agg(random()::float4) FROM generate_series(1, :n);
CALL measure('large', 'uniform', 'float4', :n, 1, sort_contenders('gpusort_bench.large', 'float4', 'sum'));
DROP TABLE large;

CREATE UNLOGGED TABLE large (a int8[]);
ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
INSERT INTO large SELECT array_agg((9e18 * random())::int8) FROM generate_series(1, :n);
CALL measure('large', 'uniform', 'int8', :n, 1, sort_contenders('gpusort_bench.large', 'int8', 'sum'));
DROP TABLE large;

CREATE UNLOGGED TABLE large (a int4[]);
ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
INSERT INTO large SELECT array_agg(floor(10000 * random())::int4) FROM generate_series(1, :n);
CALL measure('large', '0..9999', 'int4', :n, 1, sort_contenders('gpusort_bench.large', 'int4', 'sum') || ARRAY[
	['gpusort, method counting', 'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.large', 'gpusort.method', 'counting'],
	['gpusort, method network', 'SELECT sum((gpusort.array_sort(a))[1]) FROM gpusort_bench.large', 'gpusort.method', 'network']]);
DROP TABLE large;
\i bench/report.sql
SELECT round(((n.median_ms - f.median_ms) / (c.median_ms - f.median_ms))::numeric, 1) AS "counting, times faster than network beyond reading"
FROM results f JOIN results c USING (section, data) JOIN results n USING (section, data)
WHERE section = 'large' AND f.contender LIKE 'floor%' AND c.contender LIKE '%counting' AND n.contender LIKE '%network';
