-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- Statistics of one array, and functions over sorted arrays.
SET search_path = gpusort, public;

SELECT array_median('{4,1,NULL,3,2}'::int4[]), array_median('{4,1,3}'::float4[]), array_median('{4,1,3,2}'::numeric[]), array_median('{1 day,2 hours}'::interval[]),
	   array_median('{}'::int2[]) IS NULL AS empty, array_median('{NULL}'::int8[]) IS NULL AS nulls;
SELECT array_percentile_cont('{4,1,NULL,3,2}'::int4[], 0.25), array_percentile_cont('{4,1,3,2}'::float8[], '{{0,0.5},{NULL,1}}'::float8[]),
	   array_percentile_cont('{4,1,3,2}'::numeric[], '{0.1,0.9}'::float8[]), array_percentile_disc('{b,C,NULL,a}'::text[] COLLATE "C", 0.5),
	   array_percentile_disc('{b,c,a}'::text[], '{0,1}'::float8[]), array_percentile_disc('{}'::int[], 0.5) IS NULL AS empty,
	   array_percentile_cont('{1}'::int[], NULL::float8) IS NULL AS no_fraction;
SELECT array_mode('{3,1,3,1,2,NULL,NULL,NULL}'::int[]), array_mode('{b,a,b}'::text[]), array_mode('{}'::int[]) IS NULL AS empty;
SELECT array_rank('{30,10,NULL,10,20}'::int[]), array_rank('{30,10,NULL,10,20}'::int[], true), array_rank('{30,10,NULL,10,20}'::int[], true, false),
	   array_rank('{b,a,b}'::text[]), array_rank('{}'::int[]), array_rank('[5:7]={3,1,2}'::int[]);
SELECT array_percentile_cont('{1}'::float8[], 1.5);
SELECT array_percentile_disc('{}'::int[], '{0.5,-1}'::float8[]);
SELECT array_median('{{1,2},{3,4}}'::int[]);
SELECT array_mode('{{1,2},{3,4}}'::int[]);
SELECT array_rank('{"(1,1)","(2,2)"}'::point[]);

-- Sorted arrays.
SELECT array_search_sorted(a, 0), array_search_sorted(a, 2), array_search_sorted(a, 2, true), array_search_sorted(a, 9), array_search_sorted('{}'::int[], 1)
FROM (VALUES ('{1,2,2,3}'::int[])) v(a);
SELECT array_search_sorted('{1,2,NULL}'::int[], 9), array_search_sorted('{NULL,1,2}'::int[], 0), array_search_sorted('{a,b,c}'::text[], 'bb'::text),
	   array_search_sorted('{1.5,2.5}'::float4[], 2), array_search_sorted('{-inf,-0,1,NaN,NaN}'::float8[], 'NaN', true), array_search_sorted('{1,2}'::float8[], NULL) IS NULL AS no_value;
SELECT array_between('{1,2,2,3,5}'::int[], 2, 3), array_between('{1,2}'::int[], 3, 2), array_between('{1,2}'::int[], 5, 9), array_between('{a,b,c,NULL}'::text[], 'b'::text, 'z'::text),
	   array_between('{NULL,1.5,2.5}'::float8[], 1, 2);
SELECT array_nearest('{100,200,300}'::float8[], 240), array_nearest('{100,200,300}'::float8[], 250), array_nearest('{100,200,300}'::float8[], 240, 39.9), array_nearest('{100,200,300}'::float8[], 240, 40),
	   array_nearest('{100,200,300}'::int2[], 240::int2), array_nearest('{}'::float4[], 1::real) IS NULL AS empty, array_nearest('{1,1,1,5}'::int[], 2) AS first_of_equals,
	   array_nearest('{-9223372036854775808,9223372036854775807}'::int8[], 1), array_nearest('{1,inf,NaN}'::float8[], 'inf'), array_nearest('{1,NaN}'::float8[], 'NaN') IS NULL AS nan,
	   array_nearest('{1,NaN}'::float8[], 7), array_nearest('{NULL,1,9}'::float8[], 7), array_nearest('{1,9,NULL}'::float8[], 70);
