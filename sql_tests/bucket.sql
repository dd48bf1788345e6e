SET search_path = gpusort, public;

-- Intervals of equal width, NaN in the last, NULL stays NULL.
SELECT x, bucket(x, 4) OVER (), bucket(x, 4, true) OVER () FROM (VALUES (0), (1), (4), (7), (8), (NULL)) v(x);
SELECT x, bucket(x, 10) OVER () FROM (VALUES (0::float8), (5), (10), ('NaN'), ('inf'), ('-inf')) v(x);
SELECT x, bucket(x, 3) OVER (), bucket(x, 3, true) OVER () FROM (VALUES ('-0'::float8), (0), (1)) v(x);
SELECT bucket(x, 3) OVER (), bucket(x, 3, true) OVER () FROM (VALUES (5)) v(x);
SELECT bucket(x, 3) OVER () FROM (VALUES (5)) v(x) WHERE false;
SELECT g, x, bucket(x, 2) OVER (PARTITION BY g) FROM (VALUES (1, 10), (1, 20), (2, 100), (2, 100), (3, NULL)) v(g, x);
SELECT d, bucket(d, 12) OVER () FROM (SELECT date '2025-01-01' + 30 * i AS d FROM generate_series(0, 11, 4) i) q;

CREATE TABLE values_of AS
SELECT i, i % 7 AS g, CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 7919::bigint) % 1000003 END AS v FROM generate_series(1, 150000) i;

SELECT bool_and(b BETWEEN 1 AND 100) AS in_range, count(DISTINCT b) FROM (SELECT bucket(v, 100) OVER () AS b FROM values_of WHERE v IS NOT NULL) q;

-- No row is further from its sorted place than the fullest interval has other rows.
SELECT buckets, max(abs(place - sorted_place)) BETWEEN 1 AND max(size) - 1 AS within
FROM (SELECT buckets, size, row_number() OVER (PARTITION BY buckets ORDER BY b, i) AS place, row_number() OVER (PARTITION BY buckets ORDER BY f, i) AS sorted_place
	  FROM (SELECT *, count(*) OVER (PARTITION BY buckets, b) AS size
			FROM (SELECT buckets, i, f, bucket(f, buckets) OVER (PARTITION BY buckets) AS b
				  FROM (SELECT i, exp(v / 200000.0)::float8 AS f FROM values_of WHERE i < 20000 AND v IS NOT NULL) s, unnest(ARRAY[1, 2, 50, 1000]) buckets) q) q) q
GROUP BY buckets ORDER BY buckets;

-- Rows in bucket order are the rows of array_sort_approx.
SELECT array_agg(v ORDER BY b, i) = (SELECT array_sort_approx(array_agg(v ORDER BY i), 50) FROM values_of WHERE v IS NOT NULL) AS agree
FROM (SELECT v, i, bucket(v, 50) OVER () AS b FROM values_of WHERE v IS NOT NULL) q;

