-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- percentile_cont, percentile_disc and their kin beside PostgreSQL's own.
SET search_path = gpusort, public;

SELECT gpusort.percentile_cont(0.5) WITHIN GROUP (ORDER BY x), gpusort.percentile_disc(0.5) WITHIN GROUP (ORDER BY x),
	   median(x), percentile_cont_agg(x, 0.25), percentile_disc_agg(x, 0.25)
FROM (VALUES (4::float8), (1), (NULL), (3), (2)) v(x);
SELECT gpusort.percentile_cont('{0,0.5,NULL,1}'::float8[]) WITHIN GROUP (ORDER BY x), percentile_cont_agg(x, '{{0.1},{0.9}}'::float8[]),
	   percentile_disc_agg(x, '[0:1]={0.1,0.9}'::float8[])
FROM (VALUES (4::float8), (1), (NULL), (3), (2)) v(x);
SELECT median(x), percentile_cont_agg(x, 0.9), percentile_cont_agg(x, '{0,1}'::float8[])
FROM (VALUES (interval '1 day'), ('2 hours'), ('1 month')) v(x);
SELECT median(x), percentile_disc_agg(x, 0.5) FROM generate_series(1, 10) x;
SELECT percentile_disc_agg(x COLLATE "C", '{0,0.5,1}'::float8[]) FROM unnest('{b,C,a,NULL,B}'::text[]) x;
SELECT pg_typeof(median(x)), pg_typeof(percentile_disc_agg(x, 0.5)), pg_typeof(percentile_disc_agg(x, '{0.5}'::float8[])) FROM generate_series(1, 3) x;

-- No rows, only NULLs, one row; a fraction that is NULL, and no fractions.
SELECT median(x), percentile_cont_agg(x, 0.5), percentile_disc_agg(x, 0.5), gpusort.percentile_cont(0.5) WITHIN GROUP (ORDER BY x),
	   gpusort.percentile_disc('{0.5}'::float8[]) WITHIN GROUP (ORDER BY x) FROM generate_series(1, 0) x;
SELECT median(x), percentile_cont_agg(x, 0.5), percentile_disc_agg(x, '{0.5}'::float8[]), gpusort.percentile_disc(0.5) WITHIN GROUP (ORDER BY x)
FROM (VALUES (NULL::float8), (NULL)) v(x);
SELECT median(x), percentile_cont_agg(x, 0), percentile_cont_agg(x, 1), percentile_disc_agg(x, 0.3) FROM (VALUES (7::float8)) v(x);
SELECT percentile_cont_agg(x, NULL::float8), percentile_disc_agg(x, NULL::float8[]), percentile_cont_agg(x, '{}'::float8[]),
	   percentile_disc_agg(x, '{NULL}'::float8[]), gpusort.percentile_cont(NULL::float8) WITHIN GROUP (ORDER BY x),
	   gpusort.percentile_disc(NULL::float8[]) WITHIN GROUP (ORDER BY x), gpusort.percentile_disc('{}'::float8[]) WITHIN GROUP (ORDER BY x)
FROM generate_series(1, 3) x;

-- Every error is PostgreSQL's: code and text.
CREATE FUNCTION pg_temp.outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT bool_and(pg_temp.outcome(format(call, 'pg_catalog')) IS NOT DISTINCT FROM pg_temp.outcome(format(call, 'gpusort'))) AS equal, count(*),
	   count(*) FILTER (WHERE pg_temp.outcome(format(call, 'gpusort')) LIKE '22%') AS errors
FROM (SELECT format('SELECT %%s.percentile_%s(%s) WITHIN GROUP (ORDER BY x) FROM generate_series(1, %s) x', kind, fraction, n)
	  FROM unnest('{cont,disc}'::text[]) kind, generate_series(0, 2) n,
		   unnest('{-0.1,1.1,''NaN'',''-inf'',0,1,0.5,NULL::float8,"''{0.5,2}''::float8[]","''{NULL,-1}''::float8[]","''{NaN}''::float8[]","''{}''::float8[]",NULL::float8[]}'::text[]) fraction) c(call);
