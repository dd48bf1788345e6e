-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- Percentiles and distinct values of sets of many sizes and shapes, beside PostgreSQL's
-- own. A row of the result is a failure.
SET search_path = gpusort, public;
SET max_parallel_workers_per_gather = 0;

-- Sizes around those at which selection goes another way.
CREATE TEMP TABLE sizes AS SELECT n FROM unnest(ARRAY[1, 2, 3, 10, 32, 33, 64, 65, 128, 129, 256, 600, 1000, 2048, 2049, 8193]) n;
-- Spread evenly, one far away, each half the one before, few values, one value, descending, with NaN and infinities.
CREATE TEMP TABLE shapes AS SELECT * FROM (VALUES
	('even', 'i * 7919.0 % 10007 - 5000'), ('far', 'CASE i WHEN 1 THEN 1e15 ELSE i END'), ('halves', '1e15 * 0.5::float8 ^ (i % 160)'), ('few', 'i % 3'), ('one', '-4'),
	('descending', '-i'), ('special', '(ARRAY[''NaN'', ''Infinity'', ''-Infinity'', ''-0'', ''0'', i::text])[i % 6 + 1]::float8')) v (shape, expression);
CREATE FUNCTION pg_temp.wrong_percentiles() RETURNS TABLE (shape text, n int, type text) LANGUAGE plpgsql AS $$
DECLARE
	s record; t text; wrong bool;
BEGIN
	FOR s IN SELECT * FROM shapes, sizes LOOP
		FOREACH t IN ARRAY CASE WHEN s.shape = 'special' THEN '{float4,float8}' WHEN s.shape IN ('far', 'halves') THEN '{int8,float8,float4}' ELSE '{int2,int4,int8,float4,float8}' END::text[] LOOP
			EXECUTE format($q$ SELECT (gpusort.percentile_disc(f) WITHIN GROUP (ORDER BY x), gpusort.percentile_disc(f) WITHIN GROUP (ORDER BY x DESC), percentile_disc_agg(x, f),
					percentile_cont_agg(x::float8, f), gpusort.percentile_cont(f) WITHIN GROUP (ORDER BY x::float8 DESC), median(x::float8), gpusort.percentile_disc(0.3) WITHIN GROUP (ORDER BY x DESC),
					array_median(array_agg(x::float8)), array_percentile_disc(array_agg(x), 0.9)) IS DISTINCT FROM
				(pg_catalog.percentile_disc(f) WITHIN GROUP (ORDER BY x), pg_catalog.percentile_disc(f) WITHIN GROUP (ORDER BY x DESC), pg_catalog.percentile_disc(f) WITHIN GROUP (ORDER BY x),
					pg_catalog.percentile_cont(f) WITHIN GROUP (ORDER BY x::float8), pg_catalog.percentile_cont(f) WITHIN GROUP (ORDER BY x::float8 DESC),
					pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY x::float8), pg_catalog.percentile_disc(0.3) WITHIN GROUP (ORDER BY x DESC),
					pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY x::float8), pg_catalog.percentile_disc(0.9) WITHIN GROUP (ORDER BY x))
				FROM (SELECT (%s)::%s AS x, '{0,0.01,0.25,0.5,NULL,0.75,0.999,1}'::float8[] AS f FROM generate_series(1, %s) i) q GROUP BY f $q$, s.expression, t, s.n) INTO wrong;
			IF wrong THEN
				RETURN QUERY SELECT s.shape, s.n, t;
			END IF;
		END LOOP;
	END LOOP;
END $$;
SELECT * FROM pg_temp.wrong_percentiles();

-- Distinct values of the types that are told apart by their bytes, and of some that are not:
-- all different, few, empty, equal but for their end, long enough to be compressed, beside NULLs.
CREATE TEMP TABLE texts AS SELECT n AS g, i, CASE WHEN i % 11 = 0 THEN NULL ELSE left(md5((i % k)::text) || repeat('x', i % k % 5), i % k % 37) || repeat('long', i % k % 3 * (k % 2) * 700) END AS t
	FROM sizes, unnest(ARRAY[1, 7, 100000]) k, LATERAL generate_series(1, least(n, 5000)) i;
