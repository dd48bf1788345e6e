-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
SET search_path = gpusort, public;

-- sorted_agg equals array_agg with ORDER BY, NULLs and all.
SELECT sorted_agg(x), sorted_agg(x, true) FROM (VALUES (3), (1), (NULL), (2), (1)) v(x);
SELECT sorted_agg(x) FROM (VALUES ('NaN'::float8), ('-inf'), ('inf'), (NULL), (1), (-1)) v(x);
SELECT sorted_agg(x), sorted_agg(x, true) FROM (VALUES ('b'), ('a'), (NULL), ('c')) v(x);
SELECT sorted_agg(x) IS NULL AS empty_is_null FROM generate_series(1, 0) x;
SELECT sorted_agg(NULL::int4) FROM generate_series(1, 3);

-- By key: stable, NULL keys last or first.
SELECT sorted_agg_by(v, k), sorted_agg_by(v, k, true), sorted_agg_by(v, k, false, true)
FROM (VALUES ('a', 2), ('b', 1), ('c', NULL), ('d', 2), (NULL, 1)) t(v, k);
SELECT sorted_agg_by(i, (i % 3)::float8) FROM generate_series(1, 9) i;

-- The first n.
SELECT top_n_agg(x, 3), top_n_agg(x, 3, false), top_n_agg(x, 0), top_n_agg(x, 100) FROM generate_series(1, 5) x;
SELECT top_n_agg(x, 3) = '{100000,99999,99998}' AS cut_while_gathering FROM generate_series(1, 100000) x;
SELECT top_n_agg(x::text, 2, false) FROM generate_series(1, 10000) x;

-- Approximate: a permutation in which intervals are in order.
SELECT approx_sorted_agg(x, 3) FROM (VALUES (9), (8), (2), (7), (3), (1)) v(x);
SELECT approx_sorted_agg(x, 3, true) FROM (VALUES (9), (8), (2), (7), (3), (1)) v(x);

