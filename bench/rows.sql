-- ORDER BY beside not sorting. "counted" is SELECT count(*) over the sorted rows,
-- for which the planner drops the columns that are not keys; "used" reads them all.
\i bench/session.sql
\set section rows
SET work_mem = '4GB';
SELECT (10000000 / :scale)::bigint AS many, (5000000 / :scale)::bigint AS fewer \gset

CREATE UNLOGGED TABLE narrow AS SELECT (2147483647 * random())::int4 AS x, i::int4 AS id FROM generate_series(1, :many) i;
CREATE UNLOGGED TABLE wide AS
	SELECT 1e6 * random() AS a, (1e15 * random())::int8 AS b, (2e9 * random())::int4 AS c, random() AS d, md5(i::text) || '12345678' AS t
	FROM generate_series(1, :fewer) i;
VACUUM (FREEZE, ANALYZE) narrow, wide;

-- Contenders for one query of a table: its columns, keys, and what is computed from the rows.
CREATE FUNCTION rows_contenders(columns text, from_table text, keys text, aggregates text) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SELECT %s FROM (SELECT %s FROM gpusort_bench.%s %s OFFSET 0) q', aggregates, columns, from_table, order_by),
						   setting, value] ORDER BY ord)
	FROM (VALUES
		(1, 'floor: unsorted', '', '', ''),
		(2, 'gpusort', 'ORDER BY ' || keys, '', ''),
		(3, 'Sort', 'ORDER BY ' || keys, 'gpusort.enable_rows_node', 'off')
	) c (ord, name, order_by, setting, value)
$$;

CALL measure('rows', 'two columns, counted', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(*)'));
CALL measure('rows', 'two columns, used', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(x), count(id)'));
CALL measure('rows', 'five columns with text, counted', 'float8', NULL, :fewer, rows_contenders('a, b, c, d, t', 'wide', 'a', 'count(*)'));
CALL measure('rows', 'five columns with text, used', 'float8', NULL, :fewer,
			 rows_contenders('a, b, c, d, t', 'wide', 'a', 'count(a), count(b), count(c), count(d), count(t)'));
CALL measure('rows', 'two keys', 'int4, float8 DESC', NULL, :fewer, rows_contenders('c, a', 'wide', 'c, a DESC', 'count(*)'));
SET work_mem = '16MB';
CALL measure('rows', 'two columns, used, work_mem 16 MB', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(x), count(id)'));
CALL measure('rows', 'five columns with text, used, work_mem 16 MB', 'float8', NULL, :fewer,
			 rows_contenders('a, b, c, d, t', 'wide', 'a', 'count(a), count(b), count(c), count(d), count(t)'));

-- Parallel workers: the floor is the unsorted query with as many.
SET work_mem = '4GB';
SET max_parallel_workers_per_gather = 8;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
CALL measure('rows', 'two columns, used, 8 workers', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(x), count(id)'));
DROP TABLE narrow, wide;
SELECT data, type, arrays AS "rows", contender, median_ms AS "median ms", times_floor AS "times unsorted"
FROM results WHERE section = :'section' ORDER BY id;
