-- The arrays node: what batching saves over one function call per row, and over the time of reading.
\i bench/session.sql
\set section arrays_node
SELECT 100000 / :scale AS arrays \gset

CREATE UNLOGGED TABLE node_long (a float4[], w float4[]);
ALTER TABLE node_long ALTER a SET STORAGE EXTERNAL, ALTER w SET STORAGE EXTERNAL;
INSERT INTO node_long (a)
	SELECT ARRAY(SELECT random() FROM generate_series(1, 1000) WHERE g = g) FROM generate_series(1, :arrays) g;
CREATE UNLOGGED TABLE node_short (a float4[]);
INSERT INTO node_short
	SELECT ARRAY(SELECT random() FROM generate_series(1, 20 + g % 29) WHERE g = g) FROM generate_series(1, :arrays) g;
CREATE UNLOGGED TABLE node_pairs (a float4[], w float4[]);
ALTER TABLE node_pairs ALTER a SET STORAGE EXTERNAL, ALTER w SET STORAGE EXTERNAL;
INSERT INTO node_pairs SELECT a, a FROM node_long LIMIT :arrays / 2;
CREATE UNLOGGED TABLE node_groups (g int, x float4);
INSERT INTO node_groups SELECT i % (:arrays / 2), random() FROM generate_series(1, :arrays * 50) i;
VACUUM ANALYZE node_long, node_short, node_pairs, node_groups;

-- A call over a table, with the node, without it, and reading only.
CREATE FUNCTION node_contenders(call text, source text) RETURNS text[] LANGUAGE sql AS $$
	SELECT ARRAY[
		ARRAY['floor', format('SELECT sum((a || ''{}'')[1]) FROM %s', source), 'gpusort.enable_array_sort', 'on'],
		ARRAY['node', q, 'gpusort.enable_array_sort', 'on'],
		ARRAY['function', q, 'gpusort.enable_array_sort', 'off'],
		ARRAY['node, CPU engine', q, 'gpusort.engine', 'cpu']]
	FROM format('SELECT sum(s[1]) FROM (SELECT %s AS s FROM %s OFFSET 0) q', call, source) q
$$;
CALL measure('arrays_node', 'array_sort', 'float4', 1000, :arrays, node_contenders('gpusort.array_sort(a)', 'gpusort_bench.node_long'));
CALL measure('arrays_node', 'array_top_n', 'float4', 1000, :arrays, node_contenders('gpusort.array_top_n(a, 50)', 'gpusort_bench.node_long'));
CALL measure('arrays_node', 'array_argsort', 'float4', 1000, :arrays, node_contenders('gpusort.array_argsort(a)', 'gpusort_bench.node_long'));
CALL measure('arrays_node', 'array_sort, inline', 'float4', 34, :arrays, node_contenders('gpusort.array_sort(a)', 'gpusort_bench.node_short'));
CALL measure('arrays_node', 'array_sort_by', 'float4', 1000, :arrays / 2, node_contenders('gpusort.array_sort_by(a, w)', 'gpusort_bench.node_pairs'));
CALL measure('arrays_node', 'array_sort_pair', 'float4', 1000, :arrays / 2, node_contenders('(gpusort.array_sort_pair(a, w)).sorted_keys', 'gpusort_bench.node_pairs'));
CALL measure('arrays_node', 'array_sort of array_agg', 'float4', 100, :arrays / 2, ARRAY[
	ARRAY['floor', 'SELECT sum(a[1]) FROM (SELECT array_agg(x) a FROM gpusort_bench.node_groups GROUP BY g OFFSET 0) q', 'gpusort.enable_array_sort', 'on'],
	ARRAY['node', 'SELECT sum(a[1]) FROM (SELECT gpusort.array_sort(array_agg(x)) a FROM gpusort_bench.node_groups GROUP BY g OFFSET 0) q', 'gpusort.enable_array_sort', 'on'],
	ARRAY['function', 'SELECT sum(a[1]) FROM (SELECT gpusort.array_sort(array_agg(x)) a FROM gpusort_bench.node_groups GROUP BY g OFFSET 0) q', 'gpusort.enable_array_sort', 'off'],
	ARRAY['array_agg(x ORDER BY x)', 'SELECT sum(a[1]) FROM (SELECT array_agg(x ORDER BY x) a FROM gpusort_bench.node_groups GROUP BY g OFFSET 0) q', alone(), 'off']]);
DROP TABLE node_long, node_short, node_pairs, node_groups;
\i bench/report.sql