SELECT percentile_cont_agg(x, 1.5) FROM generate_series(1, 3) x;
SELECT percentile_disc_agg(x, '{0,-1}'::float8[]) FROM generate_series(1, 3) x;
SELECT gpusort.percentile_disc(0.5) WITHIN GROUP (ORDER BY x USING ~<~) FROM (VALUES ('a'::text)) v(x);
SELECT gpusort.percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM (VALUES (point '(1,1)')) v(x);

-- Every type, many groups, both directions: the same as PostgreSQL's aggregates.
SELECT setseed(0.17);
CREATE TABLE percentile_rows AS
SELECT CASE WHEN i <= 3000 THEN 0 ELSE (random() * 300)::int END AS g,
	   CASE WHEN random() < 0.9 THEN (random() * 100)::int2 END AS i2,
	   CASE WHEN random() < 0.9 THEN (random() * 1000 - 500)::int4 END AS i4,
	   CASE WHEN random() < 0.9 THEN (random() * 1e18 - 5e17)::int8 END AS i8,
	   CASE WHEN random() < 0.9 THEN (CASE WHEN random() < 0.1 THEN 'NaN' WHEN random() < 0.1 THEN '-inf' WHEN random() < 0.1 THEN 'inf'
			ELSE (random() - 0.5)::text END)::float4 END AS f4,
	   CASE WHEN random() < 0.9 THEN (CASE WHEN random() < 0.03 THEN 'NaN' WHEN random() < 0.03 THEN '-inf' WHEN random() < 0.03 THEN 'inf'
			ELSE ((random() - 0.5) * exp(50 * random()))::text END)::float8 END AS f8,
	   CASE WHEN random() < 0.9 THEN date '2020-01-01' + (random() * 100)::int END AS d,
	   CASE WHEN random() < 0.9 THEN timestamptz '2020-01-01' + random() * interval '1000 days' END AS ts,
	   CASE WHEN random() < 0.9 THEN (random() * 1000)::int::oid END AS o,
	   CASE WHEN random() < 0.9 THEN md5((random() * 1000)::int::text) END AS t,
	   CASE WHEN random() < 0.9 THEN random()::numeric(6, 3) END AS n,
	   CASE WHEN random() < 0.9 THEN md5(random()::text)::uuid END AS u,
	   CASE WHEN random() < 0.9 THEN random() * interval '1000 days' END AS iv,
	   CASE WHEN random() < 0.9 THEN ARRAY[(random() * 10)::int, (random() * 10)::int] END AS a,
	   random() < 0.5 AS b
FROM generate_series(1, 12000) i;
ANALYZE percentile_rows;

-- What differs between the two sides of a row of two expressions per type.
CREATE FUNCTION pg_temp.differences(ours text, theirs text, columns text[], source text DEFAULT 'percentile_rows') RETURNS TABLE (type text, groups bigint, differ bigint)
LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
	FOREACH name IN ARRAY columns LOOP
		RETURN QUERY EXECUTE format('SELECT %L, count(*), count(*) FILTER (WHERE ours IS DISTINCT FROM theirs) FROM (SELECT %s AS ours, %s AS theirs FROM %s GROUP BY g) q',
									name, replace(ours, '@', name), replace(theirs, '@', name), source);
	END LOOP;
END $$;
\set types '''{i2,i4,i8,f4,f8,d,ts,o,t,n,u,iv,a,b}'''
\set numbers '''{i2,i4,i8,f4,f8,n,iv}'''
SELECT * FROM pg_temp.differences(
	'ARRAY[gpusort.percentile_disc(0.5) WITHIN GROUP (ORDER BY @), percentile_disc_agg(@, 0.9), gpusort.percentile_disc(0.1) WITHIN GROUP (ORDER BY @ DESC)]',
	'ARRAY[pg_catalog.percentile_disc(0.5) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_disc(0.9) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_disc(0.1) WITHIN GROUP (ORDER BY @ DESC)]', :types);
