-- One query of each kind beside plain PostgreSQL, on the CPU and, where there is a GPU, with it.
\set section overview
SET search_path = gpusort_bench, public;
SET client_min_messages = warning;
\pset footer off
SELECT (5000000 / :scale)::bigint AS rows, (20000 / :scale)::bigint AS arrays \gset

CREATE UNLOGGED TABLE orders AS
	SELECT (2147483647 * random())::int4 AS a, i::int8 AS b, random() AS c, md5(i::text) AS t
	FROM generate_series(1, :rows) i;
CREATE UNLOGGED TABLE lists (a float4[]);
ALTER TABLE lists ALTER a SET STORAGE EXTERNAL;
INSERT INTO lists SELECT ARRAY(SELECT random() FROM generate_series(1, 1000) WHERE g = g) FROM generate_series(1, :arrays) g;
VACUUM (FREEZE, ANALYZE) orders, lists;

-- The same rows without order; sorted by gpusort on the CPU, and with a GPU if there is one; by PostgreSQL.
CREATE FUNCTION overview_contenders(unsorted text, ours text, theirs text) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, query, setting, value] ORDER BY ord)
	FROM (VALUES
		(1, 'floor: unsorted', unsorted, '', ''),
		(2, 'gpusort with a GPU', ours, 'gpusort.engine', 'auto'),
		(3, 'gpusort on the CPU', ours, 'gpusort.engine', 'cpu'),
		(4, 'PostgreSQL', theirs, alone(), 'off')
	) c (ord, name, query, setting, value)
	WHERE value <> 'auto' OR EXISTS (SELECT FROM gpusort.devices WHERE state = 'ready')
$$;
CREATE FUNCTION order_contenders(columns text, keys text) RETURNS text[] LANGUAGE sql AS $$
	SELECT overview_contenders(format(query, ''), format(query, 'ORDER BY ' || keys), format(query, 'ORDER BY ' || keys))
	FROM (SELECT format('SELECT %s FROM (SELECT %s FROM gpusort_bench.orders %%s OFFSET 0) q',
			string_agg('count(' || c || ')', ', '), columns) FROM regexp_split_to_table(columns, ', ') c) f (query)
$$;
CREATE FUNCTION call_contenders(relation text, unsorted text, ours text, theirs text) RETURNS text[] LANGUAGE sql AS $$
	SELECT overview_contenders(format(query, unsorted), format(query, ours), format(query, theirs))
	FROM (SELECT format('SELECT sum((s)[1]) FROM (SELECT %%s AS s FROM gpusort_bench.%s OFFSET 0) q', relation)) f (query)
$$;

-- What a server does that nobody has tuned: work_mem is 4 MB, and two workers help.
CALL measure('overview', 'ORDER BY a number, three columns, default settings', 'int4', NULL, :rows,
	order_contenders('a, b, c', 'a'), 'PostgreSQL', :slow_runs);
CALL measure('overview', 'ORDER BY a number, SELECT * with a text, default settings', 'int4', NULL, :rows,
	order_contenders('a, b, c, t', 'a'), 'PostgreSQL', :slow_runs);
CALL measure('overview', 'ORDER BY a text in an ICU collation, two columns, default settings', 'text', NULL, :rows,
	order_contenders('t, b', 't COLLATE "en-x-icu"'), 'PostgreSQL', :slow_runs);
SET work_mem = '1GB';
CALL measure('overview', 'ORDER BY a number, three columns, work_mem = 1GB', 'int4', NULL, :rows,
	order_contenders('a, b, c', 'a'), 'PostgreSQL', :slow_runs);
CALL measure('overview', 'array_sort of arrays of 1,000 float4', 'float4', 1000, :arrays,
	call_contenders('lists', 'a || ''{}''', 'gpusort.array_sort(a)', 'ARRAY(SELECT x FROM unnest(a) x ORDER BY x)'), 'PostgreSQL', :slow_runs);
CALL measure('overview', 'sorted_agg of a number', 'int4', NULL, :rows,
	call_contenders('orders', 'array_agg(a)', 'gpusort.sorted_agg(a)', 'array_agg(a ORDER BY a)'), 'PostgreSQL', :slow_runs);
DROP TABLE orders, lists;
\i bench/report.sql
