-- ORDER BY over three servers: PostgreSQL alone, gpusort at home, on the three, and on all.
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
		FOREACH fetch_size IN ARRAY ARRAY[100, 3000, 10000] LOOP
			EXECUTE format('CREATE TABLE %s_%s (id int4, shard int4, x int4, t text, v float8) PARTITION BY LIST (shard)', kind, fetch_size);
			FOR i IN 1 .. cardinality(ports) LOOP
				EXECUTE format('CREATE FOREIGN TABLE %1$s_%2$s_%3$s PARTITION OF %1$s_%2$s FOR VALUES IN (%4$s) SERVER gpusort_bench_%1$s_%3$s '
					'OPTIONS (schema_name ''public'', table_name ''sharded_rows'', fetch_size ''%2$s'')', kind, fetch_size, i, i - 1);
				EXECUTE format('ANALYZE %s_%s_%s', kind, fetch_size, i);
			END LOOP;
		END LOOP;
	END LOOP;
END $$;

-- Rows of all servers by a column, `rest` behind ORDER BY; {} in the query stands for the table.
CREATE PROCEDURE merge_of(data text, type text, fetch_size int, query text, key text, rest text DEFAULT '') LANGUAGE plpgsql AS $$
DECLARE
	ordered text := format(query, format('ORDER BY %s %s', key, rest));
	mixed text := replace(ordered, '{}', 'gpusort_bench.rows_' || fetch_size);
	plain text := replace(ordered, '{}', 'gpusort_bench.plain_' || fetch_size);
BEGIN
	CALL gpusort_bench.measure('sharded', data, type, NULL, 3 * current_setting('gpusort_bench.rows')::bigint, ARRAY[
		['floor: not ordered', replace(format(query, rest), '{}', 'gpusort_bench.rows_' || fetch_size), '', ''],
		['PostgreSQL', plain, 'gpusort.enable_sort', 'off'],
		['gpusort at home', plain, '', ''],
		['gpusort on the servers', mixed, 'gpusort.enable_sort', 'off'],
		['gpusort on all', mixed, '', '']]);
END $$;

\if :{?all}
CALL merge_of('all rows by an int4, three columns', 'int4', 10000, 'SELECT count(id), count(x), count(v) FROM (SELECT id, x, v FROM {} %s) s', 'x', 'OFFSET 0');
CALL merge_of('all rows by a text, two columns', 'text', 10000, 'SELECT count(id), count(t) FROM (SELECT id, t FROM {} %s) s', 't', 'OFFSET 0');
\endif

\if :{?fitting}
CALL merge_of('all rows by an int4, three columns, fetch_size 3000', 'int4', 3000, 'SELECT count(id), count(x), count(v) FROM (SELECT id, x, v FROM {} %s) s', 'x', 'OFFSET 0');
\endif

\if :{?default}
CALL merge_of('all rows by an int4, three columns, fetch_size 100', 'int4', 100, 'SELECT count(id), count(x), count(v) FROM (SELECT id, x, v FROM {} %s) s', 'x', 'OFFSET 0');
\endif

\if :{?first}
CALL merge_of('the first 10 rows by an int4', 'int4', 100, 'SELECT id, x, v FROM {} %s', 'x', 'LIMIT 10');
CALL merge_of('the first 10 rows by a text', 'text', 100, 'SELECT id, t FROM {} %s', 't', 'LIMIT 10');
\endif
\i bench/report.sql
DROP EXTENSION postgres_fdw CASCADE;
