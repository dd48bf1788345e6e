-- array_sort_approx.
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
SELECT num_nulls(array_sort_approx(NULL::int4[], 1), array_sort_approx('{1}'::int4[], NULL)) AS nulls;

-- An index finds what the table holds, by whatever method each was made.
CREATE TABLE indexed (id int, a int[]);
INSERT INTO indexed SELECT g, '{10,8,2,9,3,1}' FROM generate_series(1, 2000) g;
CREATE INDEX indexed_approx ON indexed (gpusort.array_sort_approx(a, 2));
CREATE FUNCTION pg_temp.found(method text, by_index bool) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE result text;
BEGIN
	PERFORM set_config('gpusort.method', method, true), set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_indexscan', by_index::text, true),
		set_config('enable_bitmapscan', by_index::text, true), set_config('gpusort.engine', 'cpu', true);
	EXECUTE $$SELECT count(*) FROM indexed WHERE gpusort.array_sort_approx(a, 2) = '{2,3,1,10,8,9}'$$ INTO result;
	RETURN result;
EXCEPTION WHEN feature_not_supported THEN
	RETURN SQLERRM;
END $f$;
SELECT name, pg_temp.found(name, true) AS by_index, pg_temp.found(name, false) AS by_table
FROM unnest('{auto,approximate,network}'::text[]) name;
DROP TABLE indexed;

\set seed 0.5
\echo seed: :seed
SELECT setseed(:seed);

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
		LATERAL (SELECT array_sort_approx(a, buckets, descending) AS approx) r,
		LATERAL (VALUES
			('permutation', array_sort(approx) IS DISTINCT FROM array_sort(a)),
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
WHERE (SELECT max(abs(p - o)) FROM unnest(array_argsort(array_sort_approx(a, buckets))) WITH ORDINALITY u(p, o)) > largest - 1;

-- A plan made before follows the settings as one made since does: both batch, or fail as the function does.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
SET gpusort.force_nodes = on;
SET gpusort.enable_sort = off;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE many AS SELECT i, ARRAY(SELECT (i + x * x * 7919) % 1009 FROM generate_series(1, 2 + i % 90) x) AS a FROM generate_series(1, 300) i;
ANALYZE many;
SET plan_cache_mode = force_generic_plan;
PREPARE approx(int) AS SELECT i, array_sort_approx(a, $1) AS approx FROM many;
SELECT pg_temp.explain_lines('EXECUTE approx(20)', 'COSTS OFF', 'Gpusort|Batched|Segments');
CREATE TEMP TABLE before AS EXECUTE approx(20);
SET gpusort.method = 'approximate';
SELECT pg_temp.explain_lines('EXECUTE approx(20)', 'COSTS OFF', 'Gpusort|Batched|Segments');
CREATE TEMP TABLE after AS EXECUTE approx(20);
SET gpusort.engine = 'cpu';
SET gpusort.method = 'network';
EXECUTE approx(20);
SELECT array_sort_approx(a, 20) FROM many;
RESET gpusort.method;
RESET gpusort.engine;
SELECT count(*) AS rows, count(*) FILTER (WHERE b.approx IS NOT DISTINCT FROM array_sort_approx(m.a, 20)) AS before, count(*) FILTER (WHERE c.approx IS NOT DISTINCT FROM array_sort_approx(m.a, 20)) AS after
FROM many m JOIN before b USING (i) JOIN after c USING (i);
DEALLOCATE ALL;
RESET plan_cache_mode;
RESET gpusort.enable_sort;
RESET gpusort.force_nodes;
DROP TABLE many, before, after;
