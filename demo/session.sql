-- The demo: natural queries on real spectra, each beside the plain SQL for the
-- same result. Both are run five times; the middle time counts.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\i demo/load.sql
SET jit = off;
SET max_parallel_workers_per_gather = 0;

-- Milliseconds that the server takes for a query, and the middle one of five.
CREATE FUNCTION pg_temp.run_ms(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF) ' || query
	LOOP
		IF line LIKE 'Execution Time:%' THEN
			RETURN substring(line FROM '[0-9.]+');
		END IF;
	END LOOP;
END $$;

CREATE FUNCTION pg_temp.compare(title text, example text, with_gpusort text, plain text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	ours float8;
	theirs float8;
	shown text;
	equal bool;
BEGIN
	EXECUTE format('SELECT NOT EXISTS ((%s) EXCEPT (%s))', with_gpusort, plain) INTO equal;
	SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.run_ms(with_gpusort)),
		percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.run_ms(plain))
	INTO ours, theirs FROM generate_series(1, 5);
	EXECUTE format('SELECT s::text FROM (%s) s WHERE accession = $1', with_gpusort) INTO shown USING example;
	RETURN NEXT E'\n' || title;
	RETURN NEXT '  ' || with_gpusort;
	RETURN NEXT '  for example: ' || CASE WHEN length(shown) > 110 THEN left(shown, 107) || '...' ELSE shown END;
	RETURN NEXT format('  %s ms; in plain SQL %s ms (%s times as long)%s', round(ours::numeric, 1), round(theirs::numeric, 1),
		round((theirs / ours)::numeric, 1), CASE WHEN equal THEN ', same result' ELSE '' END);
END $$;

SELECT format(E'\n%s real mass spectra from MassBank, %s peaks in all: m/z ascending, intensity in no order.',
	count(*), sum(cardinality(mz))) FROM spectra;

SELECT pg_temp.compare(
	'1. The intensities of each spectrum, sorted.',
	'MSBNK-HBM4EU-HB000102',
	'SELECT accession, gpusort.array_sort(intensity) FROM spectra',
	'SELECT accession, ARRAY(SELECT x FROM unnest(intensity) x ORDER BY x) FROM spectra');

SELECT pg_temp.compare(
	'2. The m/z values, most intense first: one array ordered by another.',
	'MSBNK-HBM4EU-HB000102',
	'SELECT accession, gpusort.array_sort_by(mz, intensity, true) FROM spectra',
	'SELECT accession, ARRAY(SELECT m FROM unnest(mz, intensity) WITH ORDINALITY p(m, i, o) ORDER BY i DESC, o) FROM spectra');

SELECT pg_temp.compare(
	'3. The 50 most intense peaks, in m/z order.',
	'MSBNK-HBM4EU-HB000102',
	'SELECT accession, gpusort.array_sort(gpusort.array_top_n_by(mz, intensity, 50)) FROM spectra',
	'SELECT accession, ARRAY(SELECT m FROM (SELECT m FROM unnest(mz, intensity) WITH ORDINALITY p(m, i, o) ORDER BY i DESC, o LIMIT 50) q ORDER BY m) FROM spectra');

SELECT pg_temp.compare(
	'4. The peak nearest to a mass of 91.0542 (the tropylium ion), within 10 ppm.',
	'MSBNK-HBM4EU-HB000102',
	'SELECT accession, mz[gpusort.array_nearest(mz, 91.0542, 91.0542 * 10e-6)] FROM spectra',
	'SELECT accession, (SELECT m FROM unnest(mz) m WHERE abs(m - 91.0542) <= 91.0542 * 10e-6 ORDER BY abs(m - 91.0542), m LIMIT 1) FROM spectra');

SELECT pg_temp.compare(
	'5. The union of two peak lists, each spectrum''s and that of one example: the intensities in m/z order.',
	'MSBNK-HBM4EU-HB000102',
	'SELECT s.accession, (gpusort.array_merge_by(s.intensity, s.mz, e.intensity, e.mz)).merged_vals FROM spectra s, spectra e WHERE e.accession = ''MSBNK-HBM4EU-HB000102''',
	'SELECT s.accession, ARRAY(SELECT i FROM (SELECT 1 AS list, * FROM unnest(s.mz, s.intensity) WITH ORDINALITY p(m, i, o) UNION ALL '
	'SELECT 2, * FROM unnest(e.mz, e.intensity) WITH ORDINALITY p(m, i, o)) q ORDER BY m, list, o) FROM spectra s, spectra e WHERE e.accession = ''MSBNK-HBM4EU-HB000102''');

\echo
\echo '6. An approximate sort: one pass over 1,000 intervals, and how far from sorted that leaves it.'
\echo '  SELECT (gpusort.array_disorder(gpusort.array_sort_approx(a, 1000))).* FROM all_intensities'
CREATE TEMPORARY TABLE all_intensities AS
	SELECT array_agg(ln(i)::float4 ORDER BY accession, o) AS a
	FROM spectra, unnest(intensity) WITH ORDINALITY u(i, o) WHERE i > 0;
SELECT format('  %s ms; sorted exactly %s ms; in plain SQL %s ms', round(approximate::numeric, 1), round(exact::numeric, 1), round(plain::numeric, 1))
FROM (SELECT
	percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.run_ms('SELECT gpusort.array_sort_approx(a, 1000) FROM all_intensities')) AS approximate,
	percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.run_ms('SELECT gpusort.array_sort(a) FROM all_intensities')) AS exact,
	percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.run_ms('SELECT ARRAY(SELECT x FROM unnest(a) x ORDER BY x) FROM all_intensities')) AS plain
	FROM generate_series(1, 5)) t;
SELECT format('  all %s intensities (their logarithms) as one array: at most %s places from where it belongs, %s on average; before: %s and %s',
	cardinality(a), (after).max_displacement, round((after).mean_displacement::numeric, 1),
	(before).max_displacement, round((before).mean_displacement::numeric, 1))
FROM (SELECT a, gpusort.array_disorder(a) AS before, gpusort.array_disorder(gpusort.array_sort_approx(a, 1000)) AS after
	FROM all_intensities OFFSET 0) q;
