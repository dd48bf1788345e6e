-- Approximate order beside exact order, row by row: with ten intervals, and with a tenth as many as there are values.
\i bench/session.sql
\set section approximate
SELECT 10000000 / :scale AS total \gset
SET gpusort.enable_array_sort = off;

CREATE FUNCTION approximate_contenders(n bigint) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SELECT sum((%s)[1]) FROM gpusort_bench.uniform', expression), '', ''] ORDER BY ord)
	FROM (VALUES (1, 'floor: read', 'a || ''{}'''), (2, 'gpusort', 'gpusort.array_sort(a)'),
		(3, 'gpusort, 10 intervals', 'gpusort.array_sort_approx(a, 10)'),
		(4, 'gpusort, n/10 intervals', format('gpusort.array_sort_approx(a, %s)', n / 10))) c (ord, name, expression)
$$;
SELECT format('CREATE UNLOGGED TABLE uniform (a %s[])', type), 'ALTER TABLE uniform ALTER a SET STORAGE EXTERNAL',
	format('INSERT INTO uniform SELECT array_agg(random()::%s) FROM generate_series(0, %s) i GROUP BY i / %s', type, :total - 1, n),
	format('CALL measure(''approximate'', ''uniform'', %L, %s, %s, approximate_contenders(%s))', type, n, :total / n, n), 'DROP TABLE uniform'
FROM (VALUES ('float4'), ('float8')) t (type), (VALUES (100), (1000), (10000), (100000), (1000000), (10000000)) l (n)
WHERE n <= :total ORDER BY type, n
\gexec
DROP FUNCTION approximate_contenders;
\i bench/report.sql
