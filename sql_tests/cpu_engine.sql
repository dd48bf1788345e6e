-- Methods of the CPU engine: all give one result, or say why they cannot.
SET gpusort.engine = 'cpu';
SET work_mem = '4MB';
SET search_path = gpusort, pg_catalog, public;

CREATE TABLE cpu_arrays AS
	SELECT array_agg((i * 7919) % 10007 - 5000 ORDER BY i) AS a FROM generate_series(1, 20000) i;

SELECT method, set_config('gpusort.method', method, false) = method AS set,
	   array_sort(a) = (SELECT array_agg(x ORDER BY x) FROM unnest(a) x) AS ascending,
	   array_sort(a, true) = (SELECT array_agg(x ORDER BY x DESC) FROM unnest(a) x) AS descending,
	   array_argsort(a) = (SELECT array_agg(i::int4 ORDER BY x, i) FROM unnest(a) WITH ORDINALITY AS u(x, i)) AS argsort,
	   array_argsort(a, true) = (SELECT array_agg(i::int4 ORDER BY x DESC, i) FROM unnest(a) WITH ORDINALITY AS u(x, i)) AS argsort_descending,
	   array_top_n(a, 5) AS top
FROM cpu_arrays, unnest(ARRAY['auto', 'counting', 'network']) AS method;

-- Counting with threads, for keys large enough to be divided among them.
SET gpusort.method = 'counting';
SET gpusort.cpu_threads = 4;
CREATE TEMP TABLE counted AS SELECT a, array_sort(a) AS sorted, array_argsort(a, true) AS positions, array_sort_by(a, a) AS carried
FROM (SELECT array_agg(hashint4(i) % 1000) AS a FROM generate_series(1, 1100000) i) s;
SET gpusort.cpu_threads = 1;
SELECT sorted = array_sort(a) AS with_one_thread, positions = array_argsort(a, true) AS positions_with_one_thread, carried = sorted AS carried,
	sorted = (SELECT array_agg(x ORDER BY x) FROM unnest(a) x) AS as_postgres,
	positions = (SELECT array_agg(i::int4 ORDER BY x DESC, i) FROM unnest(a) WITH ORDINALITY u(x, i)) AS positions_as_postgres FROM counted;
DROP TABLE counted;
RESET gpusort.cpu_threads;

-- A range that cannot be counted, and types whose codes are far apart.
SELECT array_sort(ARRAY[1, 2000000000]::int4[]);
SET work_mem = '64kB';
SELECT array_sort(ARRAY[1, 100000]::int4[]);
\echo :LAST_ERROR_SQLSTATE
SET work_mem = '1MB';
SELECT array_sort(ARRAY[100000, 1]::int4[]);
SET work_mem = '4MB';
SELECT array_sort(ARRAY[9223372036854775807, 9223372036854775800]::int8[], true);
SELECT array_sort(ARRAY[-9223372036854775808, 9223372036854775807]::int8[]);
SELECT array_sort(ARRAY[1.0, 1.0000001, 'NaN', 1.0]::float4[]);

-- Methods of the GPU, and exact methods for an approximate order.
SET gpusort.method = 'hybrid';
SELECT array_sort(ARRAY[2, 1]);
\echo :LAST_ERROR_SQLSTATE
SET gpusort.method = 'network';
SELECT array_sort_approx(ARRAY[2, 1], 2);
SET gpusort.method = 'approximate';
SELECT array_sort_approx(ARRAY[2, 1], 2);
SELECT array_sort(ARRAY[2, 1]);
RESET gpusort.method;


DROP TABLE cpu_arrays;