SELECT * FROM pg_temp.differences(
	'ROW(gpusort.percentile_disc(' || quote_literal('{0,0.1,0.25,0.5,0.75,0.999,NULL,1,0.5,0.3333}') || '::float8[]) WITHIN GROUP (ORDER BY @), percentile_disc_agg(@, ' || quote_literal('{0,0.1,0.9}') || '::float8[]))::text',
	'ROW(pg_catalog.percentile_disc(' || quote_literal('{0,0.1,0.25,0.5,0.75,0.999,NULL,1,0.5,0.3333}') || '::float8[]) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_disc(' || quote_literal('{0,0.1,0.9}') || '::float8[]) WITHIN GROUP (ORDER BY @))::text', array_remove(:types::text[], 'a'));
SELECT * FROM pg_temp.differences(
	'ROW(gpusort.percentile_cont(0.123) WITHIN GROUP (ORDER BY @), percentile_cont_agg(@, 0.9), median(@), gpusort.percentile_cont(0.1) WITHIN GROUP (ORDER BY @ DESC))::text',
	'ROW(pg_catalog.percentile_cont(0.123) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_cont(0.9) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_cont(0.1) WITHIN GROUP (ORDER BY @ DESC))::text', array_remove(:numbers::text[], 'n'));
-- That of numeric is exact.
SELECT * FROM pg_temp.differences('median(@)', '(pg_catalog.percentile_disc(0.5) WITHIN GROUP (ORDER BY @) + pg_catalog.percentile_disc(0.5) WITHIN GROUP (ORDER BY @ DESC)) / 2', '{n}');
SELECT * FROM pg_temp.differences(
	'ROW(gpusort.percentile_cont(' || quote_literal('{{0,0.1},{0.25,0.5},{0.75,NULL}}') || '::float8[]) WITHIN GROUP (ORDER BY @ DESC), percentile_cont_agg(@, (SELECT array_agg(i / 100.0) FROM generate_series(0, 100) i)::float8[]))::text',
	'ROW(pg_catalog.percentile_cont(' || quote_literal('{{0,0.1},{0.25,0.5},{0.75,NULL}}') || '::float8[]) WITHIN GROUP (ORDER BY @ DESC), pg_catalog.percentile_cont((SELECT array_agg(i / 100.0) FROM generate_series(0, 100) i)::float8[]) WITHIN GROUP (ORDER BY @))::text', :numbers);

-- Selection in sets of every shape: each fraction of sets that are skewed, equal, or span the whole range.
\set fractions '(SELECT array_agg(i / 40.0)::float8[] FROM generate_series(0, 40) i)'
SELECT kind, count(*) AS fractions, count(*) FILTER (WHERE percentile IS DISTINCT FROM expected) AS differ
FROM (SELECT kind, unnest(percentile_disc_agg(x, :fractions)) AS percentile, unnest(pg_catalog.percentile_disc(:fractions) WITHIN GROUP (ORDER BY x)) AS expected
	  FROM (SELECT kind, CASE kind WHEN 'equal' THEN 5 WHEN 'two' THEN i % 2 WHEN 'outlier' THEN CASE WHEN i = 1 THEN 9e18 ELSE i END
						 WHEN 'ends' THEN CASE i % 3 WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE i END
						 WHEN 'powers' THEN (-1.0) ^ i * 2.0 ^ (i % 63) WHEN 'sorted' THEN i ELSE i * 7919 % 5003 END::int8 AS x
			FROM generate_series(1, 5000) i, unnest('{equal,two,outlier,ends,powers,sorted,permuted}'::text[]) kind) s
	  GROUP BY kind) q
GROUP BY kind ORDER BY kind;

-- Whether an engine, a method or selection finds them, they are the same.
SET gpusort.method = 'network';
SELECT * FROM pg_temp.differences('ROW(median(@), percentile_disc_agg(@, 0.2))::text',
	'ROW(pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_disc(0.2) WITHIN GROUP (ORDER BY @))::text', '{i2,i4,i8,f4,f8}');
RESET gpusort.method;

-- FILTER, GROUPING SETS, DISTINCT, HAVING, window frames, several of one set.
SELECT g % 3 AS r, b, median(i4) FILTER (WHERE i4 > 0) IS NOT DISTINCT FROM pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY i4) FILTER (WHERE i4 > 0) AS filtered,
	   percentile_cont_agg(f8, 0.3) IS NOT DISTINCT FROM pg_catalog.percentile_cont(0.3) WITHIN GROUP (ORDER BY f8) AS f8
