-- A method named by hand gives what auto gives, or says why it cannot.
SET search_path = gpusort, pg_catalog, public;
SET gpusort.engine = 'cpu';
SET work_mem = '4MB';
\set seed 0.25
\echo seed: :seed
SELECT setseed(:seed);
CREATE TEMP TABLE few AS
	SELECT type, descending, n, a FROM unnest('{int2,int4,int8,date,time}'::text[]) type, unnest('{1,2,7,300,20000}'::int4[]) n, unnest('{f,t}'::bool[]) descending,
		LATERAL (SELECT array_agg((random() * 100 - 50)::int4) AS a FROM generate_series(1, n)) r;
CREATE FUNCTION pg_temp.results(type text, a int4[], descending bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT md5(ROW(array_sort(b, $2), array_argsort(b, $2), array_sort_by($1, b, $2), array_sort_pair($1, b, $2), array_top_n(b, 10, $2),
						  array_top_n_by($1, b, 10, $2), array_sort_distinct(b, $2))::text) FROM (SELECT %s AS b) v',
		CASE type WHEN 'date' THEN $r$ARRAY(SELECT date '2000-01-01' + x FROM unnest($1) x)$r$
			WHEN 'time' THEN $r$ARRAY(SELECT time '12:00' + x * interval '1 microsecond' FROM unnest($1) x)$r$ ELSE '$1::' || type || '[]' END)
	INTO result USING a, descending;
	RETURN result;
END $$;
CREATE TEMP TABLE by_auto AS SELECT *, pg_temp.results(type, a, descending) AS result FROM few;
SET gpusort.method = 'counting';
SELECT type, count(*) AS arrays, count(*) FILTER (WHERE result <> pg_temp.results(type, a, descending)) AS wrong FROM by_auto GROUP BY type ORDER BY type;
SET gpusort.cpu_threads = 3;
SELECT type, count(*) AS arrays, count(*) FILTER (WHERE result <> pg_temp.results(type, a, descending)) AS wrong FROM by_auto GROUP BY type ORDER BY type;
RESET gpusort.cpu_threads;
RESET gpusort.method;

-- What a method cannot sort is an error.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
\pset format unaligned
\pset tuples_only on
SELECT method || ': ' || pg_temp.error_of(format('SET LOCAL gpusort.method = %L; SELECT array_sort(ARRAY[3,1,2])', method)) FROM unnest('{array_sort,tagged,hybrid,matrix,approximate}'::text[]) method;
-- It is an error for sorted keys, too, which need no sort.
SELECT query || E'\n    ' || pg_temp.error_of('SET LOCAL gpusort.method = ''hybrid''; ' || query) FROM unnest(ARRAY['SELECT array_mode(ARRAY[1,2,3])', 'SELECT array_median(ARRAY[1,2,3])',
	'SELECT array_percentile_disc(ARRAY[1,2,3], 0.5)', 'SELECT median(x) FROM generate_series(1, 3) x', 'SELECT count_distinct(x) FROM generate_series(1, 3) x']) query;
SET gpusort.method = 'counting';
SELECT query || E'\n    ' || pg_temp.error_of(query) FROM unnest(ARRAY['SELECT array_sort(''{1.5,2.5,1}''::float4[])', 'SELECT array_sort(''{1.5,2.5,1}''::float8[])',
	'SELECT array_sort(''{-9223372036854775808,9223372036854775807}''::int8[])', 'SELECT array_argsort(''{1,2000000000}''::int4[])',
	'SELECT array_sort(''{9223372036854775000,9223372036854775807,9223372036854775001}''::int8[])']) query;
