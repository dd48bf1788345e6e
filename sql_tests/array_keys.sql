-- Keys at every corner of their encoding: all int2 values, floats of every
-- exponent, limits of the wide types; long arrays.
SET search_path = gpusort, pg_catalog, public;

-- Every int2 value, in an order that has nothing to do with it.
SELECT array_sort(a) = ordered AS sorted, array_sort(a, true) = reversed AS descending,
       array_take(a, array_argsort(a)) = ordered AS argsort, array_sort_by(a, a, true) = reversed AS sort_by,
       array_sort_distinct(a || a) = ordered AS "distinct", array_is_sorted(ordered) AND NOT array_is_sorted(a) AS is_sorted,
       array_top_n(a, 10, false) = ordered[1:10] AS top_n
FROM (SELECT array_agg(i::int2 ORDER BY md5(i::text)) AS a, array_agg(i::int2 ORDER BY i) AS ordered, array_agg(i::int2 ORDER BY i DESC) AS reversed
	  FROM generate_series(-32768, 32767) i) t;

-- Floats of every exponent, normal and denormal, both signs, and the special values;
-- twice, so that ties show.
CREATE TEMP TABLE floats AS
	SELECT x, row_number() OVER (ORDER BY md5(x::text || copy), copy) AS place
	FROM (SELECT sign * (1 + m / 8.0::float8) * 2.0::float8 ^ e AS x FROM generate_series(-1074, 1023) e, generate_series(0, 7, 3) m, (VALUES (1), (-1)) s(sign)
		  WHERE e > -1070 OR m = 0
		  UNION ALL SELECT unnest('{0,-0,Infinity,-Infinity,NaN}'::float8[])) v, generate_series(1, 2) copy;
SELECT array_sort(a) = ordered AS sorted, array_sort(a, true) = reversed AS descending, array_argsort(a) = positions AS argsort,
       array_argsort(a, true) = backward AS argsort_descending, cardinality(array_sort_distinct(a)) AS "distinct", cardinality(a) AS of
FROM (SELECT array_agg(x ORDER BY place) AS a, array_agg(x ORDER BY x) AS ordered, array_agg(x ORDER BY x DESC) AS reversed,
			 array_agg(place::int ORDER BY x, place) AS positions, array_agg(place::int ORDER BY x DESC, place) AS backward FROM floats) t;
SELECT array_sort(a) = ordered AS sorted, array_sort(a, true) = reversed AS descending, array_argsort(a) = positions AS argsort,
       array_argsort(a, true) = backward AS argsort_descending, cardinality(array_sort_distinct(a)) AS "distinct", cardinality(a) AS of
FROM (SELECT array_agg(x ORDER BY place) AS a, array_agg(x ORDER BY x) AS ordered, array_agg(x ORDER BY x DESC) AS reversed,
			 array_agg(place::int ORDER BY x, place) AS positions, array_agg(place::int ORDER BY x DESC, place) AS backward
	  FROM (SELECT x::float4, row_number() OVER (ORDER BY place) AS place FROM floats
			WHERE x = 0 OR abs(x) BETWEEN 1.5e-45 AND 3.4e38 OR x IN ('Infinity', '-Infinity', 'NaN')) f) t;
-- The sign of a zero is kept.
SELECT array_to_string(array_sort('{0,-0,1,-0,0}'::float4[]), ',') LIKE '%-0%-0%' AS float4, array_to_string(array_sort('{0,-0,1,-0,0}'::float8[], true), ',') LIKE '%-0%-0%' AS float8;

-- Integers around every power of two.
SELECT array_sort(a) = ordered AS sorted, array_sort(a, true) = reversed AS descending, array_argsort(a, true) = backward AS argsort
FROM (SELECT array_agg(x ORDER BY place) AS a, array_agg(x ORDER BY x) AS ordered, array_agg(x ORDER BY x DESC) AS reversed, array_agg(place::int ORDER BY x DESC, place) AS backward
	  FROM (SELECT x, row_number() OVER (ORDER BY md5(x::text)) AS place
			FROM (SELECT sign * ((1::int8 << e) + d) AS x FROM generate_series(0, 62) e, generate_series(-1, 1) d, (VALUES (1), (-1)) s(sign)
				  UNION ALL SELECT unnest('{9223372036854775807,-9223372036854775808}'::int8[])) v) p) t;