-- FILTER, DISTINCT, GROUP BY, window frames.
SELECT sorted_agg(x) FILTER (WHERE x > 3), sorted_agg(DISTINCT x % 3) FROM generate_series(1, 6) x;
SELECT x % 3 AS g, sorted_agg(x, true) FROM generate_series(1, 9) x GROUP BY 1 ORDER BY 1;
SELECT x, sorted_agg(x) OVER (ORDER BY x DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM generate_series(1, 4) x;
SELECT x, sorted_agg(x) OVER (ORDER BY x DESC) FROM generate_series(1, 4) x;

-- ORDER BY inside the call would be lost; that of DISTINCT, of a window and of the rows is not the call's.
SELECT sorted_agg(x ORDER BY x DESC) FROM generate_series(1, 3) x;
SELECT sorted_agg(x, true ORDER BY x) FROM generate_series(1, 3) x;
SELECT sorted_agg(DISTINCT x ORDER BY x) FROM generate_series(1, 3) x;
SELECT sorted_agg_by(x, -x ORDER BY x) FROM generate_series(1, 3) x;
SELECT top_n_agg(x, 2 ORDER BY x) FROM generate_series(1, 3) x;
SELECT approx_sorted_agg(x, 2 ORDER BY x) FROM generate_series(1, 3) x;
SELECT x % 2 AS g, sorted_agg(-x ORDER BY x) FROM generate_series(1, 3) x GROUP BY 1;
SELECT sorted_agg(DISTINCT v.x) AS sorted, sorted_agg(DISTINCT v.x, true) AS descending, top_n_agg(DISTINCT v.x, 3) AS top,
	   sorted_agg_by(DISTINCT v.x, -v.x) AS by_key, approx_sorted_agg(DISTINCT v.x, 2) AS approximate
FROM (SELECT x FROM (VALUES (2), (3), (2), (NULL), (1), (NULL), (3)) r(x) ORDER BY x DESC) v;
SELECT sorted_agg(DISTINCT t COLLATE "C"), sorted_agg(DISTINCT t COLLATE "C", true) FROM (VALUES ('b'), ('B'), ('b'), ('a')) v(t);

-- Every type, many groups: the same as array_agg with ORDER BY.
SELECT setseed(0.42);
CREATE TEMP TABLE many AS
SELECT (random() * 300)::int AS g,
	   CASE WHEN random() < 0.9 THEN (random() * 100)::int2 END AS i2,
	   CASE WHEN random() < 0.9 THEN (random() * 1000)::int4 END AS i4,
	   CASE WHEN random() < 0.9 THEN (random() * 1e12)::int8 END AS i8,
	   CASE WHEN random() < 0.9 THEN random()::float4 END AS f4,
	   CASE WHEN random() < 0.9 THEN random() END AS f8,
	   CASE WHEN random() < 0.9 THEN date '2020-01-01' + (random() * 100)::int END AS d,
	   CASE WHEN random() < 0.9 THEN md5(random()::text) END AS t,
	   CASE WHEN random() < 0.9 THEN random()::numeric(6, 3) END AS n,
	   random() < 0.5 AS b
FROM generate_series(1, 20000);
SELECT count(*) AS groups,
	   count(*) FILTER (WHERE i2 AND i4 AND i8 AND f4 AND f8 AND d AND t AND n AND b) AS equal
FROM (SELECT sorted_agg(i2) = array_agg(i2 ORDER BY i2) AS i2,
			 sorted_agg(i4, true) = array_agg(i4 ORDER BY i4 DESC) AS i4,
			 sorted_agg(i8) = array_agg(i8 ORDER BY i8) AS i8,
			 sorted_agg(f4, true) = array_agg(f4 ORDER BY f4 DESC) AS f4,
			 sorted_agg(f8) = array_agg(f8 ORDER BY f8) AS f8,
			 sorted_agg(d) = array_agg(d ORDER BY d) AS d,
			 sorted_agg(t, true) = array_agg(t ORDER BY t DESC) AS t,
			 sorted_agg(n) = array_agg(n ORDER BY n) AS n,
			 sorted_agg(b) = array_agg(b ORDER BY b) AS b
	  FROM many GROUP BY g) q;
SELECT count(*) FILTER (WHERE NOT same) AS different
FROM (SELECT sorted_agg_by(t, f8, true, false) = array_agg(t ORDER BY f8 DESC) AS same
	  FROM many WHERE f8 IS NOT NULL GROUP BY g) q;

-- One huge group, many tiny ones, large values, and more than an array holds.
SELECT sorted_agg(x) = array_agg(x ORDER BY x) AS huge FROM (SELECT i::int8 * 7919 % 1000003 AS x FROM generate_series(1, 500000) i) q;
SET gpusort.engine = 'cpu';
SELECT count(*) AS groups, count(*) FILTER (WHERE a = ARRAY[g, g + 300000, g + 600000]) AS equal
FROM (SELECT i % 300000 AS g, sorted_agg(i) AS a FROM generate_series(899999, 0, -1) i GROUP BY 1) q;
RESET gpusort.engine;
SELECT cardinality(a), length(a[1]), right(a[1], 3), right(a[3], 3) FROM (SELECT top_n_agg(repeat('x', 1000000) || i, 3) AS a FROM generate_series(100, 199) i) q;
SELECT sorted_agg(repeat('x', 20000000)) FROM generate_series(1, 60);
\echo :SQLSTATE
SELECT sorted_agg(ARRAY[i]) FROM generate_series(1, 2) i;

-- Parallel: workers sort, the leader merges.
CREATE TABLE spread AS SELECT i, (i * 7919) % 10007 AS x, md5(i::text) AS t FROM generate_series(1, 20000) i;
ALTER TABLE spread SET (parallel_workers = 2);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT sorted_agg(x), sorted_agg_by(t, x), top_n_agg(t, 3), approx_sorted_agg(x, 5) FROM spread;
SELECT sorted_agg(x) = (SELECT array_agg(x ORDER BY x) FROM spread) AS sorted,
	   sorted_agg(t) = (SELECT array_agg(t ORDER BY t) FROM spread) AS sorted_text,
	   sorted_agg_by(t, i) = (SELECT array_agg(t ORDER BY i) FROM spread) AS by_key,
	   top_n_agg(t, 3) = (SELECT array_agg(t) FROM (SELECT t FROM spread ORDER BY t DESC LIMIT 3) q) AS top,
	   approx_sorted_agg(x, 10007) = (SELECT array_agg(x ORDER BY x) FROM spread) AS approx
FROM spread;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- unnest_sorted.
SELECT * FROM unnest_sorted('{3,1,2,NULL}'::int[]);
SELECT * FROM unnest_sorted('{b,a}'::text[], true);
SELECT value FROM unnest_sorted('{3,NULL,2}'::int[], false, true);

-- Bad options of aggregates.
SELECT top_n_agg(x, -1) FROM generate_series(1, 2) x;
SELECT top_n_agg(x, NULL) FROM generate_series(1, 2) x;
SELECT sorted_agg(x, NULL) FROM generate_series(1, 2) x;
SELECT approx_sorted_agg(x, 0) FROM generate_series(1, 2) x;
SELECT approx_sorted_agg(x::text, 5) FROM generate_series(1, 2) x;
SELECT sorted_agg(point(x, x)) FROM generate_series(1, 2) x;
DROP TABLE spread;