FROM percentile_rows GROUP BY GROUPING SETS ((g % 3), (b), (g % 3, b)) HAVING median(i2) > 0 ORDER BY 1, 2;
SELECT median(DISTINCT x), median(x), median(x ORDER BY x DESC) FROM unnest('{1,1,1,2,3}'::int[]) x;
SELECT x, median(x) OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), percentile_disc_agg(x, 0.5) OVER (ORDER BY x) FROM generate_series(1, 6) x;

-- In parallel plans.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT median(f8), percentile_disc_agg(t, 0.5) FROM percentile_rows;
SELECT median(f8) = (SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY f8) FROM percentile_rows) AS f8,
	   median(iv) = (SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY iv) FROM percentile_rows) AS iv,
	   percentile_disc_agg(t, 0.7) = (SELECT pg_catalog.percentile_disc(0.7) WITHIN GROUP (ORDER BY t) FROM percentile_rows) AS t,
	   percentile_disc_agg(n, '{0.7,1}'::float8[]) = (SELECT pg_catalog.percentile_disc('{0.7,1}'::float8[]) WITHIN GROUP (ORDER BY n) FROM percentile_rows) AS n,
	   percentile_cont_agg(i2, '{{0.7,1}}'::float8[]) = (SELECT pg_catalog.percentile_cont('{{0.7,1}}'::float8[]) WITHIN GROUP (ORDER BY i2) FROM percentile_rows) AS i2,
	   percentile_cont_agg(i2, NULL::float8) IS NULL AS no_fraction,
	   median(i2) FILTER (WHERE i2 IS NULL) IS NULL AS no_value
FROM percentile_rows;
SELECT * FROM pg_temp.differences('ROW(median(@), percentile_disc_agg(@, 0.2))::text',
	'ROW(pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY @), pg_catalog.percentile_disc(0.2) WITHIN GROUP (ORDER BY @))::text', '{i2,i4,i8,f4,f8}');
DROP TABLE percentile_rows;

-- The cast of numerics in arguments: the bits of PostgreSQL's, and its errors.
SELECT count(*) > 50000 AS enough, count(*) FILTER (WHERE float8send(gpusort_internal.numeric_float8(n)) <> float8send(n::float8)) AS wrong
FROM (SELECT ((ARRAY['-', ''])[1 + (random() * 1.4)::int] || (random() * 10 ^ (i % 19))::bigint || CASE WHEN i % 7 = 0 THEN (random() * 1e15)::bigint::text ELSE '' END ||
			  'e' || (random() * 70)::int - 35)::numeric AS n FROM generate_series(1, 50000) i
	  UNION ALL SELECT (9007199254740980 + i) * s * numeric '1e20' / ('1e' || e)::numeric FROM generate_series(0, 25) i, generate_series(0, 44) e, (VALUES (1), (-1), (10)) v(s)
	  UNION ALL SELECT n::numeric FROM unnest('{0,0.00,NaN,Infinity,-Infinity,1e22,1e23,1e24,1e-20,1e-24,9999999999999999,1e308,1e-300}'::text[]) n
	  UNION ALL SELECT '1.5'::numeric(300, 100) * s FROM (VALUES (1), (0), (-1)) v(s)) numbers;
SELECT bool_and(pg_temp.outcome(format('SELECT gpusort_internal.numeric_float8(%s)', n)) = pg_temp.outcome(format('SELECT pg_catalog.float8(%s)', n))) AS equal,
	   count(*) FILTER (WHERE pg_temp.outcome(format('SELECT gpusort_internal.numeric_float8(%s)', n)) LIKE '22003%') AS errors
FROM unnest('{1e308,1e309,-1e400,1e-400,1.7}'::text[]) n;
SET compute_query_id = off;
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpusort.percentile_cont(0.5) WITHIN GROUP (ORDER BY x::numeric), gpusort.percentile_cont(0.5) WITHIN GROUP (ORDER BY float8(x::numeric)) FROM generate_series(1, 20000) x;
