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

-- Within a bound the order is exact, whatever gpusort.method says, or an error as that of array_sort.
SELECT array_sort_approx_within('{10,8,2,9,3,1}'::int4[], 0), array_sort_approx_within('{10,8,2,9,3,1}'::int4[], 5), array_sort_approx_within('{3,NULL,1}'::float4[], 0, true),
       array_sort_approx_within('{1}'::int4[], 3), array_sort_approx_within('{}'::int4[], 3), array_sort_approx_within('{NULL,1,NULL}'::int4[], 2147483647);
SELECT setseed(0.25);
CREATE TEMP TABLE skewed AS SELECT ARRAY(SELECT CASE WHEN i % 3 = 0 THEN 1e6 * random() ELSE random() END::float4 FROM generate_series(1, 3000) i) AS a;
SET gpusort.engine = 'cpu';
CREATE FUNCTION pg_temp.within_by(name text, a anyarray, displacement int, descending bool) RETURNS anyarray LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpusort.method', name, true);
	RETURN gpusort.array_sort_approx_within(a, displacement, descending);
END $$;
SELECT name, descending, count(*) AS bounds, bool_and(pg_temp.within_by(name, a, bound, descending) = array_sort(a, descending)) AS exact
FROM skewed, unnest('{auto,network}'::text[]) name, unnest('{0,1,100,5000}'::int[]) bound, unnest('{f,t}'::bool[]) descending GROUP BY name, descending ORDER BY 1, 2;
RESET gpusort.method;
\set VERBOSITY terse
SELECT pg_temp.within_by('approximate', '{10,8,2,9,3,1}'::int4[], 2, false);
SELECT array_sort_approx_within('{10,8,2,9,3,1}'::int4[], 2);
RESET gpusort.engine;
DROP TABLE skewed;

-- So an index finds what the table holds, by whatever method each was made.
CREATE TABLE indexed (id int, a int[]);
INSERT INTO indexed SELECT g, '{10,8,2,9,3,1}' FROM generate_series(1, 2000) g;
CREATE INDEX indexed_within ON indexed (gpusort.array_sort_approx_within(a, 2));
CREATE INDEX indexed_approx ON indexed (gpusort.array_sort_approx(a, 2));
CREATE FUNCTION pg_temp.found(method text, function text, by_index bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	PERFORM set_config('gpusort.method', method, true), set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_indexscan', by_index::text, true),
		set_config('enable_bitmapscan', by_index::text, true), set_config('gpusort.engine', 'cpu', true);
	EXECUTE format('SELECT count(*) FROM indexed WHERE gpusort.%s(a, 2) = %L', function,
		CASE function WHEN 'array_sort_approx' THEN '{2,3,1,10,8,9}' ELSE '{1,2,3,8,9,10}' END) INTO result;
	RETURN result;
EXCEPTION WHEN feature_not_supported THEN
	RETURN SQLERRM;
END $$;
SELECT function, name, pg_temp.found(name, function, true) AS by_index, pg_temp.found(name, function, false) AS by_table
FROM unnest('{array_sort_approx,array_sort_approx_within}'::text[]) function, unnest('{auto,approximate,network}'::text[]) name;
DROP TABLE indexed;

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
			('within is exact order', within IS DISTINCT FROM array_sort(a, descending)),
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

-- Of many rows, arrays within a bound are sorted in batches.
SET gpusort.force_nodes = on;
SET gpusort.enable_sort = off;
SET max_parallel_workers_per_gather = 0;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE TEMP TABLE many (i int, d int, descending bool, a int4[]);
INSERT INTO many SELECT i, i % 7, i % 2 = 0, ARRAY(SELECT (i + x * x * 7919) % 1009 FROM generate_series(1, 2 + i % 90) x) FROM generate_series(1, 300) i;
INSERT INTO many SELECT i, 3, true, a::int4[] FROM (VALUES (301, NULL), (302, '{}'), (303, '{5}'), (304, '{NULL}'), (305, '{3,NULL,1,NULL,2}'), (306, '[-2:1]={3,1,2,1}')) odd(i, a);
ANALYZE many;
SELECT pg_temp.explain_lines('SELECT array_sort_approx_within(a, 3) FROM many', 'COSTS OFF', 'Gpusort|Batched|Segments');
SELECT pg_temp.explain_lines('SELECT array_sort_approx_within(a, 3, true) FROM many', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Gpusort|Batched|Segments');
-- left to the function: options of the row
SELECT pg_temp.explain_lines('SELECT array_sort_approx_within(a, d) FROM many', 'COSTS OFF', 'Gpusort|Batched|Segments');
SELECT pg_temp.explain_lines('SELECT array_sort_approx_within(a, 3, descending) FROM many', 'COSTS OFF', 'Gpusort|Batched|Segments');
SELECT count(*) AS wrong FROM (SELECT array_sort_approx_within(a, d, descending) AS within, array_sort(a, descending) AS sorted FROM many OFFSET 0) q
WHERE within IS DISTINCT FROM sorted;
-- the same as ORDER BY, of every key type
CREATE FUNCTION pg_temp.batch_failures(type text) RETURNS TABLE (type_name text, displacement int, is_descending bool, nodes bigint, failures bigint) LANGUAGE plpgsql AS $$
DECLARE
	items text := CASE type WHEN 'date' THEN $r$date '2000-01-01' + x$r$ WHEN 'timestamp' THEN $r$timestamp '2000-01-01' + x * interval '1 s'$r$
		WHEN 'timestamptz' THEN $r$timestamptz '2000-01-01' + x * interval '1 s'$r$ WHEN 'time' THEN $r$time '00:00' + x * interval '1 s'$r$
		WHEN 'oid' THEN 'x::oid' WHEN 'money' THEN 'x::money' ELSE '(x - 500)::' || type END;
	query text;
BEGIN
	EXECUTE format('CREATE TEMP TABLE typed AS SELECT CASE WHEN a IS NOT NULL THEN array(SELECT %s FROM unnest(a) x) END AS a FROM many', items);
	ANALYZE typed;
	FOREACH displacement IN ARRAY '{0,3,2147483647}'::int[] LOOP
		FOREACH is_descending IN ARRAY '{f,t}'::bool[] LOOP
			query := format('SELECT a, array_sort_approx_within(a, %s, %L) AS within FROM typed', displacement, is_descending);
			SELECT count(*) INTO nodes FROM pg_temp.explain_lines(query) line WHERE line ~ 'Batched';
			EXECUTE format('SELECT count(*) FROM (%s OFFSET 0) q WHERE (a IS NULL) <> (within IS NULL) OR a IS NOT NULL AND
				within IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a) x ORDER BY x %s)', query, CASE WHEN is_descending THEN 'DESC' END) INTO failures;
			type_name := type;
			RETURN NEXT;
		END LOOP;
	END LOOP;
	DROP TABLE typed;
END $$;
SELECT count(*) AS tested, sum(nodes) AS nodes, sum(failures) AS failures
FROM unnest('{int2,int4,int8,float4,float8,date,timestamp,timestamptz,time,oid,money}'::text[]) type, pg_temp.batch_failures(type);
-- NaN, infinities, both zeros, no and one element, and arrays stored out of line
CREATE TEMP TABLE stored (a float8[]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL;
INSERT INTO stored SELECT ARRAY(SELECT CASE x % 6 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' WHEN 3 THEN '-0' WHEN 4 THEN '0' ELSE x * 7919 % 1009 - 500 END
	FROM generate_series(1, n) x) FROM unnest('{0,1,2,7,100,3000,20000}'::int[]) n;
ANALYZE stored;
SELECT count(*) AS nodes FROM pg_temp.explain_lines('SELECT array_sort_approx_within(a, 3), array_sort_approx_within(a, 3, true) FROM stored') line WHERE line ~ 'Batched';
SELECT count(*) AS arrays, count(*) FILTER (WHERE rising IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a) x ORDER BY x)) AS wrong,
	count(*) FILTER (WHERE falling IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a) x ORDER BY x DESC)) AS wrong_descending,
	count(*) FILTER (WHERE cardinality(array_positions(rising::text[], '-0')) <> cardinality(array_positions(a::text[], '-0'))) AS other_zeros
