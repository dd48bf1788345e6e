-- ORDER BY over three servers: MergeAppend beside the merge node.
\i bench/session.sql
\set section sharded
SET work_mem = '4MB';
SELECT set_config('gpusort_bench.host', :'host', false), set_config('gpusort_bench.database', :'database', false),
	set_config('gpusort_bench.shards', :'shards', false), set_config('gpusort_bench.rows', :'rows', false) \g /dev/null

-- Tables rows_FETCH and plain_FETCH, by rows per answer; in the second the servers sort by PostgreSQL's Sort.
CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public;
DO $$
DECLARE
	ports text[] := string_to_array(current_setting('gpusort_bench.shards'), ' ');
	kind text;
	fetch_size int;
BEGIN
	FOREACH kind IN ARRAY ARRAY['rows', 'plain'] LOOP
		FOR i IN 1 .. cardinality(ports) LOOP
			EXECUTE format('CREATE SERVER gpusort_bench_%s_%s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, options %L, async_capable ''true'')',
				kind, i, current_setting('gpusort_bench.host'), ports[i], current_setting('gpusort_bench.database'),
				'-c gpusort.enable_sort=' || CASE kind WHEN 'rows' THEN 'on' ELSE 'off' END);
			EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER gpusort_bench_%s_%s', kind, i);
		END LOOP;
		FOREACH fetch_size IN ARRAY ARRAY[100, 10000] LOOP
			EXECUTE format('CREATE TABLE %s_%s (id int4, shard int4, x int4, t text, v float8) PARTITION BY LIST (shard)', kind, fetch_size);
			FOR i IN 1 .. cardinality(ports) LOOP
				EXECUTE format('CREATE FOREIGN TABLE %1$s_%2$s_%3$s PARTITION OF %1$s_%2$s FOR VALUES IN (%4$s) SERVER gpusort_bench_%1$s_%3$s '
					'OPTIONS (schema_name ''public'', table_name ''sharded_rows'', fetch_size ''%2$s'')', kind, fetch_size, i, i - 1);
				EXECUTE format('ANALYZE %s_%s_%s', kind, fetch_size, i);
			END LOOP;
		END LOOP;
	END LOOP;
END $$;

CREATE PROCEDURE merge_of(data text, type text, query text) LANGUAGE plpgsql AS $$
BEGIN
	CALL gpusort_bench.measure('sharded', data, type, NULL, 3 * current_setting('gpusort_bench.rows')::bigint, ARRAY[
		['MergeAppend', query, 'gpusort.enable_async_merge', 'off'],
		['gpusort', query, '', '']]);
END $$;

\if :{?all}
CALL merge_of('all rows, fetch_size = 10000', 'int4', 'SELECT count(id), count(x), count(v) FROM (SELECT id, x, v FROM gpusort_bench.rows_10000 ORDER BY x OFFSET 0) s');
CALL merge_of('all rows, fetch_size = 10000, servers without gpusort', 'int4', 'SELECT count(id), count(x), count(v) FROM (SELECT id, x, v FROM gpusort_bench.plain_10000 ORDER BY x OFFSET 0) s');
CALL merge_of('all rows, fetch_size = 10000', 'text', 'SELECT count(id), count(t) FROM (SELECT id, t FROM gpusort_bench.rows_10000 ORDER BY t OFFSET 0) s');
CALL merge_of('all rows, fetch_size = 10000, servers without gpusort', 'text', 'SELECT count(id), count(t) FROM (SELECT id, t FROM gpusort_bench.plain_10000 ORDER BY t OFFSET 0) s');
\endif

\if :{?default}
CALL merge_of('all rows, fetch_size = 100', 'int4', 'SELECT count(id), count(x), count(v) FROM (SELECT id, x, v FROM gpusort_bench.rows_100 ORDER BY x OFFSET 0) s');
CALL merge_of('all rows, fetch_size = 100, servers without gpusort', 'int4', 'SELECT count(id), count(x), count(v) FROM (SELECT id, x, v FROM gpusort_bench.plain_100 ORDER BY x OFFSET 0) s');
\endif

\if :{?first}
CALL merge_of('first 10 rows', 'int4', 'SELECT id, x, v FROM gpusort_bench.rows_100 ORDER BY x LIMIT 10');
CALL merge_of('first 10 rows, servers without gpusort', 'int4', 'SELECT id, x, v FROM gpusort_bench.plain_100 ORDER BY x LIMIT 10');
CALL merge_of('first 10 rows, servers without gpusort', 'text', 'SELECT id, t FROM gpusort_bench.plain_100 ORDER BY t LIMIT 10');
\endif
\i bench/report.sql
DROP EXTENSION postgres_fdw CASCADE;
