-- Needs gpusort.engine = 'auto': with a GPU one process sorts.
-- Window functions over partitions that processes divide among them: plans, and every result as without gpusort.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
\set SHOW_CONTEXT never
CREATE SCHEMA windows;
SET search_path = windows;
SET compute_query_id = off;
SET jit = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET random_page_cost = 4;
SET max_parallel_workers_per_gather = 2;
SET gpusort.force_nodes = off;

CREATE TABLE sales WITH (parallel_workers = 4) AS
SELECT i AS id, (i * 7919::bigint % 60013)::int4 AS x, CASE WHEN i % 13 > 0 THEN (i * 7919::bigint % 1500)::int4 END AS g, i % 7 AS few,
	CASE WHEN i % 10 > 0 THEN 7 ELSE i % 300 END AS skewed, md5((i % 900)::text) AS t, (i * 15485863::bigint % 10007)::numeric / 100 AS n, date '2020-01-01' + i % 3000 AS day
FROM generate_series(1, 10000) i;
CREATE TABLE parts (LIKE sales) PARTITION BY HASH (id);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts TABLE sales;
VACUUM ANALYZE sales, parts;

-- Plans: what is above the windows runs in workers, too.
SELECT pg_temp.explain_lines('SELECT g, id, n FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY n DESC, id) AS r FROM sales) q WHERE r <= 3', 'COSTS OFF', 'Gather|Agg|Custom|Key|Keeps|Scan');
SELECT pg_temp.explain_lines('SELECT avg(days) FROM (SELECT day - lag(day) OVER (PARTITION BY g ORDER BY day, id) AS days FROM sales) q', 'COSTS OFF', 'Gather|Agg|Custom|Key|Keeps|Scan');
SELECT pg_temp.explain_lines('SELECT sum(s) FROM (SELECT upper(t) AS u, sum(x) OVER (PARTITION BY upper(t), few ORDER BY id) AS s, rank() OVER (PARTITION BY upper(t) ORDER BY few, id) FROM sales) q', 'COSTS OFF', 'Gather|Agg|Custom|Key|Keeps|Scan');
SELECT line FROM pg_temp.explain_lines('SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales) q WHERE r < 3', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ 'Keeps|Input|Key';
SELECT pg_temp.explain_lines('SELECT a.id, b.id FROM (SELECT few, id, row_number() OVER (PARTITION BY few ORDER BY id) AS r FROM sales) a JOIN (SELECT few, id, row_number() OVER (PARTITION BY few ORDER BY x, id) AS r FROM sales) b ON a.few < b.few WHERE a.r = 1 AND b.r = 1', 'COSTS OFF', 'Loop|Material|Gather');
SELECT pg_temp.explain_lines('SELECT sum(r) FROM (SELECT rank() OVER (PARTITION BY g ORDER BY (s.v).a) AS r FROM (SELECT g, v, row_number() OVER (PARTITION BY g ORDER BY id) FROM (SELECT id AS a, g, id FROM sales) v) s) q', 'VERBOSE, COSTS OFF', 'Key');

-- Whether a query's windows are divided, and whether its rows are those of one process without gpusort.
CREATE FUNCTION divided(query text, OUT divided bool, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE without text;
BEGIN
	PERFORM set_config('gpusort.enable_sort', 'off', true);
	without := pg_temp.outcome(query);
	PERFORM set_config('gpusort.enable_sort', 'on', true);
	SELECT string_agg(line, chr(10)) ~ 'Gather.*WindowAgg.*Parallel Custom Scan \(GpusortRows' INTO divided
	FROM pg_temp.explain_lines(format('SELECT string_agg(q::text, chr(10) ORDER BY q::text) FROM (%s) q', query)) line;
	same := pg_temp.outcome(query) = without;
END $$;
CREATE TABLE queries AS SELECT format('SELECT id, %s FROM %s', call, source) AS query FROM unnest(ARRAY[
	'row_number() OVER (PARTITION BY g ORDER BY x, id), lag(n, 2, 0) OVER (PARTITION BY g ORDER BY x, id)',
	'sum(n) OVER (PARTITION BY few, t ORDER BY day, id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING), count(*) FILTER (WHERE x < 999) OVER (PARTITION BY few, t)',
	'ntile(4) OVER (PARTITION BY g, few ORDER BY n DESC NULLS LAST, id), first_value(id) OVER (PARTITION BY g ORDER BY few, n DESC NULLS LAST, id)',
	'dense_rank() OVER (PARTITION BY n ORDER BY t COLLATE "C" DESC), max(x) OVER (PARTITION BY n ORDER BY day RANGE BETWEEN ''9 days'' PRECEDING AND CURRENT ROW)']) call,
	unnest(ARRAY['sales', 'parts WHERE few < 6', 'sales JOIN (SELECT id, length(t) AS l FROM parts) p USING (id)']) source;
CREATE FUNCTION divided_with(workers int, memory text) RETURNS TABLE (divided bigint, same bool, queries bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, true), set_config('work_mem', memory, true);
	RETURN QUERY SELECT count(*) FILTER (WHERE d.divided), bool_and(d.same), count(*) FROM queries, divided(query) d;
END $$;
SELECT workers, r.divided > 4 AS many, same, queries FROM (VALUES (2, '64kB'), (4, '1MB')) v (workers, memory), divided_with(workers, memory) r;
SET max_parallel_workers = 0;
SELECT same FROM divided_with(2, '64MB');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT same FROM divided_with(2, '64kB');
RESET parallel_leader_participation;

-- Other nodes above; run again; one within the other.
SET work_mem = '4MB';
SET enable_material = off;
SELECT query, d.* FROM unnest(ARRAY[
	'SELECT g, id FROM (SELECT *, rank() OVER (PARTITION BY g ORDER BY x, id) AS r FROM sales) q WHERE r <= 2 AND few > 3',
	'SELECT g, max(r), count(*) FROM (SELECT g, dense_rank() OVER (PARTITION BY g ORDER BY few) AS r FROM sales) q GROUP BY g',
	'SELECT DISTINCT g, max(x) OVER (PARTITION BY g) FROM sales',
	'SELECT DISTINCT ON (few) few, r, id FROM (SELECT few, id, row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales) q ORDER BY few, r DESC, id',
	'SELECT a.id, a.r, b.r FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales) a JOIN (SELECT id, count(*) OVER (PARTITION BY t) AS r FROM parts) b USING (id)',
	'SELECT id, r FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales UNION ALL SELECT id, lag(x) OVER (PARTITION BY t ORDER BY id) FROM parts) q',
	'SELECT r, sum(r) OVER (PARTITION BY g ORDER BY id) FROM (SELECT g, id, row_number() OVER (PARTITION BY g, few ORDER BY id) AS r FROM sales) q',
	'WITH w AS MATERIALIZED (SELECT g, sum(x) OVER (PARTITION BY g) AS s FROM sales) SELECT * FROM w a WHERE s > (SELECT avg(s) FROM w)',
	'SELECT i, r FROM generate_series(1, 2) i, LATERAL (SELECT sum(r) AS r FROM (SELECT row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales WHERE few = i) q) p',
	'SELECT i, r FROM (SELECT i * 2 AS i FROM generate_series(1, 4) i OFFSET 0) s JOIN (SELECT max(id) AS r FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS n FROM sales) q GROUP BY n) p ON r > i * 999',
	'SELECT few, (SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY m.g ORDER BY id) AS r FROM sales m WHERE m.few = s.few) q WHERE r = 1) FROM sales s WHERE id < 4',
	'SELECT id, sum(x) OVER (PARTITION BY g ORDER BY id) FROM sales WHERE x > (SELECT avg(x) FROM sales)',
	'SELECT id, one, row_number() OVER (PARTITION BY g ORDER BY id) FROM sales LEFT JOIN (SELECT id, 1 AS one FROM parts WHERE few = 3) p USING (id)',
	'SELECT 1 / (id - 9999), row_number() OVER (PARTITION BY g ORDER BY id) FROM sales',
	'SELECT id, sum(1 / (id - 9999)) OVER (PARTITION BY g ORDER BY id) FROM sales']) query, divided(query) d;
RESET enable_material;

-- Not divided.
CREATE FUNCTION anything() RETURNS int VOLATILE PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE FUNCTION of_leader(int) RETURNS int STABLE PARALLEL RESTRICTED LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
CREATE AGGREGATE sum_of_leader (int) (SFUNC = int4_sum, STYPE = int8, PARALLEL = RESTRICTED);
SELECT query, d.* FROM unnest(ARRAY[
	'SELECT id, row_number() OVER (ORDER BY id), lag(x) OVER (PARTITION BY g ORDER BY id) FROM sales',
	'SELECT id, lag(x) OVER (PARTITION BY few ORDER BY id), lag(x) OVER (PARTITION BY g ORDER BY id) FROM sales',
	'SELECT id, lag(x) OVER (PARTITION BY skewed ORDER BY id) FROM sales',
	'SELECT id, lag(x) OVER (PARTITION BY 1 + id % 300 ORDER BY id) FROM sales',
	'SELECT id, generate_series(1, few), lag(x) OVER (PARTITION BY g ORDER BY id) FROM sales',
	'SELECT id, lag(x, anything()) OVER (PARTITION BY g ORDER BY id) FROM sales',
	'SELECT id, lag(x, of_leader(2)) OVER (PARTITION BY g ORDER BY id) FROM sales',
	'SELECT id, sum_of_leader(x) OVER (PARTITION BY g ORDER BY id) FROM sales',
	'SELECT id, sum(x) OVER (PARTITION BY g ORDER BY id ROWS of_leader(2) PRECEDING) FROM sales',
	'SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales) q WHERE r < of_leader(3)',
	'SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales) q WHERE r <= (SELECT count(*) FROM generate_series(1, 3))',
	'SELECT * FROM (SELECT id, lag(x) OVER (PARTITION BY g ORDER BY g, id) FROM sales ORDER BY g, id LIMIT 30) q',
	'SELECT * FROM (SELECT few, lag(x) OVER (PARTITION BY g ORDER BY g, id) FROM sales ORDER BY g NULLS LAST, id FETCH FIRST 30 ROWS WITH TIES) q']) query, divided(query) d;

-- Cursors, parameters, errors, cancelled.
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales) q WHERE r < 3;
FETCH c;
COMMIT;
SET plan_cache_mode = force_generic_plan;
PREPARE first_of(int) AS SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM sales) q WHERE r <= $1;
EXECUTE first_of(1);
EXECUTE first_of(2);
SELECT pg_temp.explain_lines('EXECUTE first_of(3)', 'COSTS OFF', 'Gather|Agg|Custom|Key|Keeps|Scan');
BEGIN;
SET LOCAL statement_timeout = '50ms';
SELECT count(r) FROM (SELECT lag(x) OVER (PARTITION BY g ORDER BY id) AS r FROM sales WHERE pg_sleep(0.001) IS NOT NULL) q;
ROLLBACK;
BEGIN;
SET LOCAL statement_timeout = '50ms';
SELECT count(r) FROM (SELECT sum(CASE WHEN pg_sleep(0.01) IS NULL THEN 1 END) OVER (PARTITION BY g ORDER BY id) AS r FROM sales) q;
ROLLBACK;

