-- array_sort_approx, array_sort_approx_within, array_disorder.
SET search_path = gpusort, pg_catalog, public;

-- The example of the paper: two intervals, in order between, as it was within.
SELECT array_sort_approx('{10,8,2,9,3,1}'::int4[], 2) AS two, array_sort_approx('{10,8,2,9,3,1}'::int4[], 2, true) AS descending,
       array_sort_approx('{10,8,2,9,3,1}'::int4[], 1) AS one, array_sort_approx('{10,8,2,9,3,1}'::int4[], 1000000) AS exact;
-- NULLs as in array_sort; NaN in the last interval; infinities, denormals, one value.
SELECT array_sort_approx('{3,NULL,1,2}'::int2[], 8), array_sort_approx('{3,NULL,1,2}'::float4[], 8, true), array_sort_approx('{NULL,NULL}'::int4[], 3);
SELECT array_sort_approx('{NaN,2,Infinity,1,-Infinity,0}'::float8[], 3), array_sort_approx('{NaN,2,Infinity,1,-Infinity,0}'::float4[], 3, true);
SELECT array_sort_approx('{2e-45,1e-45,0,1e-45}'::float4[], 4), array_sort_approx('{1.7e308,-1.7e308,0}'::float8[], 4), array_sort_approx('{NaN,NaN,Infinity}'::float8[], 4);
SELECT array_sort_approx('{5,5,5}'::int8[], 7), array_sort_approx('{9223372036854775807,-9223372036854775808,0}'::int8[], 2147483647), array_sort_approx('{7}'::int4[], 1),
       array_sort_approx('{}'::date[], 1), array_sort_approx('[4:6]={3,2,1}'::int4[], 9), array_sort_approx('{2024-05-01,2020-01-01,2022-01-01}'::date[], 3);
SELECT num_nulls(array_sort_approx(NULL::int4[], 1), array_sort_approx('{1}'::int4[], NULL), array_sort_approx_within(NULL::int4[], 1),
                 (array_disorder(NULL::int4[])).runs) AS nulls;

-- No displacement is exact order, one below the length leaves the array as it is.
SELECT array_sort_approx_within('{10,8,2,9,3,1}'::int4[], 0), array_sort_approx_within('{10,8,2,9,3,1}'::int4[], 5), array_sort_approx_within('{3,NULL,1}'::float4[], 0, true),
       array_sort_approx_within('{1}'::int4[], 3), array_sort_approx_within('{}'::int4[], 3), array_sort_approx_within('{NULL,1,NULL}'::int4[], 2147483647);
SET client_min_messages = debug1;
\set VERBOSITY terse
SET gpusort.engine = 'cpu';
SELECT cardinality(array_sort_approx_within(array_agg((i * 7919 % 1000)::float4), 20)) FROM generate_series(1, 1000) i;
RESET gpusort.engine;
RESET client_min_messages;

-- The bound holds whatever the method: intervals by name, or exact order.
SELECT setseed(0.25);
CREATE TEMP TABLE skewed AS SELECT ARRAY(SELECT CASE WHEN i % 3 = 0 THEN 1e6 * random() ELSE random() END::float4 FROM generate_series(1, 3000) i) AS a;
SET gpusort.method = 'approximate';
CREATE TEMP TABLE approximate AS SELECT d, array_sort_approx_within(a, d) AS within FROM skewed, unnest('{0,1,5,100,5000}'::int[]) d;
SET gpusort.method = 'radix';
SELECT d AS bound, array_sort_approx_within(a, d, true) = array_sort(a, true) AS exact FROM skewed, unnest('{0,100}'::int[]) d;
RESET gpusort.method;
SELECT d AS bound, (array_disorder(within)).max_displacement <= d AS kept, array_sort(within) = array_sort(a) AS permutation FROM skewed, approximate ORDER BY d;
DROP TABLE skewed, approximate;

-- What disorder is.
SELECT a, d.* FROM (VALUES ('{}'::int4[]), ('{7}'), ('{1,2,2,3}'), ('{2,1}'), ('{3,2,1}'), ('{2,3,4,1}'), ('{2,1,1}'), ('{1,1,2,1}'), ('{NULL,1}'), ('{1,NULL,NULL}')) t(a),
	LATERAL array_disorder(a) d;
SET gpusort.engine = 'auto';
SELECT a, d.* FROM (VALUES ('{1,2,3}'::text[]), ('{3,2,2,1}'), ('{NULL,2,1}'), ('{2,1,NULL}')) t(a), LATERAL array_disorder(a, true) d;
RESET gpusort.engine;
SELECT * FROM array_disorder('{0,-0,0,NaN,NaN}'::float8[]);
SELECT inversions, runs FROM array_disorder((SELECT array_agg(i) FROM generate_series(100000, 1, -1) i));

