-- Needs gpusort.engine = 'auto': sorts numerics and texts, which no GPU sorts.
-- Percentiles, mode and count(DISTINCT) of one column or expression, whose values parallel workers sort together: every result
-- is as without gpusort, with any number of workers, in memory and beyond it.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
\set SHOW_CONTEXT never
CREATE SCHEMA shared;
SET search_path = shared;
SET compute_query_id = off;
SET jit = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0.1;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET gpusort.force_nodes = on;

CREATE TABLE numbers AS
SELECT i AS id, (i * 7919::bigint % 60013)::int4 AS x, (i % 7)::int2 AS few, (i / 10000)::int8 AS long, 5 AS one, NULL::int4 AS nothing,
	CASE WHEN i % 11 = 0 THEN NULL WHEN i % 1000 = 1 THEN 'NaN' WHEN i % 1000 = 2 THEN '-Infinity' WHEN i % 50 = 3 THEN '-0' ELSE (i * 104729::bigint % 5003) / 7.0 - 100 END::float8 AS f,
	(i * 31 % 977 / 8.0)::float4 AS f4, CASE WHEN i % 9 = 0 THEN 'NaN' ELSE (i * 15485863::bigint % 10007)::numeric / 100 END::numeric(12, 2) AS n,
	(i * 13 % 211)::numeric / 2 AS scales, date '2020-01-01' + i % 3000 AS day, md5((i % 9000)::text) AS t, ('v' || i % 97)::varchar(5) AS short,
	CASE WHEN i % 5000 = 0 THEN repeat(md5(i::text), 200) ELSE 'w' || i % 100 END AS wide
FROM generate_series(1, 20000) i;
CREATE TABLE none AS TABLE numbers WITH NO DATA;
CREATE TABLE parts (LIKE numbers) PARTITION BY HASH (id);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts TABLE numbers;
ALTER TABLE numbers SET (parallel_workers = 8);
ALTER TABLE none SET (parallel_workers = 8);
ALTER TABLE part_0 SET (parallel_workers = 8);
VACUUM ANALYZE numbers, none, parts;

-- Whether workers sort a query's values together for aggregates of gpusort, as compare_aggregates asks.
CREATE FUNCTION taken(query text) RETURNS int LANGUAGE sql AS $$
	SELECT count(*)::int FROM pg_temp.explain_lines(query, 'COSTS OFF', 'Parallel Custom Scan') WHERE EXISTS (SELECT FROM pg_temp.explain_lines(query, 'COSTS OFF, VERBOSE', 'gpusort\.'))
$$;

