-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- mode, mode_agg, count_distinct, histogram_agg and top_n_agg_by.
SET search_path = gpusort, public;

SELECT gpusort.mode() WITHIN GROUP (ORDER BY x), gpusort.mode() WITHIN GROUP (ORDER BY x DESC) AS mode_desc, mode_agg(x), count_distinct(x), histogram_agg(x, 3)
FROM unnest('{3,1,2,NULL,3,1,7,NULL,NULL}'::int[]) x;
SELECT gpusort.mode() WITHIN GROUP (ORDER BY x) IS NULL AS mode, mode_agg(x) IS NULL AS mode_agg, count_distinct(x), histogram_agg(x, 3) IS NULL AS histogram,
	   top_n_agg_by(x, x, 3) IS NULL AS top
FROM generate_series(1, 0) x;
SELECT gpusort.mode() WITHIN GROUP (ORDER BY x), mode_agg(x), count_distinct(x), histogram_agg(x, 3), top_n_agg_by(x, x, 3) FROM (VALUES (NULL::int), (NULL)) v(x);
SELECT count_distinct(x), mode_agg(x), histogram_agg(x, 4) FROM unnest('{0,-0,NaN,NaN,inf,-inf,1,8}'::float8[]) x;
SELECT histogram_agg(x, 10), histogram_agg(x % 5, 5), histogram_agg(5, 2) FROM generate_series(1, 100) x;
SELECT histogram_agg(x, 4) = (SELECT array_agg(n ORDER BY b) FROM (SELECT b, count(*) AS n FROM (SELECT gpusort.bucket(x, 4) OVER () AS b FROM generate_series(1, 1000) i, exp(i / 100.0::float8) x) q GROUP BY b) q) AS as_bucket
FROM generate_series(1, 1000) i, exp(i / 100.0::float8) x;
SELECT top_n_agg_by(v, k, 2), top_n_agg_by(v, k, 2, false), top_n_agg_by(v, k, 0), top_n_agg_by(v, k, 9)
FROM (VALUES ('a', 2), ('b', 1), ('c', 3), ('d', NULL), ('e', 3), (NULL, 1)) t(v, k);
SELECT top_n_agg_by(x, nullif(x % 1000, 7), 3, true, true), top_n_agg_by(x, nullif(x % 1000, 7), 3, false, true), top_n_agg_by(x, x % 1000, 4294967296, false, true) IS NOT NULL AS all
FROM generate_series(1, 5000) x;

-- Errors.
SELECT histogram_agg(x, 0) FROM generate_series(1, 3) x;
SELECT histogram_agg(x, NULL) FROM generate_series(1, 3) x;
SELECT histogram_agg(x::text, 3) FROM generate_series(1, 3) x;
SELECT histogram_agg(x, 2000000000) FROM generate_series(1, 3) x;
SELECT top_n_agg_by(x, x, -1) FROM generate_series(1, 3) x;
SELECT top_n_agg_by(x, x, NULL) FROM generate_series(1, 3) x;
SELECT top_n_agg_by(x, x, 2, NULL) FROM generate_series(1, 3) x;
SELECT top_n_agg_by(x, x, 2 ORDER BY x) FROM generate_series(1, 3) x;
SELECT gpusort.mode() WITHIN GROUP (ORDER BY x USING ~>~) FROM (VALUES ('a'::text)) v(x);
SELECT count_distinct(x) FROM (VALUES (point '(1,1)'), (point '(1,1)')) v(x);

-- Every type, many groups: the same as PostgreSQL's.  Equal keys come in the order in which one process reads them.
SET max_parallel_workers_per_gather = 0;
SELECT setseed(0.23);
CREATE TABLE value_rows AS
SELECT CASE WHEN i <= 4000 THEN 0 ELSE (random() * 300)::int END AS g, i,
	   CASE WHEN random() < 0.9 THEN (random() * 10)::int2 END AS i2,
	   CASE WHEN random() < 0.9 THEN (random() * 1000 - 500)::int4 END AS i4,
	   CASE WHEN random() < 0.9 THEN (random() * 1e18 - 5e17)::int8 END AS i8,
	   CASE WHEN random() < 0.9 THEN (CASE WHEN random() < 0.1 THEN 'NaN' WHEN random() < 0.1 THEN '-inf' WHEN random() < 0.1 THEN 'inf'
			ELSE (random() * 10)::int::text END)::float4 END AS f4,
	   CASE WHEN random() < 0.9 THEN round((random() * 40)::numeric, 1)::float8 END AS f8,
	   CASE WHEN random() < 0.9 THEN date '2020-01-01' + (random() * 20)::int END AS d,
	   CASE WHEN random() < 0.9 THEN timestamptz '2020-01-01' + (random() * 20)::int * interval '1 day' END AS ts,
	   CASE WHEN random() < 0.9 THEN md5((random() * 30)::int::text) END AS t,
	   CASE WHEN random() < 0.9 THEN (random() * 30)::int / 4.0 END AS n,
	   CASE WHEN random() < 0.9 THEN md5((random() * 30)::int::text)::uuid END AS u,
	   CASE WHEN random() < 0.9 THEN (random() * 20)::int * interval '3 days' END AS iv,
	   CASE WHEN random() < 0.9 THEN ARRAY[(random() * 3)::int, (random() * 3)::int] END AS a,
	   random() < 0.5 AS b
