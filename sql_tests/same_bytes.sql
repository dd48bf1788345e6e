-- Needs gpusort.engine = 'auto': sets it. What an IMMUTABLE function returns are the same bytes, whatever engine, method and settings there are: both
-- zeros, NaNs of all kinds of bits, infinities, denormals, extremes, NULLs, lengths around every limit.
SET search_path = gpusort, pg_catalog, public;
SET client_min_messages = warning;
SET extra_float_digits = 1;

-- A float's bits, and a float of bits: values of the same size pass as they are.
CREATE FUNCTION pg_temp.float8_of(int8) RETURNS float8 LANGUAGE internal IMMUTABLE STRICT AS 'int8up';
CREATE FUNCTION pg_temp.float4_of(int4) RETURNS float4 LANGUAGE internal IMMUTABLE STRICT AS 'int4up';
CREATE FUNCTION pg_temp.bits(float8) RETURNS int8 LANGUAGE internal IMMUTABLE STRICT AS 'int8up';
CREATE FUNCTION pg_temp.bits(float4) RETURNS int4 LANGUAGE internal IMMUTABLE STRICT AS 'int4up';
CREATE FUNCTION pg_temp.bits(int8) RETURNS int8 LANGUAGE internal IMMUTABLE STRICT AS 'int8up';
SELECT float8send(pg_temp.float8_of(-1)) AS all_ones, float4send(pg_temp.float4_of(2139095041)) AS signalling, pg_temp.bits('-0'::float8) AS zero;

-- The values: of each kind, one by its number; narrow ones can be counted.
CREATE FUNCTION pg_temp.value(type text, h int8, narrow bool) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN type IN ('float4', 'float8') THEN
		format('pg_temp.%s_of(%s)', type, CASE
			WHEN narrow THEN CASE h % 4 WHEN 0 THEN zero WHEN 1 THEN 0 ELSE h / 4 % 50 + CASE h % 8 WHEN 3 THEN zero ELSE 0 END END
			WHEN h % 32 < 6 THEN zero WHEN h % 32 < 12 THEN 0
			WHEN h % 32 = 12 THEN nan WHEN h % 32 = 13 THEN nan + zero WHEN h % 32 = 14 THEN inf + 1 WHEN h % 32 = 15 THEN inf + 1 + zero
			WHEN h % 32 = 16 THEN -1 WHEN h % 32 = 17 THEN -1 - zero WHEN h % 32 = 18 THEN inf + 1 + h % 100000 WHEN h % 32 = 19 THEN inf WHEN h % 32 = 20 THEN inf + zero
			WHEN h % 32 = 21 THEN 1 WHEN h % 32 = 22 THEN 1 + zero WHEN h % 32 = 23 THEN inf - 1 WHEN h % 32 = 24 THEN inf - 1 + zero
			ELSE h % 1000 * (inf / 1000) + CASE h % 2 WHEN 0 THEN 0 ELSE zero END END)
		ELSE format('%L::%s', CASE
			WHEN narrow THEN h % 60 WHEN h % 8 = 0 THEN greatest_one WHEN h % 8 = 1 THEN -greatest_one - 1 WHEN h % 8 = 2 THEN 0
			ELSE h % greatest_one * CASE h % 2 WHEN 0 THEN 1 ELSE -1 END END, type) END
	FROM (SELECT CASE type WHEN 'float8' THEN -9223372036854775807 - 1 ELSE -2147483648 END AS zero,
		CASE type WHEN 'float8' THEN 9221120237041090560 ELSE 2143289344 END AS nan, CASE type WHEN 'float8' THEN 9218868437227405312 ELSE 2139095040 END AS inf,
		CASE type WHEN 'int2' THEN 32767 WHEN 'int4' THEN 2147483647 ELSE 9223372036854775807 END AS greatest_one) c $$;