CREATE FUNCTION pg_temp.wrong_distinct() RETURNS TABLE (type text, wrong bigint, groups bigint) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['t', 't::varchar', 't COLLATE "C"', 'convert_to(t, ''UTF8'')', 'md5(t)::uuid', '(left(t, 3) || repeat('' '', i % 3))::bpchar', 'length(t) / (1 + i % 2)::numeric', 't::name', 'ARRAY[left(t, 2)]'] LOOP
		RETURN QUERY EXECUTE format('SELECT %L, count(*) FILTER (WHERE ours <> theirs), count(*) FROM (SELECT count_distinct(%s) AS ours, count(DISTINCT %2$s) AS theirs FROM texts GROUP BY GROUPING SETS ((g), ())) q', t, t);
	END LOOP;
END $$;
SELECT * FROM pg_temp.wrong_distinct();

-- Distinct keys, which have a bit for each possible code if these are not too many: around the fewest keys and the most codes,
-- few and many codes per key, both zeros and NaNs. Those that have bits are not sorted.
CREATE TEMP TABLE key_sets AS SELECT n, i, i * 7919::int8 % 1000003 AS k FROM unnest('{4095,4096,4097,70000}'::int[]) n, generate_series(1, n) i;
CREATE FUNCTION pg_temp.wrong_distinct_keys() RETURNS TABLE (expression text, sizes bigint, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH expression IN ARRAY ARRAY['k::int4', '(k % 5000)::int2', '(-k % 3)::int2', '((k % 32768) * (1 - i % 2 * 2))::int2', '(k * 2100 - 1050000000)::int4', '(k % 4096 * 256)::int4', '(k % 4097 * 256)::int4',
			'(k % 4097 * 262144)::oid', '4294967295 - k', 'k * 4294967296', 'CASE i WHEN 5000 THEN 4294967296 ELSE k END', '(k % 2000)::float4', '(k / 1e6)::float4', 'k / 1e6::float8',
			'CASE i % 5 WHEN 0 THEN ''-0'' WHEN 1 THEN ''0'' WHEN 2 THEN ''NaN'' ELSE ''1e-38'' END::float4', 'CASE i % 5 WHEN 0 THEN ''-0'' WHEN 1 THEN ''0'' ELSE ''5e-324'' END::float8',
			'CASE i % 2 WHEN 0 THEN ''-0'' ELSE ''-1e-45'' END::float4', 'date ''2000-01-01'' + (k % 100000)::int', 'timestamp ''2000-01-01'' + k % 4000 * interval ''1 us'''] LOOP
		EXECUTE format('SELECT count(*), count(*) FILTER (WHERE ours <> theirs) FROM (SELECT count_distinct(%s) AS ours, count(DISTINCT %1$s) AS theirs FROM key_sets GROUP BY n) q', expression) INTO sizes, wrong;
		RETURN NEXT;
	END LOOP;
END $$;
SET gpusort.enable_aggregates = off;
SELECT * FROM pg_temp.wrong_distinct_keys();
RESET gpusort.enable_aggregates;
SET work_mem = '4MB';
CREATE TEMP TABLE sorts AS SELECT coalesce(sum(jobs), 0) AS before FROM gpusort.stats WHERE used_for = 'aggregates';
SELECT count_distinct(k::int4) AS all_different, count_distinct(k % 1000) AS few FROM key_sets WHERE n = 70000;
SELECT sum(jobs) - before AS sorted FROM gpusort.stats, sorts WHERE used_for = 'aggregates' GROUP BY before HAVING sum(jobs) > before;
RESET work_mem;

-- Where the collation tells fewer values apart than their bytes do.
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_collation WHERE collname = 'en-x-icu') THEN
		CREATE COLLATION pg_temp.any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		IF (SELECT count_distinct(t COLLATE pg_temp.any_case) FROM unnest('{a,A,b,B,c}'::text[]) t) <> 3 THEN
			RAISE 'upper and lower case are told apart';
		END IF;
	END IF;
END $$;

-- Over window frames the state is used again after its result.
SELECT count(*) FILTER (WHERE ours <> theirs) AS wrong, max(theirs) FROM
	(SELECT count_distinct(t) OVER (ORDER BY i) AS ours, (SELECT count(DISTINCT t) FROM (SELECT t FROM texts l WHERE l.g = 600 AND l.i <= o.i) q) AS theirs FROM texts o WHERE g = 600 AND i < 200) q;

-- Parallel workers send each value once; the leader counts those that differ.
CREATE TABLE many_texts AS SELECT i, md5((i % 30011)::text) AS t FROM generate_series(1, 60000) i;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT count_distinct(t), count_distinct(t::bytea), count_distinct(t::uuid), count_distinct(left(t, 2)), count_distinct(t) FILTER (WHERE i < 0) AS none FROM many_texts;
DROP TABLE many_texts;