-- Inversions, runs and displacement by their definitions, on random arrays.
\set seed 0.5
\echo seed: :seed
SELECT setseed(:seed);
CREATE TEMP TABLE arrays AS
	SELECT i, ARRAY(SELECT (random() * (2 + i % 30))::int FROM generate_series(1, 2 + i % 50)) AS a FROM generate_series(1, 200) i;
SELECT count(*) AS wrong FROM arrays, LATERAL array_disorder(a) d,
	LATERAL (SELECT count(*) AS inversions FROM generate_subscripts(a, 1) x, generate_subscripts(a, 1) y WHERE x < y AND a[x] > a[y]) i,
	LATERAL (SELECT 1 + count(*) AS runs FROM generate_subscripts(a, 1) x WHERE a[x] > a[x + 1]) r,
	LATERAL (SELECT count(*) AS out_of_place FROM unnest(a, array_sort(a)) u(x, y) WHERE x <> y) o,
	LATERAL (SELECT max(abs(p - o)) AS max_displacement, avg(abs(p - o))::float8 AS mean_displacement FROM unnest(array_argsort(a)) WITH ORDINALITY u(p, o)) m
WHERE (d.max_displacement, d.out_of_place, d.inversions, d.runs) <> (m.max_displacement, o.out_of_place, i.inversions, r.runs)
	OR abs(d.mean_displacement - m.mean_displacement) > 1e-9;

-- Properties of approximate order, for every key type, on skewed, uniform and tied keys:
-- it permutes its input, it is descending order of the same when asked for, and
-- no key lies further from its sorted place than the largest interval's size less one.
CREATE FUNCTION pg_temp.approx_failures(type text) RETURNS TABLE (type_name text, check_name text, failures bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		WITH shapes AS MATERIALIZED (SELECT i, (random() * 400)::int AS n, (1 + random() * (2 + i %% 60))::int AS buckets, i %% 2 = 0 AS descending FROM generate_series(1, 90) i),
		drawn AS MATERIALIZED (
			SELECT *, ARRAY(SELECT %2$s FROM (SELECT CASE i %% 3 WHEN 0 THEN random() * 30000 WHEN 1 THEN (random() * 5)::int ELSE exp(random() * 10) END AS r FROM generate_series(1, n)) s) AS a
			FROM shapes)
		SELECT '%1$s', name, count(*) FROM drawn,
		LATERAL (SELECT array_sort_approx(a, buckets, descending) AS approx, array_sort_approx_within(a, buckets, descending) AS within) r,
		LATERAL (VALUES
			('permutation', array_sort(approx) IS DISTINCT FROM array_sort(a)),
			('permutation, within', array_sort(within) IS DISTINCT FROM array_sort(a)),
			('bound, within', (array_disorder(within, descending)).max_displacement > buckets),
			('many intervals are exact order', '%1$s' <> 'float8' AND i %% 3 = 1 AND array_sort_approx(a, 1000000, descending) <> array_sort(a, descending)),
			('one interval keeps all', array_sort_approx(a, 1) <> a)
		) checks(name, wrong) WHERE wrong GROUP BY name$q$,
		type, CASE type WHEN 'date' THEN $r$date '2000-01-01' + r::int$r$ WHEN 'timestamp' THEN $r$timestamp '2000-01-01' + r * interval '1 s'$r$
			WHEN 'timestamptz' THEN $r$timestamptz '2000-01-01' + r * interval '1 s'$r$ WHEN 'time' THEN $r$time '00:00' + r * interval '1 s'$r$
			WHEN 'oid' THEN 'r::int::oid' WHEN 'money' THEN 'r::numeric::money' ELSE '(r - 100)::' || type END);
END $$;
SELECT f.* FROM unnest('{int2,int4,int8,float4,float8,date,timestamp,timestamptz,time,oid,money}'::text[]) type, pg_temp.approx_failures(type) f;

-- The bound by the sizes of the intervals themselves.
SELECT count(*) AS beyond_their_interval
FROM (SELECT i, 2 + i % 40 AS buckets, ARRAY(SELECT (random() ^ 3 * 1000)::int FROM generate_series(1, 300 + 0 * i)) AS a FROM generate_series(1, 60) i) t,
	LATERAL (SELECT max(c) AS largest FROM (SELECT count(*) AS c FROM unnest(a) x,
		LATERAL (SELECT min(y) AS lo, max(y) AS hi FROM unnest(a) y) b GROUP BY (x - lo)::int8 * buckets / (hi - lo + 1)) s) s
WHERE (array_disorder(array_sort_approx(a, buckets))).max_displacement > largest - 1;