-- The engine does not matter: all types, both directions, few and many intervals, with NULLs, in one partition and in several.
CREATE FUNCTION buckets_of(expression text, options text, partition_by text, source text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE format('SELECT bit_xor(hashint8extended(i, coalesce(b, 0))) FROM (SELECT i, bucket(%s, %s) OVER (%s) AS b FROM %s OFFSET 0) q',
				   expression, options, partition_by, source) INTO result;
	RETURN result;
END $$;
CREATE TABLE few_values AS SELECT * FROM values_of WHERE i <= 5000;
CREATE TABLE questions AS
SELECT expression, options, partition_by, 'few_values' AS source
FROM unnest(ARRAY['(v % 30000)::int2', 'v::int4', 'v::oid', '(v * 9223372036854)::int8', '(v::float8 / 7)::float4', 'exp(v / 1500.0)::float8',
				  'CASE i % 1000 WHEN 1 THEN ''NaN'' WHEN 2 THEN ''-inf'' WHEN 3 THEN ''inf'' ELSE 1 / v::float8 END',
				  'date ''2000-01-01'' + v::int4', 'timestamp ''2000-01-01'' + v * interval ''1 hour''', 'v::money', 'NULL::int4', '''NaN''::float4']) expression,
	 unnest(ARRAY['1', '7', '10000, true', '2147483647']) options,
	 unnest(ARRAY['', 'PARTITION BY g']) partition_by
UNION ALL
SELECT expression, '10000, true', partition_by, 'values_of'
FROM unnest(ARRAY['v::int4', 'sqrt(v::float8)', '(v % 30000)::int2']) expression, unnest(ARRAY['', 'PARTITION BY i > 20000']) partition_by;
ALTER TABLE questions ADD answer bigint;
UPDATE questions SET answer = buckets_of(expression, options, partition_by, source);
SET gpusort.engine = cpu;
SELECT * FROM questions WHERE answer IS DISTINCT FROM buckets_of(expression, options, partition_by, source);
RESET gpusort.engine;
SELECT count(*), count(answer) FROM questions;

-- Intervals of integers are what the formula says, whatever their range, and those of descending order are its mirror image.
CREATE TABLE spread AS
SELECT shift, (CASE i WHEN 1 THEN -9223372036854775808 WHEN 2 THEN 9223372036854775807 ELSE hashint8extended(i, shift) END >> shift)::int8 AS x
FROM generate_series(1, 300) i, unnest(ARRAY[0, 1, 17, 31, 33, 50, 60]) shift;
SELECT type, count(*), count(*) FILTER (WHERE b <> div((x - least) * k, greatest - least + 1) + 1 OR d <> k + 1 - b) AS wrong
FROM (SELECT *, min(x) OVER w AS least, max(x) OVER w AS greatest
	  FROM (SELECT 'int2' AS type, shift, k, (x >> 48)::int2::numeric AS x, bucket((x >> 48)::int2, k) OVER w AS b, bucket((x >> 48)::int2, k, true) OVER w AS d
			FROM spread, unnest(ARRAY[1, 7, 30, 1000, 999983]) k WINDOW w AS (PARTITION BY shift, k)
			UNION ALL
			SELECT 'int4', shift, k, (x >> 32)::int4, bucket((x >> 32)::int4, k) OVER w, bucket((x >> 32)::int4, k, true) OVER w
			FROM spread, unnest(ARRAY[1, 7, 30, 1000, 999983]) k WINDOW w AS (PARTITION BY shift, k)
			UNION ALL
			SELECT 'oid', shift, k, (x >> 32) & 4294967295, bucket(((x >> 32) & 4294967295)::oid, k) OVER w, bucket(((x >> 32) & 4294967295)::oid, k, true) OVER w
			FROM spread, unnest(ARRAY[1, 7, 30, 1000, 999983]) k WINDOW w AS (PARTITION BY shift, k)
			UNION ALL
			SELECT 'int8', shift, k, x, bucket(x, k) OVER w, bucket(x, k, true) OVER w
			FROM spread, unnest(ARRAY[1, 7, 30, 1000, 999983]) k WINDOW w AS (PARTITION BY shift, k)) q
	  WINDOW w AS (PARTITION BY type, shift, k)) q
GROUP BY type ORDER BY type;

-- Those of floats rise with them, also in a range that no float8 or only a denormal one holds, and NaN is in the last one.
SELECT factor, count(*), count(*) FILTER (WHERE b < before OR b NOT BETWEEN 1 AND k OR (f = 'NaN' AND b <> k)) AS wrong, count(*) FILTER (WHERE f = 'NaN') > 0 AS nans
FROM (SELECT *, lag(b) OVER (PARTITION BY factor, shift, k ORDER BY f) AS before
	  FROM (SELECT factor, shift, k, f, bucket(f, k) OVER (PARTITION BY factor, shift, k) AS b
			FROM (SELECT factor, shift, k, CASE WHEN x % 20 = 0 THEN 'NaN' ELSE x * factor END AS f
				  FROM spread, unnest(ARRAY[1, 1e-312, 1.9e289]::float8[]) factor, unnest(ARRAY[1, 7, 30, 1000, 999983]) k) q) q) q
GROUP BY factor ORDER BY factor;
SELECT count(*), count(*) FILTER (WHERE b < before OR b NOT BETWEEN 1 AND k OR (f = 'NaN' AND b <> k)) AS wrong
FROM (SELECT *, lag(b) OVER (PARTITION BY shift, k ORDER BY f) AS before
	  FROM (SELECT shift, k, f, bucket(f, k) OVER (PARTITION BY shift, k) AS b
			FROM (SELECT shift, k, CASE WHEN x % 20 = 0 THEN 'NaN' ELSE x::float4 / 3 END AS f FROM spread, unnest(ARRAY[1, 7, 30, 1000, 999983]) k) q) q) q;

-- Read in part, and from a cursor that others' queries come between.
SELECT bucket(v, 10) OVER (ORDER BY i) FROM values_of LIMIT 3;
BEGIN;
DECLARE c CURSOR FOR SELECT i, bucket(v, 10) OVER (ORDER BY i) FROM values_of ORDER BY i;
FETCH 2 FROM c;
SELECT max(b) FROM (SELECT bucket(v, 20) OVER () AS b FROM values_of) q;
MOVE 140000 FROM c;
FETCH 2 FROM c;
COMMIT;
SELECT k, (SELECT max(b) FROM (SELECT bucket(v, k) OVER () AS b FROM values_of WHERE i < 1000 * k) q) FROM generate_series(1, 3) k;

-- A volatile argument is read more than once, and stays within the intervals.
SELECT bool_and(b BETWEEN 1 AND 4) AND bool_and(c BETWEEN 1 AND 4) AS in_range
FROM (SELECT bucket(random(), 4) OVER () AS b, bucket((100 * random())::int4, 4, true) OVER () AS c FROM generate_series(1, 5000)) q;

-- Errors.
SELECT bucket(x, 0) OVER () FROM generate_series(1, 2) x;
SELECT bucket(x, NULL) OVER () FROM generate_series(1, 2) x;
SELECT bucket(x, 1, NULL) OVER () FROM generate_series(1, 2) x;
SELECT bucket(x::text, 5) OVER () FROM generate_series(1, 2) x;

DROP FUNCTION buckets_of;
DROP TABLE values_of, few_values, questions, spread;