-- Arrays: as drawn, in order, -0 before 0, in opposite order, and with NULLs.
CREATE FUNCTION pg_temp.make_arrays(type text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE (SELECT format('CREATE TABLE bytes_values AS SELECT n, narrow, i, x FROM bytes_draws JOIN (VALUES %s) v(h, narrow, x) USING (h, narrow) WHERE n <= %s',
		string_agg(format('(%s, %L::bool, %s)', h, narrow, pg_temp.value(type, CASE WHEN narrow THEN h WHEN type = 'int2' THEN h * 829 ELSE h * 829356551 END, narrow)), ', '), CASE WHEN type ~ 'float' THEN 2049 ELSE 130 END)
		FROM generate_series(0::int8, 199) h, unnest('{f,t}'::bool[]) narrow);
	EXECUTE format('CREATE TABLE bytes_arrays (id int, narrow bool, a %s[], v int4[], right_a %s[], right_desc %s[])', type, type, type);
	INSERT INTO bytes_arrays (id, narrow, a)
		SELECT 8 * n + 4 * narrow::int + kind, narrow, CASE kind WHEN 0 THEN array_agg(x ORDER BY i) WHEN 1 THEN array_agg(x ORDER BY x, pg_temp.bits(x)) WHEN 2 THEN array_agg(x ORDER BY x DESC, pg_temp.bits(x) DESC)
			ELSE array_agg(CASE WHEN i % 5 > 0 THEN x END ORDER BY i) END
		FROM bytes_values, generate_series(0, 3) kind WHERE n <= 20 OR (n + kind) % 2 = 0 GROUP BY n, narrow, kind;
	UPDATE bytes_arrays SET v = ARRAY(SELECT i FROM generate_series(1, cardinality(a)) i);
	DROP TABLE bytes_values;
	-- what is right, by ORDER BY alone
	IF type ~ 'float' THEN
		EXECUTE format('UPDATE bytes_arrays SET right_a = ARRAY(SELECT CASE WHEN x = %L THEN %L ELSE x END FROM unnest(a) x ORDER BY x, pg_temp.bits(x)),
			right_desc = ARRAY(SELECT CASE WHEN x = %L THEN %L ELSE x END FROM unnest(a) x ORDER BY x DESC, pg_temp.bits(x) DESC)', 'NaN', 'NaN', 'NaN', 'NaN');
	ELSE
		UPDATE bytes_arrays SET right_a = ARRAY(SELECT x FROM unnest(a) x ORDER BY x), right_desc = ARRAY(SELECT x FROM unnest(a) x ORDER BY x DESC);
	END IF;
	ANALYZE bytes_arrays;
END $$;
CREATE TABLE bytes_draws AS SELECT n, narrow, i, CASE WHEN n = 1 THEN 17 ELSE ((hashint8extended(i * 1000003::int8 + n, 7) & 1073741823) % 200)::int END AS h
	FROM unnest('{1,2,3,5,8,9,16,17,31,33,63,65,100,128,129,255,256,257,300,513,1025,2049}'::int[]) n,
		unnest('{f,t}'::bool[]) narrow, generate_series(1, n) i;

-- What is called.  Approximate order has a method of its own.  Called in a subquery nothing is batched.
CREATE TABLE bytes_calls (call text, approximate bool DEFAULT false);
INSERT INTO bytes_calls (call) VALUES ('array_send(array_sort(a))'), ('array_send(array_sort(a, true))'), ('array_send(array_sort(a, false, true))'),
	('array_send(array_sort_distinct(a))'), ('array_send(array_sort_distinct(a, true))'), ('array_send(array_top_n(a, 1))'), ('array_send(array_top_n(a, 3, false))'), ('array_send(array_top_n(a, 40))'),
	('array_send(array_top_n(a, 300, false))'), ('array_send(array_argsort(a))'), ('array_send(array_argsort(a, true))'), ('array_send(array_take(a, array_argsort(a)))'),
	('array_send(array_sort_by(a, a))'), ('array_send(array_sort_by(v, a, true))'), ('array_send((array_sort_pair(a, a)).sorted_keys)'), ('array_send((array_sort_pair(v, a, true)).sorted_vals)'),
	('array_send(array_bottom_n(a, 3))'), ('array_send(array_top_n(a, 40, true, true))'), ('array_send(array_bottom_n_by(v, a, 5, true))'), ('array_send(array_top_n_by(a, a, 5))'), ('array_send(array_top_n_by(v, a, 50, false))'),
	('convert_to((array_is_sorted(array_sort(a)) AND array_is_sorted(array_sort(a, true), true))::text, ''UTF8'')'),
	('array_send(ARRAY(SELECT value FROM unnest_sorted(a)))'), ('(SELECT array_send(sorted_agg(x)) FROM unnest(a) x)'), ('(SELECT array_send(sorted_agg(x, true)) FROM unnest(a) x)'), ('(SELECT array_send(sorted_agg(x, true, false)) FROM unnest(a) x)'), ('(SELECT array_send(top_n_agg(x, 3, true, true)) FROM unnest(a) x)'),
	('(SELECT array_send(sorted_agg_by(x, x)) FROM unnest(a) x)'), ('(SELECT array_send(top_n_agg(x, 3)) FROM unnest(a) x)'), ('(SELECT array_send(top_n_agg(x, 100, false)) FROM unnest(a) x)');
-- Statistics, searches and merges.  The aggregates that interpolate take float8, whose range is too wide to be counted.
INSERT INTO bytes_calls (call) VALUES ('array_send(ARRAY[array_median(a)])'), ('array_send(array_percentile_cont(a, ''{0,0.3,1}''::float8[]))'),
	('array_send(array_percentile_disc(a, ''{0,0.1,0.5,0.9,1}''::float8[]))'), ('array_send(ARRAY[array_mode(a)])'), ('array_send(array_rank(a))'), ('array_send(array_rank(a, true))'),
	('array_send(array_between(array_sort(a), a[1], a[2]))'), ('int4send(array_search_sorted(array_sort(a), a[1]))'), ('int4send(array_nearest(array_sort(a), a[1]))'),
	('array_send(array_merge(array_sort(a), array_sort(a)))'), ('array_send((array_merge_by(v, array_sort(a), v, array_sort(a))).merged_vals)'),
	('(SELECT array_send(ARRAY[median(x)]) FROM unnest(a) x)'), ('(SELECT array_send(percentile_cont_agg(x, ''{0,0.3,1}''::float8[])) FROM unnest(a) x)'),
	('(SELECT array_send(percentile_disc_agg(x, ''{0,0.1,0.5,0.9,1}''::float8[])) FROM unnest(a) x)'),
	('(SELECT array_send(gpusort.percentile_cont(''{0,0.3,1}''::float8[]) WITHIN GROUP (ORDER BY x DESC)) FROM unnest(a) x)'),
	('(SELECT array_send(gpusort.percentile_disc(''{0,0.1,0.5,0.9,1}''::float8[]) WITHIN GROUP (ORDER BY x DESC)) FROM unnest(a) x)'),
	('(SELECT array_send(ARRAY[gpusort.mode() WITHIN GROUP (ORDER BY x), mode_agg(x)]) FROM unnest(a) x)'), ('(SELECT array_send(histogram_agg(x, 5)) FROM unnest(a) x)'),
	('(SELECT int8send(count_distinct(x)) FROM unnest(a) x)'), ('(SELECT array_send(top_n_agg_by(x, x, 70)) FROM unnest(a) x)'),
	('array_send((array_match(array_bottom_n(a, 40), array_bottom_n(a, 20), 1)).positions_b)'), ('float8send(array_cosine(array_bottom_n(a, 40), array_top_n(v, 40), array_bottom_n(a, 40), array_bottom_n(v, 40), 1))'),
	('array_send(array_nearest(array_sort(a), array_take(a, ''{1}'')))'), ('array_send(array_between_by(v, array_sort(a), a[1], a[1]))'), ('array_send(array_histogram(a, 5))'), ('int4send(array_count_distinct(a))'),
	('array_send(ARRAY[array_min(a), array_max(a)])'), ('array_send(ARRAY[array_sum(v), array_avg(v), array_stddev(v)])'),
	('array_send(array_bins(v, 3))'), ('array_send(bins_between(1, cardinality(a), 3))');
-- Sorted sets.
INSERT INTO bytes_calls (call) VALUES ('(SELECT gpusort_internal.sorted_set_send(sorted_set_agg(x)) FROM unnest(a) x)'), ('(SELECT array_send(sorted_array(sorted_set_agg(x), a[1])) FROM unnest(a) x)'),
	('(SELECT gpusort_internal.sorted_set_send(merge(sorted_set_agg(x), sorted_set_agg(x))) FROM unnest(a) x)'),
	('(SELECT gpusort_internal.sorted_set_send(merge_agg(s)) FROM (SELECT sorted_set_agg(x) AS s FROM unnest(a) WITH ORDINALITY u(x, n) GROUP BY n % 3 ORDER BY n % 3) q)'),
	('(SELECT int8send(sorted_set_count(sorted_set_agg(x))) || int8send(sorted_set_count_distinct(sorted_set_agg(x))) FROM unnest(a) x)'),
	('(SELECT array_send(ARRAY[sorted_set_median(sorted_set_agg(x))]) FROM unnest(a) x)'),
	('(SELECT array_send(sorted_set_percentile_cont(sorted_set_agg(x), ''{0,0.3,1}''::float8[])) FROM unnest(a) x)'),
	('(SELECT array_send(ARRAY[sorted_set_percentile_disc(sorted_set_agg(x), 0.3, a[1])]) FROM unnest(a) x)');
INSERT INTO bytes_calls VALUES ('array_send(array_sort_approx(a, 1))', true), ('array_send(array_sort_approx(a, 7))', true), ('array_send(array_sort_approx(a, 7, true))', true),
	('array_send(array_sort_approx(a, 1000000))', true), ('(SELECT array_send(approx_sorted_agg(x, 5)) FROM unnest(a) x)', true),
	('(SELECT array_send(array_agg(b)) FROM (SELECT bucket(x, 5) OVER () AS b FROM unnest(a) x) s)', true);
SELECT DISTINCT proname AS immutable_but_not_called FROM pg_proc WHERE pronamespace = 'gpusort'::regnamespace AND provolatile = 'i' AND prokind IN ('f', 'a', 'w')
	AND prorettype <> 'internal'::regtype AND NOT 'internal'::regtype = ANY (proargtypes) AND NOT EXISTS (SELECT FROM bytes_calls WHERE call ~ ('\m' || proname || '\(')) ORDER BY 1;

-- By what: engine, method, threads, node and the other settings.  A GPU takes part where there is one.  Where a
-- server is set up to compile all queries, or to have workers for them, the method auto has that.
CREATE FUNCTION pg_temp.gpu_is_ready() RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 1000 LOOP
		IF NOT EXISTS (SELECT FROM gpusort.devices WHERE state = 'starting') THEN EXIT; END IF;
		PERFORM pg_sleep(0.1);
	END LOOP;
	RETURN EXISTS (SELECT FROM gpusort.devices WHERE state = 'ready');
END $$;
CREATE TABLE bytes_settings AS
	SELECT row_number() OVER () AS number, *, method = 'counting' AND engine = 'cpu' AS only_narrow, CASE WHEN method = 'auto' AND threads = 1 THEN current_setting('jit') ELSE 'off' END AS jit,
		CASE WHEN method = 'auto' AND threads = 1 THEN current_setting('max_parallel_workers_per_gather') ELSE '0' END AS workers FROM (
		SELECT 'cpu' AS engine, method, 1 AS threads, node, '4MB' AS work_mem, true AS verify FROM unnest('{auto,network,counting,approximate}'::text[]) method, unnest('{f,t}'::bool[]) node
		UNION ALL SELECT 'cpu', 'auto', 4, false, '64kB', false
		UNION ALL SELECT 'gpu', method, 1, node, '4MB', true FROM unnest('{auto,array_sort,tagged,hybrid,matrix,counting,approximate,network,radix}'::text[]) method, unnest('{f,t}'::bool[]) node WHERE pg_temp.gpu_is_ready() AND (NOT node OR method IN ('auto', 'network'))
		UNION ALL SELECT 'gpu', 'auto', 3, true, '64kB', false WHERE pg_temp.gpu_is_ready()) s;
SELECT count(*) FILTER (WHERE engine = 'gpu') > 0 OR coalesce(current_setting('gpusort.device_library', true), '') !~ 'emulated' AS with_the_emulated_device FROM bytes_settings;

CREATE FUNCTION pg_temp.digests(call text, s bytes_settings) RETURNS TABLE (id int, digest text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpusort.engine', s.engine, true), set_config('gpusort.method', s.method, true), set_config('gpusort.cpu_threads', s.threads::text, true), set_config('work_mem', s.work_mem, true),
		set_config('gpusort.force_nodes', CASE WHEN s.node THEN 'on' ELSE 'off' END, true), set_config('gpusort.enable_array_sort', s.node::text, true), set_config('jit', s.jit, true), set_config('max_parallel_workers_per_gather', s.workers, true);
	IF s.engine = 'gpu' THEN PERFORM set_config('gpusort.verify', s.verify::text, true); END IF;
	RETURN QUERY EXECUTE format('SELECT id, md5(%s) FROM bytes_arrays WHERE narrow OR NOT %L', call, s.only_narrow);
END $$;

CREATE TABLE bytes_failures (type text, call text, engine text, method text, node bool, arrays int8, first_length int);
CREATE FUNCTION pg_temp.compare(type text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	c bytes_calls;
	s bytes_settings;
	compared int8 := 0;
BEGIN
	PERFORM pg_temp.make_arrays(type);
	FOR c IN SELECT * FROM bytes_calls LOOP
		EXECUTE format('CREATE TEMP TABLE baseline AS SELECT * FROM pg_temp.digests(%L, (SELECT b FROM bytes_settings b WHERE number = 1))', c.call);
		INSERT INTO bytes_failures SELECT type, c.call, 'not as ORDER BY', '', false, count(*), min(cardinality(a)) FROM baseline b JOIN bytes_arrays USING (id) WHERE digest <> CASE
			WHEN c.call IN ('array_send(array_sort(a))', 'array_send(ARRAY(SELECT value FROM unnest_sorted(a)))', '(SELECT array_send(sorted_agg(x)) FROM unnest(a) x)') THEN md5(array_send(right_a))
			WHEN c.call IN ('array_send(array_sort(a, true))', '(SELECT array_send(sorted_agg(x, true)) FROM unnest(a) x)') THEN md5(array_send(right_desc))
			WHEN c.call = 'array_send(array_top_n(a, 3, false))' THEN md5(array_send(ARRAY(SELECT x FROM unnest(right_a[1:3]) x))) ELSE digest END HAVING count(*) > 0;
		FOR s IN SELECT * FROM bytes_settings WHERE (method = 'auto' OR (method = 'approximate') = c.approximate) AND NOT (node AND c.call LIKE '(SELECT%') AND NOT (method = 'counting' AND c.call ~ '\m(median|percentile_cont|percentile_cont_agg)\(') LOOP
			INSERT INTO bytes_failures SELECT type, c.call, s.engine, s.method, s.node, count(*), min(cardinality(a)) FROM pg_temp.digests(c.call, s) d JOIN baseline b USING (id) JOIN bytes_arrays USING (id)
				WHERE d.digest IS DISTINCT FROM b.digest HAVING count(*) > 0;
			compared := compared + 1;
		END LOOP;
		DROP TABLE baseline;
	END LOOP;
	DROP TABLE bytes_arrays;
	UPDATE bytes_settings SET jit = 'off';	-- what a server compiles is the same for all types
	RETURN compared;
END $$;
SELECT type, pg_temp.compare(type) >= 200 AS compared FROM unnest('{float4,float8,int2,int4,int8}'::text[]) type;
SELECT * FROM bytes_failures;

-- The node took part.
CREATE TABLE bytes_some AS SELECT ARRAY[i, -i, 0]::float8[] AS a FROM generate_series(1, 100) i;
CREATE FUNCTION pg_temp.nodes(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpusort.force_nodes', 'on', true);
	RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END $$;
SELECT count(*) AS batched FROM bytes_calls WHERE (SELECT bool_or(line ~ 'GpusortArrays') FROM pg_temp.nodes(format('SELECT %s FROM (SELECT a, a AS v FROM bytes_some OFFSET 0) s', call)) line);

-- Large arrays, which are taken apart and divided among threads.
CREATE TABLE bytes_large AS SELECT narrow, array_agg(pg_temp.float4_of((CASE WHEN h % 4 = 0 THEN 0 WHEN h % 4 = 1 THEN -2147483648 WHEN NOT narrow THEN h WHEN h % 4 = 2 THEN h % 1000
	ELSE -2147483648 + h % 1000 END)::int) ORDER BY i) AS a
	FROM (SELECT i, hashint8extended(i, 3) & 2147483647 AS h FROM generate_series(1, 1100000) i) d, unnest('{f,t}'::bool[]) narrow GROUP BY narrow;
CREATE FUNCTION pg_temp.large(narrow bool, s bytes_settings) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	PERFORM set_config('gpusort.engine', s.engine, true), set_config('gpusort.method', s.method, true), set_config('gpusort.cpu_threads', s.threads::text, true), set_config('work_mem', '64MB', true);
	EXECUTE format('SELECT md5(array_send(array_sort(a))) || md5(array_send(array_argsort(a, true))) || md5(array_send(array_top_n(a, 1000))) FROM bytes_large WHERE narrow = %L', narrow) INTO result;
	RETURN result;
END $$;
SELECT narrow, count(DISTINCT pg_temp.large(narrow, s)) AS results, count(*) >= 4 AS compared
FROM unnest('{f,t}'::bool[]) narrow, (SELECT DISTINCT ON (engine, method, threads) 0 AS number, engine, method, threads, node, work_mem, verify, only_narrow, '' AS jit, '' AS workers FROM
	(SELECT engine, method, t AS threads, false AS node, work_mem, true AS verify, only_narrow FROM bytes_settings, unnest('{1,3}'::int[]) t WHERE method IN ('auto', 'network', 'radix', 'counting') AND (engine = 'cpu' OR t = 1)) c) s
WHERE narrow OR NOT only_narrow GROUP BY narrow;

-- Aggregates, whose workers' sorted runs are merged.
CREATE TABLE bytes_rows AS SELECT u.x FROM bytes_large l, unnest(a[1:400000]) u(x) WHERE NOT narrow;
INSERT INTO bytes_rows SELECT pg_temp.float4_of((2143289344 + i)::int) FROM generate_series(1, 50) i;
ANALYZE bytes_rows;
CREATE FUNCTION pg_temp.aggregates(workers int, eng text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, true), set_config('parallel_leader_participation', 'off', true), set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
		set_config('min_parallel_table_scan_size', '0', true), set_config('gpusort.engine', eng, true);
	EXECUTE 'SELECT md5(array_send(sorted_agg(x))) || md5(array_send(sorted_agg(x, true))) || md5(array_send(top_n_agg(x, 1000))) || md5(array_send(top_n_agg(x, 20000, false))) FROM bytes_rows' INTO result;
	RETURN result;
END $$;
SELECT count(DISTINCT pg_temp.aggregates(workers, engine)) AS results FROM unnest('{0,1,2}'::int[]) workers, (SELECT DISTINCT engine FROM bytes_settings) e;

DROP FUNCTION pg_temp.digests, pg_temp.large;
DROP TABLE bytes_draws, bytes_calls, bytes_settings, bytes_failures, bytes_some, bytes_large, bytes_rows;
