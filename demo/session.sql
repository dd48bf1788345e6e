-- The demo: queries as they are written, with gpusort and without, and then functions on
-- arrays beside the plain SQL for the same result. Each is run three times; the middle time counts.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\i demo/load.sql
SET work_mem = '4MB';
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;

-- A row for each peak, eight times over, as if it had been measured again.
CREATE TABLE peaks AS
	SELECT s.accession, run, p.mz, p.intensity
	FROM generate_series(1, 8) run, spectra s, unnest(s.mz, s.intensity) p(mz, intensity)
	ORDER BY run, hashtext(s.accession || p.mz::text);
VACUUM ANALYZE peaks;

CREATE FUNCTION pg_temp.switch(value text) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('gpusort.' || name, value, false)
	FROM unnest(ARRAY['enable_sort', 'enable_aggregates', 'enable_array_sort', 'enable_index_build']) name
$$;

-- Milliseconds that the server takes for a query, or for another statement, which is taken back.
CREATE FUNCTION pg_temp.run_ms(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	line text;
	start timestamptz := clock_timestamp();
BEGIN
	IF statement LIKE 'SELECT%' THEN
		FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF) ' || statement
		LOOP
			IF line LIKE 'Execution Time:%' THEN
				RETURN substring(line FROM '[0-9.]+');
			END IF;
		END LOOP;
	END IF;
	BEGIN
		EXECUTE statement;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		RETURN extract(epoch FROM clock_timestamp() - start) * 1000;
	END;
END $$;

CREATE TEMP TABLE times (title text, ours numeric, theirs numeric);

-- What is said of the middle of three times, which the chart at the end has again.
CREATE FUNCTION pg_temp.times(title text, statement text, ours float8[], theirs float8[], equal bool, without text) RETURNS SETOF text LANGUAGE sql AS $$
	INSERT INTO times VALUES ($1, gpusort.array_median($3), gpusort.array_median($4));
	SELECT unnest(ARRAY[E'\n' || $1, '  ' || replace($2, E'\n', E'\n  '),
		format('  -> %s %s ms, with gpusort %s ms: %s times as fast%s', $6, round(t.theirs, 1), round(t.ours, 1), round(t.theirs / t.ours, 1),
			CASE WHEN $5 THEN ', same result' ELSE '' END)]) FROM times t WHERE t.title = $1;
$$;

-- The same statement by gpusort and by PostgreSQL alone, in turn.
CREATE FUNCTION pg_temp.unchanged(title text, statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	enabled text;
	ms float8;
	ours float8[];
	theirs float8[];
	sums numeric[];
	sum numeric;
BEGIN
	FOR i IN 1 .. 3 LOOP
		FOREACH enabled IN ARRAY ARRAY['off', 'on'] LOOP
			PERFORM pg_temp.switch(enabled);
			ms := pg_temp.run_ms(statement);
			IF enabled = 'on' THEN
				ours := ours || ms;
			ELSE
				theirs := theirs || ms;
			END IF;
			IF i = 1 AND statement LIKE 'SELECT%' THEN
				EXECUTE format('SELECT sum(hashtextextended(q::text, 0)) FROM (%s) q', statement) INTO sum;
				sums := sums || sum;
			END IF;
		END LOOP;
	END LOOP;
	RETURN QUERY SELECT pg_temp.times(title, statement, ours, theirs, sums[1] = sums[2], 'PostgreSQL alone');
END $$;

-- A function on arrays beside plain SQL.
CREATE FUNCTION pg_temp.compare(title text, example text, with_gpusort text, plain text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	ours float8[];
	theirs float8[];
	shown text;
	equal bool;
BEGIN
	EXECUTE format('SELECT NOT EXISTS ((%s) EXCEPT (%s))', with_gpusort, plain) INTO equal;
	FOR i IN 1 .. 3 LOOP
		ours := ours || pg_temp.run_ms(with_gpusort);
		theirs := theirs || pg_temp.run_ms(plain);
	END LOOP;
	EXECUTE format('SELECT s::text FROM (%s) s WHERE accession = $1', with_gpusort) INTO shown USING example;
	RETURN QUERY SELECT pg_temp.times(title, with_gpusort, ours, theirs, equal, 'plain SQL');
	RETURN NEXT '     for example ' || shown;
END $$;

SELECT format(E'\n%s real mass spectra from MassBank, and a table of their peaks, %s rows.', (SELECT count(*) FROM spectra), count(*)) FROM peaks;
\echo 'First queries as they are written, with work_mem = 4MB and one process.'

SELECT pg_temp.unchanged('1. ORDER BY: all peaks by intensity',
'SELECT mz, intensity FROM peaks ORDER BY intensity DESC');

SELECT pg_temp.unchanged('2. The three most intense peaks of each spectrum',
'SELECT accession, mz FROM
    (SELECT *, row_number() OVER
         (PARTITION BY accession ORDER BY intensity DESC, mz, run) AS n
     FROM peaks) p
WHERE n <= 3');

SELECT pg_temp.unchanged('3. The median intensity of each spectrum',
'SELECT accession, percentile_cont(0.5) WITHIN GROUP (ORDER BY intensity)
FROM peaks GROUP BY accession');

SELECT pg_temp.unchanged('4. How many different masses there are',
'SELECT count(DISTINCT mz) FROM peaks');

SELECT EXISTS (SELECT FROM pg_collation WHERE collname = 'en-x-icu') AS icu \gset
\if :icu
SELECT pg_temp.unchanged('5. An index on texts, in the order of English',
'CREATE INDEX ON peaks (accession COLLATE "en-x-icu")');
\else
SELECT pg_temp.unchanged('5. An index on texts',
'CREATE INDEX ON peaks (accession)');
\endif

\echo
\echo 'Then functions on array columns, beside plain SQL for the same.'

SELECT pg_temp.compare('6. The intensities of each spectrum, sorted',
'MSBNK-HBM4EU-HB000102',
'SELECT accession, gpusort.array_sort(intensity) FROM spectra',
'SELECT accession, ARRAY(SELECT x FROM unnest(intensity) x ORDER BY x) FROM spectra');

SELECT pg_temp.compare('7. The 50 most intense peaks, in m/z order',
'MSBNK-HBM4EU-HB000102',
'SELECT accession,
    gpusort.array_sort(gpusort.array_top_n_by(mz, intensity, 50))
FROM spectra',
'SELECT accession, ARRAY(SELECT m FROM
    (SELECT m FROM unnest(mz, intensity) WITH ORDINALITY p(m, i, o)
     ORDER BY i DESC, o LIMIT 50) q
    ORDER BY m) FROM spectra');

SELECT pg_temp.compare('8. The peak nearest to m/z 91.0542, within 10 ppm',
(SELECT min(accession) FROM spectra WHERE gpusort.array_nearest(mz, 91.0542, 10, ppm => true) IS NOT NULL),
'SELECT accession,
    mz[gpusort.array_nearest(mz, 91.0542, 10, ppm => true)]
FROM spectra',
'SELECT accession, (SELECT m FROM unnest(mz) m
    WHERE abs(m - 91.0542) <= 91.0542 * 10e-6
    ORDER BY abs(m - 91.0542), m LIMIT 1) FROM spectra');

\echo
\echo 'Times as fast as without gpusort (one # is one time, > stands for more than 20):'
\echo
SELECT format('%s %s %s', rpad(title, 52), lpad(round(theirs / ours, 1)::text, 5), repeat('#', least(20, round(theirs / ours)::int)) || CASE WHEN theirs / ours > 20 THEN '>' ELSE '' END) FROM times ORDER BY title;
