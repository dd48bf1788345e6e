-- Real spectra: short arrays of all lengths.
\i bench/session.sql
\set section spectra
VACUUM ANALYZE spectra;
SELECT count(*) AS arrays FROM spectra \gset

CREATE VIEW intensities AS SELECT intensity AS a FROM spectra;
CALL measure('spectra', :'source' || ': intensity sorted', 'float4', NULL, :arrays,
	sort_contenders('gpusort_bench.intensities', 'float4', 'sum'));
CALL measure('spectra', :'source' || ': m/z by intensity', 'float8', NULL, :arrays, ARRAY[
	['floor: read', 'SELECT sum((mz || ''{}'')[1] + (intensity || ''{}'')[1]) FROM gpusort_bench.spectra', '', ''],
	['gpusort', 'SELECT sum((gpusort.array_sort_by(mz, intensity))[1]) FROM gpusort_bench.spectra', '', ''],
	['gpusort, row by row', 'SELECT sum((gpusort.array_sort_by(mz, intensity))[1]) FROM gpusort_bench.spectra',
		'gpusort.enable_array_sort', 'off'],
	['ARRAY(SELECT ... ORDER BY ...)',
		'SELECT sum((ARRAY(SELECT m FROM unnest(mz, intensity) p (m, i) ORDER BY i))[1]) FROM gpusort_bench.spectra', '', '']]);
CALL measure('spectra', :'source' || ': 50 most intense', 'float8', NULL, :arrays, ARRAY[
	['floor: read', 'SELECT sum((mz || ''{}'')[1] + (intensity || ''{}'')[1]) FROM gpusort_bench.spectra', '', ''],
	['gpusort', 'SELECT sum((gpusort.array_top_n_by(mz, intensity, 50))[1]) FROM gpusort_bench.spectra', '', ''],
	['gpusort, row by row', 'SELECT sum((gpusort.array_top_n_by(mz, intensity, 50))[1]) FROM gpusort_bench.spectra',
		'gpusort.enable_array_sort', 'off'],
	['ARRAY(SELECT ... ORDER BY ...)',
		'SELECT sum((ARRAY(SELECT m FROM unnest(mz, intensity) p (m, i) ORDER BY i DESC LIMIT 50))[1]) FROM gpusort_bench.spectra', '', '']]);
DROP VIEW intensities;
TRUNCATE spectra;
\i bench/report.sql