-- Random partitions, which cross the borders of what processes sort.
\set seed 0.20261129
\echo seed: :seed
SELECT setseed(:seed);
CREATE FUNCTION random_failures(rounds int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	query text;
BEGIN
	FOR round IN 1..rounds LOOP
		CREATE TABLE drawn (id int4, g int4, h int4) WITH (parallel_workers = 4);
		INSERT INTO drawn SELECT i, CASE WHEN random() < s.one / 9 THEN NULL WHEN random() < s.one THEN 7 ELSE (random() ^ s.power * s.groups)::int END, (random() * 3)::int
			FROM (SELECT random() / 2 AS one, 10 ^ (1 + random() * 3) AS groups, 1 + random() * 3 AS power, (1000 + random() * 7000)::int AS n) s, generate_series(1, s.n) i;
		ANALYZE drawn;
		PERFORM set_config('max_parallel_workers_per_gather', (1 + random() * 3)::int::text, true), set_config('work_mem', (64 + (random() ^ 3 * 1000)::int)::text, true);
		query := format('SELECT * FROM (SELECT id, h, row_number() OVER w AS r, sum(id) OVER w AS s FROM drawn WINDOW w AS (PARTITION BY g ORDER BY h, id)) q WHERE r <= %s', 1 + (random() ^ 4 * 2000)::int);
		IF NOT (SELECT same FROM divided(query)) THEN
			RETURN NEXT format('round %s: %s', round, query);
		END IF;
		DROP TABLE drawn;
	END LOOP;
END $$;
SELECT * FROM random_failures(6);

SET client_min_messages = warning;
DROP SCHEMA windows CASCADE;
