-- What reading plain tables from their pages is worth; bench/heap_reader runs it.
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS gpusort_bench CASCADE;
CREATE SCHEMA gpusort_bench;
SET search_path = gpusort_bench;
SELECT setseed(0.5) \g /dev/null

CREATE UNLOGGED TABLE narrow AS SELECT (2147483647 * random())::int4 AS x, i::int4 AS id FROM generate_series(1, 2000000) i;
CREATE UNLOGGED TABLE wide AS
	SELECT 1e6 * random() AS a, (1e15 * random())::int8 AS b, (2e9 * random())::int4 AS c, random() AS d, md5(i::text) || '12345678' AS t
	FROM generate_series(1, 1000000) i;
-- Some values are NULL, so that pages are read tuple by tuple.
CREATE UNLOGGED TABLE orders AS
	SELECT i AS id, (100000 * random())::int4 AS customer, timestamptz '2026-01-01' + random() * interval '1 year' AS placed,
		(1e6 * random())::numeric(12, 2) AS amount, CASE WHEN random() < 0.3 THEN md5(i::text) END AS note
	FROM generate_series(1, 1000000) i;
VACUUM (FREEZE, ANALYZE) narrow, wide, orders;

CREATE TABLE queries (number int, name text, query text, order_by text);
INSERT INTO queries VALUES
	(1, '2,000,000 rows, two columns, counted', 'SELECT count(*) FROM (SELECT x, id FROM narrow %s OFFSET 0) q', 'ORDER BY x'),
	(2, '2,000,000 rows, two columns, used', 'SELECT count(x), count(id) FROM (SELECT x, id FROM narrow %s OFFSET 0) q', 'ORDER BY x'),
	(3, '1,000,000 rows, five columns with text, used', 'SELECT count(a), count(b), count(c), count(d), count(t) FROM (SELECT a, b, c, d, t FROM wide %s OFFSET 0) q', 'ORDER BY a'),
	(4, '1,000,000 rows, five columns with NULLs, used', 'SELECT count(id), count(customer), count(placed), count(amount), count(note) FROM (SELECT * FROM orders %s OFFSET 0) q', 'ORDER BY placed'),
	(5, 'the same, written to /dev/null by COPY', 'COPY (SELECT * FROM orders %s) TO ''/dev/null''', 'ORDER BY placed'),
	(6, 'the same, the first 100', 'SELECT count(id), count(customer), count(placed), count(amount), count(note) FROM (SELECT * FROM orders %s OFFSET 0) q', 'ORDER BY placed LIMIT 100');
CREATE TABLE contenders (number int, name text, sorted bool, setting text);
INSERT INTO contenders VALUES (0, 'floor: unsorted', false, 'gpusort.force_nodes'), (1, 'rows node, from pages', true, 'gpusort.force_nodes'),
	(2, 'rows node, row by row', true, 'gpusort.enable_heap_reader'), (3, 'Sort', true, 'gpusort.enable_sort');
CREATE TABLE runs (query int, contender int, cpu_ms float8, ms float8);

-- CPU time of this backend.
CREATE FUNCTION cpu_ms() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e6
$$;
CREATE PROCEDURE run_all(nruns int) LANGUAGE plpgsql AS $$
DECLARE
	q queries;
	c contenders;
	cpu_before float8;
	before timestamptz;
BEGIN
	FOR run IN 0 .. nruns LOOP
		FOR q IN SELECT * FROM queries ORDER BY number LOOP
			FOR c IN SELECT * FROM contenders ORDER BY (number + run) % 4 LOOP
				PERFORM set_config(c.setting, 'off', true);
				cpu_before := cpu_ms();
				before := clock_timestamp();
				EXECUTE format(q.query, CASE WHEN c.sorted THEN q.order_by ELSE '' END);
				IF run > 0 THEN
					INSERT INTO runs VALUES (q.number, c.number, cpu_ms() - cpu_before, 1000 * extract(epoch FROM clock_timestamp() - before));
				END IF;
				COMMIT;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;

SET work_mem = '1GB';
SET max_parallel_workers_per_gather = 0;
SET gpusort.engine = cpu;
CALL run_all(:runs);

CREATE TABLE medians AS
SELECT q.name AS query, c.name AS contender, count(*) AS runs, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu_ms)::numeric, 1) AS cpu_ms,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 1) AS ms, current_setting('server_version') AS server, :'device' AS device,
	current_date AS date, :'commit' AS commit
FROM runs r JOIN queries q ON q.number = r.query JOIN contenders c ON c.number = r.contender
GROUP BY q.number, q.name, c.number, c.name ORDER BY q.number, c.number;