SELECT array_nearest('{1}'::float8[], 1, -1);
SELECT array_nearest('{1}'::float8[], 1, 'NaN');
-- NULLs between values are an error: they are no values.
SELECT array_search_sorted('{a,NULL,b}'::text[], 'b');
SELECT array_between('{a,NULL,b}'::text[], 'a', 'b');
SELECT array_nearest('{NULL,1,NULL}'::int4[], 1);
SELECT array_search_sorted('{1,NULL,2}'::numeric[], 2);
-- A search does not notice what it does not look at.
SELECT array_search_sorted('{1,9,3,4}'::float8[], 3.5) AS unnoticed, array_search_sorted('{a,z,b,c}'::text[], 'bb'::text) AS of_texts;
SELECT array_search_sorted('{-inf,-0,0,-0,1,NaN,NaN,NULL}'::float8[], 0, true), array_search_sorted('{}'::text[], 'a'), array_between('{a,a,b}'::text[], 'a', 'a');
-- The distances of integers are exact.
SELECT array_nearest('{0,2305843009213693951}'::int8[], 1152921504606846976), array_nearest('{-9223372036854775808,9223372036854775807}'::int8[], 0),
	   array_nearest('{9007199254740993}'::int8[], 0, 9007199254740992) IS NULL AS beyond, array_nearest('{9007199254740992}'::int8[], 0, 9007199254740992) AS within,
	   array_nearest('{-9223372036854775808}'::int8[], 9223372036854775807, 18446744073709551616) AS largest, array_nearest('{7}'::int8[], 7, 0) AS none;
-- Domains.
CREATE DOMAIN pg_temp.whole AS int4;
CREATE DOMAIN pg_temp.money_amount AS numeric;
CREATE DOMAIN pg_temp.ratio AS float4;
CREATE DOMAIN pg_temp.word AS text;
SELECT array_median('{4,1}'::pg_temp.whole[]), array_median('{4,1}'::pg_temp.money_amount[]), array_percentile_cont('{4,1}'::pg_temp.ratio[], 0.5),
	   array_percentile_cont('{4,1}'::pg_temp.whole[], '{0,1}'::float8[]), array_percentile_disc('{4,1}'::pg_temp.whole[], 0.5), array_mode('{4,1,4}'::pg_temp.whole[]);
SELECT array_nearest('{1,4}'::pg_temp.whole[], 3), array_search_sorted('{1,4}'::pg_temp.whole[], 4), array_between('{0.1,4}'::pg_temp.ratio[], 0.1, 1), array_between('{a,b}'::pg_temp.word[], 'b', 'z'),
	array_nearest('{1,4}'::pg_temp.money_amount[], 3.5), array_nearest('{0.1,4}'::pg_temp.ratio[], 3.5), array_search_sorted('{1,4}'::pg_temp.whole[], 4.5);
SELECT array_median('{01:00,02:00}'::time[]), array_percentile_cont('{01:00,02:00}'::time[], 0.5), array_percentile_cont('{1 day,2 days}'::interval[], '{0.5}'::float8[]);
SELECT array_median('{2020-01-01}'::date[]);
-- A float8 beside float4 elements is rounded to float4. Beside any other array a value of another type is compared as
-- the server's operators compare it, and decides about the result's type.
PREPARE fractions(float8, float8) AS SELECT array_between('{0.1,0.2}'::float4[], $1, $2), pg_typeof(array_between('{0.1,0.2}'::float4[], $1, $2)), array_search_sorted('{0.1,0.2}'::float4[], $1),
	array_search_sorted('{0.1,0.2}'::float4[], $1, true), array_nearest('{0.1,0.2}'::float4[], $1), array_nearest('{0.1,0.2}'::float4[], $1, 0), array_between('{0.1,0.2}'::float4[], $1::float4, $2);
