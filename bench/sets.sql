-- What plain SQL does without order, with gpusort, and what plain SQL does with order. Sections:
--
--   aggregates  each aggregate of 20 million numbers
--   rows        bucket beside ntile
--   groups      aggregates of many groups, small and large, hashed and sorted
--   text        sorted_agg and count_distinct of text
--   statistics  array_median, array_mode and array_rank of many arrays
--   peers       beside the extensions count_distinct, quantile and aggs_for_arrays, those that are installed
--   parallel    with two workers beside one process
\i bench/session.sql
\set section sets
SELECT (20000000 / :scale)::bigint AS many, (5000000 / :scale)::bigint AS fewer, (2000000 / :scale)::bigint AS words \gset

CREATE UNLOGGED TABLE numbers AS
	SELECT (2147483647 * random())::int4 AS x, random() AS f, (i / 200)::int4 AS g, (i % (:many / 200))::int4 AS scattered FROM generate_series(1, :many) i;
CREATE UNLOGGED TABLE tiny AS SELECT (2147483647 * random())::int4 AS x, (i % (:fewer / 5))::int4 AS g FROM generate_series(1, :fewer) i;
CREATE UNLOGGED TABLE words AS SELECT md5(i::text) AS x, i::int4 AS i FROM generate_series(1, :words) i;
VACUUM (FREEZE, ANALYZE) numbers, tiny, words;

-- Contenders for one aggregate over a table, perhaps in groups: ours, what SQL has for it as gpusort has it
-- planned, and as PostgreSQL does alone.
CREATE FUNCTION set_contenders(from_table text, ours text, theirs text, groups text DEFAULT '', floor text DEFAULT 'array_agg(x)') RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SELECT count(a) FROM (SELECT %s AS a FROM gpusort_bench.%s %s OFFSET 0) q', aggregate, from_table, groups), setting, value] ORDER BY ord)
	FROM (VALUES (1, 'floor: ' || floor, floor, '', ''), (2, 'gpusort', 'gpusort.' || ours, '', ''),
		(3, 'gpusort, query unchanged', theirs, '', ''), (4, 'plain SQL', theirs, alone(), 'off')) c (ord, name, aggregate, setting, value)
$$;

\if :{?aggregates}
CALL measure('sets', 'sorted_agg(x)', 'int4', NULL, :many, set_contenders('numbers', 'sorted_agg(x)', 'array_agg(x ORDER BY x)'), 'plain SQL', 1);
CALL measure('sets', 'sorted_agg(f)', 'float8', NULL, :many, set_contenders('numbers', 'sorted_agg(f)', 'array_agg(f ORDER BY f)', floor => 'array_agg(f)'), 'plain SQL', 1);
CALL measure('sets', 'sorted_agg_by(x, f)', 'int4', NULL, :many, set_contenders('numbers', 'sorted_agg_by(x, f)', 'array_agg(x ORDER BY f)'), 'plain SQL', 1);
CALL measure('sets', 'top_n_agg(x, 1000)', 'int4', NULL, :many, set_contenders('numbers', 'top_n_agg(x, 1000)', '(array_agg(x ORDER BY x DESC))[1:1000]'), 'plain SQL', 1);
CALL measure('sets', 'top_n_agg(f, 1000)', 'float8', NULL, :many, set_contenders('numbers', 'top_n_agg(f, 1000)', '(array_agg(f ORDER BY f DESC))[1:1000]', floor => 'array_agg(f)'), 'plain SQL', 1);
CALL measure('sets', 'approx_sorted_agg(x, 10000)', 'int4', NULL, :many, set_contenders('numbers', 'approx_sorted_agg(x, 10000)', 'array_agg(x ORDER BY x)'), 'plain SQL', 1);
CALL measure('sets', 'approx_sorted_agg(f, 10000)', 'float8', NULL, :many, set_contenders('numbers', 'approx_sorted_agg(f, 10000)', 'array_agg(f ORDER BY f)', floor => 'array_agg(f)'), 'plain SQL', 1);
CALL measure('sets', 'count_distinct(x)', 'int4', NULL, :many, set_contenders('numbers', 'count_distinct(x)', 'count(DISTINCT x)', floor => 'count(x)'), 'plain SQL', 1);
CALL measure('sets', 'mode_agg(g)', 'int4', NULL, :many, set_contenders('numbers', 'mode_agg(g)', 'mode() WITHIN GROUP (ORDER BY g)', floor => 'count(g)'), 'plain SQL', 1);
CALL measure('sets', 'histogram_agg(f, 100)', 'float8', NULL, :many, ARRAY[
	['floor: avg(f)', 'SELECT avg(f) FROM gpusort_bench.numbers', '', ''],
	['gpusort', 'SELECT gpusort.histogram_agg(f, 100) FROM gpusort_bench.numbers', '', ''],
	['plain SQL', 'SELECT array_agg(n ORDER BY b) FROM (SELECT width_bucket(f, 0, 1, 100) AS b, count(*) AS n FROM gpusort_bench.numbers GROUP BY 1) q', alone(), 'off']], 'plain SQL', 1);