FROM generate_series(1, 16000) i;
ANALYZE value_rows;
CREATE FUNCTION pg_temp.differences() RETURNS TABLE (type text, groups bigint, modes bigint, counts bigint, tops bigint, bottoms bigint)
LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
	FOREACH name IN ARRAY '{i2,i4,i8,f4,f8,d,ts,t,n,u,iv,a,b}'::text[] LOOP
		RETURN QUERY EXECUTE replace($q$
			SELECT '@', count(*), count(*) FILTER (WHERE ROW(m1, m2, m3)::text IS DISTINCT FROM ROW(p1, p2, p1)::text), count(*) FILTER (WHERE c <> p),
				   count(*) FILTER (WHERE top <> all_top[1:cardinality(top)] OR cardinality(top) <> least(5, cardinality(all_top))),
				   count(*) FILTER (WHERE bottom <> all_bottom[1:cardinality(bottom)] OR cardinality(bottom) <> least(70, cardinality(all_bottom)))
			FROM (SELECT gpusort.mode() WITHIN GROUP (ORDER BY @) AS m1, gpusort.mode() WITHIN GROUP (ORDER BY @ DESC) AS m2, mode_agg(@) AS m3,
						 pg_catalog.mode() WITHIN GROUP (ORDER BY @) AS p1, pg_catalog.mode() WITHIN GROUP (ORDER BY @ DESC) AS p2,
						 count_distinct(@) AS c, count(DISTINCT @) AS p,
						 top_n_agg_by(i, @, 5) AS top, array_agg(i ORDER BY @ DESC NULLS LAST, i) AS all_top,
						 top_n_agg_by(i, @, 70, false) AS bottom, array_agg(i ORDER BY @, i) AS all_bottom
				  FROM value_rows GROUP BY g) q $q$, '@', name);
	END LOOP;
END $$;
SELECT * FROM pg_temp.differences();

-- Sets that are cut many times while they are gathered.
SELECT count_distinct(x), count_distinct(x % 1000), count_distinct((x % 1000)::text), count_distinct(x::text), count_distinct(x::float8) FROM generate_series(1, 200000) x;
SELECT top_n_agg_by(x, x * 7919 % 200003, 3), top_n_agg_by(x, x * 7919 % 200003, 3, false), top_n_agg_by(x, (x * 7919 % 200003)::text, 2, false),
	   top_n_agg_by(x, 1, 3) AS first_of_equals
FROM generate_series(1, 200000::bigint) x;
SELECT count_distinct(x), mode_agg(x) FROM unnest(ARRAY['a', 'A', 'b', NULL, 'a']) x;

-- FILTER, GROUPING SETS, DISTINCT, window frames.
SELECT b, d IS NULL AS d, count_distinct(i4) FILTER (WHERE i4 > 0) = count(DISTINCT i4) FILTER (WHERE i4 > 0) AS filtered, count_distinct(t) = count(DISTINCT t) AS text,
	   mode_agg(DISTINCT i2) AS least
FROM value_rows WHERE i2 >= 0 GROUP BY GROUPING SETS ((b), (d IS NULL), ()) ORDER BY 1, 2;
SELECT x, count_distinct(x / 2) OVER w, mode_agg(x / 2) OVER w, top_n_agg_by(x, -x, 2) OVER w, histogram_agg(x, 2) OVER w FROM generate_series(1, 6) x
WINDOW w AS (ORDER BY x ROWS BETWEEN 2 PRECEDING AND CURRENT ROW);

-- In parallel plans.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT count_distinct(f8), mode_agg(t), top_n_agg_by(i, i4, 3), histogram_agg(f8, 4) FROM value_rows;
SELECT count_distinct(i4) = (SELECT count(DISTINCT i4) FROM value_rows) AS i4, count_distinct(t) = (SELECT count(DISTINCT t) FROM value_rows) AS t,
	   count_distinct(a) = (SELECT count(DISTINCT a) FROM value_rows) AS a, mode_agg(t) = (SELECT pg_catalog.mode() WITHIN GROUP (ORDER BY t) FROM value_rows) AS mode_t,
	   mode_agg(i4) = (SELECT pg_catalog.mode() WITHIN GROUP (ORDER BY i4) FROM value_rows) AS mode_i4,
	   top_n_agg_by(i, i8, 100) = (SELECT (array_agg(i ORDER BY i8 DESC NULLS LAST))[1:100] FROM value_rows) AS top,
	   top_n_agg_by(i8, i8::text, 100, false) = (SELECT (array_agg(i8 ORDER BY i8::text))[1:100] FROM value_rows) AS top_text,
	   (SELECT sum(n) FROM unnest(histogram_agg(f8, 7)) n) = count(f8) AS histogram, count_distinct(f8) FILTER (WHERE f8 < -1) AS none
FROM value_rows;
SELECT type, groups, modes, counts FROM pg_temp.differences() WHERE type IN ('i4', 't', 'n');
DROP TABLE value_rows;