EXECUTE fractions(0.1, 0.2);
PREPARE others(float8, float8) AS SELECT array_between('{0,1}'::int4[], $1, $2), pg_typeof(array_between('{0,1}'::int2[], $1, $2)), array_between('{0.1,0.2}'::float8[], $1, $2),
	array_between('{0.1,0.2}'::numeric[], $1, $2), array_nearest('{0,1}'::int4[], $1), array_search_sorted('{0.1,0.2}'::pg_temp.ratio[], $1, true);
EXECUTE others(0.1, 0.2);
SELECT low, high, array_between(a, low, high), array_search_sorted(a, low), array_search_sorted(a, low, true) AS after, array_nearest(a, low), array_nearest(a, low, 1e40) AS within
FROM (SELECT '{-inf,-3.4028235e38,0,3.4028235e38,inf,nan}'::float4[] AS a) x,
	 (VALUES (-1e300::float8, 1e300::float8), (1e300, 'inf'), ('-inf', -1e300), (1e-300, 'nan'), ('inf', 'nan'), ('nan', 'nan'), (0, NULL)) v(low, high);
SELECT array_between('{1,NULL}'::float4[], 1::float8, 2), array_between('{NULL,1}'::float4[], 0.5, 2), array_between('{}'::float4[], 0.5, 2), array_between(NULL::float4[], 0.5, 2), array_nearest('{1}'::float4[], 7.5::float8);
SELECT array_between('{{1,2}}'::float4[], 1::float8, 2);
SELECT array_between('{1,2}', 1::float8, 2);
PREPARE wholes(int8) AS SELECT array_between('{1,2,3}'::int4[], $1, $1), pg_typeof(array_between('{1,2,3}'::int2[], $1, $1)), array_search_sorted('{1,2,3}'::int4[], $1), array_nearest('{1,2,3}'::int2[], $1), array_nearest('{1,2,3}'::float4[], $1);
EXECUTE wholes(2);
EXECUTE wholes(99999999999);
EXECUTE wholes(-99999999999);
EXECUTE wholes(NULL);
-- A parameter without a type has the elements'.
PREPARE untyped AS SELECT array_between('{0.1,0.2}'::float4[], $1, $2), array_search_sorted('{1,2,3}'::int4[], $3), array_nearest('{1,2,3}'::float8[], $4), array_between('{2020-01-01,2020-01-02}'::date[], $5, $5),
	array_search_sorted('{a,b}'::text[], $6), array_nearest('{1,2}'::int8[], $7, $8);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
EXECUTE untyped(0.1, 0.2, 2, 2.2, '2020-01-02', 'b', 2, 0);
SELECT array_between('{1,2,3}'::int4[], 1.5, 2.5), array_search_sorted('{1,2}'::int4[], 1.5, true), array_search_sorted('{1,2}'::int8[], 'NaN'::float8), array_nearest('{1,2}'::int4[], 1.6),
	   pg_typeof(array_between('{0.1,0.2}'::float4[], 0.1, 0.2)), array_between('{0.1,0.2}'::float4[], 0.1, '0.2'), array_between('{1,2,3}'::int4[], '2', '3'), array_between('{a,b}'::varchar[], 'b'::text, 'c'::text),
	   array_nearest('{1,2}'::numeric[], 1.6), array_between('{1,9223372036854775807}'::int8[], '9223372036854775807', '9223372036854775807');
SELECT array_between('{infinity}'::timestamptz[], 'infinity', 'infinity'), array_between('{01:00,02:00}'::interval[], '90 min', '1 day'), array_search_sorted('{2020-01-01}'::date[], '2020-01-01 12:00'::timestamp);
SELECT array_search_sorted('{1}'::int4[], 'one');
SELECT array_search_sorted('{1}'::regclass[], 'pg_class');
-- Too many elements are noticed before any is copied.
SELECT array_merge(array_fill(1::int2, ARRAY[70000000]), array_fill(1::int2, ARRAY[70000000]));
SELECT array_merge('{1,3,5,NULL}'::int[], '{2,3,NULL}'::int[]), array_merge('{}'::int[], '{1}'::int[]), array_merge('{}'::int[], '{}'), array_merge('{a,c}'::text[], '{b}'::text[]),
	   array_merge('[3:4]={1,2}'::float4[], '{-0,NaN}'::float4[]);
