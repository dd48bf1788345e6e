-- Every type, length and distribution. Each cell holds 100,000 values (20,000 of
-- types sorted by their comparator), or one array of a million. Printed: nanoseconds
-- per value that gpusort needs beyond reading, and how many times faster it is than SQL.
\i bench/session.sql
\set section matrix
CREATE TABLE cell_types AS SELECT * FROM (VALUES
	(1, 'int2', 100000, '(65535 * x - 32768)::int2'),
	(2, 'int4', 100000, '(4294967295 * x - 2147483648)::int4'),
	(3, 'int8', 100000, '(1.8e19 * x - 9e18)::int8'),
	(4, 'float4', 100000, '(2000 * x - 1000)::float4'),
	(5, 'float8', 100000, '2000 * x - 1000'),
	(6, 'date', 100000, '''2000-01-01''::date + (100000 * x)::int'),
	(7, 'timestamp', 100000, '''2000-01-01''::timestamp + x * interval ''10000 days'''),
	(8, 'timestamptz', 100000, '''2000-01-01''::timestamptz + x * interval ''10000 days'''),
	(9, 'numeric', 20000, '(1000000 * x)::numeric(12, 4)'),
	(10, 'text', 20000, 'to_char(1000000 * x, ''FM0000000.0000'')'),
	(11, 'uuid', 20000, 'md5(x::text)::uuid')) t (ord, type, amount, expression);
CREATE TABLE cell_distributions AS SELECT * FROM (VALUES
	(1, 'random', 'random()'),
	(2, 'sorted', 'i / (n + 1.0)'),
	(3, 'reversed', '1 - i / (n + 1.0)'),
	(4, 'all equal', '0.5'),
	(5, 'few distinct', 'floor(8 * random()) / 8'),
	(6, 'gaussian', 'greatest(0, least(0.999999, 0.5 + sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) / 10))')) d (ord, distribution, source);
CREATE TABLE cell_lengths AS SELECT unnest(ARRAY[1, 8, 32, 100, 1000, 10000, 1000000]) AS n;

CREATE PROCEDURE measure_cell(type text, expression text, distribution text, source text, n int, arrays int) LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS gpusort_bench.cell;
	EXECUTE format('CREATE UNLOGGED TABLE gpusort_bench.cell (a %s[])', type);
	ALTER TABLE gpusort_bench.cell ALTER a SET STORAGE EXTERNAL;
	EXECUTE format('INSERT INTO gpusort_bench.cell SELECT ARRAY(SELECT %s FROM '
		'(SELECT (%s)::float8 AS x FROM (SELECT i::float8, %s::float8 AS n FROM generate_series(1, %s) i WHERE g = g OFFSET 0) v OFFSET 0) w) '
		'FROM generate_series(1, %s) g', expression, source, n, n, arrays);
	COMMIT;
	CALL gpusort_bench.measure('matrix', distribution, type, n, arrays,
		gpusort_bench.sort_contenders('gpusort_bench.cell', type, 'count'));
END $$;

SELECT format('CALL measure_cell(%L, %L, %L, %L, %s, %s)', type, expression, distribution, source, n, greatest(1, amount / :scale / n))
FROM cell_types t, cell_distributions d, cell_lengths
WHERE n <= 10 * amount ORDER BY t.ord, d.ord, n \gexec
DROP TABLE IF EXISTS cell;

CREATE VIEW cells AS
	SELECT o.type, o.data AS distribution, o.n,
		1e6 * (o.median_ms - f.median_ms) / (o.n * o.arrays) AS ns,
		s.median_ms / o.median_ms AS faster
	FROM results o JOIN results f USING (section, type, data, n) JOIN results s USING (section, type, data, n)
	WHERE section = 'matrix' AND o.contender = 'gpusort' AND f.contender LIKE 'floor%' AND s.contender LIKE 'ARRAY%';
\echo 'Nanoseconds per value beyond reading it:'
SELECT type, distribution,
	round(max(ns) FILTER (WHERE n = 1)::numeric, 1) AS "n = 1", round(max(ns) FILTER (WHERE n = 8)::numeric, 1) AS "8",
	round(max(ns) FILTER (WHERE n = 32)::numeric, 1) AS "32", round(max(ns) FILTER (WHERE n = 100)::numeric, 1) AS "100",
	round(max(ns) FILTER (WHERE n = 1000)::numeric, 1) AS "1000", round(max(ns) FILTER (WHERE n = 10000)::numeric, 1) AS "10000",
	round(max(ns) FILTER (WHERE n = 1000000)::numeric, 1) AS "1000000"
FROM cells JOIN cell_types t USING (type) JOIN cell_distributions d USING (distribution)
GROUP BY type, distribution, t.ord, d.ord ORDER BY t.ord, d.ord;
\echo 'Times faster than ARRAY(SELECT ... ORDER BY ...):'
SELECT type, distribution,
	round(max(faster) FILTER (WHERE n = 1)::numeric, 1) AS "n = 1", round(max(faster) FILTER (WHERE n = 8)::numeric, 1) AS "8",
	round(max(faster) FILTER (WHERE n = 32)::numeric, 1) AS "32", round(max(faster) FILTER (WHERE n = 100)::numeric, 1) AS "100",
	round(max(faster) FILTER (WHERE n = 1000)::numeric, 1) AS "1000", round(max(faster) FILTER (WHERE n = 10000)::numeric, 1) AS "10000",
	round(max(faster) FILTER (WHERE n = 1000000)::numeric, 1) AS "1000000"
FROM cells JOIN cell_types t USING (type) JOIN cell_distributions d USING (distribution)
GROUP BY type, distribution, t.ord, d.ord ORDER BY t.ord, d.ord;
