-- A GIN index over bins of m/z beside a sequential scan, and what it costs to write: MassBank, and a million spectra of
-- 20 random peaks.
\i bench/session.sql
\set section bins
SET maintenance_work_mem = '256MB';
CREATE TABLE made AS SELECT ARRAY(SELECT 50 + 950 * random() FROM generate_series(1, 20) WHERE i IS NOT NULL ORDER BY 1) AS mz
	FROM generate_series(1, 1000000 / :scale) i;
CREATE TABLE massbank AS TABLE spectra;
CREATE TABLE unindexed (mz float8[]);
VACUUM ANALYZE massbank, made;

CREATE PROCEDURE measure_bins(data text, spectra text) LANGUAGE plpgsql AS $$
DECLARE
	peak text := 'cardinality(gpusort.array_between(mz, %1$s, %2$s)) > 0';
	bin text := 'gpusort.array_bins(mz, 0.1) && gpusort.bins_between(%1$s, %2$s, 0.1)';
	peaks text := format(peak, 171.0, 171.02) || ' AND ' || format(peak, 230.0, 230.1);
	bins text := format(bin, 171.0, 171.02) || ' AND ' || format(bin, 230.0, 230.1);
	arrays bigint;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || spectra INTO arrays;
	CALL gpusort_bench.measure('bins', data || ': building', 'float8', NULL, arrays, ARRAY[
		['bins alone', format('SELECT count(gpusort.array_bins(mz, 0.1)) FROM %s', spectra), '', ''],
		['CREATE INDEX', format('DROP INDEX IF EXISTS bins; CREATE INDEX bins ON %s USING gin (gpusort.array_bins(mz, 0.1))', spectra), '', '']]);
	EXECUTE 'ANALYZE ' || spectra;
	data := format('%s, table %s, index %s', data, pg_size_pretty(pg_table_size(spectra)), pg_size_pretty(pg_table_size('bins')));
	CALL gpusort_bench.measure('bins', data || ': peaks in two windows', 'float8', NULL, arrays, ARRAY[
		['index', format('SELECT count(*) FROM %s WHERE %s AND %s', spectra, bins, peaks), '', ''],
		['sequential scan', format('SELECT count(*) FROM %s WHERE %s', spectra, peaks), '', '']]);
	CALL gpusort_bench.measure('bins', data || ': inserting 20,000', 'float8', NULL, arrays, ARRAY[
		['without the index', format('INSERT INTO unindexed SELECT mz FROM %s LIMIT 20000', spectra), '', ''],
		['with the index', format('INSERT INTO %1$s (mz) SELECT mz FROM %1$s LIMIT 20000; SELECT gin_clean_pending_list(''bins'')', spectra), '', '']]);
	DROP INDEX bins;
END $$;
CALL measure_bins('MassBank', 'massbank');
CALL measure_bins('random', 'made');
\i bench/report.sql