SELECT * FROM array_merge_by('{100.5,200.5}'::float8[], '{1,3}'::int[], '{150.5,250.5}'::float8[], '{2,4}'::int[]);
SELECT * FROM array_merge_by('{a,b,NULL}'::text[], '{1,2,NULL}'::int[], '{c,d}'::text[], '{1,2}'::int[]);
SELECT * FROM array_merge_by('{a}'::text[], '{1,2}'::int[], '{c,d}'::text[], '{1,2}'::int[]);
SELECT array_merge('{{1,2}}'::int[], '{1}');

-- Random arrays of every type beside plain SQL.
SELECT setseed(0.31);
CREATE TABLE statistic_rows AS
SELECT g, array_agg((random() * 20)::int2) FILTER (WHERE k) AS i2, array_agg(CASE WHEN random() < 0.9 THEN (random() * 2000 - 1000)::int4 END) FILTER (WHERE k) AS i4,
	   array_agg((random() * 1e18 - 5e17)::int8) FILTER (WHERE k) AS i8,
	   array_agg((CASE WHEN random() < 0.05 THEN 'NaN' WHEN random() < 0.05 THEN 'inf' ELSE ((random() - 0.5) * 1000)::int::text END)::float4) FILTER (WHERE k) AS f4,
	   array_agg(CASE WHEN random() < 0.9 THEN random() END) FILTER (WHERE k) AS f8, array_agg(date '2020-01-01' + (random() * 20)::int) FILTER (WHERE k) AS d,
	   array_agg(md5((random() * 20)::int::text)) FILTER (WHERE k) AS t, array_agg((random() * 100)::int / 4.0) FILTER (WHERE k) AS n
FROM generate_series(1, 300) g, LATERAL (SELECT i <= g * g % 701 FROM generate_series(1, 701) i) k(k) GROUP BY g;
CREATE FUNCTION pg_temp.differences() RETURNS TABLE (type text, enough boolean, disc bigint, modes bigint, ranks bigint, searches bigint, betweens bigint, merges bigint, merges_by bigint)
LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
	FOREACH name IN ARRAY '{i2,i4,i8,f4,f8,d,t,n}'::text[] LOOP
		RETURN QUERY EXECUTE replace($q$
			SELECT '@', count(*) > 250, count(*) FILTER (WHERE array_percentile_disc(@, '{0,0.3,0.5,1}'::float8[]) IS DISTINCT FROM (SELECT pg_catalog.percentile_disc('{0,0.3,0.5,1}'::float8[]) WITHIN GROUP (ORDER BY x) FROM unnest(@) x)),
				   count(*) FILTER (WHERE array_mode(@) IS DISTINCT FROM (SELECT pg_catalog.mode() WITHIN GROUP (ORDER BY x) FROM unnest(@) x)),
				   count(*) FILTER (WHERE array_rank(@) IS DISTINCT FROM (SELECT array_agg(r::int ORDER BY i) FROM (SELECT i, rank() OVER (ORDER BY x) AS r FROM unnest(@) WITH ORDINALITY u(x, i)) q)),
				   count(*) FILTER (WHERE array_search_sorted(array_sort(@), v) <> 1 + (SELECT count(*) FROM unnest(@) x WHERE x < v)
									OR array_search_sorted(array_sort(@, false, true), v, true) <> 1 + (SELECT count(*) FROM unnest(@) x WHERE x <= v OR x IS NULL)),
				   count(*) FILTER (WHERE array_between(array_sort(@), v, w) <> coalesce((SELECT array_agg(x ORDER BY x) FROM unnest(@) x WHERE x BETWEEN v AND w), '{}')),
				   count(*) FILTER (WHERE array_merge(array_sort(@), array_sort(other)) <> array_sort(@ || other)),
				   count(*) FILTER (WHERE (SELECT ROW(merged_vals, merged_keys) FROM array_merge_by(array_argsort(@), array_sort(@), array_argsort(other), array_sort(other)))
									<> (SELECT ROW(sorted_vals, sorted_keys) FROM array_sort_pair(array_argsort(@) || array_argsort(other), array_sort(@) || array_sort(other))))
			FROM (SELECT @, lead(@, 1, @) OVER (ORDER BY g) AS other, least(@[1], @[2]) AS v, greatest(@[1], @[3]) AS w FROM statistic_rows WHERE @ IS NOT NULL AND coalesce(@[1], @[2]) IS NOT NULL) q $q$, '@', name);
	END LOOP;
