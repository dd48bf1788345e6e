-- 100,000 arrays of 1,000 values, out of line and uncompressed.
\i bench/session.sql
\set section short
SELECT 100000 / :scale AS arrays \gset

CREATE UNLOGGED TABLE short_float4 (a float4[]);
ALTER TABLE short_float4 ALTER a SET STORAGE EXTERNAL;
INSERT INTO short_float4
	SELECT ARRAY(SELECT random() FROM generate_series(1, 1000) WHERE g = g) FROM generate_series(1, :arrays) g;
CREATE UNLOGGED TABLE short_int4 (a int4[]);
ALTER TABLE short_int4 ALTER a SET STORAGE EXTERNAL;
INSERT INTO short_int4
	SELECT ARRAY(SELECT 2147483647 * random() FROM generate_series(1, 1000) WHERE g = g) FROM generate_series(1, :arrays) g;
VACUUM ANALYZE short_float4, short_int4;

CALL measure('short', 'uniform', 'float4', 1000, :arrays, sort_contenders('gpusort_bench.short_float4', 'float4', 'sum'));
CALL measure('short', 'uniform', 'int4', 1000, :arrays, sort_contenders('gpusort_bench.short_int4', 'int4', 'sum'));
DROP TABLE short_float4, short_int4;
\i bench/report.sql