FROM (SELECT a, array_sort_approx_within(a, 3) AS rising, array_sort_approx_within(a, 3, true) AS falling FROM stored OFFSET 0) q;
DROP TABLE stored;
SELECT i, array_sort_approx_within(a, 3), array_sort_approx_within(a, 3, true) FROM many WHERE i > 300 ORDER BY i;
SELECT count(*), count(array_sort_approx_within(a, NULL)), count(array_sort_approx_within(a, 3, NULL)) FROM many;
-- errors are those of rows that are computed
SELECT array_sort_approx_within(a, -1) FROM many;
SELECT array_sort_approx_within(a, -1) FROM many WHERE a IS NULL;
SELECT array_sort_approx_within(a, -1) FROM many WHERE i < 0;
SELECT array_sort_approx_within(a, -1) FROM many LIMIT 0;
INSERT INTO many VALUES (307, 3, true, '{{2,1},{4,3}}');
SELECT count(within) FROM (SELECT array_sort_approx_within(a, 3) AS within FROM many OFFSET 0) q;
SELECT count(within) FROM (SELECT array_sort_approx_within(a, 3) AS within FROM many LIMIT 306) q;
DELETE FROM many WHERE i = 307;
-- a plan made before follows the settings as one made since does: both batch, or fail as the function does
SET plan_cache_mode = force_generic_plan;
PREPARE within(int) AS SELECT i, array_sort_approx_within(a, $1) AS within FROM many;
SELECT pg_temp.explain_lines('EXECUTE within(20)', 'COSTS OFF', 'Gpusort|Batched|Segments');
CREATE TEMP TABLE before AS EXECUTE within(20);
SET gpusort.method = 'network';
SELECT pg_temp.explain_lines('EXECUTE within(20)', 'COSTS OFF', 'Gpusort|Batched|Segments');
CREATE TEMP TABLE after AS EXECUTE within(20);
SET gpusort.engine = 'cpu';
SET gpusort.method = 'approximate';
EXECUTE within(20);
SELECT array_sort_approx_within(a, 20) FROM many;
RESET gpusort.method;
RESET gpusort.engine;
SELECT count(*) AS rows, count(*) FILTER (WHERE b.within IS NOT DISTINCT FROM array_sort(m.a)) AS before, count(*) FILTER (WHERE c.within IS NOT DISTINCT FROM array_sort(m.a)) AS after
FROM many m JOIN before b USING (i) JOIN after c USING (i);
DEALLOCATE ALL;
RESET plan_cache_mode;
RESET gpusort.enable_sort;
RESET gpusort.force_nodes;
DROP TABLE many, before, after;