END $$;
SELECT * FROM pg_temp.differences();
SELECT count(*) AS arrays, count(*) FILTER (WHERE array_median(f4) IS DISTINCT FROM (SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(f4) x)) AS f4,
	   count(*) FILTER (WHERE array_median(i8) IS DISTINCT FROM (SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(i8) x)) AS i8,
	   count(*) FILTER (WHERE array_percentile_cont(i2, 0.123) IS DISTINCT FROM (SELECT pg_catalog.percentile_cont(0.123) WITHIN GROUP (ORDER BY x) FROM unnest(i2) x)) AS i2,
	   count(*) FILTER (WHERE array_median(n) IS DISTINCT FROM (SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(n) x)) AS n,
	   count(*) FILTER (WHERE abs((array_sort(i4))[array_nearest(array_sort(i4), 17)] - 17) <> (SELECT min(abs(x - 17)) FROM unnest(i4) x)) AS i4_nearest,
	   count(*) FILTER (WHERE abs((array_sort(f8))[array_nearest(array_sort(f8), 0.4)] - 0.4) <> (SELECT min(abs(x - 0.4)) FROM unnest(f8) x)) AS f8_nearest
FROM statistic_rows;

-- What spectra need: the most intense peaks in the order of m/z, the peak nearest to a mass within 10 ppm, the union of two peak lists.
SELECT sorted_keys AS mz, sorted_vals AS intensity
FROM (SELECT '{100.1,150.2,200.3,250.4}'::float8[] AS mz, '{7,90,8,60}'::float4[] AS intensity) p,
	 LATERAL array_argsort(intensity, true) o, LATERAL array_sort_pair(array_take(intensity, o[1:2]), array_take(mz, o[1:2]));
SELECT mass, mz[array_nearest(mz, mass, mass * 10e-6)] AS peak FROM (SELECT '{100.1,150.2,200.3,250.4}'::float8[] AS mz) p, unnest('{150.201,150.21,250.4}'::float8[]) mass;
SELECT merged_keys AS mz, merged_vals AS intensity FROM array_merge_by('{7,90}'::float4[], '{100.1,150.2}'::float8[], '{5,6}'::float4[], '{120.5,150.2}'::float8[]);
DROP TABLE statistic_rows;
-- Of numeric arrays the median is exact, as that of median(numeric), and percentiles are numeric.
SELECT array_median('{1,2.50000000000000000001,2}'::numeric[]), array_median('{0.1,0.2}'::numeric[]), pg_typeof(array_median('{1}'::numeric[])), array_median('{}'::numeric[]) IS NULL AS empty,
	   array_median('{NaN,1,NULL,Infinity}'::numeric[]), array_percentile_cont('{12345678901234567890.1,12345678901234567890.3}'::numeric[], 0.5),
	   array_percentile_cont('{1,2,4}'::numeric[], '{{0,0.75},{NULL,1}}'), pg_typeof(array_median('{1}'::pg_temp.money_amount[])) AS of_domain;