SELECT array_sort(a) = ordered AS sorted, array_argsort(a, true) = backward AS argsort
FROM (SELECT array_agg(x ORDER BY place) AS a, array_agg(x ORDER BY x) AS ordered, array_agg(place::int ORDER BY x DESC, place) AS backward
	  FROM (SELECT x, row_number() OVER (ORDER BY md5(x::text)) AS place
			FROM (SELECT (sign * ((1::int8 << e) + d))::int4 AS x FROM generate_series(0, 30) e, generate_series(-1, 1) d, (VALUES (1), (-1)) s(sign)
				  UNION ALL SELECT unnest('{2147483647,-2147483648}'::int4[])) v) p) t;
SELECT array_sort(a) = ordered AS oid, array_argsort(a, true) = backward AS argsort
FROM (SELECT array_agg(x ORDER BY place) AS a, array_agg(x ORDER BY x) AS ordered, array_agg(place::int ORDER BY x DESC, place) AS backward
	  FROM (SELECT x, row_number() OVER (ORDER BY md5(x::text)) AS place FROM (SELECT ((1::int8 << e) + d)::oid AS x FROM generate_series(0, 31) e, generate_series(-1, 1) d) v) p) t;

-- Every length around the limits of small sorts, and long arrays.
\set seed 0.75
\echo seed: :seed
SELECT setseed(:seed);
SELECT count(*) FILTER (WHERE array_sort(a) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a) x ORDER BY x)) AS float4,
       count(*) FILTER (WHERE array_sort(a::float8[], true) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a::float8[]) x ORDER BY x DESC)) AS float8,
       count(*) FILTER (WHERE array_argsort(a) IS DISTINCT FROM ARRAY(SELECT o::int FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY x, o)) AS argsort,
       count(*) FILTER (WHERE array_argsort(a::int8[], true) IS DISTINCT FROM ARRAY(SELECT o::int FROM unnest(a::int8[]) WITH ORDINALITY u(x, o) ORDER BY x DESC, o)) AS argsort_int8,
       count(*) FILTER (WHERE array_sort(a::int2[]) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a::int2[]) x ORDER BY x)) AS int2
FROM (SELECT n, ARRAY(SELECT ((random() - 0.5) * CASE n % 3 WHEN 0 THEN 20 ELSE 60000 END)::float4 FROM generate_series(1, n)) AS a FROM generate_series(0, 300) n) t;
CREATE TEMP TABLE long AS
	SELECT array_agg((random() * 2e9 - 1e9)::int4) AS i4, array_agg((random() * 1e6)::float4) AS f4, array_agg((random() * 100)::int8) AS few,
		   array_agg(random()) AS f8 FROM generate_series(1, 200000);
SELECT array_sort(i4) = ARRAY(SELECT x FROM unnest(i4) x ORDER BY x) AS i4, array_sort(f4, true) = ARRAY(SELECT x FROM unnest(f4) x ORDER BY x DESC) AS f4,
       array_sort(few) = ARRAY(SELECT x FROM unnest(few) x ORDER BY x) AS few, array_argsort(few) = ARRAY(SELECT o::int FROM unnest(few) WITH ORDINALITY u(x, o) ORDER BY x, o) AS stable,
       array_argsort(f8, true) = ARRAY(SELECT o::int FROM unnest(f8) WITH ORDINALITY u(x, o) ORDER BY x DESC, o) AS f8,
       array_top_n(f8, 100) = ARRAY(SELECT x FROM unnest(f8) x ORDER BY x DESC LIMIT 100) AS top_n,
       array_top_n_by(i4, few, 100) = ARRAY(SELECT v FROM unnest(i4, few) WITH ORDINALITY u(v, k, o) ORDER BY k DESC, o LIMIT 100) AS top_n_by
FROM long;
