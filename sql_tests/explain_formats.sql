-- EXPLAIN shows both nodes in one style, in every format, with the properties of PostgreSQL's Sort.
LOAD 'gpusort';
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4MB';
SET jit = off;
CREATE TABLE explained AS SELECT g * 7919 % 1009 AS a, ARRAY[g, 2, 1] AS b, repeat('x', 100) AS c FROM generate_series(1, 3000) g;
ANALYZE explained;

-- The lines that are a node's own, without what depends on engine and machine.
CREATE FUNCTION own_lines(query text, options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	shown text;
	line text;
BEGIN
	FOR shown IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		FOREACH line IN ARRAY string_to_array(shown, E'\n') LOOP
			CONTINUE WHEN replace(line, '-', ' ') !~ ('^[ <"]*(Custom Plan Provider|Batched|Sort (Key|Method|Space Used|Space Type)|Engine|Memory|Disk|' ||
				'Parts|Moved|Input|Batches|Segments|Keys|Rows by Function|Phases|(Read|Sort|Spill|Gather|Wait|Device) Time)[:">]');
			line := regexp_replace(line, '\d+\.\d+|[1-9]\d*', 'N', 'g');
			line := regexp_replace(line, '(Engine\W+)(gpu, cpu|cpu|gpu|none needed)', '\1any');
			line := regexp_replace(line, '(Sort.Method\W+)(?!in memory|top-N)[a-z]+', '\1any');
			line := regexp_replace(line, ', wait N ms, device N ms', '');
			RETURN NEXT regexp_replace(line, '((Wait|Device).Time\W+)0\.000', '\1N');
		END LOOP;
	END LOOP;
END $$;
\set both 'SELECT gpusort.array_sort(b) FROM (SELECT * FROM explained ORDER BY a OFFSET 0) q'
SELECT own_lines(:'both', 'COSTS OFF');
SELECT own_lines(:'both', 'ANALYZE, COSTS OFF');
SELECT own_lines(:'both', 'ANALYZE, COSTS OFF, TIMING OFF');
SELECT own_lines(:'both', 'COSTS OFF, FORMAT json');
SELECT own_lines(:'both', 'ANALYZE, COSTS OFF, FORMAT json');
SELECT own_lines(:'both', 'ANALYZE, COSTS OFF, FORMAT yaml');
SELECT own_lines(:'both', 'ANALYZE, COSTS OFF, TIMING OFF, FORMAT xml');

-- Memory is what work_mem bounds. Of a spilled sort the space used is the disk's.
CREATE FUNCTION sort_space(query text) RETURNS TABLE (provider text, type text, of_memory bool, of_disk bool, memory_kb bool) LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
	RETURN QUERY SELECT p ->> 'Custom Plan Provider', p ->> 'Sort Space Type', p -> 'Sort Space Used' = p -> 'Memory', p -> 'Sort Space Used' = p -> 'Disk',
		(p ->> 'Memory')::int BETWEEN 1 AND 1000
	FROM jsonb_path_query(plan::jsonb, 'strict $.** ? (@."Custom Plan Provider" starts with "Gpusort")') p;
END $$;
SELECT * FROM sort_space(:'both');
SET work_mem = '64kB';
SET gpusort.engine = 'cpu';
SELECT * FROM sort_space(:'both');
RESET gpusort.engine;
SET work_mem = '4MB';

-- Where nothing was sorted.
SELECT own_lines('SELECT gpusort.array_sort(b) FROM explained WHERE a < 0', 'ANALYZE, COSTS OFF, TIMING OFF');
SELECT own_lines('SELECT gpusort.array_sort(NULLIF(b, b)) FROM explained', 'ANALYZE, COSTS OFF, TIMING OFF');
SELECT own_lines('SELECT gpusort.array_sort(CASE WHEN a < 9 THEN ARRAY[1, NULL] ELSE b END) FROM explained', 'ANALYZE, COSTS OFF, TIMING OFF');

-- PostgreSQL 18 and newer show which nodes are disabled: what reads the table, and the node above it, but none above that.
SET enable_seqscan = off;
CREATE FUNCTION disabled_above(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN jsonb_path_query_array(plan::jsonb, 'strict $.** ? (@."Disabled" == true && @."Node Type" != "Seq Scan" && @."Node Type" != "Custom Scan")."Node Type"');
END $$;
SELECT disabled_above('SELECT gpusort.array_sort(b) FROM explained LIMIT 2000'), disabled_above('SELECT DISTINCT a FROM explained'),
	disabled_above('SELECT count(*) FROM (SELECT * FROM explained ORDER BY a OFFSET 0) q'), disabled_above('SELECT array_agg(c ORDER BY a) FROM explained');
RESET enable_seqscan;

DROP FUNCTION disabled_above;
DROP FUNCTION own_lines, sort_space;
DROP TABLE explained;