SELECT count(*) FILTER (WHERE array_median(a) IS DISTINCT FROM (SELECT median(x) FROM unnest(a) x)) AS median,
	   count(*) FILTER (WHERE array_percentile_cont(a, '{0,0.25,1}') IS DISTINCT FROM ARRAY[s[1], s[1 + (n - 1) / 4] + (s[least(n, 2 + (n - 1) / 4)] - s[1 + (n - 1) / 4]) * ((n - 1) % 4 / 4.0), s[n]]) AS percentiles
FROM (SELECT a, array_sort(a) AS s, cardinality(a) AS n FROM (SELECT ARRAY(SELECT (random() * 1e6)::numeric(20, 9) * 10.0 ^ (i % 30) FROM generate_series(1, 1 + i % 50)) AS a FROM generate_series(1, 300) i) q) r;
-- They are placed exactly, too. A fraction that is no decimal number of 15 digits is placed in float8.
SELECT array_percentile_cont(array_agg(x), '{0.29,0.07,1e-3}'), array_percentile_cont(array_agg(x * 1e20), 0.123456), array_percentile_cont(array_agg(x), 1 / 3.0::float8) FROM generate_series(0::numeric, 100) x;
SELECT count(*) FILTER (WHERE array_percentile_cont(a, f::float8) IS DISTINCT FROM s[1 + floor(p)::int] + (s[1 + ceil(p)::int] - s[1 + floor(p)::int]) * (p - floor(p))) AS placed
FROM (SELECT a, f, array_sort(a) AS s, f * (cardinality(a) - 1) AS p FROM (SELECT ARRAY(SELECT (random() * 1e6)::numeric(20, 9) * 10.0 ^ (i % 30) FROM generate_series(1, 1 + i % 500)) AS a, round(random()::numeric, i % 15) AS f FROM generate_series(1, 500) i) q) r;
-- Where there are only NULLs they are last, as array_sort has them.
SELECT array_search_sorted('{NULL,NULL}'::int4[], 1), array_search_sorted('{NULL,NULL}'::text[], 'a', true), array_search_sorted('{NULL,1}'::int4[], 0);
-- A search that comes across values out of order is an error. Merging sorts them.
SELECT array_between('{3,2,1}'::int4[], 1, 2);
SELECT array_search_sorted('{1,9,0,4}'::float8[], 3.5);
SELECT array_nearest('{NULL,4,1}'::float4[], 1::float8);
SELECT array_search_sorted('{b,a}'::text[], 'c');
SELECT array_between_by('{1,2,3}'::int4[], '{2,3,1}'::int8[], 1, 9);
SELECT array_nearest('{1,2,3}'::int4[], '{1,2}'::int4[]), array_search_sorted(value => 2, "array" => '{1,1,2}'::int2[], after => true);
SELECT array_merge('{0,-0}'::float8[], '{-0,5}'), array_merge('{-0,0}'::float4[], '{-0,NULL}'), (array_merge_by('{a,b}'::text[], '{0,-0}'::float8[], '{c,d}', '{-0,5}')).merged_vals;
SELECT array_merge('{3,2,1}'::int4[], '{9,NULL,1}'), array_merge('{b,a}'::text[], '{c,a}'), array_merge('{NaN,1}'::float8[], '{}'), array_merge_by('{a,b}'::text[], '{2,1}'::int4[], '{c}', '{1}');
SELECT count(*) FILTER (WHERE array_merge(a, b) IS DISTINCT FROM array_sort(a || b)) AS merged, count(*) FILTER (WHERE array_search_sorted(array_sort(a), 500) <> 1 + (SELECT count(*) FROM unnest(a) x WHERE x < 500)) AS found
FROM (SELECT ARRAY(SELECT (random() * 1000)::int + i % 1 FROM generate_series(1, i % 30)) AS a, ARRAY(SELECT (random() * 1000)::int + i % 1 FROM generate_series(1, i % 7)) AS b FROM generate_series(1, 300) i) q;