CALL measure('sets', 'median(f)', 'float8', NULL, :many, set_contenders('numbers', 'median(f)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f)', floor => 'avg(f)'), 'plain SQL', 1);
CALL measure('sets', 'percentile_cont(0.5)', 'float8', NULL, :many, set_contenders('numbers', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f)', floor => 'avg(f)'), 'plain SQL', 1);
\endif

-- The floor is the query without order.
\if :{?rows}
CALL measure('sets', 'bucket(x, 10000) beside ntile', 'int4', NULL, :fewer, ARRAY[
	['floor: row_number() OVER ()', 'SELECT count(b) FROM (SELECT row_number() OVER () AS b FROM gpusort_bench.tiny) q', '', ''],
	['gpusort', 'SELECT count(b) FROM (SELECT gpusort.bucket(x, 10000) OVER () AS b FROM gpusort_bench.tiny) q', '', ''],
	['plain SQL', 'SELECT count(b) FROM (SELECT ntile(10000) OVER (ORDER BY x) AS b FROM gpusort_bench.tiny) q', alone(), 'off']], 'plain SQL', 1);
CALL measure('sets', 'ORDER BY bucket(x, 10000)', 'int4', NULL, :fewer, ARRAY[
	['floor: unsorted', 'SELECT count(x) FROM (SELECT * FROM gpusort_bench.tiny OFFSET 0) q', '', ''],
	['gpusort', 'SELECT count(x) FROM (SELECT * FROM gpusort_bench.tiny ORDER BY gpusort.bucket(x, 10000) OVER () OFFSET 0) q', '', ''],
	['plain SQL', 'SELECT count(x) FROM (SELECT * FROM gpusort_bench.tiny ORDER BY x OFFSET 0) q', alone(), 'off']], 'plain SQL', 1);
\endif

\if :{?groups}
CALL measure('sets', 'sorted_agg(x), groups of 200', 'int4', NULL, :many, set_contenders('numbers', 'sorted_agg(x)', 'array_agg(x ORDER BY x)', 'GROUP BY g'), 'plain SQL', 1);
CALL measure('sets', 'sorted_agg(x), groups of 5', 'int4', NULL, :fewer, set_contenders('tiny', 'sorted_agg(x)', 'array_agg(x ORDER BY x)', 'GROUP BY g'), 'plain SQL', 1);
CALL measure('sets', 'sorted_agg(x), groups of 200 in random order', 'int4', NULL, :many, set_contenders('numbers', 'sorted_agg(x)', 'array_agg(x ORDER BY x)', 'GROUP BY scattered'), 'plain SQL', 1);
CALL measure('sets', 'top_n_agg_by(x, f, 3), groups of 200', 'int4', NULL, :many, set_contenders('numbers', 'top_n_agg_by(x, f, 3)', '(array_agg(x ORDER BY f DESC))[1:3]', 'GROUP BY g', 'avg(f)'), 'plain SQL', 1);
CALL measure('sets', 'three percentiles, groups of 200', 'float8', NULL, :many, set_contenders('numbers', 'percentile_cont_agg(f, ''{0.25,0.5,0.75}''::float8[])', 'percentile_cont(''{0.25,0.5,0.75}''::float8[]) WITHIN GROUP (ORDER BY f)', 'GROUP BY g', 'avg(f)'), 'plain SQL', 1);
CALL measure('sets', 'three percentiles, groups of 10,000', 'float8', NULL, :many, set_contenders('numbers', 'percentile_cont_agg(f, ''{0.25,0.5,0.75}''::float8[])', 'percentile_cont(''{0.25,0.5,0.75}''::float8[]) WITHIN GROUP (ORDER BY f)', 'GROUP BY g / 50', 'avg(f)'), 'plain SQL', 1);
CALL measure('sets', 'sorted_agg_by(x, f), groups of 10,000', 'int4', NULL, :many, set_contenders('numbers', 'sorted_agg_by(x, f)', 'array_agg(x ORDER BY f)', 'GROUP BY g / 50'), 'plain SQL', 1);

-- Many small groups and few large ones whose rows come in turn, grouped by hashing and by sorting.
CREATE FUNCTION group_contenders(ours text, theirs text, groups text, without text) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SELECT count(a) FROM (SELECT %s AS a FROM gpusort_bench.tiny GROUP BY %s OFFSET 0) q', aggregate, groups), setting, 'off'] ORDER BY ord)
	FROM (VALUES (1, 'floor: avg(x)', 'avg(x)', without), (2, 'gpusort', 'gpusort.' || ours, without), (3, 'gpusort, query unchanged', theirs, without),
		(4, 'plain SQL', theirs, alone())) c (ord, name, aggregate, setting)
$$;
SELECT format('CALL measure(''sets'', %L, ''int4'', NULL, %s, group_contenders(%L, %L, %L, %L), ''plain SQL'', 1)', format('%s, %s, %s', ours, of_rows, way), :fewer, ours, theirs, groups, without)
FROM (VALUES ('500,000 groups of 10', 'g / 2'), ('1,000 groups of 5,000', 'g % 1000')) g (of_rows, groups), (VALUES ('hashed', 'enable_sort'), ('sorted', 'enable_hashagg')) w (way, without),
	(VALUES ('median(x)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY x)'), ('count_distinct(x)', 'count(DISTINCT x)'),
			('top_n_agg_by(x, x, 3)', '(array_agg(x ORDER BY x DESC))[1:3]')) a (ours, theirs)
\gexec
\endif

\if :{?text}
CALL measure('sets', 'sorted_agg(x)', 'text', NULL, :words, set_contenders('words', 'sorted_agg(x)', 'array_agg(x ORDER BY x)'), 'plain SQL', 1);
CALL measure('sets', 'count_distinct(x)', 'text', NULL, :words, set_contenders('words', 'count_distinct(x)', 'count(DISTINCT x)', floor => 'count(x)'), 'plain SQL', 1);
\endif

\if :{?statistics}
CREATE UNLOGGED TABLE lists AS SELECT (SELECT array_agg((random() * i + 0 * j)::float4) FROM generate_series(1, 1000) j) AS a FROM generate_series(1, (20000 / :scale)::int) i;
VACUUM (FREEZE, ANALYZE) lists;
CREATE FUNCTION list_contenders(from_table text, floor text, ours text, theirs text) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SELECT count(x) FROM (SELECT %s AS x FROM gpusort_bench.%s OFFSET 0) q', expression, from_table), '', ''] ORDER BY ord)
	FROM (VALUES (1, 'floor: ' || floor, floor), (2, 'gpusort', 'gpusort.' || ours), (3, 'plain SQL', theirs)) c (ord, name, expression)
$$;
CALL measure('sets', 'array_median(a), 1,000 elements', 'float4', NULL, (20000 / :scale)::bigint, list_contenders('lists', '(a || ''{}'')[1]', 'array_median(a)', '(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(a) x)'), 'plain SQL', 1);
CALL measure('sets', 'array_mode(a), 1,000 elements', 'float4', NULL, (20000 / :scale)::bigint, list_contenders('lists', '(a || ''{}'')[1]', 'array_mode(a)', '(SELECT mode() WITHIN GROUP (ORDER BY x) FROM unnest(a) x)'), 'plain SQL', 1);
CALL measure('sets', 'array_rank(a), 1,000 elements', 'float4', NULL, (20000 / :scale)::bigint, list_contenders('lists', '(a || ''{}'')[1]', 'array_rank(a)', '(SELECT array_agg(r) FROM (SELECT rank() OVER (ORDER BY x) AS r FROM unnest(a) x) q)'), 'plain SQL', 1);
DROP TABLE lists;
\endif

-- Other people's extensions, those that are installed.
\if :{?peers}
DO $$
DECLARE peer name;
BEGIN
	FOR peer IN SELECT name FROM pg_available_extensions WHERE name IN ('count_distinct', 'quantile', 'aggs_for_arrays') LOOP
		EXECUTE format('CREATE EXTENSION %I SCHEMA gpusort_bench', peer);
	END LOOP;
END $$;
CREATE FUNCTION peer_contenders(from_table text, floor text, ours text, peer text, theirs text, plain text, groups text DEFAULT '') RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SELECT count(x) FROM (SELECT %s AS x FROM gpusort_bench.%s %s OFFSET 0) q', expression, from_table, groups), setting, 'off'] ORDER BY ord)
	FROM (VALUES (1, 'floor: ' || floor, floor, ''), (2, 'gpusort', 'gpusort.' || ours, ''),
		(3, 'another extension', (SELECT 'gpusort_bench.' || theirs FROM pg_extension WHERE extname = peer), ''), (4, 'plain SQL', plain, alone())) c (ord, name, expression, setting)
	WHERE expression IS NOT NULL
$$;
CREATE UNLOGGED TABLE lists AS SELECT (SELECT array_agg((random() * i + 0 * j)::float4) FROM generate_series(1, 1000) j) AS a FROM generate_series(1, (20000 / :scale)::int) i;
VACUUM (FREEZE, ANALYZE) lists;
CALL measure('sets', 'count_distinct(x), beside count_distinct', 'int4', NULL, :many, peer_contenders('numbers', 'count(x)', 'count_distinct(x)', 'count_distinct', 'count_distinct(x)', 'count(DISTINCT x)'), 'plain SQL', 1);
CALL measure('sets', 'count_distinct(x), groups of 10,000, beside count_distinct', 'int4', NULL, :many, peer_contenders('numbers', 'count(x)', 'count_distinct(x)', 'count_distinct', 'count_distinct(x)', 'count(DISTINCT x)', 'GROUP BY g / 50'), 'plain SQL', 1);
CALL measure('sets', 'median(f), beside quantile', 'float8', NULL, :many, peer_contenders('numbers', 'avg(f)', 'median(f)', 'quantile', 'quantile(f, 0.5)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f)'), 'plain SQL', 1);
CALL measure('sets', 'median(f), groups of 10,000, beside quantile', 'float8', NULL, :many, peer_contenders('numbers', 'avg(f)', 'median(f)', 'quantile', 'quantile(f, 0.5)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f)', 'GROUP BY g / 50'), 'plain SQL', 1);
CALL measure('sets', 'array_median(a), 1,000 elements, beside aggs_for_arrays', 'float4', NULL, (20000 / :scale)::bigint,
	peer_contenders('lists', '(a || ''{}'')[1]', 'array_median(a)', 'aggs_for_arrays', 'array_to_median(a)', '(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(a) x)'), 'plain SQL', 1);
CALL measure('sets', 'array_mode(a), 1,000 elements, beside aggs_for_arrays', 'float4', NULL, (20000 / :scale)::bigint,
	peer_contenders('lists', '(a || ''{}'')[1]', 'array_mode(a)', 'aggs_for_arrays', 'array_to_mode(a)', '(SELECT mode() WITHIN GROUP (ORDER BY x) FROM unnest(a) x)'), 'plain SQL', 1);
DROP TABLE lists;
\endif

\if :{?parallel}
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER TABLE numbers SET (parallel_workers = 2);
ALTER TABLE words SET (parallel_workers = 2);
CREATE FUNCTION parallel_contenders(query text) RETURNS text[] LANGUAGE sql AS $$
	SELECT ARRAY[['floor: gpusort in one process', query, 'max_parallel_workers_per_gather', '0'], ['gpusort', query, '', '']]
$$;
CALL measure('sets', 'sorted_agg(x), 2 workers', 'int4', NULL, :many, parallel_contenders('SELECT cardinality(gpusort.sorted_agg(x)) FROM gpusort_bench.numbers'));
CALL measure('sets', 'sorted_agg_by(x, f), 2 workers', 'int4', NULL, :many, parallel_contenders('SELECT cardinality(gpusort.sorted_agg_by(x, f)) FROM gpusort_bench.numbers'));
CALL measure('sets', 'top_n_agg(x, 1000), 2 workers', 'int4', NULL, :many, parallel_contenders('SELECT cardinality(gpusort.top_n_agg(x, 1000)) FROM gpusort_bench.numbers'));
CALL measure('sets', 'sorted_agg(x), 2 workers', 'text', NULL, :words, parallel_contenders('SELECT cardinality(gpusort.sorted_agg(x)) FROM gpusort_bench.words'));
\endif
DROP TABLE numbers, tiny, words;