-- Plans.
SELECT pg_temp.explain_lines('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), percentile_disc(0.9) WITHIN GROUP (ORDER BY x) FROM numbers', 'COSTS OFF, VERBOSE');
SELECT pg_temp.explain_lines('SELECT count(DISTINCT t) FROM parts WHERE few < 3');
SELECT line FROM pg_temp.explain_lines('SELECT mode() WITHIN GROUP (ORDER BY n) FROM numbers', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ 'Aggregate|Gather|Custom|Key';
SELECT pg_temp.explain_lines('SELECT count(DISTINCT t) FILTER (WHERE few < 3) FROM parts', 'COSTS OFF, VERBOSE');
SET parallel_tuple_cost = 0;
-- From version 16 on the planner has workers sort for count(DISTINCT).
SELECT taken('SELECT count(DISTINCT x) FROM numbers');
SELECT pg_temp.explain_lines('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f4) FILTER (WHERE x > 9) FROM numbers WHERE few = 3');
SET parallel_tuple_cost = 0.1;

-- With 0 to 4 workers, in memory and beyond it.  Percentiles of values that are equal but not the same are left out.
CREATE TABLE calls AS SELECT name, format(call, name) AS call FROM (VALUES
	('percentile_cont(0.5) WITHIN GROUP (ORDER BY %s)', '{x,few,long,one,nothing,f,f4}'::text[]),
	('percentile_cont(''{1,0,0.25,NULL,0.75}''::float8[]) WITHIN GROUP (ORDER BY %s DESC)', '{x,few,long,f4}'),
	('percentile_disc(''{1,0,0.3}''::float8[]) WITHIN GROUP (ORDER BY %s), percentile_disc(0.6) WITHIN GROUP (ORDER BY %1$s)', '{x,few,long,one,nothing,n,day}'),
	('percentile_disc(0.123) WITHIN GROUP (ORDER BY %s DESC), mode() WITHIN GROUP (ORDER BY %1$s DESC)', '{x,few,n,day}'),
	('mode() WITHIN GROUP (ORDER BY %s)', '{x,few,long,one,nothing,f4,n,day}'),
	('count(DISTINCT %s)', '{x,few,long,one,nothing,f,f4,day,t,short,wide,x % 100,upper(short),n::int4}'),
	('percentile_cont(0.3) WITHIN GROUP (ORDER BY %s DESC), percentile_disc(0.3) WITHIN GROUP (ORDER BY %1$s DESC)', '{f * few,-f4::float8}'),
	('mode() WITHIN GROUP (ORDER BY %s) FILTER (WHERE few > 2), percentile_disc(''{0.2,0.8}''::float8[]) WITHIN GROUP (ORDER BY %1$s) FILTER (WHERE few > 2)', '{x,nothing,n,day,x / 7}'),
	('percentile_cont(0.4) WITHIN GROUP (ORDER BY %s) FILTER (WHERE mod(id, 3) = 1)', '{x,few,f4,f * 2}'),
	('count(DISTINCT %s) FILTER (WHERE f > 0), count(DISTINCT %1$s) FILTER (WHERE f > 0) + 1', '{x,t,short}'),
	('count(DISTINCT %s) FILTER (WHERE few > 10), mode() WITHIN GROUP (ORDER BY %1$s) FILTER (WHERE few > 10)', '{x,f4}'),
	('count(DISTINCT %s), mode() WITHIN GROUP (ORDER BY %1$s), percentile_cont(0.9) WITHIN GROUP (ORDER BY %1$s)', '{x,few,long,one,nothing,f4}')) c (call, names), unnest(names) name;
CREATE FUNCTION with_workers(workers int, memory text, names text DEFAULT '') RETURNS TABLE (shared bool, same bool, queries bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, true), set_config('work_mem', memory, true);
	-- From 16 on the planner may prefer to sort partitions, where there is an expression or a FILTER.
	RETURN QUERY SELECT bool_and(c.taken > 0 OR (source ~ 'parts' AND (name ~ '\W' OR call ~ 'FILTER'))), bool_and(c.same), count(*)
	FROM calls, unnest('{numbers,none,parts WHERE few <> 1}'::text[]) source, format('SELECT %s FROM %s', call, source) query, pg_temp.compare_aggregates(query) c WHERE name ~ names;
END $$;
SELECT workers, memory, r.* FROM (VALUES (0, '64kB', ''), (0, '64MB', ''), (1, '64kB', '^[xnt]$'), (2, '1MB', '^[xnt]$'), (4, '64kB', ''), (4, '64MB', '^(x|f|n|t|wide)$')) v (workers, memory, names), with_workers(workers, memory, names) r;

-- In one process: values come from one column of any input, without NULLs; texts are counted by hashing. A Seq Scan's rows are read straight into columns,
-- also where NULLs stand behind the column.
SET max_parallel_workers_per_gather = 0;
SELECT pg_temp.explain_lines('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY x) FROM numbers', 'COSTS OFF, VERBOSE');
SELECT pg_temp.explain_lines('SELECT count(DISTINCT x) FROM parts WHERE few < 3');
SELECT line FROM pg_temp.explain_lines('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY f) FROM numbers', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ 'Aggregate|Scan|Key|Input';
CREATE FUNCTION sorted(query text) RETURNS bool LANGUAGE sql AS $$ SELECT EXISTS (SELECT FROM pg_temp.explain_lines(query, 'COSTS OFF', 'GpusortRows')) $$;
SELECT query, sorted(query), same FROM unnest(ARRAY['SELECT gpusort.median(x), gpusort.mode_agg(x), gpusort.count_distinct(x) FROM numbers', 'SELECT gpusort.median(x), percentile_disc(0.2) WITHIN GROUP (ORDER BY x) FROM parts', 'SELECT gpusort.median(n), gpusort.mode_agg(n) FROM numbers', 'SELECT gpusort.mode_agg(nothing) FROM numbers',
	'SELECT gpusort.median(x) FILTER (WHERE few > 2) FROM numbers', 'SELECT gpusort.percentile_disc_agg(x, 0.4), gpusort.median(x) FROM numbers', 'SELECT gpusort.median(x), count(*) FROM numbers',
	'SELECT percentile_disc(''{1,0.5,0}''::float8[]) WITHIN GROUP (ORDER BY x), count(DISTINCT x), mode() WITHIN GROUP (ORDER BY x), percentile_cont(0.1) WITHIN GROUP (ORDER BY x) FROM numbers',
	'SELECT count(DISTINCT n.x), percentile_cont(0.5) WITHIN GROUP (ORDER BY n.x) FROM numbers n LEFT JOIN none USING (id)', 'SELECT mode() WITHIN GROUP (ORDER BY none.x), count(DISTINCT none.x) FROM numbers n LEFT JOIN none USING (id)',
	'SELECT count(DISTINCT i), percentile_disc(0.7) WITHIN GROUP (ORDER BY i) FROM generate_series(1, 9) i', 'SELECT mode() WITHIN GROUP (ORDER BY v) FROM (VALUES (1.0), (2.00), (2), (NULL), (1)) v (v)',
	'SELECT count(DISTINCT zero), percentile_cont(0.9) WITHIN GROUP (ORDER BY zero) FROM unnest(''{-0,0,NaN,NULL,-0,1.5,NaN}''::float8[]) zero', 'SELECT count(DISTINCT x) FROM (SELECT x FROM numbers ORDER BY id LIMIT 100) s',
	'SELECT i, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM numbers WHERE few = i) FROM generate_series(0, 9) i', 'SELECT * FROM generate_series(1, 3) i, LATERAL (SELECT count(DISTINCT x), percentile_cont(i / 4.0) WITHIN GROUP (ORDER BY x) FROM numbers) s',
	'SELECT i, s.* FROM generate_series(0, 2) i LEFT JOIN LATERAL (SELECT mode() WITHIN GROUP (ORDER BY x), count(DISTINCT x) FROM numbers WHERE few < i HAVING count(DISTINCT x) > 9) s ON true',
	'SELECT count(DISTINCT x) FROM numbers UNION ALL SELECT count(DISTINCT x) FROM none UNION ALL SELECT count(DISTINCT nothing) FROM numbers', 'SELECT (SELECT count(DISTINCT a.x) FROM none), count(*) FROM numbers a', 'SELECT count(DISTINCT t) FROM numbers',
	'SELECT count(DISTINCT x ORDER BY x DESC), mode() WITHIN GROUP (ORDER BY x) FROM numbers', 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x DESC), percentile_disc(0.1) WITHIN GROUP (ORDER BY x DESC) FROM parts',
	'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x), count(DISTINCT few) FROM numbers', 'SELECT count(DISTINCT x), sum(x) FROM numbers', 'SELECT array_agg(x ORDER BY x) FROM numbers WHERE id < 9', 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x + 1) FROM numbers']) query, pg_temp.compare_aggregates(query);
-- A table whose columns begin and end to have NULLs on a page, and one that has got columns.
CREATE TABLE gaps AS SELECT CASE WHEN i BETWEEN 3000 AND 3900 THEN NULL ELSE i END AS a, i % 100 AS b, CASE WHEN i % 7 = 0 OR i > 5000 THEN i END AS c, i % 900 AS d, repeat('y', i % 60) AS t, i % 5 AS e FROM generate_series(1, 9000) i;
ALTER TABLE gaps ADD COLUMN g int4 DEFAULT 7, ADD COLUMN h int4;
INSERT INTO gaps SELECT i, i, i, i, NULL, i, i, i FROM generate_series(1, 500) i;
SELECT value, sorted(query), same FROM unnest('{a,b,c,d,e,g,h}'::text[]) value, format('SELECT count(DISTINCT %s), percentile_disc(0.4) WITHIN GROUP (ORDER BY %1$s), mode() WITHIN GROUP (ORDER BY %1$s) FROM gaps', value) query, pg_temp.compare_aggregates(query);
SELECT same FROM pg_temp.compare_node('rows', 'SELECT b, d, a FROM gaps ORDER BY d, a, b') UNION ALL SELECT same FROM pg_temp.compare_node('rows', 'SELECT a, b, e, t FROM gaps ORDER BY e, a, t, b');
-- A volatile function below is called once for each row, and again when it is run again. Prepared, in cursors, by rows that a role may see.
SELECT c, count(DISTINCT q.r) FROM generate_series(1, 40) i, LATERAL (SELECT i, percentile_disc(0.5) WITHIN GROUP (ORDER BY r) AS r, count(DISTINCT r) AS c FROM (SELECT random() AS r FROM generate_series(1, 9) OFFSET 0) s OFFSET 0) q GROUP BY c;
PREPARE middle AS SELECT percentile_disc($1) WITHIN GROUP (ORDER BY x), count(DISTINCT x) FROM numbers WHERE id > $2;
EXECUTE middle(0.5, 19000);
EXECUTE middle(0.1, 0);
EXECUTE middle(NULL, 20000);
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT count(DISTINCT x), percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM numbers;
FETCH c;
FETCH BACKWARD ALL c;
MOVE BACKWARD ALL c;
FETCH c;
COMMIT;
CREATE ROLE regress_gpusort_shared;
GRANT USAGE ON SCHEMA shared TO regress_gpusort_shared;
GRANT SELECT ON numbers TO regress_gpusort_shared;
ALTER TABLE numbers ENABLE ROW LEVEL SECURITY;
CREATE POLICY part ON numbers USING (few = 3);
SET ROLE regress_gpusort_shared;
SELECT count(DISTINCT few), mode() WITHIN GROUP (ORDER BY few) FROM numbers;
RESET ROLE;
ALTER TABLE numbers DISABLE ROW LEVEL SECURITY;
DROP POLICY part ON numbers;
DROP OWNED BY regress_gpusort_shared;
DROP ROLE regress_gpusort_shared;
-- Without force: of tables that are read straight.
SET gpusort.force_nodes = off;
SELECT source, sorted(format('SELECT count(DISTINCT x) FROM %s', source)) FROM unnest('{numbers,numbers WHERE id > 3,parts,none,"generate_series(1, 100000) x"}'::text[]) source;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 2;

-- Not shared: two columns, two orders, two filters, other aggregates beside them, numerics whose scale varies.
SELECT call, c.taken AS shared, same FROM unnest('{"count(DISTINCT x), count(DISTINCT t)","percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_cont(0.5) WITHIN GROUP (ORDER BY f DESC)",
	"count(DISTINCT x) FILTER (WHERE few > 1), count(DISTINCT x)","count(DISTINCT x), count(*)","mode() WITHIN GROUP (ORDER BY scales)","count(DISTINCT n)"}'::text[]) call,
	format('SELECT %s FROM numbers', call) query, pg_temp.compare_aggregates(query) c;

-- In subqueries, with HAVING, again and again.
SELECT query, taken > 0 AS shared, same FROM unnest(ARRAY['SELECT id FROM numbers WHERE x < (SELECT percentile_cont(0.001) WITHIN GROUP (ORDER BY x) FROM numbers)',
	'SELECT few, (SELECT count(DISTINCT x) FROM numbers m WHERE m.few = numbers.few) FROM numbers WHERE id < 4',
	'SELECT count(DISTINCT x) + 1 FROM numbers HAVING mode() WITHIN GROUP (ORDER BY x) > 0',
	'SELECT * FROM generate_series(1, 3) i, LATERAL (SELECT percentile_cont(i / 4.0) WITHIN GROUP (ORDER BY x), i FROM numbers OFFSET 0) q',
	'SELECT a.c, b.m FROM (SELECT count(DISTINCT t) AS c FROM numbers) a, (SELECT mode() WITHIN GROUP (ORDER BY n) AS m FROM parts) b',
	'SELECT count(DISTINCT x) FILTER (WHERE few IN (SELECT id FROM numbers WHERE id < 4)) FROM parts',
	-- Workers run these subqueries.
	'SELECT count(*) FROM numbers WHERE x NOT IN (SELECT mode() WITHIN GROUP (ORDER BY x) FROM numbers)',
	'SELECT count(*) FROM numbers WHERE x > ALL (SELECT mode() WITHIN GROUP (ORDER BY x) + mode() WITHIN GROUP (ORDER BY few) FROM numbers)']) query, pg_temp.compare_aggregates(query);

-- A volatile function below is called once for each row.
CREATE FUNCTION anything() RETURNS float8 VOLATILE PARALLEL SAFE LANGUAGE plpgsql AS $$ BEGIN RETURN random(); END $$;
SELECT percentile_disc('{0,0.5,1}'::float8[]) WITHIN GROUP (ORDER BY v - v) FROM (SELECT anything() AS v FROM numbers) s;
SELECT percentile_disc('{0,1}'::float8[]) WITHIN GROUP (ORDER BY v::int - v::int) FROM (SELECT few IN (SELECT i FROM generate_series(0, 6) i WHERE anything() > 0.5) AS v FROM numbers OFFSET 0) s;
SELECT percentile_disc(0) WITHIN GROUP (ORDER BY v) FILTER (WHERE v > 0.5) > 0.5 AS kept FROM (SELECT anything() AS v FROM numbers) s;

-- Run again, for each row.
SET enable_material = off;
SELECT query, taken > 0 AS shared, same FROM unnest('{count(DISTINCT x),count(DISTINCT t) / 5,percentile_disc(0.5) WITHIN GROUP (ORDER BY x) - mode() WITHIN GROUP (ORDER BY x)}'::text[]) call,
	format('SELECT count(*), sum(i) FROM (SELECT i * 5000 AS i FROM generate_series(1, 9) i OFFSET 0) s WHERE i > ALL (SELECT %s FROM numbers)', call) query, pg_temp.compare_aggregates(query);
RESET enable_material;

-- No worker can be had; none but the leader's own part; cursors; a function's SELECT INTO.
SET max_parallel_workers = 0;
SELECT * FROM with_workers(2, '64kB', '^[xnt]$');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT * FROM with_workers(1, '64kB', '^[xnt]$');
RESET parallel_leader_participation;
BEGIN;
DECLARE c CURSOR FOR SELECT count(DISTINCT x), mode() WITHIN GROUP (ORDER BY x) FROM numbers;
FETCH c;
COMMIT;
CREATE FUNCTION counted(OUT n int8) LANGUAGE plpgsql AS $$ BEGIN SELECT count(DISTINCT t) INTO n FROM numbers; END $$;
SELECT counted();

-- Errors, and cancelled.
SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY x) FROM numbers;
SELECT count(DISTINCT x) FROM numbers WHERE 1 / (19990 - id) < 5;
SELECT count(DISTINCT x) FILTER (WHERE 1 / (19990 - id) < 5) FROM numbers;
BEGIN;
SET LOCAL statement_timeout = '50ms';
SELECT count(DISTINCT t) FROM numbers WHERE pg_sleep(0.001) IS NOT NULL;
ROLLBACK;
SET temp_file_limit = 0;
SET work_mem = '64kB';
SELECT left(pg_temp.error_of('SELECT count(DISTINCT t) FROM numbers'), 5);
RESET work_mem;
RESET temp_file_limit;
SELECT count(DISTINCT t) FROM numbers;

-- Rows divided by their groups: each process computes groups of its own.  Where there is no ICU, another collation stands for that in which
-- texts that differ are equal.
DO $$
BEGIN
	CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN OTHERS THEN
	CREATE COLLATION nd FROM "C";
END $$;
CREATE TABLE grouped WITH (parallel_workers = 4) AS
SELECT *, CASE WHEN id % 13 = 0 THEN NULL ELSE x % 1500 END AS g, CASE WHEN id % 10 > 0 THEN 7 ELSE x % 300 END AS skewed,
	((ARRAY['Ab', 'aB', 'AB'])[1 + id % 3] || x % 90) COLLATE nd AS nd, (ARRAY[0, '-0', 'NaN', 1.5, NULL]::float8[])[1 + id % 5] AS zero, (ARRAY[1.0, 1.00, 1, 2.5])[1 + id % 4] AS scale
FROM numbers;
VACUUM ANALYZE grouped;
SET parallel_tuple_cost = 0;
CREATE FUNCTION divided(query text, OUT divided bool, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE without text;
BEGIN
	PERFORM set_config('gpusort.enable_sort', 'off', true), set_config('gpusort.enable_aggregates', 'off', true);
	without := pg_temp.outcome(query);
	PERFORM set_config('gpusort.enable_sort', 'on', true), set_config('gpusort.enable_aggregates', 'on', true);
	SELECT string_agg(line, chr(10)) ~ 'Gather.*(GroupAggregate|Unique)[^\n]*\n( *(Group Key|Filter)[^\n]*\n)* *->  Parallel Custom Scan \(GpusortRows' INTO divided FROM pg_temp.explain_lines(query) line;
	same := pg_temp.outcome(query) = without;
END $$;
SELECT pg_temp.explain_lines('SELECT few, count(DISTINCT t), percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM grouped GROUP BY few ORDER BY few', 'COSTS OFF');
SELECT pg_temp.explain_lines('SELECT count(DISTINCT t) FROM grouped GROUP BY nd', 'COSTS OFF');
SELECT pg_temp.explain_lines('SELECT DISTINCT ON (few) few, x, id FROM grouped ORDER BY few, x, id', 'COSTS OFF');
SELECT line FROM pg_temp.explain_lines('SELECT g, mode() WITHIN GROUP (ORDER BY x) FROM grouped GROUP BY g ORDER BY g', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ 'Gather|Key';
CREATE FUNCTION in_order() RETURNS TABLE (few int2, c int8) LANGUAGE sql STABLE PARALLEL SAFE
	AS 'SELECT few, count(DISTINCT x) FROM grouped GROUP BY few ORDER BY few';
SELECT pg_temp.explain_lines('SELECT * FROM in_order()', 'COSTS OFF');
CREATE TABLE of_groups AS SELECT format('SELECT %s, %s FROM %s GROUP BY %1$s', keys, call, source) AS query FROM unnest(ARRAY[
	'count(DISTINCT t), count(*), sum(x)', 'percentile_cont(0.3) WITHIN GROUP (ORDER BY n), mode() WITHIN GROUP (ORDER BY day)',
	'string_agg(short, '','' ORDER BY x, id), array_agg(DISTINCT few) FILTER (WHERE id % 3 > 0)']) call,
	(VALUES ('grouped', 'g'), ('grouped', 'skewed'), ('parts', 'short'), ('none', 'x'), ('grouped', 'few, f4'), ('grouped', 'nothing')) t (source, keys);
CREATE FUNCTION divided_with(workers int, memory text) RETURNS TABLE (divided bigint, same bool, queries bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, true), set_config('work_mem', memory, true);
	RETURN QUERY SELECT count(*) FILTER (WHERE d.divided), bool_and(d.same), count(*) FROM of_groups, divided(query) d;
END $$;
SELECT workers, r.divided > 9 AS most, same, queries FROM (VALUES (0, '1MB'), (1, '64kB'), (4, '1MB'), (3, '64MB')) v (workers, memory), divided_with(workers, memory) r;
SET max_parallel_workers = 0;
SELECT same FROM divided_with(2, '64kB');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT same FROM divided_with(2, '64kB');
RESET parallel_leader_participation;
-- In order; of equal values that are not the same; other nodes above; run again.  Rows whose order is seen are not divided.
SET enable_material = off;
SELECT query, d.* FROM unnest(ARRAY['SELECT array_agg(q) FROM (SELECT g, count(DISTINCT x) FROM grouped GROUP BY g ORDER BY g) q',
	'SELECT array_agg(c) FROM (SELECT count(DISTINCT x) AS c FROM grouped GROUP BY few, t ORDER BY few DESC NULLS LAST, t) q',
	'SELECT string_agg(c::text, '','') FROM (SELECT DISTINCT ON (g) g, x, id AS c FROM grouped ORDER BY g DESC, x, id) q',
	'SELECT lower(nd), count(DISTINCT x) FROM grouped GROUP BY nd', 'SELECT zero + 0, count(DISTINCT x) FROM grouped GROUP BY zero', 'SELECT scale::float8, count(DISTINCT x) FROM grouped GROUP BY scale',
	'SELECT skewed, count(DISTINCT x) FROM grouped GROUP BY skewed HAVING count(*) > 20',
	'SELECT few, count(DISTINCT x) FROM grouped GROUP BY few ORDER BY few LIMIT 2', 'SELECT few, count(DISTINCT x) FROM grouped GROUP BY few ORDER BY few LIMIT 7', 'SELECT count(DISTINCT x) AS c FROM grouped GROUP BY g ORDER BY c DESC LIMIT 3',
	'SELECT * FROM (SELECT few, count(DISTINCT x) FROM grouped GROUP BY few) a JOIN (SELECT few, mode() WITHIN GROUP (ORDER BY x) FROM grouped GROUP BY few) b USING (few)',
	'SELECT i, c FROM (SELECT i * 2850 AS i FROM generate_series(1, 4) i OFFSET 0) s JOIN (SELECT count(DISTINCT x) AS c FROM grouped GROUP BY few) q ON c > i',
	'SELECT count(*), sum(i) FROM (SELECT i * 500 AS i FROM generate_series(1, 9) i OFFSET 0) s WHERE i > ALL (SELECT count(DISTINCT x) FROM grouped GROUP BY few)',
	'SELECT few, count(DISTINCT n.x) FROM grouped JOIN numbers n USING (id, few) GROUP BY few', 'SELECT g, count(DISTINCT x) FROM grouped GROUP BY g HAVING count(*) > (SELECT 9 + min(few) FROM numbers)',
	'SELECT few, five, count(DISTINCT x) FROM grouped LEFT JOIN (SELECT id, 5 AS five FROM numbers WHERE few < 3) n USING (id) GROUP BY few, five',
	'SELECT few, 5 AS five, count(DISTINCT x) FROM grouped GROUP BY five, few', 'SELECT 5 AS five, count(DISTINCT x) FROM grouped GROUP BY five', 'SELECT count(DISTINCT x), sum(x ORDER BY id) FROM grouped',
	'SELECT x, count(*), sum(id) FROM grouped GROUP BY x', 'SELECT DISTINCT x FROM grouped', 'SELECT id, max(x) FROM grouped GROUP BY id ORDER BY id LIMIT 10',
	'SELECT few, count(DISTINCT x), count(random()) FROM grouped GROUP BY few',
	'SELECT few, count(DISTINCT x), length(string_agg(short, '''')) FROM grouped GROUP BY few']) query, divided(query) d;
RESET enable_material;
-- Sorting takes the place of hashing, which the planner takes for cheaper than dividing.
SET parallel_tuple_cost = 0.1;
SET work_mem = '16MB';
SELECT * FROM divided('SELECT day, count(*), sum(x) FROM grouped GROUP BY day');
-- Rows that cannot be divided are not returned by workers where a Sort may give aggregates their order.
SELECT substring(line, 'Gather|Sort Key.*') AS line FROM pg_temp.explain_lines('SELECT few, string_agg(short, '','' ORDER BY x, id), random() FROM grouped GROUP BY few', 'COSTS OFF') line WHERE line ~ 'Gather|Sort Key';
RESET work_mem;
SET parallel_tuple_cost = 0;
PREPARE by_group AS SELECT few, count(DISTINCT x) FROM grouped WHERE id > $1 GROUP BY few ORDER BY few;
EXECUTE by_group(19000);
EXECUTE by_group(19900);
SELECT g, count(DISTINCT x / (id - 19990)) FROM grouped GROUP BY g;
SELECT g, count(DISTINCT x), 1 / (max(id) - 19990) FROM grouped GROUP BY g;
BEGIN;
SET LOCAL statement_timeout = '50ms';
SELECT few, count(DISTINCT t) FROM grouped WHERE pg_sleep(0.001) IS NOT NULL GROUP BY few;
ROLLBACK;
BEGIN;
SET LOCAL statement_timeout = '150ms';
SELECT few, count(DISTINCT CASE WHEN pg_sleep(0.01) IS NULL THEN 1 END) FROM grouped GROUP BY few;
ROLLBACK;

-- Random tables, whose runs of equal values cross the borders of parts.
\set seed 0.20261127
\echo seed: :seed
SELECT setseed(:seed);
CREATE FUNCTION random_failures(rounds int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	query text;
BEGIN
	FOR round IN 1..rounds LOOP
		CREATE TABLE drawn (x int4, g int4) WITH (parallel_workers = 4);
		INSERT INTO drawn SELECT CASE WHEN random() < 0.1 THEN NULL WHEN random() < s.one THEN 7 ELSE (random() ^ s.power * s.most)::int END,
				CASE WHEN random() < s.one / 9 THEN NULL WHEN random() < s.one THEN 7 ELSE (random() ^ s.power * s.groups)::int END
			FROM (SELECT random() AS one, 10 ^ (random() * 4) AS groups, 1 + random() * 5 AS power, 10 ^ (random() * 6) AS most, (random() * 20000)::int AS n) s, generate_series(1, s.n);
		ANALYZE drawn;
		PERFORM set_config('max_parallel_workers_per_gather', (1 + random() * 3)::int::text, true), set_config('work_mem', (64 + (random() ^ 3 * 1000)::int)::text, true);
		query := format('SELECT count(DISTINCT x), mode() WITHIN GROUP (ORDER BY x), percentile_disc(''{0,%s,1}''::float8[]) WITHIN GROUP (ORDER BY x), percentile_cont(%s) WITHIN GROUP (ORDER BY x) FROM drawn',
			random(), random());
		IF NOT (SELECT same FROM pg_temp.compare_aggregates(query)) THEN
			RETURN NEXT format('round %s: %s', round, query);
		END IF;
		query := format('SELECT g, count(DISTINCT x), count(*), array_agg(x ORDER BY x), percentile_disc(%s) WITHIN GROUP (ORDER BY x) FROM drawn GROUP BY g', random());
		IF NOT (SELECT same FROM divided(query)) THEN
			RETURN NEXT format('round %s: %s', round, query);
		END IF;
		DROP TABLE drawn;
	END LOOP;
END $$;
SELECT * FROM random_failures(10);

SET client_min_messages = warning;
DROP SCHEMA shared CASCADE;
