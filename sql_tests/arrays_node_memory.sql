-- Memory of the arrays node: what it keeps of rows of many columns, or with much to copy, stays within work_mem.
SET client_min_messages = warning;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET jit = off;

-- Rows of 300 columns, all of them kept, and rows with a text that is long from some row on.
SELECT string_agg('i + ' || c || ' AS c' || c, ', ') AS columns FROM generate_series(1, 300) c \gset
CREATE TABLE wide AS SELECT ARRAY[3, 1, 2, i] AS a, :columns FROM generate_series(1, 3000) i;
CREATE TABLE texts AS SELECT ARRAY[3, 1, 2, i] AS a, CASE WHEN i > 12000 THEN repeat('x', 1000) END AS x FROM generate_series(1, 20000) i;
ALTER TABLE texts ALTER x SET STORAGE PLAIN;

-- What the node has taken at most, looked at after every so many of the rows that it returns.
CREATE FUNCTION taken(i int, step int) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF i % step <> 0 THEN
		RETURN NULL;
	END IF;
	RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name IN ('gpusort arrays node', 'gpusort rows', 'gpusort batch'));
END $$;
CREATE FUNCTION most_taken(query text, step int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE most bigint;
BEGIN
	EXECUTE format('SELECT max(taken) FROM (%s) q WHERE q IS DISTINCT FROM NULL', replace(query, ' FROM', format(', taken(a[4], %s) FROM', step))) INTO most;
	RETURN most;
END $$;
CREATE TABLE queries (n serial, query text, step int);
INSERT INTO queries (query, step) VALUES
	('SELECT gpusort.array_sort(a), * FROM wide', 500),
	('SELECT gpusort.array_sort(a), a, gpusort.array_top_n(a, 3), a, * FROM wide', 500),
	('SELECT gpusort.array_sort(a), x FROM texts', 1000),
	('SELECT gpusort.array_sort_pair(a, a), x FROM texts', 1000);
SET work_mem = '1MB';
SELECT n, most_taken(query, step) / 1024 BETWEEN 100 AND 1024 + 256 AS within_work_mem FROM queries ORDER BY n;
SET work_mem = '4MB';
SELECT n, most_taken(query, step) / 1024 BETWEEN 100 AND 4096 + 256 AS within_work_mem FROM queries ORDER BY n;

-- The rows are right where groups end by size, and groups have many rows all the same.
SET work_mem = '1MB';
CREATE FUNCTION differences(tab text) RETURNS TABLE (rows bigint, differ bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TEMP TABLE sorted AS SELECT t, gpusort.array_sort_by(t.a::int8[], t.a) AS s FROM %I t', tab);
	SET LOCAL gpusort.enable_array_sort = off;
	RETURN QUERY EXECUTE format('SELECT count(*), count(*) FILTER (WHERE s IS DISTINCT FROM gpusort.array_sort_by((t).a::int8[], (t).a) OR md5(t::text) IS DISTINCT FROM md5(o::text))
		FROM sorted FULL JOIN %I o ON o.a = (t).a', tab);
	DROP TABLE sorted;
	SET LOCAL gpusort.enable_array_sort = on;
END $$;
SELECT * FROM differences('wide');
SELECT * FROM differences('texts');
CREATE FUNCTION batches(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO plan;
	RETURN (plan #>> '{0,Plan,Batches}')::bigint;
END $$;
SELECT n, batches(query) BETWEEN 4 AND 160 AS grouped FROM queries ORDER BY n;
DROP FUNCTION most_taken, taken, differences(text), batches;
DROP TABLE wide, texts, queries;
